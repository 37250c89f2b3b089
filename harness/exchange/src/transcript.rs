//! A run as a file of JSON Lines: a header, then a line for each step. It can be replayed on the bare model,
//! on the mock and on any base URL.

use std::fs;
use std::io;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tideover_model::{ImpossibleValue, Profile, Timestamp};

use crate::secrets::Secrets;
use crate::step::{Action, Call, Step};
use crate::{Arrival, Race, Response};

/// The format version that this program reads and writes.
const VERSION: u32 = 1;

/// The first line: the world in which the steps are played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    pub tideover: u32,
    /// What the transcript shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<String>,
    pub seed: u64,
    /// The clock at the start. It stands still until a step moves it.
    pub start: Timestamp,
    /// The profile. The file has only the differences from the standard profile.
    #[serde(default)]
    pub profile: Profile,
    /// The live endpoint that the run was played against, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveEndpoint>,
}

/// A live endpoint, which others use as well.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiveEndpoint {
    pub target: String,
    /// The prefix of every name that the run creates.
    pub run: String,
    /// Whether no identifier of a play was synced before it. A business of an earlier run may still have one
    /// of the user's tax ids.
    pub fresh: bool,
    /// The names of the extra headers of every request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    pub header: Header,
    /// The finding that the steps show, if a check wrote them. A replay must reproduce it.
    pub finding: Option<FindingName>,
    pub steps: Vec<Step>,
    /// Who sends which step, if they are a race.
    pub race: Option<Lanes>,
    /// What a file says of an earlier play of each step.
    pub recorded: Vec<Recorded>,
}

/// What a file says of an earlier play of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// The status of the response, if there was one.
    pub status: Option<u16>,
    /// Its body, if it was JSON.
    pub body: Option<Value>,
    /// The number of requests that arrived at the inbox.
    pub arrivals: usize,
}

/// What a finding has in common with every other finding of the same cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingName {
    /// A short name of the cause, stable from run to run.
    pub fingerprint: String,
    /// The clause that does not hold.
    pub clause: String,
    /// The operation, or the action of the operator port.
    pub operation: String,
    /// The field of the response, dotted.
    pub field: String,
}

/// Who sends which step of a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// The client of each step, from 1; 0 for a step that is sent alone.
    pub clients: Vec<usize>,
    /// The seed of the order in which a target in process carries out the requests.
    pub schedule: u64,
}

/// What happened when the steps were played.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlayedSteps<'a> {
    /// The time of each step, and its response, if there was one.
    pub answers: &'a [(Timestamp, Option<Response>)],
    /// What arrived at the inbox, with the index of the step that it arrived with.
    pub arrivals: &'a [(usize, Arrival)],
}

/// A played step, as a line of the file.
#[derive(Serialize)]
struct RecordedStep<'a> {
    #[serde(skip_serializing_if = "is_alone")]
    client: usize,
    #[serde(flatten)]
    step: &'a Step,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seen: Option<&'a Response>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    received: Vec<&'a Arrival>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_alone(client: &usize) -> bool {
    *client == 0
}

/// What the first line of a race says of it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RaceLine {
    schedule: u64,
}

/// Why a transcript file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableTranscript {
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    /// The line's number is from 1.
    #[error("{}, line {line}: {problem}", path.display())]
    Line { path: PathBuf, line: usize, problem: LineProblem },
}

/// What is wrong with a line, or with the CSV file that it names. Whoever wrote the file mends it, except for
/// [`LineProblem::Version`]: another release of Tideover reads that.
#[derive(Debug, thiserror::Error)]
pub enum LineProblem {
    #[error("the file is empty")]
    Empty,
    #[error("version {0} is not {VERSION}")]
    Version(u32),
    #[error("profile: {0}")]
    Profile(#[from] ImpossibleValue),
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error("{name}: {error}")]
    Field { name: &'static str, error: serde_json::Error },
    #[error("a step has a client, and the first line has no race")]
    NoRace,
    #[error("{0:?} is no HTTP method")]
    Method(String),
    #[error("the path {0:?} must start with / and have no segment of dots")]
    Path(String),
    #[error("csv: {0:?} is no plain name of a file in imports/")]
    CsvName(String),
    #[error("csv: {0}")]
    CsvFolder(io::Error),
    #[error("{}: {error}", path.display())]
    Csv { path: PathBuf, error: io::Error },
    #[error("{}: it is reached through a link, and none is followed here", .0.display())]
    CsvLink(PathBuf),
    #[error("{}: it is no regular file", .0.display())]
    NoCsvFile(PathBuf),
}

impl Header {
    /// Whether nothing that the steps name existed before the run.
    pub fn is_fresh(&self) -> bool {
        self.live.as_ref().is_none_or(|live| live.fresh)
    }

