//! Link-by-link flow control: GFC.
