//! VCs by their names in the scenario.

use celltrain_language::suggestion;

use crate::scenario::{Named, Problem};

/// The indices of VCs by name in the scenario, and whether that name has a `count`.
pub(super) type VcGroups = Named<(Vec<usize>, bool)>;

/// The VCs called `name`, as referred to by the key at `path`.
pub(super) fn group_of<'a>(
    path: &str,
    name: &str,
    vcs: &'a VcGroups,
) -> Result<&'a (Vec<usize>, bool), Problem> {
    let hint = || suggestion(name, vcs.keys().map(String::as_str));
    vcs.get(name)
        .ok_or_else(|| Problem::at(path, format!("there is no VC \"{name}\"{}", hint())))
}
