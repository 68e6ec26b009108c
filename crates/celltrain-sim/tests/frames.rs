//! Links that carry frames: against closed forms, both engines against each other, and what is refused.

mod common;

use common::{both, close, network, value};

/// Two hosts and a line of 10 Mbit/s of Ethernet frames, with these keys, that lead to a host; 1 ms of delay.
fn ethernet(keys: &str, flows: &str, seconds: u32) -> String {
    format!(
        r#"
        measure.duration = "{seconds} s"
        hosts = {{ a = {{}}, b = {{}}, c = {{}} }}
        switches.s = {{}}
        [links]
        a = {{ between = ["a", "s"], delay = "0 s" }}
        b = {{ between = ["b", "s"], delay = "0 s" }}
        line = {{ from = "s", to = "c", delay = "1 ms", frames = "ethernet", {keys} }}
        back = {{ from = "c", to = "s", delay = "1 ms" }}
        [vcs]
        one.route = ["a", "s", "c"]
        two.route = ["b", "s", "c"]
        [flows]
        {flows}
        "#
    )
}

const LINE: &str = r#"rate = "10 Mbit/s", buffer = "1000 packets""#;

/// Packets without TCP.
fn udp(name: &str, vc: &str, octets: u32, traffic: &str) -> String {
    format!(
        r#"{name} = {{ vc = "{vc}", udp = {{ packet = "{octets} bytes", traffic = {traffic} }} }}
        "#
    )
}

#[test]
fn a_frame_takes_the_octets_of_its_framing() {
    // 100 packets of 1500 octets a second.
    let flow = udp(
        "f",
        "one",
        1_500,
        r#"{ process = "cbr", rate = "1.2 Mbit/s" }"#,
    );
    for (framing, octets) in [
        ("ethernet", 1_538.0),
        ("ethernet-vlan", 1_542.0),
        ("ptm-bridged", 1_546.0),
        ("docsis", 1_518.0),
        ("gpon", 1_523.0),
        ("ppp", 1_507.0),
        ("raw-ip", 1_500.0),
    ] {
        let text = ethernet(LINE, &flow, 10).replace("ethernet", framing);
        let results = both(&text);
        let of = |column| value(&results, "frames", "line", column);
        assert_eq!(of("ip_bytes"), 1_000.0 * 1_500.0, "{framing}");
        assert_eq!(of("line_bytes"), 1_000.0 * octets, "{framing}");
        assert_eq!(of("ip_rate_bps"), 1.2e6);
        assert_eq!(of("queue_max_bytes"), octets);
        let busy = 100.0 * octets * 8.0 / 10e6;
        close(of("queue_mean_bytes"), busy * octets, 1e-9);
        close(value(&results, "links", "line", "utilization"), busy, 1e-9);
        close(
            value(&results, "links", "line", "queue_mean_cells"),
            busy,
            1e-9,
        );
        let delay = value(&results, "flows", "f", "delay_mean_s");
        close(delay, octets * 8.0 / 10e6 + 1e-3, 1e-9);
    }
}

#[test]
fn a_short_packet_behind_a_long_one_waits_for_its_frame() {
    // Both come at one instant, once a second; the one of the first VC goes first.
    let each_second =
        |octets: u32| format!("{{ process = \"cbr\", rate = \"{} bit/s\" }}", 8 * octets);
    let flows =
        udp("long", "one", 1_500, &each_second(1_500)) + &udp("short", "two", 40, &each_second(40));
    let results = both(&ethernet(LINE, &flows, 10));
    let delay = |flow| value(&results, "flows", flow, "delay_mean_s");
    close(delay("long"), 1.2304e-3 + 1e-3, 1e-9);
    // 1538 and 84 octets.
    close(delay("short"), 1.2976e-3 + 1e-3, 1e-9);
    assert_eq!(
        value(&results, "frames", "line", "queue_max_bytes"),
        1_622.0
    );
    assert_eq!(value(&results, "links", "line", "queue_max_cells"), 2.0);
}

#[test]
fn random_packets_of_two_lengths_wait_as_long_as_pollaczek_and_khinchine_say() {
    // 400 packets of 200 and of 1500 octets a second each: 0.1904 and 1.2304 ms on the line, which is busy for 56.832 % of
    // the time. The mean wait is 400 (0.1904^2 + 1.2304^2) / (2 (1 - 0.56832)) = 0.71819 ms.
    let poisson = |rate: &str| format!("{{ process = \"poisson\", rate = \"{rate}\" }}");
    let flows = udp("short", "one", 200, &poisson("640 kbit/s"))
        + &udp("long", "two", 1_500, &poisson("4.8 Mbit/s"));
    let results = both(&ethernet(LINE, &flows, 1_000));
    close(
        value(&results, "links", "line", "utilization"),
        0.56832,
        0.01,
    );
    let delay = |flow| value(&results, "flows", flow, "delay_mean_s") - 1e-3;
    close(delay("short"), 0.71819e-3 + 0.1904e-3, 0.02);
    close(delay("long"), 0.71819e-3 + 1.2304e-3, 0.02);
    let mean = value(&results, "links", "line", "queue_mean_cells");
    close(mean, 0.4 * (2.0 * 0.71819 + 0.1904 + 1.2304), 0.02);
}

