//! What one row of the queue management registry declares.

/// Declares all queue managers. A row has a sentence, the keyword, the common name, and the module with the types of
/// the manager and its parameters.
macro_rules! queue_managers {
    ($(
        $(#[doc = $doc:literal])*
        $keyword:literal, $shown:literal => $module:ident::$manager:ident($parameters:ident);
    )+) => {
        $(pub use $module::{$manager, $parameters};)+

        family! {
            /// Active queue management at packet boundaries.
            pub enum Parameters as "QueueManagement" by "algorithm" {
                $($(#[doc = $doc])* $keyword, $shown => $manager($parameters);)+
            }
        }

        impl Parameters {
            /// Creates the manager of an empty queue. The parameters must be valid; see [`Parameters::check`]. `stream`
            /// is for managers that make random decisions.
            pub fn build(&self, stream: Stream) -> Aqm {
                match self {
                    $(Self::$manager(it) => $manager::build(*it, stream).into(),)+
                }
            }

            /// Whether it makes random decisions.
            pub fn is_random(&self) -> bool {
                match self {
                    $(Self::$manager(_) => $manager::IS_RANDOM,)+
                }
            }

            /// Whether the link must have a rate, from which the queueing delay is computed.
            pub fn needs_rate(&self) -> bool {
                match self {
                    $(Self::$manager(_) => $manager::NEEDS_RATE,)+
                }
            }
        }

        /// Any queue manager.
        #[enum_dispatch::enum_dispatch(QueueManager)]
        #[derive(Clone, Debug)]
        pub enum Aqm {
            $($(#[doc = $doc])* $manager($manager),)+
        }
    };
}
