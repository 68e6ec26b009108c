//! The sections of a scenario, as written.

use celltrain_language::{Named, Text};
use celltrain_proto::frame::Framing;
use celltrain_proto::units::{BufferSize, Bytes, Cells, Distance, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::admission::Admission;
use super::becn::Becn;
use super::control::Control;
use super::flow::Flow;
use super::gfc::Gfc;
use super::impairment::{Jitter, Loss, Misinsertion};
use super::line::{LineDelay, LineRate, Schedule};
use super::node::{Host, Lan, Router, Switch};
use super::queue::{ClassBuffers, Credit, Discard, PacketQueue, QueueManagement, Scheduling};
use super::service::Vc;
use super::traffic::Background;
use super::vp::Vp;
use super::warning::WarningCode;

/// A network and what is measured in it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Codes of warnings to silence because what they report is intended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silence: Vec<WarningCode>,
    /// The measured interval.
    pub measure: Measure,
    /// End systems.
    pub hosts: Named<Host>,
    /// Nodes that forward cells: switches, ADSL units.
    #[serde(default)]
    pub switches: Named<Switch>,
    /// Local area networks, each one queue shared by both directions.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub lans: Named<Lan>,
    /// Routers, where VCs that join LANs start and end.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub routers: Named<Router>,
    /// Links between nodes, each with the queue in front of it.
    pub links: Named<Link>,
    /// Virtual channel connections; each carries cells in both directions.
    pub vcs: Named<Vc>,
    /// Virtual paths: bundles of VCs that are shaped, policed and switched as one.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub vps: Named<Vp>,
    /// Which VCs the network accepts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admission: Option<Admission>,
    /// TCP connections.
    #[serde(default)]
    pub flows: Named<Flow>,
    /// Cells below TCP.
    #[serde(default)]
    pub backgrounds: Named<Background>,
    /// Recorded time series.
    #[serde(default)]
    pub probes: Named<Probe>,
    /// Limits on the cost of a run.
    #[serde(default)]
    pub limits: Limits,
}

/// When measurement starts and when the run ends.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// What happens before this instant is not measured.
    #[serde(default = "zero")]
    pub warm_up: Text<Span>,
    /// End of the run, after `warm_up`, at most 200 days; the measured interval is [`warm_up`, `duration`).
    pub duration: Text<Span>,
    /// Number of equal parts of the measured interval in which queues are measured separately, in the table `link_parts`.
    /// Allowed: 1 to 10,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<u32>,
    /// The VCs whose cells are timed one by one, for the table `cell_delays`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell_delays: Option<CellDelays>,
}

/// VCs whose cells are timed one by one, from leaving the source to reaching the end of the VC (I.356).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellDelays {
    /// Entries of `vcs`, each with all members of its group, in both directions.
    pub vcs: Vec<String>,
    /// The fraction of cells that the peak-to-peak variation leaves out because they are delayed more: alpha of TM 4.0.
    /// Allowed: above 0, below 1.
    #[serde(default = "default_alpha")]
    pub alpha: f64,
}

impl Default for CellDelays {
    fn default() -> Self {
        Self {
            vcs: Vec::new(),
            alpha: default_alpha(),
        }
    }
}

fn default_alpha() -> f64 {
    0.001
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}

fn zero() -> Text<Span> {
    Text(Span::ZERO)
}

