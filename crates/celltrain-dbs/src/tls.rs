//! Control connections over TLS 1.3, for networks without ssh.
//!
//! Both ends present an Ed25519 key (RFC 7250 raw public keys, no certificates) that the other end knows beforehand.
//! rustls implements the protocol, ring the cryptography. A thread transfers octets between the TLS connection and a
//! local socket pair, so that the other modules only see one kind of connection.

mod carrier;
mod identity;

use std::collections::VecDeque;
use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustls::client::AlwaysResolvesClientRawPublicKeys;
use rustls::crypto::ring as provider;
use rustls::pki_types::ServerName;
use rustls::server::AlwaysResolvesServerRawPublicKeys;
use rustls::{ClientConfig, ClientConnection, Connection, Error, ServerConfig, ServerConnection};

use crate::daemon::{Ended, serve};
use crate::key::PublicKey;
use crate::limits::{Limits, Pool};
use crate::os::now_ns;
use carrier::{Carrier, read_tls, would_block};
pub use identity::Identity;
use identity::Pinned;

/// Maximum duration of a handshake, in ns.
const HANDSHAKE_NS: u64 = 10_000_000_000;
/// Interval at which a handshake checks whether it was cancelled, in ns.
const LOOK_EVERY_NS: u64 = 200_000_000;
/// Maximum number of simultaneous sessions.
const MOST_SESSIONS: usize = 16;
/// Maximum number of simultaneous handshakes. Beyond it the oldest is given up: strangers that stall must not keep
/// controllers out.
const MOST_HANDSHAKES: usize = 64;

