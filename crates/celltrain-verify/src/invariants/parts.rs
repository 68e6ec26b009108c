//! Invariants of the parts of the measured interval.

use celltrain_proto::schedule::Queues;
use celltrain_sim::network::Line;
use celltrain_sim::scenario::LineRate;

use super::frames;
use super::invariant::Invariant;
use super::report::Report;
use super::tables::{Sheet, Tables, is_near};

pub(super) const INVARIANTS: &[Invariant] = &[
    Invariant {
        name: "parts follow one another from the warm-up to the end",
        check: bounds,
    },
    Invariant {
        name: "in each part the queue's mean is between its minimum and its maximum",
        check: means,
    },
    Invariant {
        name: "the longest and the mean queue of all parts are those of the link, if its algorithm observes the whole queue",
        check: wholes,
    },
    Invariant {
        name: "a line whose queue is never empty is never idle",
        check: never_rests,
    },
];

/// The table, and the number of rows per link.
fn sheet<'a>(tables: &Tables<'a>) -> (Sheet<'a>, usize) {
    let sheet = Sheet::new("link_parts", tables.results.table("link_parts"));
    (sheet, tables.network.parts as usize)
}

fn bounds(tables: &Tables, report: &mut Report) {
    let (sheet, parts) = sheet(tables);
    let [numbers, from, to] = ["part", "from_s", "to_s"].map(|column| sheet.get(column));
    for row in 0..numbers.len() {
        let number = row % parts;
        report.equal(
            sheet.at(row, "part"),
            numbers[row],
            number as f64 + 1.0,
            "its number",
        );
        let start = if number == 0 {
            tables.network.warm_up.as_secs()
        } else {
            to[row - 1]
        };
        report.equal(
            sheet.at(row, "from_s"),
            from[row],
            start,
            "where the previous one ends",
        );
        if number + 1 == parts {
            report.equal(
                sheet.at(row, "to_s"),
                to[row],
                tables.network.end.as_secs(),
                "the end",
            );
        }
        report.expect(sheet.at(row, "to_s"), to[row], to[row] > from[row], || {
            format!("above {}: from_s", from[row])
        });
    }
}

const QUEUES: [&str; 3] = [
    "controlled_queue_min_cells",
    "controlled_queue_mean_cells",
    "controlled_queue_max_cells",
];

fn means(tables: &Tables, report: &mut Report) {
    let (sheet, _) = sheet(tables);
    let [least, mean, most] = QUEUES.map(|column| sheet.get(column));
    for row in 0..mean.len() {
        let holds = (least[row] <= mean[row] || is_near(least[row], mean[row]))
            && (mean[row] <= most[row] || is_near(mean[row], most[row]));
        report.expect(sheet.at(row, QUEUES[1]), mean[row], holds, || {
            format!("from {} to {}", least[row], most[row])
        });
    }
}

/// The links that have rows, with their numbers.
fn lines<'a>(tables: &Tables<'a>) -> impl Iterator<Item = (usize, &'a Line)> {
    let links = tables.network.links.iter().enumerate();
    links.filter_map(|(number, link)| Some((number, link.line.as_ref()?)))
}

/// Whether the queue that the algorithm observes is the whole queue.
fn is_whole(line: &Line) -> bool {
    line.scheduling.queues() != Queues::PerClass || line.control.is_none()
}

fn wholes(tables: &Tables, report: &mut Report) {
    let (sheet, parts) = sheet(tables);
    let columns = ["from_s", "to_s", QUEUES[1], QUEUES[2]];
    let [from, to, means, maxima] = columns.map(|column| sheet.get(column));
    if maxima.is_empty() {
        return;
    }
    let links = &tables.links;
    let [mean, most] = ["queue_mean_cells", "queue_max_cells"].map(|column| links.get(column));
    for (place, (link, _)) in lines(tables)
        .enumerate()
        .filter(|(_, (_, line))| is_whole(line))
    {
        let rows = place * parts..(place + 1) * parts;
        let longest = maxima[rows.clone()].iter().copied().fold(0.0, f64::max);
        report.equal(
            links.at(link, "queue_max_cells"),
            most[link],
            longest,
            "the longest of the parts",
        );
        let area: f64 = rows.map(|row| means[row] * (to[row] - from[row])).sum();
        let expected = area / tables.measured_s();
        report.expect(
            links.at(link, "queue_mean_cells"),
            mean[link],
            is_near(mean[link], expected),
            || format!("{expected}: the mean of the parts, weighted by length"),
        );
    }
}

fn never_rests(tables: &Tables, report: &mut Report) {
    let (sheet, parts) = sheet(tables);
    let shortest = sheet.get(QUEUES[0]);
    if shortest.is_empty() {
        return;
    }
    let links = &tables.links;
    let [sent, rates] = ["cells_sent", "mean_rate_bps"].map(|column| links.get(column));
    let octets = frames::octets_sent(tables);
    let longest = frames::sheet(tables).1;
    for (place, (link, line)) in lines(tables).enumerate() {
        let is_plain = matches!(line.rate, LineRate::Constant(_)) && line.credit.is_none();
        let is_never_empty = shortest[place * parts..(place + 1) * parts]
            .iter()
            .all(|&it| it > 0.0);
        if is_whole(line) && is_plain && is_never_empty {
            // A cell is in transmission at the end, and another was at the start; the time of each is rounded to 1 ps.
            let unit = longest.iter().find(|it| it.link == link);
            let unit = unit.map_or(424.0, |it| 8.0 * it.longest);
            let gone = octets[link].map_or(sent[link] * 424.0, |octets| 8.0 * octets);
            let rounded = sent[link] * 1e-12 * rates[link];
            let least = rates[link] * tables.measured_s() - unit - rounded;
            report.expect(
                links.at(link, "cells_sent"),
                sent[link],
                gone >= least,
                || format!("at least {least} bits, if the line is never idle, not {gone}"),
            );
        }
    }
}
