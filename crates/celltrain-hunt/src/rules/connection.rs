//! Rules of flows: what TCP and UDP, segment sizes and socket buffers require of each other.

use serde_json::{Value, json};

use super::table::{Table, cap, quantity};
use crate::palette::text;
use crate::schema::Kind;
use crate::values::Painter;

/// The bounds of the gaps of a telnet application that gives none, in ps.
const TYPING: [u64; 2] = [120_000_000_000, 120_000_000_000_000];

/// Applies the rules of TCP, UDP and socket buffers to a flow that crosses networks with this MTU.
pub(super) fn apply(flow: &mut Table, mtu: u64, painter: &mut Painter) {
    transport(flow, mtu, painter);
    route_cache(flow, painter);
    end(flow, painter);
    back(flow, painter);
    telnet(flow);
    writes(flow, painter);
}

/// Makes segments fit through the networks on their path, unless they may be cut, and windows hold a segment.
fn transport(flow: &mut Table, mtu: u64, painter: &mut Painter) {
    let is_small = mtu < 65_535;
    if let Some(udp) = flow.get_mut("udp").and_then(Value::as_object_mut) {
        cap(udp, Kind::Octets, "packet", 65_535);
        if quantity(Kind::Octets, udp.get("packet")) < Some(28) {
            udp.insert("packet".to_owned(), json!("28 bytes"));
        }
    } else {
        let tcp = flow.entry("tcp").or_insert_with(|| json!({}));
        if tcp.is_string() && mtu < 1_500 {
            *tcp = json!({ "preset": tcp.clone() });
        }
        let Some(tcp) = tcp.as_object_mut() else {
            return;
        };
        let is_cut = tcp.get("fragments").is_some_and(|it| it == true);
        let most = if is_cut {
            65_495
        } else {
            mtu.saturating_sub(40)
        };
        if is_small && !is_cut && !tcp.contains_key("mss") {
            let mss = text(Kind::Octets, most.min(1_460));
            tcp.insert("mss".to_owned(), json!(mss));
        }
        cap(tcp, Kind::Octets, "mss", most);
        let mss = quantity(Kind::Octets, tcp.get("mss")).unwrap_or(9140);
        if quantity(Kind::Octets, tcp.get("window")).is_some_and(|window| window < mss) {
            let window = mss * painter.dice.whole(1, 7);
            tcp.insert("window".to_owned(), json!(text(Kind::Octets, window)));
        }
        let variant = tcp
            .get("variant")
            .map(|it| it.get("algorithm").unwrap_or(it));
        if variant.is_some_and(|variant| variant == "linux-1999") {
            tcp.insert("nagle".to_owned(), json!(false));
        }
        if let Some(Value::Object(variant)) = tcp.get_mut("variant") {
            vegas(variant);
        }
        if tcp.contains_key("receiver_mss") || tcp.get("mss_option").is_some_and(|it| it == false) {
            tcp.insert("handshake".to_owned(), json!(true));
        }
        if quantity(Kind::Octets, tcp.get("receiver_mss")).is_some_and(|mss| mss < 13) {
            tcp.insert("receiver_mss".to_owned(), json!("512 bytes"));
        }
        cap(tcp, Kind::Octets, "receiver_mss", 65_495);
        if tcp.is_empty() {
            flow.remove("tcp");
        }
    }
}

/// Vegas has its upper threshold at or above the lower one.
fn vegas(variant: &mut Table) {
    let number = |key: &str, default: f64| variant.get(key).map_or(Some(default), Value::as_f64);
    let (Some(alpha), Some(beta)) = (number("alpha", 2.0), number("beta", 4.0)) else {
        return;
    };
    if variant["algorithm"] == "vegas" && beta < alpha {
        variant.insert("alpha".to_owned(), json!(beta));
        variant.insert("beta".to_owned(), json!(alpha));
    }
}

/// Remembers a route only between connections that follow each other and count round trips in ticks.
fn route_cache(flow: &mut Table, painter: &Painter) {
    // Only file transfers open one connection after another.
    let application = flow.get("application");
    let is_followed = application.is_some_and(|it| it["kind"] == "files");
    let Some(tcp) = flow.get_mut("tcp").and_then(Value::as_object_mut) else {
        return;
    };
    if tcp.get("route_cache").is_none_or(|it| it == "off") {
        return;
    }
    let timer = tcp.get("rto").and_then(|rto| rto.get("timer"));
    if timer.is_none_or(|timer| timer != "ticks") {
        tcp.insert("rto".to_owned(), json!({ "timer": "ticks" }));
    }
    if is_followed {
        return;
    }
    if painter.must("flows.*.tcp.route_cache") {
        let files = json!({ "kind": "files", "size": "10000 bytes", "think": "1 ms" });
        flow.insert("application".to_owned(), files);
        flow.remove("back");
    } else {
        tcp.remove("route_cache");
    }
}

