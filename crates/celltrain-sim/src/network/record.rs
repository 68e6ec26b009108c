//! What a probe can record, and how it is written: `links.up.queue_cells`.

use celltrain_language::suggestion;

use crate::scenario::{Direction, Problem};

/// One recorded quantity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Record {
    /// Of a link, by index.
    Link(usize, LinkQuantity),
    /// Of one direction of a VC, by index.
    Vc(usize, Direction, VcQuantity),
    /// Of a TCP connection, by index.
    Flow(usize, FlowQuantity),
}

macro_rules! quantities {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal in $unit:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $($(#[$doc])* $variant),+ }
        impl $name {
            const NAMES: &'static [&'static str] = &[$($text),+];
            fn named(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }
            /// The unit of the recorded values.
            pub const fn unit(self) -> &'static str {
                match self { $(Self::$variant => $unit),+ }
            }
        }
    };
}

quantities!(
    /// Quantities of a link and the queue in front of it.
    LinkQuantity {
        /// Cells in the queue, the one in transmission included.
        Queue = "queue_cells" in "cells",
        /// Cells of ABR, or of the class that the switch algorithm looks at, in the queue.
        ControlledQueue = "controlled_queue_cells" in "cells",
        /// Rate that the switch algorithm hands out to all VCs together; NaN where it has none.
        Target = "target_rate_bps" in "bit/s",
        /// Line rate.
        Rate = "rate_bps" in "bit/s",
        /// Cells dropped since the start of the measured interval.
        Lost = "lost_cells" in "cells",
        /// Cells dropped since the start of the run.
        LostInAll = "lost_cells_total" in "cells",
        /// Cells that arrived at the queue since the start of the measured interval, dropped ones included.
        Arrived = "arrived_cells" in "cells",
        /// Cells that left since the start of the measured interval.
        Sent = "sent_cells" in "cells",
    }
);
quantities!(
    /// Quantities of the source of one direction of a VC.
    VcQuantity {
        /// The rate at which the source may send: ACR, or PCR under UBR.
        Acr = "acr_bps" in "bit/s",
        /// Backward RM cells that the source has received since the start of the run.
        BackwardRm = "backward_rm_received" in "cells",
        /// Whole and partial PDUs that wait at the host for their cells to leave.
        HostQueue = "host_queue_pdus" in "1",
        /// Cells of them, and of VCs that this one carries, that wait.
        HostCells = "host_queue_cells" in "cells",
        /// The rate that the source asked for in its latest forward RM cell, MCR before the first; NaN without ABR.
        Requested = "requested_rate_bps" in "bit/s",
        /// Cells that came to the source's queue since the start of the run, dropped ones included.
        Offered = "offered_cells" in "cells",
        /// Cells that found no room there since the start of the run.
        Dropped = "dropped_cells" in "cells",
    }
);
quantities!(
    /// Quantities of a TCP connection.
    FlowQuantity {
        /// Congestion window.
        Cwnd = "cwnd_bytes" in "bytes",
        /// Slow-start threshold.
        Ssthresh = "ssthresh_bytes" in "bytes",
        /// Latest round-trip time of a segment sent once; NaN before the first.
        Rtt = "rtt_s" in "s",
        /// Retransmission time-out, back-off included.
        Rto = "rto_s" in "s",
        /// Smoothed round-trip time as the sender has it; NaN without an estimate.
        Srtt = "srtt_s" in "s",
        /// Octets delivered in order since the start of the run.
        Delivered = "delivered_bytes" in "bytes",
        /// 1 while a connection is open, or being opened or closed; else 0.
        Open = "open_connections" in "1",
        /// Segments sent again since the start of the run.
        Retransmitted = "segments_retransmitted" in "1",
    }
);

impl Record {
    /// The unit of the recorded values.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Link(_, quantity) => quantity.unit(),
            Self::Vc(_, _, quantity) => quantity.unit(),
            Self::Flow(_, quantity) => quantity.unit(),
        }
    }
}

/// Names of what can be recorded, by section.
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
        let no_quantity = |known: &[&'static str]| {
            let hint = suggestion(quantity, known.iter().copied());
            unknown(format!("\"{text}\": no quantity \"{quantity}\" here{hint}"))
        };
        match section {
            "links" => {
                let link = index(&self.links, name, "link")?;
                let quantity = LinkQuantity::named(quantity);
                Ok(Record::Link(
                    link,
                    quantity.ok_or_else(|| no_quantity(LinkQuantity::NAMES))?,
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
                    quantity.ok_or_else(|| no_quantity(VcQuantity::NAMES))?,
                ))
            }
            "flows" => {
                let flow = index(&self.flows, name, "flow")?;
                let quantity = FlowQuantity::named(quantity);
                Ok(Record::Flow(
                    flow,
                    quantity.ok_or_else(|| no_quantity(FlowQuantity::NAMES))?,
                ))
            }
            _ => Err(form()),
        }
    }
}
