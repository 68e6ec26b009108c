//! The shapers of a VC within the network.

use super::ways::{Way, Ways};
use crate::network::model::{Shaper, VirtualEnds};
use crate::scenario::{self, Direction, Problem};

impl Ways<'_> {
    /// The shapers of one direction of the VC called `vc`, in the order of their places.
    pub(super) fn shapers(
        &self,
        vc: &str,
        written: &scenario::Vc,
        virtual_ends: Option<&VirtualEnds>,
        way: &Way,
        direction: Direction,
    ) -> Result<Box<[Shaper]>, Problem> {
        let mut shapers: Vec<Shaper> = Vec::new();
        for (number, shape) in written.shape.iter().enumerate() {
            if shape.direction != direction {
                continue;
            }
            let path = format!("vcs.{vc}.shape.{number}.at");
            let node = self.inner_node(&path, &shape.at, way)?;
            let name = self.name(node);
            if virtual_ends.is_some_and(|ends| ends.at.contains(&node)) {
                let message = format!(
                    "\"{name}\" is a virtual end of the VC, which paces its cells already; shape at another node, or \
                     leave it out of `virtual_ends`"
                );
                return Err(Problem::at(&path, message));
            }
            let place = way.place_of(node, direction);
            let carried = way.carried[direction.index()].iter();
            if { carried }.any(|it| it.first == place) {
                let message = format!(
                    "at \"{name}\" another VC takes up the cells and paces them; shape them elsewhere"
                );
                return Err(Problem::at(&path, message));
            }
            if shapers.iter().any(|shaper| shaper.place == place) {
                let message = format!("\"{name}\" has another shaper of this direction");
                return Err(Problem::at(&path, message));
            }
            shapers.push(Shaper {
                place,
                pcr: shape.pcr.0,
                cdvt: shape.cdvt.0,
                sustained: shape.scr.zip(shape.mbs).map(|(scr, mbs)| (scr.0, mbs.0)),
                buffer: shape.buffer.0.0,
            });
        }
        shapers.sort_by_key(|shaper| shaper.place);
        Ok(shapers.into())
    }
}
