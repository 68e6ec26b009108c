//! Connections with data both ways, on which both engines must agree.

use proptest::prelude::*;

use super::common::row::{Row, link};
use super::{both, cases, common, difference};

/// A line between groups of hosts, with a connection on each VC.
fn network(host: &str, lines: [&str; 2], service: &str, flow: &str, other: &str) -> String {
    let [up, down] = lines;
    let probe = r#"
        [probes.p]
        every = "17 ms"
        record = ["flows.f1.cwnd_bytes", "flows.f2.back.cwnd_bytes", "flows.f1.back.delivered_bytes", "links.up1.queue_cells"]
        "#;
    Row::of("a s b")
        .hosts("count = 2")
        .first_host(host)
        .measured("300 ms", "2 s")
        .link(link("access", "10 us").queue("25 Mbit/s", 500))
        .ways(link("up", "4 ms").with(up), link("down", "6 ms").with(down))
        .vc("v", service)
        .flow("f", "v", flow)
        .and(other)
        .and(probe)
        .toml()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn both_engines_agree_on_data_both_ways(
        hosts in prop::sample::select(vec![
            "",
            "",
            "ethernet = \"10 Mbit/s\"\nprocessing = { uniform = [\"20 us\", \"200 us\"] }",
        ]),
        up in prop::sample::select(vec![
            "rate = \"2 Mbit/s\"\nbuffer = \"120 cells\"",
            "rate = \"6 Mbit/s\"\nbuffer = \"900 cells\"",
            "rate = { process = \"uniform\", low = \"500 kbit/s\", high = \"4 Mbit/s\", every = \"40 ms\" }\nbuffer = \"300 cells\"",
            "rate = \"3 Mbit/s\"\nbuffer = \"300 cells\"\nloss = { process = \"bernoulli\", probability = 0.0005 }",
        ]),
        down in prop::sample::select(vec![
            "rate = \"640 kbit/s\"\nbuffer = \"200 cells\"",
            "rate = \"6 Mbit/s\"\nbuffer = \"150 cells\"",
            "rate = \"5 Mbit/s\"\nbuffer = \"400 cells\"\ndiscard = { policy = \"epd\", threshold = \"200 cells\" }",
        ]),
        service in prop::sample::select(vec![
            "",
            "forward = { service = \"ubr\", pcr = \"4 Mbit/s\" }\nbackward = { service = \"ubr\", pcr = \"3 Mbit/s\" }",
            "forward = { service = \"abr\", pcr = \"6 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"6 Mbit/s\" }",
        ]),
        tcp in prop::sample::select(vec![
            "mss = \"1460 bytes\", timer_granularity = \"100 ms\"",
            "mss = \"1460 bytes\", timer_granularity = \"50 ms\", handshake = true, ack = \"bsd\", header_prediction = true",
            "mss = \"512 bytes\", variant = \"4.4bsd\", timestamps = true, handshake = true, window_scale = 1",
            "mss = \"1460 bytes\", variant = \"sack\", rto = { timer = \"rfc6298\", min = \"200 ms\" }",
            "preset = \"linux\"",
            "preset = \"linux\", variant = \"bbr\"",
            "mss = \"1460 bytes\", variant = \"newreno\", host_queue_segments = 3",
            "mss = \"1000 bytes\", segment_processing = { mean = \"300 us\" }, receiver_mss = \"700 bytes\", handshake = true",
            "preset = \"linux-1999\", mss = \"1460 bytes\", window = \"9000 bytes\"",
        ]),
        back in prop::sample::select(vec![
            "",
            "start = \"100 ms\"",
            "start = { uniform = [\"0 s\", \"300 ms\"] }, duration = \"900 ms\"",
            "sockets = { write_rate = \"200 kbit/s\", write = \"300 bytes\" }",
            "sockets = { write_rate = \"90 kbit/s\", write = \"3000 bytes\", send_buffer = \"5000 bytes\" }",
            "sockets = { send_buffer = \"4 KiB\", write = \"1 KiB\", read = \"700 bytes\", read_rate = \"300 kbit/s\" }",
        ]),
        forth in prop::sample::select(vec![
            "",
            "start = { uniform = [\"0 s\", \"100 ms\"] }",
            "duration = \"800 ms\"",
            "duration = \"700 ms\"\nat_end = \"abort\"",
            "sockets = { write_rate = \"400 kbit/s\", write = \"200 bytes\", read = \"600 bytes\", read_rate = \"250 kbit/s\" }",
        ]),
        other in prop::sample::select(vec![
            "",
            "[flows.g]\nvc = \"v\"\ndirection = \"backward\"\ntcp = { mss = \"1460 bytes\", timer_granularity = \"100 ms\" }",
            "[flows.g]\nvc = \"v\"\nudp = { packet = \"300 bytes\", traffic = { process = \"poisson\", rate = \"200 kbit/s\" } }",
        ]),
        seed in any::<u64>(),
    ) {
        let flow = format!("tcp = {{ {tcp} }}\nback = {{ {back} }}\n{forth}");
        let text = network(hosts, [up, down], service, &flow, other);
        if let Err(error) = common::network(&text) {
            panic!("{error}\n{text}");
        }
        let results = both(&text, seed);
        prop_assert_eq!(difference(&results), None);
    }
}
