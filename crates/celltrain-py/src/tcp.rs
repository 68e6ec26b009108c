//! The ends of a TCP connection without a network: the caller transfers segments and advances time.

use celltrain_proto::tcp::{
    Available, CloseMode, End, Flags, Phase, ReadMode, SackBlocks, Segment as Inner, State,
    Timestamps, WhenClosed,
};
use celltrain_proto::tcp::{Receiver, Sender};
use celltrain_proto::units::{Span, Time};
use celltrain_sim::engine::tcp_configs;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::scenario::Scenario;

/// A TCP segment; sequence numbers start at 0 after the SYN, the window is in octets.
#[pyclass(frozen, get_all, module = "celltrain._native")]
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "bits of the header")]
pub(crate) struct TcpSegment {
    seq: u64,
    len: u32,
    ack: u64,
    window: u32,
    /// Start and end of each block; the first one may report a duplicate (RFC 2883).
    sack: Vec<(u64, u64)>,
    syn: bool,
    fin: bool,
    rst: bool,
    ece: bool,
    cwr: bool,
    /// Value and echo.
    timestamp: Option<(u32, u32)>,
    window_scale: Option<u8>,
    /// The largest segment that its sender accepts, in octets of data and TCP options.
    mss: Option<u16>,
    /// ECT(0).
    ecn_capable: bool,
    /// CE.
    congestion_experienced: bool,
}

#[pymethods]
impl TcpSegment {
    #[new]
    #[pyo3(signature = (seq=0, len=0, ack=0, window=0, *, sack=Vec::new(), syn=false, fin=false, rst=false, ece=false, cwr=false,
                        timestamp=None, window_scale=None, mss=None, ecn_capable=false, congestion_experienced=false))]
    #[expect(
        clippy::too_many_arguments,
        clippy::fn_params_excessive_bools,
        reason = "they have names in Python"
    )]
    fn new(
        seq: u64,
        len: u32,
        ack: u64,
        window: u32,
        sack: Vec<(u64, u64)>,
        syn: bool,
        fin: bool,
        rst: bool,
        ece: bool,
        cwr: bool,
        timestamp: Option<(u32, u32)>,
        window_scale: Option<u8>,
        mss: Option<u16>,
        ecn_capable: bool,
        congestion_experienced: bool,
    ) -> PyResult<Self> {
        if sack.iter().any(|&(start, end)| end <= start) {
            return Err(PyValueError::new_err(
                "blocks of a selective acknowledgment are not empty",
            ));
        }
        Ok(Self {
            seq,
            len,
            ack,
            window,
            sack,
            syn,
            fin,
            rst,
            ece,
            cwr,
            timestamp,
            window_scale,
            mss,
            ecn_capable,
            congestion_experienced,
        })
    }
}

impl From<Inner> for TcpSegment {
    fn from(inner: Inner) -> Self {
        let times = |it: Timestamps| (it.value, it.echo);
        Self {
            seq: inner.seq,
            len: inner.len,
            ack: inner.ack,
            window: inner.window,
            sack: inner.sack_blocks().collect(),
            syn: inner.flags.has(Flags::SYN),
            fin: inner.flags.has(Flags::FIN),
            rst: inner.flags.has(Flags::RST),
            ece: inner.flags.has(Flags::ECE),
            cwr: inner.flags.has(Flags::CWR),
            timestamp: inner.timestamp.map(times),
            window_scale: inner.window_scale,
            mss: inner.mss,
            ecn_capable: inner.ecn_capable,
            congestion_experienced: inner.congestion_experienced,
        }
    }
}

impl From<&TcpSegment> for Inner {
    fn from(it: &TcpSegment) -> Self {
        Self {
            seq: it.seq,
            len: it.len,
            ack: it.ack,
            window: it.window,
            sack: SackBlocks::new(it.ack, it.sack.iter().copied()),
            flags: Flags::SYN.only_if(it.syn)
                | Flags::FIN.only_if(it.fin)
                | Flags::RST.only_if(it.rst)
                | Flags::ECE.only_if(it.ece)
                | Flags::CWR.only_if(it.cwr),
            timestamp: it.timestamp.map(|(value, echo)| Timestamps { value, echo }),
            window_scale: it.window_scale,
            mss: it.mss,
            ecn_capable: it.ecn_capable,
            congestion_experienced: it.congestion_experienced,
        }
    }
}

