//! Systems of the 1990s, each with its own loss recovery.

use super::control::Control;
use super::facts::{ControlOptions, Facts};
use super::law::WindowLaw;
use super::linux;
use super::reno::{AvoidanceIncrement, Reno, RenoOptions};
use super::tahoe::{Tahoe, TahoeOptions};
use super::window::Window;
use crate::tcp::RtoGain;

/// A system that is a row of the registry.
pub(super) trait System {
    /// Its properties, for senders and scenarios.
    const FACTS: Facts = Facts::SYSTEM;

    /// Its congestion control at the start of a connection.
    fn build<L: WindowLaw>(options: &ControlOptions, window: Window) -> Control<L>;
}

pub(super) struct Bsd43Reno;
pub(super) struct Bsd43Tahoe;
pub(super) struct Bsd43TahoeNoFastRetransmit;
pub(super) struct Bsd44;
pub(super) struct Bsd44Lite2;
pub(super) struct Linux1999;

fn reno<L: WindowLaw>(
    increment: AvoidanceIncrement,
    options: &ControlOptions,
    window: Window,
) -> Control<L> {
    let deflation = options.deflation;
    let options = RenoOptions {
        increment,
        deflation,
    };
    Reno::new(options, window).into()
}

fn tahoe<L: WindowLaw>(
    fast_retransmit: bool,
    options: &ControlOptions,
    window: Window,
) -> Control<L> {
    let options = TahoeOptions {
        fast_retransmit,
        go_back_n: options.go_back_n,
        avoids_from_ssthresh: options.avoids_from_ssthresh,
    };
    Tahoe::new(options, window).into()
}

/// 4.3BSD-Reno (1990), which Net/2 has too.
impl System for Bsd43Reno {
    fn build<L: WindowLaw>(options: &ControlOptions, window: Window) -> Control<L> {
        reno(AvoidanceIncrement::WithEighth, options, window)
    }
}

impl System for Bsd43Tahoe {
    const FACTS: Facts = Facts {
        rto_gain: RtoGain::Two,
        ..Facts::SYSTEM
    };

    fn build<L: WindowLaw>(options: &ControlOptions, window: Window) -> Control<L> {
        tahoe(true, options, window)
    }
}

impl System for Bsd43TahoeNoFastRetransmit {
    const FACTS: Facts = Bsd43Tahoe::FACTS;

    fn build<L: WindowLaw>(options: &ControlOptions, window: Window) -> Control<L> {
        tahoe(false, options, window)
    }
}

/// 4.4BSD and 4.4BSD-Lite (1993): the congestion control of 4.3BSD-Reno. Larger windows, scaling and timestamps
/// (RFC 1323) are options of the connection.
impl System for Bsd44 {
    const FACTS: Facts = Facts {
        counts_options: true,
        ..Facts::SYSTEM
    };

    fn build<L: WindowLaw>(options: &ControlOptions, window: Window) -> Control<L> {
        Bsd43Reno::build(options, window)
    }
}

/// 4.4BSD-Lite2 (1995): Reno whose congestion avoidance no longer adds an eighth of a segment.
impl System for Bsd44Lite2 {
    const FACTS: Facts = Bsd44::FACTS;

    fn build<L: WindowLaw>(options: &ControlOptions, window: Window) -> Control<L> {
        reno(AvoidanceIncrement::Plain, options, window)
    }
}

impl System for Linux1999 {
    const FACTS: Facts = Facts {
        counts_segments: true,
        ..Facts::SYSTEM
    };

    fn build<L: WindowLaw>(_: &ControlOptions, window: Window) -> Control<L> {
        linux::Linux1999::new(window).into()
    }
}
