//! Hostile octets at the sockets of a daemon that listens for controllers over TLS: it refuses, and continues.

#![allow(clippy::unwrap_used, reason = "in a test a panic is a failure")]

use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use celltrain_dbs::frame::encode;
use celltrain_dbs::limits::Limits;
use celltrain_dbs::message::{FromDaemon, PROTOCOL, Peer, Ready, ToDaemon, VERSION};
use celltrain_dbs::nonce::Nonce;
use celltrain_dbs::order::{Kind, Order, Role, SocketOptions};
use celltrain_dbs::pattern::Pattern;
use celltrain_dbs::tls::{self, Identity, Listener};
use socket2::{Domain, Socket, Type};

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Maximum answer time of a daemon, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A daemon running in its own threads.
struct Daemon {
    address: SocketAddr,
    key: Identity,
    controller: Identity,
    cancel: Arc<AtomicBool>,
    serving: Option<JoinHandle<()>>,
    told: Receiver<String>,
}

impl Daemon {
    fn start(limits: Limits) -> Self {
        let identity = || Identity::read(&Identity::generate().unwrap()).unwrap();
        let (key, controller) = (identity(), identity());
        let any_port = SocketAddr::new(HERE, 0);
        let listener = Listener::new(any_port, &key, &[controller.public_key()]).unwrap();
        let address = listener.address().unwrap();
        let cancel = Arc::new(AtomicBool::new(false));
        let (tell, told) = channel();
        let stop = cancel.clone();
        let serving = thread::spawn(move || {
            let tell = move |_, text: &str| drop(tell.send(text.to_owned()));
            listener.serve(limits, &stop, tell);
        });
        Self {
            address,
            key,
            controller,
            cancel,
            serving: Some(serving),
            told,
        }
    }

    /// A TLS connection, as a controller makes it.
    fn connect(&self) -> Controller {
        self.connect_by(self.address)
    }

    fn connect_by(&self, address: SocketAddr) -> Controller {
        let (input, _output): (OwnedFd, OwnedFd) = tls::connect(
            address,
            &self.controller,
            self.key.public_key(),
            &self.cancel,
        )
        .unwrap();
        let stream = UnixStream::from(input);
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Controller {
            stream,
            heard: Vec::new(),
        }
    }

    /// The outcome of a session, once one has ended.
    fn told(&self) -> String {
        self.told.recv_timeout(PATIENCE).unwrap()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        let ended = self.serving.take().unwrap().join();
        assert!(ended.is_ok() || thread::panicking(), "the daemon panicked");
    }
}

/// The controller's end of a session.
struct Controller {
    stream: UnixStream,
    heard: Vec<u8>,
}

impl Controller {
    fn say(&mut self, message: &ToDaemon) {
        self.stream.write_all(&encode(message)).unwrap();
    }

    /// The next message; `None` at the end of the connection.
    fn hear(&mut self) -> Option<FromDaemon> {
        loop {
            if let Some(end) = self.heard.iter().position(|&octet| octet == b'\n') {
                let line: Vec<u8> = self.heard.drain(..=end).collect();
                return Some(serde_json::from_slice(&line).unwrap());
            }
            let mut block = [0; 4096];
            // Socket pairs whose carrier has ended may also return an error.
            match self.stream.read(&mut block) {
                Ok(0) => return None,
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return None,
                result => self.heard.extend_from_slice(&block[..result.unwrap()]),
            }
        }
    }

    fn greet(&mut self) {
        self.say(&hello());
        assert!(matches!(self.hear(), Some(FromDaemon::Welcome(_))));
    }

    /// Requests a stream; returns what is ready, or why it was refused.
    fn prepare(&mut self, order: Order) -> Result<Ready, String> {
        self.say(&ToDaemon::Prepare {
            orders: vec![order],
        });
        match self.hear() {
            Some(FromDaemon::Prepared { mut ready, refused }) => {
                ready.pop().ok_or_else(|| refused[0].why.clone())
            }
            other => panic!("{other:?}"),
        }
    }

    /// Why the daemon ended the session.
    fn refusal(&mut self) -> String {
        loop {
            match self.hear() {
                Some(FromDaemon::Refused { why }) => return why,
                Some(_) => {}
                None => panic!("the session ended without a message"),
            }
        }
    }
}

fn hello() -> ToDaemon {
    ToDaemon::Hello {
        protocol: PROTOCOL.to_owned(),
        version: VERSION,
    }
}

