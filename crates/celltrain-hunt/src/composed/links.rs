//! The tables of links.

use serde_json::Value;

use super::frames;
use super::graph::{Graph, Kind, Line};
use super::lines;
use super::pen::Pen;
use super::queues;
use super::rated::Rated;
use super::recording::{self, Recording};
use super::taste::Wish;
use super::units::{self, Table, US, put};

/// The section of links; each gives the graph its lines.
pub(super) fn section(pen: &mut Pen, graph: &mut Graph) -> Table {
    let mut links = Table::new();
    let mut edges = graph.edges.clone();
    // The order of links must not follow from that of nodes.
    if pen.chance(0.3) {
        pen.dice.shuffle(&mut edges);
    }
    for (number, [a, b]) in edges.into_iter().enumerate() {
        if graph.is(a, Kind::Lan) || graph.is(b, Kind::Lan) {
            continue;
        }
        let (a, b) = if pen.chance(0.3) { (b, a) } else { (a, b) };
        // Both directions carry the same, because a VC has both.
        let framed = pen.frames();
        if pen.chance(0.6) || pen.wants(Wish::OneWay) {
            let names = [format!("there{number}"), format!("back{number}")];
            for (name, ends) in names.iter().zip([(a, b), (b, a)]) {
                one_way(pen, graph, &mut links, name, (ends, framed));
            }
        } else {
            let name = format!("l{number}");
            both_ways(pen, graph, &mut links, &name, ((a, b), framed));
        }
    }
    links
}

/// The ends of a link, and whether it carries frames if it has a rate.
type Ends = ((usize, usize), bool);

fn one_way(pen: &mut Pen, graph: &mut Graph, links: &mut Table, name: &str, between: Ends) {
    let (ends, framed) = between;
    let mut link = Table::new();
    put(&mut link, "from", graph.name(ends.0));
    put(&mut link, "to", graph.name(ends.1));
    let member = member(graph, ends);
    let mut hop = contents(pen, &mut link, name, (graph.nodes[ends.0].kind, framed));
    echo(pen, graph, links, (&mut link, &mut hop, framed), name);
    hop.name = format!("{name}{member}");
    graph.lines.push(hop);
    graph.line.insert(ends, graph.lines.len() - 1);
    links.insert(name.to_owned(), Value::Object(link));
}

fn both_ways(pen: &mut Pen, graph: &mut Graph, links: &mut Table, name: &str, between: Ends) {
    let (ends, framed) = between;
    let mut link = Table::new();
    put(
        &mut link,
        "between",
        vec![graph.name(ends.0), graph.name(ends.1)],
    );
    // What only switches do must be right in both directions.
    let switchless = !graph.is(ends.1, Kind::Switch);
    let from = graph.nodes[if switchless { ends.1 } else { ends.0 }].kind;
    let hop = contents(pen, &mut link, name, (from, framed));
    let member = member(graph, ends);
    let hop = Line {
        name: format!("{name}{member}"),
        ..hop
    };
    let other = Line {
        name: format!("{}.back", hop.name),
        ..hop.clone()
    };
    for (hop, way) in [(hop, ends), (other, (ends.1, ends.0))] {
        graph.lines.push(hop);
        graph.line.insert(way, graph.lines.len() - 1);
    }
    links.insert(name.to_owned(), Value::Object(link));
}

/// What the name of a link has after it in probes: groups have links for each member.
fn member(graph: &Graph, ends: (usize, usize)) -> &'static str {
    let is_group = [ends.0, ends.1]
        .iter()
        .any(|&end| graph.nodes[end].count.is_some());
    if is_group { "1" } else { "" }
}

/// Sometimes makes a one-way link like the one before it, as lines of one kind are.
fn echo(
    pen: &mut Pen,
    graph: &Graph,
    links: &Table,
    made: (&mut Table, &mut Line, bool),
    name: &str,
) {
    let before = links.iter().next_back().zip(graph.lines.last());
    let Some(((_, Value::Object(before)), hop)) = before else {
        return;
    };
    // What a switch does, a host or router may not.
    let carries = hop.rate.is_none() || hop.framing.is_some() == made.2;
    let is_fit = carries
        && before.contains_key("from")
        && !before.contains_key("becn")
        && !before.contains_key("credit");
    if !is_fit || !pen.chance(pen.taste.echo) {
        return;
    }
    let (link, own, _) = made;
    let ends: Vec<(String, Value)> = ["from", "to"]
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), link.get(key)?.clone())))
        .collect();
    let others = before
        .iter()
        .filter(|(key, _)| !["from", "to"].contains(&key.as_str()));
    *link = ends
        .into_iter()
        .chain(others.map(|(key, value)| (key.clone(), value.clone())))
        .collect();
    *own = Line {
        link: name.to_owned(),
        ..hop.clone()
    };
}

