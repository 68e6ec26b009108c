//! Rounds of a connection: a round ends when all data outstanding at its start are acknowledged.

use super::congestion_control::Event;

/// The current round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Round {
    /// `snd_max` at its start; none before the first acknowledgment.
    end: Option<u64>,
}

impl Round {
    /// Whether an acknowledgment of new data ends the round; if so, the next begins.
    pub(super) fn ends(&mut self, event: &Event) -> bool {
        if self.end.is_some_and(|end| event.snd_una < end) {
            return false;
        }
        self.end.replace(event.snd_max).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_ends_when_all_that_was_sent_at_its_beginning_is_acknowledged() {
        let mut round = Round::default();
        let found =
            [(10, 20), (19, 29), (20, 30), (25, 35), (31, 41), (40, 50)].map(|(una, max)| {
                round.ends(&Event {
                    snd_una: una,
                    snd_max: max,
                    ..Event::default()
                })
            });
        // The first begins with 10 to 20 outstanding, the second with 20 to 30, the third with 31 to 41.
        assert_eq!(found, [false, false, true, false, true, false]);
    }
}
