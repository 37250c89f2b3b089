//! A command of the user that prints the state of a receiver.

use std::process::{Output, Stdio};
use std::time::Duration;

use tideover_live::shell;

use crate::cli::{Problem, wrong};

/// A shell command whose output is the receiver's state.
pub(super) struct StateProbe {
    command: String,
    timeout: Duration,
}

impl StateProbe {
    pub(super) fn new(command: &str, timeout: Duration) -> StateProbe {
        StateProbe { command: command.to_owned(), timeout }
    }

    /// Runs the command and returns what it prints.
    pub(super) async fn read(&self) -> Result<Vec<u8>, Problem> {
        let failed = |why: String| wrong(format!("the probe {:?}: {why}", self.command));
        let output = shell(&self.command).stdin(Stdio::null()).kill_on_drop(true).output();
        match tokio::time::timeout(self.timeout, output).await {
            Err(_) => Err(failed(format!("it has not ended after {:?}", self.timeout))),
            Ok(Err(error)) => Err(failed(error.to_string())),
            Ok(Ok(output)) if output.status.success() => Ok(output.stdout),
            Ok(Ok(output)) => Err(failed(complaint(&output))),
        }
    }
}

/// The exit status, and the last line of standard error.
fn complaint(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    match stderr.trim_end().lines().last() {
        None => output.status.to_string(),
        Some(last) => format!("{}: {last}", output.status),
    }
}
