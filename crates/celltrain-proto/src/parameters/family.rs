//! Registries: all algorithms of a kind.

/// Declares the enum of all parameters of a kind of algorithms, of which the key `by` of a table chooses one.
///
/// `as NAME` is the name of the definition in the JSON Schema. A row has a sentence, the variant with its parameters,
/// the keyword, and the name that people know.
macro_rules! family {
    (
        $(#[doc = $about:literal])*
        pub enum $name:ident as $schema:literal by $tag:literal {
            $(
                $(#[doc = $doc:literal])*
                $keyword:literal, $shown:literal => $variant:ident($parameters:ty);
            )+
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, PartialEq, Debug)]
        pub enum $name {
            $($(#[doc = $doc])* $variant($parameters),)+
        }

        impl $name {
            /// Of each row, in their order: the keyword, and the name that people know.
            pub const NAMES: &'static [(&'static str, &'static str)] = &[$(($keyword, $shown)),+];

            /// Finds the first value that is out of its bounds, or does not go with another.
            pub fn check(&self) -> Result<(), $crate::parameters::Problem> {
                match self {
                    $(Self::$variant(it) => it.check(),)+
                }
            }
        }

        #[cfg(feature = "scenario")]
        const _: () = {
            use $crate::parameters::schema::any_of;
            use $crate::parameters::written::{Table, member, rest};

            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    use serde::ser::SerializeMap;
                    let mut map = serializer.serialize_map(None)?;
                    match self {
                        $(Self::$variant(it) => {
                            map.serialize_entry($tag, $keyword)?;
                            it.write(&mut map)?;
                        })+
                    }
                    map.end()
                }
            }

            struct ByKeyword;

            impl<'de> serde::de::Visitor<'de> for ByKeyword {
                type Value = $name;
                fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                    f.write_str(concat!("a table with the key \"", $tag, "\""))
                }
                fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                    use serde::de::Error;
                    if map.next_key::<alloc::string::String>()?.as_deref() != Some($tag) {
                        return Err(A::Error::missing_field($tag));
                    }
                    let keyword: alloc::string::String = map.next_value()?;
                    match keyword.as_str() {
                        $($keyword => rest(map).map($name::$variant),)+
                        other => Err(A::Error::unknown_variant(other, &[$($keyword),+])),
                    }
                }
            }

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    deserializer.deserialize_map(ByKeyword)
                }
            }

            impl schemars::JsonSchema for $name {
                fn schema_name() -> alloc::borrow::Cow<'static, str> {
                    $schema.into()
                }
                fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                    let members = [$(
                        member::<$parameters>(generator, $tag, $keyword, $shown, concat!("" $(, $doc)*)),
                    )+];
                    any_of(&members, concat!("" $(, $about)*))
                }
            }
        };
    };
}
