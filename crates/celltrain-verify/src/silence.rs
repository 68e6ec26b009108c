//! Flows and backgrounds that had data to send but delivered nothing, or nothing for a long time.

use celltrain_proto::traffic::TrafficSource;
use celltrain_proto::units::{CELL_BITS, Span, Time};
use celltrain_sim::network::{Background, Flow, Network, UNLIMITED, VcDirection};
use celltrain_sim::scenario::{Application, Files, Start, Thinks, Traffic, WarningCode};

/// A greedy connection that delivers nothing new for this long and for half of the measured interval is reported. BSD's
/// longest time-out, 64 s, is no reason for a longer time, because shorter intervals are reported, too.
const LONG: Span = Span::from_secs(60);
/// Exponential times rarely exceed this many means.
const MEANS: f64 = 10.0;
/// Packets or cells that a source must have sent if it is unknown when it has data.
const SOME: f64 = 3.0;
/// Octets of the IP and TCP headers.
const HEADERS: u64 = 40;

/// Columns of the tables of results, by row.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Of `flows`.
    pub delivered_bytes: Vec<f64>,
    /// Of `flows`.
    pub segments_sent: Vec<f64>,
    /// Of `flows`.
    pub longest_idle_s: Vec<f64>,
    /// Of `vcs`.
    pub cells_sent: Vec<f64>,
    /// Of `vcs`.
    pub cells_delivered: Vec<f64>,
    /// Of `vcs`: lost in queues, by errors, or by policing.
    pub cells_lost: Vec<f64>,
}

/// Something that delivered nothing.
#[derive(Clone, PartialEq, Debug)]
pub struct Silence {
    /// [`WarningCode::NothingDelivered`], or [`WarningCode::Stalled`].
    pub code: WarningCode,
    /// `flow` or `background`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// When the silence began.
    pub since: Option<Time>,
    /// How long it lasted.
    pub lasted: Span,
    /// Where to look for the cause.
    pub look_at: String,
}

/// Flows and backgrounds that had data to send in at least half of the measured interval and delivered nothing in all of
/// it; and greedy connections that delivered nothing new for half of it and for a minute. Those that the scenario
/// silences are left out.
pub fn silences(network: &Network, measured: &Measured) -> Vec<Silence> {
    let is_admitted = |vc: usize| network.vcs[vc].is_admitted();
    let flows = network.flows.iter().enumerate();
    let flows = flows.filter(|(_, flow)| is_admitted(flow.vc));
    let flows = flows.filter_map(|(row, flow)| of_flow(network, flow, row, measured));
    let backgrounds = network.backgrounds.iter();
    let backgrounds = backgrounds.filter(|it| is_admitted(it.vc as usize));
    let backgrounds = backgrounds.filter_map(|it| of_background(network, it, measured));
    let found = flows.chain(backgrounds);
    found.filter(|it| !network.silences(it.code)).collect()
}

/// The value of a row; NaN if there is no such row.
fn at(column: &[f64], row: usize) -> f64 {
    column.get(row).copied().unwrap_or(f64::NAN)
}