/// Connects to a daemon that must present `key`; returns the two directions of the connection. `cancel` ends the
/// handshake.
pub fn connect(
    to: SocketAddr,
    identity: &Identity,
    key: PublicKey,
    cancel: &AtomicBool,
) -> Result<(OwnedFd, OwnedFd), String> {
    let connect = || -> Result<UnixStream, Box<dyn std::error::Error>> {
        let config = ClientConfig::builder_with_provider(Arc::new(provider::default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .dangerous()
            .with_custom_certificate_verifier(Pinned::new(&[key]))
            .with_client_cert_resolver(Arc::new(AlwaysResolvesClientRawPublicKeys::new(
                identity.certified()?,
            )));
        let stream = TcpStream::connect_timeout(&to, Duration::from_nanos(HANDSHAKE_NS))?;
        let tls = ClientConnection::new(Arc::new(config), ServerName::IpAddress(to.ip().into()))?;
        Ok(carry(tls.into(), stream, cancel)?)
    };
    let plain = connect().map_err(|error| format!("TLS to {to}: {error}"))?;
    let input = plain.try_clone().map_err(|error| error.to_string())?;
    Ok((input.into(), plain.into()))
}

/// A daemon that listens for controllers.
#[derive(Debug)]
pub struct Listener {
    listener: TcpListener,
    config: Arc<ServerConfig>,
}

impl Listener {
    /// Listens on `address` for controllers with one of the keys in `controllers`.
    pub fn new(
        address: SocketAddr,
        identity: &Identity,
        controllers: &[PublicKey],
    ) -> Result<Self, String> {
        let listener = TcpListener::bind(address)
            .map_err(|error| format!("cannot listen at {address}: {error}"))?;
        listener
            .set_nonblocking(true)
            .map_err(|error| error.to_string())?;
        let config = || -> Result<ServerConfig, Error> {
            let resolver = AlwaysResolvesServerRawPublicKeys::new(identity.certified()?);
            let config =
                ServerConfig::builder_with_provider(Arc::new(provider::default_provider()))
                    .with_protocol_versions(&[&rustls::version::TLS13])?
                    .with_client_cert_verifier(Pinned::new(controllers))
                    .with_cert_resolver(Arc::new(resolver));
            Ok(config)
        };
        let config = Arc::new(config().map_err(|error| error.to_string())?);
        Ok(Self { listener, config })
    }

    /// The address it listens on.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves controllers, several at once, until `cancel` is set; `limits` apply to all of them together. `tell` is
    /// called with the outcome of each session.
    pub fn serve(
        &self,
        limits: Limits,
        cancel: &Arc<AtomicBool>,
        tell: impl Fn(SocketAddr, &str) + Clone + Send + 'static,
    ) {
        let pool = Pool::new(limits);
        let live = Arc::new(AtomicUsize::new(0));
        let (mut sessions, mut handshakes) = (Vec::new(), Handshakes::default());
        while !cancel.load(Ordering::Relaxed) {
            sessions.retain(|it: &thread::JoinHandle<()>| !it.is_finished());
            let Ok((stream, from)) = self.listener.accept() else {
                thread::sleep(Duration::from_millis(20));
                continue;
            };
            // Without another descriptor, the connection could not be given up.
            let Ok(handshake) = handshakes.begin(&stream) else {
                continue;
            };
            let door = Door {
                config: self.config.clone(),
                pool: pool.clone(),
                cancel: cancel.clone(),
                live: live.clone(),
                handshake,
            };
            let tell = tell.clone();
            let session = thread::Builder::new().spawn(move || tell(from, &door.admit(stream)));
            sessions.extend(session);
        }
        for session in sessions {
            let _ = session.join();
        }
    }
}

/// A second hold on a connection, for as long as its handshake lasts.
#[derive(Clone)]
struct Handshake(Arc<Mutex<Option<TcpStream>>>);

impl Handshake {
    /// Lets go of the connection, and returns it if this was not done before.
    fn over(&self) -> Option<TcpStream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn is_over(&self) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none()
    }
}

/// Connections whose handshake is not over, the oldest first.
#[derive(Default)]
struct Handshakes(VecDeque<Handshake>);

impl Handshakes {
    /// Adds a connection, and gives up the oldest if there are too many.
    fn begin(&mut self, stream: &TcpStream) -> io::Result<Handshake> {
        self.0.retain(|handshake| !handshake.is_over());
        if self.0.len() >= MOST_HANDSHAKES
            && let Some(oldest) = self.0.pop_front().and_then(|it| it.over())
        {
            // Its thread reads the end of the connection at once.
            let _ = oldest.shutdown(Shutdown::Both);
        }
        let handshake = Handshake(Arc::new(Mutex::new(Some(stream.try_clone()?))));
        self.0.push_back(handshake.clone());
        Ok(handshake)
    }
}

/// What a connection passes before it is a session.
struct Door {
    config: Arc<ServerConfig>,
    pool: Pool,
    cancel: Arc<AtomicBool>,
    live: Arc<AtomicUsize>,
    handshake: Handshake,
}

impl Door {
    /// Performs the handshake and serves the controller; returns the outcome.
    fn admit(&self, stream: TcpStream) -> String {
        let carried = self.shake_hands(stream);
        drop(self.handshake.over());
        let plain = match carried {
            Ok(plain) => plain,
            Err(error) => return format!("no session: {error}"),
        };
        let told = if self.live.fetch_add(1, Ordering::Relaxed) < MOST_SESSIONS {
            self.session(plain)
        } else {
            "turned away: too many sessions".to_owned()
        };
        self.live.fetch_sub(1, Ordering::Relaxed);
        told
    }

    fn shake_hands(&self, stream: TcpStream) -> Result<UnixStream, Box<dyn std::error::Error>> {
        stream.set_nonblocking(false)?;
        let tls = ServerConnection::new(self.config.clone())?;
        Ok(carry(tls.into(), stream, &self.cancel)?)
    }

    fn session(&self, plain: UnixStream) -> String {
        let serve = || {
            serve(
                plain.try_clone()?.into(),
                plain.into(),
                &self.pool,
                &self.cancel,
            )
        };
        match serve() {
            Ok(Ended::Closed | Ended::Cancelled) => "session over".to_owned(),
            Ok(Ended::Refused(why)) => format!("session refused: {why}"),
            Err(error) => format!("no session: {error}"),
        }
    }
}

/// Performs the handshake, then transfers octets between the connection and a socket pair, whose other half it returns.
fn carry(
    mut tls: Connection,
    mut stream: TcpStream,
    cancel: &AtomicBool,
) -> io::Result<UnixStream> {
    shake_hands(&mut tls, &mut stream, cancel)?;
    let (ours, theirs) = UnixStream::pair()?;
    stream.set_nonblocking(true)?;
    ours.set_nonblocking(true)?;
    thread::Builder::new().spawn(move || {
        // When the transfer ends, for any reason, both sockets are closed; each end then sees the end of its
        // connection.
        let _ = Carrier::new(tls, stream, ours).run();
    })?;
    Ok(theirs)
}

/// Performs the handshake within [`HANDSHAKE_NS`], unless `cancel` is set first.
fn shake_hands(
    tls: &mut Connection,
    stream: &mut TcpStream,
    cancel: &AtomicBool,
) -> io::Result<()> {
    let deadline = now_ns() + HANDSHAKE_NS;
    stream.set_nodelay(true)?;
    let look_every = Some(Duration::from_nanos(LOOK_EVERY_NS));
    stream.set_read_timeout(look_every)?;
    stream.set_write_timeout(look_every)?;
    while tls.is_handshaking() || tls.wants_write() {
        if now_ns() > deadline {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the handshake took too long",
            ));
        }
        if cancel.load(Ordering::Relaxed) {
            return Err(io::Error::new(
                io::ErrorKind::Interrupted,
                "interrupted in the handshake",
            ));
        }
        let step = if tls.wants_write() {
            tls.write_tls(stream).map(drop)
        } else {
            read_tls(tls, stream)
        };
        would_block(step)?;
    }
    Ok(())
}
