//! How a packet asks to be treated: the differentiated services code point (RFC 2474).

choice! {
    /// A code point of IANA's registry by its name.
    pub enum Dscp {
        /// Best effort.
        #[default]
        Cs0,
        /// Lower effort (RFC 8622).
        Le,
        /// Class selector 1 (RFC 2474).
        Cs1,
        /// Assured forwarding, class 1 (RFC 2597).
        Af11,
        /// Assured forwarding, class 1, dropped sooner.
        Af12,
        /// Assured forwarding, class 1, dropped soonest.
        Af13,
        /// Class selector 2.
        Cs2,
        /// Assured forwarding, class 2.
        Af21,
        /// Assured forwarding, class 2, dropped sooner.
        Af22,
        /// Assured forwarding, class 2, dropped soonest.
        Af23,
        /// Class selector 3.
        Cs3,
        /// Assured forwarding, class 3.
        Af31,
        /// Assured forwarding, class 3, dropped sooner.
        Af32,
        /// Assured forwarding, class 3, dropped soonest.
        Af33,
        /// Class selector 4.
        Cs4,
        /// Assured forwarding, class 4.
        Af41,
        /// Assured forwarding, class 4, dropped sooner.
        Af42,
        /// Assured forwarding, class 4, dropped soonest.
        Af43,
        /// Class selector 5.
        Cs5,
        /// Capacity-admitted traffic (RFC 5865).
        Va,
        /// Expedited forwarding (RFC 3246).
        Ef,
        /// Class selector 6.
        Cs6,
        /// Class selector 7.
        Cs7,
    }
}

impl Dscp {
    /// Whether it is best effort.
    pub fn is_best_effort(&self) -> bool {
        *self == Self::Cs0
    }

    /// The code point.
    pub const fn code(self) -> u8 {
        match self {
            Self::Cs0 => 0,
            Self::Le => 1,
            Self::Cs1 => 8,
            Self::Af11 => 10,
            Self::Af12 => 12,
            Self::Af13 => 14,
            Self::Cs2 => 16,
            Self::Af21 => 18,
            Self::Af22 => 20,
            Self::Af23 => 22,
            Self::Cs3 => 24,
            Self::Af31 => 26,
            Self::Af32 => 28,
            Self::Af33 => 30,
            Self::Cs4 => 32,
            Self::Af41 => 34,
            Self::Af42 => 36,
            Self::Af43 => 38,
            Self::Cs5 => 40,
            Self::Va => 44,
            Self::Ef => 46,
            Self::Cs6 => 48,
            Self::Cs7 => 56,
        }
    }
}
