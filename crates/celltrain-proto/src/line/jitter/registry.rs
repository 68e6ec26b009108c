//! What one row of the registry of jitter declares.

/// Declares all distributions of the added delay. A row has a sentence, the keyword, the common name, and the module with
/// the parameters of the distribution, which implement [`DelayDistribution`](distribution::DelayDistribution).
macro_rules! jitter_distributions {
    ($(
        $(#[doc = $doc:literal])*
        $keyword:literal, $shown:literal => $module:ident::$distribution:ident($parameters:ident);
    )+) => {
        $(pub use $module::$parameters;)+

        family! {
            /// Delay added to each cell, without reordering: a cell never overtakes another.
            pub enum JitterLaw as "Jitter" by "process" {
                $($(#[doc = $doc])* $keyword, $shown => $distribution($parameters);)+
            }
        }

        impl DelayDistribution for JitterLaw {
            fn max(&self) -> Span {
                match self {
                    $(Self::$distribution(it) => it.max(),)+
                }
            }

            #[inline]
            fn draw(&self, draws: &mut Draws, departs: Time) -> Span {
                match self {
                    $(Self::$distribution(it) => it.draw(draws, departs),)+
                }
            }
        }
    };
}
