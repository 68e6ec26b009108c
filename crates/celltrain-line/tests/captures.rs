//! What a capture of a simulated network shows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use celltrain_line::simulated::run_captured;
use celltrain_sim::network::Network;
use celltrain_sim::scenario::Source;
use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionOption;
use pcap_file::pcapng::{Block, PcapNgReader};

/// Octets of an ERF record before the header of its cell.
const ERF: usize = 16;

/// VPI and VCI of all cells, by interface.
fn identifiers(capture: &[u8]) -> BTreeMap<String, BTreeSet<(u8, u16)>> {
    let mut reader = PcapNgReader::new(capture).expect("it is pcapng");
    let (mut names, mut found) = (Vec::new(), BTreeMap::new());
    while let Some(block) = reader.next_block() {
        match block.expect("it is whole") {
            Block::InterfaceDescription(interface) => {
                let mut name = interface.options.iter().filter_map(|option| match option {
                    InterfaceDescriptionOption::IfName(name) => Some(name.to_string()),
                    _ => None,
                });
                names.push(name.next().expect("an interface has a name"));
            }
            Block::EnhancedPacket(packet) => {
                let name = &names[packet.interface_id as usize];
                if name.ends_with(" cells") {
                    let octets = [0, 1, 2, 3].map(|at| packet.data[ERF + at]);
                    // GFC 4 bits, VPI 8, VCI 16, payload type 3, CLP 1 (I.361).
                    let word = u32::from_be_bytes(octets);
                    let identifiers = ((word >> 20) as u8, (word >> 4) as u16);
                    let of = found.entry(name.clone()).or_insert_with(BTreeSet::new);
                    of.insert(identifiers);
                }
            }
            _ => {}
        }
    }
    found
}

#[test]
fn cells_have_the_vpi_of_their_path_on_its_links_and_zero_elsewhere() {
    let text = r#"
        measure = { duration = "50 ms" }
        hosts = { a = {}, b = {}, c = {} }
        switches = { s = {}, t = {}, u = {} }
        [links]
        a = { between = ["a", "s"], delay = "1 us" }
        c = { between = ["c", "s"], delay = "1 us" }
        one = { between = ["s", "t"], delay = "1 ms", rate = "9 Mbit/s", buffer = "999 cells" }
        two = { between = ["t", "u"], delay = "1 ms" }
        out = { between = ["u", "b"], delay = "1 us" }
        [vcs]
        v = { route = ["a", "s", "t", "u", "b"] }
        w = { route = ["c", "s", "t", "u", "b"] }
        [vps]
        p = { route = ["s", "t"], vcs = ["v"], vpi = 9 }
        q = { route = ["u", "t"], vcs = ["v"] }
        [flows.f]
        vc = "v"
        tcp = { mss = "536 bytes", window = "2 kB" }
        [flows.g]
        vc = "w"
        tcp = { mss = "536 bytes", window = "2 kB" }
    "#;
    let scenario = Source::toml(text, "test.toml").read().expect("it is valid");
    let network = Network::new(&scenario).expect("it is a network");
    let mut capture = Vec::new();
    let cancel = AtomicBool::new(false);
    let run = run_captured(&network, 1, &cancel, &mut capture, u64::MAX);
    assert!(run.is_ok());
    let found = identifiers(&capture);
    // VCIs from 32 on, the same on every link; q runs in the opposite direction to v and has its own numbers.
    for (link, expected) in [
        ("a", vec![(0, 32)]),
        ("one", vec![(0, 33), (9, 32)]),
        ("one.back", vec![(0, 33), (9, 32)]),
        ("two", vec![(0, 33), (1, 32)]),
        ("two.back", vec![(0, 33), (1, 32)]),
        ("out", vec![(0, 32), (0, 33)]),
    ] {
        let found = &found[&format!("{link} cells")];
        assert!(found.iter().copied().eq(expected), "{link}: {found:?}");
    }
}