/// The end that sends data. Times are in picoseconds; the ordering rules are those of the core: process ticks before
/// segments, and drain `poll_transmit` after each call.
#[pyclass(module = "celltrain._native")]
pub(crate) struct TcpSender(Sender);

#[pymethods]
impl TcpSender {
    /// The sender of a flow of a scenario.
    #[new]
    #[pyo3(signature = (scenario, flow, seed=1))]
    fn new(scenario: &Bound<'_, Scenario>, flow: &str, seed: u64) -> PyResult<Self> {
        let flow = scenario.get().tcp_flow(flow)?;
        Ok(Self(Sender::new(tcp_configs(flow, seed).0)))
    }

    fn connect(&mut self, now_ps: u64) {
        self.0.connect(Time::from_ps(now_ps));
    }

    /// Adds octets to send; unlimited data if `octets` is None.
    #[pyo3(signature = (now_ps, octets=None))]
    fn write(&mut self, now_ps: u64, octets: Option<u64>) {
        let data = octets.map_or(Available::Unlimited, Available::Bytes);
        self.0.write(Time::from_ps(now_ps), data);
    }

    fn close(&mut self, now_ps: u64) {
        self.0.close(Time::from_ps(now_ps));
    }

    /// Aborts the connection; the peer is notified by a reset.
    fn abort(&mut self, now_ps: u64) {
        self.0.abort(Time::from_ps(now_ps));
    }

    fn on_segment(&mut self, now_ps: u64, segment: &Bound<'_, TcpSegment>) {
        self.0
            .on_segment(Time::from_ps(now_ps), &segment.get().into());
    }

    fn on_timer(&mut self, now_ps: u64) {
        self.0.on_timer(Time::from_ps(now_ps));
    }

    fn poll_transmit(&mut self, now_ps: u64) -> Option<TcpSegment> {
        self.0.poll_transmit(Time::from_ps(now_ps)).map(Into::into)
    }

    /// When `on_timer` is due.
    #[getter]
    fn next_timeout_ps(&self) -> Option<u64> {
        self.0.next_timeout().map(Time::as_ps)
    }

    /// Octets of data in a full segment.
    #[getter]
    fn mss(&self) -> u64 {
        self.0.mss()
    }

    #[getter]
    fn cwnd(&self) -> u64 {
        self.0.cwnd()
    }

    #[getter]
    fn ssthresh(&self) -> u64 {
        self.0.ssthresh()
    }

    #[getter]
    fn snd_una(&self) -> u64 {
        self.0.snd_una()
    }

    #[getter]
    fn snd_max(&self) -> u64 {
        self.0.snd_max()
    }

    /// The current time-out, in s.
    #[getter]
    fn rto_s(&self) -> f64 {
        self.0.rto().as_secs()
    }

    /// The smoothed round-trip time in s; None before the first sample.
    #[getter]
    fn srtt_s(&self) -> Option<f64> {
        self.0.srtt().map(Span::as_secs)
    }

    #[getter]
    fn state(&self) -> &'static str {
        name(self.0.state())
    }

    #[getter]
    fn is_dropped(&self) -> bool {
        self.0.is_dropped()
    }

    /// The loss-recovery phase: `Open`, `Disorder`, `CWR`, `Recovery` or `Loss`, as in Linux.
    #[getter]
    fn phase(&self) -> &'static str {
        match self.0.phase() {
            Phase::Open => "Open",
            Phase::Disorder => "Disorder",
            Phase::Marked => "CWR",
            Phase::Recovery => "Recovery",
            Phase::TimedOut => "Loss",
        }
    }

    /// Counts since the start: data segments sent, those retransmitted, time-outs, fast retransmits.
    #[getter]
    fn counts(&self) -> (u64, u64, u64, u64) {
        let stats = self.0.stats();
        (
            stats.data_segments_sent,
            stats.data_segments_resent,
            stats.timeouts,
            stats.fast_retransmits,
        )
    }
}

/// The end that receives and acknowledges data.
#[pyclass(module = "celltrain._native")]
pub(crate) struct TcpReceiver(Receiver);