fn of_flow(network: &Network, flow: &Flow, row: usize, measured: &Measured) -> Option<Silence> {
    let direction = 2 * flow.vc + flow.direction.index();
    let starts = bounds(&flow.start);
    let stops = flow.duration.map_or(network.end, |duration| {
        network.end.min(Time::ZERO + starts[0] + duration)
    });
    if at(&measured.delivered_bytes, row) > 0.0 {
        let is_greedy = flow.udp.is_none()
            && matches!(flow.application, Application::Greedy(_))
            && flow.sockets.write_rate.is_none()
            && flow.sockets.read_rate.is_none();
        let is_judged =
            is_greedy && stops == network.end && starts[1] <= network.warm_up - Time::ZERO;
        let idle = Span::from_secs_f64(at(&measured.longest_idle_s, row).max(0.0));
        let is_long = idle >= LONG && idle.as_secs() >= half(network).as_secs();
        return (is_judged && is_long).then(|| Silence {
            code: WarningCode::Stalled,
            kind: "flow",
            name: flow.name.clone(),
            since: None,
            lasted: idle,
            look_at: look_at_losses(network, measured, direction),
        });
    }
    let wait = match &flow.udp {
        Some(udp) => wait_of_traffic(&udp.traffic, 8 * udp.packet.0.0),
        None => wait_of_tcp(flow),
    };
    let sent = at(&measured.segments_sent, row);
    let (since, lasted) = silent(network, starts, wait, sent, stops)?;
    let look_at = too_large(network, flow).unwrap_or_else(|| {
        if sent > 0.0 {
            look_at_losses(network, measured, direction)
        } else {
            "nothing was sent in that time: look at acr_bps of its VC in the table vcs, or run it with --verify".to_owned()
        }
    });
    Some(Silence {
        code: WarningCode::NothingDelivered,
        kind: "flow",
        name: flow.name.clone(),
        since: Some(since),
        lasted,
        look_at,
    })
}

fn of_background(network: &Network, it: &Background, measured: &Measured) -> Option<Silence> {
    let direction = it.feeds();
    if at(&measured.cells_delivered, direction) > 0.0 {
        return None;
    }
    let wait = wait_of_traffic(&it.group.traffic, CELL_BITS);
    let sent = at(&measured.cells_sent, direction);
    let starts = bounds(&it.group.start);
    let (since, lasted) = silent(network, starts, wait, sent, network.end)?;
    Some(Silence {
        code: WarningCode::NothingDelivered,
        kind: "background",
        name: it.name(),
        since: Some(since),
        lasted,
        look_at: look_at_losses(network, measured, direction),
    })
}

/// The start and the duration of the silence of something that delivered nothing; `None` if it had too little time.
///
/// `wait` is the longest time from its start to its first data, if known; otherwise it must have sent some data.
fn silent(
    network: &Network,
    starts: [Span; 2],
    wait: Option<Span>,
    sent: f64,
    stops: Time,
) -> Option<(Time, Span)> {
    let wait = wait.or((sent >= SOME).then_some(Span::ZERO))?;
    let since = network.warm_up.max(Time::ZERO + starts[1]);
    let ready = network
        .warm_up
        .max((Time::ZERO + starts[1]).saturating_add(wait));
    let has_time = stops > ready && stops - ready >= half(network);
    has_time.then(|| (since, stops - since))
}

fn half(network: &Network) -> Span {
    Span::from_ps((network.end - network.warm_up).as_ps() / 2)
}

/// The earliest and the latest start.
fn bounds(start: &Start) -> [Span; 2] {
    match start {
        Start::At(at) => [at.0, at.0],
        Start::Random(random) => [random.uniform[0].0, random.uniform[1].0],
    }
}

/// The longest time from the start of a connection until it has data; `None` if unknown.
fn wait_of_tcp(flow: &Flow) -> Option<Span> {
    match &flow.application {
        Application::Greedy(_) => match (flow.sockets.write_rate, flow.sockets.write) {
            (None, _) => Some(Span::ZERO),
            (Some(rate), write) => {
                let octets = write.map_or(flow.tcp.mss.0.0, |write| write.0.0);
                (rate.0.as_bps() > 0.0).then(|| rate.0.span_of_bits(8.0 * octets as f64))
            }
        },
        Application::Files(files) => Some(wait_of_files(files)),
        Application::Telnet(telnet) => Some(telnet.longest_gap.0),
    }
}

fn wait_of_files(files: &Files) -> Span {
    let mean = files.first_think.unwrap_or(files.think).0;
    match files.thinks {
        Thinks::Fixed => mean,
        Thinks::Exponential => means(mean),
    }
}

/// A time in which traffic almost always supplies this many bits; `None` if that is unknown or never happens.
fn wait_of_traffic(traffic: &Traffic, bits: u64) -> Option<Span> {
    let gap = traffic.longest_gap(bits)?;
    Some(gap.least.saturating_add(means(gap.random)))
}

