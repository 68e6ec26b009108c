//! What one row of the switch algorithm registry declares.

/// Declares all switch algorithms. A row has a sentence, the keyword, the common name, and the module with the types of
/// the algorithm and its parameters. `ALGORITHM::new(PARAMETERS)` creates an algorithm.
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
            /// Creates the algorithm without history. The parameters must be valid; see [`Parameters::check`].
            pub fn build(&self) -> Algorithm {
                match self {
                    $(Self::$algorithm(it) => $algorithm::new(*it).into(),)+
                }
            }
        }

        /// Any switch algorithm.
        #[enum_dispatch::enum_dispatch(SwitchAlgorithm)]
        #[derive(Clone, Debug)]
        pub enum Algorithm {
            $($(#[doc = $doc])* $algorithm($algorithm),)+
        }
    };
}
