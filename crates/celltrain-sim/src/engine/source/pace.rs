//! How the cells of a source are spaced.

use celltrain_proto::abr;
use celltrain_proto::police::Shaper;
use celltrain_proto::units::{Span, Time};

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

    /// Takes cells that leave one gap apart, the first `at`, all of them up to `until` and no more than `most`: the gap and
    /// how many, or none if it is not the turn of a data cell. `next` becomes the instant from which a further one may
    /// leave; an ABR source keeps that itself. A process has its cells by itself.
    #[inline]
    pub(in crate::engine) fn take(
        &mut self,
        at: Time,
        until: Time,
        most: u32,
        next: &mut Time,
    ) -> Option<(Span, u32)> {
        match self {
            Self::Ubr { gap } => {
                let count = count_within(until - at, *gap, most);
                *next = at + *gap * u64::from(count);
                Some((*gap, count))
            }
            Self::Shaped(shaper) => {
                shaper.on_departure(at);
                *next = shaper.earliest(at);
                Some((Span::ZERO, 1))
            }
            Self::Abr(source) => {
                let gap = source.gap();
                let count = source.data_run(at, gap, count_within(until - at, gap, most));
                if count == 0 {
                    return None;
                }
                source.on_data_run(at + gap * u64::from(count - 1), count);
                Some((gap, count))
            }
            Self::Process(_) => None,
        }
    }
}

/// How many of `most` cells, one `gap` apart, leave within `span` of the first.
#[inline]
fn count_within(span: Span, gap: Span, most: u32) -> u32 {
    match span.as_ps().checked_div(gap.as_ps()) {
        None => most,
        Some(more) => (more + 1).min(u64::from(most)) as u32,
    }
}
