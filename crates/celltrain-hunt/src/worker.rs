//! Checks in separate processes, so that a run that never ends, or that takes all memory, does not end the hunt.
//!
//! The process reads requests, one line of JSON each, and writes a verdict for each. If a run continues after it was
//! cancelled, the process reports this and ends.

use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::case::{Case, Check, Finding, Verdict, verdict};
use crate::checks;

/// The most memory of a process, in octets.
const MEMORY: u64 = 4 << 30;
/// Time limits of runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The time until a run is cancelled.
    pub run: Duration,
    /// The processor time after that within which it must end; the load of the machine does not count.
    pub grace: Duration,
}
/// A run that uses no processor time must end within this multiple of `grace`, in real time.
const WAITING: u32 = 20;
/// The kind of a finding: a run continues after it was cancelled.
pub const HANGS: &str = "hangs";
/// The kind of a finding: the process ended without a verdict.
pub const ENDED: &str = "the process ended";

/// Serves requests from standard input until its end.
pub fn serve() -> io::Result<()> {
    let bound = rustix::process::Rlimit {
        current: Some(MEMORY),
        maximum: Some(MEMORY),
    };
    rustix::process::setrlimit(rustix::process::Resource::As, bound)?;
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let reply = answer(&request);
        writeln!(io::stdout(), "{reply}")?;
    }
    Ok(())
}

fn answer(request: &Value) -> Value {
    let seed = request["seed"].as_u64().unwrap_or_default();
    let case = match Case::new(request["scenario"].clone(), seed) {
        Ok(case) => case,
        Err(problem) => return json!({"verdict": "refused", "text": problem.to_string()}),
    };
    let time = |key: &str| Duration::from_millis(request[key].as_u64().unwrap_or_default());
    let (run, grace) = (time("run_ms"), time("grace_ms"));
    let is_wanted = |check: &&Check| {
        let names = request["checks"].as_array();
        names.is_some_and(|names| names.iter().any(|name| name == check.name))
    };
    let wanted: Vec<Check> = checks::ALL.iter().filter(is_wanted).copied().collect();
    let verdict = thread::scope(|scope| {
        let (done, waits) = mpsc::channel::<()>();
        let case = &case;
        scope.spawn(move || {
            if !ends_within(&waits, run, grace) {
                give_up(case);
            }
        });
        let verdict = verdict(case, &wanted, run);
        drop(done);
        verdict
    });
    to_json(&verdict)
}

/// Whether the runs end within the limits.
fn ends_within(ends: &Receiver<()>, run: Duration, grace: Duration) -> bool {
    let is_over = |time| ends.recv_timeout(time) != Err(mpsc::RecvTimeoutError::Timeout);
    if is_over(run) {
        return true;
    }
    let used = processor_time();
    for _ in 0..WAITING {
        if is_over(grace) {
            return true;
        }
        if processor_time().saturating_sub(used) >= grace {
            return false;
        }
    }
    false
}

/// The processor time that this process has used.
fn processor_time() -> Duration {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(used.tv_sec as u64, used.tv_nsec as u32)
}

/// Reports which run continues, and ends the process, because a thread cannot be ended.
fn give_up(case: &Case) {
    let (check, work) = case.at_work();
    let verdict = if check == "relations" {
        // The runs of relations take no flag, so they cannot be cancelled.
        Verdict::TooLong
    } else {
        Verdict::Failed(vec![Finding {
            check,
            kind: HANGS.to_owned(),
            text: format!("a run {work} continues after it was cancelled"),
        }])
    };
    let reply = to_json(&verdict);
    // If nothing listens any more, there is nothing to report to.
    let _ = writeln!(io::stdout(), "{reply}");
    std::process::exit(3);
}

fn to_json(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Passed => json!({"verdict": "passed"}),
        Verdict::Stalled => json!({"verdict": "stalled"}),
        Verdict::TooLong => json!({"verdict": "too long"}),
        Verdict::Failed(findings) => {
            let findings: Vec<Value> = findings
                .iter()
                .map(|it| json!({"check": it.check, "kind": it.kind, "text": it.text}))
                .collect();
            json!({"verdict": "failed", "findings": findings})
        }
    }
}

/// Reads the answer of a process.
fn from_json(reply: &Value) -> Result<Verdict, String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match reply["verdict"].as_str() {
        Some("passed") => Ok(Verdict::Passed),
        Some("stalled") => Ok(Verdict::Stalled),
        Some("too long") => Ok(Verdict::TooLong),
        Some("failed") => {
            let findings = reply["findings"].as_array().into_iter().flatten();
            let findings = findings.map(|it| Finding {
                check: checks::named(it["check"].as_str().unwrap_or_default()),
                kind: text(&it["kind"]),
                text: text(&it["text"]),
            });
            Ok(Verdict::Failed(findings.collect()))
        }
        _ => Err(text(&reply["text"])),
    }
}

/// A process that runs checks, started when first needed and again after it has ended.
#[derive(Debug)]
pub struct Worker {
    program: PathBuf,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    requests: ChildStdin,
    replies: Receiver<String>,
}

impl Worker {
    /// Runs checks in processes of `program`, which serves them if its argument is `serve`.
    pub fn new(program: PathBuf) -> Self {
        Self {
            program,
            running: None,
        }
    }

    /// Runs the checks called `checks` on `scenario`; the error tells why the language refuses it.
    pub fn verdict(
        &mut self,
        scenario: &Value,
        seed: u64,
        checks: &[&'static str],
        limits: Limits,
    ) -> Result<Verdict, String> {
        let request = json!({
            "scenario": scenario, "seed": seed, "checks": checks, "run_ms": limits.run.as_millis() as u64,
            "grace_ms": limits.grace.as_millis() as u64,
        });
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start().map_err(|error| error.to_string())?,
        };
        let sent = writeln!(running.requests, "{request}");
        let longest = limits.run + limits.grace * (WAITING + 1) + Duration::from_secs(10);
        let reply = running.replies.recv_timeout(longest);
        let (Ok(()), Ok(reply)) = (sent, reply) else {
            return Ok(Verdict::Failed(vec![Finding {
                check: checks.first().copied().unwrap_or_default(),
                kind: ENDED.to_owned(),
                text: "the process that ran it ended, or took all memory".to_owned(),
            }]));
        };
        let reply: Value = serde_json::from_str(&reply).map_err(|error| error.to_string())?;
        let verdict = from_json(&reply);
        let hangs = |findings: &Vec<Finding>| findings.iter().any(|it| it.kind == HANGS);
        // After these it may have given up and ended.
        let goes_on = match &verdict {
            Ok(Verdict::TooLong) => false,
            Ok(Verdict::Failed(findings)) => !hangs(findings),
            _ => true,
        };
        self.running = goes_on.then_some(running);
        verdict
    }

    fn start(&self) -> io::Result<Running> {
        let mut child = Command::new(&self.program)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (sender, replies) = mpsc::channel();
        let requests = child.stdin.take();
        let output = child.stdout.take();
        let (Some(requests), Some(output)) = (requests, output) else {
            return Err(io::Error::other("a process without its pipes"));
        };
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Running {
            child,
            requests,
            replies,
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
