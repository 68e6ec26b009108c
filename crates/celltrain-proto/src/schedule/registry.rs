//! What one row of the registry of schedulers declares.

/// Declares all schedulers. A row has a sentence, the keyword, the common name, and the module with the types of the
/// scheduler and its parameters.
macro_rules! schedulers {
    ($(
        $(#[doc = $doc:literal])*
        $keyword:literal, $shown:literal => $module:ident::$scheduler:ident($parameters:ident);
    )+) => {
        $(pub use $module::{$scheduler, $parameters};)+

        family! {
            /// The order in which the cells of a link are served.
            pub enum Parameters as "Scheduling" by "algorithm" or alone {
                $($(#[doc = $doc])* $keyword, $shown => $scheduler($parameters);)+
            }
        }

        impl Parameters {
            /// The queues that it serves.
            pub fn queues(&self) -> Queues {
                match self {
                    $(Self::$scheduler(_) => $scheduler::QUEUES,)+
                }
            }

            /// Creates the scheduler of empty queues; see [`Kind::build`]. The parameters must be valid; see
            /// [`Parameters::check`].
            pub fn build(&self, weights: &[f64]) -> Scheduler {
                match self {
                    $(Self::$scheduler(it) => $scheduler::build(it, weights).into(),)+
                }
            }
        }

        /// Any scheduler.
        #[enum_dispatch::enum_dispatch(ServiceOrder)]
        #[derive(Clone, Debug)]
        pub enum Scheduler {
            $($(#[doc = $doc])* $scheduler($scheduler),)+
        }
    };
}
