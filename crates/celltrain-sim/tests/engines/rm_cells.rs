//! What a switch algorithm must know when it writes into an RM cell (`crates/celltrain-hunt/mutations.toml` names the
//! test for each condition).

use super::found::agree;

/// A node with a local loop writes into the RM cells of one VC for a queue that is also filled by another VC. No channel
/// leads the RM cells there: they come directly from their source, without delay.
#[test]
fn a_local_loop_marks_for_the_queue_as_it_is_now() {
    agree(
        r#"
        [measure]
        duration = "10 s"
        [hosts]
        home = {}
        server = {}
        [switches]
        atu_r = {}
        atu_c = {}
        [links]
        drop = { between = ["home", "atu_r"], delay = "0 s" }
        down = { from = "atu_c", to = "atu_r", distance = "1 km", rate = "8 Mbit/s", buffer = "1024 cells" }
        wan = { between = ["atu_c", "server"], distance = "200 km" }
        [links.up]
        from = "atu_r"
        to = "atu_c"
        distance = "1 km"
        rate = "1 Mbit/s"
        buffer = "300 cells"
        control = { algorithm = "binary", threshold = "20 cells" }
        [vcs.controlled]
        route = ["home", "atu_r", "atu_c", "server"]
        encapsulation = "vc-mux"
        [vcs.controlled.forward]
        service = "abr"
        pcr = "100 kbit/s"
        rif = "1/16"
        rdf = "1/4"
        idle_forward_rm = false
        turn_around_at = "atu_r"
        [vcs.plain]
        route = ["home", "atu_r", "atu_c", "server"]
        encapsulation = "vc-mux"
        forward = { service = "ubr", pcr = "3 Mbit/s" }
        [flows.controlled]
        vc = "controlled"
        tcp = { variant = "4.3bsd-reno" }
        [flows.plain]
        vc = "plain"
        udp = { packet = "3000 bytes", traffic = { process = "cbr", rate = "600 kbit/s" } }
        "#,
    );
}

/// Forward RM cells pass a queue with classes without an event. The rates that they carry determine what is written into
/// RM cells that return within the same interval.
#[test]
fn an_algorithm_knows_the_rates_in_rm_cells_that_have_passed_its_queue() {
    agree(
        r#"
        [measure]
        duration = "120 ms"
        [hosts]
        near = { count = 3 }
        far = { count = 3 }
        near_end = { count = 3 }
        far_end = { count = 3 }
        first = {}
        first_end = {}
        [switches]
        s = {}
        t = {}
        [links]
        near = { between = ["near", "s"], delay = "300 us" }
        far = { between = ["far", "s"], delay = "2 ms" }
        back = { from = "t", to = "s", delay = "1 ms" }
        near_end = { between = ["t", "near_end"], delay = "50 us" }
        far_end = { between = ["t", "far_end"], delay = "50 us" }
        first = { between = ["first", "s"], delay = "10 us" }
        first_end = { between = ["t", "first_end"], delay = "10 us" }
        [links.trunk]
        from = "s"
        to = "t"
        delay = "1 ms"
        rate = "30 Mbit/s"
        buffer = "2000 cells"
        scheduling = "priority"
        [links.trunk.control]
        algorithm = "erica"
        interval = "10 ms"
        immediate_update = false
        verdicts = "each-cell"
        delta = 0
        [vcs.near]
        route = ["near", "s", "t", "near_end"]
        forward = { service = "abr", pcr = "30 Mbit/s", icr = "3 Mbit/s", rif = 1 }
        backward = { service = "abr", pcr = "30 Mbit/s" }
        [vcs.far]
        route = ["far", "s", "t", "far_end"]
        forward = { service = "abr", pcr = "30 Mbit/s", icr = "9 Mbit/s", rif = 1 }
        backward = { service = "abr", pcr = "30 Mbit/s" }
        [vcs.first]
        route = ["first", "s", "t", "first_end"]
        forward = { service = "cbr", pcr = "2 Mbit/s" }
        [backgrounds.first]
        vc = "first"
        traffic = { process = "cbr", rate = "2 Mbit/s" }
        [flows.near]
        vc = "near"
        udp = { packet = "1000 bytes", traffic = { process = "cbr", rate = "20 Mbit/s" } }
        [flows.far]
        vc = "far"
        udp = { packet = "1000 bytes", traffic = { process = "cbr", rate = "20 Mbit/s" } }
        "#,
    );
}