fn means(mean: Span) -> Span {
    Span::from_secs_f64((MEANS * mean.as_secs()).min(1e6))
}

/// What happened to the cells of a direction, in words.
fn look_at_losses(network: &Network, measured: &Measured, direction: usize) -> String {
    let of = |column: &[f64]| at(column, direction);
    let (sent, lost) = (of(&measured.cells_sent), of(&measured.cells_lost));
    // Acknowledgments may be what is damaged.
    let ways = [direction, direction ^ 1].map(|number| network.direction(number));
    let mut links = ways.into_iter().flat_map(|way| way.links.iter());
    if lost > 0.0 {
        format!("{lost} of its VC's {sent} cells were lost: the table link_vcs shows where")
    } else if let Some(&link) = links.find(|&&link| network.links[link].misinsertion.is_some()) {
        format!(
            "no cell of its VC was lost, but a misinserted cell damages the next PDU, however much later that comes: the \
             table cell_errors shows how many came by link {}",
            network.links[link].name
        )
    } else {
        "no cell of its VC was lost: run it with --verify".to_owned()
    }
}

/// A queue that cannot hold a full segment, in words.
fn too_large(network: &Network, flow: &Flow) -> Option<String> {
    // A queue may hold the fragments of a packet one after the other.
    if flow.is_cut() {
        return None;
    }
    let vc = &network.vcs[flow.vc];
    let cells = vc
        .adaptation
        .cells_for_ip(flow.tcp.agreed_mss().0 + HEADERS);
    let direction: &VcDirection = &vc.directions[flow.direction.index()];
    let small = direction.links.iter().find_map(|&link| {
        let link = &network.links[link];
        let buffer = link.line.as_ref()?.buffer;
        (buffer != UNLIMITED && u64::from(buffer) < cells).then_some((&link.name, buffer))
    });
    let (link, buffer) = small?;
    Some(format!(
        "a segment has {cells} cells, and the queue of link {link} holds {buffer}: give it more, or lower tcp.mss"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{Row, link};
    use celltrain_sim::scenario::Source;

    /// A line with one flow and one background, measured from 2 s to 12 s.
    fn network(flow: &str, background: &str, buffer: u32) -> Network {
        let text = Row::of("a b")
            .measured("2 s", "12 s")
            .link(link("line", "5 ms").queue("2 Mbit/s", buffer))
            .vc("vc", "")
            .vc("other", "")
            .flow("up", "vc", flow)
            .background("noise", "other", background)
            .toml();
        read(&text)
    }

    fn read(text: &str) -> Network {
        let scenario = Source::toml(text, "test").read().expect("a scenario");
        Network::new(&scenario).expect("a network")
    }

    #[test]
    fn misinserted_cells_are_named_where_no_cell_is_lost() {
        let text = Row::of("a b")
            .measured("2 s", "12 s")
            .link(
                link("line", "5 ms")
                    .queue("2 Mbit/s", 1_000)
                    .with("misinsertion = { rate = \"1 cell/s\" }"),
            )
            .vc("vc", "")
            .flow("up", "vc", "")
            .toml();
        let found = silences(&read(&text), &measured(0.0, 5.0, 10.0, 1.0));
        assert_eq!(found.len(), 1);
        assert!(
            found[0].look_at.contains("came by link line"),
            "{}",
            found[0].look_at
        );
    }

    const NOISE: &str = "traffic = { process = \"cbr\", rate = \"100 kbit/s\" }";

    /// One flow and two VCs, the second of which carries the background.
    fn measured(delivered: f64, sent: f64, idle: f64, background: f64) -> Measured {
        Measured {
            delivered_bytes: vec![delivered],
            segments_sent: vec![sent],
            longest_idle_s: vec![idle],
            cells_sent: vec![100.0, 0.0, background, 0.0],
            cells_delivered: vec![50.0, 0.0, background, 0.0],
            cells_lost: vec![0.0; 4],
        }
    }

    fn found(flow: &str, measured: &Measured) -> Vec<Silence> {
        silences(&network(flow, NOISE, 2000), measured)
    }

    const SECOND: u64 = 1;

    #[test]
    fn a_greedy_flow_that_delivers_nothing_is_told_from_the_start_of_measuring() {
        let all = found("", &measured(0.0, 9.0, 10.0, 1.0));
        assert_eq!(all.len(), 1);
        let it = &all[0];
        assert_eq!(
            (it.code, it.kind, it.name.as_str()),
            (WarningCode::NothingDelivered, "flow", "up")
        );
        assert_eq!(it.since, Some(Time::ZERO + Span::from_secs(2 * SECOND)));
        assert_eq!(it.lasted, Span::from_secs(10));
        assert!(found("", &measured(1.0, 9.0, 1.0, 1.0)).is_empty());
    }

    #[test]
    fn a_flow_is_judged_only_if_it_had_half_of_the_interval() {
        let nothing = measured(0.0, 0.0, 10.0, 1.0);
        assert_eq!(found("start = \"7 s\"", &nothing).len(), 1);
        assert!(found("start = \"7001 ms\"", &nothing).is_empty());
        assert!(found("start = { uniform = [\"0 s\", \"8 s\"] }", &nothing).is_empty());
        assert!(found("duration = \"6 s\"", &nothing).is_empty());
        assert_eq!(found("duration = \"8 s\"", &nothing).len(), 1);
    }

    #[test]
    fn an_application_that_thinks_has_no_data_yet() {
        let files = |think: &str| {
            format!("application = {{ kind = \"files\", size = \"10 kB\", think = \"{think}\" }}")
        };
        let nothing = measured(0.0, 0.0, 10.0, 1.0);
        assert!(found(&files("5 s"), &nothing).is_empty());
        assert_eq!(found(&files("100 ms"), &nothing).len(), 1);
    }

    #[test]
    fn packets_without_tcp_are_judged_by_their_traffic() {
        let udp =
            |traffic: &str| format!("udp = {{ packet = \"1000 bytes\", traffic = {traffic} }}");
        let nothing = measured(0.0, 0.0, f64::NAN, 1.0);
        assert_eq!(
            found(
                &udp("{ process = \"cbr\", rate = \"10 kbit/s\" }"),
                &nothing
            )
            .len(),
            1
        );
        assert!(found(&udp("{ process = \"cbr\", rate = \"1 kbit/s\" }"), &nothing).is_empty());
        let replay = udp("{ process = \"replay\", trace = \"11.9\" }");
        assert!(found(&replay, &nothing).is_empty());
        assert_eq!(found(&replay, &measured(0.0, 5.0, f64::NAN, 1.0)).len(), 1);
    }

    #[test]
    fn a_background_is_judged_by_the_cells_of_its_vc() {
        let all = found("", &measured(1.0, 9.0, 1.0, 0.0));
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].kind, all[0].name.as_str()), ("background", "noise"));
    }

    #[test]
    fn a_minute_and_half_of_the_interval_without_new_data_is_a_stall() {
        let mut network = network("", NOISE, 2000);
        network.end = Time::ZERO + Span::from_secs(122);
        let at = |idle| silences(&network, &measured(1.0, 9.0, idle, 1.0));
        assert_eq!(at(60.0)[0].code, WarningCode::Stalled);
        assert_eq!(at(60.0)[0].since, None);
        assert!(at(59.9).is_empty());
        network.end = Time::ZERO + Span::from_secs(202);
        assert!(silences(&network, &measured(1.0, 9.0, 60.0, 1.0)).is_empty());
    }

    #[test]
    fn a_queue_that_holds_no_segment_is_named() {
        let all = silences(&network("", NOISE, 100), &measured(0.0, 9.0, 10.0, 1.0));
        assert!(
            all[0].look_at.contains("the queue of link line holds 100"),
            "{}",
            all[0].look_at
        );
    }
}
