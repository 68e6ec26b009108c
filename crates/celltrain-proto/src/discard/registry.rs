//! What one row of the discard policy registry declares.

/// Declares all discard policies. A row has a sentence, the keyword, the common name, and the module with the types of
/// the policy and its parameters.
macro_rules! discard_policies {
    ($(
        $(#[doc = $doc:literal])*
        $keyword:literal, $shown:literal => $module:ident::$policy:ident($parameters:ident);
    )+) => {
        $(pub use $module::{$policy, $parameters};)+

        family! {
            /// Which cells are refused while a queue fills, in addition to those that find it full.
            pub enum Parameters as "Discard" by "policy" {
                $($(#[doc = $doc])* $keyword, $shown => $policy($parameters);)+
            }
        }

        impl Parameters {
            /// Creates the policy of an empty queue. The parameters must be valid; see [`Parameters::check`].
            pub fn build(&self, port: &Port<'_>) -> Policy {
                match self {
                    $(Self::$policy(it) => $policy::build(it, port).into(),)+
                }
            }

            /// Whether it makes random decisions.
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

        /// Any discard policy.
        #[enum_dispatch::enum_dispatch(DiscardPolicy)]
        #[derive(Clone, Debug)]
        pub enum Policy {
            $($(#[doc = $doc])* $policy($policy),)+
        }
    };
}
