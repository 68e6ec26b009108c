//! Nodes of a network, as written.

use celltrain_language::Text;
use celltrain_proto::lan::EthernetParameters;
use celltrain_proto::units::{Bytes, Cells, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gfc::GfcEquipment;
use super::line::LineRate;

pub use celltrain_proto::lan::Parameters as HostLan;

/// An end system, or a group of `count` of them.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Members of the group: `NAME1` to `NAMEn`. Without it, the one host `NAME`. Allowed: 1 to 1,000,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Rate of the Ethernet between the host and the network, full duplex and shared by all its flows. An outgoing frame
    /// is sent completely before its cells leave; an incoming one is sent after its last cell has arrived. Its MTU is
    /// 1500 octets, and a packet of n octets takes max(n, 46) + 38 octets of Ethernet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ethernet: Option<Text<Rate>>,
    /// The LAN between the host and the network, with frames as those of `ethernet`, which is short for
    /// `lan = { kind = "ethernet", rate = ... }`. Instead of `ethernet`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lan: Option<HostLan>,
    /// Processing time of each packet that leaves or arrives, drawn independently; order is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processing: Option<HostProcessing>,
    /// Whether the host is `"controlled"` equipment, which obeys the commands of generic flow control, or
    /// `"uncontrolled"`, which ignores them. Default: `"controlled"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gfc: Option<GfcEquipment>,
}

impl Host {
    /// Whether packets spend time in the host or on its LAN.
    pub fn takes_time(&self) -> bool {
        self.lan().is_some() || self.processing.is_some()
    }

    /// The LAN between the host and the network.
    pub fn lan(&self) -> Option<HostLan> {
        let ethernet = |Text(rate)| HostLan::Ethernet(EthernetParameters { rate });
        self.ethernet.map(ethernet).or_else(|| self.lan.clone())
    }

    /// Whether it obeys the commands of generic flow control.
    pub fn obeys_gfc(&self) -> bool {
        self.gfc.unwrap_or_default() == GfcEquipment::Controlled
    }
}

/// A random time for each packet.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostProcessing {
    /// The interval from which it is drawn, excluding its end.
    pub uniform: [Text<Span>; 2],
}

/// A node that forwards cells.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// Delay of its input side, added to the delay of each link that leads to it. Default: `"0 s"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_delay: Option<Text<Span>>,
    /// Delay of its output side, after the queue, added to the delay of each link that leaves it. Default: `"0 s"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_delay: Option<Text<Span>>,
}

/// A local area network: one FIFO queue for the cells of all VCs that cross it, in either direction.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lan {
    /// Rate at which the queue is served.
    pub rate: LineRate,
    /// Propagation delay after the queue. Allowed: up to 3600 s.
    #[serde(default = "none")]
    pub delay: Text<Span>,
    /// Size of the queue, the cell in transmission included. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Text<Cells>>,
    /// Longest IP packet that crosses it, as on a link. Allowed: 68 to 65,535. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<Text<Bytes>>,
}

fn none() -> Text<Span> {
    Text(Span::ZERO)
}

/// A router at the edge of a LAN: an end of the VCs that join it to other routers. They carry the cells of all VCs that
/// pass through both routers.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Router {
    /// Longest IP packet that it forwards, as on a link. Allowed: 68 to 65,535. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<Text<Bytes>>,
}

/// The time that a host needs for one segment.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Processing {
    /// Mean time.
    pub mean: Text<Span>,
    /// Its distribution.
    #[serde(default)]
    pub law: ProcessingLaw,
}

/// The distribution of processing times.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessingLaw {
    /// Always the mean.
    #[default]
    Fixed,
    /// Exponential.
    Exponential,
}
