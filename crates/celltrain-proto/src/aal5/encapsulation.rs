//! The encapsulation of an IP packet in the AAL5 payload (RFC 2684, 2364, 2516).

use super::pdu::cells;

/// How IP packets are encapsulated on a VC. Octets are hexadecimal; for IPv6, PPP's 00 21 becomes 00 57 and the
/// Ethertype 08 00 becomes 86 DD.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Encapsulation {
    /// Routed, VC multiplexed: the bare packet (RFC 2684 §6.1).
    VcMux,
    /// Routed, LLC/SNAP: AA AA 03, 00 00 00, 08 00 (RFC 2684 §5.1).
    #[default]
    LlcSnap,
    /// PPP, VC multiplexed: 00 21 (RFC 2364).
    PppoaVcMux,
    /// PPP with LLC: FE FE 03 CF, 00 21 (RFC 2364).
    PppoaLlc,
    /// Ethernet frames, VC multiplexed: two pad octets and the MAC header (RFC 2684 §6.2).
    BridgedVcMux,
    /// As [`Encapsulation::BridgedVcMux`], with the frame's FCS.
    BridgedVcMuxFcs,
    /// Ethernet frames with LLC: AA AA 03, 00 80 C2, 00 07, 00 00 and the MAC header (RFC 2684 §5.2).
    BridgedLlc,
    /// As [`Encapsulation::BridgedLlc`], with 00 01 in place of 00 07, and the frame's FCS.
    BridgedLlcFcs,
    /// PPP over Ethernet (RFC 2516) in [`Encapsulation::BridgedVcMux`].
    PppoeVcMux,
    /// PPP over Ethernet in [`Encapsulation::BridgedVcMuxFcs`].
    PppoeVcMuxFcs,
    /// PPP over Ethernet in [`Encapsulation::BridgedLlc`].
    PppoeLlc,
    /// PPP over Ethernet in [`Encapsulation::BridgedLlcFcs`].
    PppoeLlcFcs,
}

const AAL5_TRAILER: u64 = 8;
const LLC_SNAP: u64 = 8;
const LLC_PPP: u64 = 4;
const PPP: u64 = 2;
const BRIDGED_PAD: u64 = 2;
const MAC_HEADER: u64 = 14;
const PPPOE_HEADER: u64 = 6;
const FCS: u64 = 4;
/// The minimum payload of an Ethernet frame; shorter ones are padded (IEEE 802.3).
const MIN_ETHERNET_PAYLOAD: u64 = 46;

impl Encapsulation {
    /// All encapsulations.
    pub const ALL: [Self; 12] = [
        Self::VcMux,
        Self::LlcSnap,
        Self::PppoaVcMux,
        Self::PppoaLlc,
        Self::BridgedVcMux,
        Self::BridgedVcMuxFcs,
        Self::BridgedLlc,
        Self::BridgedLlcFcs,
        Self::PppoeVcMux,
        Self::PppoeVcMuxFcs,
        Self::PppoeLlc,
        Self::PppoeLlcFcs,
    ];

