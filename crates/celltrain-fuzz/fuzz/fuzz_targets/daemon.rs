//! See `celltrain_fuzz::daemon`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| celltrain_fuzz::daemon::one(input));
