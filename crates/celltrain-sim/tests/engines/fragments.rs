//! Fragments of IP packets, in either adaptation layer, on which both engines must agree.

use proptest::prelude::*;

use super::common::row::{Row, link};
use super::{both, cases, difference};

const DATAGRAMS: &str =
    "udp = { packet = \"2076 bytes\", traffic = { process = \"poisson\", rate = \"1 Mbit/s\" } }";

/// A line between groups of hosts, with a connection and datagrams on each VC.
fn network(host: &str, line: &str, service: &str, tcp: &str) -> String {
    Row::of("a s b")
        .hosts("count = 2")
        .first_host(host)
        .measured("300 ms", "2 s")
        .link(link("access", "10 us").queue("25 Mbit/s", 500))
        .ways(
            link("up", "4 ms").with(line),
            link("down", "6 ms").queue("6 Mbit/s", 150),
        )
        .vc("v", service)
        .flow("f", "v", &format!("tcp = {{ {tcp}, fragments = true }}"))
        .flow("g", "v", DATAGRAMS)
        .toml()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn both_engines_agree_on_fragments(
        host in prop::sample::select(vec![
            "",
            "ethernet = \"10 Mbit/s\"",
            "lan = { kind = \"token-ring\", rate = \"4 Mbit/s\" }",
            "lan = { kind = \"token-ring\", rate = \"16 Mbit/s\", holding_time = \"0 s\", idle_stations = 5 }\nprocessing = { uniform = [\"20 us\", \"200 us\"] }",
            "ethernet = \"10 Mbit/s\"\nprocessing = { uniform = [\"20 us\", \"200 us\"] }",
        ]),
        line in prop::sample::select(vec![
            "rate = \"3 Mbit/s\"\nbuffer = \"120 cells\"",
            "rate = { process = \"uniform\", low = \"500 kbit/s\", high = \"4 Mbit/s\", every = \"40 ms\" }\nbuffer = \"300 cells\"",
            "rate = \"4 Mbit/s\"\nbuffer = \"300 cells\"\nloss = { process = \"bernoulli\", probability = 0.002 }",
            "rate = \"4 Mbit/s\"\nbuffer = \"200 cells\"\ndiscard = { policy = \"epd\", threshold = \"100 cells\" }",
        ]),
        mtu in prop::sample::select(vec!["68", "576", "1006", "1500"]),
        aal in prop::sample::select(vec!["5", "3/4"]),
        service in prop::sample::select(vec![
            "source_buffer = \"60 cells\"",
            "forward = { service = \"ubr\", pcr = \"4 Mbit/s\" }\nbackward = { service = \"ubr\", pcr = \"3 Mbit/s\" }",
            "forward = { service = \"abr\", pcr = \"6 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"6 Mbit/s\" }",
        ]),
        tcp in prop::sample::select(vec![
            "mss = \"1460 bytes\", timer_granularity = \"100 ms\"",
            "mss = \"1460 bytes\", host_queue_segments = 3",
            "preset = \"linux\", ecn = true",
        ]),
        seed in 0_u64..100,
    ) {
        // Frames have ends in AAL5 only.
        let aal = if line.contains("discard") { "5" } else { aal };
        let line = format!("{line}\nmtu = \"{mtu} bytes\"");
        let service = format!("aal = \"{aal}\"\n{service}");
        let results = both(&network(host, &line, &service, tcp), seed);
        prop_assert_eq!(difference(&results), None);
    }
}

#[test]
fn a_sender_resumes_when_a_fragment_has_left_that_others_of_its_segment_follow() {
    let line = "rate = \"3 Mbit/s\"\nbuffer = \"120 cells\"\nmtu = \"576 bytes\"";
    let tcp = "mss = \"1460 bytes\", host_queue_segments = 3";
    let results = both(&network("", line, "", tcp), 1);
    assert_eq!(difference(&results), None);
}
