//! How the cells of a source are spaced.

use celltrain_proto::abr;
use celltrain_proto::police::Shaper;
use celltrain_proto::units::Span;

use crate::engine::source::process::Process;
use crate::network::abr_parameters;
use crate::scenario::Service;

/// How the cells of a source are spaced.
#[derive(Clone, Debug)]
pub(in crate::engine) enum Pace {
    /// A fixed gap; zero without a PCR.
    Ubr { gap: Span },
    /// ABR: the gap follows ACR.
    Abr(Box<abr::Source>),
    /// Shaped VBR: as the leaky buckets of its contract allow.
    Shaped(Box<Shaper>),
    /// Cells of a process, without PDUs.
    Process(Process),
}

impl Pace {
    /// The initial pace of a service.
    pub(in crate::engine) fn of(service: &Service) -> Self {
        match service {
            Service::Ubr(ubr) => Self::Ubr {
                gap: ubr.pcr.map_or(Span::ZERO, |pcr| pcr.0.cell_time()),
            },
            Service::Abr(abr) => Self::Abr(Box::new(abr::Source::new(abr_parameters(abr)))),
            Service::Cbr(cbr) => Self::Ubr {
                gap: cbr.pcr.0.cell_time(),
            },
            Service::RtVbr(vbr) | Service::NrtVbr(vbr) => {
                let sustained = vbr.scr.map(|scr| (scr.0, vbr.mbs.0));
                Self::Shaped(Box::new(Shaper::new(vbr.pcr.0, Span::ZERO, sustained)))
            }
        }
    }
}
