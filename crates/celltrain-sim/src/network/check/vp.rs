//! What a virtual path requires.

use super::service;
use super::value::{Check, buffer, require};
use crate::scenario::{Direction, Problem, Service, Vp};

/// Finds the first value of a virtual path that is not allowed.
pub(super) fn vp(path: &str, vp: &Vp) -> Check {
    let at = |key: &str| format!("{path}.{key}");
    let message = "expected at least two nodes: where the path starts and where it ends";
    require(vp.route.len() > 1, &at("route"), message)?;
    let message = "there is no VC; name those that the path bundles";
    require(!vp.vcs.is_empty(), &at("vcs"), message)?;
    let message = "expected 1 to 255; cells outside virtual paths have VPI 0";
    require(vp.vpi != Some(0), &at("vpi"), message)?;
    for (key, service) in [("forward", &vp.forward), ("backward", &vp.backward)] {
        service::service(&at(key), service)?;
        if matches!(service, Service::Abr(_)) {
            let message = "a path has no RM cells of its own; expected \"ubr\", or another service that is not \"abr\"";
            return Err(Problem::at(&at(&format!("{key}.service")), message));
        }
    }
    if let Some(shape) = &vp.shape {
        buffer(&at("shape.buffer"), shape.buffer.0.0)?;
        let has_contract = !(vp.forward.is_unshaped() && vp.backward.is_unshaped());
        let message = "neither direction has a contract to shape to; give one a `pcr`";
        require(has_contract, &at("shape"), message)?;
    }
    let Some(police) = &vp.police else {
        return Ok(());
    };
    let (policed, key) = match police.direction {
        Direction::Forward => (&vp.forward, "forward"),
        Direction::Backward => (&vp.backward, "backward"),
    };
    let message = format!("the direction has no contract; give {path}.{key} a `pcr`");
    require(!policed.is_unshaped(), &at("police"), message)
}
