//! The whole protocol in virtual time: a controller, its daemons, and a network that delays, loses, repeats and
//! overtakes, cuts connections and lets hosts vanish, while the clocks of all hosts differ and drift.
//!
//! The state machines are the real ones, and so are the octets between them: [`ControllerSession`], [`Session`], frames,
//! patterns, greetings, datagrams, meters, logs, limits. Threads and sockets are replaced: [`host`] does with the state
//! machines what the daemon's threads do, and [`world`] carries what they send. Equal seeds give equal histories.
//!
//! `CELLTRAIN_SEEDS=10000` tries that many seeds.

#![allow(clippy::unwrap_used, reason = "in a test a panic is a failure")]

mod dice;
mod host;
mod world;

use celltrain_dbs::limits::Demand;
use celltrain_dbs::message::What;
use celltrain_dbs::order::{Kind, Role};

use world::{Outcome, World};

fn seeds() -> u64 {
    std::env::var("CELLTRAIN_SEEDS").map_or(300, |text| text.parse().unwrap())
}

#[test]
fn whatever_the_network_does_a_run_ends_and_its_numbers_are_right() {
    let (mut whole, mut hurt, mut lost, mut repeated) = (0, 0, 0, 0);
    let mut failed: Vec<u64> = Vec::new();
    for seed in 0..seeds() {
        let tried = std::panic::catch_unwind(|| {
            let mut world = World::new(seed);
            world.run();
            check(&mut world, seed);
            let is_whole = world.outcomes.iter().all(|it| *it == Outcome::Good);
            (is_whole, world.seen.lost, world.seen.repeated)
        });
        match tried {
            Ok((is_whole, own_lost, own_repeated)) => {
                whole += u64::from(is_whole);
                hurt += u64::from(!is_whole);
                lost += own_lost;
                repeated += own_repeated;
            }
            Err(_) => failed.push(seed),
        }
    }
    assert!(failed.is_empty(), "seeds that fail: {failed:?}");
    // The network did what it is for.
    let all = [whole, hurt, lost, repeated];
    assert!(all.iter().all(|it| *it > 0), "{all:?}");
}

#[test]
fn equal_seeds_give_equal_histories() {
    for seed in 0..20 {
        let history = || {
            let mut world = World::new(seed);
            world.run();
            (world.seen.events, format!("{:?}", world.session))
        };
        assert_eq!(history(), history(), "seed {seed}");
    }
}

fn check(world: &mut World, seed: u64) {
    check_hosts(world, seed);
    check_streams(world, seed);
    check_clocks(world, seed);
    // Tables are made of whatever was reported.
    assert!(world.tables() >= 6, "seed {seed}");
}

/// Hosts that the network left alone are not lost, and nobody keeps what a session used.
fn check_hosts(world: &World, seed: u64) {
    for (index, outcome) in world.outcomes.iter().enumerate() {
        let why = &world.session.hosts[index].lost;
        match outcome {
            Outcome::Good => assert_eq!(*why, None, "seed {seed}, host {index}"),
            Outcome::Disturbed => assert!(why.is_some(), "seed {seed}, host {index}"),
            // It was cut when it had nothing left to say.
            Outcome::Late => {}
        }
        let host = &world.hosts[index];
        assert_eq!(
            host.pool.in_use(),
            Demand::default(),
            "seed {seed}, host {index}"
        );
        assert_eq!(
            host.refusal, None,
            "seed {seed}: a daemon refused an honest controller"
        );
    }
    assert_eq!(
        world.seen.without_consent, 0,
        "seed {seed}: data to a peer that has not consented"
    );
    assert!(
        world.seen.most_held < 1 << 20,
        "seed {seed}: {} octets held",
        world.seen.most_held
    );
}

