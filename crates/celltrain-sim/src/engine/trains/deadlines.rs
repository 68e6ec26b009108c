//! Deadlines of stages in the calendar. A deadline is a lower bound: if it is too early, nothing is found and the next one
//! is set.

use celltrain_proto::units::Time;

use crate::engine::link::Link;
use crate::engine::queue::varying::Varying;
use crate::engine::schedule::Schedule;
use crate::engine::source::Source;
use crate::engine::state::mode::Mode;
use crate::engine::trains::Trains;

impl Trains {
    /// Sets when a tunnel VC acts next, and when it is examined again for cells that may arrive.
    pub(in crate::engine) fn set_tunnel_deadline(
        &self,
        tunnel: usize,
        source: &Source,
        schedule: &mut Schedule,
    ) {
        let Some(port) = source.port else { return };
        let port = &self.ports[port as usize];
        let (acts, looks) = if source.waits() {
            (source.next_event_carried(), Time::NEVER)
        } else {
            let arrival = port.lookahead.lower_bound();
            (
                source.next_emission(),
                source.next_event_idle(arrival, port.spacing),
            )
        };
        let now = schedule.now;
        let actor = schedule.actors.sources + tunnel;
        // A cell that has arrived unseen by then can make the source send one of its own, in the source's turn, which is
        // before that of the port. The port's turn is for cells that arrive at this very instant.
        let before = if looks > now { looks } else { Time::NEVER };
        schedule.calendar.set(actor, acts.min(before).max(now));
        // If all cells arrive one by one, the port is not an actor: every arrival is an event.
        if !port.channels.is_empty() {
            schedule.calendar.set(port.actor, looks.max(now));
        }
    }

    /// Sets the deadline of link number `index` to the earliest time at which the next event cell in its queue can reach
    /// the far end.
    pub(in crate::engine) fn set_departure_deadline(
        &self,
        index: usize,
        link: &Link,
        schedule: &mut Schedule,
    ) {
        let port = &self.ports[index];
        let departure = if let Some(priority) = link.priority() {
            priority.next_event_departure()
        } else if port.mode == Mode::Varying {
            link.change_awaited(Varying::waits_with_event_cell)
        } else {
            let first = port.event_cells.first();
            first.map_or(Time::NEVER, |place| link.departure(place))
        };
        let deadline = departure.saturating_add(link.delay());
        schedule.calendar.set(link.actor, deadline);
    }
}
