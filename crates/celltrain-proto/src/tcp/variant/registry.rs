//! All variants of TCP: the rows that define the scenario's enum, the enum of laws, and the facts.

use super::congestion_control::{Delivery, Event};
use super::control;
use super::facts::{ControlOptions, Facts};
use super::law::{MakeLaw, NoParameters, WindowLaw};
use super::systems::{self, System};
use super::window::Window;
use super::{bbr, copa, cubic, htcp, illinois, ledbat, standard, vegas, westwood};
use crate::units::{Rate, Span, Time};
use alloc::vec::Vec;

/// Declares all variants. Each row has a sentence, the keyword, the display name, and the name of its type in
/// `systems`, or the types of the law and of its parameters.
macro_rules! tcp_variants {
    (
        systems {$(
            $(#[doc = $about:literal])*
            $word:literal, $called:literal => $system:ident;
        )+}
        laws {$(
            $(#[doc = $doc:literal])*
            $keyword:literal, $shown:literal => $name:ident($parameters:ty) by $law:ty;
        )+}
    ) => {
        family! {
            /// Variants of TCP.
            pub enum Variant as "TcpVariant" by "algorithm" or alone {
                $($(#[doc = $about])* $word, $called => $system(NoParameters);)+
                $($(#[doc = $doc])* $keyword, $shown => $name($parameters);)+
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
                    $(<$parameters>::defaults().map(Self::$name),)+
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

tcp_variants! {
    systems {
        /// 4.3BSD-Reno (1990): fast retransmit and fast recovery.
        "4.3bsd-reno", "4.3BSD-Reno" => Bsd43Reno;
        /// 4.3BSD-Tahoe (1988): fast retransmit, then slow start.
        "4.3bsd-tahoe", "4.3BSD-Tahoe" => Bsd43Tahoe;
        /// 4.3BSD-Tahoe that ignores duplicate ACKs.
        "4.3bsd-tahoe-no-fast-retransmit", "4.3BSD-Tahoe without fast retransmit" => Bsd43TahoeNoFastRetransmit;
        /// 4.4BSD and 4.4BSD-Lite (1993): Reno, but windows and acknowledgments count the 12 octets of `timestamps` in segments
        /// as data, so that every third segment is acknowledged. Scaling and timestamps are in the preset of this name.
        "4.4bsd", "4.4BSD" => Bsd44;
        /// 4.4BSD-Lite2 (1995): as 4.4BSD, but congestion avoidance does not add an eighth of a segment.
        "4.4bsd-lite2", "4.4BSD-Lite2" => Bsd44Lite2;
        /// Linux 2.0 (1996 to 1999): Reno that counts segments of any length and sends only whole ones.
        "linux-1999", "Linux 2.0" => Linux1999;
    }
    laws {
        /// Fast recovery that survives partial ACKs (RFC 6582).
        "newreno", "NewReno" => NewReno(standard::NewRenoParameters) by standard::Standard<false>;
        /// Selective acknowledgments at both ends (RFC 2018, 6675).
        "sack", "SACK" => Sack(NoParameters) by standard::Standard<true>;
        /// CUBIC (RFC 9438) with selective acknowledgments.
        "cubic", "CUBIC" => Cubic(cubic::CubicParameters) by cubic::Cubic;
        /// BBR version 1 with selective acknowledgments: paced by a model of the network.
        "bbr", "BBR" => Bbr(NoParameters) by bbr::BbrLaw;
        /// Vegas: keeps `alpha` to `beta` segments in the bottleneck queue, estimated from round-trip times.
        "vegas", "Vegas" => Vegas(vegas::VegasParameters) by vegas::Vegas;
        /// Westwood+: after a loss the window fills the path without a queue, at the measured bandwidth.
        "westwood", "Westwood+" => Westwood(NoParameters) by westwood::Westwood;
        /// H-TCP: growth increases with the time since the last loss.
        "htcp", "H-TCP" => HTcp(NoParameters) by htcp::HTcp;
        /// Illinois: the queueing delay sets the amounts of growth and reduction.
        "illinois", "Illinois" => Illinois(NoParameters) by illinois::Illinois;
        /// LEDBAT (RFC 6817): keeps the queueing delay at its target, for transfers that yield to all others.
        "ledbat", "LEDBAT" => Ledbat(ledbat::LedbatParameters) by ledbat::Ledbat;
        /// Copa: keeps 1 / `delta` segments in the bottleneck queue, estimated from round-trip times; paced.
        "copa", "Copa" => Copa(copa::CopaParameters) by copa::Copa;
    }
}

/// The state of a variant.
pub(in crate::tcp) type Control = control::Control<Law>;

impl Copy for Variant {}

impl Default for Variant {
    fn default() -> Self {
        Self::Bsd43Reno(NoParameters {})
    }
}

impl Variant {
    /// Whether the sender uses selective acknowledgments.
    pub fn uses_sack(&self, options: &ControlOptions) -> bool {
        self.facts().repair.is_selective(options)
    }
}
