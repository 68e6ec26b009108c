//! Queues in sets of 8: a flow that finds its queue taken by another one gets a free one of the same set.
//!
//! With n flows in 1024 queues, the last one shares its queue only if all 8 of its set are taken.

/// The number of queues.
pub(super) const QUEUES: usize = 1024;
/// The queues of a set.
const WAYS: usize = 8;

/// The place of what has this tag: where it has been, a free one of its set, or its own, which is then shared.
pub(super) fn place(tags: &[u64], tag: u64, is_free: impl Fn(usize) -> bool) -> (usize, Found) {
    let own = tag as usize % QUEUES;
    let set = own - own % WAYS;
    let way = |step| set + (own + step) % WAYS;
    let first = |is_fit: &dyn Fn(usize) -> bool| (0..WAYS).map(way).find(|&at| is_fit(at));
    if let Some(at) = first(&|at| tags[at] == tag) {
        return (at, Found::Known);
    }
    match first(&is_free) {
        Some(at) => (at, Found::Free),
        None => (own, Found::Shared),
    }
}

/// What a place was before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// That of the same tag.
    Known,
    /// Free.
    Free,
    /// That of another tag, which still has it.
    Shared,
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn eight_flows_of_a_set_have_places_of_their_own_and_the_ninth_shares() {
        let mut tags = vec![0; QUEUES];
        let mut taken = vec![false; QUEUES];
        // All of them belong at 19, in the set of 16 to 23.
        let tag = |n: u64| 19 + 1024 * n;
        let places: [usize; 8] = core::array::from_fn(|n| {
            let (at, found) = place(&tags, tag(n as u64 + 1), |at| !taken[at]);
            assert_eq!(found, Found::Free);
            (tags[at], taken[at]) = (tag(n as u64 + 1), true);
            at
        });
        assert_eq!(places, [19, 20, 21, 22, 23, 16, 17, 18]);
        assert_eq!(place(&tags, tag(9), |at| !taken[at]), (19, Found::Shared));
        assert_eq!(place(&tags, tag(6), |at| !taken[at]), (16, Found::Known));
        // Where a flow has been it goes again, also if nobody has taken the place since.
        taken[22] = false;
        assert_eq!(place(&tags, tag(4), |at| !taken[at]), (22, Found::Known));
        assert_eq!(place(&tags, tag(9), |at| !taken[at]), (22, Found::Free));
    }
}
