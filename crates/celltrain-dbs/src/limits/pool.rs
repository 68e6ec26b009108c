//! The limits shared by all sessions of one daemon.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Demand, Limits};
use crate::order::Order;

/// The limits of a daemon, and what its sessions use of them. Copies share both.
#[derive(Clone, Debug)]
pub struct Pool {
    limits: Arc<Limits>,
    granted: Arc<Mutex<Demand>>,
}

impl Pool {
    /// Creates a pool of which nothing is in use.
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

    /// Reserves what `orders` need, or returns why they are too much in addition to other sessions.
    pub fn grant(&self, orders: &[Order]) -> Result<Grant, String> {
        let mut granted = self.granted();
        let demand = self.limits.demand(orders)?;
        self.limits.check_demand(demand, *granted)?;
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
