//! Recorded traffic, judged as if it were played.
//!
//! - In comes a HAR file or the journal of a check; out comes the same summary as of a run.
//! - Requests are put in order, callers are distinguished by their keys, and what the recording cannot show stays open.
//! - Never here: a request that is sent.

mod har;
mod journal;
mod judged;
mod known;
mod order;
mod parts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tideover_exchange::secrets::Secrets;
use tideover_exchange::{Prepared, Response};
use tideover_model::{OperationKind, Service, Timestamp};

pub use judged::{Judged, judge};

#[derive(Clone, Debug)]
pub struct Recording {
    /// The base URL of the service.
    pub target: String,
    /// The webhook receiver of the recording, whose address may not be public.
    pub inbox: Option<String>,
    /// The requests that can be judged, in cases. Each case is judged without the others.
    pub cases: Vec<Vec<Recorded>>,
    /// The `Authorization` headers that were accepted at least once, in order.
    pub accepted: Vec<String>,
    /// Whether actions may have forced hidden transitions.
    pub hastened: bool,
    /// The number of requests that cannot be judged, by reason.
    pub unjudged: BTreeMap<&'static str, u64>,
}

/// A request and its outcome.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub sent: Prepared,
    pub seen: Option<Response>,
    /// When it was sent.
    pub since: Timestamp,
    /// When the response came.
    pub now: Timestamp,
}

/// A file that cannot be judged. The user gives another.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct UnreadableRecording {
    path: PathBuf,
    problem: RecordingProblem,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
enum RecordingProblem {
    #[error(transparent)]
    Unreadable(#[from] std::io::Error),
    #[error("it is neither a HAR file nor a journal: {0}")]
    Neither(serde_json::Error),
    #[error("the file is empty")]
    Empty,
    #[error("line {line}: {source}")]
    Line { line: usize, source: serde_json::Error },
    #[error("line {line}: it has no {what}")]
    Missing { line: usize, what: &'static str },
    #[error("entry {index}: {problem}")]
    Entry { index: usize, problem: har::EntryProblem },
    #[error("no request to a path of /v1/ is in it")]
    NoRequest,
}

impl Recording {
    /// Reads a HAR file (HTTP Archive 1.2), or the journal of a check.
    pub fn read(path: &Path) -> Result<Recording, UnreadableRecording> {
        let path = path.to_owned();
        Recording::read_any(&path).map_err(|problem| UnreadableRecording { path, problem })
    }

    fn read_any(path: &Path) -> Result<Recording, RecordingProblem> {
        let text = std::fs::read_to_string(path)?;
        let is_journal = text.lines().next().is_some_and(|line| line.contains("\"tideover\""));
        let mut recording = if is_journal { journal::read(&text) } else { har::read(&text) }?;
        if recording.cases.iter().all(Vec::is_empty) && recording.unjudged.is_empty() {
            return Err(RecordingProblem::NoRequest);
        }
        recording.cases.iter_mut().flatten().for_each(rename_first_key);
        recording.accepted = accepted(&recording.cases);
        Ok(recording)
    }

    /// What no output may show.
    pub fn secrets(&self) -> Secrets {
        let mut secrets = Secrets::default();
        for Recorded { sent, seen, .. } in self.cases.iter().flatten() {
            secrets.keep_all_of_request(sent);
            if let Some(seen) =
                seen.as_ref().filter(|_| sent.kind() == Some(OperationKind::Subscribe))
            {
                secrets.keep_all_of_subscription(sent, seen);
            }
        }
        secrets
    }
}

/// Renames the key that the model starts with. In a recording it is a key like any other, known if it was accepted.
fn rename_first_key(recorded: &mut Recorded) {
    if let Some(header) = &mut recorded.sent.authorization {
        *header = header.replace(Service::FIRST_KEY, "first_sk_of_a_recording");
    }
}

/// The headers that were accepted at least once.
fn accepted(cases: &[Vec<Recorded>]) -> Vec<String> {
    let mut accepted: Vec<String> = Vec::new();
    for recorded in cases.iter().flatten() {
        let taken = recorded.seen.as_ref().is_some_and(|seen| {
            seen.status != 401 && seen.code() != Some("unknown_endpoint") && seen.json().is_some()
        });
        if let Some(header) = recorded.sent.authorization.as_ref().filter(|_| taken)
            && !accepted.contains(header)
        {
            accepted.push(header.clone());
        }
    }
    accepted
}
