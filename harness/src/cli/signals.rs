//! The signals that end a running command.

use crate::cli::Problem;

/// Ctrl-C, SIGTERM and SIGHUP, heard from the moment that this exists.
#[cfg(unix)]
pub(super) struct Ended {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Ended {
    pub(super) fn listen() -> Result<Ended, Problem> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| signal(kind).map_err(deaf);
        let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
        // What nohup has started goes on when its terminal closes.
        let hang_up = (!ignores_hang_up()).then(|| listen(SignalKind::hangup())).transpose()?;
        Ok(Ended { interrupt: listen(interrupt)?, terminate: listen(terminate)?, hang_up })
    }

    pub(super) async fn heard(mut self) -> Result<(), Problem> {
        tokio::select! {
            _ = self.interrupt.recv() => Ok(()),
            _ = self.terminate.recv() => Ok(()),
            () = recv(self.hang_up.as_mut()) => Ok(()),
        }
    }
}

#[cfg(unix)]
async fn recv(signal: Option<&mut tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// Whether SIGHUP was ignored when the process began, as far as the system shows: listening would end that.
#[cfg(unix)]
fn ignores_hang_up() -> bool {
    static IGNORES: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        ignored.is_some_and(|mask| mask & 1 == 1)
    });
    *IGNORES
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
