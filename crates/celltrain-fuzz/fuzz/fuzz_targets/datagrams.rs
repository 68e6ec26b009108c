//! See `celltrain_fuzz::datagrams`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| celltrain_fuzz::datagrams::one(input));
