//! Links that ask each other in a circle.
//!
//! Before a queue takes cells up to an instant it asks the links before it, up to an instant that is earlier by their
//! latency: delay, and the transmission of a cell where that is certain. On a circle of links (VCs that cross a LAN both
//! ways, or a ring) the questions go round, each round earlier by the latency of the circle, back to where all is up to
//! date. A circle of no latency would ask without end, one of very little as often as no stack holds. So the shortest
//! circles are opened by links that are evaluated cell by cell, which ask nobody, and where there are others everything is
//! brought up to date so often that the rounds stay few.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use celltrain_proto::units::Span;

use crate::engine::plan::decided::Decided;
use crate::engine::plan::facts::Facts;
use crate::engine::state::mode::{Mode, Why};
use crate::engine::state::time::CHUNK;
use crate::network::Line;

/// Circles of less latency are opened.
///
/// Measured: with 100 [`ROUNDS`] a ring in trains breaks even with an opened one a little above this latency. TCP over three
/// mere delays takes 2.4 times the CPU time of the opened ring at 60 ns, 1.2 times at 120 ns, and 0.9 times at 300 ns. So a
/// smaller constant makes short rings slower, and one above 300 ns opens rings that are faster in trains. A queue of
/// constant rate adds the time of a cell, so only circles without one are this short; 100 ns are 20 m of cable.
const LEAST: Span = Span::from_ps(100_000);
/// So many rounds go back to where all is up to date, at most twice as many.
///
/// A choice. Questions are calls within calls, as deep as rounds times links of the circle can make them. Half a million
/// rounds overflowed the stack; how many it holds has not been measured, and 100 are far from that. Fewer rounds advance all
/// more often: TCP over a ring of 120 ns takes 7 times the CPU time with 10 rounds, and 0.4 times with 1,000.
const ROUNDS: u64 = 100;
/// Of more links on circles the shortest circle is not looked for: the latency of each stands for that of its circle.
///
/// A choice. The search takes time with the square of their number: 0.2 s for a ring of 2,000 links, 1 s for 4,000, where
/// all else before the run takes 0.1 and 0.2 s. Without it all is advanced more often than it need be, and each link of less
/// than [`LEAST`] is evaluated cell by cell; results are the same.
const MANY: usize = 2_000;

/// Opens the shortest circles; how often everything is to be brought up to date.
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

/// By link: those to which its cells go on, if both ask.
fn next_links(facts: &Facts, decided: &Decided) -> Vec<BTreeSet<usize>> {
    let mut next = vec![BTreeSet::new(); facts.links.len()];
    for direction in facts.directions() {
        let mut before = None;
        for link in facts.way(direction).map(|hop| facts.link_of(hop)) {
            if facts.links[link].is_transparent() {
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

/// No cell goes over a link in less time.
fn latency(facts: &Facts, decided: &Decided, link: usize) -> Span {
    let rated = facts.network.links[link].line.as_ref();
    let transmission = rated.filter(|_| decided.mode(link).takes_time());
    let transmission = transmission.map(Line::shortest_transmission);
    facts.links[link].delay() + transmission.unwrap_or(Span::ZERO)
}

/// The links that lie on circles, or between them: the others have no successor or no predecessor among these.
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

/// The links on circles, each with the latency of the shortest one on which it lies, or less.
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

/// The latency of the shortest circle on which a link lies (Dijkstra).
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

    /// 0 leads to a circle of 1, 2 and 3, with a shorter way from 3 over 4; behind it is 5.
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
        // 1 lies on 1, 2, 3 alone; the others on 2, 3, 4.
        let expected = [(1, ns(65)), (2, ns(24)), (3, ns(24)), (4, ns(24))];
        assert_eq!(found, expected);
    }
}
