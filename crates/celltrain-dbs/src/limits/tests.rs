use super::*;
use crate::order::SocketOptions;
use crate::pattern::Pattern;

fn order() -> Order {
    Order {
        stream: 0,
        role: Role::Send,
        kind: Kind::Tcp,
        connections: 1,
        port: None,
        start_ns: 0,
        duration_ns: 10_000_000_000,
        bytes: None,
        write: 1_000,
        read: 1_000,
        pattern: Pattern::Greedy,
        socket: SocketOptions::default(),
        interval_ns: 100_000_000,
        info_ns: 100_000_000,
        warm_up_ns: 0,
        log: 0,
    }
}

fn limits() -> Limits {
    Limits::new("127.0.0.1".parse().unwrap())
}

fn grant(limits: Limits, orders: &[Order]) -> Result<(), String> {
    Pool::new(limits).grant(&mut orders.to_vec()).map(drop)
}

fn why(result: Result<(), String>) -> String {
    result.expect_err("it is beyond the limits")
}

#[test]
fn what_is_within_the_limits_is_allowed() {
    assert_eq!(limits().check(&order()), Ok(()));
    assert_eq!(grant(limits(), &[order(), order()]), Ok(()));
}

#[test]
fn a_stream_beyond_the_longest_duration_is_refused() {
    let long = Order {
        start_ns: 3_599_000_000_000,
        ..order()
    };
    assert!(why(limits().check(&long)).contains("--max-duration"));
}

#[test]
fn a_port_outside_of_the_range_is_refused_to_the_last_one_of_udp() {
    let limits = Limits {
        ports: Some((5_000, 5_001)),
        ..limits()
    };
    let at = |port, kind, connections| Order {
        role: Role::Receive,
        pattern: Pattern::Rate(1),
        port: Some(port),
        kind,
        connections,
        ..order()
    };
    assert_eq!(limits.check(&at(5_001, Kind::Tcp, 3)), Ok(()));
    assert!(why(limits.check(&at(5_001, Kind::Udp, 2))).contains("--ports"));
    assert!(why(limits.check(&at(22, Kind::Tcp, 1))).contains("--ports"));
}

#[test]
fn with_a_rate_limit_flows_need_rates_and_their_sum_counts() {
    let limits = Limits {
        rate: Some(10_000_000),
        ..limits()
    };
    assert!(why(grant(limits.clone(), &[order()])).contains("without a rate"));
    let paced = Order {
        pattern: Pattern::Rate(6_000_000),
        ..order()
    };
    assert_eq!(grant(limits.clone(), std::slice::from_ref(&paced)), Ok(()));
    assert!(why(grant(limits.clone(), &[paced.clone(), paced])).contains("12000000 bit/s"));
}

#[test]
fn two_sessions_share_what_the_owner_allows_until_one_ends() {
    let pool = Pool::new(Limits {
        rate: Some(10_000_000),
        ..limits()
    });
    let paced = |connections| Order {
        connections,
        pattern: Pattern::Rate(1_000_000),
        ..order()
    };
    let first = pool.grant(&mut [paced(6)]).unwrap();
    let why = pool.grant(&mut [paced(5)]).unwrap_err();
    assert!(
        why.contains("5000000 bit/s besides 6000000 bit/s of other controllers"),
        "{why}"
    );
    let second = pool.clone().grant(&mut [paced(4)]).unwrap();
    drop(first);
    let third = pool.grant(&mut [paced(6)]).unwrap();
    drop((second, third));
    assert!(pool.grant(&mut [paced(10)]).is_ok());
}

#[test]
fn connections_and_memory_of_other_sessions_count() {
    let pool = Pool::new(limits());
    let many = |connections| Order {
        connections,
        ..order()
    };
    let _first = pool.grant(&mut [many(200)]).unwrap();
    let why = pool.grant(&mut [many(57)]).unwrap_err();
    assert!(
        why.contains("57 connections besides 200 of other controllers"),
        "{why}"
    );
    // 200 connections have slightly more than 100 MiB; 2000 octets of buffers and 102 reports each add less than a MiB.
    let large = Order {
        write: 4 << 20,
        ..many(40)
    };
    let why = pool.grant(&mut [large]).unwrap_err();
    assert!(
        why.contains("MiB of other controllers") && why.contains("--max-memory"),
        "{why}"
    );
}

