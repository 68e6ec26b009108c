//! What a row of the registry of queue management makes.

/// Declares all queue managers. A row has a sentence, the keyword, the name that people know, and the module with the
/// manager's type and that of its parameters.
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
            /// The manager of an empty queue. The parameters must be allowed; see [`Parameters::check`]. `stream` is
            /// for those that act by chance.
            pub fn build(&self, stream: Stream) -> Aqm {
                match self {
                    $(Self::$manager(it) => $manager::build(*it, stream).into(),)+
                }
            }

            /// Whether it acts by chance.
            pub fn is_random(&self) -> bool {
                match self {
                    $(Self::$manager(_) => $manager::IS_RANDOM,)+
                }
            }

            /// Whether the line must have a rate, from which the queueing delay follows.
            pub fn needs_rate(&self) -> bool {
                match self {
                    $(Self::$manager(_) => $manager::NEEDS_RATE,)+
                }
            }
        }

        /// Any of the managers.
        #[enum_dispatch::enum_dispatch(QueueManager)]
        #[derive(Clone, Debug)]
        pub enum Aqm {
            $($(#[doc = $doc])* $manager($manager),)+
        }
    };
}
