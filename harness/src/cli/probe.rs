//! A command of the user that prints the state of a receiver.

use std::process::{Output, Stdio};
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

use crate::cli::Problem;

/// A shell command whose output is the receiver's state.
pub(super) struct StateProbe {
    command: String,
    patience: Duration,
}

impl StateProbe {
    pub(super) fn new(command: &str, patience: Duration) -> StateProbe {
        StateProbe { command: command.to_owned(), patience }
    }

    /// What it prints now.
    pub(super) async fn look(&self) -> Result<Vec<u8>, Problem> {
        let failed = |why: String| Problem::Wrong(format!("the probe {:?}: {why}", self.command));
        let output = shell(&self.command).stdin(Stdio::null()).kill_on_drop(true).output();
        match timeout(self.patience, output).await {
            Err(_) => Err(failed(format!("it has not ended after {:?}", self.patience))),
            Ok(Err(error)) => Err(failed(error.to_string())),
            Ok(Ok(output)) if output.status.success() => Ok(output.stdout),
            Ok(Ok(output)) => Err(failed(complaint(&output))),
        }
    }
}

#[cfg(unix)]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command);
    shell
}

#[cfg(windows)]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("cmd");
    // `cmd` takes the rest of its line as it stands.
    shell.raw_arg("/C").raw_arg(command);
    shell
}

/// Its exit, and its last line.
fn complaint(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    match said.trim_end().lines().last() {
        None => output.status.to_string(),
        Some(last) => format!("{}: {last}", output.status),
    }
}
