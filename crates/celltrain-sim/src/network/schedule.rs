//! The keys for which a link has a recording instead.

use std::borrow::Cow;

use celltrain_proto::line::schedule::Lists;

use crate::scenario::{LineDelay, LineRate, Link};

/// The link with the lists of its recording as its rate, delay and loss. A faulty recording says nothing.
pub(super) fn followed(link: &Link) -> Cow<'_, Link> {
    let lists = link.schedule.as_ref().and_then(|it| it.lists().ok());
    with_lists(link, lists)
}

/// The link with these lists, if it has a recording, as its rate, delay and loss.
pub(super) fn with_lists(link: &Link, lists: Option<Lists>) -> Cow<'_, Link> {
    let Some(Lists { rate, delay, loss }) = lists else {
        return Cow::Borrowed(link);
    };
    let mut link = link.clone();
    link.schedule = None;
    link.rate = rate.map(LineRate::Process).or(link.rate);
    link.delay = delay.map(LineDelay::Process).or(link.delay);
    link.loss = loss.or(link.loss);
    Cow::Owned(link)
}
