//! Queues of cells: the keys that need a rate, and thresholds that fit.

use serde_json::{Value, json};

use super::recording::header;
use super::table::{Table, cap, quantity};
use crate::palette::text;
use crate::schema::Kind;
use crate::values::Painter;

/// Makes a link have one kind of length, removes the keys of a queue without a rate, and makes thresholds fit.
pub(super) fn queue(link: &mut Table, painter: &mut Painter) {
    if !link.contains_key("distance") {
        link.remove("distance_to_last");
    }
    let is_rated = header(link).contains("rate") || link.contains_key("rate");
    if is_rated && link.contains_key("frames") {
        return;
    }
    if !is_rated {
        for key in [
            "buffer",
            "frames",
            "queue",
            "scheduling",
            "class_buffers",
            "discard",
            "clp_threshold",
            "queue_management",
            "credit",
            "control",
            "becn",
            "gfc",
        ] {
            link.remove(key);
        }
        return;
    }
    if quantity(Kind::Cells, link.get("buffer")).is_none_or(|buffer| buffer == 0) {
        let cells = painter.palette.cells(&mut painter.dice).max(1);
        link.insert("buffer".to_owned(), json!(text(Kind::Cells, cells)));
    }
    thresholds(link, painter);
    let class_buffers = link.get("class_buffers").and_then(Value::as_object);
    if class_buffers.is_some_and(|buffers| !buffers.is_empty()) {
        link.insert("scheduling".to_owned(), json!("priority"));
        link.remove("credit");
    }
    if link.contains_key("credit") {
        link.insert("scheduling".to_owned(), json!("weighted-fair"));
    }
    let has_opportunities = |rate: &Value| rate["process"] == "mahimahi" && rate["bin"].is_null();
    if link.get("rate").is_some_and(has_opportunities) {
        link.remove("control");
        link.remove("on_rate_change");
    }
}

/// Makes thresholds fit into the buffer and puts them in order.
fn thresholds(link: &mut Table, painter: &mut Painter) {
    let buffer = quantity(Kind::Cells, link.get("buffer")).unwrap_or(1);
    cap(link, Kind::Cells, "clp_threshold", buffer);
    if let Some(discard) = link.get_mut("discard").and_then(Value::as_object_mut) {
        cap(discard, Kind::Cells, "threshold", buffer);
        let cells = |key| quantity(Kind::Cells, discard.get(key));
        let thresholds = [("min", "max"), ("low", "threshold")].map(|(low, high)| {
            cells(low)
                .zip(cells(high))
                .filter(|(low, high)| high <= low)
        });
        if let Some((min, _)) = thresholds[0] {
            let max = text(Kind::Cells, min + 1 + min / 2);
            discard.insert("max".to_owned(), json!(max));
        }
        if let Some((_, threshold)) = thresholds[1] {
            cap(discard, Kind::Cells, "low", threshold.saturating_sub(1));
        }
    }
    if let Some(control) = link.get_mut("control").and_then(Value::as_object_mut) {
        for (low, high) in [("low", "threshold"), ("qt", "dqt"), ("cqt", "vcqt")] {
            if let Some(high) = quantity(Kind::Cells, control.get(high)) {
                cap(control, Kind::Cells, low, high);
            }
        }
        let is_erica = ["erica", "erica-plus"]
            .iter()
            .any(|name| control["algorithm"] == **name);
        if is_erica && !control.contains_key("interval") && !control.contains_key("interval_cells")
        {
            let cells = painter.palette.cells(&mut painter.dice).max(1);
            control.insert("interval_cells".to_owned(), json!(text(Kind::Cells, cells)));
        }
    }
    let of_class = link.get("class_buffers").and_then(|it| it.get("abr"));
    let of_class = quantity(Kind::Cells, of_class).unwrap_or(buffer);
    if let Some(becn) = link.get_mut("becn").and_then(Value::as_object_mut) {
        cap(becn, Kind::Cells, "above", of_class.saturating_sub(1));
    }
    if let Some(gfc) = link.get_mut("gfc").and_then(Value::as_object_mut)
        && let Some(high) = quantity(Kind::Cells, gfc.get("high"))
    {
        cap(gfc, Kind::Cells, "low", high);
    }
}
