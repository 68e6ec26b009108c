//! See `celltrain_fuzz::traces`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| celltrain_fuzz::traces::one(input));
