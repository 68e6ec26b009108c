//! Which acknowledgments of segments beyond a hole leave at once, and which wait.
//!
//! Source: Linux 6 `tcp_input.c` (`__tcp_ack_snd_check`), `ip-sysctl.rst` (`tcp_comp_sack_nr`).

use crate::tcp::variant::DUPLICATES;

/// Segments that one acknowledgment stands for, at most (`tcp_comp_sack_nr`).
const MOST_WAITING: u32 = 44;

/// The acknowledgments of one number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Compressed {
    number: u64,
    /// How many left at once.
    sent: u32,
    /// Segments whose acknowledgment waits.
    waiting: u32,
}

impl Compressed {
    /// A segment arrives beyond a hole at `number`; returns whether its acknowledgment waits.
    pub(super) fn waits(&mut self, number: u64) -> bool {
        if self.waiting >= MOST_WAITING {
            return false;
        }
        if self.number != number {
            self.number = number;
            self.sent = 0;
        }
        let waits = self.sent >= DUPLICATES;
        self.sent += u32::from(!waits);
        self.waiting += u32::from(waits);
        waits
    }

    /// An acknowledgment is sent, for all that wait.
    pub(super) fn on_ack_sent(&mut self) {
        self.waiting = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linux_lets_no_more_than_44_segments_wait() {
        let mut compressed = Compressed::default();
        let waited = (0..100).map(|_| compressed.waits(7));
        let at_once = waited.enumerate().filter(|(_, waits)| !waits);
        assert_eq!(
            at_once.map(|it| it.0).take(4).sum::<usize>(),
            1 + 2 + 3 + 44
        );
        compressed.on_ack_sent();
        assert!(compressed.waits(7));
    }
}
