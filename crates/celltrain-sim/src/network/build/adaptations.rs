//! What VCs with another adaptation layer than AAL5 require.

use celltrain_proto::adaptation::Aal;

use crate::network::model::{Link, Vc};
use crate::scenario::Problem;

/// Checks that nothing on the path of a VC looks for the ends of PDUs where nothing marks them.
pub(super) fn check(vcs: &[Vc], links: &[Link]) -> Result<(), Problem> {
    for vc in vcs.iter().filter(|vc| vc.adaptation.aal != Aal::Aal5) {
        let path = format!("vcs.{}", vc.name.group());
        let encapsulation = vc.adaptation.encapsulation;
        if !vc.adaptation.aal.carries(encapsulation) {
            let message = format!(
                "\"{}\" is defined for AAL5 only; with `aal = \"3/4\"` expected \"llc-snap\" or \"vc-mux\"",
                encapsulation.name()
            );
            return Err(Problem::at(&format!("{path}.encapsulation"), message));
        }
        let mut policers = vc.directions.iter().filter_map(|it| it.police.as_ref());
        let by_frames = |what: String| {
            let message = format!(
                "{what} finds the ends of frames by the mark of AAL5, which cells of AAL3/4 do not carry; leave it out, or \
                 expected `aal = \"5\"`"
            );
            Err(Problem::at(&format!("{path}.aal"), message))
        };
        if policers.any(|police| police.frames) {
            return by_frames(format!("`{path}.police.frames`"));
        }
        let paths = vc.directions.iter().flat_map(|it| it.links.iter());
        for link in paths.map(|&link| &links[link]) {
            let Some(line) = &link.line else { continue };
            let key = match (&line.discard, &line.queue_management) {
                (Some(_), _) => "discard",
                (_, Some(_)) => "queue_management",
                _ => continue,
            };
            return by_frames(format!("`links.{}.{key}`", link.name));
        }
    }
    Ok(())
}
