//! The command of the user that brings a target back.

use std::process::Stdio;

use tokio::process::{Child, Command};

/// A restart command that was started. It may be the server itself, and run for as long as that.
pub(super) struct Running(Child);

/// What a restart command does.
pub(super) enum Restarting {
    /// It runs, or ended well.
    Fine,
    /// It failed, with the reason.
    Failed(String),
}

/// Starts `command` in a shell. Its output is discarded: a server that it starts in the background would keep ours
/// open.
pub(super) fn restart(command: &str) -> Result<Running, String> {
    let started =
        shell(command).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    started.map(Running).map_err(|error| format!("the restart command cannot be run: {error}"))
}

#[cfg(unix)]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    shell
}

#[cfg(not(unix))]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("cmd");
    shell.args(["/C", command]);
    shell
}

impl Running {
    /// What it does now.
    pub(super) fn state(&mut self) -> Restarting {
        match self.0.try_wait() {
            Ok(Some(status)) if !status.success() => {
                Restarting::Failed(format!("the restart command failed: {status}"))
            }
            Ok(_) => Restarting::Fine,
            Err(error) => Restarting::Failed(format!("the restart command is lost: {error}")),
        }
    }
}
