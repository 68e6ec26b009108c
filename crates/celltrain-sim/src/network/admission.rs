//! Admission: the bandwidth that VCs take must fit the links that they cross.

use celltrain_proto::admission::{Booked, Demand, Rule};
use celltrain_proto::units::{CELL_BITS, Rate};

use super::model::{Capacity, Network, Refusal, Vc, VcDirection, Vp};
use crate::scenario::{Admission, AdmissionRule, Direction, Problem, Service};

/// Admits virtual paths, then VCs in their order, those that carry others first. A line with a varying rate counts with
/// its lowest rate. A VC that is not admitted loses its links if the scenario runs without it.
///
/// # Errors
///
/// The first path or VC that is not admitted, if the scenario does not run without it.
pub(super) fn admit(network: &mut Network, written: Option<&Admission>) -> Result<(), Problem> {
    let written = written.cloned().unwrap_or_default();
    let runs = written.runs_without_refused();
    let mut bookings = Bookings {
        rule: written.rule(),
        links: vec![Booked::default(); network.links.len()],
        paths: vec![Booked::default(); 2 * network.vps.len()],
    };
    for vp in 0..network.vps.len() {
        if let Some(refusal) = bookings.book(network, &of_path(&network.vps[vp])) {
            if !runs {
                let what = format!("virtual path \"{}\"", network.vps[vp].name);
                return Err(problem(network, "vps", &what, refusal, written.rule));
            }
            network.vps[vp].is_admitted = false;
        }
    }
    for vc in order(network) {
        let Some(refusal) = refusal(network, &mut bookings, vc) else {
            continue;
        };
        if !runs {
            let what = format!("VC \"{}\"", network.vcs[vc].name);
            return Err(problem(network, "vcs", &what, refusal, written.rule));
        }
        disconnect(&mut network.vcs[vc], refusal);
    }
    Ok(())
}

/// The VCs in the order in which they are admitted: those that carry others before these.
fn order(network: &Network) -> Vec<usize> {
    let is_carried = |&vc: &usize| {
        let mut directions = network.vcs[vc].directions.iter();
        directions.any(|direction| !direction.carried().is_empty())
    };
    let (carried, own): (Vec<usize>, Vec<usize>) = (0..network.vcs.len()).partition(is_carried);
    [own, carried].concat()
}

/// Why VC number `vc` is not admitted; otherwise it is booked.
fn refusal(network: &Network, bookings: &mut Bookings, vc: usize) -> Option<Refusal> {
    let directions = || network.vcs[vc].directions.iter();
    let mut carriers = directions().flat_map(VcDirection::carried);
    if let Some(carried) = carriers.find(|it| !network.vcs[it.by / 2].is_admitted()) {
        return Some(Refusal::Tunnel { vc: carried.by / 2 });
    }
    let mut paths = directions().flat_map(VcDirection::paths);
    if let Some(path) = paths.find(|it| !network.vps[it.by / 2].is_admitted) {
        return Some(Refusal::Path { vp: path.by / 2 });
    }
    bookings.book(network, &of_vc(&network.vcs[vc]))
}

/// What one direction of a VC or a path asks for.
struct Request<'a> {
    /// 0 forward, 1 backward.
    direction: usize,
    service: &'a Service,
    of: Vec<Capacity>,
}

/// What a virtual path asks for: its contract on all its links.
fn of_path(vp: &Vp) -> Vec<Request<'_>> {
    let directions = vp.directions.iter().enumerate();
    let requests = directions.map(|(direction, path)| Request {
        direction,
        service: &path.service,
        of: path
            .links
            .iter()
            .map(|&link| Capacity::Link(link))
            .collect(),
    });
    requests.collect()
}

/// What a VC asks for: of each link, or of the virtual path there. Where a tunnel VC carries it, it uses the guarantee of
/// the tunnel VC.
fn of_vc(vc: &Vc) -> Vec<Request<'_>> {
    let directions = vc.directions.iter().enumerate();
    let requests = directions.map(|(number, direction)| {
        let links = direction.links.iter().enumerate();
        let of = links.filter_map(|(at, &link)| match direction.path_at(at) {
            Some(path) => (path.first == at).then_some(Capacity::Path(path.by)),
            None => direction
                .carried_at(at)
                .is_none()
                .then_some(Capacity::Link(link)),
        });
        Request {
            direction: number,
            service: &direction.service,
            of: of.collect(),
        }
    });
    requests.collect()
}

/// What is booked: by link, and by direction of a virtual path.
struct Bookings {
    rule: Rule,
    links: Vec<Booked>,
    paths: Vec<Booked>,
}

