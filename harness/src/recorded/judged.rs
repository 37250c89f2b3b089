//! The judgement of a recording.

use std::mem::{discriminant, replace};

use serde_json::Value;
use tideover_model::wire::field;
use tideover_model::{Profile, Timestamp, bearer};

use crate::evidence::Ending;
use crate::evidence::finding::Finding;
use crate::exchange::step::{Action, Call, Caller, Step};
use crate::exchange::transcript::{Header, Transcript};
use crate::exchange::{Exchange, Prepared, PreparedAction, Seen};
use crate::judge::checks::consistent::contradictions_within;
use crate::judge::checks::registry::shows_in_an_answer;
use crate::judge::{ABSENT, Outside, PriorState};
use crate::play::case::Listener;
use crate::play::cases::{Failure, Summary};
use crate::recorded::familiar::{Familiar, names};
use crate::recorded::{Recorded, Recording};

/// What is concluded of a recording.
#[derive(Debug)]
pub struct Judged {
    /// What came of it.
    pub summary: Summary,
    /// How many responses state from before the recording may explain, which nothing shows.
    pub unknown_before: u64,
}

/// Judges a recording: whatever it names may have been known before, and anybody may have moved the world outside.
pub fn judge(recording: &Recording, profile: &Profile) -> Judged {
    let mut judged = Judged { summary: Summary::default(), unknown_before: 0 };
    for (case, recorded) in recording.cases.iter().enumerate() {
        let Some(first) = recorded.first() else { continue };
        let header = Header::new(0, first.since, profile.clone());
        judged.listen(recording, &header, case as u64, recorded);
    }
    if recording.hastened {
        judged.summary.lessons.forget_delays();
    }
    // However often it was begun anew.
    judged.summary.cases = recording.cases.len() as u64;
    judged.summary.ending = Ending::Complete;
    judged
}

impl Judged {
    fn listen(&mut self, recording: &Recording, header: &Header, case: u64, heard: &[Recorded]) {
        let keys = keys_in(heard, &recording.accepted);
        // Who listens from an index on.
        let anew = |from: usize| {
            let (inbox, unknown) =
                (recording.inbox.as_deref(), (Outside::Open, PriorState::Anything));
            let mut listener = Listener::new(header, &keys, inbox, unknown);
            for (one, seen) in heard[..from].iter().filter_map(acted) {
                listener.recall(&one.sent, seen, one.now);
            }
            listener
        };
        let (mut listener, mut familiar) = (anew(0), Familiar::default());
        // With which index each listener began.
        let mut begun = 0;
        let shown = |index: usize, found: &Finding| {
            failure(header, case, heard, index, vec![found.clone()])
        };
        for (index, one) in heard.iter().enumerate() {
            if let Some(seen) = &one.seen
                && listener.pass_over(&one.sent, (seen, one.now), asked_again(&heard[index..]))
            {
                continue;
            }
            let mut findings = hear(&mut listener, one);
            let mut is_explained = true;
            if !findings.is_empty() && !familiar.has_all_of(&one.sent) {
                // What was taken to be there before was not: all of it is forgotten.
                let before = replace(&mut listener, anew(index));
                self.forget(before, |at, found| shown(begun + at, found));
                begun = index;
                familiar = Familiar::default();
                findings = hear(&mut listener, one);
                is_explained = findings.is_empty();
            }
            if !is_explained {
                let before = replace(&mut listener, anew(index + 1));
                self.forget(before, |at, found| shown(begun + at, found));
                begun = index + 1;
                findings.retain(holds_whatever_was_before);
                findings.extend(contradictions_of(one));
                self.unknown_before += u64::from(findings.is_empty());
            }
            match &one.seen {
                Some(seen) if is_explained && findings.is_empty() => {
                    familiar.learn(&one.sent, seen)
                }
                _ => {}
            }
            if !findings.is_empty() {
                self.summary.steps += 1;
                self.summary.count_broken(&findings);
                self.summary.count(failure(header, case, heard, index, findings));
            }
        }
        self.summary.add(&listener.conclude(), |at, found| shown(begun + at, found));
    }

    /// Counts what was heard, but for the last of it.
    fn forget(&mut self, listener: Listener, shown: impl Fn(usize, &Finding) -> Failure) {
        let mut played = listener.conclude();
        played.answers.pop();
        self.summary.add(&played, shown);
    }
}

/// How long a stale read may be retried. Seconds.
const PATIENCE: i64 = 10;