/// A link, one-way (`from`, `to`) or with equal directions (`between`).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The sending node of a one-way link. With `to`; instead of `between`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The receiving node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Two nodes, or groups of hosts paired by index: the ends of two links, one in each direction; probes call the
    /// second `NAME.back`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between: Option<[String; 2]>,
    /// Length of the cable, with 5 us of propagation per km; this or `delay` is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<Text<Distance>>,
    /// For a link between groups: the length for the last member; the others are evenly spaced. Default: `distance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_to_last: Option<Text<Distance>>,
    /// Propagation delay of up to 3600 s, constant or a process, instead of `distance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<LineDelay>,
    /// A recording that the rate, the delay and the loss follow together. What it has a column for has no key of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// Line rate, constant or a process. Without it the link is a pure delay and has no queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<LineRate>,
    /// Size of the queue, the cell or frame in transmission included: cells, packets where the link carries frames, or octets
    /// on the line. What finds no room is dropped. Allowed: 1 to 2^31. Default: required with `rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Text<BufferSize>>,
    /// The framing of IP packets, if the link carries frames instead of cells. `rate` counts the octets of frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<Framing>,
    /// The queue of a link that carries frames, with room for `buffer` in all. Default: first come, first served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<PacketQueue>,
    /// Longest IP packet that crosses it. A longer one is cut into fragments (RFC 791) where it enters its VC, and put
    /// together at its destination; the loss of a fragment is that of the packet. TCP segments must fit, unless
    /// `tcp.fragments` allows otherwise. Allowed: 68 to 65,535. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<Text<Bytes>>,
    /// What happens to a cell in transmission: its remaining bits are sent at the new rate, or, with
    /// `"finish-at-old-rate"`, at the old one.
    #[serde(default)]
    pub on_rate_change: OnRateChange,
    /// The order in which cells are served.
    #[serde(default)]
    pub scheduling: Scheduling,
    /// Separate buffers of classes, with `scheduling = "priority"`.
    #[serde(default)]
    pub class_buffers: ClassBuffers,
    /// Which cells are refused before the queue is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discard: Option<Discard>,
    /// Queue length from which cells of low priority (CLP = 1) are refused. Allowed: up to `buffer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clp_threshold: Option<Text<Cells>>,
    /// Active queue management at packet boundaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_management: Option<QueueManagement>,
    /// Credit-based flow control with the node downstream of the link; needs a queue for each VC, as with
    /// `scheduling = "weighted-fair"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credit: Option<Credit>,
    /// Cells lost to line errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// Cells whose payload the line corrupts, by the same processes. They arrive, and the PDU of such a cell fails its CRC;
    /// an RM cell is discarded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Loss>,
    /// Cells of other VCs that come in by mistake and damage a PDU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub misinsertion: Option<Misinsertion>,
    /// Delay added to each cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter: Option<Jitter>,
    /// Whether a frame whose own delay is short overtakes those before it. Otherwise it arrives with the one before it, as
    /// cells do.
    #[serde(default, skip_serializing_if = "is_false")]
    pub overtaking: bool,
    /// The switch algorithm of the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// When the algorithm counts cells of the classes above ABR, which are served first: as they arrive, or, with
    /// `"departures"`, as they leave.
    #[serde(default)]
    pub priority_load: PriorityLoad,
    /// RM cells that the switch sends back to ABR sources itself while the queue is congested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub becn: Option<Becn>,
    /// GFC at the queue: commands in the cells that return to the hosts that fill it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gfc: Option<Gfc>,
}

/// When a switch algorithm counts cells of the classes above ABR.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PriorityLoad {
    /// As they arrive.
    #[default]
    Arrivals,
    /// As they leave.
    Departures,
}

/// What happens to a cell in transmission when the line's rate changes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnRateChange {
    /// Its remaining bits are sent at the new rate, as on a synchronous DMT line.
    #[default]
    ResumeAtNewRate,
    /// It keeps the rate at which it started.
    FinishAtOldRate,
}

/// A table of samples, one row every `every` of the measured interval.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Time between two samples; the first is at the end of the warm-up. This or `events_of` is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<Text<Span>>,
    /// A row for each round trip that the flow's sender measures, and for each time-out, with `is_timeout` (0 or 1),
    /// `rtt_s` (exact; at a time-out the previous one), `srtt_s` and `rto_s` after the event, and the recorded
    /// quantities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events_of: Option<String>,
    /// What is sampled: `links.NAME.queue_cells`, `vcs.NAME.forward.acr_bps`, `flows.NAME.cwnd_bytes` ...
    pub record: Vec<String>,
}

/// Limits on the cost of a run. A run that could exceed them is refused before it starts; one that does is stopped, with
/// what it has measured by then.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Most cells, summed over all links, that the sources can send in the run; most that can come to them, also those
    /// that find no room; and most writes of applications.
    pub cells: f64,
    /// Most memory for cells in queues and in flight, for packets without TCP that wait, and for samples of probes, in
    /// MiB.
    pub memory_mib: f64,
    /// Most rows of all probes in total.
    pub trace_rows: f64,
    /// What happens when upper bounds, from the scenario alone, exceed the limits: that is an `"error"`, or, with `"stop"`,
    /// the run begins, and stops if it really exceeds one.
    #[serde(skip_serializing_if = "OnExcess::is_error")]
    pub on_excess: OnExcess,
}

/// What happens when the bounds on the cost of a run exceed its limits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnExcess {
    /// The scenario is refused.
    #[default]
    Error,
    /// The run begins, and stops if it exceeds them.
    Stop,
}

impl OnExcess {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    fn is_error(&self) -> bool {
        *self == Self::Error
    }
}

impl Limits {
    /// No limits at all.
    pub const NONE: Self = Self {
        cells: f64::INFINITY,
        memory_mib: f64::INFINITY,
        trace_rows: f64::INFINITY,
        on_excess: OnExcess::Stop,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            cells: 1e12,
            memory_mib: 4096.0,
            trace_rows: 2e7,
            on_excess: OnExcess::Error,
        }
    }
}
