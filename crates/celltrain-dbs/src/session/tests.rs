use proptest::prelude::*;

use super::*;
use crate::limits::{Demand, Limits};
use crate::nonce::Nonce;
use crate::order::{Kind, Role, SocketOptions};
use crate::pattern::Pattern;

fn hello() -> ToDaemon {
    ToDaemon::Hello {
        protocol: PROTOCOL.to_owned(),
        version: VERSION,
    }
}

fn order(stream: u32) -> Order {
    Order {
        stream,
        role: Role::Send,
        kind: Kind::Tcp,
        connections: 1,
        port: None,
        start_ns: 0,
        duration_ns: 1_000_000_000,
        bytes: None,
        write: 100,
        read: 100,
        pattern: Pattern::Greedy,
        socket: SocketOptions::default(),
        interval_ns: 1_000_000,
        info_ns: 1_000_000,
        warm_up_ns: 0,
        log: 0,
    }
}

fn peer(stream: u32, address: &str) -> Peer {
    Peer {
        stream,
        address: address.parse().unwrap(),
        port: Some(1),
        nonce: Nonce([0; 16]),
        clock_offset_ns: 0,
    }
}

fn session() -> Session {
    Session::new(Pool::new(Limits::new("127.0.0.1".parse().unwrap())), 0)
}

/// A session that has received these messages.
fn after(messages: &[ToDaemon]) -> Session {
    let mut session = session();
    for message in messages {
        session.on_message(0, message.clone()).unwrap();
    }
    session
}

fn prepare(streams: &[u32]) -> ToDaemon {
    ToDaemon::Prepare {
        orders: streams.iter().copied().map(order).collect(),
    }
}

fn connect(streams: &[u32]) -> ToDaemon {
    ToDaemon::Connect {
        peers: streams.iter().map(|&it| peer(it, "127.0.0.1")).collect(),
    }
}

#[test]
fn a_run_goes_through_all_states_and_may_be_repeated() {
    let mut session = after(&[hello()]);
    for _ in 0..2 {
        for message in [prepare(&[0]), connect(&[0]), ToDaemon::Start { at_ns: 5 }] {
            session.on_message(1, message).unwrap();
        }
        session.finished();
        let command = session.on_message(2, ToDaemon::Collect);
        assert_eq!(command, Ok(Command::Collect));
        session.collected();
    }
}

#[test]
fn logs_are_collected_once_and_only_after_the_end_of_a_run() {
    let run = [
        hello(),
        prepare(&[0]),
        connect(&[0]),
        ToDaemon::Start { at_ns: 0 },
    ];
    for end in 0..=run.len() {
        let mut session = after(&run[..end]);
        assert!(session.on_message(0, ToDaemon::Collect).is_err(), "{end}");
    }
    let mut session = after(&run);
    session.finished();
    assert!(session.on_message(0, ToDaemon::Collect).is_ok());
    assert!(session.on_message(0, ToDaemon::Collect).is_err());
}

#[test]
fn what_a_run_uses_is_kept_until_its_logs_are_collected() {
    let pool = Pool::new(Limits::new("127.0.0.1".parse().unwrap()));
    let mut session = Session::new(pool.clone(), 0);
    let run = [
        hello(),
        prepare(&[0]),
        connect(&[0]),
        ToDaemon::Start { at_ns: 0 },
    ];
    for message in run {
        session.on_message(0, message).unwrap();
    }
    let used = pool.in_use();
    session.finished();
    session.on_message(0, ToDaemon::Collect).unwrap();
    assert_eq!(pool.in_use(), used);
    session.collected();
    assert_eq!(pool.in_use(), Demand::default());
}

#[test]
fn nothing_but_hello_of_this_version_opens_a_session() {
    assert!(session().on_message(0, ToDaemon::Ping { id: 1 }).is_err());
    assert!(session().on_message(0, prepare(&[0])).is_err());
    let older = ToDaemon::Hello {
        protocol: PROTOCOL.to_owned(),
        version: VERSION + 1,
    };
    assert!(session().on_message(0, older).is_err());
}

#[test]
fn a_message_that_is_replayed_ends_the_session() {
    let script = [
        hello(),
        prepare(&[0]),
        connect(&[0]),
        ToDaemon::Start { at_ns: 0 },
    ];
    for end in 1..=script.len() {
        let mut session = after(&script[..end]);
        assert!(
            session.on_message(0, script[end - 1].clone()).is_err(),
            "{end}"
        );
    }
    let mut session = after(&[hello(), ToDaemon::Ping { id: 7 }]);
    assert!(session.on_message(0, ToDaemon::Ping { id: 7 }).is_err());
    assert!(after(&[hello()]).on_message(0, prepare(&[3, 3])).is_err());
}

#[test]
fn peers_are_only_taken_for_streams_that_were_ordered() {
    let mut session = after(&[hello(), prepare(&[1])]);
    assert!(session.on_message(0, connect(&[2])).is_err());
    let mut session = after(&[hello(), prepare(&[1])]);
    assert!(session.on_message(0, connect(&[1, 1])).is_err());
}

#[test]
fn a_peer_beyond_the_limits_is_refused_and_the_others_are_not() {
    let mut session = after(&[hello(), prepare(&[1, 2])]);
    let peers = vec![peer(1, "203.0.113.1"), peer(2, "127.0.0.1")];
    let command = session.on_message(0, ToDaemon::Connect { peers });
    let Ok(Command::Connect(good, refused)) = command else {
        panic!("{command:?}");
    };
    assert_eq!((good.len(), good[0].stream), (1, 2));
    assert_eq!(refused[0].stream, 1);
}

#[test]
fn silence_ends_a_session_sooner_before_the_greeting() {
    let mut session = session();
    assert_eq!(session.deadline(), GREETING_NS);
    session.on_message(5, hello()).unwrap();
    assert_eq!(session.deadline(), 5 + SILENCE_NS);
}

#[test]
fn a_start_beyond_a_minute_is_refused() {
    let mut session = after(&[hello(), prepare(&[0]), connect(&[0])]);
    let far = ToDaemon::Start {
        at_ns: 61_000_000_000,
    };
    assert!(session.on_message(0, far).is_err());
}

fn messages() -> impl Strategy<Value = ToDaemon> {
    prop_oneof![
        Just(hello()),
        (0..5_u64).prop_map(|id| ToDaemon::Ping { id }),
        prop::collection::vec(0..4_u32, 0..4).prop_map(|it| prepare(&it)),
        prop::collection::vec(0..4_u32, 0..4).prop_map(|it| connect(&it)),
        any::<u64>().prop_map(|at_ns| ToDaemon::Start { at_ns }),
        Just(ToDaemon::Stop),
        Just(ToDaemon::Collect),
        Just(ToDaemon::Bye),
    ]
}

proptest! {
    #[test]
    fn data_flow_only_after_prepare_and_connect(all in prop::collection::vec(messages(), 0..30)) {
        let (mut session, mut opened, mut connected) = (session(), false, false);
        for message in all {
            match session.on_message(0, message) {
                Ok(Command::Open(..)) => (opened, connected) = (true, false),
                Ok(Command::Connect(..)) => {
                    prop_assert!(opened);
                    connected = true;
                }
                Ok(Command::Start(_)) => prop_assert!(connected),
                Ok(_) => {}
                Err(_) => break,
            }
        }
    }
}
