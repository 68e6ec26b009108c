//! Functions that simulations and lines share: captures, and traces of a line's rate.

use std::io::{self, Write};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use celltrain_proto::line::{DeliveryTrace, RateChanges, RateProcess, opportunity};
use celltrain_proto::random::Stream;
use celltrain_proto::units::{Span, Time};
use celltrain_sim::engine::{self, RunError};
use celltrain_sim::measure::Results;
use celltrain_sim::network::{Link, Network};

use crate::capture::{Capture, Simulated};
use crate::prepare::visible_links;

/// Why a capture failed.
#[derive(Debug)]
pub enum CaptureError {
    /// The file cannot be written.
    File(io::Error),
    /// The run failed.
    Run(RunError),
}

/// Runs a network and writes its packets, and the cells that cross its links, as pcapng. After `limit` octets the rest
/// is omitted; the second result says whether that happened.
pub fn run_captured(
    network: &Network,
    seed: u64,
    cancel: &AtomicBool,
    writer: impl Write,
    limit: u64,
) -> Result<(Results, bool), CaptureError> {
    let links = visible_links(network);
    let vcs: Vec<_> = (0..network.vcs.len()).collect();
    let packets = Simulated::new(network);
    let mut capture = Capture::new(
        writer,
        network,
        packets,
        (&vcs, &links),
        Duration::ZERO,
        limit,
    )
    .map_err(CaptureError::File)?;
    let mut written = Ok(());
    let results = engine::run_captured(network, seed, cancel, &links, |captured| {
        if written.is_ok() {
            written = capture.see(captured);
        }
    });
    let results = results.map_err(CaptureError::Run)?;
    let is_full = capture.is_full();
    written
        .and_then(|()| capture.finish())
        .map_err(CaptureError::File)?;
    Ok((results, is_full))
}

/// The rate of a link over `duration` as a packet-delivery trace of Mahimahi, the same as in a run with this seed.
///
/// # Errors
///
/// Returns an error message if there is no such link, it has no rate, or the trace would be too long.
pub fn delivery_trace(
    network: &Network,
    link: &str,
    seed: u64,
    duration: Span,
) -> Result<DeliveryTrace, String> {
    let (found, process) = rated(network, link, seed)?;
    let frames = found.line.as_ref().and_then(|line| line.frames);
    let octets = opportunity(frames.map(|it| it.framing));
    DeliveryTrace::from_rates(process, duration, octets).map_err(|error| error.to_string())
}

/// A link and the process of its rate.
fn rated<'a>(
    network: &'a Network,
    link: &str,
    seed: u64,
) -> Result<(&'a Link, RateProcess), String> {
    let rated = network.links.iter().filter(|it| it.line.is_some());
    let names: Vec<_> = rated.map(Link::unique_name).collect();
    let names = names.join(", ");
    let Some(found) = network.links.iter().find(|it| it.unique_name() == link) else {
        return Err(format!(
            "there is no link {link:?}; those with a rate are {names}"
        ));
    };
    let Some(written) = &found.line else {
        return Err(format!(
            "link {link:?} has no rate; those with one are {names}"
        ));
    };
    let stream = Stream::named(seed, &format!("links.{link}.rate"));
    Ok((found, written.rate.process(stream)))
}

/// The mean rate in bit/s over each of `count` intervals of length `every`, and the delay in seconds, without queue and
/// transmission, of a unit that departs when the interval begins.
///
/// # Errors
///
/// Returns an error message if there is no such link, or it has no rate.
pub fn line_over_time(
    network: &Network,
    link: &str,
    seed: u64,
    every: Span,
    count: u32,
) -> Result<Vec<(f64, f64)>, String> {
    let (found, mut process) = rated(network, link, seed)?;
    let mut delay = found.varying_delay(seed);
    let mut rate = process.first();
    let mut now = Time::ZERO;
    let interval = |_| {
        let end = now.saturating_add(every);
        let delayed = delay.arrival(now, found.delay) - now;
        let mut bits = 0.0;
        loop {
            let next = process.next_change(now);
            if next > end || next == Time::NEVER {
                bits += rate.bits_in(end - now);
                now = end;
                break;
            }
            bits += rate.bits_in(next - now);
            now = next;
            rate = process.change();
        }
        (bits / every.as_secs(), delayed.as_secs())
    };
    Ok((0..count).map(interval).collect())
}
