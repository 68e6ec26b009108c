//! See `celltrain_fuzz::controller`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| celltrain_fuzz::controller::one(input));
