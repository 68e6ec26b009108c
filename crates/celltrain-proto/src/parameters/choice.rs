//! Parameters whose values are names.

/// Declares an enum whose variants are the names that a parameter can have, in lower case with hyphens. Exactly one
/// variant has `#[default]`; a key may use another default.
macro_rules! choice {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $($(#[$meta:meta])* $variant:ident,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
        #[cfg_attr(
            feature = "scenario",
            derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
            serde(rename_all = "kebab-case")
        )]
        pub enum $name {
            $($(#[$meta])* $variant,)+
        }

        #[cfg(feature = "scenario")]
        impl $crate::parameters::written::Written for $name {
            fn read<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                serde::Deserialize::deserialize(deserializer)
            }
            fn write<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serde::Serialize::serialize(self, serializer)
            }
            fn schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                generator.subschema_for::<Self>()
            }
        }
    };
}
