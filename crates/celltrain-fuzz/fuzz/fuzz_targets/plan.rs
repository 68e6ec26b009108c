//! See `celltrain_fuzz::plan`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| celltrain_fuzz::plan::one(input));