fn order(role: Role, kind: Kind) -> Order {
    Order {
        stream: 0,
        role,
        kind,
        connections: 1,
        port: None,
        start_ns: 0,
        duration_ns: 1_000_000_000,
        bytes: None,
        write: 1_000,
        read: 1_000,
        pattern: Pattern::Rate(1_000_000),
        socket: SocketOptions::default(),
        interval_ns: 100_000_000,
        info_ns: 100_000_000,
        warm_up_ns: 0,
        log: 1_000,
    }
}

fn daemon() -> Daemon {
    Daemon::start(Limits::new(HERE))
}

/// Checks that the daemon still works.
fn assert_serves(daemon: &Daemon) {
    let mut controller = daemon.connect();
    controller.greet();
    controller.prepare(order(Role::Send, Kind::Tcp)).unwrap();
    controller.say(&ToDaemon::Bye);
    while controller.hear().is_some() {}
}

#[test]
fn malformed_oversized_and_repeated_messages_end_their_session_only() {
    let daemon = daemon();
    let mut innocent = daemon.connect();
    innocent.greet();
    let after_hello = |rest: &[u8]| [encode(&hello()), rest.to_vec()].concat();
    for (octets, why) in [
        (b"GET / HTTP/1.0\r\n\r\n".to_vec(), "not a message"),
        (vec![b'x'; 2_000], "more than 1024 octets"),
        (
            after_hello(&vec![b' '; (8 << 20) + 1]),
            "more than 8388608 octets",
        ),
        (after_hello(&encode(&hello())), "hello out of turn"),
        (
            after_hello(&encode(&ToDaemon::Ping { id: 3 }).repeat(2)),
            "came again",
        ),
        (after_hello(&[b'[', 0xff, b'\n']), "not a message"),
        (
            after_hello(&encode(&ToDaemon::Collect)),
            "collect out of turn",
        ),
    ] {
        let mut enemy = daemon.connect();
        // It may have ended the session before it has received everything.
        let _ = enemy.stream.write_all(&octets);
        let heard = enemy.refusal();
        assert!(heard.contains(why), "{heard} for {why}");
        assert!(daemon.told().contains(why));
    }
    innocent.say(&ToDaemon::Ping { id: 1 });
    assert!(matches!(
        innocent.hear(),
        Some(FromDaemon::Pong { id: 1, .. })
    ));
}

#[test]
fn a_message_that_drips_in_is_given_up_after_ten_seconds_whatever_its_pace() {
    let daemon = daemon();
    let mut slow = daemon.connect();
    let start = Instant::now();
    let mut writer = slow.stream.try_clone().unwrap();
    thread::spawn(move || {
        for octet in encode(&hello()) {
            if writer.write_all(&[octet]).is_err() {
                return;
            }
            thread::sleep(Duration::from_millis(400));
        }
    });
    assert!(slow.refusal().contains("fallen silent"));
    let took = start.elapsed().as_secs_f64();
    assert!((9.0..25.0).contains(&took), "{took} s");
}

#[test]
fn a_recorded_session_cannot_be_played_again() {
    let daemon = daemon();
    // Between controller and daemon: transfers octets, and records those of the controller.
    let middle = TcpListener::bind((HERE, 0)).unwrap();
    let (between, there) = (middle.local_addr().unwrap(), daemon.address);
    let recorder = thread::spawn(move || {
        let (mut here, _) = middle.accept().unwrap();
        let mut beyond = TcpStream::connect(there).unwrap();
        let (mut back, mut forth) = (here.try_clone().unwrap(), beyond.try_clone().unwrap());
        let answers = thread::spawn(move || drop(std::io::copy(&mut forth, &mut back)));
        let mut record = Vec::new();
        let mut block = [0; 4096];
        while let Ok(count @ 1..) = here.read(&mut block) {
            record.extend_from_slice(&block[..count]);
            beyond.write_all(&block[..count]).unwrap();
        }
        let _ = beyond.shutdown(Shutdown::Both);
        answers.join().unwrap();
        record
    });
    let mut controller = daemon.connect_by(between);
    controller.greet();
    controller.say(&ToDaemon::Bye);
    while controller.hear().is_some() {}
    drop(controller);
    let record = recorder.join().unwrap();
    assert_eq!(daemon.told(), "session over");
    let mut again = TcpStream::connect(daemon.address).unwrap();
    again.write_all(&record).unwrap();
    let told = daemon.told();
    assert!(told.starts_with("no session"), "{told}");
    assert_serves(&daemon);
}

