//! Checks that several sections share.

use celltrain_language::Text;
use celltrain_proto::ip::SMALLEST_MTU;
use celltrain_proto::parameters;
use celltrain_proto::units::{Bytes, Rate, Span};

use crate::scenario::{Problem, Start};

/// The longest delay of a link. Cells on their way at the end of a run thus arrive at a representable time, even over a
/// route of 300 links.
const LONGEST_DELAY: Span = Span::from_secs(3_600);
/// The largest buffer, in cells.
const LARGEST_BUFFER: u64 = 1 << 31;

pub(super) type Check = Result<(), Problem>;

/// Passes on the first problem that the parameters report, for the table at `path`, or what they say.
pub(super) fn allowed<T>(
    path: &str,
    checked: Result<T, parameters::Problem>,
) -> Result<T, Problem> {
    checked.map_err(|problem| {
        let path = match &*problem.key {
            "" => path.to_owned(),
            key => format!("{path}.{key}"),
        };
        Problem::at(&path, problem.message)
    })
}

pub(super) fn require(holds: bool, path: &str, message: impl Into<String>) -> Check {
    if holds {
        Ok(())
    } else {
        Err(Problem::at(path, message))
    }
}

/// Checks the size of a buffer in cells.
pub(super) fn buffer(path: &str, cells: u64) -> Check {
    let message = format!("expected 1 to {LARGEST_BUFFER} cells, found {cells}");
    require((1..=LARGEST_BUFFER).contains(&cells), path, message)
}

/// Checks the `mtu` of the section at `path`.
pub(super) fn mtu(path: &str, mtu: Option<Text<Bytes>>) -> Check {
    let Some(Text(Bytes(octets))) = mtu else {
        return Ok(());
    };
    let range = u64::from(SMALLEST_MTU)..=65_535;
    let message = format!(
        "expected {SMALLEST_MTU} (which every network forwards whole) to 65535 bytes, found {octets}"
    );
    require(range.contains(&octets), &format!("{path}.mtu"), message)
}

/// Checks a name. Names appear in files, columns and on terminals: letters, digits, `_` and `-`, beginning with a letter.
pub(super) fn identifier(path: &str, name: &str) -> Check {
    let good = name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let printable: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
    let message = format!(
        "the name \"{printable}\" must be a letter, then up to 63 letters, digits, \"_\" or \"-\""
    );
    require(good, path, message)
}

/// Checks the delay of a link, or a part of it.
pub(super) fn delay(path: &str, delay: Span) -> Check {
    let message = format!("expected a delay of at most {LONGEST_DELAY}, found {delay}");
    require(delay <= LONGEST_DELAY, path, message)
}

pub(super) fn positive(path: &str, rate: Rate) -> Check {
    require(
        rate > Rate::ZERO,
        path,
        format!("expected a rate above zero, found {rate}"),
    )
}

pub(super) fn start(path: &str, start: &Start) -> Check {
    match start {
        Start::At(_) => Ok(()),
        Start::Random(random) => {
            let [from, to] = random.uniform;
            let message = format!("expected two rising times, found {} and {}", from.0, to.0);
            require(from.0 <= to.0, path, message)
        }
    }
}