/// How a flow ends.
fn end(flow: &mut Table, painter: &Painter) {
    if flow
        .get("application")
        .is_some_and(|it| it["kind"] == "files")
    {
        flow.remove("duration");
        flow.remove("at_end");
    }
    if flow.contains_key("udp") {
        flow.remove("at_end");
    }
    if flow.get("at_end").is_some_and(|it| it == "abort") && !flow.contains_key("duration") {
        let time = painter.palette.horizon / 2;
        flow.insert("duration".to_owned(), json!(text(Kind::Time, time.max(1))));
    }
}

/// Makes sockets in both directions valid, and sets the variant that keeps write boundaries if a socket needs it.
fn writes(flow: &mut Table, painter: &mut Painter) {
    let mut keeps_writes = false;
    if let Some(sockets) = flow.get_mut("sockets").and_then(Value::as_object_mut) {
        keeps_writes |= self::sockets(sockets, painter);
    }
    let back = flow
        .get_mut("back")
        .and_then(|back| back.get_mut("sockets"));
    if let Some(sockets) = back.and_then(Value::as_object_mut) {
        keeps_writes |= self::sockets(sockets, painter);
    }
    if keeps_writes {
        let tcp = flow.entry("tcp").or_insert_with(|| json!({}));
        // A preset's name has no keys.
        if !tcp.is_object() {
            *tcp = json!({});
        }
        (tcp["variant"], tcp["nagle"]) = (json!("linux-1999"), json!(false));
        if let Some(tcp) = tcp.as_object_mut() {
            tcp.remove("receiver_mss");
            tcp.remove("mss_option");
        }
    }
}

/// Keeps data in both directions only for a greedy connection.
fn back(flow: &mut Table, painter: &mut Painter) {
    if flow.contains_key("udp") {
        flow.remove("back");
    }
    if !flow.contains_key("back") {
        return;
    }
    if flow
        .get("application")
        .is_some_and(|it| it["kind"] != "greedy")
    {
        let key = if painter.must("flows.*.back") {
            "application"
        } else {
            "back"
        };
        flow.remove(key);
    }
    if let Some(tcp) = flow.get_mut("tcp").and_then(Value::as_object_mut) {
        tcp.remove("ack_processing");
    }
}

/// Writes each message of a telnet application at once, and puts the bounds of its gaps in order.
fn telnet(flow: &mut Table) {
    let application = flow.get_mut("application").and_then(Value::as_object_mut);
    let Some(application) = application.filter(|it| it["kind"] == "telnet") else {
        return;
    };
    let gap = |application: &Table, key: &str| quantity(Kind::Time, application.get(key));
    let shortest = gap(application, "shortest_gap").unwrap_or(TYPING[0]);
    if gap(application, "longest_gap").unwrap_or(TYPING[1]) <= shortest {
        let longest = text(Kind::Time, shortest.saturating_mul(2));
        application.insert("longest_gap".to_owned(), json!(longest));
    }
    if let Some(sockets) = flow.get_mut("sockets").and_then(Value::as_object_mut) {
        for key in ["write", "write_rate", "segment_memory", "wake"] {
            sockets.remove(key);
        }
    }
}

/// Makes a write fit into the buffer; returns whether write boundaries are kept.
fn sockets(sockets: &mut Table, painter: &mut Painter) -> bool {
    if sockets.contains_key("wake") {
        // Only a write that `segment_memory` blocks is woken.
        sockets
            .entry("segment_memory")
            .or_insert_with(|| json!("1000 bytes"));
    }
    if let Some(memory) = quantity(Kind::Octets, sockets.get("segment_memory")) {
        // Twice the buffer may hold at most a million segments.
        cap(
            sockets,
            Kind::Octets,
            "send_buffer",
            memory.saturating_mul(1 << 19),
        );
    }
    if let Some(buffer) = quantity(Kind::Octets, sockets.get("send_buffer")) {
        cap(sockets, Kind::Octets, "write", buffer.max(1));
        cap(sockets, Kind::Octets, "segment_memory", buffer.max(1));
    }
    let keeps_writes = sockets.contains_key("segment_memory");
    if keeps_writes {
        let buffer = painter.palette.octets(&mut painter.dice).max(1);
        for key in ["send_buffer", "write"] {
            sockets
                .entry(key)
                .or_insert_with(|| json!(text(Kind::Octets, buffer)));
        }
    }
    keeps_writes
}
