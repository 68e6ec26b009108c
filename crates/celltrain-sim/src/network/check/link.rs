//! What a link requires, and the rate of its line.

use celltrain_proto::line::schedule::Lists;
use celltrain_proto::units::{Cells, Span};

use super::value::{Check, allowed, delay, positive, require};
use super::{frames, queue};
use crate::network::schedule::with_lists;
use crate::scenario::{
    Gfc, GfcCounter, LineDelay, LineRate, Link, OnRateChange, Problem, QueueManagement, Scheduling,
};

/// Finds the first value of a link that is not allowed.
pub(super) fn link(path: &str, link: &Link) -> Check {
    let ends = match (&link.from, &link.to, &link.between) {
        (Some(_), Some(_), None) | (None, None, Some(_)) => Ok(()),
        _ => Err("expected either `from` and `to` (one way) or `between` (both ways)"),
    };
    ends.map_err(|message| Problem::at(path, message))?;
    let link = &*with_lists(link, schedule(path, link)?);
    length(path, link)?;
    queue::impairments(path, link)?;
    let Some(rate) = &link.rate else {
        let only_with_rate = [
            ("buffer", link.buffer.is_some()),
            ("frames", link.frames.is_some()),
            ("queue", link.queue.is_some()),
            ("scheduling", link.scheduling != Scheduling::default()),
            ("discard", link.discard.is_some()),
            ("queue_management", link.queue_management.is_some()),
            ("clp_threshold", link.clp_threshold.is_some()),
            ("credit", link.credit.is_some()),
            ("control", link.control.is_some()),
            ("becn", link.becn.is_some()),
            ("gfc", link.gfc.is_some()),
        ];
        for (key, present) in only_with_rate {
            let message = "a link without `rate` is a pure delay and has no queue; give it a rate";
            require(!present, &format!("{path}.{key}"), message)?;
        }
        return Ok(());
    };
    line_rate(&format!("{path}.rate"), rate)?;
    let missing =
        "the key \"buffer\" is missing; a link with a rate has a queue, such as \"1024 cells\"";
    let size = link.buffer.ok_or_else(|| Problem::at(path, missing))?.0;
    if let Some(framing) = link.frames {
        return frames::frames(path, link, framing, size);
    }
    let message = "queues of packets need `frames`; a queue of cells has `scheduling`, `discard` and `queue_management`";
    require(link.queue.is_none(), &format!("{path}.queue"), message)?;
    let cells = queue::cells(&format!("{path}.buffer"), size)?;
    queue::queue(path, link, cells)?;
    opportunities(path, link)?;
    if let Some(control) = &link.control {
        allowed(&format!("{path}.control"), control.check())?;
    }
    link.gfc
        .as_ref()
        .map_or(Ok(()), |gfc| self::gfc(&format!("{path}.gfc"), gfc))
}

/// Checks the delay of a link, or the distance that causes it.
fn length(path: &str, link: &Link) -> Check {
    require(
        link.distance.is_some() != link.delay.is_some(),
        path,
        "expected either `distance` (such as \"1 km\") or `delay` (such as \"5 us\")",
    )?;
    require(
        link.distance_to_last.is_none() || link.distance.is_some(),
        &format!("{path}.distance_to_last"),
        "the last member has a distance only if the first one has: `distance`",
    )?;
    if let Some(LineDelay::Process(process)) = &link.delay {
        allowed(&format!("{path}.delay"), process.check())?;
    }
    let distances = [
        ("distance", link.distance),
        ("distance_to_last", link.distance_to_last),
    ];
    let distances = distances.map(|(key, it)| (key, it.map(|it| it.delay())));
    let spans = distances
        .into_iter()
        .chain([("delay", link.delay.as_ref().map(LineDelay::longest))]);
    for (key, span) in spans {
        delay(&format!("{path}.{key}"), span.unwrap_or_default())?;
    }
    Ok(())
}

/// Checks the recording that a link follows, and that nothing else says what it says; returns its lists.
fn schedule(path: &str, link: &Link) -> Result<Option<Lists>, Problem> {
    let Some(schedule) = &link.schedule else {
        return Ok(None);
    };
    let lists = allowed(&format!("{path}.schedule"), schedule.lists())?;
    for (key, is_written, is_recorded) in [
        ("rate", link.rate.is_some(), lists.rate.is_some()),
        ("delay", link.delay.is_some(), lists.delay.is_some()),
        ("distance", link.distance.is_some(), lists.delay.is_some()),
        ("loss", link.loss.is_some(), lists.loss.is_some()),
    ] {
        let message = "the schedule has a column for this; leave one of them out";
        require(
            !(is_written && is_recorded),
            &format!("{path}.{key}"),
            message,
        )?;
    }
    Ok(Some(lists))
}

/// Checks that nothing depends on the rate of a line of delivery opportunities, which has none.
fn opportunities(path: &str, link: &Link) -> Check {
    let rate = link.rate.as_ref().and_then(LineRate::mean_of_opportunities);
    if rate.is_none() {
        return Ok(());
    }
    let reckons_with_rates = [
        (
            "on_rate_change",
            link.on_rate_change == OnRateChange::FinishAtOldRate,
        ),
        ("control", link.control.is_some()),
        (
            "queue_management",
            link.queue_management
                .as_ref()
                .is_some_and(QueueManagement::needs_rate),
        ),
    ];
    for (key, is_present) in reckons_with_rates {
        let message = "this needs a rate, and the line has delivery opportunities; gather them into rates, \
                       such as rate.bin = \"10 ms\"";
        require(!is_present, &format!("{path}.{key}"), message)?;
    }
    Ok(())
}

/// The rate of a line.
pub(super) fn line_rate(path: &str, rate: &LineRate) -> Check {
    match rate {
        LineRate::Constant(rate) => positive(path, rate.0),
        LineRate::Process(process) => allowed(path, process.check()),
    }
}

fn gfc(path: &str, gfc: &Gfc) -> Check {
    let (low, high) = (gfc.low.0, gfc.high.0);
    let message = format!("HALT would end at {low}, above {high} where it begins");
    require(low <= high, &format!("{path}.low"), message)?;
    require(
        gfc.timeout.0 > Span::ZERO,
        &format!("{path}.timeout"),
        "expected a time above zero",
    )?;
    for (key, counter) in [("group_a", gfc.group_a), ("group_b", gfc.group_b)] {
        let Some(GfcCounter {
            set_below,
            go_value,
        }) = counter
        else {
            continue;
        };
        let path = format!("{path}.{key}");
        let message = format!("expected at least 1, found {go_value}; the group could not send");
        require(go_value > 0, &format!("{path}.go_value"), message)?;
        let message =
            "expected at least 1 cell: no queue is below zero, so the group could not send";
        let is_ever_below = set_below.0 > Cells(0);
        require(is_ever_below, &format!("{path}.set_below"), message)?;
    }
    let Some(b) = gfc.group_b else {
        return Ok(());
    };
    let path = format!("{path}.group_b");
    let message =
        "`group_b` is the second group of the two-queue model; give the first one, `group_a`, too";
    let a = gfc.group_a.ok_or_else(|| Problem::at(&path, message))?;
    let (a, b) = (a.set_below.0, b.set_below.0);
    let message = format!(
        "expected at most {a}, the threshold of `group_a`, found {b}; call the group that may send longer `group_a`"
    );
    require(b <= a, &format!("{path}.set_below"), message)
}