#[test]
fn connections_and_memory_are_bounded() {
    let many = Order {
        connections: 200,
        ..order()
    };
    assert!(why(grant(limits(), &[many.clone(), many])).contains("400 connections"));
    // One sample per ms for an hour: 3.6 million reports of 256 octets.
    let fine = Order {
        duration_ns: 3_600_000_000_000,
        info_ns: 1_000_000,
        ..order()
    };
    assert!(why(grant(limits(), &[fine])).contains("MiB"));
}

#[test]
fn greedy_datagrams_are_refused_whatever_the_controller_says() {
    let flood = Order {
        kind: Kind::Udp,
        ..order()
    };
    assert!(limits().check(&flood).is_err());
    let no_interval = Order {
        pattern: Pattern::Every(0),
        ..flood
    };
    assert!(limits().check(&no_interval).is_err());
}

#[test]
fn a_daemon_on_loopback_reaches_loopback_only() {
    let address = |text: &str| text.parse().unwrap();
    assert_eq!(limits().check_peer(address("127.0.0.2")), Ok(()));
    assert!(limits().check_peer(address("192.0.2.1")).is_err());
    assert!(limits().check_peer(address("::1")).is_err());
    let open = Limits::new(address("192.0.2.7"));
    assert_eq!(open.check_peer(address("198.51.100.1")), Ok(()));
    for nobody in ["255.255.255.255", "224.0.0.1", "0.0.0.0"] {
        assert!(open.check_peer(address(nobody)).is_err(), "{nobody}");
    }
    let listed = Limits {
        peers: vec![Network::parse("192.0.2.0/24").unwrap()],
        ..open
    };
    assert_eq!(listed.check_peer(address("192.0.2.255")), Ok(()));
    assert!(listed.check_peer(address("192.0.3.0")).is_err());
}

#[test]
fn networks_are_read_strictly() {
    assert!(
        Network::parse("0.0.0.0/0")
            .unwrap()
            .holds("8.8.8.8".parse().unwrap())
    );
    assert!(
        Network::parse("2001:db8::/32")
            .unwrap()
            .holds("2001:db8:1::1".parse().unwrap())
    );
    for wrong in ["", "10.0.0.0/33", "10.0.0", "example.org", "10.0.0.0/"] {
        assert!(Network::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn logs_are_shortened_to_half_of_the_memory_that_is_left() {
    let logged = |log| Order { log, ..order() };
    let limits = Limits {
        memory: 16 << 20,
        ..limits()
    };
    // A short log fits and stays as it is.
    let mut short = [logged(1_000)];
    Pool::new(limits.clone()).grant(&mut short).unwrap();
    assert_eq!(short[0].log, 1_000);
    // Two connections take slightly more than 1 MiB of 16, so about 7.4 MiB are there for both logs, which asked for
    // 3 to 1.
    let pool = Pool::new(limits.clone());
    let mut long = [logged(3_000_000), logged(1_000_000)];
    let grant = pool.grant(&mut long).unwrap();
    let octets = (long[0].log + long[1].log) * 16;
    assert!((7 << 20..15 << 19).contains(&octets), "{octets}");
    assert_eq!(long[0].log / 3, long[1].log);
    // What is left for others is the other half.
    assert!(pool.grant(&mut [order()]).is_ok());
    drop(grant);
    assert_eq!(pool.in_use(), Demand::default());
    // The shortest log is always possible.
    let full = Limits {
        memory: 600 << 10,
        ..limits
    };
    let mut shortest = [logged(1_000_000)];
    Pool::new(full.clone()).grant(&mut shortest).unwrap();
    assert!((64..10_000).contains(&shortest[0].log));
}

#[test]
fn a_log_of_a_length_that_no_plan_has_is_refused() {
    for (log, good) in [
        (0, true),
        (1, false),
        (64, true),
        (10_000_000, true),
        (10_000_001, false),
    ] {
        let checked = limits().check(&Order { log, ..order() });
        assert_eq!(checked.is_ok(), good, "{log}");
    }
}
