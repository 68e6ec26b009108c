//! Modern variants that measure round trips and time-outs in ticks of BSD's slow timer.
//!
//! The standards for CUBIC, BBR, SACK and `NewReno` use continuous time (RFC 6298). With ticks of half a second they are
//! a TCP that no system ever had.

use celltrain_proto::units::Span;

use crate::network::Network;
use crate::scenario::RtoTimer;

/// The finest ticks that count as coarse: BSD used 500 ms, Linux of the 1990s 10 ms.
const COARSE: Span = Span::from_ms(100);

pub(super) fn find(network: &Network) -> Vec<(&'static str, String, String)> {
    let tcps = network.flows.iter().filter(|flow| flow.udp.is_none());
    let found = tcps.filter(|flow| {
        let timer = flow.tcp.rto.timer;
        flow.tcp.variant.facts().is_modern
            && matches!(timer, RtoTimer::Ticks | RtoTimer::RealTicks)
            && flow.tcp.timer_granularity.0 >= COARSE
    });
    found
        .map(|flow| {
            let message = format!(
                "{}, a variant of today, counts its time-outs in ticks of {}, as systems of the 1990s did; expected \
                 continuous time: give tcp.preset = \"linux\" or \"rfc\", or tcp.rto.timer = \"rfc6298\"",
                flow.tcp.variant.keyword(),
                flow.tcp.timer_granularity.0,
            );
            ("flow", flow.name.clone(), message)
        })
        .collect()
}
