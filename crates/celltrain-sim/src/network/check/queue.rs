//! What the queue of a link requires, and the impairments of its line.

use celltrain_proto::line::DelayDistribution;
use celltrain_proto::schedule::{Class, Queues};
use celltrain_proto::units::{BufferSize, Cells};

use super::value::{self, Check, allowed, delay, positive, require};
use crate::scenario::{ClassBuffers, Discard, Link, Problem};

/// The most misinserted cells per second; a network has a few in a day.
const MOST_MISINSERTED: f64 = 20.0;

/// Checks losses, errors and jitter, with or without a queue.
pub(super) fn impairments(path: &str, link: &Link) -> Check {
    if let Some(loss) = &link.loss {
        allowed(&format!("{path}.loss"), loss.check())?;
    }
    if let Some(errors) = &link.errors {
        allowed(&format!("{path}.errors"), errors.check())?;
    }
    if let Some(misinsertion) = &link.misinsertion {
        let path = format!("{path}.misinsertion.rate");
        let rate = misinsertion.rate.0;
        positive(&path, rate)?;
        let message = format!("expected at most {MOST_MISINSERTED} cells/s, found {rate}");
        require(rate.as_cells_per_s() <= MOST_MISINSERTED, &path, message)?;
    }
    if let Some(jitter) = &link.jitter {
        let path = format!("{path}.jitter");
        allowed(&path, jitter.check())?;
        delay(&format!("{path}.max"), jitter.max())?;
    }
    let has_schedule = link.schedule.is_some();
    let has_process = link.delay.as_ref().is_some_and(|it| it.process().is_some());
    let message = "all frames have the same delay; give the link `jitter` or a `delay` that changes, or leave it out";
    require(
        !link.overtaking || has_process || has_schedule || link.jitter.is_some(),
        &format!("{path}.overtaking"),
        message,
    )
}

/// The size of a queue of cells.
pub(super) fn cells(path: &str, size: BufferSize) -> Result<u64, Problem> {
    let message = format!(
        "{size} are frames, and the link carries cells; give it in cells or octets, or the link `frames = \"ethernet\"`"
    );
    let cells = size.cells().ok_or_else(|| Problem::at(path, message))?;
    value::buffer(path, cells)?;
    Ok(cells)
}

/// Checks the queue in front of a line, which holds `buffer` cells.
pub(super) fn queue(path: &str, link: &Link, buffer: u64) -> Check {
    let at = |key: &str| format!("{path}.{key}");
    allowed(&at("scheduling"), link.scheduling.check())?;
    let own_buffers = link.class_buffers != ClassBuffers::default();
    let message = "buffers of classes need `scheduling = \"priority\"`";
    require(
        !own_buffers || link.scheduling.queues() == Queues::PerClass,
        &at("class_buffers"),
        message,
    )?;
    for (class, cells) in link.class_buffers.named() {
        value::buffer(&at(&format!("class_buffers.{class}")), cells.0)?;
    }
    if let Some(discard) = &link.discard {
        self::discard(&at("discard"), discard, buffer)?;
    }
    if let Some(threshold) = link.clp_threshold {
        let message = format!(
            "expected at most the buffer, {buffer} cells, found {}",
            threshold.0
        );
        require(threshold.0.0 <= buffer, &at("clp_threshold"), message)?;
    }
    becn(path, link, Cells(buffer))?;
    if let Some(management) = &link.queue_management {
        allowed(&at("queue_management"), management.check())?;
    }
    if let Some(credit) = &link.credit {
        let message = "each VC has credits of its own, and so a queue; write `scheduling = \"weighted-fair\"`";
        require(
            link.scheduling.queues() == Queues::PerVc,
            &at("scheduling"),
            message,
        )?;
        let most = Cells(1 << 20);
        for (key, cells) in [("n2", Some(credit.n2)), ("n3", credit.n3)] {
            let Some(cells) = cells else { continue };
            let message = format!("expected 1 to {most}, found {}", cells.0);
            let good = (Cells(1)..=most).contains(&cells.0);
            require(good, &at(&format!("credit.{key}")), message)?;
        }
    }
    Ok(())
}

/// Checks that a queue with a buffer of `buffer` cells can be congested.
fn becn(path: &str, link: &Link, buffer: Cells) -> Check {
    let Some(becn) = link.becn else {
        return Ok(());
    };
    let buffer = link.class_buffers.of(Class::Abr).unwrap_or(buffer);
    let above = becn.above.0;
    let message = format!(
        "expected less than the buffer, {buffer}, found {above}; the queue would never exceed it"
    );
    require(above < buffer, &format!("{path}.becn.above"), message)
}

fn discard(path: &str, discard: &Discard, buffer: u64) -> Check {
    allowed(path, discard.check())?;
    let threshold = discard.threshold().unwrap_or_default();
    let message = format!("expected at most the buffer, {buffer} cells, found {threshold}");
    require(threshold.0 <= buffer, &format!("{path}.threshold"), message)
}
