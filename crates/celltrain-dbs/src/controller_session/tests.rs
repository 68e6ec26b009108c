use proptest::prelude::*;

use celltrain_language::Source;

use super::*;
use crate::log::Part;
use crate::message::What;
use crate::nonce::Nonce;
use crate::plan::Plan;

const MS: u64 = 1_000_000;

const PLAN: &str = r#"
[hosts]
a = {}
b = {}
c = {}
[flows.one]
from = "a"
to = "b"
duration = "1 s"
[flows.two]
from = "c"
to = "b"
duration = "1 s"
"#;

fn session() -> ControllerSession {
    let plan = Plan::read(&Source::toml(PLAN, "plan.toml"), &|_| Err(String::new())).unwrap();
    let address: IpAddr = "127.0.0.1".parse().unwrap();
    // Each host has a clock of its own, named after it.
    let hosts = ["a", "b", "c"].map(|name| Ok((address, name.to_owned())));
    ControllerSession::new(0, plan.streams(), hosts.into(), 1)
}

/// What a daemon on host `host`, whose clock is `ahead` ns ahead, answers.
fn answer(now: u64, host: usize, ahead: u64, message: &ToDaemon) -> Vec<FromDaemon> {
    match message {
        ToDaemon::Ping { id } => vec![FromDaemon::Pong {
            id: *id,
            received_ns: now + ahead,
            sent_ns: now + ahead,
        }],
        ToDaemon::Prepare { orders } => vec![FromDaemon::Prepared {
            ready: orders
                .iter()
                .map(|order| Ready {
                    stream: order.stream,
                    port: (order.role == Role::Receive).then_some(7),
                    nonce: Nonce([host as u8; 16]),
                })
                .collect(),
            refused: Vec::new(),
        }],
        ToDaemon::Connect { .. } => vec![FromDaemon::Connected { failed: Vec::new() }],
        ToDaemon::Start { .. } => vec![FromDaemon::Finished],
        ToDaemon::Collect => vec![FromDaemon::Collected],
        _ => Vec::new(),
    }
}

/// Runs three daemons; each message takes 1 ms, and `host` dies after `deaths[host]` messages.
fn lead(session: &mut ControllerSession, deaths: [usize; 3]) -> Vec<(usize, ToDaemon)> {
    let (mut now, mut all, mut heard) = (0, Vec::new(), [0; 3]);
    for _ in 0..10_000 {
        if session.is_over() {
            return all;
        }
        let messages = session.take_messages();
        if messages.is_empty() {
            now = now.max(session.deadline());
            session.on_time(now);
        }
        for (host, message) in messages {
            now += MS;
            heard[host] += 1;
            if heard[host] > deaths[host] {
                session.on_lost(now, host, "it died");
            } else {
                for answer in answer(now, host, host as u64 * 1_000 * MS, &message) {
                    session.on_message(now + MS, host, answer);
                }
            }
            all.push((host, message));
        }
    }
    panic!("it never ends");
}

#[test]
fn a_run_goes_through_all_phases_and_ends() {
    let mut session = session();
    let all = lead(&mut session, [usize::MAX; 3]);
    let starts = all
        .iter()
        .filter(|it| matches!(it.1, ToDaemon::Start { .. }));
    assert_eq!(starts.count(), 3);
    assert!(session.hosts.iter().all(|host| host.lost.is_none()));
    assert!(session.failed.is_empty());
}

#[test]
fn all_hosts_begin_at_one_instant_each_by_its_own_clock() {
    let mut session = session();
    let all = lead(&mut session, [usize::MAX; 3]);
    let at = session.started_at.unwrap();
    for (host, message) in all {
        if let ToDaemon::Start { at_ns } = message {
            let truth = at + host as u64 * 1_000 * MS;
            // The error is bounded by a round trip of a few ms.
            assert!(
                at_ns.abs_diff(truth) < 10 * MS,
                "{host}: {at_ns} for {truth}"
            );
        }
    }
}

#[test]
fn a_receiver_learns_the_senders_nonce_and_the_sender_the_port() {
    let mut session = session();
    let all = lead(&mut session, [usize::MAX; 3]);
    let peers = |wanted: usize| {
        let of_host = all.iter().find_map(|(host, message)| match message {
            ToDaemon::Connect { peers } if *host == wanted => Some(peers.clone()),
            _ => None,
        });
        of_host.unwrap()
    };
    let one = &peers(0)[0];
    assert_eq!((one.port, one.nonce), (Some(7), Nonce([1; 16])));
    let two: Vec<_> = peers(1).iter().map(|it| (it.port, it.nonce)).collect();
    assert_eq!(two, [(None, Nonce([0; 16])), (None, Nonce([2; 16]))]);
}

