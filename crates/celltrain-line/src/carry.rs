//! Runs a [`Driver`] on the wall clock between two devices: reads packets, sends them when due, and measures how late
//! they are sent.

use std::io::{self, ErrorKind};
use std::num::NonZeroU64;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use celltrain_proto::units::{Span, Time};
use celltrain_sim::engine::RunError;
use celltrain_sim::scenario::Direction;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::driver::{Counts, Driver, Sample, State};
use crate::log::{Outcome, Row, Spans};
use crate::packet::{Departure, Loss, Octets};

/// Maximum packets read from one device before due packets are sent.
const BURST: usize = 64;
/// The loop sleeps at least this long while cells move, so that it does not wake for each of them.
const GRAIN: Span = Span::from_us(20);
/// Interval at which the loop checks the stop flag.
const LOOK_EVERY: Span = Span::from_ms(20);
/// Interval at which the state of a line is published to other threads: [`Shared::look`].
const SHOW_EVERY: Span = Span::from_ms(100);
/// A spinning loop rests for [`REST`] after each [`AWAKE`]: if a real-time thread leaves less than 5 % of a core to
/// others, the kernel stops it for 50 ms.
const AWAKE: Span = Span::from_ms(1);
const REST: Span = Span::from_us(80);
/// A sleep that exceeds the requested time by this much counts as a stall.
const STALL: Span = Span::from_ms(5);
/// The longest IP packet.
const LONGEST: usize = 65_535;

/// The timing options of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pace {
    /// The last part of each wait, which is spent spinning.
    pub spin: Span,
    /// Keep a [`Row`] for each packet.
    pub keeps_rows: bool,
}

/// The state of a line up to now.
#[derive(Clone, Default, Debug)]
pub struct Look {
    /// Time since it was opened.
    pub at: Time,
    /// By direction, forward first.
    pub ways: [WayLook; 2],
    /// How late packets were sent.
    pub lateness: Spans,
    /// Packets that the kernel at the far end did not accept.
    pub untaken: u64,
    /// How often the loop overslept by 5 ms or more.
    pub stalls: u64,
    /// The longest time by which it overslept.
    pub longest_stall: Span,
}

/// One direction of a [`Look`].
#[derive(Clone, Default, Debug)]
pub struct WayLook {
    /// Its packet counts.
    pub counts: Counts,
    /// The current state.
    pub state: Option<State>,
}

/// The state that the thread of a line shares with others.
#[derive(Default, Debug)]
pub struct Shared {
    stop: AtomicBool,
    look: Mutex<Look>,
    rows: Mutex<Vec<Row>>,
    samples: Mutex<Vec<Sample>>,
}

