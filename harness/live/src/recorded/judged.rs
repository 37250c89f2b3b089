//! Judges a recording.

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

use crate::recorded::known::{KnownEntities, identifiers_in};
use crate::recorded::parts::{Part, parts};
use crate::recorded::{Recorded, Recording};

/// The judgement of a recording.
#[derive(Debug)]
pub struct Judged {
    pub summary: Summary,
    /// The number of responses that some unknown state from before the recording may explain.
    pub unknown_before: u64,
}

/// Judges a recording. Whatever it names may have existed before, and anybody may have acted outside.
pub fn judge(recording: &Recording, profile: &Profile) -> Judged {
    let mut judged = Judged { summary: Summary::default(), unknown_before: 0 };
    for (case, recorded) in recording.cases.iter().enumerate() {
        let Some(first) = recorded.first() else { continue };
        let header = Header::new(0, first.since, profile.clone());
        judged.judge_case(recording, &header, case as u64, recorded);
    }
    if recording.hastened {
        judged.summary.lessons.forget_delays();
    }
    // Listeners that started over have counted a case more than once.
    judged.summary.cases = recording.cases.len() as u64;
    judged.summary.ending = Ending::Complete;
    judged
}

impl Judged {
    fn judge_case(
        &mut self,
        recording: &Recording,
        header: &Header,
        case: u64,
        requests: &[Recorded],
    ) {
        let keys = keys_in(requests, &recording.accepted);
        // Starts over before the request of an index: only what the operator did before is known.
        let start_at = |index: usize| {
            let (inbox, unknown) =
                (recording.inbox.as_deref(), (Outside::Open, PriorState::Anything));
            let mut listener = Listener::new(header, &keys, inbox, unknown);
            for (one, seen) in requests[..index].iter().filter_map(acted) {
                listener.recall(&one.sent, seen, one.now);
            }
            PartListener { listener, known: KnownEntities::default(), judged: Vec::new() }
        };
        let mut listeners =
            PartListeners { common: start_at(0), apart: BTreeMap::new(), closed: Vec::new() };
        for ((index, one), part) in requests.iter().enumerate().zip(parts(requests)) {
            let listener = listeners.of(part);
            if let Some(seen) = &one.seen
                && listener.listener.pass_over(
                    &one.sent,
                    (seen, one.now),
                    repeats(&requests[index..]),
                )
            {
                listener.judged.push(index);
                continue;
            }
            let mut findings = listener.judge(index, one);
            let mut is_explained = true;
            if !findings.is_empty() && !listener.known.cover(&one.sent) {
                // Perhaps the state before the recording was not as assumed, so the part starts over.
                findings = listeners.replace(part, start_at(index)).judge(index, one);
                is_explained = findings.is_empty();
            }
            if !is_explained {
                listeners.replace(part, start_at(index + 1));
                findings.retain(holds_whatever_was_before);
                findings.extend(contradictions_of(one));
                self.unknown_before += u64::from(findings.is_empty());
            }
            if is_explained
                && findings.is_empty()
                && let Some(seen) = &one.seen
            {
                listeners.of(part).known.learn(&one.sent, seen);
            }
            if !findings.is_empty() {
                self.summary.count_broken(&findings);
                self.summary.count(failure(header, case, requests, index, findings));
            }
            if let Some((one, seen)) = acted(one) {
                listeners.recall(one, seen);
            }
        }
        let steps = self.summary.steps + requests.len() as u64;
        for PartListener { listener, judged: order, .. } in listeners.all() {
            self.summary.add(&listener.conclude(), |at, found| {
                failure(header, case, requests, order[at], vec![found.clone()])
            });
        }
        // Several listeners may have judged a request.
        self.summary.steps = steps;
    }
}

/// Judges the requests of some parts, one after the other.
struct PartListener {
    listener: Listener,
    known: KnownEntities,
    /// The indexes of the requests that it has judged.
    judged: Vec<usize>,
}

/// The listeners of a case. Where a response shows that the state before the recording was not as assumed, only the
/// request's part starts over.
struct PartListeners {
    /// For all parts that have not started over.
    common: PartListener,
    /// One for each part that has.
    apart: BTreeMap<Part, PartListener>,
    /// Those that were replaced. Their findings still count.
    closed: Vec<PartListener>,
}