    /// The header of a run outside live endpoints.
    pub fn new(seed: u64, start: Timestamp, profile: Profile) -> Header {
        Header { tideover: VERSION, story: None, seed, start, profile, live: None }
    }

    /// The header as the file has it.
    pub fn written(&self) -> Value {
        let mut line = serde_json::to_value(self).unwrap_or_default();
        if let Some(fields) = line.as_object_mut() {
            let standard = serde_json::to_value(Profile::default()).unwrap_or_default();
            let difference = difference(&fields["profile"], &standard);
            fields
                .insert("profile".into(), difference.unwrap_or_else(|| Value::Object(Map::new())));
        }
        line
    }
}

/// The parts of `value` that differ from `standard`.
fn difference(value: &Value, standard: &Value) -> Option<Value> {
    match (value, standard) {
        (Value::Object(fields), Value::Object(standard)) => {
            let differing: Map<_, _> = fields
                .iter()
                .filter_map(|(name, value)| {
                    let standard = standard.get(name).unwrap_or(&Value::Null);
                    Some((name.clone(), difference(value, standard)?))
                })
                .collect();
            (!differing.is_empty()).then_some(Value::Object(differing))
        }
        _ => (value != standard).then(|| value.clone()),
    }
}

impl Transcript {
    /// Steps that are played one after the other in the world of `header`.
    pub fn new(header: Header, steps: Vec<Step>) -> Transcript {
        Transcript { header, finding: None, steps, race: None, recorded: Vec::new() }
    }

    /// Reads a file. A step that names a CSV file gets its text from `imports/` beside the file's folder.
    ///
    /// # Errors
    /// [`UnreadableTranscript`] with the file and the line.
    pub fn read(path: &Path) -> Result<Transcript, UnreadableTranscript> {
        let text = fs::read_to_string(path)
            .map_err(|error| UnreadableTranscript::File { path: path.to_owned(), error })?;
        let at = |line: usize, problem: LineProblem| UnreadableTranscript::Line {
            path: path.to_owned(),
            line: line + 1,
            problem,
        };
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (line, first) = lines.next().ok_or_else(|| at(0, LineProblem::Empty))?;
        let FirstLine { header, finding, race } =
            first_line(first).map_err(|problem| at(line, problem))?;
        if header.tideover != VERSION {
            return Err(at(line, LineProblem::Version(header.tideover)));
        }
        header.profile.check().map_err(|error| at(line, error.into()))?;
        let (mut steps, mut clients, mut recorded) = (Vec::new(), Vec::new(), Vec::new());
        for (line, text) in lines {
            let read = read_step(path, text).map_err(|problem| at(line, problem))?;
            let Some(StepRead { client, step, recorded: was }) = read else { continue };
            if client > 0 && race.is_none() {
                return Err(at(line, LineProblem::NoRace));
            }
            clients.push(client);
            steps.push(step);
            recorded.push(was);
        }
        let race = race.map(|RaceLine { schedule }| Lanes { clients, schedule });
        Ok(Transcript { header, finding, steps, race, recorded })
    }

    /// Writes a file: each step with its time, its response and what arrived with it, if it was played.
    /// `secrets` are masked.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(&self, path: &Path, played: PlayedSteps<'_>, secrets: &Secrets) -> io::Result<()> {
        let mut file = io::BufWriter::new(fs::File::create(path)?);
        writeln!(file, "{}", self.first_line()?)?;
        for (index, step) in self.steps.iter().enumerate() {
            let (at, seen) =
                played.answers.get(index).map(|(at, seen)| (*at, seen.as_ref())).unzip();
            let seen = seen.flatten();
            let received = played.arrivals.iter().filter(|(with, _)| *with == index);
            let received = received.map(|(_, arrival)| arrival).collect();
            let client = self.race.as_ref().and_then(|race| race.clients.get(index).copied());
            let client = client.unwrap_or(0);
            let line = serde_json::to_value(RecordedStep { client, step, at, seen, received })?;
            serde_json::to_writer(&mut file, &secrets.conceal_in(line))?;
            writeln!(file)?;
        }
        file.flush()
    }

    fn first_line(&self) -> serde_json::Result<Value> {
        let mut line = self.header.written();
        if let Some(finding) = &self.finding {
            line["finding"] = serde_json::to_value(finding)?;
        }
        if let Some(Lanes { schedule, .. }) = self.race {
            line["race"] = serde_json::to_value(RaceLine { schedule })?;
        }
        Ok(line)
    }

