//! Queues of packets in front of links that carry frames: against closed forms, and both engines against each other.

mod common;

use celltrain_proto::packet_queue;
use celltrain_sim::measure::Results;
use common::{all_differ, both, close, network, value};

/// Two bulk transfers with round trips of 22 and 32 ms, and a call, over a line of 50 Mbit/s with this queue.
fn shared(queue: &str) -> String {
    format!(
        r#"
        measure = {{ warm_up = "10 s", duration = "40 s" }}
        hosts = {{ a = {{}}, b = {{}}, c = {{}}, d = {{}} }}
        switches.s = {{}}
        [links]
        a = {{ between = ["a", "s"], delay = "0 s" }}
        b = {{ between = ["b", "s"], delay = "5 ms" }}
        c = {{ between = ["c", "s"], delay = "0 s" }}
        line = {{ from = "s", to = "d", delay = "1 ms", rate = "50 Mbit/s", frames = "ethernet", buffer = "1000 packets", {queue} }}
        back = {{ from = "d", to = "s", delay = "10 ms" }}
        [vcs]
        near.route = ["a", "s", "d"]
        far.route = ["b", "s", "d"]
        call.route = ["c", "s", "d"]
        [flows]
        near = {{ vc = "near", tcp = "linux" }}
        far = {{ vc = "far", tcp = "linux" }}
        call = {{ vc = "call", udp = {{ packet = "200 bytes", traffic = {{ process = "cbr", rate = "80 kbit/s" }} }} }}
        "#
    )
}

