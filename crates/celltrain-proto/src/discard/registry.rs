//! What a row of the registry of discard policies makes.

/// Declares all discard policies. A row has a sentence, the keyword, the name that people know, and the module with the
/// policy's type and that of its parameters.
macro_rules! discard_policies {
    ($(
        $(#[doc = $doc:literal])*
        $keyword:literal, $shown:literal => $module:ident::$policy:ident($parameters:ident);
    )+) => {
        $(pub use $module::{$policy, $parameters};)+

        family! {
            /// Which cells of a filling queue are refused, beyond those that find it full.
            pub enum Parameters as "Discard" by "policy" {
                $($(#[doc = $doc])* $keyword, $shown => $policy($parameters);)+
            }
        }

        impl Parameters {
            /// The policy of an empty queue. The parameters must be allowed; see [`Parameters::check`].
            pub fn build(&self, port: &Port<'_>) -> Policy {
                match self {
                    $(Self::$policy(it) => $policy::build(it, port).into(),)+
                }
            }

            /// Whether it acts by chance.
            pub fn is_random(&self) -> bool {
                match self {
                    $(Self::$policy(_) => $policy::IS_RANDOM,)+
                }
            }

            /// The value of the key `threshold`, which must lie within the buffer.
            pub fn threshold(&self) -> Option<Cells> {
                match self {
                    $(Self::$policy(it) => $policy::threshold(it),)+
                }
            }
        }

        /// Any of the policies.
        #[enum_dispatch::enum_dispatch(DiscardPolicy)]
        #[derive(Clone, Debug)]
        pub enum Policy {
            $($(#[doc = $doc])* $policy($policy),)+
        }
    };
}
