//! The TCP of a flow.

use serde_json::{Value, json};

use super::circuit::Circuit;
use super::pen::Pen;
use super::taste::Wish;
use super::units::{self, MS, SECOND, Table, US, octets, put};
use super::words::{self, OLD_VARIANTS};

/// A TCP, with what sockets must know of it.
#[derive(Clone, Debug)]
pub(super) struct Tcp {
    pub(super) value: Value,
    pub(super) mss: u64,
    pub(super) window: u64,
    pub(super) is_linux_1999: bool,
    pub(super) has_ack_processing: bool,
}

/// Variants that are also the name of a preset.
const PRESETS: [&str; 5] = [
    "4.3bsd-tahoe",
    "4.3bsd-reno",
    "4.4bsd",
    "4.4bsd-lite2",
    "linux-1999",
];
/// Draws a TCP for a VC and an application of this kind.
pub(super) fn draw(pen: &mut Pen, circuit: &Circuit, kind: &str) -> Tcp {
    let variant = if pen.chance(0.6) {
        pen.taste.variant
    } else {
        words::variant(&mut pen.dice)
    };
    let is_old = OLD_VARIANTS.contains(&variant);
    let mut table = Table::new();
    if pen.wants(Wish::Preset) {
        let own = PRESETS.iter().find(|it| **it == variant);
        let others: &[&str] = if is_old {
            &["plain"]
        } else {
            &["linux", "rfc", "plain"]
        };
        let preset = own.copied().unwrap_or_else(|| pen.pick(others));
        put(&mut table, "preset", preset);
    }
    put(&mut table, "variant", named(pen, variant));
    let (mss, window) = sizes(pen, &mut table, circuit);
    let mut tcp = Tcp {
        value: Value::Null,
        mss,
        window,
        is_linux_1999: variant == "linux-1999",
        has_ack_processing: false,
    };
    if tcp.is_linux_1999 {
        put(&mut table, "nagle", false);
    }
    timers(pen, &mut table, is_old, kind);
    if pen.wants(Wish::TcpOptions) {
        options(pen, &mut table, &tcp, kind);
        tcp.has_ack_processing = host(pen, &mut table);
    }
    if variant.starts_with("4.3bsd-tahoe") {
        for key in ["tahoe_gbn", "avoids_from_ssthresh"] {
            if pen.chance(0.3) {
                put(&mut table, key, pen.chance(0.7));
            }
        }
    }
    if !is_old && pen.wants(Wish::TcpOptions) {
        modern(pen, &mut table, variant);
    }
    tcp.value = Value::Object(table);
    tcp
}

/// The longest segment and the window.
fn sizes(pen: &mut Pen, table: &mut Table, circuit: &Circuit) -> (u64, u64) {
    // An IP and a TCP header with timestamps, and the header of a host's LAN, must fit. A full frame needs its last octet.
    let headers = if circuit.is_framed { 40 } else { 60 };
    let longest = circuit.mtu.saturating_sub(headers).clamp(1, 65_495);
    let mut mss = if pen.chance(0.7) {
        pen.taste.mss
    } else {
        pen.pick(&[13, 100, 256, 536, 1460, 9140])
    };
    if longest < 9140 && pen.chance(0.2) {
        put(table, "fragments", true);
    } else {
        mss = mss.min(longest);
    }
    // Segments of an octet at each cell are many events for little.
    mss = mss.max(13);
    put(table, "mss", octets(mss));
    // More than 65,535 octets need no handshake, or a scale.
    let segments = pen.pick(&[1, 2, 3, 4, 8, 16, 44, 300]);
    let most = if pen.chance(0.2) {
        1 << 20
    } else {
        65_535.max(mss)
    };
    let window = (mss * segments).clamp(mss, most);
    put(table, "window", octets(window));
    (mss, window)
}

fn named(pen: &mut Pen, variant: &str) -> Value {
    let parameters = match variant {
        "newreno" => json!({"halves_again": pen.chance(0.5)}),
        "cubic" => json!({"fast_convergence": pen.chance(0.5)}),
        "vegas" => {
            json!({"alpha": pen.pick(&[1.0, 2.0]), "beta": pen.pick(&[2.0, 4.0]), "gamma": 1.0})
        }
        "ledbat" => {
            json!({"target": pen.pick(&["1 ms", "25 ms", "100 ms"]), "gain": pen.fraction()})
        }
        "dctcp" => json!({"gain": pen.fraction(), "initial_alpha": pen.fraction()}),
        "copa" => json!({"delta": pen.fraction(), "competes": pen.chance(0.5)}),
        _ => json!({}),
    };
    if pen.chance(0.7) {
        return Value::from(variant);
    }
    let mut table = json!({"algorithm": variant});
    if let (Some(table), Value::Object(parameters)) = (table.as_object_mut(), parameters) {
        table.extend(parameters);
    }
    table
}

