//! Structs of parameters.

/// Declares a struct of parameters.
///
/// A field is written as in a struct, optionally followed by `= DEFAULT` and `, in BOUNDS`, and ends with `;`. The last
/// field may be `..pub rest: Type;`, which includes the keys of another such struct in the same table. After the
/// struct, `|it| CHECK` may express what the bounds of single fields cannot.
///
/// ```text
/// parameters! {
///     /// The parameters of [`Example`].
///     #[derive(Clone, Copy, PartialEq, Debug)]
///     pub struct ExampleParameters {
///         /// Measurement interval.
///         pub interval: Span, in Bounds::INTERVAL;
///         /// The part of the line to use.
///         pub target_utilization: f64 = 0.95, in Bounds::PART;
///     }
/// }
/// ```
macro_rules! parameters {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                pub $field:ident: $type:ty $(= $default:expr)? $(, in $bounds:expr)?;
            )*
            $(.. pub $rest:ident: $rest_type:ty;)?
        }
        $(|$it:ident| $related:expr)?
    ) => {
        $(#[$about])*
        pub struct $name {
            $($(#[doc = $doc])* pub $field: $type,)*
            $(
                #[doc = concat!("Parameters shared with other algorithms; see [`", stringify!($rest_type), "`].")]
                pub $rest: $rest_type,
            )?
        }

        impl $name {
            /// Finds the first value that is out of bounds or inconsistent with another.
            pub fn check(&self) -> Result<(), $crate::parameters::Problem> {
                $($(($bounds).check(stringify!($field), &self.$field)?;)?)*
                $(self.$rest.check()?;)?
                $({
                    let $it = self;
                    $related?;
                })?
                Ok(())
            }

            /// All parameters with their defaults; none if one of them has no default.
            pub fn defaults() -> Option<Self> {
                Some(Self {
                    $($field: parameters!(@default $($default)?),)*
                    $($rest: <$rest_type>::defaults()?,)?
                })
            }
        }

        #[cfg(feature = "scenario")]
        const _: () = {
            use $crate::parameters::schema::Keys;
            use $crate::parameters::written::{self, Table};

            /// The values of the table found so far.
            #[derive(Default)]
            #[allow(unreachable_pub, missing_docs, reason = "only the reader sees it")]
            pub struct Found {
                $($field: Option<$type>,)*
                $($rest: <$rest_type as Table>::Found,)?
            }

            const OWN: &[&str] = &[$(stringify!($field)),*];
            const ALL: [&str; OWN.len() $(+ <$rest_type as Table>::KEYS.len())?] =
                written::join(&[OWN $(, <$rest_type as Table>::KEYS)?]);

            #[allow(unused_variables, reason = "there may be no fields")]
            impl Table for $name {
                const KEYS: &'static [&'static str] = &ALL;
                type Found = Found;

                fn take<'de, A: serde::de::MapAccess<'de>>(
                    found: &mut Found,
                    key: &str,
                    map: &mut A,
                ) -> Result<bool, A::Error> {
                    $(if key == stringify!($field) {
                        found.$field = Some(written::next(map)?);
                        return Ok(true);
                    })*
                    $(if <$rest_type as Table>::take(&mut found.$rest, key, map)? {
                        return Ok(true);
                    })?
                    Ok(false)
                }

                fn finish<E: serde::de::Error>(found: Found) -> Result<Self, E> {
                    Ok(Self {
                        $($field: parameters!(@value found.$field, stringify!($field) $(, $default)?),)*
                        $($rest: <$rest_type as Table>::finish(found.$rest)?,)?
                    })
                }

                fn write<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                    $(written::field(map, stringify!($field), &self.$field)?;)*
                    $(self.$rest.write(map)?;)?
                    Ok(())
                }

                fn describe(generator: &mut schemars::SchemaGenerator, keys: &mut Keys) {
                    $(
                        let schema = <$type as written::Written>::schema(generator);
                        let is_required = <$type as written::Written>::absent().is_none();
                        keys.add(stringify!($field), &schema, concat!("" $(, $doc)*), is_required)
                            $(.by_default(written::canonical::<$type>(&$default)))?
                            $(.within(&$bounds))?;
                    )*
                    $(<$rest_type as Table>::describe(generator, keys);)?
                }
            }
        };
    };
    (@default) => {
        None?
    };
    (@default $default:expr) => {
        $default
    };
    (@value $found:expr, $key:expr) => {
        written::required($found, $key)?
    };
    (@value $found:expr, $key:expr, $default:expr) => {
        $found.unwrap_or_else(|| $default)
    };
}
