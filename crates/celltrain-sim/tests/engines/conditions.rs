//! Networks for conditions of the train engine that rarely matter in random networks
//! (`crates/celltrain-hunt/mutations.toml` names the test for each).

use super::found::agree;

/// Cells of several VCs that meet at a queue, most of them at multiples of 400 us; those of `late` come over a delay. The
/// line is mostly idle, so the order at one instant matters.
fn meeting(queue: &str, vcs: &[String]) -> String {
    let vcs = vcs.concat();
    format!(
        r#"
        [measure]
        duration = "60 ms"
        [hosts]
        first = {{}}
        second = {{}}
        late = {{}}
        burst = {{}}
        end = {{}}
        [switches]
        s = {{}}
        t = {{}}
        u = {{}}
        [links]
        first = {{ between = ["first", "s"], delay = "0 s" }}
        second = {{ between = ["second", "s"], delay = "0 s" }}
        late = {{ between = ["late", "s"], delay = "800 us" }}
        burst = {{ between = ["burst", "s"], delay = "0 s" }}
        next = {{ between = ["t", "u"], delay = "1 ms", rate = "3 Mbit/s", buffer = "60 cells" }}
        end = {{ between = ["u", "end"], delay = "0 s" }}
        [links.queue]
        between = ["s", "t"]
        delay = "1 ms"
        rate = "4 Mbit/s"
        buffer = "60 cells"
        {queue}
        {vcs}
        "#
    )
}

const CLASSES: &str = r#"scheduling = "priority""#;

/// A VC from a host, with its service and its traffic.
fn vc(host: &str, service: &str, section: &str, sent: &str) -> String {
    format!(
        r#"
        [vcs.{host}]
        route = ["{host}", "s", "t", "u", "end"]
        forward = {{ {service} }}
        [{section}.{host}]
        vc = "{host}"
        {sent}
        "#
    )
}