impl PartListener {
    fn judge(&mut self, index: usize, one: &Recorded) -> Vec<Finding> {
        self.judged.push(index);
        let findings = self.listener.listen(&one.sent, one.seen.as_ref(), one.since, one.now);
        // The document doesn't say what the operator may do.
        let is_call = matches!(one.sent.action, PreparedAction::Call(_));
        if is_call { findings } else { Vec::new() }
    }
}

impl PartListeners {
    fn of(&mut self, part: Part) -> &mut PartListener {
        self.apart.get_mut(&part).unwrap_or(&mut self.common)
    }

    /// Lets a part start over with a new listener.
    fn replace(&mut self, part: Part, listener: PartListener) -> &mut PartListener {
        if part == Part::Everything {
            let apart = std::mem::take(&mut self.apart).into_values();
            self.closed.extend(apart);
            self.closed.push(std::mem::replace(&mut self.common, listener));
            return &mut self.common;
        }
        self.closed.extend(self.apart.remove(&part));
        self.apart.entry(part).or_insert(listener)
    }

    /// Tells the listeners of single parts what the operator did; the common one has judged it.
    fn recall(&mut self, one: &Recorded, seen: &Response) {
        for apart in self.apart.values_mut() {
            apart.listener.recall(&one.sent, seen, one.now);
        }
    }

    fn all(self) -> impl Iterator<Item = PartListener> {
        self.closed.into_iter().chain(self.apart.into_values()).chain([self.common])
    }
}

/// The longest pause before a retry of a stale read. Seconds.
const PATIENCE: i64 = 10;

/// The responses to the same request, repeated with no other between and no pause longer than [`PATIENCE`].
fn repeats(requests: &[Recorded]) -> impl Iterator<Item = (Response, Timestamp)> {
    let is_repeat = |pair: &&[Recorded]| {
        pair[0].sent == pair[1].sent && pair[1].now.unix() - pair[0].now.unix() <= PATIENCE
    };
    let again = requests.windows(2).take_while(is_repeat).map(|pair| &pair[1]);
    again.filter_map(|next| Some((next.seen.clone()?, next.now)))
}

/// The accepted keys that a case uses, except those that the operator issued in it: that step says whose they are.
fn keys_in(requests: &[Recorded], accepted: &[String]) -> Vec<String> {
    let issued: Vec<&str> =
        requests.iter().filter_map(acted).filter_map(|(_, seen)| issued(seen)).collect();
    let is_used =
        |key: &&String| requests.iter().any(|one| one.sent.authorization.as_ref() == Some(key));
    let is_issued = |key: &&String| bearer(key).is_some_and(|key| issued.contains(&key));
    accepted.iter().filter(is_used).filter(|key| !is_issued(key)).cloned().collect()
}

/// A request to the operator port, and its response.
fn acted(one: &Recorded) -> Option<(&Recorded, &Response)> {
    let is_act = matches!(one.sent.action, PreparedAction::Act(_));
    Some((one, one.seen.as_ref().filter(|_| is_act)?))
}

/// The issued key in a response of the operator port.
fn issued(seen: &Response) -> Option<&str> {
    seen.success_body()?.get(field::KEY)?.as_str()
}

/// Where a response contradicts itself.
fn contradictions_of(one: &Recorded) -> Vec<Finding> {
    let within = |seen| contradictions_within(&Exchange::alone(&one.sent, seen, one.now));
    one.seen.as_ref().map_or_else(Vec::new, within)
}

/// Whether the response alone shows the finding.
fn holds_whatever_was_before(finding: &Finding) -> bool {
    finding.seen == ABSENT
        || is_of_another_type(finding)
        || finding.clause.name().starts_with("5.")
        || shows_in_an_answer(finding.clause)
        || is_a_status_of_its_own_code(finding)
}

/// The document states the status of each code, whatever the reason for the refusal.
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
    requests: &[Recorded],
    index: usize,
    findings: Vec<Finding>,
) -> Failure {
    let about = about(requests, index);
    let answers = about.iter().map(|one| (one.now, one.seen.clone()));
    Failure {
        case,
        steps_before: index + 1,
        probes: 0,
        is_small: false,
        reproduced: None,
        met: 1,
        regression: None,
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

/// The request of this index, and before it those with a response that name the same business or invoice.
fn about(recorded: &[Recorded], index: usize) -> Vec<&Recorded> {
    let names = identifiers_in(&recorded[index].sent);
    let before = recorded[..index].iter().filter(|one| {
        one.seen.is_some() && identifiers_in(&one.sent).iter().any(|name| names.contains(name))
    });
    before.chain([&recorded[index]]).collect()
}

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