#[test]
fn reports_of_streams_that_a_host_has_no_part_in_are_left_out() {
    let mut session = session();
    let report = |stream| Report {
        stream,
        connection: 0,
        what: What::Failed { why: String::new() },
    };
    let reports = vec![report(0), report(1), report(99)];
    session.on_message(0, 0, FromDaemon::Measured { reports });
    let kept: Vec<_> = session.reports.iter().map(|it| it.1.stream).collect();
    assert_eq!(kept, [0]);
}

/// Part of the log of connection 0 of a stream.
fn part(stream: u32, connection: u32, entries: usize) -> FromDaemon {
    FromDaemon::Log(Part {
        stream,
        connection,
        waits_ns: vec![5; entries],
        bytes: vec![7; entries],
    })
}

/// A session whose hosts have done everything but send their logs.
fn collecting() -> ControllerSession {
    let mut session = session();
    for now in 0..10_000 {
        for (host, message) in session.take_messages() {
            if message == ToDaemon::Collect {
                return session;
            }
            for answer in answer(now * MS, host, 0, &message) {
                session.on_message(now * MS, host, answer);
            }
        }
    }
    panic!("logs are not collected");
}

#[test]
fn logs_of_both_ends_are_collected_part_by_part() {
    let mut session = collecting();
    for host in [0, 1, 1, 0] {
        session.on_message(0, host, part(0, 0, 2));
    }
    for host in 0..3 {
        session.on_message(0, host, FromDaemon::Collected);
    }
    assert!(session.is_over());
    assert!(session.hosts.iter().all(|host| host.lost.is_none()));
    for role in [Role::Send, Role::Receive] {
        let entries = session.logs.of(0, 0, role);
        let found: Vec<_> = entries.iter().map(|it| (it.at_ns, it.bytes)).collect();
        assert_eq!(found, [(5, 7), (10, 7), (15, 7), (20, 7)]);
    }
    assert_eq!(session.logs.of(1, 0, Role::Receive), []);
}

#[test]
fn a_host_that_sends_a_log_that_was_not_ordered_is_lost_and_the_others_are_not() {
    let long = 4_096;
    let beyond = vec![part(0, 0, long); 250_000 / long + 1];
    let wrong = [
        // Stream 1 is between the other two hosts.
        (vec![part(1, 0, 1)], "of no connection"),
        (vec![part(99, 0, 1)], "of no connection"),
        (vec![part(0, 1, 1)], "of no connection"),
        (vec![part(0, 0, long + 1)], "too long"),
        (beyond, "longer than ordered"),
        (vec![FromDaemon::Collected, part(0, 0, 1)], "out of turn"),
    ];
    for (messages, why) in wrong {
        let mut session = collecting();
        for message in messages {
            session.on_message(0, 0, message);
        }
        let lost = session.hosts[0].lost.clone().unwrap();
        assert!(lost.contains(why), "{lost} for {why}");
        assert_eq!(
            (&session.hosts[1].lost, &session.hosts[2].lost),
            (&None, &None)
        );
    }
}

#[test]
fn a_log_before_the_end_of_the_run_is_out_of_turn() {
    let mut session = session();
    session.on_message(0, 0, part(0, 0, 1));
    assert!(session.hosts[0].lost.is_some());
}

#[test]
fn a_host_at_the_end_of_a_long_path_is_measured_by_fewer_exchanges() {
    let mut session = session();
    // A round trip of 6 s: three exchanges in the time of an answer. The other hosts are quick.
    let (mut now, mut due) = (0, Vec::new());
    while session.started_at.is_none() {
        for (host, message) in session.take_messages() {
            let delay = if host == 1 { 6_000 * MS } else { MS };
            for answer in answer(now + delay / 2, host, 0, &message) {
                due.push((now + delay, host, answer));
            }
        }
        due.sort_by_key(|it| it.0);
        if due.first().is_none_or(|it| it.0 > session.deadline()) {
            now = session.deadline();
            session.on_time(now);
        } else {
            let (at, host, message) = due.remove(0);
            now = at;
            session.on_message(now, host, message);
        }
    }
    assert_eq!(session.hosts[1].lost, None);
    assert_eq!(session.hosts[1].exchanges, 3);
    assert_eq!(session.hosts[0].exchanges, EXCHANGES);
}

#[test]
fn clocks_that_hosts_share_have_no_offset() {
    let mut session = session();
    assert_eq!(session.between(0, 1), None);
    session.hosts[1].clock = "a".to_owned();
    assert_eq!(session.between(0, 1), Some(Offset::NONE));
}

proptest! {
    #[test]
    fn hosts_may_die_at_any_time_and_the_others_go_on(deaths in prop::array::uniform3(0..50_usize)) {
        let mut session = session();
        let all = lead(&mut session, deaths);
        for (host, state) in session.hosts.iter().enumerate() {
            let heard = all.iter().filter(|it| it.0 == host).count();
            prop_assert_eq!(state.lost.is_some(), heard > deaths[host]);
        }
    }
}
