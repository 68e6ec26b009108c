//! A TCP connection: sender and receiver, their applications and hosts, and the VC between them.

mod counted;
mod deadlines;
mod totals;

use std::collections::VecDeque;

use celltrain_proto::adaptation::Adaptation;
use celltrain_proto::tcp::{End, Receiver, ReceiverConfig, Segment, Sender, SenderConfig};
use celltrain_proto::units::Time;

use crate::engine::host::application::Session;
use crate::engine::host::losses::Losses;
use crate::engine::host::processing::Server;
use crate::engine::host::socket::{Progress, Reader, Writer};
use crate::engine::host::stall::Stall;
use crate::engine::state::time::{STEP, minus};
use crate::measure::Responses;
use crate::network::Partner;
use crate::scenario::AtEnd;

pub(in crate::engine) use totals::{Totals, Transfers};

/// A connection of the network, or a series of connections between the same ends.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Connection {
    pub(in crate::engine) sender: Sender,
    pub(in crate::engine) receiver: Receiver,
    configs: (SenderConfig, ReceiverConfig),
    /// Distinguishes the segments of successive connections.
    pub(in crate::engine) incarnation: u32,
    session: Session,
    /// How it ends when its sending time is over.
    at_end: AtEnd,
    writer: Writer,
    reader: Option<Reader>,
    /// The processing of a segment at the sending host, and of an ACK at the receiving host.
    segment_server: Option<Server>,
    ack_server: Option<Server>,
    /// ACKs that wait for processing at the receiving host.
    acks_waiting: VecDeque<Segment>,
    /// The direction of the VC that carries the data.
    pub(in crate::engine) data: usize,
    /// PDUs that the sending host may hold before TCP is blocked.
    pub(in crate::engine) host_queue: usize,
    /// Whether the host currently takes no more segments.
    is_blocked: bool,
    /// How its packets become cells.
    pub(in crate::engine) adaptation: Adaptation,
    /// The flow of the other direction, if data go both ways.
    pub(in crate::engine) partner: Option<Partner>,
    /// Counts of the connections before the present one.
    past: Totals,
    transfers: Transfers,
    losses: Losses,
    logs_timer_events: bool,
    /// Stalls in the delivery of in-order data.
    pub(in crate::engine) stall: Stall,
}

/// The hosts and applications of a connection.
#[derive(Clone, Debug)]
pub(in crate::engine) struct FlowEnds {
    pub(in crate::engine) session: Session,
    pub(in crate::engine) at_end: AtEnd,
    pub(in crate::engine) writer: Writer,
    pub(in crate::engine) reader: Option<Reader>,
    pub(in crate::engine) segment_server: Option<Server>,
    pub(in crate::engine) ack_server: Option<Server>,
    pub(in crate::engine) host_queue: usize,
    pub(in crate::engine) partner: Option<Partner>,
}

/// IP and TCP headers without options, in octets.
const HEADERS: u64 = 40;

/// The number of cells that carry a segment.
pub(in crate::engine) fn cells(adaptation: Adaptation, segment: &Segment) -> u32 {
    let octets = u64::from(segment.len + segment.options_len()) + HEADERS;
    adaptation.cells_for_ip(octets) as u32
}

impl Connection {
    pub(in crate::engine) fn new(
        sender: SenderConfig,
        receiver: ReceiverConfig,
        ends: FlowEnds,
        data: usize,
        adaptation: Adaptation,
    ) -> Self {
        Self {
            sender: Sender::new(sender),
            receiver: Receiver::new(receiver),
            configs: (sender, receiver),
            incarnation: 0,
            session: ends.session,
            at_end: ends.at_end,
            writer: ends.writer,
            reader: ends.reader,
            segment_server: ends.segment_server,
            ack_server: ends.ack_server,
            acks_waiting: VecDeque::new(),
            data,
            host_queue: ends.host_queue,
            is_blocked: false,
            adaptation,
            partner: ends.partner,
            past: Totals::default(),
            transfers: Transfers::default(),
            losses: Losses::default(),
            logs_timer_events: false,
            stall: Stall::default(),
        }
    }

    /// Makes its sender log what the retransmission timer learns.
    pub(in crate::engine) fn log_timer_events(&mut self) {
        self.logs_timer_events = true;
        self.sender.log_timer_events();
    }

