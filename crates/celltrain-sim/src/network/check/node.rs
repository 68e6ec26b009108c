//! What hosts, switches, LANs and routers require.

use celltrain_proto::units::Span;

use super::link::line_rate;
use super::value::{self, Check, allowed, identifier, positive, require};
use crate::scenario::{Host, Scenario};

/// Checks the LAN and the processing of a host.
pub(super) fn host(path: &str, host: &Host) -> Check {
    if let Some(rate) = host.ethernet {
        positive(&format!("{path}.ethernet"), rate.0)?;
    }
    if let Some(lan) = &host.lan {
        let path = format!("{path}.lan");
        let message = "`ethernet` is given, too; leave one of them out";
        require(host.ethernet.is_none(), &path, message)?;
        allowed(&path, lan.check())?;
    }
    let Some(processing) = host.processing else {
        return Ok(());
    };
    let [least, most] = processing.uniform.map(|bound| bound.0);
    let message = format!("expected two rising times of at most 1 s, found {least} and {most}");
    let good = least <= most && most <= Span::from_secs(1);
    require(good, &format!("{path}.processing.uniform"), message)
}

/// Checks switches, LANs and routers.
pub(super) fn nodes(scenario: &Scenario) -> Check {
    for (name, switch) in &scenario.switches {
        let path = format!("switches.{name}");
        identifier(&path, name)?;
        for (key, delay) in [
            ("input_delay", switch.input_delay),
            ("output_delay", switch.output_delay),
        ] {
            let delay = delay.map_or(Span::ZERO, |delay| delay.0);
            value::delay(&format!("{path}.{key}"), delay)?;
        }
    }
    for (name, lan) in &scenario.lans {
        let path = format!("lans.{name}");
        identifier(&path, name)?;
        line_rate(&format!("{path}.rate"), &lan.rate)?;
        value::delay(&format!("{path}.delay"), lan.delay.0)?;
        if let Some(buffer) = lan.buffer {
            value::buffer(&format!("{path}.buffer"), buffer.0.0)?;
        }
        value::mtu(&path, lan.mtu)?;
    }
    for (name, router) in &scenario.routers {
        let path = format!("routers.{name}");
        identifier(&path, name)?;
        value::mtu(&path, router.mtu)?;
    }
    Ok(())
}
