use proptest::prelude::*;

use super::*;

const MS: u64 = 1_000_000;

/// Executes a schedule on a network that accepts every write at once; returns (time, octets) of each write.
fn writes(mut schedule: Schedule, until: u64) -> Vec<(u64, u32)> {
    let (mut now, mut all) = (0, Vec::new());
    while now < until && all.len() < 100_000 {
        match schedule.step(now) {
            Step::Write(size) => {
                schedule.wrote(now, now, size);
                all.push((now, size));
            }
            Step::WaitUntil(due) => {
                assert!(due > now, "a wait must advance time");
                now = due;
            }
            Step::Finished => break,
        }
    }
    all
}

#[test]
fn a_datagram_every_20_ms_is_204_8_kbit_per_s() {
    let all = writes(
        Schedule::new(Pattern::Every(20 * MS), 512, None),
        1_000 * MS,
    );
    assert_eq!(all.len() * 512 * 8, 204_800);
    assert_eq!(all[1], (20 * MS, 512));
}

#[test]
fn a_rate_spaces_writes_by_their_own_time() {
    // 1000 octets at 8 Mbit/s take 1 ms.
    let all = writes(Schedule::new(Pattern::Rate(8_000_000), 1_000, None), 5 * MS);
    let times: Vec<u64> = all.iter().map(|it| it.0).collect();
    assert_eq!(times, [0, MS, 2 * MS, 3 * MS, 4 * MS]);
}

#[test]
fn nothing_is_written_in_the_off_time() {
    let pattern = Pattern::OnOff {
        on_ns: 3 * MS,
        off_ns: 7 * MS,
        rate: Some(8_000_000),
    };
    let all = writes(Schedule::new(pattern, 1_000, None), 20 * MS);
    let times: Vec<u64> = all.iter().map(|it| it.0 / MS).collect();
    assert_eq!(times, [0, 1, 2, 10, 11, 12]);
}

#[test]
fn a_message_waits_for_interval_and_wait_of_the_one_before() {
    let message = |bytes, interval_ns, wait_ns| Message {
        bytes,
        write: 400,
        interval_ns,
        wait_ns,
    };
    let pattern = Pattern::Messages(vec![message(1_000, 5 * MS, 0), message(400, 0, 2 * MS)]);
    let all = writes(Schedule::new(pattern, 1, None), 10 * MS);
    assert_eq!(
        all,
        [
            (0, 400),
            (0, 400),
            (0, 200),
            (5 * MS, 400),
            (7 * MS, 400),
            (7 * MS, 400),
            (7 * MS, 200),
        ]
    );
}

#[test]
fn a_trace_is_written_once_at_its_times() {
    let pattern = Pattern::Trace(vec![(MS, 700), (4 * MS, 100)]);
    let all = writes(Schedule::new(pattern, 500, None), 100 * MS);
    assert_eq!(all, [(MS, 500), (MS, 200), (4 * MS, 100)]);
}

#[test]
fn a_schedule_ends_with_its_last_octet() {
    let mut schedule = Schedule::new(Pattern::Greedy, 400, Some(1_000));
    let sizes: Vec<u32> = writes(schedule.clone(), MS).iter().map(|it| it.1).collect();
    assert_eq!(sizes, [400, 400, 200]);
    schedule.wrote(0, 0, 1_000);
    assert_eq!(schedule.step(0), Step::Finished);
}

fn patterns() -> impl Strategy<Value = Pattern> {
    let message = (1..5_000_u64, 1..2_000_u32, 0..5 * MS, 1..5 * MS).prop_map(
        |(bytes, write, interval_ns, wait_ns)| Message {
            bytes,
            write,
            interval_ns,
            wait_ns,
        },
    );
    prop_oneof![
        (1_000..100_000_000_u64).prop_map(Pattern::Rate),
        (1_000..50 * MS).prop_map(Pattern::Every),
        (1..20 * MS, 0..20 * MS, 1_000..100_000_000_u64).prop_map(|(on_ns, off_ns, rate)| {
            Pattern::OnOff {
                on_ns,
                off_ns,
                rate: Some(rate),
            }
        }),
        prop::collection::vec(message, 1..4).prop_map(Pattern::Messages),
    ]
}

proptest! {
    #[test]
    fn no_pattern_exceeds_its_top_rate_by_more_than_its_largest_message(pattern in patterns(), write in 28..9_000_u32) {
        let until = 100 * MS;
        let top = pattern.top_rate(write).expect("none of these is greedy");
        let burst = match &pattern {
            Pattern::Messages(all) => all.iter().map(|it| it.bytes).sum::<u64>(),
            _ => u64::from(write),
        };
        let all = writes(Schedule::new(pattern, write, None), until);
        let octets: u64 = all.iter().map(|it| u64::from(it.1)).sum();
        let allowed = u128::from(top) * u128::from(until) / 8 / NS_PER_S;
        prop_assert!(u128::from(octets) <= allowed + u128::from(burst) + 1, "{octets} octets, {allowed} + {burst} allowed");
    }

    #[test]
    fn a_late_schedule_catches_up(rate in 1_000_000..100_000_000_u64, stall in 1..50_u64) {
        // If called only after a stall, the schedule writes everything due without waiting.
        let mut schedule = Schedule::new(Pattern::Rate(rate), 1_000, None);
        let now = stall * MS;
        while let Step::Write(size) = schedule.step(now) {
            schedule.wrote(now, now, size);
        }
        prop_assert!(u128::from(schedule.octets) * 8 * NS_PER_S > u128::from(rate) * u128::from(now));
    }
}
