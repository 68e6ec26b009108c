//! Output: which segment is sent next (`tcp_output`).

use core::ops::ControlFlow;

use super::{OutputRule, Sender, Timing};
use crate::tcp::variant::{CongestionControl, DUPLICATES};
use crate::tcp::{Flags, Segment, State, Timestamps};
use crate::units::Time;

/// What the last event requires. BSD calls `tcp_output` only at certain points: in particular, the third duplicate
/// acknowledgment retransmits one segment and opens the window for later.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Due {
    /// Retransmit the segment at `snd_una` (fast retransmit).
    pub(super) resend: bool,
    /// Send all that the window allows.
    output: bool,
    /// Nothing was outstanding when output was requested.
    idle: bool,
}

/// A segment that is sent regardless of the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pending {
    Syn,
    Reset,
    /// An acknowledgment, with data if any can be sent.
    Ack,
    Probe,
    /// A probe for losses at the end of a flight.
    TailProbe,
}

impl Sender {
    /// From now on, what the window allows is sent.
    pub(super) fn request_output(&mut self, now: Time) {
        let idle = self.snd_una == self.snd_max;
        self.due.output = true;
        self.due.idle = idle;
        let silent = |since| self.rtt.is_past(since, now);
        if idle && silent(self.heard.unwrap_or(now)) {
            self.control.on_idle();
        }
    }

