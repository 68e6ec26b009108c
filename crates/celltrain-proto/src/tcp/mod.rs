//! TCP sender and receiver, with the timers and variants of BSD.
