//! Traffic traces in separate files: CSV with a line per write and the time until the next.
//!
//! ```text
//! bytes,interval_s
//! 512,0.035
//! 1200,0.02
//! ```

use celltrain_language::{Problem, Text};
use celltrain_proto::units::{Bytes, Span};

use super::files::Files;
use super::{Flow, Plan};

/// The first line of a file.
const HEADER: &str = "bytes,interval_s";

impl Plan {
    /// Replaces file names by the traces in the files: the plan is then complete without them.
    pub(super) fn read_traces(&mut self, files: Files<'_>) -> Result<(), Problem> {
        for (name, flow) in &mut self.flows {
            let Some(file) = flow.pattern.file.take() else {
                continue;
            };
            flow.read_trace(&file, files).map_err(|why| {
                let key = format!("flows.{name}.pattern.file");
                Problem::at(&key, format!("\"{file}\": {why}"))
            })?;
        }
        Ok(())
    }
}

impl Flow {
    fn read_trace(&mut self, file: &str, files: Files<'_>) -> Result<(), String> {
        if self.pattern.trace.is_some() {
            return Err("expected either \"file\" or \"trace\", not both".to_owned());
        }
        let trace = parse(&files(file)?, |entry| self.check_entry(entry))?;
        self.pattern.trace = Some(trace);
        Ok(())
    }
}

/// When a write is made, from the flow's start, and its octets.
pub(super) type Entry = (Text<Span>, Text<Bytes>);

/// Parses the text of a file; an error contains its line number.
fn parse(text: &str, check: impl Fn(&Entry) -> Result<(), String>) -> Result<Vec<Entry>, String> {
    let mut lines = (1..).zip(text.lines().map(str::trim));
    let header = lines.next().map_or("", |(_, line)| line);
    if header.trim_start_matches('\u{feff}').replace(' ', "") != HEADER {
        return Err(format!(
            "line 1: expected \"{HEADER}\", found \"{header:.80}\""
        ));
    }
    let mut at = Span::ZERO;
    let mut trace = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let in_line = |why: String| format!("line {number}: {why}");
        let (bytes, interval) = fields(line).ok_or_else(|| {
            let expected = "octets and seconds such as \"512,0.035\"";
            in_line(format!("expected {expected}, found \"{line:.80}\""))
        })?;
        let entry = (Text(at), Text(bytes));
        check(&entry).map_err(in_line)?;
        trace.push(entry);
        at += interval;
    }
    if trace.is_empty() {
        return Err("nothing follows its header: there is nothing to send".to_owned());
    }
    Ok(trace)
}

/// The two numbers of a line.
fn fields(line: &str) -> Option<(Bytes, Span)> {
    let (bytes, interval) = line.split_once(',')?;
    let bytes = bytes.trim().parse().ok()?;
    let seconds: f64 = interval.trim().parse().ok()?;
    // A year or more is not a valid interval, and would overflow the sum.
    let good = (0.0..3e7).contains(&seconds);
    good.then(|| (Bytes(bytes), Span::from_secs_f64(seconds)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Entry>, String> {
        let short = |(at, _): &Entry| {
            let good = at.as_secs() < 10.0;
            good.then_some(()).ok_or_else(|| "too late".to_owned())
        };
        parse(text, short)
    }

    #[test]
    fn each_write_comes_when_the_intervals_before_it_are_over() {
        let trace =
            read("bytes, interval_s\n512,0.035\n\n# a pause\n1200, 5e-3\r\n28,0\n").unwrap();
        let found: Vec<_> = trace
            .iter()
            .map(|(at, size)| (at.as_ps(), size.0.0))
            .collect();
        assert_eq!(
            found,
            [(0, 512), (35_000_000_000, 1_200), (40_000_000_000, 28)]
        );
    }

    #[test]
    fn a_mistake_is_told_with_its_line() {
        for (text, why) in [
            ("", "line 1: expected \"bytes,interval_s\", found \"\""),
            ("512,0.035\n", "line 1: expected \"bytes,interval_s\""),
            (
                "bytes,interval_s\n512\n",
                "line 2: expected octets and seconds",
            ),
            (
                "bytes,interval_s\n1,1\n1,-1\n",
                "line 3: expected octets and seconds",
            ),
            (
                "bytes,interval_s\n1,1\n1.5,1\n",
                "line 3: expected octets and seconds",
            ),
            (
                "bytes,interval_s\n1,1\n1,1e300\n",
                "line 3: expected octets and seconds",
            ),
            (
                "bytes,interval_s\n1,inf\n",
                "line 2: expected octets and seconds",
            ),
            ("bytes,interval_s\n# a\n1,11\n1,1\n", "line 4: too late"),
            ("bytes,interval_s\n", "nothing follows its header"),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.starts_with(why), "{text:?}: {found}");
        }
    }
}