impl Shared {
    /// Asks the line to stop, which it does within 20 ms.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The state of the line, at most 100 ms old.
    pub fn look(&self) -> Look {
        self.look
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The rows recorded since the last call.
    pub fn take_rows(&self) -> Vec<Row> {
        std::mem::take(&mut self.rows.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The queue samples taken since the last call, if the driver takes any.
    pub fn take_samples(&self) -> Vec<Sample> {
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut samples)
    }
}

/// Why a line stopped by itself.
#[derive(Debug, thiserror::Error)]
pub enum CarryError {
    /// A device failed.
    #[error("a device of the line failed: {0}")]
    Device(#[from] io::Error),
    /// The simulation failed.
    #[error(transparent)]
    Network(#[from] RunError),
}

/// Observes what passes the line.
pub trait Witness {
    /// A packet has arrived that the line carries.
    fn on_packet(&mut self, direction: Direction, packet: &Octets);
    /// The simulation has advanced.
    fn on_progress(&mut self, driver: &mut Driver<'_>) -> io::Result<()>;
}

/// No observer.
impl Witness for () {
    fn on_packet(&mut self, _: Direction, _: &Octets) {}
    fn on_progress(&mut self, _: &mut Driver<'_>) -> io::Result<()> {
        Ok(())
    }
}

/// Carries packets between two TUN devices, the one at the start of the forward direction first, until
/// [`Shared::stop`]. The devices are non-blocking, and read and write one IP packet per call, without a header.
pub fn carry(
    driver: &mut Driver<'_>,
    devices: [BorrowedFd<'_>; 2],
    pace: Pace,
    shared: &Shared,
    witness: &mut impl Witness,
) -> Result<(), CarryError> {
    // By default, timers of ordinary threads may be 50 us late. If this call is refused they remain so.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    let mut line = Line {
        clock: Instant::now(),
        devices,
        pace,
        look: Look::default(),
        rows: Vec::new(),
        buffer: vec![0; LONGEST].into_boxed_slice(),
        losses: Vec::new(),
        rested: Time::ZERO,
    };
    let mut next_show = Time::ZERO;
    while !shared.stop.load(Ordering::Relaxed) {
        line.take_in(driver, witness)?;
        driver.advance(line.now())?;
        line.let_out(driver)?;
        witness.on_progress(driver)?;
        if line.now() >= next_show {
            next_show = line.now() + SHOW_EVERY;
            line.show(driver, shared);
        }
        line.wait(driver.next_deadline())?;
    }
    driver.advance(line.now())?;
    line.let_out(driver)?;
    witness.on_progress(driver)?;
    line.note_inside(driver);
    line.show(driver, shared);
    Ok(())
}

struct Line<'a> {
    clock: Instant,
    devices: [BorrowedFd<'a>; 2],
    pace: Pace,
    look: Look,
    rows: Vec<Row>,
    buffer: Box<[u8]>,
    losses: Vec<Loss>,
    /// When it last slept for the length of a rest.
    rested: Time,
}

const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Backward];

impl Line<'_> {
    fn now(&self) -> Time {
        Time::from_ps(self.clock.elapsed().as_nanos() as u64 * 1_000)
    }

    /// Reads the packets that the two kernels have sent.
    fn take_in(
        &mut self,
        driver: &mut Driver<'_>,
        witness: &mut impl Witness,
    ) -> Result<(), CarryError> {
        for direction in DIRECTIONS {
            for _ in 0..BURST {
                let device = self.devices[direction.index()];
                let length = match rustix::io::read(device, &mut *self.buffer) {
                    Ok(length) => length,
                    Err(error) if is_transient(error) => break,
                    Err(error) => return Err(io::Error::from(error).into()),
                };
                let packet: Octets = Arc::from(&self.buffer[..length]);
                if driver.on_packet(self.now(), direction, Arc::clone(&packet))? {
                    witness.on_packet(direction, &packet);
                }
            }
        }
        Ok(())
    }

    /// Writes the packets that are due.
    fn let_out(&mut self, driver: &mut Driver<'_>) -> Result<(), CarryError> {
        while let Some(departure) = driver.poll_departure() {
            // A packet that arrived on one device leaves on the other.
            let device = self.devices[1 - departure.direction.index()];
            match rustix::io::write(device, &departure.packet) {
                Ok(_) => {}
                Err(error) if is_transient(error) => self.look.untaken += 1,
                Err(error) => return Err(io::Error::from(error).into()),
            }
            let left = self.now();
            self.look.lateness.add(left - departure.due);
            if self.pace.keeps_rows {
                self.rows.push(row(&departure, left));
            }
        }
        driver.take_losses(&mut self.losses);
        for loss in self.losses.drain(..).filter(|_| self.pace.keeps_rows) {
            self.rows.push(Row {
                direction: loss.direction,
                octets: loss.octets,
                came: loss.came,
                outcome: Outcome::Lost(loss.cause),
            });
        }
        Ok(())
    }

    /// Records the packets that never left.
    fn note_inside(&mut self, driver: &Driver<'_>) {
        for direction in DIRECTIONS.into_iter().filter(|_| self.pace.keeps_rows) {
            let inside = driver.inside(direction);
            self.rows.extend(inside.map(|(came, octets)| Row {
                direction,
                octets,
                came,
                outcome: Outcome::Inside,
            }));
        }
    }

    /// Waits until a packet arrives or until `deadline`.
    fn wait(&mut self, deadline: Time) -> Result<(), CarryError> {
        let now = self.now();
        let until = deadline.max(now + GRAIN).min(now + LOOK_EVERY);
        let span = (until - now).saturating_sub(self.pace.spin);
        if self.pace.spin > Span::ZERO && span < REST && now - self.rested >= AWAKE {
            std::thread::sleep(duration(REST));
            self.rested = self.now();
            return Ok(());
        }
        let timeout = duration(span);
        let timeout = Timespec::try_from(timeout).unwrap_or_default();
        let mut fds = self
            .devices
            .each_ref()
            .map(|device| PollFd::from_borrowed_fd(device.as_fd(), PollFlags::IN));
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
        let awake = self.now();
        if awake - now >= REST && span >= REST {
            self.rested = awake;
        }
        let overslept = awake.saturating_since(until);
        if overslept >= STALL {
            self.look.stalls += 1;
            self.look.longest_stall = self.look.longest_stall.max(overslept);
        }
        Ok(())
    }

    /// Publishes the state to other threads.
    fn show(&mut self, driver: &mut Driver<'_>, shared: &Shared) {
        self.look.at = self.now();
        for direction in DIRECTIONS {
            self.look.ways[direction.index()] = WayLook {
                counts: driver.counts(direction).clone(),
                state: Some(driver.state(direction)),
            };
        }
        *shared.look.lock().unwrap_or_else(PoisonError::into_inner) = self.look.clone();
        let mut rows = shared.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.append(&mut self.rows);
        let mut samples = shared.samples.lock();
        driver.take_samples(samples.as_mut().unwrap_or_else(|held| held.get_mut()));
    }
}

fn duration(span: Span) -> Duration {
    Duration::from_nanos(span.as_ps() / 1_000)
}

fn row(departure: &Departure, left: Time) -> Row {
    Row {
        direction: departure.direction,
        octets: departure.packet.len() as u32,
        came: departure.came,
        outcome: Outcome::Left {
            due: departure.due,
            left,
            is_marked: departure.is_marked,
        },
    }
}

/// No packet, no room, a signal, or a device that is down: the line continues.
fn is_transient(error: rustix::io::Errno) -> bool {
    use rustix::io::Errno;
    matches!(
        error,
        Errno::AGAIN | Errno::INTR | Errno::NOBUFS | Errno::NOMEM | Errno::IO
    ) || io::Error::from(error).kind() == ErrorKind::InvalidInput
}