#[test]
fn tcp_fills_a_line_of_frames() {
    let flow = r#"f = { vc = "one", tcp = "linux" }"#;
    let keys = r#"rate = "10 Mbit/s", buffer = "64 kB""#;
    let results = both(&ethernet(keys, flow, 30));
    // 1448 octets of data in each 1538.
    let throughput = value(&results, "flows", "f", "throughput_bps");
    close(throughput, 10e6 * 1_448.0 / 1_538.0, 0.01);
    let most = value(&results, "frames", "line", "queue_max_bytes");
    assert!((64_000.0 - 1_538.0..=64_000.0).contains(&most), "{most}");
    assert!(value(&results, "flows", "f", "segments_retransmitted") > 0.0);
}

#[test]
fn a_buffer_of_packets_and_one_of_octets_refuse_what_finds_no_room() {
    // Bursts of 10 packets at one instant, each second: the buffer takes 4 of them.
    let burst = r#"{ process = "replay", trace = "0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n1000\n" }"#;
    for (buffer, long, short) in [
        ("4 packets", 4.0, 4.0),
        ("6152 bytes", 4.0, 10.0),
        ("6151 bytes", 3.0, 10.0),
    ] {
        for (octets, fitting) in [(1_500, long), (40, short)] {
            let keys = format!(r#"rate = "10 Mbit/s", buffer = "{buffer}""#);
            let results = both(&ethernet(&keys, &udp("f", "one", octets, burst), 1));
            let sent = value(&results, "links", "line", "cells_sent");
            assert_eq!(sent, fitting, "{buffer}, {octets}");
            let lost = value(&results, "frames", "line", "lost_bytes");
            let on_line = f64::from(octets + 38).max(84.0);
            assert_eq!(lost, (10.0 - fitting) * on_line, "{buffer}, {octets}");
        }
    }
}

#[test]
fn the_rest_of_a_frame_is_sent_at_the_new_rate() {
    // A frame of 12,304 bits begins at 0 s: 10,000 bits in the first ms, none in the second, the rest at 1 Mbit/s.
    let keys = r#"rate = { process = "list", rates = [{ at = "0 s", rate = "10 Mbit/s" }, { at = "1 ms", rate = "0 bit/s" }, { at = "2 ms", rate = "1 Mbit/s" }] }, buffer = "9 packets""#;
    let once = r#"{ process = "replay", trace = "0\n" }"#;
    let results = both(&ethernet(keys, &udp("f", "one", 1_500, once), 1));
    let delay = value(&results, "flows", "f", "delay_mean_s");
    close(delay, 2e-3 + 2_304.0 / 1e6 + 1e-3, 1e-9);
    // One that begins while the rate is zero is sent whole afterwards.
    let keys = keys.replace("10 Mbit/s", "0 bit/s");
    let results = both(&ethernet(&keys, &udp("f", "one", 1_500, once), 1));
    let delay = value(&results, "flows", "f", "delay_mean_s");
    close(delay, 2e-3 + 12_304.0 / 1e6 + 1e-3, 1e-9);
}

#[test]
fn a_frame_whose_delay_is_short_overtakes_where_the_link_lets_it() {
    // A packet each 10 ms, 1.2304 ms on the line; the delay is 20 ms for five of them and 5 ms for the next five.
    let flow = udp(
        "f",
        "one",
        1_500,
        r#"{ process = "cbr", rate = "1.2 Mbit/s" }"#,
    );
    let changing = r#"delay = { process = "list", repeat = "100 ms", delays = [{ at = "0 s", delay = "20 ms" }, { at = "50 ms", delay = "5 ms" }] }"#;
    let mean = |keys: &str| {
        let text = ethernet(&format!("{LINE}{keys}"), &flow, 10);
        let results = both(&text.replacen(r#"delay = "1 ms""#, changing, 1));
        assert_eq!(value(&results, "links", "line", "cells_lost"), 0.0);
        value(&results, "flows", "f", "delay_mean_s")
    };
    let own = 1.2304e-3 + 12.5e-3;
    // The last ones are still on their way.
    close(mean(", overtaking = true"), own, 1e-4);
    // The sixth departs 10 ms after the fifth and waits for it: 5 ms.
    close(mean(""), own + 0.5e-3, 1e-4);
}

#[test]
fn tcp_takes_frames_that_overtake_for_losses_and_both_engines_agree() {
    let flows = r#"f = { vc = "one", tcp = "linux" }
        g = { vc = "two", tcp = { variant = "newreno", mss = "1460 bytes", window = "64 KiB" } }"#;
    let of = |keys: &str| {
        let keys = format!("{LINE}, jitter = {{ process = \"uniform\", max = \"30 ms\" }}{keys}");
        let results = both(&ethernet(&keys, flows, 10));
        assert_eq!(value(&results, "links", "line", "cells_lost"), 0.0);
        value(&results, "flows", "g", "segments_retransmitted")
    };
    assert_eq!(of(""), 0.0);
    assert!(of(", overtaking = true") > 10.0);
}

#[test]
fn cells_keep_their_order() {
    let flow = r#"f = { vc = "one", tcp = "linux" }"#;
    let jitter = r#"jitter = { process = "uniform", max = "3 ms" }, overtaking = true"#;
    let error = |text: &str| match network(text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error.to_string(),
    };
    let text = ethernet(&format!("{LINE}, {jitter}"), flow, 1);
    assert!(network(&text).is_ok());
    let cells = text
        .replace(r#"frames = "ethernet", "#, "")
        .replace("packets", "cells");
    let message = error(&cells);
    assert!(
        message.contains("vcs.one.route") && message.contains("links.line on its path"),
        "{message}"
    );
    let message = error(&ethernet(&format!("{LINE}, overtaking = true"), flow, 1));
    assert!(message.contains("links.line.overtaking"), "{message}");
}

#[test]
fn an_opportunity_of_mahimahi_carries_the_frame_of_a_packet_of_1500_octets() {
    // Two opportunities each 10 ms; they carry the frames of two long packets, or many short ones.
    let keys = r#"rate = { process = "mahimahi", trace = "10\n10\n" }, buffer = "1000 packets""#;
    for (framing, octets) in [("ethernet", 1_538.0), ("raw-ip", 1_500.0)] {
        let flow = udp(
            "f",
            "one",
            1_500,
            r#"{ process = "cbr", rate = "8 Mbit/s" }"#,
        );
        let results = both(&ethernet(keys, &flow, 10).replace("ethernet", framing));
        let of = |column| value(&results, "frames", "line", column);
        // Nothing waits for the first at 10 ms but what has come by then; the last is at 10 s.
        close(of("line_bytes"), 2_000.0 * octets, 1e-3);
        // 24 packets of 60 octets fill an opportunity of 1500; of Ethernet, 15.69 of 98.
        let flow = udp("f", "one", 60, r#"{ process = "cbr", rate = "8 Mbit/s" }"#);
        let results = both(&ethernet(keys, &flow, 10).replace("ethernet", framing));
        close(
            value(&results, "frames", "line", "line_bytes"),
            2_000.0 * octets,
            2e-3,
        );
    }
}

#[test]
fn both_engines_agree_on_lines_of_frames_of_every_kind() {
    let flows = r#"
        cubic = { vc = "one", tcp = "linux" }
        reno = { vc = "two", tcp = { variant = "4.3bsd-reno", mss = "512 bytes", window = "64 KiB" } }
        chat = { vc = "two", direction = "backward", udp = { packet = "92 bytes", traffic = { process = "poisson", rate = "80 kbit/s" } } }
    "#;
    let lines = [
        LINE,
        r#"rate = "10 Mbit/s", buffer = "20 kB""#,
        r#"rate = { process = "uniform", low = "1 kbit/s", high = "8 Mbit/s", every = "50 ms" }, buffer = "40 packets""#,
        r#"rate = { process = "uniform", low = "1 Mbit/s", high = "8 Mbit/s", every = "3 ms" }, on_rate_change = "finish-at-old-rate", buffer = "40 packets""#,
        r#"rate = "5 Mbit/s", buffer = "40 packets", loss = { process = "bernoulli", probability = 0.01 }"#,
        r#"rate = "5 Mbit/s", buffer = "40 packets", jitter = { process = "uniform", max = "3 ms" }"#,
    ];
    for keys in lines {
        let results = both(&ethernet(keys, flows, 10));
        assert!(
            value(&results, "flows", "cubic", "throughput_bps") > 1e5,
            "{keys}"
        );
        assert!(
            value(&results, "flows", "reno", "throughput_bps") > 1e4,
            "{keys}"
        );
    }
    // The delay changes; so it is a list instead of 1 ms.
    let text = ethernet(LINE, flows, 10).replacen(
        "delay = \"1 ms\"",
        "delay = { process = \"list\", delays = [{ at = \"0 s\", delay = \"20 ms\" }, { at = \"3 s\", delay = \"5 ms\" }, { at = \"6 s\", delay = \"30 ms\" }] }",
        1,
    );
    both(&text);
}

#[test]
fn what_acts_on_cells_is_refused_where_a_line_carries_frames() {
    let flow = r#"f = { vc = "one", tcp = "linux" }"#;
    let error = |keys: &str, from: &str, to: &str| {
        let text = ethernet(keys, flow, 1).replacen(from, to, 1);
        match network(&text) {
            Ok(_) => panic!("accepted: {keys} {to}"),
            Err(error) => error.to_string(),
        }
    };
    let with = |key: &str| error(&format!("{LINE}, {key}"), "", "");
    for key in [
        "discard = { policy = \"epd\", threshold = \"9 cells\" }",
        "queue_management = { algorithm = \"codel\" }",
        "scheduling = \"priority\"",
        "clp_threshold = \"9 cells\"",
        "control = { algorithm = \"binary\", threshold = \"9 cells\" }",
        "errors = { process = \"bernoulli\", probability = 0.1 }",
    ] {
        let message = with(key);
        let name = key.split(' ').next().unwrap_or_default();
        assert!(message.contains(&format!("links.line.{name}")), "{message}");
        assert!(message.contains("the link carries frames"), "{message}");
    }
    let message = error("rate = \"1 Mbit/s\", buffer = \"9 cells\"", "", "");
    assert!(
        message.contains("links.line.buffer") && message.contains("\"100 packets\""),
        "{message}"
    );
    let message = error(LINE, "frames = \"ethernet\", ", "");
    assert!(
        message.contains("1000 packets are frames, and the link carries cells"),
        "{message}"
    );
    let message = error(LINE, "ethernet", "ethernets");
    assert!(message.contains("links.line.frames"), "{message}");
    let message = error("", ", \n", ", buffer = \"9 packets\" }\n");
    assert!(message.contains("pure delay"), "{message}");
    let to = "a = { between = [\"a\", \"s\"], rate = \"9 Mbit/s\", buffer = \"9 cells\", ";
    let message = error(LINE, "a = { between = [\"a\", \"s\"], ", to);
    assert!(
        message.contains("vcs.one.route")
            && message.contains("links.line on its path carries frames, and a cells"),
        "{message}"
    );
    for key in [
        "forward = { service = \"cbr\", pcr = \"1 Mbit/s\" }",
        "encapsulation = \"vc-mux\"",
        "source_buffer = \"99 cells\"",
        "backward = { service = \"ubr\", pcr = \"1 Mbit/s\" }",
    ] {
        let to = format!("one = {{ route = [\"a\", \"s\", \"c\"], {key} }}");
        let message = error(LINE, "one.route = [\"a\", \"s\", \"c\"]", &to);
        let name = key.split(' ').next().unwrap_or_default();
        assert!(message.contains(&format!("vcs.one.{name}")), "{message}");
    }
    let message = error(
        LINE,
        "[flows]",
        "[backgrounds]\nx = { vc = \"one\", traffic = { process = \"greedy\" } }\n[flows]",
    );
    assert!(message.contains("backgrounds.x.vc"), "{message}");
    let message = error(
        LINE,
        "measure.duration = \"1 s\"",
        "measure = { duration = \"1 s\", cell_delays.vcs = [\"two\"] }",
    );
    assert!(message.contains("measure.cell_delays.vcs"), "{message}");
    // A frame of Ethernet holds 1500 octets.
    let message = error(
        LINE,
        "tcp = \"linux\"",
        "tcp = { preset = \"linux\", mss = \"4000 bytes\" }",
    );
    assert!(message.contains("MTU is 1500 bytes"), "{message}");
}

#[test]
fn a_host_has_at_most_131072_packets_on_their_way() {
    // 312,500 packets of 40 octets in 0.1 s, of which the line sends 3125 a second.
    let flow = udp("f", "one", 40, r#"{ process = "cbr", rate = "1 Gbit/s" }"#);
    let keys = r#"rate = "1 Mbit/s", buffer = "1000000 packets""#;
    let text = ethernet(keys, &flow, 1)
        .replace("ethernet", "raw-ip")
        .replace("duration = \"1 s\"", "duration = \"100 ms\"");
    let results = both(&text);
    let sent = value(&results, "links", "line", "cells_sent");
    assert!((311.0..=313.0).contains(&sent), "{sent}");
    // Those on the last link count as well.
    let arrived = value(&results, "flows", "f", "delivered_bytes") / 12.0;
    let dropped = value(&results, "vcs", "one", "source_cells_dropped");
    assert_eq!(dropped, 312_500.0 - 131_072.0 - arrived);
    // Three are on the way for the 1 ms of the delay, all others in the queue.
    let most = value(&results, "links", "line", "queue_max_cells");
    assert_eq!(most, 131_072.0 - 3.0);
}
