//! A run as a file of JSON Lines: a header and a line per step. It replays on the bare model, on the mock
//! and on any base URL.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tideover_model::{Profile, Timestamp};

use crate::exchange::Seen;
use crate::exchange::secrets::Secrets;
use crate::exchange::step::{Action, Call, Step};

/// The form that this version writes and reads.
const VERSION: u32 = 1;

/// The first line: in which world the steps are played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The version of the form.
    pub tideover: u32,
    /// What the transcript shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<String>,
    /// The seed of the world's choices.
    pub seed: u64,
    /// When the clock starts; it stands still until a step moves it.
    pub start: Timestamp,
    /// What differs from the standard profile.
    #[serde(default)]
    pub profile: Profile,
    /// The endpoint that it is played against, if that is not a world of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Endpoint>,
}

/// A live endpoint, in which others are as well.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
    /// Its base URL.
    pub target: String,
    /// What everything that the run makes is named after.
    pub run: String,
    /// Whether no identifier of a play was synced before it. A tax id of the user's may be held by a
    /// business of an earlier run all the same.
    pub fresh: bool,
    /// The names of the headers that went with every request besides those of the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
}

/// A run.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    /// In which world.
    pub header: Header,
    /// What is done.
    pub steps: Vec<Step>,
}

/// A step as it was played: the line that is written.
#[derive(Serialize)]
struct Recorded<'a> {
    #[serde(flatten)]
    step: &'a Step,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seen: Option<&'a Seen>,
}

/// What is wrong with a transcript file.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It cannot be read.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// A line is not what it should be.
    #[error("{}, line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

impl Header {
    /// Whether nothing that the steps name was there before.
    pub fn is_fresh(&self) -> bool {
        self.live.as_ref().is_none_or(|live| live.fresh)
    }

    /// A world.
    pub fn new(seed: u64, start: Timestamp, profile: Profile) -> Header {
        Header { tideover: VERSION, story: None, seed, start, profile, live: None }
    }

    /// What is written of it.
    pub(crate) fn written(&self) -> Value {
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

/// What of `value` is not the same in `standard`.
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
    /// Reads a file. A step that names a CSV file gets its text from `imports/` beside the file's folder.
    ///
    /// # Errors
    /// [`Unreadable`] with the file and the line.
    pub fn read(path: &Path) -> Result<Transcript, Unreadable> {
        let text = fs::read_to_string(path)
            .map_err(|error| Unreadable::File { path: path.to_owned(), error })?;
        let at = |line: usize, problem: String| Unreadable::Line {
            path: path.to_owned(),
            line: line + 1,
            problem,
        };
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (line, first) = lines.next().ok_or_else(|| at(0, "the file is empty".into()))?;
        let header: Header = parse(first).map_err(|problem| at(line, problem))?;
        if header.tideover != VERSION {
            let problem = format!("version {} is not {VERSION}", header.tideover);
            return Err(at(line, problem));
        }
        header.profile.check().map_err(|error| at(line, format!("profile: {error}")))?;
        let mut steps = Vec::new();
        for (line, text) in lines {
            let Some(mut step) = parse_step(text).map_err(|problem| at(line, problem))? else {
                continue;
            };
            check_call(&step).map_err(|problem| at(line, problem))?;
            load_csv(path, &mut step).map_err(|problem| at(line, problem))?;
            steps.push(step);
        }
        Ok(Transcript { header, steps })
    }

    /// Writes a file: each step with when it was played and what was answered, as far as it was, without `secrets`.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(
        &self,
        path: &Path,
        played: &[(Timestamp, Option<Seen>)],
        secrets: &Secrets,
    ) -> std::io::Result<()> {
        let mut file = std::io::BufWriter::new(fs::File::create(path)?);
        writeln!(file, "{}", self.header.written())?;
        for (index, step) in self.steps.iter().enumerate() {
            let (at, seen) = played.get(index).map(|(at, seen)| (*at, seen.as_ref())).unzip();
            let seen = seen.flatten();
            let line = serde_json::to_value(Recorded { step, at, seen })?;
            serde_json::to_writer(&mut file, &secrets.conceal_in(line))?;
            writeln!(file)?;
        }
        file.flush()
    }
}

fn parse<T: serde::de::DeserializeOwned>(line: &str) -> Result<T, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

/// A line is a step, perhaps with when it was played and what was answered; in the journal of a live run
/// the answer has a line of its own, which is no step.
fn parse_step(line: &str) -> Result<Option<Step>, String> {
    let mut fields: Map<String, Value> = parse(line)?;
    if fields.contains_key("answers") {
        return Ok(None);
    }
    for recorded in ["at", "seen", "number", "case"] {
        fields.remove(recorded);
    }
    serde_json::from_value(Value::Object(fields)).map(Some).map_err(|error| error.to_string())
}

/// What no client could send as it stands.
fn check_call(step: &Step) -> Result<(), String> {
    let Action::Call(call) = &step.action else { return Ok(()) };
    let Call { method, path, .. } = call;
    if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Err(format!("{method:?} is no HTTP method"));
    }
    if !path.starts_with('/') || path.split('/').any(|segment| matches!(segment, "." | "..")) {
        return Err(format!("the path {path:?} must start with / and have no segment of dots"));
    }
    Ok(())
}

fn load_csv(transcript: &Path, step: &mut Step) -> Result<(), String> {
    let Action::Call(call) = &mut step.action else { return Ok(()) };
    let Some(name) = call.csv.take() else { return Ok(()) };
    let folder = transcript.parent().and_then(Path::parent).unwrap_or(Path::new("."));
    let path = folder.join("imports").join(&name);
    let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    match String::from_utf8(bytes) {
        Ok(text) => call.text = Some(text),
        Err(error) => call.hex = Some(base16ct::lower::encode_string(error.as_bytes())),
    }
    call.content_type.get_or_insert_with(|| "text/csv".into());
    Ok(())
}

/// When a world starts by default.
pub const START: &str = "2026-01-01T00:00:00Z";

/// [`START`] as an instant.
pub fn start() -> Timestamp {
    Timestamp::parse(START).expect("a date-time")
}
