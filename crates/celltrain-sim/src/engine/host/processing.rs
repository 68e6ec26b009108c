//! The processing time of a segment or an ACK at a host: a single server.

use celltrain_proto::random::Stream;
use celltrain_proto::units::{Span, Time};

/// A server of one host.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Server {
    law: ServiceTime,
    busy_until: Option<Time>,
}

/// The distribution of the service time.
#[derive(Clone, Debug)]
pub(in crate::engine) enum ServiceTime {
    /// Constant.
    Fixed(Span),
    /// Exponential.
    Exponential {
        /// The mean in seconds.
        mean_s: f64,
        /// The server's own random numbers.
        stream: Stream,
    },
}

impl Server {
    pub(in crate::engine) fn new(law: ServiceTime) -> Self {
        Self {
            law,
            busy_until: None,
        }
    }

    /// When the service ends; [`Time::NEVER`] while the server is idle.
    pub(in crate::engine) fn done(&self) -> Time {
        self.busy_until.unwrap_or(Time::NEVER)
    }

    pub(in crate::engine) fn is_busy(&self) -> bool {
        self.busy_until.is_some()
    }

    pub(in crate::engine) fn start(&mut self, now: Time) {
        let time = match &mut self.law {
            ServiceTime::Fixed(time) => *time,
            ServiceTime::Exponential { mean_s, stream } => {
                Span::from_secs_f64(stream.exponential(*mean_s))
            }
        };
        self.busy_until = Some(now.saturating_add(time));
    }

    pub(in crate::engine) fn stop(&mut self) {
        self.busy_until = None;
    }
}
