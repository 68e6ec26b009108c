//! What a row of the registry of switch algorithms makes.

/// Declares all switch algorithms. A row has a sentence, the keyword, the name that people know, and the module with
/// the algorithm's type and that of its parameters. `ALGORITHM::new(PARAMETERS)` makes an algorithm.
macro_rules! switch_algorithms {
    ($(
        $(#[doc = $doc:literal])*
        $keyword:literal, $shown:literal => $module:ident::$algorithm:ident($parameters:ident);
    )+) => {
        $(pub use $module::{$algorithm, $parameters};)+

        family! {
            /// The switch algorithm of a queue.
            pub enum Parameters as "Control" by "algorithm" {
                $($(#[doc = $doc])* $keyword, $shown => $algorithm($parameters);)+
            }
        }

        impl Parameters {
            /// The algorithm that has seen nothing yet. The parameters must be allowed; see [`Parameters::check`].
            pub fn build(&self) -> Algorithm {
                match self {
                    $(Self::$algorithm(it) => $algorithm::new(*it).into(),)+
                }
            }
        }

        /// Any of the algorithms.
        #[enum_dispatch::enum_dispatch(SwitchAlgorithm)]
        #[derive(Clone, Debug)]
        pub enum Algorithm {
            $($(#[doc = $doc])* $algorithm($algorithm),)+
        }
    };
}
