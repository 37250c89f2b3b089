//! The judgement of a recording.

use std::collections::BTreeMap;
use std::mem::discriminant;

use serde_json::Value;
use tideover_exchange::evidence::Ending;
use tideover_exchange::evidence::finding::Finding;
use tideover_exchange::step::{Action, Call, Caller, Step};
use tideover_exchange::transcript::{Header, Transcript};
use tideover_exchange::{Exchange, Prepared, PreparedAction, Response};
use tideover_judge::checks::consistent::contradictions_within;
use tideover_judge::checks::registry::shows_in_an_answer;
use tideover_judge::{ABSENT, ANY_TEXT, Outside, PriorState};
use tideover_model::wire::field;
use tideover_model::{Profile, Timestamp, bearer};
use tideover_suite::play::case::Listener;
use tideover_suite::play::cases::{Failure, Summary};

use crate::recorded::familiar::{Familiar, names};
use crate::recorded::parts::{Part, parts};
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
            Ear { listener, familiar: Familiar::default(), heard: Vec::new() }
        };
        let mut ears = Ears { common: anew(0), apart: BTreeMap::new(), closed: Vec::new() };
        for ((index, one), part) in heard.iter().enumerate().zip(parts(heard)) {
            let ear = ears.of(part);
            if let Some(seen) = &one.seen
                && ear.listener.pass_over(&one.sent, (seen, one.now), asked_again(&heard[index..]))
            {
                ear.heard.push(index);
                continue;
            }
            let mut findings = ear.hear(index, one);
            let mut is_explained = true;
            if !findings.is_empty() && !ear.familiar.has_all_of(&one.sent) {
                // What was taken to be there before was not.
                findings = ears.forget(part, anew(index)).hear(index, one);
                is_explained = findings.is_empty();
            }
            if !is_explained {
                ears.forget(part, anew(index + 1));
                findings.retain(holds_whatever_was_before);
                findings.extend(contradictions_of(one));
                self.unknown_before += u64::from(findings.is_empty());
            }
            if is_explained
                && findings.is_empty()
                && let Some(seen) = &one.seen
            {
                ears.of(part).familiar.learn(&one.sent, seen);
            }
            if !findings.is_empty() {
                self.summary.count_broken(&findings);
                self.summary.count(failure(header, case, heard, index, findings));
            }
            if let Some((one, seen)) = acted(one) {
                ears.recall(one, seen);
            }
        }
        let steps = self.summary.steps + heard.len() as u64;
        for Ear { listener, heard: order, .. } in ears.all() {
            self.summary.add(&listener.conclude(), |at, found| {
                failure(header, case, heard, order[at], vec![found.clone()])
            });
        }
        // However often a request was listened to.
        self.summary.steps = steps;
    }
}

/// Someone who listens to requests.
struct Ear {
    listener: Listener,
    familiar: Familiar,
    /// The indexes of the requests.
    heard: Vec<usize>,
}

/// Who listens to which part of a recording. Where a response shows that the state before the recording was not as it
/// was taken to be, only what belongs to its part is forgotten.
struct Ears {
    /// Listens to every part of which nothing was forgotten.
    common: Ear,
    /// Listens to one part each, since something of it was forgotten.
    apart: BTreeMap<Part, Ear>,
    /// Those who do not listen any more.
    closed: Vec<Ear>,
}

impl Ear {
    fn hear(&mut self, index: usize, one: &Recorded) -> Vec<Finding> {
        self.heard.push(index);
        hear(&mut self.listener, one)
    }
}

impl Ears {
    /// Who listens to a part.
    fn of(&mut self, part: Part) -> &mut Ear {
        self.apart.get_mut(&part).unwrap_or(&mut self.common)
    }

    /// Forgets what is known of a part: from now on, `ear` listens to it.
    fn forget(&mut self, part: Part, ear: Ear) -> &mut Ear {
        if part == Part::Everything {
            let apart = std::mem::take(&mut self.apart).into_values();
            self.closed.extend(apart);
            self.closed.push(std::mem::replace(&mut self.common, ear));
            return &mut self.common;
        }
        self.closed.extend(self.apart.remove(&part));
        self.apart.entry(part).or_insert(ear)
    }

    /// Tells all others what the operator was seen to do.
    fn recall(&mut self, one: &Recorded, seen: &Response) {
        for ear in self.apart.values_mut() {
            ear.listener.recall(&one.sent, seen, one.now);
        }
    }

    /// Everyone who has listened.
    fn all(self) -> impl Iterator<Item = Ear> {
        self.closed.into_iter().chain(self.apart.into_values()).chain([self.common])
    }
}

/// How long a stale read may be retried. Seconds.
const PATIENCE: i64 = 10;

/// The answers to the same request, sent again at once and for some seconds.
fn asked_again(heard: &[Recorded]) -> impl Iterator<Item = (Response, Timestamp)> {
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
fn acted(one: &Recorded) -> Option<(&Recorded, &Response)> {
    let is_act = matches!(one.sent.action, PreparedAction::Act(_));
    Some((one, one.seen.as_ref().filter(|_| is_act)?))
}

/// The key that the operator port has issued.
fn issued(seen: &Response) -> Option<&str> {
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
        let value =
            if text == ANY_TEXT { Some(text.into()) } else { serde_json::from_str(text).ok() };
        let value = value.filter(|value: &Value| !value.is_null());
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
        unplayed: Vec::new(),
        findings,
        answers: answers.collect(),
        transcript: Transcript::new(
            header.clone(),
            about.iter().map(|one| step(&one.sent)).collect(),
        ),
        arrivals: Vec::new(),
        raced: Vec::new(),
        is_known: false,
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
