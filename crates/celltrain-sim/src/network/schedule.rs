//! The keys for which a link has a recording instead.

use std::borrow::Cow;

use celltrain_proto::line::schedule::Lists;

use crate::scenario::{LineDelay, LineRate, Link};

/// The link with the lists of its recording as its rate, delay and loss. A faulty recording says nothing.
pub(super) fn followed(link: &Link) -> Cow<'_, Link> {
    let Some(schedule) = &link.schedule else {
        return Cow::Borrowed(link);
    };
    let Lists { rate, delay, loss } = schedule.lists().unwrap_or_default();
    let mut link = link.clone();
    link.schedule = None;
    link.rate = rate.map(LineRate::Process).or(link.rate);
    link.delay = delay.map(LineDelay::Process).or(link.delay);
    link.loss = loss.or(link.loss);
    Cow::Owned(link)
}
