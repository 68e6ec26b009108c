//! Invariants of links that carry frames: their octets, by the lengths that framing gives to packets.

use celltrain_proto::frame::{Framing, LONGEST_PACKET};
use celltrain_sim::network::{Frames, LinkQuantity, Record};

use super::invariant::Invariant;
use super::report::Report;
use super::tables::{Sheet, Tables, is_near};

pub(super) const INVARIANTS: &[Invariant] = &[
    Invariant {
        name: "frames that left have the octets of their packets, and as many more as framing adds",
        check: lengths,
    },
    Invariant {
        name: "octets of frames that came to a queue have left, were dropped, or wait there",
        check: conservation,
    },
    Invariant {
        name: "the octets of frames fit their number",
        check: numbers,
    },
    Invariant {
        name: "a queue of frames holds no more octets than its buffer, and its mean no more than its maximum",
        check: queues,
    },
    Invariant {
        name: "the rate of IP is the octets of packets divided by the measured time",
        check: rates,
    },
    Invariant {
        name: "the octets that a probe shows in a queue fit the cells or frames there",
        check: probes,
    },
];

/// The shortest IP packet.
const SHORTEST_PACKET: u32 = 20;
/// The longest acknowledgment, with all options of TCP. Only data are checked against an MTU, and may be cut.
const LONGEST_ACK: u32 = 80;
/// Octets of a cell.
const CELL: f64 = 53.0;

/// A row of the table.
pub(super) struct Row {
    /// The link.
    pub(super) link: usize,
    frames: Frames,
    /// The octets of the shortest and the longest frame.
    shortest: f64,
    pub(super) longest: f64,
    /// The longest packet.
    mtu: u32,
}

impl Row {
    fn new(tables: &Tables, link: usize) -> Option<Self> {
        let described = &tables.network.links[link];
        let frames = described.line.as_ref()?.frames?;
        let mtu = described.mtu.unwrap_or(LONGEST_PACKET).max(LONGEST_ACK);
        let octets = |packet: u32| f64::from(frames.framing.octets(packet));
        let [shortest, longest] = [SHORTEST_PACKET, mtu].map(octets);
        Some(Self {
            link,
            frames,
            shortest,
            longest,
            mtu,
        })
    }

    /// The fewest and the most octets that framing adds to a packet.
    fn added(&self) -> [f64; 2] {
        let added = |packet: u32| self.frames.framing.octets(packet) - packet;
        let all = || (SHORTEST_PACKET..=self.mtu).map(added);
        [all().min(), all().max()].map(|octets| octets.unwrap_or_default().into())
    }
}

/// The table, with its rows.
pub(super) fn sheet<'a>(tables: &Tables<'a>) -> (Sheet<'a>, Vec<Row>) {
    let links = 0..tables.network.links.len();
    let rows = links.filter_map(|link| Row::new(tables, link)).collect();
    (Sheet::new("frames", tables.results.table("frames")), rows)
}

/// The octets of frames that left each link; none for links that carry cells.
pub(super) fn octets_sent(tables: &Tables) -> Vec<Option<f64>> {
    let (sheet, rows) = sheet(tables);
    let mut sent = vec![None; tables.network.links.len()];
    for (row, octets) in rows.iter().zip(sheet.get("line_bytes")) {
        sent[row.link] = Some(octets);
    }
    sent
}

fn lengths(tables: &Tables, report: &mut Report) {
    let (sheet, rows) = sheet(tables);
    let [line, ip] = ["line_bytes", "ip_bytes"].map(|column| sheet.get(column));
    let sent = tables.links.get("cells_sent");
    report_rows(&sheet, &rows, report);
    for (at, row) in rows.iter().enumerate() {
        let frames = sent[row.link];
        let [fewest, most] = row.added().map(|octets| ip[at] + frames * octets);
        let holds = fewest <= line[at] && line[at] <= most;
        report.expect(sheet.at(at, "line_bytes"), line[at], holds, || {
            format!("from {fewest} to {most}: {} in {frames} frames", ip[at])
        });
        let [fewest, most] = [SHORTEST_PACKET, row.mtu].map(|octets| frames * f64::from(octets));
        let holds = fewest <= ip[at] && ip[at] <= most;
        report.expect(sheet.at(at, "ip_bytes"), ip[at], holds, || {
            format!("from {fewest} to {most}: {frames} packets")
        });
        // Without an octet added, both are the same.
        if row.frames.framing == Framing::RawIp {
            report.equal(sheet.at(at, "line_bytes"), line[at], ip[at], "ip_bytes");
        }
    }
}

/// Expects a row for each link that carries frames.
fn report_rows(sheet: &Sheet, rows: &[Row], report: &mut Report) {
    if let Some(table) = sheet.table {
        let shown = table.numbers_of("line_bytes").len();
        let at = sheet.at(shown, "line_bytes");
        report.equal(at, shown as f64, rows.len() as f64, "rows of it");
    } else if let Some(row) = rows.first() {
        let place = sheet.at(0, "line_bytes");
        report.equal(place, 0.0, row.link as f64 + 1.0, "there is no table");
    }
}

