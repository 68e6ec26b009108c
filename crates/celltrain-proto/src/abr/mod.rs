//! ABR end systems of ATM Forum TM 4.0: source and destination.
