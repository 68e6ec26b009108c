//! The payload: octets that cannot be compressed along the path.

use crate::order::Order;
use crate::pattern::Pattern;

/// As many octets as the largest write of an order.
pub(super) fn payload(order: &Order) -> Vec<u8> {
    let of_messages = match &order.pattern {
        Pattern::Messages(messages) => messages.iter().map(|it| it.write).max().unwrap_or(0),
        _ => 0,
    };
    let size = order.write.max(of_messages) as usize;
    // SplitMix64 (Steele, Lea and Flood 2014): cheap, and it only has to be incompressible.
    let mut state = u64::from(order.stream);
    let words = (0..size.div_ceil(8)).flat_map(|_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)).to_ne_bytes()
    });
    words.take(size).collect()
}