#[pymethods]
impl TcpReceiver {
    /// The receiver of a flow of a scenario. If it is `manual`, the caller reads and closes, and segments that arrive
    /// after that are answered by resets.
    #[new]
    #[pyo3(signature = (scenario, flow, seed=1, *, manual=false))]
    fn new(scenario: &Bound<'_, Scenario>, flow: &str, seed: u64, manual: bool) -> PyResult<Self> {
        let mut config = tcp_configs(scenario.get().tcp_flow(flow)?, seed).1;
        if manual {
            config.application = ReadMode::Manual;
            config.close = CloseMode::Manual;
            config.when_closed = WhenClosed::Resets;
        }
        Ok(Self(Receiver::new(config)))
    }

    fn on_segment(&mut self, now_ps: u64, segment: &Bound<'_, TcpSegment>) {
        self.0
            .on_segment(Time::from_ps(now_ps), &segment.get().into());
    }

    fn on_timer(&mut self, now_ps: u64) {
        self.0.on_timer(Time::from_ps(now_ps));
    }

    fn poll_transmit(&mut self, now_ps: u64) -> Option<TcpSegment> {
        self.0.poll_transmit(Time::from_ps(now_ps)).map(Into::into)
    }

    /// Reads up to `octets` from the socket buffer; returns how many it got.
    fn read(&mut self, now_ps: u64, octets: u64) -> u64 {
        self.0.read(Time::from_ps(now_ps), octets)
    }

    #[getter]
    fn readable(&self) -> u64 {
        self.0.readable()
    }

    /// Whether everything up to the peer's FIN was read.
    #[getter]
    fn is_finished(&self) -> bool {
        self.0.is_finished()
    }

    /// The next octet expected, after a FIN if there was one.
    #[getter]
    fn rcv_nxt(&self) -> u64 {
        self.0.rcv_nxt()
    }

    /// When `on_timer` is due.
    #[getter]
    fn next_timeout_ps(&self) -> Option<u64> {
        self.0.next_timeout().map(Time::as_ps)
    }

    #[getter]
    fn state(&self) -> &'static str {
        name(self.0.state())
    }
}

/// Both directions of one end, which share one stream of segments: data carry the acknowledgments.
#[pyclass(module = "celltrain._native")]
pub(crate) struct TcpEnd {
    sender: Py<TcpSender>,
    receiver: Py<TcpReceiver>,
}

impl TcpEnd {
    fn with<T>(&self, py: Python<'_>, act: impl FnOnce(&mut End<'_>) -> T) -> T {
        let (mut sender, mut receiver) = (self.sender.borrow_mut(py), self.receiver.borrow_mut(py));
        act(&mut End {
            sender: &mut sender.0,
            receiver: &mut receiver.0,
        })
    }
}

#[pymethods]
impl TcpEnd {
    /// Creates the end with this sender and this receiver, which must be `manual`.
    #[new]
    fn new(sender: Py<TcpSender>, receiver: Py<TcpReceiver>) -> Self {
        Self { sender, receiver }
    }

    fn on_segment(&self, py: Python<'_>, now_ps: u64, segment: &Bound<'_, TcpSegment>) {
        let segment = segment.get().into();
        self.with(py, |end| end.on_segment(Time::from_ps(now_ps), &segment));
    }

    fn on_timer(&self, py: Python<'_>, now_ps: u64) {
        self.with(py, |end| end.on_timer(Time::from_ps(now_ps)));
    }

    fn poll_transmit(&self, py: Python<'_>, now_ps: u64) -> Option<TcpSegment> {
        self.with(py, |end| end.poll_transmit(Time::from_ps(now_ps)))
            .map(Into::into)
    }

    /// When `on_timer` is due.
    #[getter]
    fn next_timeout_ps(&self, py: Python<'_>) -> Option<u64> {
        self.with(py, |end| end.next_timeout()).map(Time::as_ps)
    }
}

/// The name of a state, as in RFC 9293.
fn name(state: State) -> &'static str {
    match state {
        State::Closed => "CLOSED",
        State::SynSent => "SYN-SENT",
        State::SynReceived => "SYN-RECEIVED",
        State::Established => "ESTABLISHED",
        State::FinWait1 => "FIN-WAIT-1",
        State::FinWait2 => "FIN-WAIT-2",
        State::TimeWait => "TIME-WAIT",
        State::CloseWait => "CLOSE-WAIT",
        State::LastAck => "LAST-ACK",
    }
}
