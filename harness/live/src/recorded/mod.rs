//! Recorded traffic, judged as if it were played.
//!
//! - In comes a HAR file or the journal of a check; out comes the same summary as of a run.
//! - Requests are put in order, callers are distinguished by their keys, and what the recording cannot show stays open.
//! - Never here: a request that is sent.

mod familiar;
mod har;
mod journal;
mod judged;
mod order;
mod parts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tideover_exchange::secrets::Secrets;
use tideover_exchange::{Prepared, Response};
use tideover_model::{OperationKind, Service, Timestamp};

pub use judged::{Judged, judge};

/// What was recorded.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Where it went.
    pub target: String,
    /// The webhook receiver of the recording, whose address may not be public.
    pub inbox: Option<String>,
    /// The requests that can be judged, in cases. No case uses what another has shown.
    pub cases: Vec<Vec<Recorded>>,
    /// The `Authorization` headers that were accepted at least once, the first one first.
    pub accepted: Vec<String>,
    /// Whether actions may have forced hidden transitions.
    pub hastened: bool,
    /// How many requests cannot be judged, by why.
    pub unjudged: BTreeMap<&'static str, u64>,
}

/// A request and its outcome.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// What was sent.
    pub sent: Prepared,
    /// What was answered, if anything was.
    pub seen: Option<Response>,
    /// When it was sent.
    pub since: Timestamp,
    /// When the answer came.
    pub now: Timestamp,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct UnreadableRecording {
    path: PathBuf,
    problem: String,
}

impl Recording {
    /// Reads a HAR file (HTTP Archive 1.2), or the journal of a check.
    ///
    /// # Errors
    /// [`UnreadableRecording`] if it is neither, or holds no request of the API.
    pub fn read(path: &Path) -> Result<Recording, UnreadableRecording> {
        let unreadable = |problem: String| UnreadableRecording { path: path.to_owned(), problem };
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
        let is_journal = text.lines().next().is_some_and(|line| line.contains("\"tideover\""));
        let read = if is_journal { journal::read(&text) } else { har::read(&text) };
        let mut recording = read.map_err(unreadable)?;
        if recording.cases.iter().all(Vec::is_empty) && recording.unjudged.is_empty() {
            return Err(unreadable("no request to a path of /v1/ is in it".into()));
        }
        recording.cases.iter_mut().flatten().for_each(rename_first_key);
        recording.accepted = accepted(&recording.cases);
        Ok(recording)
    }

    /// What must not be printed of it.
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

/// In a recording, the key that the model starts with is one like any other: known if it was taken.
fn rename_first_key(recorded: &mut Recorded) {
    if let Some(header) = &mut recorded.sent.authorization {
        *header = header.replace(Service::FIRST_KEY, "first_sk_of_a_recording");
    }
}

/// The headers that were ever taken for a key's.
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
