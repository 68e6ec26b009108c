//! `celltrain-hunt`: draws networks and finds those that fail a check.
#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use celltrain_hunt::accept::Refusals;
use celltrain_hunt::case::Verdict;
use celltrain_hunt::checks;
use celltrain_hunt::coverage::{self, Coverage};
use celltrain_hunt::digests;
use celltrain_hunt::draw::Generator;
use celltrain_hunt::generators::{Networks, Source};
use celltrain_hunt::hunt::Hunt;
use celltrain_verify::text;
use lexopt::prelude::*;

const HELP: &str = "\
celltrain-hunt hunt [OPTIONS]      draw networks, run all checks on them, keep those that fail
celltrain-hunt check FILE...       run all checks on scenarios (TOML)
celltrain-hunt shrink FILE...      reduce scenarios that fail, in place
celltrain-hunt show INDEX          print network number INDEX
celltrain-hunt digests [OPTIONS]   run networks on JOBS threads each and print the digests of scenarios and results
celltrain-hunt coverage [OPTIONS]  print which keys and values the networks have (CSV)
celltrain-hunt coverage pairs [OPTIONS]  the same for each pair of them

  --generator NAME     drawn (key by key from the schema) or composed (from sites, lines, circuits) (drawn)
  --networks N         number of networks (1000)
  --seed S             seed of the networks (1)
  --first I            number of the first network (0)
  --seconds T          time limit of the hunt, in s (none)
  --jobs J             threads (1)
  --corpus DIR         where findings are kept and checked again
  --limit T            time limit for one network, in s (20)
  --shrink T           time limit to reduce one finding, in s (60)
  --cells C            approximate maximum of cells in a network (200000)
  --having PATH        hunt only networks with this key or value, such as links.*.frames
  --stop               stop at the first network that fails or takes too long
  --check NAME         run only this check; may be repeated
  --exclude-check NAME leave this check out; may be repeated
";

struct Arguments {
    command: String,
    rest: Vec<String>,
    hunt: Hunt,
}

fn arguments() -> Result<Arguments, lexopt::Error> {
    let mut hunt = Hunt {
        generator: Source::Drawn,
        seed: 1,
        first: 0,
        networks: 1000,
        time: None,
        jobs: 1,
        corpus: None,
        checks: checks::ALL.iter().map(|check| check.name).collect(),
        program: std::env::current_exe().map_err(|error| error.to_string())?,
        limit: Duration::from_secs(20),
        shrink: Duration::from_secs(60),
        cells: 200_000.0,
        having: None,
        stop: false,
    };
    let (mut command, mut rest, mut only) = (None, Vec::new(), Vec::new());
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("generator") => hunt.generator = parser.value()?.parse()?,
            Long("networks") | Short('n') => hunt.networks = parser.value()?.parse()?,
            Long("seed") => hunt.seed = parser.value()?.parse()?,
            Long("first") => hunt.first = parser.value()?.parse()?,
            Long("seconds") => hunt.time = Some(seconds(&mut parser)?),
            Long("jobs") => hunt.jobs = parser.value()?.parse()?,
            Long("corpus") => hunt.corpus = Some(PathBuf::from(parser.value()?)),
            Long("limit") => hunt.limit = seconds(&mut parser)?,
            Long("shrink") => hunt.shrink = seconds(&mut parser)?,
            Long("cells") => hunt.cells = parser.value()?.parse()?,
            Long("having") => hunt.having = Some(parser.value()?.string()?),
            Long("stop") => hunt.stop = true,
            Long("check") => only.push(known(&parser.value()?.string()?)?),
            Long("exclude-check") => {
                let name = known(&parser.value()?.string()?)?;
                hunt.checks.retain(|check| *check != name);
            }
            Long("help") | Short('h') => {
                print!("{HELP}");
                std::process::exit(0);
            }
            Value(value) if command.is_none() => command = Some(value.string()?),
            Value(value) => rest.push(value.string()?),
            other => return Err(other.unexpected()),
        }
    }
    if !only.is_empty() {
        hunt.checks.retain(|check| only.contains(check));
    }
    Ok(Arguments {
        command: command.unwrap_or_default(),
        rest,
        hunt,
    })
}

fn seconds(parser: &mut lexopt::Parser) -> Result<Duration, lexopt::Error> {
    Ok(Duration::from_secs(parser.value()?.parse()?))
}

/// The name of a check as in the registry.
fn known(name: &str) -> Result<&'static str, lexopt::Error> {
    let names: Vec<&str> = checks::ALL.iter().map(|check| check.name).collect();
    let found = checks::ALL.iter().find(|check| check.name == name);
    found.map(|check| check.name).ok_or_else(|| {
        format!("there is no check called \"{name}\"; expected one of {names:?}").into()
    })
}

