//! Cycles of links that ask each other.
//!
//! Before a queue takes cells up to an instant, it asks the links upstream up to an earlier instant: earlier by their
//! latency, which is the delay plus, where that is certain, the transmission time of a cell. On a cycle of links (VCs
//! that cross a LAN both ways, or a ring) requests go round. Each round reaches back by the latency of the cycle, until
//! everything there is up to date. With no latency requests would go round forever; with very little, they would overflow
//! the stack. So the shortest cycles are opened by evaluating links cell by cell, because such links ask nothing. If
//! other cycles remain, everything is advanced often enough to keep the rounds few.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use celltrain_proto::units::Span;

use crate::engine::plan::decided::Decided;
use crate::engine::plan::facts::Facts;
use crate::engine::state::mode::{Mode, Why};
use crate::engine::state::time::CHUNK;
use crate::network::Line;

/// Cycles with less latency are opened.
///
/// Measured: with 100 [`ROUNDS`] a ring in trains breaks even with an opened one a little above this latency. TCP over
/// three mere delays takes 2.4 times the CPU time of the opened ring at 60 ns, 1.2 times at 120 ns, and 0.9 times at 300
/// ns. So a smaller constant makes short rings slower, and one above 300 ns opens rings that are faster in trains. A
/// queue of constant rate adds the transmission time of a cell, so only cycles without one are this short; 100 ns are 20
/// m of cable.
const LEAST: Span = Span::from_ps(100_000);
/// The number of rounds of the shortest cycle after which everything is advanced; requests go round at most twice as
/// often.
///
/// Requests are nested calls, as deep as the rounds times the links of the cycle. Half a million rounds overflowed the
/// stack; how many fit has not been measured, and 100 are far below that. With fewer rounds everything is advanced more
/// often: TCP over a ring of 120 ns takes 7 times the CPU time with 10 rounds, and 0.4 times with 1,000.
const ROUNDS: u64 = 100;
/// With more links than this on cycles, the shortest cycles are not searched for: the latency of each link stands for
/// that of its cycle.
///
/// The search takes time proportional to the square of the number of links: 0.2 s for a ring of 2,000 links and 1 s for
/// 4,000, where everything else before the run takes 0.1 s and 0.2 s. Without the search everything is advanced more
/// often than necessary, and each link of less than [`LEAST`] is evaluated cell by cell; results are the same.
const MANY: usize = 2_000;

/// Opens the shortest cycles; returns how often everything must be advanced.
pub(super) fn open(facts: &Facts, decided: &mut Decided) -> Span {
    loop {
        let next = next_links(facts, decided);
        let on_circles = on_circles(&next);
        let links = 0..next.len();
        let latency: Vec<Span> = links.map(|link| latency(facts, decided, link)).collect();
        let shortest = shortest(&next, &on_circles, &latency);
        let short = shortest.iter().filter(|&&(_, round)| round < LEAST);
        let short: Vec<usize> = short.map(|&(link, _)| link).collect();
        if short.is_empty() {
            let least = shortest.iter().map(|&(_, round)| round).min();
            return least.map_or(CHUNK, |round| CHUNK.min(round * ROUNDS));
        }
        for link in short {
            decided.evaluate(link, Mode::PerCell, Why::ShortCircle);
        }
    }
}

/// By link: the links to which its cells go next, if both ask upstream.
fn next_links(facts: &Facts, decided: &Decided) -> Vec<BTreeSet<usize>> {
    let mut next = vec![BTreeSet::new(); facts.links.len()];
    for direction in facts.directions() {
        let mut before = None;
        for link in facts.way(direction).map(|hop| facts.link_of(hop)) {
            // It has no stage, so requests pass it.
            if facts.links[link].is_transparent {
                continue;
            }
            let asks = !decided.mode(link).is_per_cell();
            if let Some(before) = before.filter(|_| asks) {
                let next: &mut BTreeSet<usize> = &mut next[before];
                next.insert(link);
            }
            before = asks.then_some(link);
        }
    }
    next
}

/// The shortest time in which a cell crosses a link.
fn latency(facts: &Facts, decided: &Decided, link: usize) -> Span {
    let rated = facts.network.links[link].line.as_ref();
    let transmission = rated.filter(|_| decided.mode(link).takes_time());
    let transmission = transmission.map(Line::shortest_transmission);
    facts.links[link].delay + transmission.unwrap_or(Span::ZERO)
}

/// The links on cycles or between them: all others have no successor or no predecessor among these.
fn on_circles(next: &[BTreeSet<usize>]) -> Vec<bool> {
    let mut is_left = vec![true; next.len()];
    loop {
        let mut has_before = vec![false; next.len()];
        let left = |link: &usize| is_left[*link];
        for from in (0..next.len()).filter(left) {
            for &to in &next[from] {
                has_before[to] = true;
            }
        }
        let ends = |&link: &usize| {
            is_left[link] && !(has_before[link] && next[link].iter().any(|&to| is_left[to]))
        };
        let out: Vec<usize> = (0..next.len()).filter(ends).collect();
        if out.is_empty() {
            return is_left;
        }
        for link in out {
            is_left[link] = false;
        }
    }
}

/// The links on cycles, each with a lower bound on the latency of its shortest cycle.
fn shortest(next: &[BTreeSet<usize>], on_circles: &[bool], latency: &[Span]) -> Vec<(usize, Span)> {
    let links: Vec<usize> = (0..next.len()).filter(|&link| on_circles[link]).collect();
    if links.len() > MANY {
        return links
            .into_iter()
            .map(|link| (link, latency[link]))
            .collect();
    }
    let rounds = links.iter().filter_map(|&link| {
        let round = round_from(link, next, on_circles, latency)?;
        Some((link, round))
    });
    rounds.collect()
}

/// The latency of the shortest cycle through a link (Dijkstra).
fn round_from(
    start: usize,
    next: &[BTreeSet<usize>],
    on_circles: &[bool],
    latency: &[Span],
) -> Option<Span> {
    let mut known = vec![Span::MAX; next.len()];
    let mut open = BinaryHeap::from([Reverse((latency[start], start))]);
    while let Some(Reverse((passed, link))) = open.pop() {
        for &to in next[link].iter().filter(|&&to| on_circles[to]) {
            if to == start {
                return Some(passed);
            }
            let passed = Span::from_ps(passed.as_ps().saturating_add(latency[to].as_ps()));
            if passed < known[to] {
                known[to] = passed;
                open.push(Reverse((passed, to)));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(ns: u64) -> Span {
        Span::from_ps(1_000 * ns)
    }

    /// 0 leads to a cycle of 1, 2 and 3, with a shorter path from 3 through 4; 5 comes after it.
    fn network() -> Vec<BTreeSet<usize>> {
        let next: [&[usize]; 6] = [&[1], &[2], &[3], &[1, 4, 5], &[2], &[]];
        next.map(|to| to.iter().copied().collect()).into()
    }

    #[test]
    fn what_leads_to_a_circle_or_away_from_it_is_on_none() {
        let expected = [false, true, true, true, true, false];
        assert_eq!(on_circles(&network()), expected);
    }

    #[test]
    fn each_link_knows_its_shortest_circle() {
        let next = network();
        let latency = [1, 50, 7, 8, 9, 1].map(ns);
        let found = shortest(&next, &on_circles(&next), &latency);
        // 1 lies only on 1, 2, 3; the others are also on 2, 3, 4.
        let expected = [(1, ns(65)), (2, ns(24)), (3, ns(24)), (4, ns(24))];
        assert_eq!(found, expected);
    }
}