/// What was received is what was sent without what was lost, and the sum of the intervals is the total.
fn check_streams(world: &World, seed: u64) {
    for stream in world.session_streams() {
        let number = stream.order.stream;
        let of = |role| {
            let host = stream.host(role);
            let own = world.session.reports.iter();
            own.filter(move |it| it.0 == host && it.1.stream == number)
                .map(|it| &it.1.what)
        };
        let sent = of(Role::Send).find_map(|what| match what {
            What::Sent { bytes, writes, .. } => Some((*bytes, *writes)),
            _ => None,
        });
        let received = of(Role::Receive).find_map(|what| match what {
            What::Received {
                totals, datagrams, ..
            } => Some((totals.bytes, *datagrams)),
            _ => None,
        });
        let in_intervals: u64 = of(Role::Receive)
            .map(|what| match what {
                What::Interval { bytes, .. } => *bytes,
                _ => 0,
            })
            .sum();
        let both_good = [stream.from, stream.to]
            .iter()
            .all(|&it| world.outcomes[it] == Outcome::Good);
        let ran = !world.session.failed.iter().any(|it| it.0 == number);
        if let Some((bytes, _)) = received {
            assert_eq!(in_intervals, bytes, "seed {seed}, stream {number}");
        }
        let (Some((bytes, writes)), Some((got, counts))) = (sent, received) else {
            let is_probe = stream.order.kind == Kind::Probe;
            assert!(
                is_probe || !both_good || !ran,
                "seed {seed}, stream {number}: no report"
            );
            continue;
        };
        assert!(
            got <= bytes,
            "seed {seed}, stream {number}: {got} of {bytes}"
        );
        if stream.order.kind == Kind::Tcp && both_good && ran {
            assert_eq!(got, bytes, "seed {seed}, stream {number}");
        }
        if let (Some(counts), true) = (counts, both_good && ran) {
            let none = world::Truth::default();
            let truth = world.seen.streams.get(&number).unwrap_or(&none);
            // Nobody ends a stream while its data can still come.
            assert_eq!(
                world.seen.late.get(&number),
                None,
                "seed {seed}, stream {number}: late data"
            );
            assert_eq!(
                counts.received,
                writes - truth.lost(),
                "seed {seed}, stream {number}"
            );
            assert_eq!(
                counts.duplicates, truth.repeated,
                "seed {seed}, stream {number}"
            );
        }
        if both_good && ran && stream.order.log > 0 {
            for (role, whole) in [(Role::Send, bytes), (Role::Receive, got)] {
                let log = world.session.logs.of(number, 0, role);
                let logged: u64 = log.iter().map(|it| it.bytes).sum();
                assert_eq!(
                    logged, whole,
                    "seed {seed}, stream {number}: the log of {role:?}"
                );
            }
        }
    }
}

/// The true difference of two clocks is within the stated bound, but for their drift while they were measured.
fn check_clocks(world: &World, seed: u64) {
    let Some(begin) = world.session.started_at else {
        return;
    };
    // Two clocks drift apart by 200 ppm at most.
    let drift = (begin - world.seen.led_at) / 5_000 + 1_000;
    let good = (0..world.hosts.len()).filter(|&it| world.outcomes[it] == Outcome::Good);
    let good: Vec<usize> = good.collect();
    for pair in good.windows(2) {
        let known = world.session.between(pair[0], pair[1]).unwrap();
        let shown = |host: usize| i128::from(world.hosts[host].clock.read(begin));
        let error = (shown(pair[0]) - shown(pair[1]) - i128::from(known.ns)).unsigned_abs();
        let bound = u128::from(known.bound_ns + drift);
        assert!(error <= bound, "seed {seed}: {error} ns, bound {bound}");
    }
    for (time, host) in &world.seen.starts {
        let off = time.abs_diff(begin);
        let bound = world.session.hosts[*host].round_trip_ns().unwrap_or(0) + drift;
        assert!(
            off <= bound,
            "seed {seed}, host {host}: {off} ns from the common start"
        );
    }
}