    /// The name in scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Self::VcMux => "vc-mux",
            Self::LlcSnap => "llc-snap",
            Self::PppoaVcMux => "pppoa-vc-mux",
            Self::PppoaLlc => "pppoa-llc",
            Self::BridgedVcMux => "bridged-vc-mux",
            Self::BridgedVcMuxFcs => "bridged-vc-mux-fcs",
            Self::BridgedLlc => "bridged-llc",
            Self::BridgedLlcFcs => "bridged-llc-fcs",
            Self::PppoeVcMux => "pppoe-vc-mux",
            Self::PppoeVcMuxFcs => "pppoe-vc-mux-fcs",
            Self::PppoeLlc => "pppoe-llc",
            Self::PppoeLlcFcs => "pppoe-llc-fcs",
        }
    }

    /// The matching keyword of `tc-cake(8)`, if it has one.
    pub const fn cake_keyword(self) -> Option<&'static str> {
        match self {
            Self::VcMux => Some("ipoa-vcmux"),
            Self::LlcSnap => Some("ipoa-llcsnap"),
            Self::PppoaVcMux => Some("pppoa-vcmux"),
            Self::PppoaLlc => Some("pppoa-llc"),
            Self::BridgedVcMux => Some("bridged-vcmux"),
            Self::BridgedLlc => Some("bridged-llcsnap"),
            Self::PppoeVcMux => Some("pppoe-vcmux"),
            Self::PppoeLlc => Some("pppoe-llcsnap"),
            Self::BridgedVcMuxFcs
            | Self::BridgedLlcFcs
            | Self::PppoeVcMuxFcs
            | Self::PppoeLlcFcs => None,
        }
    }

    /// What `tc` calls overhead: octets around an IP packet, including the AAL5 trailer.
    pub const fn cake_overhead(self) -> u64 {
        self.overhead() + AAL5_TRAILER
    }

    /// The largest IP packet, in octets: 9180 for routed encapsulations (RFC 2225), 1500 over PPP and Ethernet, 8 fewer
    /// over `PPPoE` (RFC 2516).
    pub const fn mtu(self) -> u64 {
        match self {
            Self::VcMux | Self::LlcSnap => 9_180,
            Self::PppoaVcMux
            | Self::PppoaLlc
            | Self::BridgedVcMux
            | Self::BridgedVcMuxFcs
            | Self::BridgedLlc
            | Self::BridgedLlcFcs => 1_500,
            Self::PppoeVcMux | Self::PppoeVcMuxFcs | Self::PppoeLlc | Self::PppoeLlcFcs => 1_492,
        }
    }

    /// The octets added before and after an IP packet, excluding Ethernet padding and the AAL5 trailer.
    pub const fn overhead(self) -> u64 {
        match self {
            Self::VcMux => 0,
            Self::LlcSnap => LLC_SNAP,
            Self::PppoaVcMux => PPP,
            Self::PppoaLlc => LLC_PPP + PPP,
            Self::BridgedVcMux => BRIDGED_PAD + MAC_HEADER,
            Self::BridgedLlc => LLC_SNAP + Self::BridgedVcMux.overhead(),
            Self::PppoeVcMux => Self::BridgedVcMux.overhead() + PPPOE_HEADER + PPP,
            Self::PppoeLlc => Self::BridgedLlc.overhead() + PPPOE_HEADER + PPP,
            Self::BridgedVcMuxFcs => Self::BridgedVcMux.overhead() + FCS,
            Self::BridgedLlcFcs => Self::BridgedLlc.overhead() + FCS,
            Self::PppoeVcMuxFcs => Self::PppoeVcMux.overhead() + FCS,
            Self::PppoeLlcFcs => Self::PppoeLlc.overhead() + FCS,
        }
    }

    /// The size, in octets, from which an IP packet needs no Ethernet padding.
    const fn unpadded_from(self) -> u64 {
        match self {
            Self::VcMux | Self::LlcSnap | Self::PppoaVcMux | Self::PppoaLlc => 0,
            Self::BridgedVcMux | Self::BridgedVcMuxFcs | Self::BridgedLlc | Self::BridgedLlcFcs => {
                MIN_ETHERNET_PAYLOAD
            }
            Self::PppoeVcMux | Self::PppoeVcMuxFcs | Self::PppoeLlc | Self::PppoeLlcFcs => {
                MIN_ETHERNET_PAYLOAD - PPPOE_HEADER - PPP
            }
        }
    }

    /// The AAL5 payload, in octets, for an IP packet of `octets`.
    ///
    /// Ethernet frames are padded here, with or without an FCS; without one, RFC 2684 leaves padding to the sender.
    pub const fn payload_for_ip(self, octets: u64) -> u64 {
        let shortest = self.unpadded_from();
        self.overhead() + if octets < shortest { shortest } else { octets }
    }

    /// The number of cells for an IP packet of `octets`.
    ///
    /// ```
    /// use celltrain_proto::aal5::Encapsulation;
    /// assert_eq!(Encapsulation::VcMux.cells_for_ip(40), 1);
    /// assert_eq!(Encapsulation::LlcSnap.cells_for_ip(40), 2);
    /// assert_eq!(Encapsulation::LlcSnap.cells_for_ip(9_180), 192);
    /// ```
    pub const fn cells_for_ip(self, octets: u64) -> u64 {
        cells(self.payload_for_ip(octets))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::format;

    use super::Encapsulation as E;

    #[test]
    fn keywords_and_numbers_are_those_of_tc_cake() {
        let table = [
            ("pppoa-vcmux", 10),
            ("pppoa-llc", 14),
            ("pppoe-vcmux", 32),
            ("pppoe-llcsnap", 40),
            ("bridged-vcmux", 24),
            ("bridged-llcsnap", 32),
            ("ipoa-vcmux", 8),
            ("ipoa-llcsnap", 16),
        ];
        let ours: BTreeSet<_> = E::ALL
            .into_iter()
            .filter_map(|it| {
                it.cake_keyword()
                    .map(|keyword| (keyword, it.cake_overhead()))
            })
            .collect();
        assert_eq!(ours, BTreeSet::from(table));
    }

    #[test]
    fn each_overhead_is_that_of_its_rfc() {
        let table = [
            (E::VcMux, 0),
            (E::LlcSnap, 8),
            (E::PppoaVcMux, 2),
            (E::PppoaLlc, 6),
            (E::BridgedVcMux, 16),
            (E::BridgedVcMuxFcs, 20),
            (E::BridgedLlc, 24),
            (E::BridgedLlcFcs, 28),
            (E::PppoeVcMux, 24),
            (E::PppoeVcMuxFcs, 28),
            (E::PppoeLlc, 32),
            (E::PppoeLlcFcs, 36),
        ];
        assert_eq!(table.map(|(encapsulation, _)| encapsulation), E::ALL);
        for (encapsulation, overhead) in table {
            assert_eq!(encapsulation.overhead(), overhead, "{encapsulation:?}");
        }
    }

    const COLUMNS: [E; 9] = [
        E::VcMux,
        E::LlcSnap,
        E::PppoaVcMux,
        E::PppoaLlc,
        E::BridgedVcMux,
        E::BridgedLlc,
        E::BridgedLlcFcs,
        E::PppoeVcMux,
        E::PppoeLlc,
    ];

    /// IP octets; then for each of `COLUMNS` the cells, and the percentage of the line's octets that are IP octets.
    const TABLE: &str = "
40 | 1 75.5 | 2 37.7 | 2 37.7 | 2 37.7 | 2 37.7 | 2 37.7 | 2 37.7 | 2 37.7 | 2 37.7
52 | 2 49.1 | 2 49.1 | 2 49.1 | 2 49.1 | 2 49.1 | 2 49.1 | 2 49.1 | 2 49.1 | 2 49.1
64 | 2 60.4 | 2 60.4 | 2 60.4 | 2 60.4 | 2 60.4 | 2 60.4 | 3 40.3 | 2 60.4 | 3 40.3
128 | 3 80.5 | 3 80.5 | 3 80.5 | 3 80.5 | 4 60.4 | 4 60.4 | 4 60.4 | 4 60.4 | 4 60.4
256 | 6 80.5 | 6 80.5 | 6 80.5 | 6 80.5 | 6 80.5 | 6 80.5 | 7 69.0 | 6 80.5 | 7 69.0
552 | 12 86.8 | 12 86.8 | 12 86.8 | 12 86.8 | 12 86.8 | 13 80.1 | 13 80.1 | 13 80.1 | 13 80.1
576 | 13 83.6 | 13 83.6 | 13 83.6 | 13 83.6 | 13 83.6 | 13 83.6 | 13 83.6 | 13 83.6 | 13 83.6
1024 | 22 87.8 | 22 87.8 | 22 87.8 | 22 87.8 | 22 87.8 | 22 87.8 | 23 84.0 | 22 87.8 | 23 84.0
1478 | 31 90.0 | 32 87.1 | 31 90.0 | 32 87.1 | 32 87.1 | 32 87.1 | 32 87.1 | 32 87.1 | 32 87.1
1492 | 32 88.0 | 32 88.0 | 32 88.0 | 32 88.0 | 32 88.0 | 32 88.0 | 32 88.0 | 32 88.0 | 32 88.0
1500 | 32 88.4 | 32 88.4 | 32 88.4 | 32 88.4 | 32 88.4 | 32 88.4 | 32 88.4 | n/a | n/a
4352 | 91 90.2 | 91 90.2 | 91 90.2 | 91 90.2 | 92 89.3 | 92 89.3 | 92 89.3 | n/a | n/a
9180 | 192 90.2 | 192 90.2 | 192 90.2 | 192 90.2 | 192 90.2 | 192 90.2 | 192 90.2 | n/a | n/a";

    #[test]
    fn cells_and_efficiency_are_those_of_the_table() {
        for row in TABLE.trim().lines() {
            let mut entries = row.split('|').map(str::trim);
            let octets: u64 = entries.next().unwrap().parse().unwrap();
            let mut columns = 0;
            for (encapsulation, entry) in COLUMNS.into_iter().zip(entries) {
                columns += 1;
                if entry == "n/a" {
                    continue;
                }
                let cells = encapsulation.cells_for_ip(octets);
                let percent = 100.0 * octets as f64 / (53 * cells) as f64;
                assert_eq!(
                    format!("{cells} {percent:.1}"),
                    entry,
                    "{octets} {encapsulation:?}"
                );
            }
            assert_eq!(columns, COLUMNS.len(), "{octets}");
        }
    }

    #[test]
    fn short_ethernet_payloads_are_padded_to_46_octets() {
        for (encapsulation, octets, payload) in [
            (E::BridgedVcMux, 20, 62),
            (E::BridgedVcMux, 46, 62),
            (E::BridgedVcMux, 47, 63),
            (E::BridgedLlcFcs, 40, 74),
            (E::PppoeVcMux, 20, 62),
            (E::PppoeVcMux, 38, 62),
            (E::PppoeVcMux, 39, 63),
            (E::PppoaVcMux, 20, 22),
        ] {
            assert_eq!(
                encapsulation.payload_for_ip(octets),
                payload,
                "{encapsulation:?} {octets}"
            );
        }
    }

    #[test]
    fn an_fcs_adds_four_octets() {
        for (without, with) in [
            (E::BridgedVcMux, E::BridgedVcMuxFcs),
            (E::BridgedLlc, E::BridgedLlcFcs),
            (E::PppoeVcMux, E::PppoeVcMuxFcs),
            (E::PppoeLlc, E::PppoeLlcFcs),
        ] {
            for octets in 20..1_500 {
                assert_eq!(
                    without.payload_for_ip(octets) + 4,
                    with.payload_for_ip(octets)
                );
            }
            assert_eq!(format!("{}-fcs", without.name()), with.name());
        }
    }

    #[test]
    fn each_name_is_its_own() {
        let names: BTreeSet<_> = E::ALL
            .iter()
            .map(|encapsulation| encapsulation.name())
            .collect();
        assert_eq!(names.len(), E::ALL.len());
    }

    #[test]
    fn llc_snap_is_the_default() {
        assert_eq!(E::default().name(), "llc-snap");
    }
}
