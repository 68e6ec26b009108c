//! What a probe can record, and how it is named: `links.up.queue_cells`.

use celltrain_language::{ColumnType, Field, suggestion};

use crate::scenario::{Direction, Problem};

/// One recorded quantity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Record {
    /// A quantity of a link, by index.
    Link(usize, LinkQuantity),
    /// A quantity of one direction of a VC, by index.
    Vc(usize, Direction, VcQuantity),
    /// A quantity of a TCP connection, by index.
    Flow(usize, FlowQuantity),
}

macro_rules! quantities {
    (
        $(#[$meta:meta])* $name:ident {
            $(#[doc = $meaning:literal] $variant:ident = $text:literal: $kind:ident in $unit:literal),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $(#[doc = $meaning] $variant),+ }
        impl $name {
            /// The columns of all quantities, each named after its quantity.
            pub const FIELDS: &'static [Field] = &[$(Field {
                name: $text,
                unit: $unit,
                kind: ColumnType::$kind,
                heading: "",
                meaning: $meaning.trim_ascii(),
            }),+];
            const ALL: &'static [Self] = &[$(Self::$variant),+];
            fn named(text: &str) -> Option<Self> {
                let at = Self::FIELDS.iter().position(|field| field.name == text)?;
                Some(Self::ALL[at])
            }
            /// The column that holds this quantity.
            pub const fn field(self) -> &'static Field {
                &Self::FIELDS[self as usize]
            }
        }
    };
}

quantities!(
    /// Quantities of a link and the queue in front of it.
    LinkQuantity {
        /// Cells in the queue, the one in transmission included.
        Queue = "queue_cells": Count in "cells",
        /// Octets on the line of these cells or frames.
        QueueOctets = "queue_bytes": Count in "bytes",
        /// Cells in the queue that the switch algorithm observes; with `scheduling = "priority"`, the ABR queue.
        ControlledQueue = "controlled_queue_cells": Count in "cells",
        /// Total rate that ERICA or ERICA+ grants to all VCs; no value under other algorithms.
        Target = "target_rate_bps": Number in "bit/s",
        /// Line rate; no value on a link without a rate.
        Rate = "rate_bps": Number in "bit/s",
        /// Cells dropped since the start of the measured interval.
        Lost = "lost_cells": Count in "cells",
        /// Cells dropped since the start of the run.
        LostInAll = "lost_cells_total": Count in "cells",
        /// Cells that arrived at the queue since the start of the measured interval, including dropped ones.
        Arrived = "arrived_cells": Count in "cells",
        /// Cells that left since the start of the measured interval. On a link with only a delay cells leave as they arrive; on a link without delay none are counted.
        Sent = "sent_cells": Count in "cells",
    }
);
quantities!(
    /// Quantities of the source of one direction of a VC.
    VcQuantity {
        /// Rate at which the source may send: ACR, or PCR under other services; no value if nothing limits it (UBR without `pcr`).
        Acr = "acr_bps": Number in "bit/s",
        /// Backward RM cells that the source has received since the start of the run.
        BackwardRm = "backward_rm_received": Count in "cells",
        /// PDUs that wait at the host, the one being sent included.
        HostQueue = "host_queue_pdus": Count in "1",
        /// Waiting cells of these PDUs, and of VCs that this VC carries.
        HostCells = "host_queue_cells": Count in "cells",
        /// ER of the latest forward RM cell of an ABR source; MCR before the first; no value under other services.
        Requested = "requested_rate_bps": Number in "bit/s",
        /// Cells that arrived at the source's queue since the start of the run, including dropped ones.
        Offered = "offered_cells": Count in "cells",
        /// Cells that found that queue full since the start of the run.
        Dropped = "dropped_cells": Count in "cells",
    }
);
quantities!(
    /// Quantities of a TCP connection.
    FlowQuantity {
        /// Congestion window.
        Cwnd = "cwnd_bytes": CountOrNone in "bytes",
        /// Slow-start threshold.
        Ssthresh = "ssthresh_bytes": CountOrNone in "bytes",
        /// Latest round-trip time of a segment sent only once; no value before the first.
        Rtt = "rtt_s": Number in "s",
        /// Retransmission time-out, including back-off.
        Rto = "rto_s": Number in "s",
        /// The sender's smoothed round-trip time; no value without an estimate.
        Srtt = "srtt_s": Number in "s",
        /// Octets delivered in order since the start of the run.
        Delivered = "delivered_bytes": CountOrNone in "bytes",
        /// 1 while a connection is being opened, open or being closed; else 0.
        Open = "open_connections": CountOrNone in "1",
        /// Segments retransmitted since the start of the run.
        Retransmitted = "segments_retransmitted": CountOrNone in "1",
    }
);

impl Record {
    /// The column that holds the recorded values.
    pub const fn field(self) -> &'static Field {
        match self {
            Self::Link(_, quantity) => quantity.field(),
            Self::Vc(_, _, quantity) => quantity.field(),
            Self::Flow(_, quantity) => quantity.field(),
        }
    }
}

/// The names of what can be recorded, by section.
pub(super) struct Names {
    /// One-way links in the order of their index; the reverse of a `between` ends in `.back`.
    pub(super) links: Vec<String>,
    pub(super) vcs: Vec<String>,
    pub(super) flows: Vec<String>,
}

impl Names {
    /// What `text` refers to.
    pub(super) fn resolve(&self, text: &str) -> Result<Record, Problem> {
        let unknown = |message: String| Problem {
            path: Vec::new(),
            message,
        };
        let form = || {
            let forms = "links.NAME.QUANTITY, vcs.NAME.DIRECTION.QUANTITY or flows.NAME.QUANTITY";
            unknown(format!("expected {forms}, found \"{text}\""))
        };
        let (section, rest) = text.split_once('.').ok_or_else(form)?;
        let (name, quantity) = rest.rsplit_once('.').ok_or_else(form)?;
        let index = |names: &[String], name: &str, kind: &str| {
            names.iter().position(|known| known == name).ok_or_else(|| {
                let known = names.iter().map(String::as_str);
                unknown(format!(
                    "\"{text}\": no {kind} \"{name}\"{}",
                    suggestion(name, known)
                ))
            })
        };
        let no_quantity = |known: &[Field]| {
            let hint = suggestion(quantity, known.iter().map(|field| field.name));
            unknown(format!("\"{text}\": no quantity \"{quantity}\" here{hint}"))
        };
        match section {
            "links" => {
                let link = index(&self.links, name, "link")?;
                let quantity = LinkQuantity::named(quantity);
                Ok(Record::Link(
                    link,
                    quantity.ok_or_else(|| no_quantity(LinkQuantity::FIELDS))?,
                ))
            }
            "vcs" => {
                let (name, direction) = name.rsplit_once('.').ok_or_else(form)?;
                let direction = match direction {
                    "forward" => Direction::Forward,
                    "backward" => Direction::Backward,
                    _ => return Err(form()),
                };
                let vc = index(&self.vcs, name, "VC")?;
                let quantity = VcQuantity::named(quantity);
                Ok(Record::Vc(
                    vc,
                    direction,
                    quantity.ok_or_else(|| no_quantity(VcQuantity::FIELDS))?,
                ))
            }
            "flows" => {
                let flow = index(&self.flows, name, "flow")?;
                let quantity = FlowQuantity::named(quantity);
                Ok(Record::Flow(
                    flow,
                    quantity.ok_or_else(|| no_quantity(FlowQuantity::FIELDS))?,
                ))
            }
            _ => Err(form()),
        }
    }
}
