//! Information from the operating system: time, random octets, and facts about the host.

use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::rand::{GetRandomFlags, getrandom};
use rustix::time::{ClockId, clock_gettime};

use crate::message::{Facts, VERSION};
use crate::nonce::Nonce;

/// Maximum sleep between checks of the stop flag.
const NAP_NS: u64 = 50_000_000;

/// The monotonic clock in ns: it is never set, and is common to all processes of a host.
pub(crate) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}

/// Sleeps until `due`, or until `stop` is set.
pub(crate) fn sleep_until(due: u64, stop: &AtomicBool) {
    loop {
        let left = due.saturating_sub(now_ns());
        if left == 0 || stop.load(Ordering::Relaxed) {
            return;
        }
        std::thread::sleep(Duration::from_nanos(left.min(NAP_NS)));
    }
}

/// A nonce from the system's random source.
pub(crate) fn nonce() -> io::Result<Nonce> {
    let mut octets = [0; 16];
    let filled = getrandom(&mut octets[..], GetRandomFlags::empty())?;
    if filled == octets.len() {
        Ok(Nonce(octets))
    } else {
        Err(io::Error::other(
            "the system's random source gave too little",
        ))
    }
}

/// Facts about this host.
pub(crate) fn facts() -> Facts {
    let system = rustix::system::uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let file = |path: &str| {
        fs::read_to_string(path).map_or_else(|_| String::new(), |text| text.trim().to_owned())
    };
    // Namespaces may shift the monotonic clock: daemons share it if boot and time namespace are the same.
    let namespace = fs::read_link("/proc/self/ns/time").map_or_else(
        |_| String::new(),
        |link| link.to_string_lossy().into_owned(),
    );
    Facts {
        version: VERSION,
        celltrain: env!("CARGO_PKG_VERSION").to_owned(),
        hostname: text(system.nodename()),
        system: format!(
            "{} {} {}",
            text(system.sysname()),
            text(system.release()),
            text(system.machine())
        ),
        congestion_control: file("/proc/sys/net/ipv4/tcp_congestion_control"),
        clock: format!("{} {namespace}", file("/proc/sys/kernel/random/boot_id")),
    }
}
