//! What one row of the loss process registry declares.

/// Declares all loss processes. A row has a sentence, the keyword, the common name, and the module with the types of
/// the process and its parameters.
macro_rules! loss_processes {
    ($(
        $(#[doc = $doc:literal])*
        $keyword:literal, $shown:literal => $module:ident::$process:ident($parameters:ident);
    )+) => {
        $(pub use $module::{$parameters, $process};)+

        family! {
            /// Cells lost by errors of the line.
            pub enum Parameters as "Loss" by "process" {
                $($(#[doc = $doc])* $keyword, $shown => $process($parameters);)+
            }
        }

        impl Parameters {
            /// Creates the process before its first cell. The parameters must be valid; see [`Parameters::check`].
            pub fn build(&self, stream: Stream) -> Loss {
                match self {
                    $(Self::$process(it) => Loss::$process($process::new(it, stream)),)+
                }
            }
        }

        /// Which cells of a line are lost.
        #[derive(Clone, Debug)]
        pub enum Loss {
            $($(#[doc = $doc])* $process($process),)+
        }

        impl Loss {
            /// Whether the next cell of the line, which arrives at `at`, is lost. Call once per cell, in order.
            #[inline]
            pub fn loses(&mut self, at: Time) -> bool {
                match self {
                    $(Self::$process(it) => it.loses(at),)+
                }
            }

            /// The long-run fraction of cells lost.
            pub fn mean_loss(&self) -> f64 {
                match self {
                    $(Self::$process(it) => it.mean_loss(),)+
                }
            }
        }
    };
}
