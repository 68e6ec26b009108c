//! Connection admission control: which VCs a network accepts.

use celltrain_language::Fraction;
use celltrain_proto::admission::Rule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Connection admission control: the bandwidth that each VC takes of the links on its path, and what happens to a VC for
/// which too little is left.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Admission {
    /// What a VC takes of a link: the rate guaranteed to it, or, with `"effective-bandwidth"`, what it needs together with
    /// the other VCs there to lose no more than `loss_ratio` (equivalent capacity, Guérin, Ahmadi and Naghshineh 1991).
    pub rule: AdmissionRule,
    /// Cell loss ratio that effective bandwidths keep to. Allowed: above 0, up to 0.1. Default: 1e-6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_ratio: Option<Fraction>,
    /// What happens when a VC is not admitted: the scenario is an `"error"`, or, with `"run"`, it runs without the VC, whose
    /// flows carry nothing.
    pub on_refusal: OnRefusal,
}

/// The bandwidth that a VC takes of a link.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AdmissionRule {
    /// PCR for CBR, SCR for VBR, MCR for ABR.
    #[default]
    GuaranteedRate,
    /// Its part of the equivalent capacity of all VCs.
    EffectiveBandwidth,
}

/// What happens when a VC is not admitted.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnRefusal {
    /// The scenario is refused.
    #[default]
    Error,
    /// It runs without the VC.
    Run,
}

impl Admission {
    /// Cell loss ratio for effective bandwidths if the scenario gives none.
    pub const LOSS_RATIO: f64 = 1e-6;

    /// Whether a scenario runs without the VCs that are not admitted.
    pub fn runs_without_refused(&self) -> bool {
        self.on_refusal == OnRefusal::Run
    }

    /// The rule as the protocol knows it.
    pub fn rule(&self) -> Rule {
        match self.rule {
            AdmissionRule::GuaranteedRate => Rule::GuaranteedRate,
            AdmissionRule::EffectiveBandwidth => Rule::EffectiveBandwidth {
                loss: self.loss_ratio.map_or(Self::LOSS_RATIO, |ratio| ratio.0),
            },
        }
    }
}
