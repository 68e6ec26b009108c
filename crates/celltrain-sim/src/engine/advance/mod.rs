//! Lazy evaluation: stages take trains of cells on demand.

mod batched;
mod bypass;
mod deadline;
mod emission;
mod grouped;
mod ingress;
mod part;
mod priority;
mod propagate;
mod send;
mod stage;
mod take;
mod tunnel;
mod varying;