    /// The direction of the VC that carries the ACKs.
    pub(in crate::engine) fn acks(&self) -> usize {
        self.data ^ 1
    }

    /// Whether it stops sending while too much waits at its host.
    pub(in crate::engine) fn waits_for_host(&self) -> bool {
        self.host_queue < usize::MAX
    }

    /// Whether it would send if its host took more segments.
    pub(in crate::engine) fn is_blocked(&self) -> bool {
        self.is_blocked
    }

    /// Makes the applications' writes and reads that were due up to `until` and have had no effect so far.
    pub(in crate::engine) fn advance(&mut self, until: Time) {
        self.write_up_to(until);
        self.read_up_to(until);
    }

    fn write_before(&mut self, now: Time) {
        if let Some(before) = minus(now, STEP) {
            self.write_up_to(before);
        }
    }

    fn write_up_to(&mut self, until: Time) {
        self.writer
            .advance(until, &mut self.sender, &mut self.session);
    }

    fn read_up_to(&mut self, until: Time) {
        if let Some(reader) = &mut self.reader {
            reader.advance(until, &mut self.receiver);
        }
    }

    /// Whether a timer of the sending end is due.
    pub(in crate::engine) fn is_timed_out(&self, now: Time) -> bool {
        self.sender.next_timeout().is_some_and(|due| due <= now)
    }

    /// Handles a timer of the sending end that is due. All losses up to now must be known.
    pub(in crate::engine) fn on_time_out(&mut self, now: Time) {
        self.write_before(now);
        let (oldest, timeouts) = (self.sender.snd_una(), self.sender.stats().timeouts);
        self.sender.on_timer(now);
        if self.sender.stats().timeouts > timeouts {
            self.losses.on_timeout(oldest);
        }
    }

    /// Handles a timer of the receiving end that is due, or a read by its application.
    pub(in crate::engine) fn on_receiver_timer(&mut self, now: Time) {
        self.read_before(now);
        self.receiver.on_timer(now);
    }

    /// Lets the receiving application read what was due before `now`.
    pub(in crate::engine) fn read_before(&mut self, now: Time) {
        if let Some(before) = minus(now, STEP) {
            self.read_up_to(before);
        }
    }

    /// Handles the arrival of a segment with data.
    pub(in crate::engine) fn on_data(&mut self, now: Time, segment: &Segment) {
        self.read_up_to(now);
        let before = self.in_order();
        self.receiver.on_segment(now, segment);
        if self.in_order() > before {
            self.stall.on_advance(now);
        }
    }

    /// Handles a segment that arrives at the end formed by this sender and the receiver of the `other` flow.
    pub(in crate::engine) fn on_joined(&mut self, now: Time, other: &mut Self, segment: &Segment) {
        self.write_up_to(now);
        other.read_up_to(now);
        let before = other.in_order();
        let mut end = End {
            sender: &mut self.sender,
            receiver: &mut other.receiver,
        };
        end.on_segment(now, segment);
        // Data that are read now have only arrived now.
        other.read(now);
        if other.in_order() > before {
            other.stall.on_advance(now);
        }
        self.losses.on_acknowledged(self.sender.snd_una());
    }

    /// The octets of data that the receiver has in order, not counting SYN and FIN.
    fn in_order(&self) -> u64 {
        self.receiver.delivered() + self.receiver.readable()
    }

    /// Handles the arrival of an acknowledgment.
    pub(in crate::engine) fn on_ack(&mut self, now: Time, segment: &Segment) {
        self.write_up_to(now);
        self.sender.on_segment(now, segment);
        let octet = self.sender.snd_una();
        self.losses.on_acknowledged(octet);
        self.session.on_acknowledged(now, octet);
    }

    /// Notes that the segment at `seq` is handed to the host, whether for the first time or not.
    pub(in crate::engine) fn on_copy(&mut self, seq: u64) {
        self.losses.on_copy(seq);
    }

    /// Notes that the newest copy of the segment at `seq` has lost a cell.
    pub(in crate::engine) fn on_loss(&mut self, seq: u64) {
        self.losses.on_loss(seq);
    }

