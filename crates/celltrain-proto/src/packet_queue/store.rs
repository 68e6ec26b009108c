//! Packets that wait, in lists of one store: a packet takes memory only if more wait than ever before.

use alloc::vec::Vec;

use super::chain::{Chain, List};
use super::packet::Packet;

/// The packets of all lists.
#[derive(Clone, Debug)]
pub struct Store<T> {
    places: Vec<Option<Packet<T>>>,
    chain: Chain,
    /// The places without a packet; that used last, which is in the cache, is the next.
    free: Vec<u32>,
}

impl<T> Default for Store<T> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            chain: Chain::default(),
            free: Vec::new(),
        }
    }
}

impl<T> Store<T> {
    /// Puts a packet behind a list.
    pub(super) fn push(&mut self, list: &mut List, packet: Packet<T>) {
        let place = if let Some(place) = self.free.pop() {
            self.places[place as usize] = Some(packet);
            place
        } else {
            self.places.push(Some(packet));
            self.chain.add()
        };
        self.chain.push_back(list, place);
    }

    /// Takes the first packet out of a list.
    pub(super) fn pop(&mut self, list: &mut List) -> Option<Packet<T>> {
        self.take(list, list.first()?)
    }

    /// Takes the last packet out of a list.
    pub(super) fn pop_last(&mut self, list: &mut List) -> Option<Packet<T>> {
        self.take(list, list.last()?)
    }

    fn take(&mut self, list: &mut List, place: u32) -> Option<Packet<T>> {
        self.chain.remove(list, place);
        self.free.push(place);
        self.places[place as usize].take()
    }

    /// The packets of all lists, in arbitrary order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Packet<T>> {
        self.places.iter().flatten()
    }
}