fn conservation(tables: &Tables, report: &mut Report) {
    let (sheet, rows) = sheet(tables);
    let columns = [
        "offered_bytes",
        "lost_bytes",
        "line_bytes",
        "queue_max_bytes",
    ];
    let [offered, lost, sent, most] = columns.map(|column| sheet.get(column));
    for at in 0..rows.len() {
        let left = offered[at] - lost[at] - sent[at];
        // At either end of the measured interval, no more octets wait than the maximum.
        let least = if tables.is_from_start() {
            0.0
        } else {
            -most[at]
        };
        report.expect(
            sheet.at(at, "offered_bytes"),
            offered[at],
            least <= left && left <= most[at],
            || {
                format!(
                    "those lost ({}), those sent ({}), and {least} to {} that wait",
                    lost[at], sent[at], most[at]
                )
            },
        );
    }
}

/// Columns of octets, each with the column of `links` that counts the frames.
const COUNTED: [[&str; 2]; 5] = [
    ["line_bytes", "cells_sent"],
    ["offered_bytes", "cells_offered"],
    ["lost_bytes", "cells_lost"],
    ["queue_mean_bytes", "queue_mean_cells"],
    ["queue_max_bytes", "queue_max_cells"],
];

fn numbers(tables: &Tables, report: &mut Report) {
    let (sheet, rows) = sheet(tables);
    for [octets, frames] in COUNTED {
        let (values, counts) = (sheet.get(octets), tables.links.get(frames));
        for (at, row) in rows.iter().enumerate() {
            let (value, count) = (values[at], counts[row.link]);
            let [least, most] = [row.shortest * count, row.longest * count];
            // A mean over time is subject to rounding.
            let holds = (least <= value || is_near(least, value))
                && (value <= most || is_near(value, most));
            report.expect(sheet.at(at, octets), value, holds, || {
                format!("from {least} to {most}: those of {count} {frames}")
            });
        }
    }
}

fn queues(tables: &Tables, report: &mut Report) {
    let (sheet, rows) = sheet(tables);
    let means = sheet.get("queue_mean_bytes");
    for (at, most) in sheet.get("queue_max_bytes").into_iter().enumerate() {
        let room = rows[at].frames.room as f64;
        report.at_most(sheet.at(at, "queue_max_bytes"), most, room, "its buffer");
        let mean = means[at];
        let holds = mean >= 0.0 && (mean <= most || is_near(mean, most));
        report.expect(sheet.at(at, "queue_mean_bytes"), mean, holds, || {
            format!("from 0 to queue_max_bytes ({most})")
        });
    }
}

fn rates(tables: &Tables, report: &mut Report) {
    let (sheet, _) = sheet(tables);
    let octets = sheet.get("ip_bytes");
    for (at, rate) in sheet.get("ip_rate_bps").into_iter().enumerate() {
        let expected = octets[at] * 8.0 / tables.measured_s();
        let holds = is_near(rate, expected);
        report.expect(sheet.at(at, "ip_rate_bps"), rate, holds, || {
            format!("{expected}: ip_bytes x 8 / measured time")
        });
    }
}

fn probes(tables: &Tables, report: &mut Report) {
    let (sheet, rows) = sheet(tables);
    let most = sheet.get("queue_max_bytes");
    let probes = tables.network.probes.iter().zip(&tables.results.traces);
    for (probe, table) in probes {
        let trace = Sheet::new(&probe.name, Some(table));
        let column = |record: Record| {
            let mut columns = probe.columns.iter();
            columns.find(|(_, it)| *it == record).map(|it| &it.0)
        };
        for (link, described) in tables.network.links.iter().enumerate() {
            let Some(name) = column(Record::Link(link, LinkQuantity::QueueOctets)) else {
                continue;
            };
            if described.line.is_none() {
                continue;
            }
            let at = rows.iter().position(|row| row.link == link);
            let [shortest, longest] =
                at.map_or([CELL; 2], |at| [rows[at].shortest, rows[at].longest]);
            let units = column(Record::Link(link, LinkQuantity::Queue));
            let units = units.map_or_else(Vec::new, |column| trace.get(column));
            for (sample, octets) in trace.get(name).into_iter().enumerate() {
                let place = trace.at(sample, name);
                if let Some(at) = at {
                    report.at_most(place, octets, most[at], "the most");
                }
                if let Some(units) = units.get(sample) {
                    let [least, most] = [shortest * units, longest * units];
                    report.expect(place, octets, (least..=most).contains(&octets), || {
                        format!("from {least} to {most}: those of {units} cells or frames")
                    });
                }
            }
        }
    }
}
