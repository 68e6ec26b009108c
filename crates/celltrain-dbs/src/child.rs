//! Daemons that the controller starts as child processes and controls over their standard input and output.

use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Octets kept of a child's standard error.
const KEPT: usize = 4 << 10;
/// How long a child may take to exit after the session is closed, in steps of 20 ms.
const PATIENCE: u32 = 100;

/// A child process that runs a daemon.
#[derive(Debug)]
pub struct Child {
    process: std::process::Child,
    said: Arc<Mutex<Vec<u8>>>,
}

impl Child {
    /// Starts a program with its arguments, without a shell; returns its output and its input.
    ///
    /// It runs in its own process group: Ctrl-C reaches only the controller, which then ends the run in order.
    pub fn start(arguments: &[String]) -> io::Result<(Self, OwnedFd, OwnedFd)> {
        let (program, rest) = arguments
            .split_first()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no program is named"))?;
        let mut process = Command::new(program)
            .args(rest)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let missing = || io::Error::other("a child without its pipes");
        let input = process.stdin.take().ok_or_else(missing)?;
        let output = process.stdout.take().ok_or_else(missing)?;
        let mut errors = process.stderr.take().ok_or_else(missing)?;
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = said.clone();
        std::thread::Builder::new().spawn(move || {
            let mut buffer = [0; 512];
            while let Ok(count @ 1..) = errors.read(&mut buffer) {
                let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
                heard.extend_from_slice(&buffer[..count]);
                let surplus = heard.len().saturating_sub(KEPT);
                heard.drain(..surplus);
            }
        })?;
        Ok((Self { process, said }, output.into(), input.into()))
    }

    /// The last line that it wrote to its standard error.
    pub fn last_words(&self) -> Option<String> {
        // What it wrote just before it exited may not have arrived yet.
        std::thread::sleep(Duration::from_millis(50));
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let text =
            String::from_utf8_lossy(&said).replace(|c: char| c.is_control() && c != '\n', "");
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        last.map(|line| line.trim().to_owned())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        for _ in 0..PATIENCE {
            match self.process.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(20)),
                _ => return,
            }
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