#[test]
fn two_hundred_connections_without_a_handshake_do_not_keep_controllers_out() {
    let daemon = daemon();
    let mut innocent = daemon.connect();
    innocent.greet();
    let silent: Vec<_> = (0..200)
        .map(|_| TcpStream::connect(daemon.address).unwrap())
        .collect();
    for stream in &silent[100..] {
        let mut stream = stream;
        // The daemon may have given it up.
        let _ = stream.write_all(&[0x16, 3, 1, 0xff, 0xff, 1]);
    }
    let start = Instant::now();
    assert_serves(&daemon);
    // Sooner than a handshake may take: nothing had to end by itself.
    assert!(start.elapsed() < Duration::from_secs(9));
    innocent.say(&ToDaemon::Ping { id: 1 });
    assert!(matches!(
        innocent.hear(),
        Some(FromDaemon::Pong { id: 1, .. })
    ));
}

#[test]
fn what_a_plan_asks_of_an_address_without_a_daemon_is_small_and_soon_over() {
    let daemon = daemon();
    let victim = UdpSocket::bind((HERE, 0)).unwrap();
    let listener = TcpListener::bind((HERE, 0)).unwrap();
    let ports = [
        victim.local_addr().unwrap().port(),
        listener.local_addr().unwrap().port(),
    ];
    // What comes by TCP: connections, and their octets.
    listener.set_nonblocking(true).unwrap();
    let (udp, tcp) = (order(Role::Send, Kind::Udp), order(Role::Send, Kind::Tcp));
    let mut enemy = daemon.connect();
    enemy.greet();
    enemy.say(&ToDaemon::Prepare {
        orders: vec![udp, Order { stream: 1, ..tcp }],
    });
    assert!(matches!(enemy.hear(), Some(FromDaemon::Prepared { .. })));
    let peers = (0..2).map(|stream| Peer {
        stream,
        address: HERE,
        port: Some(ports[stream as usize]),
        nonce: Nonce([7; 16]),
        clock_offset_ns: 0,
    });
    enemy.say(&ToDaemon::Connect {
        peers: peers.collect(),
    });
    match enemy.hear() {
        Some(FromDaemon::Connected { failed }) => assert_eq!(failed.len(), 2),
        other => panic!("{other:?}"),
    }
    enemy.say(&ToDaemon::Start { at_ns: 0 });
    while !matches!(enemy.hear(), Some(FromDaemon::Finished) | None) {}
    victim.set_nonblocking(true).unwrap();
    let (mut datagrams, mut block) = (Vec::new(), vec![0; 100_000]);
    while let Ok(count) = victim.recv(&mut block) {
        datagrams.push(count);
    }
    assert_eq!(datagrams, [28; 10]);
    let mut connections = Vec::new();
    while let Ok((mut stream, _)) = listener.accept() {
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut octets = Vec::new();
        let _ = stream.read_to_end(&mut octets);
        connections.push(octets.len());
    }
    assert_eq!(connections, [30]);
}

#[test]
fn numbers_of_any_size_are_refused_or_bounded() {
    let daemon = daemon();
    let largest = Order {
        stream: u32::MAX,
        connections: u32::MAX,
        start_ns: u64::MAX,
        duration_ns: u64::MAX,
        bytes: Some(u64::MAX),
        write: u32::MAX,
        read: u32::MAX,
        pattern: Pattern::Rate(u64::MAX),
        interval_ns: u64::MAX,
        info_ns: u64::MAX,
        warm_up_ns: u64::MAX,
        log: u32::MAX,
        ..order(Role::Send, Kind::Tcp)
    };
    let one = |change: fn(&mut Order)| {
        let mut order = order(Role::Send, Kind::Tcp);
        change(&mut order);
        order
    };
    let orders = [
        largest,
        one(|it| it.connections = u32::MAX),
        one(|it| it.write = u32::MAX),
        one(|it| it.duration_ns = u64::MAX),
        one(|it| it.log = u32::MAX),
        one(|it| it.pattern = Pattern::Every(0)),
    ];
    for order in orders {
        let mut enemy = daemon.connect();
        enemy.greet();
        let said = format!("{order:?}");
        enemy.prepare(order).expect_err(&said);
    }
    // A number that no type holds is not a message.
    let mut enemy = daemon.connect();
    enemy.greet();
    enemy
        .stream
        .write_all(b"{\"start\":{\"at_ns\":18446744073709551616}}\n")
        .unwrap();
    assert!(enemy.refusal().contains("not a message"));
    assert_serves(&daemon);
}

