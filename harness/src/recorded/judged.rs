//! What is concluded of a recording.

use serde_json::Value;
use tideover_model::Profile;

use crate::judge::{Before, Outside};
use crate::recorded::{Recorded, Recording};
use crate::report::document::Ending;
use crate::run::Listener;
use crate::step::{Action, Call, Caller, Step};
use crate::suite::{Failure, Summary};
use crate::target::{Prepared, PreparedAction};
use crate::transcript::{Header, Transcript};

/// Judges a recording: whatever it names may have been known before, and anybody may have moved the world outside.
pub fn judge(recording: &Recording, profile: &Profile) -> Summary {
    let mut summary = Summary::default();
    for (case, recorded) in recording.cases.iter().enumerate() {
        let Some(first) = recorded.first() else { continue };
        let header = Header::new(0, first.since, profile.clone());
        let (accepted, inbox) = (&recording.accepted, recording.inbox.as_deref());
        let standing = (Outside::Open, Before::Anything);
        let mut listener = Listener::new(&header, accepted, inbox, standing);
        for (index, one) in recorded.iter().enumerate() {
            let findings = listener.listen(&one.sent, one.seen.as_ref(), one.since, one.now);
            // What the operator may do, the document doesn't say.
            let is_asked = matches!(one.sent.action, PreparedAction::Call(_));
            if is_asked && !findings.is_empty() {
                let about = about(recorded, index);
                summary.count(Failure {
                    case: case as u64,
                    steps_before: index + 1,
                    probes: 0,
                    met: 1,
                    findings,
                    answers: about.iter().map(|one| (one.now, one.seen.clone())).collect(),
                    transcript: Transcript {
                        header: header.clone(),
                        steps: about.iter().map(|one| step(&one.sent)).collect(),
                    },
                    arrivals: Vec::new(),
                });
            }
        }
        summary.add(&listener.conclude());
    }
    summary.ending = Ending::Complete;
    summary
}

/// What was answered before about the same business or invoice, and the request of this index.
fn about(recorded: &[Recorded], index: usize) -> Vec<&Recorded> {
    let names = names(&recorded[index].sent);
    let before = recorded[..index].iter().filter(|one| {
        one.seen.is_some() && self::names(&one.sent).iter().any(|name| names.contains(name))
    });
    before.chain([&recorded[index]]).collect()
}

/// What a request names: the last parts of its path, and identifiers in its body.
fn names(sent: &Prepared) -> Vec<String> {
    let PreparedAction::Call(call) = &sent.action else { return Vec::new() };
    let parts =
        call.path.split('/').skip(3).map(|part| {
            percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned()
        });
    let fixed = ["invoices", "imports", "payout-account"];
    let mut names: Vec<String> = parts.filter(|part| !fixed.contains(&&**part)).collect();
    let body: Value = serde_json::from_slice(&call.body).unwrap_or_default();
    for path in ["/externalId", "/payeeExternalId", "/invoiceExternalId", "/payee/externalId"] {
        names.extend(body.pointer(path).and_then(Value::as_str).map(str::to_owned));
    }
    names
}

/// A request as a step.
fn step(sent: &Prepared) -> Step {
    let action = match &sent.action {
        PreparedAction::Call(call) => {
            let mut written = Call::bare(&call.method, &*call.path);
            written.content_type.clone_from(&call.content_type);
            match serde_json::from_slice(&call.body) {
                _ if call.body.is_empty() => {}
                Ok(json) => written.body = Some(json),
                Err(_) => written.text = Some(String::from_utf8_lossy(&call.body).into_owned()),
            }
            Action::Call(written)
        }
        PreparedAction::Act(fields) => Action::Act(fields.clone()),
        PreparedAction::Advance(seconds) => Action::Advance(*seconds),
        PreparedAction::Deliveries => Action::Deliveries,
    };
    let caller = if sent.authorization.is_some() { Caller::Default } else { Caller::Nobody };
    Step { caller, ..Step::new(action) }
}