fn timers(pen: &mut Pen, table: &mut Table, is_old: bool, kind: &str) {
    // Ticks of half a second are as long as many runs.
    if pen.chance(0.5) {
        let tick = pen.pick(&[10 * US, 100 * US, MS, 10 * MS, 200 * MS, SECOND]);
        put(table, "timer_granularity", units::time(tick));
    }
    let mut ticks = is_old;
    if pen.chance(0.4) {
        let timer = pen.pick(&["ticks", "real-ticks", "rfc6298", "rfc793", "jiffies"]);
        ticks = ["ticks", "real-ticks"].contains(&timer);
        let mut rto = json!({"timer": timer});
        if ticks && is_old && pen.chance(0.3) {
            rto["min_ticks"] = Value::from(pen.pick(&[1, 2, 3, 10]));
        } else if pen.chance(0.4) {
            rto["min"] = units::time(pen.span(1000, MS));
        }
        if !ticks && timer == "rfc6298" && pen.chance(0.4) {
            rto["floor"] = Value::from(pen.pick(&["rto", "variance"]));
        }
        put(table, "rto", rto);
    }
    if pen.chance(0.1) {
        put(table, "rto_gain", pen.pick(&[2, 4]));
    }
    if ticks && pen.chance(0.1) {
        put(table, "rto_slack_ticks", pen.dice.below(3));
        put(table, "rtt_slack_ticks", pen.dice.below(3));
    }
    if ticks && is_old && kind == "files" && pen.chance(0.3) {
        put(
            table,
            "route_cache",
            pen.pick(&["round-trip", "round-trip-and-threshold"]),
        );
    }
    if pen.chance(0.4) {
        put(table, "ack", pen.pick(&["each", "delayed", "bsd", "ticks"]));
    }
    if pen.chance(0.3) {
        let timer = pen.span(100, 10 * US).min(SECOND);
        put(table, "ack_timer", units::time(timer));
    }
}

fn options(pen: &mut Pen, table: &mut Table, tcp: &Tcp, kind: &str) {
    // Files and users open their connections in any case.
    let handshake = kind != "greedy" || pen.chance(0.3);
    if handshake {
        put(table, "handshake", true);
        if tcp.window > 65_535 {
            put(table, "window_scale", pen.pick(&[5, 14]));
        } else if pen.chance(0.3) {
            put(table, "window_scale", pen.pick(&[0, 1, 14]));
        }
        if pen.chance(0.2) {
            put(
                table,
                "receiver_mss",
                octets(pen.pick(&[13, 100, 536, 1460])),
            );
        }
        if pen.chance(0.1) {
            put(table, "mss_option", false);
        }
    }
    if pen.chance(0.4) {
        put(table, "host_queue_segments", pen.pick(&[1, 1, 2, 3, 10]));
    }
    if !tcp.is_linux_1999 {
        if pen.chance(0.3) {
            put(table, "nagle", kind != "telnet" && pen.chance(0.5));
        }
        if pen.chance(0.2) {
            put(table, "whole_segments", pen.chance(0.7));
        }
    }
    for (key, names) in [
        (
            "initial_window",
            &["one-segment", "two-segments", "rfc3390", "rfc6928"][..],
        ),
        ("window_update", &["bsd", "tahoe", "rfc1122", "doubled"][..]),
        ("rexmt_rearm", &["restart", "oldest-segment"][..]),
        ("retransmit_timer", &["single", "per-segment"][..]),
        ("deflation", &["after-more-than-three", "after-three"][..]),
    ] {
        if pen.chance(0.2) {
            put(table, key, pen.pick(names));
        }
    }
    for key in ["ecn", "gives_up", "quick_acks", "timestamps"] {
        if pen.chance(0.25) {
            put(table, key, pen.chance(0.6));
        }
    }
    if tcp.is_linux_1999 {
        return;
    }
    if pen.chance(0.1) {
        put(table, "header_prediction", true);
    }
}

/// Times that hosts need; returns whether acknowledgments take any.
fn host(pen: &mut Pen, table: &mut Table) -> bool {
    let processing = |pen: &mut Pen| {
        let mean = if pen.chance(0.1) { 0 } else { pen.span(100, 1) };
        json!({"mean": units::time(mean), "law": pen.pick(&["fixed", "exponential"])})
    };
    if pen.chance(0.4) {
        let value = processing(pen);
        put(table, "segment_processing", value);
    }
    let takes_time = pen.chance(0.3);
    if takes_time {
        let value = processing(pen);
        put(table, "ack_processing", value);
    }
    takes_time
}

fn modern(pen: &mut Pen, table: &mut Table, variant: &str) {
    for key in ["limited_transmit", "dsack", "undo"] {
        if pen.chance(0.3) {
            put(table, key, pen.chance(0.6));
        }
    }
    let has_sack = !["newreno"].contains(&variant);
    if has_sack && !["sack", "bbr"].contains(&variant) && pen.chance(0.15) {
        put(table, "sack", false);
        return;
    }
    if has_sack && pen.chance(0.4) {
        put(table, "rack", true);
        put(table, "tail_loss_probe", pen.chance(0.5));
        put(table, "frto", pen.chance(0.5));
    }
    if variant != "bbr" && pen.chance(0.3) {
        put(table, "prr", pen.chance(0.6));
    }
    if pen.chance(0.2) {
        put(
            table,
            "slow_start_limit",
            pen.pick(&["rfc3465", "unlimited"]),
        );
        put(table, "loss_window", pen.pick(&["flight-size", "cwnd"]));
    }
    if ["cubic", "newreno", "sack", "htcp", "westwood"].contains(&variant) && pen.chance(0.3) {
        put(table, "hystart", pen.pick(&["off", "rfc9406", "linux"]));
    }
    if pen.chance(0.2) {
        let delay = pen.span(100, 10 * US).min(SECOND);
        put(table, "ack_delay", units::time(delay));
    }
}
