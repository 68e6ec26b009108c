//! The probes of a network.

use celltrain_language::suggestion;

use crate::network::model::{Flow, Probe, SampleTimes};
use crate::network::record::Names;
use crate::scenario::{self, Problem, Scenario};

/// The probes of a scenario.
pub(super) fn probes(
    scenario: &Scenario,
    names: &Names,
    flows: &[Flow],
) -> Result<Vec<Probe>, Problem> {
    let probe = |(name, probe): (&String, &scenario::Probe)| {
        let columns = probe.record.iter().enumerate().map(|(index, text)| {
            let record = names.resolve(text).map_err(|problem| {
                Problem::at(&format!("probes.{name}.record.{index}"), problem.message)
            })?;
            Ok((text.clone(), record))
        });
        let columns = columns.collect::<Result<_, Problem>>()?;
        Ok(Probe {
            name: name.clone(),
            at: sample_times(name, probe, flows)?,
            columns,
        })
    };
    scenario.probes.iter().map(probe).collect()
}

/// When the probe called `name` takes samples.
fn sample_times(
    name: &str,
    probe: &scenario::Probe,
    flows: &[Flow],
) -> Result<SampleTimes, Problem> {
    let path = format!("probes.{name}");
    match (&probe.every, &probe.events_of) {
        (Some(every), None) => Ok(SampleTimes::Every(every.0)),
        (None, Some(wanted)) => {
            let is_tcp = |flow: &&Flow| flow.udp.is_none();
            let known = flows.iter().filter(is_tcp).map(|flow| flow.name.as_str());
            let hint = suggestion(wanted, known);
            let index = flows
                .iter()
                .position(|flow| flow.name == *wanted && is_tcp(&flow));
            index.map(SampleTimes::EventsOf).ok_or_else(|| {
                let message = format!("there is no TCP connection \"{wanted}\"{hint}");
                Problem::at(&format!("{path}.events_of"), message)
            })
        }
        _ => Err(Problem::at(
            &path,
            "expected either `every` (such as \"10 ms\") or `events_of` (a flow)",
        )),
    }
}
