//! The limits shared by all sessions of one daemon.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Demand, Limits};
use crate::log::{OCTETS_OF_AN_ENTRY, SHORTEST};
use crate::order::Order;

/// The limits of a daemon, and what its sessions use of them. Copies share both.
#[derive(Clone, Debug)]
pub struct Pool {
    limits: Arc<Limits>,
    granted: Arc<Mutex<Demand>>,
}

impl Pool {
    /// Creates a pool with nothing in use.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits: Arc::new(limits),
            granted: Arc::default(),
        }
    }

    /// The limits set by the owner.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Reserves what `orders` need, or returns why they are too much in addition to other sessions. Logs that take more
    /// than half of the memory that is then left are shortened.
    pub fn grant(&self, orders: &mut [Order]) -> Result<Grant, String> {
        let mut granted = self.granted();
        let mut demand = self.limits.demand(orders)?;
        self.limits.check_demand(demand, *granted)?;
        let left = self.limits.memory - demand.memory - granted.memory;
        demand.memory += shorten_logs(orders, left / 2);
        *granted = granted.plus(demand);
        Ok(Grant {
            pool: self.clone(),
            demand,
        })
    }

    /// What all sessions use of it now.
    pub fn in_use(&self) -> Demand {
        *self.granted()
    }

    fn granted(&self) -> MutexGuard<'_, Demand> {
        // Additions and subtractions cannot panic, so the sums are correct even if a session has panicked.
        self.granted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shortens the logs of orders, all by the same factor, to use at most `memory` octets; returns what they use.
fn shorten_logs(orders: &mut [Order], memory: u64) -> u64 {
    let octets =
        |order: &Order| u64::from(order.connections) * u64::from(order.log) * OCTETS_OF_AN_ENTRY;
    let wanted: u64 = orders.iter().map(octets).sum();
    if wanted > memory {
        for order in orders.iter_mut() {
            let share = u128::from(order.log) * u128::from(memory) / u128::from(wanted);
            // The shortest log takes no more memory than what is counted for a connection anyway.
            order.log = order.log.min((share as u32).max(SHORTEST));
        }
    }
    orders.iter().map(octets).sum::<u64>().min(memory)
}

/// What one session uses of a pool, until this is dropped.
#[derive(Debug)]
pub struct Grant {
    pool: Pool,
    demand: Demand,
}

impl Drop for Grant {
    fn drop(&mut self) {
        let mut granted = self.pool.granted();
        *granted = granted.minus(self.demand);
    }
}