/// Cells of packets, one every 400 us.
fn packets(host: &str, service: &str) -> String {
    let service = format!(r#"service = "{service}", pcr = "1.06 Mbit/s""#);
    let sent =
        r#"udp = { packet = "1460 bytes", traffic = { process = "cbr", rate = "2 Mbit/s" } }"#;
    vc(host, &service, "flows", sent)
}

/// Cells of a process.
fn cells(host: &str, service: &str, process: &str) -> String {
    let service = format!(r#"service = "{service}", pcr = "1.06 Mbit/s""#);
    let sent = format!("traffic = {{ process = {process} }}");
    vc(host, &service, "backgrounds", &sent)
}

const EACH_400_US: &str = r#""cbr", rate = "1.06 Mbit/s""#;
const EACH_4_MS: &str = r#""pulses", peak = "1.06 Mbit/s", period = "4 ms", duty_cycle = 0.1"#;
const PULSES: &str = r#""pulses", peak = "20 Mbit/s", period = "10 ms", duty_cycle = 0.2"#;

/// An occasional packet whose cells all arrive at the same instant, so that the queues were once longer than they are
/// later.
fn burst(service: &str) -> String {
    let sent =
        r#"udp = { packet = "1460 bytes", traffic = { process = "cbr", rate = "500 kbit/s" } }"#;
    vc("burst", service, "flows", sent)
}

#[test]
fn a_cell_in_the_middle_of_a_train_that_comes_now_waits_for_its_turn() {
    let single = vc(
        "first",
        r#"service = "ubr", pcr = "10 Mbit/s""#,
        "flows",
        r#"udp = { packet = "30 bytes", traffic = { process = "cbr", rate = "100 kbit/s" } }"#,
    );
    agree(&meeting(CLASSES, &[single, packets("late", "cbr")]));
}

#[test]
fn processes_go_before_the_cells_of_a_train_with_which_their_cells_come() {
    let vcs = [
        cells("first", "ubr", EACH_400_US),
        cells("second", "ubr", EACH_400_US),
        packets("late", "ubr"),
    ];
    agree(&meeting("", &vcs));
}

#[test]
fn of_processes_whose_cells_come_together_the_lower_one_goes_first() {
    let vcs = [
        cells("first", "cbr", EACH_4_MS),
        cells("second", "cbr", EACH_400_US),
        packets("late", "ubr"),
    ];
    agree(&meeting("", &vcs));
}

#[test]
fn a_process_goes_before_the_cells_of_another_class_with_which_its_cells_come() {
    let vcs = [cells("first", "cbr", EACH_400_US), packets("late", "ubr")];
    agree(&meeting(CLASSES, &vcs));
}

#[test]
fn so_it_does_where_these_are_taken_before_they_come() {
    let vcs = [
        cells("first", "cbr", EACH_400_US),
        packets("late", "ubr"),
        burst(r#"service = "ubr""#),
    ];
    agree(&meeting(CLASSES, &vcs));
}

#[test]
fn cells_taken_before_they_come_leave_when_they_have() {
    let vcs = [
        cells("first", "cbr", r#""cbr", rate = "700 kbit/s""#),
        packets("late", "ubr"),
        burst(r#"service = "ubr""#),
    ];
    agree(&meeting(CLASSES, &vcs));
}

#[test]
fn no_more_cells_are_taken_before_they_come_than_find_room() {
    let few = format!("{CLASSES}\nclass_buffers = {{ ubr = \"4 cells\" }}");
    for queue in [CLASSES, &few] {
        let vcs = [cells("first", "cbr", PULSES), packets("late", "ubr")];
        agree(&meeting(queue, &vcs));
    }
}

#[test]
fn of_frames_that_may_be_refused_each_cell_is_looked_at() {
    let queue = format!(
        "{CLASSES}\nclass_buffers = {{ ubr = \"4 cells\" }}\ndiscard = {{ policy = \"ppd\" }}"
    );
    let vcs = [cells("first", "cbr", PULSES), packets("late", "ubr")];
    agree(&meeting(&queue, &vcs));
}

#[test]
fn an_algorithm_hears_of_the_first_class_as_its_cells_come() {
    let control = r#"control = { algorithm = "erica", interval = "2 ms" }"#;
    let abr = vc(
        "late",
        r#"service = "abr", pcr = "2 Mbit/s""#,
        "flows",
        r#"tcp = { mss = "512 bytes" }"#,
    );
    let abr = abr.replace(
        "forward =",
        "backward = { service = \"abr\", pcr = \"2 Mbit/s\" }\nforward =",
    );
    let vcs = [cells("first", "cbr", PULSES), abr];
    agree(&meeting(&format!("{CLASSES}\n{control}"), &vcs));
}

#[test]
fn queues_of_three_classes_take_each_cell_when_it_comes() {
    let vcs = [
        cells("first", "cbr", EACH_400_US),
        packets("late", "ubr"),
        burst(r#"service = "nrt-vbr", pcr = "30 Mbit/s", scr = "1 Mbit/s", mbs = "90 cells""#),
    ];
    agree(&meeting(CLASSES, &vcs));
}

#[test]
fn processes_of_the_second_class_go_after_the_first() {
    let vcs = [
        cells("first", "ubr", EACH_400_US),
        cells("second", "ubr", EACH_400_US),
        packets("late", "cbr"),
        burst(r#"service = "ubr""#),
    ];
    agree(&meeting(CLASSES, &vcs));
}

/// Frames taken by an ABR tunnel VC that mostly has nothing to send, so that its RM cells are spaced by number.
fn carried(hosts: &[&str], line: &str, flow: &str) -> String {
    let vc = |host: &&str| {
        format!(
            r#"
            [vcs.{host}]
            route = ["{host}", "r", "s", "end"]
            [flows.{host}]
            vc = "{host}"
            {flow}
            "#
        )
    };
    format!(
        r#"
        [measure]
        duration = "90 ms"
        [hosts]
        a = {{}}
        b = {{}}
        end = {{}}
        [routers]
        r = {{}}
        s = {{}}
        [links]
        a = {{ between = ["a", "r"], delay = "1 ms", {line} }}
        b = {{ between = ["b", "r"], delay = "1 ms", {line} }}
        trunk = {{ between = ["r", "s"], delay = "1 ms", rate = "50 Mbit/s", buffer = "900 cells" }}
        end = {{ between = ["s", "end"], delay = "0 s" }}
        [vcs.trunk]
        route = ["r", "s"]
        forward = {{ service = "abr", pcr = "50 Mbit/s", icr = "50 Mbit/s", nrm = 8, trm = "900 ms" }}
        backward = {{ service = "abr", pcr = "50 Mbit/s" }}
        {}
        "#,
        hosts.iter().map(vc).collect::<String>()
    )
}

#[test]
fn a_tunnel_vc_expects_cells_of_two_links_closer_to_each_other_than_those_of_one() {
    let line = r#"rate = "2 Mbit/s", buffer = "90 cells""#;
    let flow =
        r#"udp = { packet = "1460 bytes", traffic = { process = "cbr", rate = "1 Mbit/s" } }"#;
    agree(&carried(&["a", "b"], line, flow));
}

#[test]
fn so_it_does_downstream_of_jitter() {
    let line =
        r#"rate = "2 Mbit/s", buffer = "90 cells", jitter = { process = "uniform", max = "3 ms" }"#;
    let flow =
        r#"udp = { packet = "1460 bytes", traffic = { process = "cbr", rate = "100 kbit/s" } }"#;
    agree(&carried(&["a"], line, flow));
}

macro_rules! networks {
    ($($name:ident => $file:literal,)+) => {
        $(
            #[test]
            fn $name() {
                agree(include_str!(concat!("../data/conditions/", $file, ".toml")));
            }
        )+
    };
}

networks! {
    a_policy_refuses_frames_where_no_cell_waits => "discard-where-no-cell-waits",
    a_tunnel_vc_right_before_another_lets_each_cell_go_by_an_event => "tunnel-right-before-a-tunnel",
    cells_leave_a_mere_delay_in_the_order_in_which_they_entered => "order-at-a-mere-delay",
    so_do_those_that_enter_in_the_middle_of_their_path => "entrance-of-a-mere-delay",
    the_end_right_after_a_tunnel_vc_takes_all_cells_of_a_pdu => "end-right-after-a-tunnel",
    a_time_out_is_not_spurious_if_a_cell_was_lost_before_it => "losses-before-a-time-out",
    requests_go_round_a_circle_few_times_after_a_long_pause => "long-idle-circle",
    a_cell_waits_for_the_turn_of_its_tunnel_vc_which_may_have_become_slower => "rate-falls-before-the-turn",
    an_algorithm_sees_rm_cells_that_have_passed_the_queue_before => "algorithm-after-a-passed-queue",
}
