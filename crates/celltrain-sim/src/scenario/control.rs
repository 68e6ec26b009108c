//! What a switch does at a queue: algorithms for ABR, and GFC.

use celltrain_language::Text;
use celltrain_proto::units::{Cells, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use celltrain_proto::switch::Parameters as Control;

/// GFC: stop and go on the access links of hosts that send to a queue.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gfc {
    /// HALT begins when the queue exceeds this.
    pub high: Text<Cells>,
    /// HALT ends when the queue is below this.
    pub low: Text<Cells>,
    /// A host resumes sending by itself after this time without a HALT.
    #[serde(default = "five_s")]
    pub timeout: Text<Span>,
}

fn five_s() -> Text<Span> {
    Text(Span::from_secs(5))
}