#[test]
fn flow_queues_give_equal_shares_and_short_delays() {
    // 1448 octets in each 1538, and 238 octets 50 times a second for the call.
    let half = (50e6 - 50.0 * 238.0 * 8.0) / 2.0 * 1_448.0 / 1_538.0;
    let of = |results: &Results, flow: &str, column| value(results, "flows", flow, column);
    let fair = both(&shared(r#"queue = "fq-codel""#));
    for flow in ["near", "far"] {
        close(of(&fair, flow, "throughput_bps"), half, 0.02);
        assert!(of(&fair, flow, "segments_retransmitted") > 0.0);
    }
    // The call waits for the frame in transmission, and for one of each other flow at most.
    let delay = of(&fair, "call", "delay_mean_s") - 1e-3;
    assert!(delay < 3.0 * 1_538.0 * 8.0 / 50e6, "{delay}");
    for queue in ["drr-plus-plus", "sfq", "fq-pie", "cake"] {
        let results = both(&shared(&format!("queue = \"{queue}\"")));
        for flow in ["near", "far"] {
            close(of(&results, flow, "throughput_bps"), half, 0.02);
        }
        let delay = of(&results, "call", "delay_mean_s") - 1e-3;
        assert!(delay < 3.0 * 1_538.0 * 8.0 / 50e6, "{queue}: {delay}");
    }
    // Without queues by flow the call waits for a full buffer.
    let fifo = both(&shared(""));
    assert!(of(&fifo, "call", "delay_mean_s") > 0.05);
    assert!(of(&fair, "near", "rtt_mean_s") < 0.3 * of(&fifo, "near", "rtt_mean_s"));
}

#[test]
fn flows_of_one_vc_have_queues_of_their_own() {
    let text = shared(r#"queue = { discipline = "fq-codel", ecn = false }"#)
        .replace(r#"far = { vc = "far""#, r#"far = { vc = "near""#)
        .replace(r#"call = { vc = "call""#, r#"call = { vc = "near""#);
    let results = both(&text);
    let of = |flow, column| value(&results, "flows", flow, column);
    let half = (50e6 - 50.0 * 238.0 * 8.0) / 2.0 * 1_448.0 / 1_538.0;
    for flow in ["near", "far"] {
        close(of(flow, "throughput_bps"), half, 0.02);
    }
    assert!(of("call", "delay_mean_s") - 1e-3 < 3.0 * 1_538.0 * 8.0 / 50e6);
    // Frames of the call overtake others of the VC; none is lost for it.
    assert_eq!(
        of("call", "delivered_bytes"),
        of("call", "segments_sent") * 172.0
    );
}

#[test]
fn marks_take_the_place_of_drops_where_both_ends_agree_on_ecn() {
    let text = shared(r#"queue = "fq-codel""#).replace(
        r#"tcp = "linux""#,
        r#"tcp = { preset = "linux", ecn = true }"#,
    );
    let results = both(&text);
    let of = |flow, column| value(&results, "flows", flow, column);
    for flow in ["near", "far"] {
        assert!(of(flow, "ecn_reductions") > 0.0);
        assert_eq!(of(flow, "segments_retransmitted"), 0.0);
    }
    assert_eq!(value(&results, "frames", "line", "lost_bytes"), 0.0);
}

#[test]
fn small_flow_queues_drop_from_the_longest() {
    let text = shared(r#"queue = "drr-plus-plus""#)
        .replace(r#"buffer = "1000 packets""#, r#"buffer = "20 kB""#);
    let results = both(&text);
    let of = |flow, column| value(&results, "flows", flow, column);
    assert_eq!(
        of("call", "delivered_bytes"),
        of("call", "segments_sent") * 172.0
    );
    let most = value(&results, "frames", "line", "queue_max_bytes");
    assert!(most <= 20_000.0 + 1_538.0, "{most}");
    assert!(value(&results, "frames", "line", "lost_bytes") > 0.0);
}

/// The scenario, measured for 6 s from 1 s on.
fn short(text: &str) -> String {
    text.replace("\"10 s\"", "\"1 s\"")
        .replace("\"40 s\"", "\"7 s\"")
}

#[test]
fn each_queue_does_something_of_its_own() {
    let keywords = packet_queue::Parameters::NAMES.iter().map(|row| row.1);
    let digest = |keyword| {
        let text = short(&shared(&format!("queue = \"{keyword}\"")));
        (keyword, both(&text).digest)
    };
    let digests: Vec<_> = keywords.map(digest).collect();
    all_differ(packet_queue::Parameters::NAMES, &digests);
}

#[test]
fn the_delay_of_one_queue_comes_to_its_target() {
    // 20 connections with a round trip of 12 ms. The integral part of both controllers makes the mean delay the target.
    let mean_ms = |queue: &str| {
        let text = shared(&format!("queue = \"{queue}\""));
        let text = text.replace(
            r#"near = { vc = "near","#,
            r#"near = { vc = "near", per_vc = 20,"#,
        );
        let results = both(&text);
        let of = |column| value(&results, "frames", "line", column);
        assert!(value(&results, "links", "line", "utilization") > 0.97);
        assert!(of("lost_bytes") > 0.0);
        of("queue_mean_bytes") * 8.0 / 50e3
    };
    close(mean_ms("pie"), 15.0, 0.2);
    close(mean_ms("pi2"), 20.0, 0.2);
    // CoDel's is between its target and what a FIFO has.
    let codel = mean_ms("codel");
    assert!((4.0..20.0).contains(&codel), "{codel}");
}

/// Packets of two flows without TCP, more than a line of 50 Mbit/s carries of each, with these keys of their own.
fn overloaded(queue: &str, keys: [&str; 2]) -> Results {
    let flow = |name: &str, keys: &str| {
        format!(
            r#"{name} = {{ vc = "{name}", {keys} udp = {{ packet = "1000 bytes", traffic = {{ process = "cbr", rate = "60 Mbit/s" }} }} }}
            "#
        )
    };
    let text = shared(queue);
    let flows = text.find("[flows]").expect("there are flows");
    let text = short(&text[..flows]) + "[flows]\n";
    both(&(text + &flow("near", keys[0]) + &flow("far", keys[1])))
}

#[test]
fn tins_of_cake_have_their_shares_of_the_rate() {
    // 972 octets of data in 1038 on the line.
    let data = 50e6 * 972.0 / 1_038.0;
    for (queue, code, share) in [
        ("cake", "ef", 0.25),
        ("cake", "le", 1.0 / 16.0),
        ("diffserv4", "af41", 0.5),
        ("besteffort", "ef", 0.5),
    ] {
        let queue = match queue {
            "cake" => "queue = \"cake\"".to_owned(),
            tins => format!("queue = {{ discipline = \"cake\", diffserv = \"{tins}\" }}"),
        };
        let results = overloaded(&queue, [&format!("dscp = \"{code}\","), ""]);
        let of = |flow| value(&results, "flows", flow, "throughput_bps");
        close(of("near"), share * data, 0.02);
        close(of("far"), (1.0 - share) * data, 0.02);
    }
}

#[test]
fn cake_gives_hosts_equal_shares_whatever_their_flows() {
    for (isolation, share) in [("dual-srchost", 0.5), ("srchost", 0.5), ("flows", 0.75)] {
        let queue = format!("queue = {{ discipline = \"cake\", isolation = \"{isolation}\" }}");
        let results = overloaded(&queue, ["per_vc = 3,", ""]);
        let far = value(&results, "flows", "far", "throughput_bps");
        close(far, (1.0 - share) * 50e6 * 972.0 / 1_038.0, 0.02);
    }
}

#[test]
fn what_the_queues_leave_out_is_refused() {
    for (queue, key) in [
        (
            r#"{ discipline = "cake", ack_filter = true }"#,
            "ack_filter",
        ),
        (
            r#"{ discipline = "cake", diffserv = "diffserv8" }"#,
            "diffserv8",
        ),
        (r#"{ discipline = "fq-pie", bytemode = true }"#, "bytemode"),
        (
            r#"{ discipline = "sfq", redflowlimit = "9 kB" }"#,
            "redflowlimit",
        ),
        (r#"{ discipline = "sfq", depth = 128 }"#, "128"),
        (r#""ared""#, "ared"),
    ] {
        let error = network(&shared(&format!("queue = {queue}"))).expect_err("it is refused");
        assert!(error.to_string().contains(key), "{error}");
    }
}
