//! Invariants of connections: what is sent, retransmitted and delivered.

use celltrain_sim::network::Flow;
use celltrain_sim::scenario::{Application, Host, Sizes, TcpVariant, Thinks};

use super::invariant::Invariant;
use super::report::Report;
use super::tables::{Tables, is_near};

pub(super) const INVARIANTS: &[Invariant] = &[
    Invariant {
        name: "the throughput is the octets delivered divided by the measured time",
        check: throughput,
    },
    Invariant {
        name: "no more is delivered than segments with data carry, in a run measured from its start",
        check: delivered,
    },
    Invariant {
        name: "a segment with data is a PDU, and there are no others if no connection opens, closes or answers",
        check: segments_are_pdus,
    },
    Invariant {
        name: "packets without TCP are delivered complete",
        check: packets,
    },
    Invariant {
        name: "retransmitted segments are among those sent, and spurious time-outs among time-outs",
        check: parts_of_counts,
    },
    Invariant {
        name: "a connection does nothing that it is not configured to do",
        check: not_asked_for,
    },
    Invariant {
        name: "files of transfers that ended are delivered, one after another",
        check: transfers,
    },
    Invariant {
        name: "files and think times of fixed lengths have these means",
        check: fixed_lengths,
    },
];

/// IP and UDP headers, in octets.
const UDP_HEADERS: u64 = 28;

/// Octets of data in a packet without TCP.
fn payload(flow: &Flow) -> Option<f64> {
    let udp = flow.udp.as_ref()?;
    Some((udp.packet.0.0 - UDP_HEADERS) as f64)
}

fn throughput(tables: &Tables, report: &mut Report) {
    let flows = &tables.flows;
    let delivered = flows.get("delivered_bytes");
    for (row, (value, octets)) in { flows.get("throughput_bps") }
        .into_iter()
        .zip(delivered)
        .enumerate()
    {
        let expected = octets * 8.0 / tables.measured_s();
        report.equal(
            flows.at(row, "throughput_bps"),
            value,
            expected,
            "delivered_bytes x 8 / measured time",
        );
    }
}

fn delivered(tables: &Tables, report: &mut Report) {
    if !tables.is_from_start() {
        return;
    }
    let flows = &tables.flows;
    let (delivered, segments) = (flows.get("delivered_bytes"), flows.get("segments_sent"));
    for (row, flow) in tables.network.flows.iter().enumerate() {
        let most = payload(flow).unwrap_or(flow.tcp.mss.0.0 as f64);
        let at = flows.at(row, "delivered_bytes");
        report.at_most(
            at,
            delivered[row],
            segments[row] * most,
            "segments_sent of full length",
        );
    }
}

fn segments_are_pdus(tables: &Tables, report: &mut Report) {
    let network = tables.network;
    let (flows, pdus) = (&tables.flows, tables.vcs.get("pdus_sent"));
    let segments = flows.get("segments_sent");
    let mut sums = vec![0.0; pdus.len()];
    let mut has_others = vec![false; pdus.len()];
    for (flow, segments) in network.flows.iter().zip(&segments) {
        let ahead = 2 * flow.vc + flow.direction.index();
        sums[ahead] += segments;
        let closes = flow.duration.is_some() || matches!(flow.application, Application::Files(_));
        has_others[ahead] |= flow.udp.is_none() && (flow.tcp.handshake || closes);
        // Fragments are PDUs of their own.
        has_others[ahead] |= flow.is_cut() && network.path_mtu(flow.vc).is_some();
        has_others[ahead ^ 1] |= flow.udp.is_none();
    }
    for (row, flow) in network.flows.iter().enumerate() {
        let ahead = 2 * flow.vc + flow.direction.index();
        let nodes = &network.vcs[flow.vc].nodes;
        let hosts = [nodes.first(), nodes.last()].into_iter().flatten();
        let mut hosts = hosts.filter_map(|&node| network.hosts.get(node));
        // Packets wait before they reach the VC.
        if hosts.any(Host::takes_time) {
            continue;
        }
        let at = flows.at(row, "segments_sent");
        let holds = if has_others[ahead] {
            sums[ahead] <= pdus[ahead]
        } else {
            sums[ahead] == pdus[ahead]
        };
        report.expect(at, segments[row], holds, || {
            format!(
                "with the other flows of the VC ({} in all) the {} pdus_sent there, or fewer",
                sums[ahead], pdus[ahead]
            )
        });
    }
}