impl Bookings {
    /// Books all requests, or nothing if something has too little left.
    fn book(&mut self, network: &Network, requests: &[Request<'_>]) -> Option<Refusal> {
        // A LAN is crossed in both directions.
        let mut before: Vec<(Capacity, Booked)> = Vec::new();
        for request in requests {
            let demand = request.service.demand();
            if demand.mean == Rate::ZERO {
                continue;
            }
            for &of in &request.of {
                let Some((capacity, buffer)) = capacity(network, of, request.service) else {
                    continue;
                };
                before.push((of, *self.booked(of)));
                if let Err((needed, left)) = self.add(of, capacity, buffer, &demand) {
                    for (of, booked) in before.into_iter().rev() {
                        *self.booked(of) = booked;
                    }
                    return Some(Refusal::Bandwidth {
                        direction: request.direction,
                        of: match of {
                            Capacity::Path(by) => Capacity::Path(by / 2),
                            Capacity::Link(_) => of,
                        },
                        needed,
                        left,
                    });
                }
            }
        }
        None
    }

    fn booked(&mut self, of: Capacity) -> &mut Booked {
        match of {
            Capacity::Link(link) => &mut self.links[link],
            Capacity::Path(path) => &mut self.paths[path],
        }
    }

    /// Books a demand, or returns how much it needs in addition to what is booked, and how much is left.
    fn add(
        &mut self,
        of: Capacity,
        capacity: f64,
        buffer: f64,
        demand: &Demand,
    ) -> Result<(), (Rate, Rate)> {
        let rule = self.rule;
        let booked = self.booked(of);
        let before = booked.bandwidth(rule);
        booked.add(demand, buffer, rule);
        let after = booked.bandwidth(rule);
        // Bandwidths that exactly fill a link may add up to more than its rate because of rounding.
        if after <= capacity * (1.0 + 1e-9) {
            return Ok(());
        }
        let needed = match rule {
            Rule::GuaranteedRate => demand.mean,
            Rule::EffectiveBandwidth { .. } => Rate::bps(after - before),
        };
        Err((needed, Rate::bps((capacity - before).max(0.0))))
    }
}

/// The bandwidth in bit/s, and the bits that wait in the queue of a service; `None` without a limit. A virtual path gives
/// the rate guaranteed to it.
fn capacity(network: &Network, of: Capacity, service: &Service) -> Option<(f64, f64)> {
    match of {
        Capacity::Link(number) => {
            let line = network.links[number].line.as_ref()?;
            let own = line.class_buffers.of(service.class());
            let units = own.map_or(u64::from(line.buffer), |cells| cells.0);
            let bits = units as f64 * line.unit.bits() as f64;
            Some((line.range.low.as_bps(), bits))
        }
        Capacity::Path(path) => {
            let path = network.path(path);
            let cells = path.shaper.map_or(0, |shaper| shaper.buffer);
            let bits = cells as f64 * CELL_BITS as f64;
            Some((path.service.guaranteed().as_bps(), bits))
        }
    }
}

/// Takes the links of a VC that is not admitted: nothing can be sent on it.
fn disconnect(vc: &mut Vc, refusal: Refusal) {
    for direction in &mut vc.directions {
        direction.links = [].into();
        direction.between_ends = None;
        direction.police = None;
        direction.loop_links = 0;
    }
    vc.virtual_ends = None;
    vc.refusal = Some(Box::new(refusal));
}

fn problem(
    network: &Network,
    section: &str,
    what: &str,
    refusal: Refusal,
    rule: AdmissionRule,
) -> Problem {
    let message = match refusal {
        Refusal::Bandwidth {
            direction,
            of,
            needed,
            left,
        } => {
            let way = [Direction::Forward, Direction::Backward][direction].as_str();
            let rate = match rule {
                AdmissionRule::GuaranteedRate => "guaranteed rate",
                AdmissionRule::EffectiveBandwidth => "effective bandwidth",
            };
            let of = match of {
                Capacity::Link(link) => format!("link \"{}\"", network.links[link].unique_name()),
                Capacity::Path(vp) => format!("virtual path \"{}\"", network.vps[vp].name),
            };
            format!(
                "the {what} is not admitted: its {rate} {way}, {needed}, does not fit the {left} that those admitted before \
                 leave of the {of}; lower it, raise that rate, route it elsewhere, or run without it: \
                 admission.on_refusal = \"run\""
            )
        }
        Refusal::Tunnel { vc } => format!(
            "the {what} is not admitted: the VC \"{}\" that carries it is not",
            network.vcs[vc].name
        ),
        Refusal::Path { vp } => format!(
            "the {what} is not admitted: the virtual path \"{}\" is not",
            network.vps[vp].name
        ),
    };
    Problem::at(section, message)
}
