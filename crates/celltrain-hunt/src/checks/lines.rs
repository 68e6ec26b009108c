//! When frames leave lines: worked out from what came over the links, the rates and the framing, not from what engines hold.

use std::collections::BTreeMap;

use celltrain_proto::tcp::SackBlocks;
use celltrain_proto::units::Span;
use celltrain_sim::engine::{CaptureRecord, Seen, SeenLoad, SeenPacket};
use celltrain_sim::network::{Line, Link, Network};
use celltrain_sim::scenario::{Host, LineRate, OnRateChange, RateProcess};
use celltrain_verify::compare::Method;

use crate::case::{Case, Finding};

/// Octets of the headers of IP, and of IP and TCP without options.
const IP: u32 = 20;
const IP_AND_TCP: u32 = 40;

/// A frame that left a line.
#[derive(Clone, Copy, Debug)]
struct Passing {
    /// When, in ps.
    left: u64,
    direction: usize,
    /// The octets of its packet; none if they depend on options of TCP.
    packet: Option<u32>,
}

/// What was seen of a run.
#[derive(Default)]
struct Run {
    /// By link, what arrived over it, in order.
    over: BTreeMap<usize, Vec<Passing>>,
    /// By direction, when packets were handed to its host.
    sent: BTreeMap<usize, Vec<u64>>,
}

impl Run {
    fn see(&mut self, network: &Network, record: &CaptureRecord) {
        let (direction, at) = (record.direction, record.at.as_ps());
        match &record.what {
            Seen::Sent(_) => self.sent.entry(direction).or_default().push(at),
            Seen::Cell { link, load, .. } => {
                let packet = match load {
                    SeenLoad::Packet { packet, .. } => octets(network, packet),
                    _ => None,
                };
                let left = at.saturating_sub(network.links[*link].delay.as_ps());
                self.over.entry(*link).or_default().push(Passing {
                    left,
                    direction,
                    packet,
                });
            }
            Seen::Received(_) => {}
        }
    }

    /// When the frames of a direction came to its link number `hop`, if that is known.
    fn came(&self, network: &Network, direction: usize, hop: usize) -> Option<Vec<u64>> {
        if let Some(before) = hop.checked_sub(1) {
            let before = network.direction(direction).links[before];
            let delay = network.links[before].delay.as_ps();
            let passings = self.over.get(&before).into_iter().flatten();
            let of = passings.filter(|it| it.direction == direction);
            return Some(of.map(|it| it.left + delay).collect());
        }
        let nodes = &network.vcs[direction / 2].nodes;
        let hosts = nodes.iter().filter_map(|&node| network.hosts.get(node));
        let is_cut = network.path_mtu(direction / 2).is_some();
        let mut flows = network.flows.iter().filter(|it| it.vc == direction / 2);
        // Packets that wait in a host, or are cut there, come later than they are sent.
        let waits = hosts.into_iter().any(Host::takes_time)
            || flows.any(|flow| flow.udp.is_none() || is_cut && flow.is_cut());
        (!waits).then(|| self.sent.get(&direction).cloned().unwrap_or_default())
    }
}

/// The octets of an IP packet, if it has no options of TCP.
fn octets(network: &Network, packet: &SeenPacket) -> Option<u32> {
    if let Some((_, part)) = packet.fragment {
        return Some(IP + part.data);
    }
    if let Some(udp) = &network.flows[packet.flow].udp {
        return Some(udp.packet.0.0 as u32);
    }
    let segment = &packet.segment;
    let is_plain = segment.timestamp.is_none()
        && segment.mss.is_none()
        && segment.window_scale.is_none()
        && segment.sack == SackBlocks::default();
    is_plain.then(|| IP_AND_TCP + segment.len)
}

/// The rates of a line: each from its instant in ps on, and the time after which they repeat.
struct Rates {
    steps: Vec<(u64, f64)>,
    repeat: u64,
}

impl Rates {
    /// Those of a line whose rates are known beforehand, and on which a change applies at once.
    fn of(line: &Line) -> Option<Self> {
        match &line.rate {
            LineRate::Constant(_) => Some(Self {
                steps: vec![(0, line.range.high.as_bps())],
                repeat: u64::MAX,
            }),
            LineRate::Process(RateProcess::List(list)) => {
                let is_immediate = line.on_rate_change == OnRateChange::ResumeAtNewRate;
                let steps = list.rates.iter();
                let steps = steps.map(|step| (step.at.as_ps(), step.rate.as_bps()));
                is_immediate.then(|| Self {
                    steps: steps.collect(),
                    repeat: list.repeat.map_or(u64::MAX, Span::as_ps),
                })
            }
            LineRate::Process(_) => None,
        }
    }

    /// The bits from one instant to another, and how far rounding to whole picoseconds may be off.
    fn bits(&self, from: u64, to: u64) -> (f64, f64) {
        let (mut at, mut bits, mut off) = (from, 0.0, 0.0);
        let highest = self.steps.iter().fold(0.0, |most, it| f64::max(most, it.1));
        while at < to {
            let (pass, within) = (at / self.repeat, at % self.repeat);
            let next = self.steps.partition_point(|it| it.0 <= within);
            let rate = self.steps[next - 1].1;
            let end = self.steps.get(next).map_or(self.repeat, |it| it.0);
            let end = (pass.saturating_mul(self.repeat))
                .saturating_add(end)
                .min(to);
            bits += rate * (end - at) as f64 * 1e-12;
            off += 2e-12 * highest;
            at = end;
        }
        (bits, off + 1e-9 * bits + 2e-12 * highest)
    }
}

