//! What one row of the registry of TCP variants declares.

/// The type of a row's parameters.
macro_rules! parameters_of {
    () => {
        NoParameters
    };
    ($parameters:ident) => {
        $parameters
    };
}

/// Declares all variants: the enum of the scenario, the enum of laws, and the facts. Each row has a sentence, the
/// keyword, the display name, and the name of its type in `systems`, or the types of the parameters, if there are any,
/// and of the law.
macro_rules! tcp_variants {
    (
        systems {$(
            $(#[doc = $about:literal])*
            $word:literal, $called:literal => $system:ident;
        )+}
        laws {$(
            $(#[doc = $doc:literal])*
            $keyword:literal, $shown:literal => $name:ident$(($module:ident::$parameters:ident))? by $law:ty;
        )+}
    ) => {
        $($(pub use $module::$parameters;)?)+

        family! {
            /// Variants of TCP.
            pub enum Variant as "TcpVariant" by "algorithm" or alone {
                $($(#[doc = $about])* $word, $called => $system(NoParameters);)+
                $($(#[doc = $doc])* $keyword, $shown => $name(parameters_of!($($parameters)?));)+
            }
        }

        impl Variant {
            /// As written in scenarios and results.
            pub const fn keyword(&self) -> &'static str {
                match self {
                    $(Self::$system(_) => $word,)+
                    $(Self::$name(_) => $keyword,)+
                }
            }

            /// All variants, with the defaults of their parameters.
            pub fn all() -> Vec<Self> {
                let all = [
                    $(NoParameters::defaults().map(Self::$system),)+
                    $(<parameters_of!($($parameters)?)>::defaults().map(Self::$name),)+
                ];
                all.into_iter().flatten().collect()
            }

            /// Its properties, for senders and scenarios.
            pub const fn facts(&self) -> Facts {
                match self {
                    $(Self::$system(_) => systems::$system::FACTS,)+
                    $(Self::$name(_) => <$law>::FACTS,)+
                }
            }

            /// Its state at the start of a connection.
            pub(in crate::tcp) fn build(&self, options: &ControlOptions, mut window: Window) -> Control {
                match self {
                    $(Self::$system(_) => systems::$system::build(options, window),)+
                    $(Self::$name(it) => {
                        let law = <$law>::new(it, options, &mut window).into();
                        Control::of_law(law, <$law>::FACTS.repair, options, window)
                    })+
                }
            }
        }

        /// Any of the laws.
        #[enum_dispatch::enum_dispatch(WindowLaw)]
        #[derive(Clone, Debug)]
        pub(in crate::tcp) enum Law {
            $($(#[doc = $doc])* $name($law),)+
        }
    };
}
