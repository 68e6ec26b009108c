//! The payload: octets that cannot be compressed along the path.

use celltrain_proto::random::SplitMix64;

use crate::order::Order;
use crate::pattern::Pattern;

/// As many octets as the largest write of an order.
pub(super) fn payload(order: &Order) -> Vec<u8> {
    let of_messages = match &order.pattern {
        Pattern::Messages(messages) => messages.iter().map(|it| it.write).max().unwrap_or(0),
        _ => 0,
    };
    let size = order.write.max(of_messages) as usize;
    // Cheap, and it only has to be incompressible.
    let mut words = SplitMix64(u64::from(order.stream));
    let octets = (0..size.div_ceil(8)).flat_map(|_| words.word().to_ne_bytes());
    octets.take(size).collect()
}
