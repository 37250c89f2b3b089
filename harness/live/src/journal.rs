//! The log of every request, written before it is sent, of its response, and of every webhook. It has the lines
//! of a transcript, for each step another line with the response, and a line for each webhook.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tideover_exchange::secrets::Secrets;
use tideover_exchange::step::{Action, Call, Caller, Step};
use tideover_exchange::target::Unanswered;
use tideover_exchange::transcript::Header;
use tideover_exchange::{Arrival, Prepared, PreparedAction, PreparedCall, Response, withheld};
use tideover_model::{Timestamp, masked};

use crate::settings::Settings;

/// The file, with a line for each request and each response.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    last: u64,
}

#[derive(Serialize)]
struct RequestLine<'a> {
    number: u64,
    case: u64,
    at: Timestamp,
    #[serde(flatten)]
    step: &'a Step,
}

/// The line of a response, or of its absence. `answers` is the number of the request.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultLine<'a> {
    answers: u64,
    at: Timestamp,
    took_micros: u64,
    #[serde(flatten)]
    came: RequestResult<'a>,
}

#[derive(Serialize)]
struct ArrivalLine<'a> {
    arrived: &'a Arrival,
    case: u64,
    at: Timestamp,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum RequestResult<'a> {
    #[serde(rename = "seen")]
    Response(&'a Response),
    Unanswered(&'a Unanswered),
}

impl Journal {
    /// Creates the file. The file of the previous run is kept as `….previous`.
    pub(super) fn create(path: &Path, header: &Header) -> io::Result<Journal> {
        if path.is_file() {
            std::fs::rename(path, previous(path))?;
        }
        let mut journal = Journal { file: File::create(path)?, last: 0 };
        journal.line(&header.written(), &Secrets::default())?;
        Ok(journal)
    }

    /// Logs a request and returns its number. `at` is the target's time as far as it is known.
    pub(super) fn request(
        &mut self,
        at: Timestamp,
        (settings, secrets): (&Settings, &Secrets),
        case: u64,
        sent: &Prepared,
    ) -> io::Result<u64> {
        let step = concealed(settings, sent);
        self.last += 1;
        let number = self.last;
        self.line(&RequestLine { number, case, at, step: &step }, secrets)?;
        Ok(number)
    }

    /// Logs the result of the request with this number.
    pub(super) fn answer(
        &mut self,
        at: Timestamp,
        number: u64,
        took: Duration,
        came: Result<&Response, &Unanswered>,
        secrets: &Secrets,
    ) -> io::Result<()> {
        let came = match came {
            Ok(seen) => RequestResult::Response(seen),
            Err(unanswered) => RequestResult::Unanswered(unanswered),
        };
        let took_micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.line(&ResultLine { answers: number, at, took_micros, came }, secrets)
    }

    /// Logs a webhook of a case, with the target's time as far as it is known.
    pub(super) fn arrival(
        &mut self,
        at: Timestamp,
        case: u64,
        arrived: &Arrival,
        secrets: &Secrets,
    ) -> io::Result<()> {
        self.line(&ArrivalLine { arrived, case, at }, secrets)
    }

    /// Writes a line in one call, so that a crash leaves no partial line.
    fn line(&mut self, line: &impl Serialize, secrets: &Secrets) -> io::Result<()> {
        let mut text = serde_json::to_vec(&secrets.conceal_in(serde_json::to_value(line)?))?;
        text.push(b'\n');
        self.file.write_all(&text)
    }
}

/// The path to which a previous journal at `path` is moved.
pub fn previous(path: &Path) -> PathBuf {
    let mut previous = path.as_os_str().to_owned();
    previous.push(".previous");
    previous.into()
}

/// A sent step without keys, tax ids and account numbers.
fn concealed(settings: &Settings, sent: &Prepared) -> Step {
    let own = format!("Bearer {}", settings.key.reveal());
    let caller = match sent.authorization.as_deref() {
        None => Caller::Nobody,
        Some(header) if header == own => Caller::Default,
        Some(header) => match header.strip_prefix("Bearer ") {
            Some(key) => Caller::Key(masked(key)),
            None => Caller::Header(header.to_owned()),
        },
    };
    let action = match &sent.action {
        PreparedAction::Call(call) => Action::Call(concealed_call(settings, call)),
        PreparedAction::Act(fields) => match withheld(&Value::Object(fields.clone())) {
            Value::Object(fields) => Action::Act(fields),
            _ => Action::Act(fields.clone()),
        },
        PreparedAction::Advance(seconds) => Action::Advance(*seconds),
        PreparedAction::Deliveries => Action::Deliveries,
    };
    Step { caller, ..Step::new(action) }
}

fn concealed_call(settings: &Settings, call: &PreparedCall) -> Call {
    let mut written = Call::bare(&call.method, &*call.path);
    written.content_type.clone_from(&call.content_type);
    match std::str::from_utf8(call.body()).map(|text| settings.conceal(text)) {
        _ if call.body().is_empty() => {}
        Ok(text) => match serde_json::from_str::<Value>(&text) {
            // JSON that doesn't survive a round trip, such as a duplicate field, stays text.
            Ok(json) if serde_json::to_string(&json).is_ok_and(|written| written == text) => {
                written.body = Some(json);
            }
            Ok(_) | Err(_) => written.text = Some(text),
        },
        Err(_) => written.hex = Some(const_hex::encode(&call.body()[..])),
    }
    written
}
