//! Recorded traffic, judged as if it were played.
//!
//! - In comes a HAR file or the journal of a check; out comes the same summary as of a run.
//! - Requests are put in order, callers are distinguished by their keys, and what the recording cannot show stays open.
//! - Never here: a request that is sent.

mod deliveries;
mod har;
mod journal;
mod judged;
mod known;
mod order;
mod parts;
mod seats;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tideover_exchange::secrets::Secrets;
use tideover_exchange::{Prepared, Response};
use tideover_model::{OperationKind, Service, Timestamp};

pub use deliveries::ObservedDelivery;
pub use har::{Read, UnreadableEntry, from_version, read_entry};
pub use judged::{Judge, Judged, PATIENCE, judge};
pub use order::ObservedRequest;

#[derive(Clone, Debug)]
pub struct Recording {
    /// The base URL of the service.
    pub target: String,
    /// The webhook receiver of the recording, whose address may not be public.
    pub inbox: Option<String>,
    pub traffic: Traffic,
    /// The attempts of deliveries that passed a `watch`.
    pub deliveries: Vec<ObservedDelivery>,
    /// The `Authorization` headers that were accepted at least once, in order.
    pub accepted: Vec<String>,
    /// Whether actions may have forced hidden transitions.
    pub hastened: bool,
    /// Whether the clock of the service was moved.
    pub clock_moves: bool,
    /// The number of requests that cannot be judged, by reason.
    pub unjudged: BTreeMap<&'static str, u64>,
}

/// The requests of a recording.
#[derive(Clone, Debug)]
pub enum Traffic {
    /// In order, in cases. Each case is judged without the others.
    InCases(Vec<Vec<Recorded>>),
    /// In one case, in no order: they may have overlapped.
    AsItCame(Vec<ObservedRequest>),
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
        if recording.traffic.all().is_empty() {
            return Err(RecordingProblem::NoRequest);
        }
        recording.traffic.all_mut().into_iter().for_each(rename_first_key);
        let accepted = recording.traffic.all().into_iter().filter(|one| is_accepted(one));
        let accepted: Vec<String> =
            accepted.filter_map(|one| one.sent.authorization.clone()).collect();
        recording.accepted = accepted;
        Ok(recording)
    }

    /// What no output may show.
    pub fn secrets(&self) -> Secrets {
        let mut secrets = Secrets::default();
        for Recorded { sent, seen, .. } in self.traffic.all() {
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

/// Whether the response shows that the key of the request was accepted.
fn is_accepted(recorded: &Recorded) -> bool {
    recorded.seen.as_ref().is_some_and(|seen| {
        let is_refused = seen.status == 401 || seen.code() == Some("unknown_endpoint");
        !is_refused && (seen.json().is_some() || seen.is_success())
    })
}

impl Traffic {
    fn all(&self) -> Vec<&Recorded> {
        match self {
            Traffic::InCases(cases) => cases.iter().flatten().collect(),
            Traffic::AsItCame(observed) => observed.iter().map(|one| &one.recorded).collect(),
        }
    }

    fn all_mut(&mut self) -> Vec<&mut Recorded> {
        match self {
            Traffic::InCases(cases) => cases.iter_mut().flatten().collect(),
            Traffic::AsItCame(observed) => {
                observed.iter_mut().map(|one| &mut one.recorded).collect()
            }
        }
    }
}
