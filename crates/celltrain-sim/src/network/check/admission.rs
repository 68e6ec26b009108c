//! What connection admission control requires.

use super::value::{Check, require};
use crate::scenario::{Admission, AdmissionRule};

/// Checks the cell loss ratio, and that something depends on it.
pub(super) fn admission(admission: &Admission) -> Check {
    let Some(ratio) = admission.loss_ratio else {
        return Ok(());
    };
    let path = "admission.loss_ratio";
    let message = format!("expected above 0 and up to 0.1, found {}", ratio.0);
    require(ratio.0 > 0.0 && ratio.0 <= 0.1, path, message)?;
    let is_used = admission.rule == AdmissionRule::EffectiveBandwidth;
    let message = "guaranteed rates do not depend on losses; leave it out, or write `rule = \"effective-bandwidth\"`";
    require(is_used, path, message)
}
