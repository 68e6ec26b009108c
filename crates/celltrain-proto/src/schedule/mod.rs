//! Scheduling: which of several queues is served next.
