//! Registries of all algorithms of one kind.

/// Declares the enum of all parameters of one kind of algorithm; the key `by` of a table selects the variant.
///
/// `as NAME` is the name of the definition in the JSON Schema. A row has a sentence, the keyword, the display name,
/// and the variant with its parameters. With `or alone`, a keyword alone stands for a table without other keys; every
/// parameter then needs a default.
macro_rules! family {
    (
        $(#[doc = $about:literal])*
        pub enum $name:ident as $schema:literal by $tag:literal $(or $alone:ident)? {
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
            /// The registry, the keyword and the display name of each row, in order. Keywords are unique in a registry.
            pub const NAMES: &'static [(&'static str, &'static str, &'static str)] =
                &[$(($schema, $keyword, $shown)),+];

            /// Finds the first value that is out of bounds or inconsistent with another.
            pub fn check(&self) -> Result<(), $crate::parameters::Problem> {
                match self {
                    $(Self::$variant(it) => it.check(),)+
                }
            }
        }

        #[cfg(feature = "scenario")]
        const _: () = {
            use $crate::parameters::schema::{any_of, name};
            use $crate::parameters::written::{Table, member, rest};

            /// Whether a keyword may stand alone.
            const ALONE: bool = false $(|| !stringify!($alone).is_empty())?;

            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    use serde::ser::SerializeMap;
                    match self {
                        $(Self::$variant(it) if ALONE && <$parameters>::defaults().as_ref() == Some(it) => {
                            return serializer.serialize_str($keyword);
                        })+
                        _ => {}
                    }
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
                    f.write_str(if ALONE { "a name, or " } else { "" })?;
                    f.write_str(concat!("a table with the key \"", $tag, "\""))
                }
                fn visit_str<E: serde::de::Error>(self, keyword: &str) -> Result<$name, E> {
                    if !ALONE {
                        return Err(E::invalid_type(serde::de::Unexpected::Str(keyword), &self));
                    }
                    let found = match keyword {
                        $($keyword => <$parameters>::defaults().map($name::$variant),)+
                        other => return Err(E::unknown_variant(other, &[$($keyword),+])),
                    };
                    found.ok_or_else(|| E::invalid_type(serde::de::Unexpected::Str(keyword), &self))
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
                    if ALONE {
                        deserializer.deserialize_any(ByKeyword)
                    } else {
                        deserializer.deserialize_map(ByKeyword)
                    }
                }
            }

            impl schemars::JsonSchema for $name {
                fn schema_name() -> alloc::borrow::Cow<'static, str> {
                    $schema.into()
                }
                fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                    let names = [$(name($keyword, concat!("" $(, $doc)*)),)+];
                    let tables = [$(
                        member::<$parameters>(generator, $tag, $keyword, $shown, concat!("" $(, $doc)*)),
                    )+];
                    let names = names.into_iter().filter(|_| ALONE);
                    any_of(names.chain(tables), concat!("" $(, $about)*))
                }
            }
        };
    };
}
