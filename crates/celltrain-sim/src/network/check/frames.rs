//! What a link that carries frames requires.

use celltrain_proto::frame::{Framing, LONGEST_PACKET};
use celltrain_proto::units::BufferSize;

use super::value::{Check, allowed, require};
use crate::scenario::{ClassBuffers, Link, PriorityLoad, Problem, Scheduling};

/// The largest buffer: packets, or octets.
const LARGEST_BUFFER: u64 = 1 << 31;

/// Finds the first value of a link with this framing and a buffer of this size that is not allowed.
pub(super) fn frames(path: &str, link: &Link, framing: Framing, size: BufferSize) -> Check {
    let at = |key: &str| format!("{path}.{key}");
    room(&at("buffer"), framing, size)?;
    if let Some(queue) = &link.queue {
        allowed(&at("queue"), queue.check())?;
    }
    let of_cells = [
        ("scheduling", link.scheduling != Scheduling::default()),
        (
            "class_buffers",
            link.class_buffers != ClassBuffers::default(),
        ),
        ("discard", link.discard.is_some()),
        ("clp_threshold", link.clp_threshold.is_some()),
        ("queue_management", link.queue_management.is_some()),
        ("credit", link.credit.is_some()),
        ("errors", link.errors.is_some()),
        ("misinsertion", link.misinsertion.is_some()),
        ("control", link.control.is_some()),
        (
            "priority_load",
            link.priority_load != PriorityLoad::default(),
        ),
        ("becn", link.becn.is_some()),
        ("gfc", link.gfc.is_some()),
    ];
    for (key, is_present) in of_cells {
        let message =
            "this acts on cells, and the link carries frames; leave it out, or leave out `frames`";
        require(!is_present, &at(key), message)?;
    }
    let mtu = link.mtu.map_or(0, |mtu| mtu.0.0);
    let message =
        format!("expected at most {LONGEST_PACKET} bytes where a link carries frames, found {mtu}");
    require(mtu <= LONGEST_PACKET.into(), &at("mtu"), message)
}

/// Checks the size of a queue of frames.
fn room(path: &str, framing: Framing, size: BufferSize) -> Check {
    let (amount, least, unit) = match size {
        BufferSize::Packets(packets) => (packets, 1, "packets"),
        // Room for one frame of the shortest packet, at least.
        BufferSize::Octets(octets) => (octets, framing.shortest().into(), "bytes"),
        BufferSize::Cells(_) => {
            let message = format!(
                "the link carries frames, found {size}; expected a number of packets or octets, such as \"100 packets\" or \
                 \"64 KiB\""
            );
            return Err(Problem::at(path, message));
        }
    };
    let message = format!("expected {least} to {LARGEST_BUFFER} {unit}, found {amount}");
    require((least..=LARGEST_BUFFER).contains(&amount), path, message)
}