/// Whether frames arrive over a link as they left its line.
fn is_plain(link: &Link) -> bool {
    link.loss.is_none() && !link.has_varying_delay()
}

/// Checks that each frame leaves a line when the rate has sent its octets since it came and the one before left.
pub(super) fn lines(case: &Case) -> Result<(), Finding> {
    let network = &case.network;
    let framed = |link: &Link| link.line.as_ref().is_some_and(|line| line.frames.is_some());
    if !network.links.iter().any(framed) {
        return Ok(());
    }
    let Ok(results) = case.outcome(Method::Trains) else {
        return Ok(());
    };
    let lost = results.table("links");
    let lost = lost.map_or_else(Vec::new, |links| links.numbers_of("cells_lost"));
    let mut run = Run::default();
    if case.seen(&mut |record| run.see(network, record)).is_err() {
        return Ok(());
    }
    for (number, link) in network.links.iter().enumerate() {
        if is_plain(link) && framed(link) {
            // The frames that came are those that left, but for some at the end.
            let loses = network.warm_up.as_ps() > 0 || lost.get(number) != Some(&0.0);
            line(network, &run, number, loses)?;
        }
    }
    Ok(())
}

fn line(network: &Network, run: &Run, number: usize, loses: bool) -> Result<(), Finding> {
    let link = &network.links[number];
    let queue = link.line.as_ref();
    let Some((queue, frames)) = queue.and_then(|it| Some((it, it.frames?))) else {
        return Ok(());
    };
    let (Some(rates), Some(passings)) = (Rates::of(queue), run.over.get(&number)) else {
        return Ok(());
    };
    let mut came: BTreeMap<usize, Option<Vec<u64>>> = BTreeMap::new();
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut before = 0;
    for passing in passings {
        let direction = passing.direction;
        let count = counts.entry(direction).or_default();
        let of = came.entry(direction).or_insert_with(|| {
            let links = &network.direction(direction).links;
            let hop = links.iter().position(|&it| it == number)?;
            run.came(network, direction, hop).filter(|_| !loses)
        });
        let came = of.as_ref().and_then(|it| it.get(*count)).copied();
        *count += 1;
        let start = before.max(came.unwrap_or(0));
        before = passing.left;
        let Some(packet) = passing.packet else {
            continue;
        };
        let bits = 8.0 * f64::from(frames.framing.octets(packet));
        let (sent, off) = rates.bits(start, passing.left);
        let is_early = sent < bits - off;
        let is_late = came.is_some() && sent > bits + off;
        if is_early || is_late || start > passing.left {
            let name = link.unique_name();
            let left = passing.left;
            return Err(Finding {
                check: "lines",
                kind: if is_late { "late" } else { "early" }.to_owned(),
                text: format!(
                    "a frame of {bits} bits on link {name} starts at {start} ps and leaves at {left} ps, after {sent} bits"
                ),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn case() -> Case {
        let rates = json!([{"at": "0 s", "rate": "8 Mbit/s"}, {"at": "3 ms", "rate": "0 bit/s"}, {"at": "5 ms", "rate": "2 Mbit/s"}]);
        let udp = |packet: &str| json!({"packet": packet, "traffic": {"process": "poisson", "rate": "3 Mbit/s"}});
        let scenario: Value = json!({
            "measure": {"duration": "50 ms"},
            "hosts": {"a": {}, "b": {}},
            "switches": {"s": {}},
            "links": {
                "in": {"between": ["a", "s"], "delay": "1 ms", "rate": "9 Mbit/s", "buffer": "900 packets", "frames": "gpon"},
                "out": {"between": ["s", "b"], "delay": "1 ms", "buffer": "900 packets", "frames": "ethernet",
                    "rate": {"process": "list", "rates": rates, "repeat": "20 ms"}},
            },
            "vcs": {"v": {"route": ["a", "s", "b"]}, "w": {"route": ["a", "s", "b"]}},
            "flows": {"f": {"vc": "v", "udp": udp("1400 bytes")}, "g": {"vc": "w", "udp": udp("50 bytes")}},
        });
        Case::new(scenario, 1).unwrap()
    }

    /// The finding if the frame that leaves `link` last but one does so this much later.
    fn shifted(link: usize, ps: i64) -> Option<String> {
        let case = case();
        let mut run = Run::default();
        case.seen(&mut |record| run.see(&case.network, record))
            .unwrap();
        let passings = run.over.get_mut(&link).unwrap();
        assert!(passings.len() > 10);
        let place = passings.len() - 2;
        passings[place].left = passings[place].left.checked_add_signed(ps).unwrap();
        let found = line(&case.network, &run, link, false);
        found.err().map(|it| it.kind)
    }

    #[test]
    fn a_frame_that_leaves_too_early_or_too_late_is_found() {
        assert_eq!(lines(&case()), Ok(()));
        let links = case().network.links;
        let link = |name: &str| {
            links
                .iter()
                .position(|it| it.unique_name() == name)
                .unwrap()
        };
        for name in ["in", "out"] {
            assert_eq!(shifted(link(name), 0), None);
            assert_eq!(shifted(link(name), -100_000).as_deref(), Some("early"));
            assert!(shifted(link(name), 100_000).is_some());
        }
    }

    #[test]
    fn bits_are_those_of_each_rate() {
        let rates = Rates {
            steps: vec![(0, 1e12), (3, 0.0), (5, 2e12)],
            repeat: 10,
        };
        let bits = |from, to| rates.bits(from, to).0;
        assert!((bits(0, 10) - 13.0).abs() < 1e-9);
        assert!((bits(2, 14) - (1.0 + 10.0 + 3.0)).abs() < 1e-9);
        assert!(bits(3, 5).abs() < 1e-9);
    }
}
