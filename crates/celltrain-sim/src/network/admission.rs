//! Admission: the guaranteed rates of VCs must fit the links that they cross.

use celltrain_proto::units::Rate;

use super::model::Network;
use crate::scenario::{Direction, Problem};

/// Refuses the first VC whose guaranteed rate a link cannot carry in addition to those admitted before.
///
/// The guaranteed rate is PCR for CBR, SCR for VBR and MCR for ABR. A line with a varying rate counts with its lowest
/// rate.
pub(super) fn check(network: &Network) -> Result<(), Problem> {
    let mut left: Vec<f64> = network
        .links
        .iter()
        .map(|link| {
            let line = link.line.as_ref();
            line.map_or(f64::INFINITY, |line| line.rate.range().low.as_bps())
        })
        .collect();
    for vc in &network.vcs {
        for (direction, name) in vc
            .directions
            .iter()
            .zip([Direction::Forward, Direction::Backward])
        {
            let guaranteed = direction.service.guaranteed();
            if guaranteed == Rate::ZERO {
                continue;
            }
            // A VC carried by a tunnel VC uses the guarantee of the tunnel VC.
            let is_carried = |at: usize| direction.carried_at(at).is_some();
            let own = direction.links.iter().enumerate();
            for (_, &link) in own.filter(|&(at, _)| !is_carried(at)) {
                // Rates that exactly fill a link may add up to more than its rate because of rounding.
                if guaranteed.as_bps() > left[link] * (1.0 + 1e-9) {
                    let message = format!(
                        "the VC \"{}\" is not admitted: its guaranteed rate {}, {guaranteed}, does not fit the {} \
                         that earlier VCs leave of the link \"{}\"; lower it, raise the link's rate, or route the \
                         VC elsewhere",
                        vc.name,
                        name.as_str(),
                        Rate::bps(left[link].max(0.0)),
                        network.links[link].unique_name(),
                    );
                    return Err(Problem::at("vcs", message));
                }
                left[link] -= guaranteed.as_bps();
            }
        }
    }
    Ok(())
}
