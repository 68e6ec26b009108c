//! What one row of the registry of traffic sources declares.

/// Declares all traffic sources. A row has a sentence, the keyword, the common name, and the module with the parameters
/// of the source, which implement [`TrafficSource`](arrivals::TrafficSource).
macro_rules! traffic_sources {
    ($(
        $(#[doc = $doc:literal])*
        $keyword:literal, $shown:literal => $module:ident::$source:ident($parameters:ident);
    )+) => {
        $(pub use $module::$parameters;)+

        family! {
            /// A process of arrivals.
            pub enum Parameters as "Traffic" by "process" {
                $($(#[doc = $doc])* $keyword, $shown => $source($parameters);)+
            }
        }

        impl TrafficSource for Parameters {
            type Process = Traffic;

            fn start(&self, run: Run) -> Option<Traffic> {
                match self {
                    $(Self::$source(it) => it.start(run).map(|it| Traffic::$source(Box::new(it))),)+
                }
            }

            fn peak(&self, bits: u64) -> Option<Rate> {
                match self {
                    $(Self::$source(it) => it.peak(bits),)+
                }
            }

            fn most(&self, seconds: f64, bits: u64) -> f64 {
                match self {
                    $(Self::$source(it) => it.most(seconds, bits),)+
                }
            }

            fn most_at_once(&self) -> f64 {
                match self {
                    $(Self::$source(it) => it.most_at_once(),)+
                }
            }

            fn most_waiting(&self, served: f64, seconds: f64, bits: u64) -> f64 {
                match self {
                    $(Self::$source(it) => it.most_waiting(served, seconds, bits),)+
                }
            }

            fn changes_per_s(&self) -> f64 {
                match self {
                    $(Self::$source(it) => it.changes_per_s(),)+
                }
            }

            fn is_random(&self) -> bool {
                match self {
                    $(Self::$source(it) => it.is_random(),)+
                }
            }

            fn is_greedy(&self) -> bool {
                match self {
                    $(Self::$source(it) => it.is_greedy(),)+
                }
            }

            fn is_circuit(&self) -> bool {
                match self {
                    $(Self::$source(it) => it.is_circuit(),)+
                }
            }

            fn longest_gap(&self, bits: u64) -> Option<LongestGap> {
                match self {
                    $(Self::$source(it) => it.longest_gap(bits),)+
                }
            }
        }

        /// The arrivals of any source.
        #[derive(Clone, Debug)]
        pub enum Traffic {
            $($(#[doc = $doc])* $source(Box<<$parameters as TrafficSource>::Process>),)+
        }

        impl Arrivals for Traffic {
            fn first(&mut self) -> Span {
                match self {
                    $(Self::$source(it) => it.first(),)+
                }
            }

            fn gap(&mut self) -> Span {
                match self {
                    $(Self::$source(it) => it.gap(),)+
                }
            }

            fn run(&mut self) -> (Span, u32) {
                match self {
                    $(Self::$source(it) => it.run(),)+
                }
            }
        }
    };
}
