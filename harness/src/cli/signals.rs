//! How a command that runs is ended.

use crate::cli::Problem;

/// Ctrl-C and SIGTERM, heard from the moment that this exists.
#[cfg(unix)]
pub(super) struct Ended {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Ended {
    pub(super) fn listen() -> Result<Ended, Problem> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| signal(kind).map_err(deaf);
        let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
        Ok(Ended { interrupt: listen(interrupt)?, terminate: listen(terminate)? })
    }

    pub(super) async fn heard(mut self) -> Result<(), Problem> {
        tokio::select! {
            _ = self.interrupt.recv() => Ok(()),
            _ = self.terminate.recv() => Ok(()),
        }
    }
}

/// Ctrl-C.
#[cfg(not(unix))]
pub(super) struct Ended;

#[cfg(not(unix))]
impl Ended {
    pub(super) fn listen() -> Result<Ended, Problem> {
        Ok(Ended)
    }

    pub(super) async fn heard(self) -> Result<(), Problem> {
        tokio::signal::ctrl_c().await.map_err(deaf)
    }
}

fn deaf(error: std::io::Error) -> Problem {
    Problem::Wrong(format!("signals cannot be heard: {error}"))
}
