//! Generic flow control between a switch and the end systems that send to one of its queues (ITU-T I.361, 4.1).

use celltrain_language::Text;
use celltrain_proto::flow::gfc::{Group, Thresholds};
use celltrain_proto::units::{Cells, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// GFC: the switch tells the end systems that send to a queue when they may send.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gfc {
    /// HALT begins when the queue exceeds this.
    pub high: Text<Cells>,
    /// HALT ends when the queue is below this.
    pub low: Text<Cells>,
    /// A halted end system resumes sending by itself after this time without a HALT.
    #[serde(default = "five_s")]
    pub timeout: Text<Span>,
    /// What a command acts on: `"vc"`, the sending end of the VC whose cell brings it; or `"host"`, all VCs that the end
    /// system sends over the link to the switch, including those that do not cross this queue. Default: `"vc"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<GfcScope>,
    /// The counter of the VCs with `gfc_group = "a"`; without `group_b`, that of the one-queue model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_a: Option<GfcCounter>,
    /// The counter of the VCs with `gfc_group = "b"`: the two-queue model. Needs `group_a`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_b: Option<GfcCounter>,
}

impl Gfc {
    /// What a command acts on.
    pub fn scope(&self) -> GfcScope {
        self.scope.unwrap_or_default()
    }

    /// Below which queue lengths the groups get SET.
    pub fn thresholds(&self) -> Thresholds {
        let below = |counter: &Option<GfcCounter>| counter.map(|counter| counter.set_below.0);
        Thresholds {
            a: below(&self.group_a),
            b: below(&self.group_b),
        }
    }

    /// The counter of a group, if the queue has one.
    pub fn counter(&self, group: Group) -> Option<&GfcCounter> {
        match group {
            Group::A => self.group_a.as_ref(),
            Group::B => self.group_b.as_ref(),
        }
    }
}

fn five_s() -> Text<Span> {
    Text(Span::from_secs(5))
}

/// What a GFC command acts on.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GfcScope {
    /// The sending end of the VC whose cell brings the command: each VC is an end system of its own.
    #[default]
    Vc,
    /// All VCs that the end system sends over the link to the switch.
    Host,
}

/// The counter `GO_CNTR` of a group of controlled VCs at an end system. Each cell of the group that leaves decrements it,
/// and none leaves at zero.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GfcCounter {
    /// Cells to the end system carry SET for the group while the queue is below this and there is no HALT, otherwise NULL.
    /// For `group_b` at most that of `group_a`.
    pub set_below: Text<Cells>,
    /// `GO_VALUE`: to which SET sets the counter. Allowed: at least 1.
    #[serde(default = "one")]
    pub go_value: u32,
}

fn one() -> u32 {
    1
}

/// The group of a controlled VC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GfcGroup {
    /// The group of the one-queue model, and the first of the two-queue model.
    A,
    /// The second group of the two-queue model.
    B,
}

impl GfcGroup {
    /// The group as the protocol knows it.
    pub fn group(self) -> Group {
        match self {
            Self::A => Group::A,
            Self::B => Group::B,
        }
    }

    /// The name in a scenario.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }
}

/// Whether an end system obeys GFC commands.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GfcEquipment {
    /// It obeys them.
    #[default]
    Controlled,
    /// It ignores them.
    Uncontrolled,
}
