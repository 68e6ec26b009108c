//! What one row of the registry of rate processes declares.

/// Declares all processes by which the rate of a line changes. A row has a sentence, the keyword, the common name, and
/// the module with the parameters of the process, which implement [`VaryingRate`](super::VaryingRate).
macro_rules! rate_processes {
    ($(
        $(#[doc = $doc:literal])*
        $keyword:literal, $shown:literal => $module:ident::$process:ident($parameters:ident);
    )+) => {
        $(pub use $module::$parameters;)+

        family! {
            /// A process by which a line's rate changes.
            pub enum RateParameters as "RateProcess" by "process" {
                $($(#[doc = $doc])* $keyword, $shown => $process($parameters);)+
            }
        }

        impl VaryingRate for RateParameters {
            type Process = RateProcess;

            fn start(&self, stream: Stream) -> RateProcess {
                match self {
                    $(Self::$process(it) => RateProcess::$process(Box::new(it.start(stream))),)+
                }
            }

            fn range(&self) -> RateRange {
                match self {
                    $(Self::$process(it) => it.range(),)+
                }
            }

            fn highest_lasting(&self) -> Rate {
                match self {
                    $(Self::$process(it) => it.highest_lasting(),)+
                }
            }

            fn delay(&self) -> Span {
                match self {
                    $(Self::$process(it) => it.delay(),)+
                }
            }

            fn carry_packets(&mut self, octets: Bytes) {
                match self {
                    $(Self::$process(it) => it.carry_packets(octets),)+
                }
            }

            fn mean_of_opportunities(&self) -> Option<Rate> {
                match self {
                    $(Self::$process(it) => it.mean_of_opportunities(),)+
                }
            }

            fn is_random(&self) -> bool {
                match self {
                    $(Self::$process(it) => it.is_random(),)+
                }
            }

            fn trains(&self) -> bool {
                match self {
                    $(Self::$process(it) => it.trains(),)+
                }
            }
        }

        /// The rate of any line over time.
        #[derive(Clone, Debug)]
        pub enum RateProcess {
            /// One constant rate.
            Constant(Rate),
            $($(#[doc = $doc])* $process(Box<<$parameters as VaryingRate>::Process>),)+
        }

        impl RateChanges for RateProcess {
            fn first(&mut self) -> Rate {
                match self {
                    Self::Constant(rate) => *rate,
                    $(Self::$process(it) => it.first(),)+
                }
            }

            fn next_change(&self, now: Time) -> Time {
                match self {
                    Self::Constant(_) => Time::NEVER,
                    $(Self::$process(it) => it.next_change(now),)+
                }
            }

            fn change(&mut self) -> Rate {
                match self {
                    Self::Constant(rate) => *rate,
                    $(Self::$process(it) => it.change(),)+
                }
            }
        }
    };
}
