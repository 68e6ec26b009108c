//! Framings of packets, and what is common in a network with frames.

use super::dice::Dice;

/// What the lines of a network carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Medium {
    Cells,
    Frames,
    /// Some lines cells and some frames.
    Both,
}

impl Medium {
    /// Most networks have cells alone.
    pub(super) fn draw(dice: &mut Dice) -> Self {
        match dice.below(25) {
            0 => Self::Both,
            1 | 2 => Self::Frames,
            _ => Self::Cells,
        }
    }
}

/// A framing of packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Framing {
    pub(super) name: &'static str,
    /// The octets that it adds, the shortest frame, and the longest packet.
    adds: u64,
    shortest: u64,
    pub(super) longest: u64,
    /// Whether each 64 octets become 65.
    is_64_65: bool,
}

const fn framing(name: &'static str, adds: u64, shortest: u64, longest: u64) -> Framing {
    Framing {
        name,
        adds,
        shortest,
        longest,
        is_64_65: false,
    }
}

/// All framings.
pub(super) const ALL: [Framing; 8] = [
    framing("ethernet", 38, 84, 1500),
    framing("ethernet-vlan", 42, 88, 1500),
    Framing {
        is_64_65: true,
        ..framing("ptm-bridged", 22, 68, 1500)
    },
    Framing {
        is_64_65: true,
        ..framing("ptm-pppoe", 30, 68, 1492)
    },
    framing("docsis", 18, 64, 1500),
    framing("gpon", 23, 69, 1500),
    framing("ppp", 7, 27, 1500),
    framing("raw-ip", 0, 20, 16_383),
];

impl Framing {
    /// The octets of a packet on the line.
    pub(super) fn frame(self, packet: u64) -> u64 {
        let frame = (packet + self.adds).max(self.shortest);
        let more = if self.is_64_65 { frame.div_ceil(64) } else { 0 };
        frame + more
    }
}

/// What is common in a network whose lines carry frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct Framed {
    pub(super) medium: Medium,
    pub(super) framing: Framing,
    /// The share of lines with this framing.
    pub(super) share: f64,
    /// The share of lines with a queue for each flow.
    pub(super) by_flow: f64,
    /// The length of most packets.
    pub(super) packet: u64,
}

impl Framed {
    pub(super) fn draw(dice: &mut Dice) -> Self {
        let medium = Medium::draw(dice);
        let framing = dice.pick(&ALL);
        let most = framing.longest.min(1500);
        let packet = match dice.below(6) {
            0 => 40,
            1 => dice.between(28, most),
            2 => dice.pick(&[46, 47, 100, 128, 576]),
            _ => most,
        };
        Self {
            medium,
            framing,
            share: dice.pick(&[1.0, 0.7, 0.0]),
            by_flow: dice.pick(&[0.0, 0.0, 0.5, 1.0]),
            packet,
        }
    }

    /// The octets of most frames.
    pub(super) fn frame(self) -> u64 {
        self.framing.frame(self.packet)
    }
}
