//! Signals that end a running command.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::ProgressBar;

use crate::cli::{Problem, wrong};

/// Runs blocking work to its end, with a bar that it moves. A signal sets `stop`, and the work ends with what it has done
/// by then.
pub(super) async fn until_stopped<T: Send + 'static>(
    stop: Arc<AtomicBool>,
    bar: ProgressBar,
    work: impl FnOnce(&AtomicBool, &ProgressBar) -> T + Send + 'static,
) -> Result<T, Problem> {
    let signals = StopSignals::listen()?;
    let (stopped, shown) = (Arc::clone(&stop), bar.clone());
    let mut working = tokio::task::spawn_blocking(move || work(&stopped, &shown));
    let joined = tokio::select! {
        biased;
        received = signals.received() => {
            stop.store(true, Ordering::Relaxed);
            received?;
            working.await
        }
        joined = &mut working => joined,
    };
    bar.finish_and_clear();
    Ok(joined?)
}

/// Receives Ctrl-C, SIGTERM and SIGHUP.
#[cfg(unix)]
pub(super) struct StopSignals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl StopSignals {
    pub(super) fn listen() -> Result<StopSignals, Problem> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| signal(kind).map_err(listen_error);
        let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
        // A process under nohup continues when its terminal closes.
        let hang_up = (!ignores_hang_up()).then(|| listen(SignalKind::hangup())).transpose()?;
        Ok(StopSignals { interrupt: listen(interrupt)?, terminate: listen(terminate)?, hang_up })
    }

    pub(super) async fn received(mut self) -> Result<(), Problem> {
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

/// Whether SIGHUP was ignored when the process began, as far as the system shows it. Must run before we
/// listen for it.
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

/// Lets a write beyond the largest size of a file, as `ulimit -f` sets it, fail with an error. Without this, the system
/// ends the process. Needs a runtime.
#[cfg(unix)]
pub(super) fn outlive_large_files() {
    use tokio::signal::unix::{SignalKind, signal};
    // The signal stays caught after this. If it can't be, the process is as safe as any other.
    let _ = signal(SignalKind::from_raw(libc::SIGXFSZ));
}

/// Other systems have no such signal.
#[cfg(not(unix))]
pub(super) fn outlive_large_files() {}

/// Receives Ctrl-C.
#[cfg(not(unix))]
pub(super) struct StopSignals;

#[cfg(not(unix))]
impl StopSignals {
    pub(super) fn listen() -> Result<StopSignals, Problem> {
        Ok(StopSignals)
    }

    pub(super) async fn received(self) -> Result<(), Problem> {
        tokio::signal::ctrl_c().await.map_err(listen_error)
    }
}

fn listen_error(error: std::io::Error) -> Problem {
    wrong(format!("cannot listen for signals: {error}"))
}