#[test]
fn two_controllers_share_connections_and_rate_until_one_goes() {
    let limits = Limits {
        rate: Some(10_000_000),
        connections: 12,
        ..Limits::new(HERE)
    };
    let daemon = Daemon::start(limits);
    let paced = |connections| Order {
        connections,
        ..order(Role::Send, Kind::Tcp)
    };
    let (mut one, mut other) = (daemon.connect(), daemon.connect());
    one.greet();
    other.greet();
    one.prepare(paced(6)).unwrap();
    let why = other.prepare(paced(5)).unwrap_err();
    assert!(
        why.contains("besides 6000000 bit/s of other controllers"),
        "{why}"
    );
    drop((one, other));
    daemon.told();
    daemon.told();
    let mut third = daemon.connect();
    third.greet();
    third.prepare(paced(10)).unwrap();
}

/// A daemon that waits for data, its port, and the session.
fn receiver(daemon: &Daemon, kind: Kind, peer_nonce: Nonce) -> (SocketAddr, Nonce, Controller) {
    let mut controller = daemon.connect();
    controller.greet();
    let ready = controller.prepare(order(Role::Receive, kind)).unwrap();
    let peer = Peer {
        stream: 0,
        address: HERE,
        port: None,
        nonce: peer_nonce,
        clock_offset_ns: 0,
    };
    controller.say(&ToDaemon::Connect { peers: vec![peer] });
    let port = ready.port.unwrap();
    (SocketAddr::new(HERE, port), ready.nonce, controller)
}

/// The first octets of a sender: the greeting, and the source port of its data.
fn introduction(nonce: Nonce, connection: u32, port: u16) -> Vec<u8> {
    let mut octets = nonce.greeting(connection).to_vec();
    octets.extend(port.to_be_bytes());
    octets
}

#[test]
fn a_data_port_takes_one_connection_with_the_right_greeting_and_answers_no_other() {
    let daemon = daemon();
    let (to, nonce, mut controller) = receiver(&daemon, Kind::Tcp, Nonce([1; 16]));
    let mut answer = Vec::new();
    for wrong in [
        introduction(Nonce([0; 16]), 0, 9),
        introduction(nonce, 1, 9),
        vec![b'x'; 1 << 16],
    ] {
        let mut stranger = TcpStream::connect(to).unwrap();
        let _ = stranger.write_all(&wrong);
        // A connection with the right nonce, but with a number that the order does not have, is answered and then
        // closed.
        let _ = stranger.read_to_end(&mut answer);
    }
    let data = Socket::new(Domain::for_address(to), Type::STREAM, None).unwrap();
    data.bind(&SocketAddr::new(HERE, 0).into()).unwrap();
    let port = data.local_addr().unwrap().as_socket().unwrap().port();
    let mut friend = TcpStream::connect(to).unwrap();
    friend.write_all(&introduction(nonce, 0, port)).unwrap();
    let mut greeting = [0; 28];
    friend.read_exact(&mut greeting).unwrap();
    assert_eq!(Nonce([1; 16]).greeted(&greeting), Some(0));
    data.connect(&to.into()).unwrap();
    assert!(
        matches!(controller.hear(), Some(FromDaemon::Connected { failed }) if failed.is_empty())
    );
    // The same greeting again: it is no longer accepted.
    if let Ok(mut replay) = TcpStream::connect(to) {
        let _ = replay.write_all(&introduction(nonce, 0, port));
        let mut rest = Vec::new();
        let _ = replay.read_to_end(&mut rest);
        assert_eq!(rest, b"");
    }
}

#[test]
fn a_datagram_without_the_nonce_is_not_answered() {
    let daemon = daemon();
    let (to, nonce, _controller) = receiver(&daemon, Kind::Udp, Nonce([1; 16]));
    let stranger = UdpSocket::bind((HERE, 0)).unwrap();
    stranger
        .set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    let mut answer = [0; 100];
    for datagram in [
        &b""[..],
        &[7; 28],
        &Nonce([0; 16]).greeting(0),
        &vec![1; 9_000],
    ] {
        stranger.send_to(datagram, to).unwrap();
        assert!(stranger.recv(&mut answer).is_err());
    }
    stranger.send_to(&nonce.greeting(0), to).unwrap();
    assert_eq!(stranger.recv(&mut answer).unwrap(), 28);
    // From now on it is connected to that sender: another one with the same octets is ignored.
    let thief = UdpSocket::bind((HERE, 0)).unwrap();
    thief
        .set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    let _ = thief.send_to(&nonce.greeting(0), to);
    assert!(thief.recv(&mut answer).is_err());
}
