//! The limits that the owner of a daemon sets for plans: for each order ([`Limits::check`]), and for all orders of all
//! controllers together ([`Pool`]).

mod pool;

use std::net::IpAddr;

use crate::log::{LONGEST, SHORTEST};
use crate::order::{Kind, LARGEST_DATAGRAM, LARGEST_WRITE, Order, Role, SMALLEST_DATAGRAM};
use crate::patience::LATEST_NS;
pub use pool::{Grant, Pool};

/// Minimum interval of a pattern, in ns.
const SHORTEST_NS: u64 = 10_000;
/// Octets that a worker uses in addition to its buffer: stack, kernel and records.
const OCTETS_OF_A_CONNECTION: u64 = 512 << 10;
/// Octets of a report until the controller has received it.
const OCTETS_OF_A_REPORT: u64 = 256;

/// The limits of what plans may request from a daemon.
#[derive(Clone, PartialEq, Debug)]
pub struct Limits {
    /// The address that data sockets are bound to.
    pub address: IpAddr,
    /// Permitted peer addresses; if empty, loopback if `address` is loopback, otherwise any.
    pub peers: Vec<Network>,
    /// Ports to listen on.
    pub ports: Option<(u16, u16)>,
    /// Latest end of a stream after the common start, in ns.
    pub duration_ns: u64,
    /// Maximum sum of the rates of all streams sent, in bit/s; if set, streams limited only by the network are refused.
    pub rate: Option<u64>,
    /// Maximum number of simultaneous connections, for all controllers together.
    pub connections: u32,
    /// Maximum memory for buffers, reports and logs, in octets, for all controllers together.
    pub memory: u64,
}

/// What orders need of the limits shared by all controllers.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Demand {
    connections: u64,
    memory: u64,
    rate: u64,
}

impl Demand {
    fn plus(self, other: Self) -> Self {
        Self {
            connections: self.connections.saturating_add(other.connections),
            memory: self.memory.saturating_add(other.memory),
            rate: self.rate.saturating_add(other.rate),
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            connections: self.connections.saturating_sub(other.connections),
            memory: self.memory.saturating_sub(other.memory),
            rate: self.rate.saturating_sub(other.rate),
        }
    }
}

impl Limits {
    /// The defaults: an hour, 256 connections, 256 MiB, any rate.
    pub fn new(address: IpAddr) -> Self {
        Self {
            address,
            peers: Vec::new(),
            ports: None,
            duration_ns: 3_600 * 1_000_000_000,
            rate: None,
            connections: 256,
            memory: 256 << 20,
        }
    }

    /// Why an order cannot be executed at all, regardless of other orders.
    pub fn check(&self, order: &Order) -> Result<(), String> {
        check_form(order)?;
        if order.end_ns() > self.duration_ns {
            let (end, most) = (
                order.end_ns() / 1_000_000_000,
                self.duration_ns / 1_000_000_000,
            );
            return Err(format!(
                "it ends at {end} s; this daemon's owner allows {most} s (--max-duration)"
            ));
        }
        if let (Some(port), Some((low, high))) = (order.port, self.ports)
            && order.role == Role::Receive
        {
            let last = u32::from(port)
                + if order.kind == Kind::Udp {
                    order.connections - 1
                } else {
                    0
                };
            if port < low || last > u32::from(high) {
                return Err(format!(
                    "port {port}: this daemon's owner allows {low} to {high} (--ports)"
                ));
            }
        }
        Ok(())
    }

    /// What orders need together; an error if this is unknown, because the owner limits the rate and an order has none.
    fn demand(&self, orders: &[Order]) -> Result<Demand, String> {
        let mut demand = Demand {
            connections: orders.iter().map(|it| u64::from(it.connections)).sum(),
            memory: orders.iter().map(memory_of).fold(0, u64::saturating_add),
            rate: 0,
        };
        let Some(most) = self.rate else {
            return Ok(demand);
        };
        for order in orders.iter().filter(|it| it.role == Role::Send) {
            let Some(rate) = order.pattern.top_rate(order.write) else {
                return Err(format!(
                    "a flow without a rate; this daemon's owner allows {most} bit/s in all (--max-rate): give its pattern a rate"
                ));
            };
            let rate = rate.saturating_mul(u64::from(order.connections));
            demand.rate = demand.rate.saturating_add(rate);
        }
        Ok(demand)
    }

    /// Why `demand` is too much in addition to that of other sessions.
    fn check_demand(&self, demand: Demand, others: Demand) -> Result<(), String> {
        let all = demand.plus(others);
        let beside = |others: u64, unit: &str| match others {
            0 => String::new(),
            _ => format!(" besides {others}{unit} of other controllers"),
        };
        if all.connections > u64::from(self.connections) {
            let (asked, most) = (demand.connections, self.connections);
            let beside = beside(others.connections, "");
            return Err(format!(
                "{asked} connections{beside}; this daemon's owner allows {most} (--max-connections)"
            ));
        }
        if all.memory > self.memory {
            let mib = |octets: u64| octets.div_ceil(1 << 20);
            let (asked, most) = (mib(demand.memory), self.memory >> 20);
            let beside = beside(mib(others.memory), " MiB");
            return Err(format!(
                "{asked} MiB of memory for buffers and samples{beside}; this daemon's owner allows {most} MiB (--max-memory); longer intervals take less"
            ));
        }
        if let Some(most) = self.rate.filter(|&most| all.rate > most) {
            let (asked, beside) = (demand.rate, beside(others.rate, " bit/s"));
            return Err(format!(
                "{asked} bit/s{beside}; this daemon's owner allows {most} bit/s in all (--max-rate)"
            ));
        }
        Ok(())
    }