    /// Lets the sending application act: open, write and close. Returns whether it continues when everything that can be
    /// sent has left.
    pub(in crate::engine) fn run_application(&mut self, now: Time) -> bool {
        self.write_before(now);
        if self.session.is_over(now) {
            self.session.end(now);
            match self.at_end {
                AtEnd::Close => self.sender.close(now),
                AtEnd::Abort => self.sender.abort(now),
            }
        }
        if let Some((started, size)) = self.session.started()
            && (self.sender.is_closed() || self.sender.is_dropped())
        {
            if self.sender.is_dropped() {
                self.transfers.failed += 1;
            } else {
                self.transfers.done += 1;
                self.transfers.octets += size;
                self.transfers.sum_ps += u128::from((now - started).as_ps());
            }
            self.session.end(now);
        }
        if self.session.deadline() <= now {
            if let Some(since) = self.session.thinks_since() {
                self.transfers.thinks += 1;
                self.transfers.think_sum_ps += u128::from((now - since).as_ps());
            }
            if self.session.begin(now) {
                self.reopen();
            }
            if self.partner.is_none_or(|partner| partner.opens) {
                self.sender.connect(now);
            }
            self.writer.restart(now);
        }
        if !self.session.is_sending() {
            return false;
        }
        let progress = self.writer.write(now, &mut self.sender, &mut self.session);
        if progress == Progress::AtEnd && self.session.closes_when_written() {
            self.sender.close(now);
        }
        progress == Progress::GoesOn
    }

    /// Replaces a closed connection with a new one.
    fn reopen(&mut self) {
        self.past = self.totals();
        self.incarnation = self.incarnation.wrapping_add(1);
        self.configs.0.route = self.sender.route_metrics();
        self.sender = Sender::new(self.configs.0);
        self.receiver = Receiver::new(self.configs.1);
        self.acks_waiting.clear();
        self.losses.begin_anew();
        if self.logs_timer_events {
            self.sender.log_timer_events();
        }
    }

    /// The next segment of the sending end that leaves at `now`; `room` is whether its host takes it.
    pub(in crate::engine) fn poll_segment(&mut self, now: Time, room: bool) -> Option<Segment> {
        self.is_blocked = !room;
        if !room {
            return None;
        }
        let Some(server) = &mut self.segment_server else {
            return self.sender.poll_transmit(now);
        };
        let segment = if server.done() <= now {
            server.stop();
            self.sender.poll_transmit(now)
        } else {
            None
        };
        if server.is_busy() {
            return segment;
        }
        if self.sender.may_transmit(now) {
            server.start(now);
            return segment;
        }
        // Nothing more can leave. The sender must be told, since it then begins to probe a window that is too small.
        segment.or_else(|| self.sender.poll_transmit(now))
    }

    /// Lets the receiving application read what is due.
    pub(in crate::engine) fn read(&mut self, now: Time) {
        if let Some(reader) = &mut self.reader {
            reader.read(now, &mut self.receiver);
        }
    }

    /// The next ACK of the receiving end that leaves at `now`.
    pub(in crate::engine) fn poll_ack(&mut self, now: Time) -> Option<Segment> {
        let Some(server) = &mut self.ack_server else {
            return self.receiver.poll_transmit(now);
        };
        while let Some(segment) = self.receiver.poll_transmit(now) {
            self.acks_waiting.push_back(segment);
        }
        let mut leaving = None;
        if server.done() <= now {
            server.stop();
            // The ACK covers everything that has arrived when it leaves.
            leaving = self.acks_waiting.pop_front().map(|segment| Segment {
                ack: segment.ack.max(self.receiver.rcv_nxt()),
                ..segment
            });
        }
        if !server.is_busy() && !self.acks_waiting.is_empty() {
            server.start(now);
        }
        leaving
    }

    /// Whether a connection is open, or being opened or closed.
    pub(in crate::engine) fn is_open(&self) -> bool {
        self.session.is_sending()
    }

    /// The answered messages of a telnet application; restarts the search for the longest response.
    pub(in crate::engine) fn take_responses(&mut self) -> Option<Responses> {
        self.session.take_responses()
    }

    /// Completed file transfers.
    pub(in crate::engine) fn transfers(&self) -> Transfers {
        self.transfers
    }
}
