//! A line with one greedy connection.

use celltrain_sim::measure::Results;

use crate::common::{run, value};

/// Octets of data in a full segment; with 40 octets of headers and 12 of timestamps it takes 32 cells in AAL5.
const MSS: f64 = 1_448.0;
const CELLS: f64 = 32.0;

/// A line, and the times of its measurement.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    pub(crate) rate_bps: f64,
    /// One way.
    pub(crate) delay_s: f64,
    /// Packets in the queue.
    pub(crate) buffer: u32,
    pub(crate) warm_up_s: u32,
    pub(crate) measured_s: u32,
}

/// 10 Mbit/s, a round trip of 40 ms, and a buffer that no variant fills in this time.
pub(crate) const LINE: Line = Line {
    rate_bps: 10e6,
    delay_s: 0.02,
    buffer: 1_000,
    warm_up_s: 20,
    measured_s: 20,
};

/// The results of a single connection on a line.
pub(crate) struct Run {
    line: Line,
    results: Results,
}

impl Line {
    /// Transmission time of a packet.
    pub(crate) fn packet_s(&self) -> f64 {
        CELLS * 424.0 / self.rate_bps
    }

    /// The round trip of a segment while `window` segments are outstanding.
    pub(crate) fn round_trip_s(&self, window: f64) -> f64 {
        self.packet_s() * window.max(self.path_segments())
    }

    /// The window after growth by `alpha(seconds, window)` segments per round trip between two instants of an epoch.
    pub(crate) fn grown(
        &self,
        mut window: f64,
        [from_s, to_s]: [f64; 2],
        alpha: impl Fn(f64, f64) -> f64,
    ) -> f64 {
        const STEP_S: f64 = 1e-3;
        for step in 0..((to_s - from_s) / STEP_S) as u32 {
            let at = from_s + f64::from(step) * STEP_S;
            window += STEP_S * alpha(at, window) / self.round_trip_s(window);
        }
        window
    }

    /// Segments that fill the path without a queue until the acknowledgment, of two cells, returns.
    pub(crate) fn path_segments(&self) -> f64 {
        1.0 + (2.0 * self.delay_s + 2.0 * 424.0 / self.rate_bps) / self.packet_s()
    }

    /// Runs `variant`, a value of the key `variant` in TOML, with the options of Linux and an acknowledgment for each segment.
    pub(crate) fn run(self, variant: &str) -> Run {
        let text = format!(
            r#"
            [measure]
            warm_up = "{} s"
            duration = "{} s"
            [hosts]
            a = {{}}
            b = {{}}
            [links.line]
            between = ["a", "b"]
            delay = "{} us"
            rate = "{} bit/s"
            buffer = "{} cells"
            [vcs.vc]
            route = ["a", "b"]
            [flows.f]
            vc = "vc"
            tcp = {{ preset = "linux", variant = {variant}, ack = "each", nagle = false }}
            [probes.p]
            every = "10 ms"
            record = ["flows.f.cwnd_bytes", "flows.f.ssthresh_bytes", "flows.f.segments_retransmitted"]
            "#,
            self.warm_up_s,
            self.warm_up_s + self.measured_s,
            self.delay_s * 1e6,
            self.rate_bps,
            f64::from(self.buffer) * CELLS,
        );
        Run {
            line: self,
            results: run(&text, 1),
        }
    }
}

impl Run {
    pub(crate) fn of_flow(&self, column: &str) -> f64 {
        value(&self.results, "flows", "f", column)
    }

    pub(crate) fn utilization(&self) -> f64 {
        value(&self.results, "links", "line", "utilization")
    }

    /// Mean waiting time of packets.
    pub(crate) fn queueing_delay_s(&self) -> f64 {
        self.of_flow("delay_mean_s") - self.line.delay_s - self.line.packet_s()
    }

    /// Mean number of waiting packets.
    pub(crate) fn queued(&self) -> f64 {
        self.queueing_delay_s() / self.line.packet_s()
    }

    /// A quantity of the probe, every 10 ms of the measured time.
    fn trace(&self, quantity: &str) -> Vec<f64> {
        self.results.traces[0].numbers_of(quantity)
    }

    /// Losses after which the window grew for `span_s` without another.
    pub(crate) fn epochs(&self, span_s: f64) -> Vec<Epoch> {
        let [cwnd, threshold, resent] = ["cwnd_bytes", "ssthresh_bytes", "segments_retransmitted"]
            .map(|it| self.trace(&format!("flows.f.{it}")));
        let resends: Vec<usize> = (1..resent.len())
            .filter(|&at| resent[at] > resent[at - 1])
            .collect();
        // Retransmissions within half a second belong to one repair.
        let begins = |(at, last): (&usize, Option<&usize>)| {
            let is_first = last.is_none_or(|last| at - last > 50);
            is_first.then_some(*at)
        };
        let lasts = std::iter::once(None).chain(resends.iter().map(Some));
        let begun: Vec<usize> = resends.iter().zip(lasts).filter_map(begins).collect();
        let steps = (100.0 * span_s) as usize;
        let ends = begun.iter().skip(1).copied().chain([cwnd.len()]);
        let long = begun
            .iter()
            .zip(ends)
            .filter(|(at, end)| **at + steps < *end);
        long.map(|(&at, _)| Epoch {
            before: cwnd[at - 1] / MSS,
            threshold: threshold[at] / MSS,
            windows: cwnd[at..at + steps].iter().map(|it| it / MSS).collect(),
        })
        .collect()
    }
}

/// The window around a loss, in segments.
#[derive(Debug)]
pub(crate) struct Epoch {
    /// The window before it.
    pub(crate) before: f64,
    /// The threshold after it.
    pub(crate) threshold: f64,
    /// The window since, every 10 ms.
    windows: Vec<f64>,
}

impl Epoch {
    /// The window this long after the loss.
    pub(crate) fn window_after(&self, seconds: f64) -> f64 {
        self.windows[(100.0 * seconds) as usize]
    }
}

/// All variants of the schema except `but`, as values in TOML.
pub(crate) fn others(but: &str) -> Vec<String> {
    let schema: serde_json::Value =
        serde_json::from_str(&celltrain_sim::scenario::schema()).expect("a schema is JSON");
    let all = schema["$defs"]["TcpVariant"]["oneOf"]
        .as_array()
        .expect("variants");
    let names = all.iter().filter_map(|it| it["const"].as_str());
    names
        .filter(|it| *it != but)
        .map(|it| format!("{it:?}"))
        .collect()
}
