//! The ABR parameters of a direction's source.

use celltrain_proto::abr::{self, Parameters};
use celltrain_proto::units::Rate;

use crate::scenario;

/// The parameters of a source (TM 4.0, table 5-2), with defaults for those not given.
pub(crate) fn abr_parameters(it: &scenario::Abr) -> Parameters {
    let pcr = it.pcr.0;
    let parameters = Parameters {
        mcr: it.mcr.map_or(Rate::ZERO, |mcr| mcr.0),
        icr: it.icr.map_or(pcr, |icr| icr.0),
        rif: it.rif.0,
        rdf: it.rdf.0,
        nrm: it.nrm,
        mrm: it.mrm,
        trm: it.trm.0,
        adtf: it.adtf.0,
        tbe: it.tbe.0,
        cdf: it.cdf.0,
        idle_forward_rm: it.idle_forward_rm,
        use_it_or_lose_it: it.use_it_or_lose_it,
        rm_quantise: it.rm_quantise,
        starved: match it.starved {
            scenario::Starved::Floor => abr::Starved::Floor,
            scenario::Starved::OutOfRate => abr::Starved::OutOfRate,
        },
        backward_rm: match it.backward_rm {
            scenario::BackwardRm::InRate => abr::BackwardRm::InRate,
            scenario::BackwardRm::Priority => abr::BackwardRm::Priority,
            scenario::BackwardRm::OutOfRate => abr::BackwardRm::OutOfRate,
        },
        older_backward_rm: match it.older_backward_rm {
            scenario::OlderBackwardRm::Overwrite => abr::OlderBackwardRm::Overwrite,
            scenario::OlderBackwardRm::OverwriteKeepCi => abr::OlderBackwardRm::OverwriteKeepCi,
            scenario::OlderBackwardRm::OutOfRate => abr::OlderBackwardRm::OutOfRate,
        },
        ..Parameters::new(pcr)
    };
    match it.frtt {
        Some(frtt) => parameters.negotiated(frtt.0),
        None => parameters,
    }
}
