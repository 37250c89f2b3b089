//! The command of the user that brings a target back.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::Child;

use crate::command::shell;

/// A restart command that was started. It may be the server itself, and run for as long as that.
pub(super) struct Running(Child);

/// Why the target was not brought back. The user mends the command.
#[derive(Debug, thiserror::Error)]
pub(super) enum RestartFailed {
    #[error("the restart command cannot be run: {0}")]
    NotRun(io::Error),
    #[error("the restart command failed: {0}")]
    Failed(ExitStatus),
    #[error("the restart command is lost: {0}")]
    Lost(io::Error),
    #[error("the restart command did not bring it back in {0:?}")]
    TooSlow(Duration),
}

/// Starts `command` in a shell. Its output is discarded: a server that it starts in the background would keep ours
/// open.
pub(super) fn restart(command: &str) -> Result<Running, RestartFailed> {
    let started =
        shell(command).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    started.map(Running).map_err(RestartFailed::NotRun)
}

impl Running {
    /// Checks that the command runs, or ended well.
    pub(super) fn check(&mut self) -> Result<(), RestartFailed> {
        match self.0.try_wait() {
            Ok(Some(status)) if !status.success() => Err(RestartFailed::Failed(status)),
            Ok(_) => Ok(()),
            Err(error) => Err(RestartFailed::Lost(error)),
        }
    }
}
