//! The `tideover` command.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

pub(crate) fn tideover() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tideover"))
}

/// A process that is ended when the test is.
pub(crate) struct Served(pub(crate) std::process::Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) fn serve(arguments: &[&str]) -> (Served, Value) {
    serve_with(arguments, &[])
}

/// The same, with environment variables.
pub(crate) fn serve_with(arguments: &[&str], variables: &[(&str, &str)]) -> (Served, Value) {
    let mut child = tideover()
        .args(["serve", "--port", "0", "--json"])
        .args(arguments)
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    (Served(child), serde_json::from_str(&line).unwrap())
}

/// Whether a signal reaches who is started from here: where the tests were started with nohup, one does not.
#[cfg(unix)]
pub(crate) fn is_heard(signal: &str) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    // The first is the one of a terminal that closes.
    signal != "-HUP" || ignored & 1 == 0
}
