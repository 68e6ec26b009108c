//! A capture in a separate thread, so that the line does not wait for the disk.

use std::io::{self, Write};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use celltrain_sim::engine::CaptureRecord;
use celltrain_sim::scenario::Direction;

use super::{Capture, Given};
use crate::carry::Witness;
use crate::driver::Driver;
use crate::packet::Octets;
use crate::prepare::Carrier;

enum Item {
    Packet(Direction, Octets),
    Captured(Vec<CaptureRecord>),
}

/// The line's end of the capture thread.
#[derive(Debug)]
pub struct Beside {
    items: Sender<Item>,
    thread: JoinHandle<io::Result<bool>>,
}

impl Beside {
    /// Starts writing what passes `driver` to `writer`; instant zero is `epoch` after 1970, and after `limit` octets
    /// the rest is omitted.
    pub fn start(
        driver: &mut Driver<'_>,
        carrier: &Carrier,
        writer: impl Write + Send + 'static,
        epoch: Duration,
        limit: u64,
    ) -> io::Result<Self> {
        let links = driver.capture();
        let packets = Given::new(&carrier.network, carrier.vc);
        let of = (&[carrier.vc][..], &links[..]);
        let mut capture = Capture::new(writer, &carrier.network, packets, of, epoch, limit)?;
        let (items, received) = channel();
        let thread = std::thread::spawn(move || {
            for item in received {
                match item {
                    Item::Packet(direction, packet) => {
                        capture.packets().push(direction.index(), packet);
                    }
                    Item::Captured(records) => {
                        records
                            .iter()
                            .try_for_each(|captured| capture.see(captured))?;
                    }
                }
            }
            let is_full = capture.is_full();
            capture.finish()?;
            Ok(is_full)
        });
        Ok(Self { items, thread })
    }

    /// Finishes the file; returns whether the limit was reached, so that the rest is missing.
    pub fn finish(self) -> io::Result<bool> {
        drop(self.items);
        let done = self.thread.join();
        done.unwrap_or_else(|_| Err(io::Error::other("the thread of the capture panicked")))
    }

    /// If the thread has ended it has an error, which [`Beside::finish`] returns.
    fn send(&self, item: Item) -> io::Result<()> {
        let sent = self.items.send(item);
        sent.map_err(|_| io::Error::other("the capture cannot be written"))
    }
}

impl Witness for Beside {
    fn on_packet(&mut self, direction: Direction, packet: &Octets) {
        // If this fails, so does the next call.
        let _ = self.send(Item::Packet(direction, Octets::clone(packet)));
    }

    fn on_progress(&mut self, driver: &mut Driver<'_>) -> io::Result<()> {
        let mut records = Vec::new();
        driver.take_captured(&mut records);
        if records.is_empty() {
            return Ok(());
        }
        self.send(Item::Captured(records))
    }
}

/// A capture, or none.
impl<W: Witness> Witness for Option<W> {
    fn on_packet(&mut self, direction: Direction, packet: &Octets) {
        if let Some(witness) = self {
            witness.on_packet(direction, packet);
        }
    }

    fn on_progress(&mut self, driver: &mut Driver<'_>) -> io::Result<()> {
        self.as_mut()
            .map_or(Ok(()), |witness| witness.on_progress(driver))
    }
}
