//! What all sessions of one daemon may have together.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Demand, Limits};
use crate::order::Order;

/// The limits of a daemon, and what its sessions have of them. Copies share both.
#[derive(Clone, Debug)]
pub struct Pool {
    limits: Arc<Limits>,
    granted: Arc<Mutex<Demand>>,
}

impl Pool {
    /// A pool of which nobody has anything yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits: Arc::new(limits),
            granted: Arc::default(),
        }
    }

    /// What the owner allows.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Takes what `orders` need, or says why all of them are too much beside what other sessions have.
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

    /// What all sessions have of it now.
    pub fn in_use(&self) -> Demand {
        *self.granted()
    }

    fn granted(&self) -> MutexGuard<'_, Demand> {
        // Additions and subtractions cannot panic, so the sums hold even if a session has.
        self.granted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one session has of a pool, until this is dropped.
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