    /// Why data cannot be sent to `peer`.
    pub fn check_peer(&self, peer: IpAddr) -> Result<(), String> {
        if peer.is_ipv4() != self.address.is_ipv4() {
            let own = self.address;
            return Err(format!(
                "{peer} and this daemon's {own} are of different families"
            ));
        }
        if peer.is_unspecified()
            || peer.is_multicast()
            || matches!(peer, IpAddr::V4(v4) if v4.is_broadcast())
        {
            return Err(format!("{peer} is not the address of a single host"));
        }
        if self.peers.is_empty() {
            if self.address.is_loopback() && !peer.is_loopback() {
                return Err(format!(
                    "{peer}: this daemon is bound to loopback; its owner starts it with --address to let it reach others"
                ));
            }
            return Ok(());
        }
        if self.peers.iter().any(|network| network.holds(peer)) {
            return Ok(());
        }
        Err(format!(
            "{peer} is none of the peers that this daemon's owner allows (--peer)"
        ))
    }
}

/// Whatever an owner allows, an order must be one that the plan's checks would have accepted.
fn check_form(order: &Order) -> Result<(), String> {
    let writes = match order.kind {
        Kind::Tcp => 1..=LARGEST_WRITE,
        Kind::Udp | Kind::Probe => SMALLEST_DATAGRAM..=LARGEST_DATAGRAM,
    };
    let good = (1..=10_000).contains(&order.connections)
        && writes.contains(&order.write)
        && (1..=LARGEST_WRITE).contains(&order.read)
        && order.interval_ns >= 1_000_000
        && order.info_ns >= 1_000_000
        && order.duration_ns > 0
        && (order.log == 0 || (SHORTEST..=LONGEST).contains(&order.log))
        && (order.kind != Kind::Probe || order.connections == 1);
    let pattern_is_good = match &order.pattern {
        crate::pattern::Pattern::Messages(all) => {
            !all.is_empty()
                && all
                    .iter()
                    .all(|it| it.bytes > 0 && (1..=LARGEST_WRITE).contains(&it.write))
        }
        crate::pattern::Pattern::Trace(entries) => entries.iter().all(|it| it.1 > 0),
        crate::pattern::Pattern::Every(every) => *every >= SHORTEST_NS,
        crate::pattern::Pattern::OnOff { on_ns, .. } => *on_ns >= SHORTEST_NS,
        _ => true,
    };
    let bounded = order.kind == Kind::Tcp || order.pattern.top_rate(order.write).is_some();
    if good && pattern_is_good && bounded {
        Ok(())
    } else {
        Err(
            "an order that no valid plan makes: are controller and daemon of one version?"
                .to_owned(),
        )
    }
}

/// The maximum number of octets that an order may use.
fn memory_of(order: &Order) -> u64 {
    let buffer = u64::from(order.write.max(order.read));
    let reports = match (order.kind, order.role) {
        (Kind::Probe, Role::Send) => match order.pattern {
            crate::pattern::Pattern::Every(every) => order.duration_ns / every.max(1),
            _ => order.duration_ns / 1_000_000,
        },
        (Kind::Tcp, Role::Send) => order.duration_ns / order.info_ns.max(1),
        (Kind::Udp, Role::Send) => 0,
        (_, Role::Receive) => (order.duration_ns + LATEST_NS) / order.interval_ns.max(1),
    };
    let one = OCTETS_OF_A_CONNECTION + buffer + (reports + 2) * OCTETS_OF_A_REPORT;
    one.saturating_mul(u64::from(order.connections))
}

/// Addresses with a common prefix, such as `192.0.2.0/24`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

impl Network {
    /// Parses `ADDRESS` or `ADDRESS/PREFIX`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("expected an address or a network such as 192.0.2.0/24, found \"{text}\"");
        let (address, prefix) = text
            .split_once('/')
            .map_or((text, None), |(a, b)| (a, Some(b)));
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(most), str::parse).map_err(|_| wrong())?;
        if prefix > most {
            return Err(wrong());
        }
        Ok(Self { address, prefix })
    }

    /// Whether it contains `address`.
    pub fn holds(&self, address: IpAddr) -> bool {
        let (own, other, width) = match (self.address, address) {
            (IpAddr::V4(a), IpAddr::V4(b)) => {
                (u128::from(a.to_bits()), u128::from(b.to_bits()), 32)
            }
            (IpAddr::V6(a), IpAddr::V6(b)) => (a.to_bits(), b.to_bits(), 128),
            _ => return false,
        };
        let shift = u32::from(width - self.prefix);
        own.checked_shr(shift).unwrap_or(0) == other.checked_shr(shift).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