fn packets(tables: &Tables, report: &mut Report) {
    let flows = &tables.flows;
    let delivered = flows.get("delivered_bytes");
    for (row, flow) in tables.network.flows.iter().enumerate() {
        let Some(payload) = payload(flow) else {
            continue;
        };
        let rest = if payload > 0.0 {
            delivered[row] % payload
        } else {
            delivered[row]
        };
        let at = flows.at(row, "delivered_bytes");
        report.expect(at, delivered[row], rest == 0.0, || {
            format!("a multiple of {payload}: the data of a packet")
        });
    }
}

fn parts_of_counts(tables: &Tables, report: &mut Report) {
    let flows = &tables.flows;
    for [part, whole] in [
        ["segments_retransmitted", "segments_sent"],
        ["spurious_timeouts", "timeouts"],
    ] {
        let wholes = flows.get(whole);
        for (row, value) in flows.get(part).into_iter().enumerate() {
            report.at_most(flows.at(row, part), value, wholes[row], whole);
        }
    }
}

fn not_asked_for(tables: &Tables, report: &mut Report) {
    let flows = &tables.flows;
    let mut none = |columns: &[&str], why: &str, applies: &dyn Fn(&Flow) -> bool| {
        for column in columns {
            for (row, value) in flows.get(column).into_iter().enumerate() {
                if applies(&tables.network.flows[row]) {
                    report.equal(flows.at(row, column), value, 0.0, why);
                }
            }
        }
    };
    let of_tcp = [
        "segments_retransmitted",
        "timeouts",
        "fast_retransmits",
        "rtt_samples",
        "rtt_once_samples",
        "rtt_timed_samples",
        "spurious_timeouts",
        "tail_probes",
        "reductions_undone",
    ];
    none(&of_tcp, "there is no TCP", &|flow| flow.udp.is_some());
    none(&["ecn_reductions"], "ecn is off", &|flow| {
        !flow.tcp.ecn || flow.udp.is_some()
    });
    none(&["tail_probes"], "there are no probes", &|flow| {
        !flow.tcp.tail_loss_probe
    });
    none(&["reductions_undone"], "nothing is undone", &|flow| {
        !(flow.tcp.undo || flow.tcp.frto)
    });
    none(
        &["fast_retransmits"],
        "duplicate ACKs are ignored",
        &|flow| matches!(flow.tcp.variant, TcpVariant::Bsd43TahoeNoFastRetransmit(_)),
    );
    let of_files = ["transfers", "transfers_failed"];
    none(&of_files, "there are no files", &|flow| {
        !matches!(flow.application, Application::Files(_))
    });
}

fn transfers(tables: &Tables, report: &mut Report) {
    if !tables.is_from_start() {
        return;
    }
    let flows = &tables.flows;
    let [transfers, octets, delivered, times] = [
        "transfers",
        "transfer_mean_bytes",
        "delivered_bytes",
        "transfer_mean_s",
    ]
    .map(|column| flows.get(column));
    for (row, &count) in transfers.iter().enumerate().filter(|it| *it.1 > 0.0) {
        // A mean of octets is a quotient of whole numbers; multiplied by the count, it may differ by rounding.
        let of_files = (octets[row] * count).round();
        let at = flows.at(row, "delivered_bytes");
        report.at_least(
            at,
            delivered[row],
            of_files,
            "octets of the files whose transfers ended",
        );
        let time = times[row] * count;
        let is_within = time <= tables.measured_s() || is_near(time, tables.measured_s());
        report.expect(
            flows.at(row, "transfer_mean_s"),
            times[row],
            is_within,
            || format!("{count} transfers within {} s", tables.measured_s()),
        );
    }
}

fn fixed_lengths(tables: &Tables, report: &mut Report) {
    let flows = &tables.flows;
    let [octets, thinks] = ["transfer_mean_bytes", "think_mean_s"].map(|column| flows.get(column));
    for (row, flow) in tables.network.flows.iter().enumerate() {
        let Application::Files(files) = &flow.application else {
            continue;
        };
        if files.sizes == Sizes::Fixed && !octets[row].is_nan() {
            let size = files.size.0.0 as f64;
            report.equal(
                flows.at(row, "transfer_mean_bytes"),
                octets[row],
                size,
                "the size of each file",
            );
        }
        let first = files.first_think.map_or(files.think, |first| first);
        if files.thinks == Thinks::Fixed && first == files.think && !thinks[row].is_nan() {
            let think = files.think.0.as_secs();
            report.expect(
                flows.at(row, "think_mean_s"),
                thinks[row],
                is_near(thinks[row], think),
                || format!("{think}: each think time"),
            );
        }
    }
}
