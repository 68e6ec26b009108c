//! What the service of a direction of a VC requires.

use super::traffic;
use super::value::{Check, positive, require};
use crate::network::abr::abr_parameters;
use crate::scenario::{Abr, Problem, Service};

/// Finds the first value of a service that is not allowed.
pub(super) fn service(path: &str, service: &Service) -> Check {
    match service {
        Service::Ubr(ubr) => ubr
            .pcr
            .map_or(Ok(()), |pcr| positive(&format!("{path}.pcr"), pcr.0)),
        Service::Abr(abr) => self::abr(path, abr),
        Service::Cbr(cbr) => positive(&format!("{path}.pcr"), cbr.pcr.0),
        Service::RtVbr(vbr) | Service::NrtVbr(vbr) => traffic::vbr(path, vbr),
    }
}

fn abr(path: &str, abr: &Abr) -> Check {
    let at = |key: &str| format!("{path}.{key}");
    let pcr = abr.pcr.0;
    positive(&at("pcr"), pcr)?;
    for (key, rate) in [("mcr", abr.mcr), ("icr", abr.icr)] {
        let Some(rate) = rate else { continue };
        require(
            rate.0 <= pcr,
            &at(key),
            format!("expected at most pcr, {pcr}, found {}", rate.0),
        )?;
    }
    for (key, fraction) in [("rif", abr.rif), ("rdf", abr.rdf), ("cdf", abr.cdf)] {
        let message = format!("expected a fraction from 0 to 1, found {}", fraction.0);
        require(fraction.0 <= 1.0, &at(key), message)?;
    }
    let message = format!("expected 2 to 256 cells, found {}", abr.nrm);
    require((2..=256).contains(&abr.nrm), &at("nrm"), message)?;
    let parameters = abr_parameters(abr);
    let checked = if abr.standard_ranges {
        parameters.validate_standard()
    } else {
        parameters.validate()
    };
    checked.map_err(|error| Problem::at(&at(&error.name.to_lowercase()), error.to_string()))
}
