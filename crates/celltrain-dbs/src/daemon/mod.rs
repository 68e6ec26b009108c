//! A daemon: serves one controller over one control connection.
//!
//! One thread reads and writes the connection; each stream's connections have threads of their own, which send their
//! measurements to that thread. No message from a controller makes a daemon run a program or access a file.

mod greet;
mod logs;
mod pace;
mod payload;
mod probe;
mod run;
mod shared;
mod socket;
mod tcp;
mod udp;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::frame::{LONGEST_GREETING, LONGEST_LINE};
use crate::limits::Pool;
use crate::message::{FromDaemon, ToDaemon};
use crate::os::{facts, now_ns};
use crate::session::{Command, Session};
use crate::wire::{Wire, wait};
use logs::Logs;
use run::Run;

/// The interval at which the loop checks for reports and deadlines, in ns.
const LOOK_NS: u64 = 20_000_000;
/// How long the last message of a session may take to be written, in ns.
const FAREWELL_NS: u64 = 2_000_000_000;

/// How a session ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The controller closed the session or the connection.
    Closed,
    /// `cancel` was set.
    Cancelled,
    /// The controller violated the protocol or fell silent.
    Refused(String),
}

/// Serves a controller until the connection ends, the controller violates the protocol, or `cancel` is set. The
/// daemon's other sessions share `pool`.
pub fn serve(
    input: OwnedFd,
    output: OwnedFd,
    pool: &Pool,
    cancel: &AtomicBool,
) -> io::Result<Ended> {
    let mut daemon = Daemon {
        wire: Wire::new(input, output, LONGEST_GREETING)?,
        session: Session::new(pool.clone(), now_ns()),
        run: None,
        logs: Logs::default(),
        is_collecting: false,
        pool: pool.clone(),
    };
    let ended = daemon.serve(cancel);
    // Threads end before the session does, whatever caused the end.
    drop(daemon.run.take());
    if let Ok(Ended::Refused(why)) = &ended {
        let _ = daemon.wire.send(&FromDaemon::Refused { why: why.clone() });
    }
    let deadline = now_ns() + FAREWELL_NS;
    while !daemon.wire.is_flushed() && now_ns() < deadline && daemon.wire.flush().is_ok() {
        wait(std::iter::once(&daemon.wire), LOOK_NS)?;
    }
    ended
}

struct Daemon {
    wire: Wire,
    session: Session,
    run: Option<Run>,
    /// The logs of the last run, and whether the controller is collecting them.
    logs: Logs,
    is_collecting: bool,
    pool: Pool,
}

impl Daemon {
    fn serve(&mut self, cancel: &AtomicBool) -> io::Result<Ended> {
        loop {
            wait(std::iter::once(&self.wire), self.patience_ns())?;
            let open = self.wire.fill()?;
            loop {
                let message = match self.wire.receive::<ToDaemon>() {
                    Ok(Some(message)) => message,
                    Ok(None) => break,
                    Err(error) => return Ok(Ended::Refused(error.to_string())),
                };
                let now = now_ns();
                match self.session.on_message(now, message) {
                    Ok(Command::Close) => return Ok(Ended::Closed),
                    Ok(command) => self.carry_out(command, now)?,
                    Err(why) => return Ok(Ended::Refused(why)),
                }
            }
            self.tell_news()?;
            self.send_log()?;
            self.wire.flush()?;
            if !open {
                return Ok(Ended::Closed);
            }
            if cancel.load(Ordering::Relaxed) {
                return Ok(Ended::Cancelled);
            }
            if now_ns() > self.session.deadline() {
                return Ok(Ended::Refused(
                    "the controller has fallen silent".to_owned(),
                ));
            }
        }
    }

    fn carry_out(&mut self, command: Command, received_ns: u64) -> io::Result<()> {
        match command {
            Command::Welcome => {
                self.wire.set_cap(LONGEST_LINE);
                self.wire.send(&FromDaemon::Welcome(Box::new(facts())))
            }
            Command::Pong(id) => self.wire.send(&FromDaemon::Pong {
                id,
                received_ns,
                sent_ns: now_ns(),
            }),
            Command::Open(orders, mut refused) => {
                let mut run = Run::new();
                let (ready, unable) = run.open(orders, self.pool.limits());
                refused.extend(unable);
                self.run = Some(run);
                self.wire.send(&FromDaemon::Prepared { ready, refused })
            }
            Command::Connect(peers, refused) => {
                if let Some(run) = &mut self.run {
                    run.connect(peers, refused);
                }
                Ok(())
            }
            Command::Start(at_ns) => {
                if let Some(run) = &mut self.run {
                    run.begin(at_ns);
                }
                Ok(())
            }
            Command::Stop => {
                if let Some(run) = &self.run {
                    run.stop();
                }
                Ok(())
            }
            Command::Collect => {
                self.is_collecting = true;
                Ok(())
            }
            // The caller ends the session.
            Command::Close => Ok(()),
        }
    }

    /// How long the loop may wait for messages, in ns.
    fn patience_ns(&self) -> u64 {
        let has_log_to_send = self.is_collecting && self.wire.is_flushed();
        if has_log_to_send { 0 } else { LOOK_NS }
    }

    /// Sends the next part of a log when the part before it is written: memory holds one encoded part.
    fn send_log(&mut self) -> io::Result<()> {
        if !self.is_collecting || !self.wire.is_flushed() {
            return Ok(());
        }
        if let Some(part) = self.logs.next_part() {
            return self.wire.send(&FromDaemon::Log(part));
        }
        self.is_collecting = false;
        self.session.collected();
        self.wire.send(&FromDaemon::Collected)
    }

    /// Sends the news of the run's threads to the controller.
    fn tell_news(&mut self) -> io::Result<()> {
        let Some(run) = &mut self.run else {
            return Ok(());
        };
        let news = run.news();
        if !news.reports.is_empty() {
            let reports = news.reports;
            self.wire.send(&FromDaemon::Measured { reports })?;
        }
        if let Some(failed) = news.connected {
            self.wire.send(&FromDaemon::Connected { failed })?;
        }
        if news.finished {
            self.logs = run.take_logs();
            self.run = None;
            self.session.finished();
            self.wire.send(&FromDaemon::Finished)?;
        }
        Ok(())
    }
}
