//! The journal of a run: each request, written before it is sent, and then its response. It is a transcript with
//! responses.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tideover_model::{Timestamp, masked};

use crate::endpoint::Unanswered;
use crate::exchange::secrets::Secrets;
use crate::exchange::step::{Action, Call, Caller, Step};
use crate::exchange::transcript::Header;
use crate::exchange::{Prepared, PreparedAction, PreparedCall, Seen, withheld};
use crate::live::settings::Settings;

/// The file, with a line for all that was sent and came.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    last: u64,
}

/// A request, before it is sent.
#[derive(Serialize)]
struct Request<'a> {
    number: u64,
    case: u64,
    at: Timestamp,
    #[serde(flatten)]
    step: &'a Step,
}

/// What came of the request of a number.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JournalAnswer<'a> {
    answers: u64,
    at: Timestamp,
    took_micros: u64,
    #[serde(flatten)]
    came: Came<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Came<'a> {
    Seen(&'a Seen),
    Unanswered(&'a Unanswered),
}

impl Journal {
    /// Begins a file; that of the run before is kept beside it, as `….previous`.
    pub(super) fn create(path: &Path, header: &Header) -> io::Result<Journal> {
        if path.is_file() {
            std::fs::rename(path, previous(path))?;
        }
        let mut journal = Journal { file: File::create(path)?, last: 0 };
        journal.line(&header.written(), &Secrets::default())?;
        Ok(journal)
    }

    /// Writes a request down; its number. It is sent when the target's clock shows `at`, as far as that is known.
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
        self.line(&Request { number, case, at, step: &step }, secrets)?;
        Ok(number)
    }

    /// Writes the outcome of the request of this number.
    pub(super) fn answer(
        &mut self,
        at: Timestamp,
        number: u64,
        took: Duration,
        came: Result<&Seen, &Unanswered>,
        secrets: &Secrets,
    ) -> io::Result<()> {
        let came = match came {
            Ok(seen) => Came::Seen(seen),
            Err(unanswered) => Came::Unanswered(unanswered),
        };
        let took_micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.line(&JournalAnswer { answers: number, at, took_micros, came }, secrets)
    }

    /// One write: a line is there whole, whatever happens to this process next.
    fn line(&mut self, line: &impl Serialize, secrets: &Secrets) -> io::Result<()> {
        let mut text = serde_json::to_vec(&secrets.conceal_in(serde_json::to_value(line)?))?;
        text.push(b'\n');
        self.file.write_all(&text)
    }
}

/// Where the journal is kept that was at `path` before.
pub(crate) fn previous(path: &Path) -> PathBuf {
    let mut previous = path.as_os_str().to_owned();
    previous.push(".previous");
    previous.into()
}

/// What was sent, as a step that shows no key, no tax id and no account number.
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
            // What would not be written the same again, such as a field that stands twice, stays as it is.
            Ok(json) if serde_json::to_string(&json).is_ok_and(|again| again == text) => {
                written.body = Some(json);
            }
            Ok(_) | Err(_) => written.text = Some(text),
        },
        Err(_) => written.hex = Some(base16ct::lower::encode_string(call.body())),
    }
    written
}