/// The keys of a link beside its ends.
fn contents(pen: &mut Pen, link: &mut Table, name: &str, (from, framed): (Kind, bool)) -> Line {
    let may_be_rated = match from {
        Kind::Host => pen.chance(if framed { 0.6 } else { 0.35 }),
        _ => pen.chance(0.75),
    };
    let is_rated = may_be_rated && !pen.wants(Wish::NoRate);
    let recorded = if pen.wants(Wish::Schedule) {
        recording::draw(pen, is_rated)
    } else {
        Recording::default()
    };
    link.extend(recorded.schedule);
    if !recorded.has_delay {
        delay(pen, link);
    }
    if !recorded.has_loss && pen.wants(Wish::Loss) {
        put(link, "loss", lines::loss(pen));
    }
    let has_cells = !(framed && is_rated);
    if has_cells && pen.wants(Wish::Errors) {
        put(link, "errors", lines::loss(pen));
    }
    if has_cells && pen.wants(Wish::Misinsertion) {
        let rate = pen.pick(&["0.1 cells/s", "1 cells/s", "20 cells/s"]);
        put(link, "misinsertion", serde_json::json!({"rate": rate}));
    }
    if pen.wants(Wish::Jitter) {
        put(link, "jitter", lines::jitter(pen));
    }
    let mut hop = Line {
        name: name.to_owned(),
        link: name.to_owned(),
        rate: None,
        floor: u64::MAX,
        booked: 0,
        mtu: u64::MAX,
        credit: false,
        frames: false,
        framing: None,
    };
    if is_rated {
        let rated = recorded.rated.unwrap_or_else(|| {
            let mut rated = lines::rate(pen);
            if framed && pen.chance(0.5) {
                rated.gather(pen);
            }
            put(link, "rate", rated.value.clone());
            rated
        });
        if framed {
            line(pen, link, &mut hop, &rated);
            frames::line(pen, link, &mut hop);
            order(pen, link);
        } else {
            queue(pen, link, from, &mut hop, &rated);
        }
    }
    hop
}

/// Lets frames overtake each other on some links whose delay varies.
fn order(pen: &mut Pen, link: &mut Table) {
    let is_process = link.get("delay").is_some_and(serde_json::Value::is_object);
    let varies = is_process || link.contains_key("jitter") || link.contains_key("schedule");
    if varies && pen.chance(0.4) {
        put(link, "overtaking", pen.chance(0.9));
    }
}

/// The delay of a link, or the length that causes it.
fn delay(pen: &mut Pen, link: &mut Table) {
    if pen.wants(Wish::VaryingDelay) {
        put(link, "delay", lines::delay(pen));
        return;
    }
    let delay = pen.delay();
    // 5 us of propagation per km.
    let km = delay / (5 * US);
    if (1..=20_000).contains(&km) && delay.is_multiple_of(5 * US) && pen.chance(0.5) {
        put(link, "distance", format!("{km} km"));
    } else {
        put(link, "delay", units::time(delay));
    }
}

/// The keys of a line with a rate, whatever it carries.
fn line(pen: &mut Pen, link: &mut Table, hop: &mut Line, rated: &Rated) {
    hop.rate = Some(rated.usual);
    hop.floor = rated.floor;
    if pen.wants(Wish::FinishOld) {
        let names = [
            "finish-at-old-rate",
            "finish-at-old-rate",
            "resume-at-new-rate",
        ];
        put(
            link,
            "on_rate_change",
            if rated.bursts {
                names[2]
            } else {
                pen.pick(&names)
            },
        );
    }
    if pen.wants(Wish::Mtu) {
        hop.mtu = lines::mtu(pen);
        put(link, "mtu", units::octets(hop.mtu));
    }
}

/// The keys of a queue of cells.
fn queue(pen: &mut Pen, link: &mut Table, from: Kind, hop: &mut Line, rated: &Rated) {
    line(pen, link, hop, rated);
    let mut buffer = pen.buffer();
    // Queues that feed each other by credits need room.
    if pen.taste.likes(Wish::Credit) > 0.0 {
        buffer = buffer.max(200);
    }
    put(link, "buffer", units::cells(buffer));
    queues::keys(pen, link, from, rated, buffer, hop);
}
