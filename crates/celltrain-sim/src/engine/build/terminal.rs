//! End systems under generic flow control.

use std::collections::BTreeMap;

use celltrain_proto::flow::gfc::{Controlled, Group};

use crate::engine::host::terminal::Terminal;
use crate::engine::source::{Held, Source};
use crate::engine::state::by_direction::ByDirection;
use crate::network::{self, Network};

/// By direction under generic flow control: the link whose queue gives the commands that its source obeys.
pub(super) fn commanding_links(terminals: &[network::Terminal]) -> BTreeMap<usize, u32> {
    let each = terminals.iter().flat_map(|terminal| {
        let link = terminal.link as u32;
        terminal.members.iter().map(move |&member| (member, link))
    });
    each.collect()
}

/// Makes the end systems under generic flow control, and tells each source of theirs to which it belongs.
pub(super) fn terminals(
    network: &Network,
    planned: &[network::Terminal],
    sources: &mut ByDirection<Source>,
) -> Vec<Terminal> {
    let mut terminals = Vec::with_capacity(planned.len());
    for (planned, number) in planned.iter().zip(0..) {
        let line = network.links[planned.link].line.as_ref();
        let Some(gfc) = line.and_then(|line| line.gfc.as_ref()) else {
            continue;
        };
        let go_values = [Group::A, Group::B]
            .map(|group| gfc.counter(group).map_or(0, |counter| counter.go_value));
        let controlled = Controlled::new(gfc.timeout.0, go_values);
        let mut has_groups = false;
        for &direction in &planned.members {
            let group = network.vcs[direction / 2].gfc_group;
            let group = group.map(crate::scenario::GfcGroup::group);
            has_groups |= group.is_some();
            sources[direction].gfc = Some(Box::new(Held::new(number, group)));
        }
        let members = planned.members.iter().map(|&it| it as u32).collect();
        terminals.push(Terminal::new(controlled, members, has_groups));
    }
    terminals
}