    /// The steps as a race, if they are one.
    pub fn as_race(&self) -> Option<Race> {
        let lanes = self.race.as_ref()?;
        Some(Race::of(lanes.clients.iter().copied().zip(self.steps.iter().cloned())))
    }
}

struct FirstLine {
    header: Header,
    finding: Option<FindingName>,
    race: Option<RaceLine>,
}

fn first_line(line: &str) -> Result<FirstLine, LineProblem> {
    let mut fields: Map<String, Value> = serde_json::from_str(line)?;
    let finding = take_field(&mut fields, "finding")?;
    let race = take_field(&mut fields, "race")?;
    Ok(FirstLine { header: serde_json::from_value(fields.into())?, finding, race })
}

fn take_field<T: serde::de::DeserializeOwned>(
    fields: &mut Map<String, Value>,
    name: &'static str,
) -> Result<Option<T>, LineProblem> {
    let value = fields.remove(name).map(serde_json::from_value).transpose();
    value.map_err(|error| LineProblem::Field { name, error })
}

struct StepRead {
    client: usize,
    step: Step,
    recorded: Recorded,
}

/// A step with its client, perhaps with its time, its response and what arrived with it. `None` for a line in
/// the journal of a live run that is no request.
fn read_step(transcript: &Path, line: &str) -> Result<Option<StepRead>, LineProblem> {
    let mut fields: Map<String, Value> = serde_json::from_str(line)?;
    if fields.contains_key("answers") || fields.contains_key("arrived") {
        return Ok(None);
    }
    let mut seen = fields.remove("seen").unwrap_or_default();
    let status = seen.get("status").and_then(Value::as_u64);
    let received = fields.remove("received");
    let recorded = Recorded {
        status: status.and_then(|status| u16::try_from(status).ok()),
        body: seen.get_mut("body").map(Value::take),
        arrivals: received.as_ref().and_then(Value::as_array).map_or(0, Vec::len),
    };
    for noted in ["at", "number", "case"] {
        fields.remove(noted);
    }
    let client = take_field(&mut fields, "client")?.unwrap_or(0);
    let mut step: Step = serde_json::from_value(fields.into())?;
    if let Action::Call(call) = &mut step.action {
        check_call(call)?;
        load_csv(transcript, call)?;
    }
    Ok(Some(StepRead { client, step, recorded }))
}

/// Refuses a request that no client can send.
fn check_call(Call { method, path, .. }: &Call) -> Result<(), LineProblem> {
    if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Err(LineProblem::Method(method.clone()));
    }
    if !path.starts_with('/') || path.split('/').any(|segment| matches!(segment, "." | "..")) {
        return Err(LineProblem::Path(path.clone()));
    }
    Ok(())
}

fn load_csv(transcript: &Path, call: &mut Call) -> Result<(), LineProblem> {
    let Some(name) = call.csv.take() else { return Ok(()) };
    let path = import_beside(transcript, &name)?;
    let bytes = fs::read(&path).map_err(|error| LineProblem::Csv { path, error })?;
    match String::from_utf8(bytes) {
        Ok(text) => call.text = Some(text),
        Err(error) => call.hex = Some(const_hex::encode(error.as_bytes())),
    }
    call.content_type.get_or_insert_with(|| "text/csv".into());
    Ok(())
}

/// The file of this name in `imports/`, beside the folder of the transcript. A transcript may come from anybody, and
/// what it names is sent to the target: it reaches no other file.
fn import_beside(transcript: &Path, name: &str) -> Result<PathBuf, LineProblem> {
    let mut parts = Path::new(name).components();
    let is_plain = matches!((parts.next(), parts.next()), (Some(Component::Normal(only)), None) if only == name);
    if !is_plain || name.contains(['/', '\\', ':']) {
        return Err(LineProblem::CsvName(name.to_owned()));
    }
    // A file in the working folder has an empty parent.
    let folder = transcript.parent().filter(|it| *it != Path::new("")).unwrap_or(Path::new("."));
    let base = fs::canonicalize(folder.join("..")).map_err(LineProblem::CsvFolder)?;
    let path = base.join("imports").join(name);
    match fs::canonicalize(&path) {
        Err(error) => Err(LineProblem::Csv { path, error }),
        Ok(found) if found != path => Err(LineProblem::CsvLink(path)),
        Ok(found) if !found.is_file() => Err(LineProblem::NoCsvFile(path)),
        Ok(found) => Ok(found),
    }
}
