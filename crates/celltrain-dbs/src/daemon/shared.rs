//! State shared by the threads of one run: the stop flag, the common start, and the report channel.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::log::Log;
use crate::message::{Report, What};
use crate::order::Order;

/// Messages from threads to the session.
#[derive(Debug)]
pub(super) enum News {
    /// A connection has greeted, or has failed to.
    Greeted(u32, Result<(), String>),
    /// A measurement.
    Report(Report),
    /// The log of a connection of a stream.
    Log(u32, u32, Log),
}

/// State shared by the threads of one run.
#[derive(Debug)]
pub(super) struct Shared {
    /// Ends all threads within a tenth of a second.
    pub(super) stop: AtomicBool,
    start: Mutex<Option<u64>>,
    started: Condvar,
    news: Sender<News>,
    live: AtomicUsize,
}

impl Shared {
    pub(super) fn new(news: Sender<News>) -> Self {
        Self {
            stop: AtomicBool::new(false),
            start: Mutex::new(None),
            started: Condvar::new(),
            news,
            live: AtomicUsize::new(0),
        }
    }

    /// Whether the run must end.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Sets the common start.
    pub(super) fn begin(&self, at_ns: u64) {
        *self.start.lock().unwrap_or_else(PoisonError::into_inner) = Some(at_ns);
        self.started.notify_all();
    }

    /// The common start, once it is set.
    pub(super) fn start(&self) -> Option<u64> {
        *self.start.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the common start to be set; `None` if the run is stopped before that.
    pub(super) fn wait_for_start(&self) -> Option<u64> {
        let mut start = self.start.lock().unwrap_or_else(PoisonError::into_inner);
        while start.is_none() && !self.is_stopped() {
            let nap = Duration::from_millis(50);
            let woken = self.started.wait_timeout(start, nap);
            start = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        *start
    }

    /// Reports that a connection of `stream` has greeted, or why not.
    pub(super) fn greeted(&self, stream: u32, result: Result<(), String>) {
        // The session may have ended; then the message is not needed.
        let _ = self.news.send(News::Greeted(stream, result));
    }

    /// Reports a measurement.
    pub(super) fn report(&self, stream: u32, connection: u32, what: What) {
        let report = Report {
            stream,
            connection,
            what,
        };
        let _ = self.news.send(News::Report(report));
    }

    /// Reports what a log holds, and keeps it until the controller collects it.
    pub(super) fn keep_log(&self, order: &Order, connection: u32, log: Log) {
        if order.log > 0 {
            self.report(order.stream, connection, What::Logged(log.facts()));
            let _ = self.news.send(News::Log(order.stream, connection, log));
        }
    }

    /// Reports that a connection ended prematurely.
    pub(super) fn failed(&self, stream: u32, connection: u32, error: &io::Error) {
        let why = error.to_string();
        self.report(stream, connection, What::Failed { why });
    }

    /// Counts a thread for as long as the guard lives.
    pub(super) fn enter(self: &std::sync::Arc<Self>) -> Alive {
        self.live.fetch_add(1, Ordering::AcqRel);
        Alive(self.clone())
    }

    /// Whether a thread is still working.
    pub(super) fn is_live(&self) -> bool {
        self.live.load(Ordering::Acquire) > 0
    }
}

/// Counts a working thread.
#[derive(Debug)]
pub(super) struct Alive(std::sync::Arc<Shared>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.live.fetch_sub(1, Ordering::AcqRel);
    }
}
