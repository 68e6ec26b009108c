//! Sockets with the options of an order, bound where the owner allows.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;

use socket2::{Domain, Protocol, SockRef, Socket, Type};

use crate::limits::Limits;
use crate::message::SocketFacts;
use crate::order::{Kind, Order, SocketOptions};

/// A socket with the options of an order, not bound yet.
fn new(order: &Order, address: IpAddr) -> Result<Socket, String> {
    let domain = if address.is_ipv4() {
        Domain::IPV4
    } else {
        Domain::IPV6
    };
    let (kind, protocol) = match order.kind {
        Kind::Tcp => (Type::STREAM, Protocol::TCP),
        Kind::Udp | Kind::Probe => (Type::DGRAM, Protocol::UDP),
    };
    let socket =
        Socket::new(domain, kind, Some(protocol)).map_err(|error| format!("no socket: {error}"))?;
    set(&socket, &order.socket)?;
    Ok(socket)
}

fn set(socket: &Socket, options: &SocketOptions) -> Result<(), String> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |error: io::Error| format!("{what}: {error}")
    };
    if let Some(octets) = options.send_buffer {
        socket
            .set_send_buffer_size(octets as usize)
            .map_err(failed("send_buffer"))?;
    }
    if let Some(octets) = options.receive_buffer {
        socket
            .set_recv_buffer_size(octets as usize)
            .map_err(failed("receive_buffer"))?;
    }
    if let Some(octets) = options.mss {
        socket.set_tcp_mss(octets).map_err(failed("mss"))?;
    }
    if let Some(name) = &options.congestion_control {
        let known = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
        let known = known.unwrap_or_default();
        let what = format!(
            "congestion_control \"{name}\" (this host has {})",
            known.trim()
        );
        socket
            .set_tcp_congestion(name.as_bytes())
            .map_err(failed(&what))?;
    }
    if let Some(nagle) = options.nagle {
        socket.set_tcp_nodelay(!nagle).map_err(failed("nagle"))?;
    }
    Ok(())
}

/// A socket of a sender: bound to the owner's address, any port.
pub(super) fn sender(order: &Order, limits: &Limits) -> Result<Socket, String> {
    let socket = new(order, limits.address)?;
    bind(&socket, limits.address, 0).map_err(|error| cannot_bind(limits.address, 0, &error))?;
    Ok(socket)
}

/// A receiver's socket, with a port after `skip` others of the same order.
pub(super) fn receiver(order: &Order, limits: &Limits, skip: u16) -> Result<(Socket, u16), String> {
    let socket = new(order, limits.address)?;
    if order.kind == Kind::Tcp {
        // A port whose last connection lingers may be reused for listening.
        socket
            .set_reuse_address(true)
            .map_err(|error| format!("SO_REUSEADDR: {error}"))?;
    }
    let ports = match (order.port, limits.ports) {
        (Some(port), _) => {
            let port = port
                .checked_add(skip)
                .ok_or("there is no port above 65535")?;
            port..=port
        }
        (None, Some((low, high))) => low..=high,
        (None, None) => 0..=0,
    };
    let mut result = Err("the owner allows no port".to_owned());
    for port in ports {
        result = bind(&socket, limits.address, port)
            .map_err(|error| cannot_bind(limits.address, port, &error));
        if result.is_ok() {
            break;
        }
    }
    result?;
    if order.kind == Kind::Tcp {
        let backlog = i32::try_from(order.connections).unwrap_or(i32::MAX).max(16);
        socket
            .listen(backlog)
            .map_err(|error| format!("cannot listen: {error}"))?;
    }
    let port = socket
        .local_addr()
        .ok()
        .and_then(|it| it.as_socket())
        .map(|it| it.port());
    Ok((socket, port.ok_or("the socket has no port")?))
}

fn bind(socket: &Socket, address: IpAddr, port: u16) -> io::Result<()> {
    socket.bind(&SocketAddr::new(address, port).into())
}

fn cannot_bind(address: IpAddr, port: u16, error: &io::Error) -> String {
    format!("cannot bind to {}: {error}", SocketAddr::new(address, port))
}

/// The socket options as the kernel set them.
pub(super) fn facts(socket: &impl AsFd, kind: Kind) -> SocketFacts {
    let socket = SockRef::from(socket);
    let octets = |size: io::Result<usize>| size.map_or(0, |it| it as u32);
    let tcp = kind == Kind::Tcp;
    SocketFacts {
        send_buffer: octets(socket.send_buffer_size()),
        receive_buffer: octets(socket.recv_buffer_size()),
        mss: if tcp { socket.tcp_mss().ok() } else { None },
        congestion_control: if tcp {
            congestion_control(&socket)
        } else {
            None
        },
    }
}

fn congestion_control(socket: &Socket) -> Option<String> {
    let name = socket.tcp_congestion().ok()?;
    let end = name
        .iter()
        .position(|&octet| octet == 0)
        .unwrap_or(name.len());
    Some(String::from_utf8_lossy(&name[..end]).into_owned())
}