    /// The next segment to send now, or `None` if there is none.
    #[must_use]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        let segment = match self.pending.take() {
            None => self.next_segment(now),
            Some(Pending::Syn) => return Some(self.syn(now)),
            Some(Pending::Reset) => Some(self.reset()),
            Some(Pending::Probe) => self.probe(now),
            Some(Pending::TailProbe) => self.tail_probe(now),
            Some(Pending::Ack) => self.next_segment(now).or_else(|| Some(self.bare_ack())),
        };
        segment.map(|segment| Segment {
            ack: self.peer_fin.into(),
            timestamp: self.agreed.timestamps.then(|| Timestamps {
                value: self.rtt.timestamp(now),
                echo: self.ts_recent,
            }),
            ..segment
        })
    }

    /// Whether output is requested, regardless of the window.
    pub(super) fn is_output_due(&self) -> bool {
        self.due.resend || self.due.output
    }

    /// Whether [`Sender::poll_transmit`] would return a segment at `now`; during recovery with selective acknowledgments,
    /// whether it might. If it does not, this is false from then on until something happens.
    pub fn may_transmit(&self, now: Time) -> bool {
        if self.pending.is_some() {
            return true;
        }
        if self.dropped || !matches!(self.state, State::Established | State::FinWait1) {
            return false;
        }
        // What pacing holds back cannot leave before its time.
        if self.is_paced(now) {
            return false;
        }
        self.due.resend || (self.due.output && (self.may_repair() || self.has_next()))
    }

    /// Whether lost data may be sent before new data.
    fn may_repair(&self) -> bool {
        if self.has_rack() {
            self.outstanding.lost().segments > 0 && !self.tries_new_data()
        } else {
            self.sack.is_some() && self.control.is_recovering()
        }
    }

    /// Whether the segment at `snd_nxt` may be sent.
    fn has_next(&self) -> bool {
        // Marks hold back new data, not those that are sent again.
        let is_new = self.has_rack() || self.snd_nxt >= self.snd_max;
        if is_new && self.ecn.hold.is_some() {
            return false;
        }
        self.next_len() > 0 || self.is_fin(self.snd_nxt)
    }

    /// How many octets, at least one, must be written before a segment can be sent; `None` if none can until the peer
    /// or a timer acts. Smaller writes may be postponed, as long as they are done before anything else happens, and
    /// [`Sender::poll_transmit`] is called after them.
    pub fn octets_until_output(&self) -> Option<u64> {
        let enough = self.max_sndwnd / 2;
        if !self.waits_for_more() || enough == 0 {
            return Some(1);
        }
        let room = self.window().saturating_sub(self.snd_nxt - self.snd_una);
        let least = self.mss().min(enough);
        let left = self.buffered_end().saturating_sub(self.snd_nxt);
        (room >= least).then(|| least.saturating_sub(left).max(1))
    }

    /// Whether small segments wait for more data because others are in flight (Nagle), and nothing else is in progress.
    fn waits_for_more(&self) -> bool {
        let is_simple = self.config.output == OutputRule::Bsd
            && self.config.nagle
            && self.queue.is_none()
            && self.sack.is_none()
            && self.pacing.is_none();
        is_simple
            && self.state == State::Established
            && !(self.dropped || self.closing || self.is_output_due())
            && self.pending.is_none()
            && self.ecn.hold.is_none()
            && self.rexmt.is_some()
            && self.snd_una < self.snd_max
            && self.snd_nxt >= self.snd_max
            && self.snd_wnd > 0
    }

    fn bare_ack(&mut self) -> Segment {
        self.stats.acks_sent += 1;
        Segment {
            seq: self.snd_max,
            ..Segment::default()
        }
    }

    /// The next segment with data or a FIN.
    pub(super) fn next_segment(&mut self, now: Time) -> Option<Segment> {
        if self.dropped || !matches!(self.state, State::Established | State::FinWait1) {
            return None;
        }
        if self.is_paced(now) {
            return None;
        }
        if self.has_rack() {
            if let ControlFlow::Break(segment) = self.next_lost(now) {
                return segment;
            }
        } else if self.due.resend {
            self.due.resend = false;
            let unacknowledged = self.written.saturating_sub(self.snd_una);
            let hole = self
                .missing_from(self.snd_una)
                .1
                .min(self.segment_end(self.snd_una))
                - self.snd_una;
            let len = unacknowledged.min(self.mss()).min(self.snd_wnd).min(hole);
            if len > 0 || self.is_fin(self.snd_una) {
                if let Some(sack) = &mut self.sack {
                    sack.on_resent(self.snd_una + len);
                }
                return Some(self.transmit(now, self.snd_una, len));
            }
        }
        if !self.due.output {
            return None;
        }
        if self.follows_scoreboard() && self.control.is_recovering() {
            let segment = self.next_in_recovery(now);
            self.due.output = segment.is_some();
            return segment;
        }
        if self.snd_nxt < self.snd_max && !self.has_rack() {
            self.snd_nxt = self.missing_from(self.snd_nxt).0;
        } else if self.ecn.hold.is_some() {
            return None;
        }
        let len = self.next_len();
        self.due.output = len > 0 || self.is_fin(self.snd_nxt);
        if !self.due.output {
            self.note_app_limit();
            self.persist_if_stuck(now);
            return None;
        }
        Some(self.transmit(now, self.snd_nxt, len))
    }

    /// Whether the scoreboard determines what is sent in recovery (RFC 6675).
    fn follows_scoreboard(&self) -> bool {
        self.sack.is_some() && !self.has_rack()
    }

    /// If losses are detected by time, lost data are sent before new data: returns the next lost segment, or the end of
    /// output while the window has no room for it. The first one of a recovery, or after a time-out, needs no room.
    fn next_lost(&mut self, now: Time) -> ControlFlow<Option<Segment>> {
        let is_forced = core::mem::take(&mut self.due.resend);
        if !is_forced && (!self.due.output || self.tries_new_data()) {
            return ControlFlow::Continue(());
        }
        let Some((start, end)) = self.outstanding.first_lost() else {
            return ControlFlow::Continue(());
        };
        let start = start.max(self.snd_una);
        let len = end - start;
        if !is_forced && self.pipe() + len > self.cwnd() {
            self.due.output = false;
            return ControlFlow::Break(None);
        }
        ControlFlow::Break(Some(self.transmit(now, start, len)))
    }

    /// Whether new data are sent before lost data, to find out whether a time-out was spurious (RFC 5682 3.1 step 2b).
    fn tries_new_data(&self) -> bool {
        self.modern
            .as_ref()
            .is_some_and(|it| it.undo.prefers_new_data())
            && self.next_len() > 0
    }

    /// How far beyond `snd_una` data may be sent, regardless of what is outstanding.
    fn reach(&self) -> u64 {
        let Some(modern) = &self.modern else {
            return self.window();
        };
        if modern.rack.is_some() {
            let room = self.cwnd().saturating_sub(self.pipe());
            return (self.snd_nxt - self.snd_una + room).min(self.snd_wnd);
        }
        let is_limited_transmit = modern.limited_transmit
            && self.dupacks < DUPLICATES
            && self.snd_nxt == self.snd_max
            && !self.control.is_recovering();
        let extra = if is_limited_transmit {
            u64::from(self.dupacks) * self.mss()
        } else {
            0
        };
        (self.cwnd() + extra).min(self.snd_wnd)
    }

    /// The octet after those that the socket buffer holds.
    pub(super) fn buffered_end(&self) -> u64 {
        let size = self.config.send_buffer.map_or(u64::MAX, u64::from);
        self.written.min(self.snd_una.saturating_add(size))
    }

    /// The smaller of the congestion window and the offered window.
    pub(super) fn window(&self) -> u64 {
        self.cwnd().min(self.snd_wnd)
    }

    /// The first octets at or after `from` that the peer has not reported as received.
    fn missing_from(&self, from: u64) -> (u64, u64) {
        self.sack
            .as_ref()
            .map_or((from, u64::MAX), |sack| sack.board.hole(from))
    }

    /// Octets of the segment at `snd_nxt` that may be sent; zero if it has to wait.
    pub(super) fn next_len(&self) -> u64 {
        if self.config.output == OutputRule::CountedSegments {
            self.len_by_segments()
        } else {
            self.len_within(self.reach())
        }
    }

    /// As [`Self::next_len`], limited only by the peer's window.
    pub(super) fn new_len(&self) -> u64 {
        self.len_within(self.snd_wnd)
    }

    fn len_within(&self, window: u64) -> u64 {
        let room = window.saturating_sub(self.snd_nxt - self.snd_una);
        let left = self.buffered_end().saturating_sub(self.snd_nxt);
        let hole = self.missing_from(self.snd_nxt).1 - self.snd_nxt;
        let segment = left.min(self.mss()).min(hole);
        let len = match self.config.output {
            OutputRule::Bsd => segment.min(room),
            OutputRule::WholeSegments | OutputRule::CountedSegments if segment <= room => segment,
            OutputRule::WholeSegments | OutputRule::CountedSegments => 0,
        };
        let ends_data = len == left && (self.due.idle || !self.config.nagle);
        let worth_sending = len == self.mss()
            || ends_data
            || self.is_fin(self.snd_nxt + len)
            || len >= self.max_sndwnd / 2
            || self.snd_nxt < self.snd_max;
        if worth_sending { len } else { 0 }
    }

    /// Sends `len` octets starting at `seq`, times them if no other segment is timed, and starts the retransmission
    /// timer if it is not running. The FIN counts as an octet and is sent in the last data segment.
    pub(super) fn transmit(&mut self, now: Time, seq: u64, len: u64) -> Segment {
        let len = len.min(self.written.saturating_sub(seq));
        let fin = self.is_fin(seq + len);
        let end = seq + len + u64::from(fin);
        let mut segment = Segment {
            seq,
            len: len as u32,
            flags: Flags::FIN.only_if(fin),
            ..Segment::default()
        };
        self.stats.segments_sent += 1;
        self.stats.bytes_sent += len;
        self.stats.segments_retransmitted += u64::from(seq < self.snd_max);
        if len > 0 {
            self.count_data_segment(seq);
        }
        self.pace(now, seq, end);
        self.outstanding.record(seq, end, now);
        if seq >= self.snd_max && len > 0 {
            self.mark_new_data(&mut segment);
        }
        // Retransmissions are not measured (Karn; RFC 6298 3).
        self.timing = self
            .timing
            .filter(|timing| timing.end <= seq || end <= timing.seq);
        let is_new = seq >= self.snd_max;
        if is_new && end > seq && self.timing.is_none() {
            self.timing = Some(Timing {
                seq,
                end,
                sent: now,
            });
        }
        self.snd_max = self.snd_max.max(end);
        // After a fast retransmit `snd_nxt` stays unchanged.
        self.snd_nxt = self.snd_nxt.max(end);
        self.note_window_use();
        if self.rexmt.is_none() {
            self.arm(now, now);
            self.persist.expiry = None;
        }
        if self.modern.is_some() {
            self.after_transmit(now, seq, end, is_new);
        }
        if is_new && len == self.mss() {
            segment.flags |= self.push(now);
        }
        segment
    }

    /// A segment with data is sent, starting at octet `seq`.
    pub(super) fn count_data_segment(&mut self, seq: u64) {
        self.stats.data_segments_sent += 1;
        self.stats.data_segments_resent += u64::from(seq < self.snd_max);
    }

    /// Octets of data in a full segment.
    pub fn mss(&self) -> u64 {
        self.config.mss.into()
    }
}
