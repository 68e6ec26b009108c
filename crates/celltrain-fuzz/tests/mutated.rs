//! Mutations of the seeds of each target: it returns without a panic, within a second, in less than 256 MiB.
//!
//! `CELLTRAIN_FUZZ=200000` tries that many of each; `CELLTRAIN_FUZZ_SEED` repeats a run.

#![allow(clippy::unwrap_used, reason = "in a test a panic is a failure")]

use std::path::Path;
use std::time::Duration;

use celltrain_fuzz::{TARGETS, Target};
use celltrain_proto::random::SplitMix64;
use peak_alloc::PeakAlloc;
use rustix::time::{ClockId, clock_gettime};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The longest that one input may take, in time of the processor.
const LONGEST: Duration = Duration::from_secs(1);
const MOST_MIB: f32 = 256.0;

/// What is put in: numbers at their bounds, quantities without a meaning, brackets without end, what is no text.
const WORDS: [&[u8]; 28] = [
    b"0",
    b"-1",
    b"1e400",
    b"nan",
    b"18446744073709551615",
    b"18446744073709551616",
    b"9223372036854775808",
    b"\"1e308 s\"",
    b"\"0 bit/s\"",
    b"\"1 ps\"",
    b"\"18446744073709551616 cells\"",
    b"\"200 days\"",
    b"\"\"",
    b"true",
    b"[",
    b"{a=",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    b"\"\\u0000\"",
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\r",
    b"\r\n",
    b"'''",
    b"#",
    b"\n",
    b"=",
    b"count = 4294967295",
];

/// Random numbers.
struct Dice(SplitMix64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        (self.0.word() % end.max(1) as u64) as usize
    }

    /// A seed with some of its octets replaced, repeated, removed, or followed by those of another.
    fn mutated(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut octets = seeds[self.below(seeds.len())].clone();
        for _ in 0..=self.below(4) {
            let start = self.below(octets.len() + 1);
            let length = [0, 1, 1, 2, 8, 40][self.below(6)].min(octets.len() - start);
            let piece = match self.below(5) {
                0 | 1 => WORDS[self.below(WORDS.len())].to_vec(),
                2 => (0..self.below(5)).map(|_| self.below(256) as u8).collect(),
                3 => octets[start..start + length].repeat(2),
                _ => self.part_of(seeds),
            };
            octets.splice(start..start + length, piece);
        }
        octets
    }

    fn part_of(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let other = &seeds[self.below(seeds.len())];
        let start = self.below(other.len());
        let length = self.below(60).min(other.len() - start);
        other[start..start + length].to_vec()
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

fn seeds(target: Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/seeds")
        .join(target.name);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect()
}

fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

#[test]
fn every_mutation_of_every_seed_is_read_or_refused_soon_and_in_bounded_memory() {
    let seed = number("CELLTRAIN_FUZZ_SEED", 1);
    for target in TARGETS {
        let seeds = seeds(target);
        let mut dice = Dice(SplitMix64(seed));
        for input in &seeds {
            (target.one)(input);
        }
        for case in 0..number("CELLTRAIN_FUZZ", 300) {
            let input = dice.mutated(&seeds);
            MEMORY.reset_peak_usage();
            let begin = processor_time();
            let ended = std::panic::catch_unwind(|| (target.one)(&input));
            let (took, peak) = (
                processor_time().saturating_sub(begin),
                MEMORY.peak_usage_as_mb(),
            );
            let what = || {
                format!(
                    "{} {case} of seed {seed}: {}",
                    target.name,
                    input.escape_ascii()
                )
            };
            assert!(ended.is_ok(), "{}", what());
            assert!(took < LONGEST, "{took:?}: {}", what());
            assert!(peak < MOST_MIB, "{peak} MiB: {}", what());
        }
    }
}
