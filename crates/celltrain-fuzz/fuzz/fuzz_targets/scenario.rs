//! See `celltrain_fuzz::scenario`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| celltrain_fuzz::scenario::one(input));