/// The answers to the same request, sent again at once and for some seconds.
fn asked_again(heard: &[Recorded]) -> impl Iterator<Item = (Seen, Timestamp)> {
    let first = &heard[0];
    let again = heard[1..].iter().take_while(|next| {
        next.sent == first.sent && next.now.unix() - first.now.unix() <= PATIENCE
    });
    again.filter_map(|next| Some((next.seen.clone()?, next.now)))
}

/// The keys that a case uses, of those that were ever accepted. The step that issues a key says whose it is.
fn keys_in(heard: &[Recorded], accepted: &[String]) -> Vec<String> {
    let issued: Vec<&str> =
        heard.iter().filter_map(acted).filter_map(|(_, seen)| issued(seen)).collect();
    let is_used =
        |key: &&String| heard.iter().any(|one| one.sent.authorization.as_ref() == Some(key));
    let is_issued = |key: &&String| bearer(key).is_some_and(|key| issued.contains(&key));
    accepted.iter().filter(is_used).filter(|key| !is_issued(key)).cloned().collect()
}

/// What the operator port was asked to do, and its answer.
fn acted(one: &Recorded) -> Option<(&Recorded, &Seen)> {
    let is_act = matches!(one.sent.action, PreparedAction::Act(_));
    Some((one, one.seen.as_ref().filter(|_| is_act)?))
}

/// The key that the operator port has issued.
fn issued(seen: &Seen) -> Option<&str> {
    seen.success_body()?.get(field::KEY)?.as_str()
}

fn hear(listener: &mut Listener, one: &Recorded) -> Vec<Finding> {
    let findings = listener.listen(&one.sent, one.seen.as_ref(), one.since, one.now);
    // What the operator may do, the document doesn't say.
    let is_asked = matches!(one.sent.action, PreparedAction::Call(_));
    if is_asked { findings } else { Vec::new() }
}

/// What an answer contradicts of itself.
fn contradictions_of(one: &Recorded) -> Vec<Finding> {
    let within = |seen| contradictions_within(&Exchange::alone(&one.sent, seen, one.now));
    one.seen.as_ref().map_or_else(Vec::new, within)
}

/// Whether an answer alone shows it.
fn holds_whatever_was_before(finding: &Finding) -> bool {
    finding.seen == ABSENT
        || is_of_another_type(finding)
        || finding.clause.name().starts_with("5.")
        || shows_in_an_answer(finding.clause)
        || is_a_status_of_its_own_code(finding)
}

/// The status of a code is stated, whatever was the reason for it.
fn is_a_status_of_its_own_code(finding: &Finding) -> bool {
    finding.field == "status" && finding.clause.name().starts_with("7.codes.")
}

fn is_of_another_type(finding: &Finding) -> bool {
    let type_of = |text: &str| {
        let value = serde_json::from_str(text).ok().filter(|value: &Value| !value.is_null());
        value.map(|value| discriminant(&value))
    };
    let (expected, seen) = (type_of(&finding.expected), type_of(&finding.seen));
    expected.zip(seen).is_some_and(|(expected, seen)| expected != seen)
}

fn failure(
    header: &Header,
    case: u64,
    heard: &[Recorded],
    index: usize,
    findings: Vec<Finding>,
) -> Failure {
    let about = about(heard, index);
    let answers = about.iter().map(|one| (one.now, one.seen.clone()));
    Failure {
        case,
        steps_before: index + 1,
        probes: 0,
        is_small: false,
        reproduced: None,
        met: 1,
        findings,
        answers: answers.collect(),
        transcript: Transcript::new(
            header.clone(),
            about.iter().map(|one| step(&one.sent)).collect(),
        ),
        arrivals: Vec::new(),
        raced: Vec::new(),
    }
}

/// What was answered before about the same business or invoice, and the request of this index.
fn about(recorded: &[Recorded], index: usize) -> Vec<&Recorded> {
    let names = names(&recorded[index].sent);
    let before = recorded[..index].iter().filter(|one| {
        one.seen.is_some() && self::names(&one.sent).iter().any(|name| names.contains(name))
    });
    before.chain([&recorded[index]]).collect()
}

/// A request as a step.
fn step(sent: &Prepared) -> Step {
    let action = match &sent.action {
        PreparedAction::Call(call) => {
            let mut written = Call::bare(&call.method, &*call.path);
            written.content_type.clone_from(&call.content_type);
            match call.body().json() {
                _ if call.body().is_empty() => {}
                Some(json) => written.body = Some(json.clone()),
                None => written.text = Some(String::from_utf8_lossy(call.body()).into_owned()),
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