fn main() -> ExitCode {
    // A panic of an engine is a finding and is reported as such.
    std::panic::set_hook(Box::new(|_| {}));
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("celltrain-hunt: {error}");
            return ExitCode::from(2);
        }
    };
    match arguments.command.as_str() {
        "hunt" => hunt(&arguments.hunt),
        "check" => files(&arguments, Hunt::file),
        "shrink" => files(&arguments, Hunt::shrink_file),
        "serve" => match celltrain_hunt::worker::serve() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        "show" => show(&arguments),
        "digests" => digests(&arguments.hunt),
        "coverage" => coverage(&arguments.hunt, arguments.rest == ["pairs"]),
        _ => {
            eprint!("{HELP}");
            ExitCode::from(2)
        }
    }
}

fn hunt(hunt: &Hunt) -> ExitCode {
    let mut still = 0;
    match hunt.again() {
        Ok(files) => {
            for (file, verdict) in files {
                let holds = matches!(verdict, Ok(Verdict::Passed | Verdict::Stalled));
                still += usize::from(!holds);
                let word = if holds { "fixed" } else { "still" };
                println!("{word}: {}: {}", file.display(), told(&verdict));
            }
        }
        Err(error) => {
            eprintln!("celltrain-hunt: the corpus cannot be read: {error}");
            return ExitCode::from(2);
        }
    }
    let summary = hunt.run(&|line| println!("{line}"));
    for (what, numbers) in [
        ("stalled", &summary.stalled),
        ("too long", &summary.too_long),
    ] {
        if !numbers.is_empty() {
            println!("{what}: {numbers:?}");
        }
    }
    println!("{}, {still} old ones still fail", summary.line());
    if summary.failed.is_empty() && still == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// A verdict on one line.
fn told(verdict: &Result<Verdict, String>) -> String {
    match verdict {
        Ok(Verdict::Passed) => "holds".to_owned(),
        Ok(Verdict::Stalled) => "simulated time stands still with all methods".to_owned(),
        Ok(Verdict::TooLong) => "too long: nothing is known".to_owned(),
        Ok(Verdict::Failed(findings)) => {
            let texts = findings
                .iter()
                .map(|it| format!("{}: {}", it.check, it.text));
            texts.collect::<Vec<_>>().join("; ")
        }
        Err(error) => error.clone(),
    }
}

/// Applies `work` to each file; fails if one does not pass.
fn files(arguments: &Arguments, work: fn(&Hunt, &Path) -> Result<Verdict, String>) -> ExitCode {
    let mut all_hold = true;
    for file in &arguments.rest {
        let verdict = work(&arguments.hunt, file.as_ref());
        all_hold &= matches!(verdict, Ok(Verdict::Passed | Verdict::Stalled));
        println!("{file}: {}", told(&verdict));
    }
    if all_hold {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn show(arguments: &Arguments) -> ExitCode {
    let generator = Networks::new(arguments.hunt.generator, arguments.hunt.cells);
    for index in arguments.rest.iter().filter_map(|index| index.parse().ok()) {
        let drawn = generator.network(arguments.hunt.seed, index);
        println!("{}", text::toml(&drawn.scenario).unwrap_or_default());
    }
    ExitCode::SUCCESS
}

fn digests(hunt: &Hunt) -> ExitCode {
    let networks = Networks::new(hunt.generator, hunt.cells);
    for index in hunt.first..hunt.first + hunt.networks {
        let digest = digests::digest(&networks, hunt.seed, index, hunt.jobs);
        println!("{index} {digest}");
    }
    ExitCode::SUCCESS
}

fn coverage(hunt: &Hunt, pairs: bool) -> ExitCode {
    let language = Generator::new(hunt.cells);
    let generator = Networks::new(hunt.generator, hunt.cells);
    let (mut met, mut refusals, mut drafts) = (Coverage::default(), Refusals::new(), 0);
    let mut clean = 0;
    for index in hunt.first..hunt.first + hunt.networks {
        let drawn = generator.network(hunt.seed, index);
        met.add(
            &language.leaves,
            &coverage::met(&language.shape, &drawn.scenario),
        );
        drafts += drawn.drafts;
        clean += usize::from(drawn.refusals.is_empty());
        for (reason, times) in drawn.refusals {
            *refusals.entry(reason).or_default() += times;
        }
    }
    if pairs {
        print!("{}", met.pairs_csv(&language.leaves));
    } else {
        print!("{}", met.csv(&language.leaves));
    }
    let (pairs, of) = met.pairs(&language.leaves);
    let missing = met.missing(&language.leaves);
    let leaves = language.leaves.len();
    eprintln!(
        "{} networks of {drafts} drafts, {clean} as drafted",
        met.networks
    );
    eprintln!(
        "{} of {leaves} keys and values, {pairs} of {of} pairs",
        leaves - missing.len()
    );
    eprintln!("missing: {missing:#?}");
    let mut refusals: Vec<_> = refusals.into_iter().collect();
    refusals.sort_by_key(|it| std::cmp::Reverse(it.1));
    for (reason, times) in refusals.into_iter().take(40) {
        eprintln!("{times:6} {reason}");
    }
    ExitCode::SUCCESS
}
