//! Judges traffic: a recording, or what comes while the judge runs.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::mem::discriminant;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde_json::Value;
use tideover_exchange::evidence::Ending;
use tideover_exchange::evidence::finding::Finding;
use tideover_exchange::step::{Action, Call, Caller, Step};
use tideover_exchange::target::Unreachable;
use tideover_exchange::transcript::{Header, Transcript};
use tideover_exchange::{Exchange, Prepared, PreparedAction, PreparedCall, Response};
use tideover_judge::checks::Notes;
use tideover_judge::checks::consistent::contradictions_within;
use tideover_judge::checks::registry::shows_in_an_answer;
use tideover_judge::{ABSENT, ANY_TEXT, OWN, SUCCESS, is_informative};
use tideover_model::wire::field;
use tideover_model::{Code, Destinations, Operation, Profile, Timestamp, bearer};
use tideover_suite::play::cases::{Failure, Summary};
use tideover_suite::play::shrink::{Probe, fewest};

use crate::recorded::deliveries::{Deliveries, Judgement, ObservedDelivery};
use crate::recorded::order::{ObservedRequest, Placed, Turn, Waiting, turns};
use crate::recorded::parts::{Part, Parts};
use crate::recorded::seats::{Beginning, Heard, Seats};
use crate::recorded::{Recorded, Recording, Traffic, is_accepted};

/// The judgement of traffic.
#[derive(Debug)]
pub struct Judged {
    pub summary: Summary,
    /// The number of responses that some unknown state from before the traffic may explain.
    pub unknown_before: u64,
    /// The number of requests that cannot be judged, by reason.
    pub unjudged: BTreeMap<&'static str, u64>,
    /// The number of attempts of deliveries that no secret signs which passed.
    pub unsigned: u64,
    /// The number of businesses that were forgotten, because the bounds of memory were reached.
    pub forgotten: usize,
}

impl Judged {
    /// What limits the value of the judgement, in sentences.
    pub fn warnings(&self) -> Vec<String> {
        let before =
            ("what was there before the recording would have to be known", self.unknown_before);
        let unjudged = self.unjudged.iter().map(|(why, count)| (*why, *count)).chain([before]);
        let unjudged = unjudged.filter(|(_, count)| *count > 0).map(|(why, count)| {
            let many = if count == 1 { "" } else { "s" };
            format!("{count} request{many} not judged: {why}")
        });
        let unsigned = (self.unsigned > 0).then(|| {
            let many = if self.unsigned == 1 { "y" } else { "ies" };
            format!(
                "{} deliver{many} not judged: no secret signs them that passed with its subscription",
                self.unsigned
            )
        });
        let forgotten = (self.forgotten > 0).then(|| {
            let many = if self.forgotten == 1 { "business" } else { "businesses" };
            format!(
                "what was known of {} {many} was forgotten, because it was more than the judge keeps",
                self.forgotten
            )
        });
        unjudged.chain(unsigned).chain(forgotten).collect()
    }
}

/// Judges a recording. Whatever it names may have existed before, and anybody may have acted outside; unless the traffic is
/// `alone`, also with its keys.
pub fn judge(recording: &Recording, profile: &Profile, alone: bool) -> Judged {
    let mut judge = Judge::new(profile, alone);
    judge.inbox.clone_from(&recording.inbox);
    judge.unjudged.clone_from(&recording.unjudged);
    judge.clock_moves = recording.clock_moves;
    judge.keyring.accepted.extend(recording.accepted.iter().cloned());
    match &recording.traffic {
        Traffic::InCases(cases) => cases.iter().for_each(|case| judge.judge_case(case)),
        Traffic::AsItCame(observed) => {
            judge.judge_as_it_came(observed.clone());
            judge.judge_deliveries(observed, &recording.deliveries);
        }
    }
    if recording.hastened {
        judge.hasten();
    }
    judge.conclude()
}

/// Judges one request after the other.
pub struct Judge {
    profile: Profile,
    inbox: Option<String>,
    /// Whether nobody else uses the keys.
    alone: bool,
    keyring: Keyring,
    /// The headers with keys that a case is known to use.
    keys: Vec<String>,
    waiting: Waiting,
    /// Requests that are in order, and whose responses may lag: a repeat shows it.
    pending: VecDeque<(Recorded, Part)>,
    parts: Parts,
    seats: Seats,
    /// What the beliefs of this case begin with; `None` before its first request.
    beginning: Option<Beginning>,
    /// What led to a finding.
    history: VecDeque<Arc<Heard>>,
    deliveries: Deliveries,
    /// The number of requests of this case that were judged.
    index: usize,
    case: u64,
    steps: u64,
    hastened: bool,
    /// Whether the clock of the service was moved: then no response says what time it is at the next one.
    clock_moves: bool,
    /// Whether it looks for the fewest exchanges of a finding. A judge that is asked whether some show it does not.
    shrinks: bool,
    summary: Summary,
    unknown_before: u64,
    unjudged: BTreeMap<&'static str, u64>,
    forgotten: usize,
}

/// What is known of the keys.
#[derive(Default)]
struct Keyring {
    /// The `Authorization` headers that were accepted at least once.
    accepted: BTreeSet<String>,
    /// The keys that the operator's answers show: such an answer says whose they are.
    issued: BTreeSet<String>,
}

impl Keyring {
    /// The header with the key of a request, if the key is known by now and was not issued by the operator.
    fn key_of(&mut self, one: &Recorded) -> Option<String> {
        let header = one.sent.authorization.as_ref()?;
        if is_accepted(one) && !self.accepted.contains(header) {
            self.accepted.insert(header.clone());
        }
        let is_issued = bearer(header).is_some_and(|key| self.issued.contains(key));
        (self.accepted.contains(header) && !is_issued).then(|| header.clone())
    }
}

/// The most requests that wait for others to end.
const MOST_WAITING: usize = 1000;

/// The most requests that a finding may be shown with.
const MOST_REMEMBERED: usize = 16_384;

/// The most requests in the evidence of one finding.
const MOST_SHOWN: usize = 200;

/// The longest pause before a retry of a stale read. Seconds.
pub const PATIENCE: i64 = 10;

impl Judge {
    /// `alone` says that nobody else uses the keys: all that they change is in the traffic.
    pub fn new(profile: &Profile, alone: bool) -> Judge {
        Judge {
            profile: profile.clone(),
            inbox: None,
            alone,
            keyring: Keyring::default(),
            keys: Vec::new(),
            waiting: Waiting::default(),
            pending: VecDeque::new(),
            parts: Parts::default(),
            seats: Seats::default(),
            beginning: None,
            history: VecDeque::new(),
            deliveries: Deliveries::default(),
            index: 0,
            case: 0,
            steps: 0,
            hastened: false,
            clock_moves: false,
            shrinks: true,
            summary: Summary::default(),
            unknown_before: 0,
            unjudged: BTreeMap::new(),
            forgotten: 0,
        }
    }

    /// Somebody may have forced hidden transitions, so that delays say nothing.
    pub fn hasten(&mut self) {
        self.hastened = true;
    }

    /// Somebody has moved the clock of the service.
    pub fn move_clock(&mut self) {
        self.clock_moves = true;
    }

    /// Takes a request that has ended. `horizon` is when the first of those was sent that are still under way. Returns the
    /// findings whose causes are new.
    pub fn take(&mut self, one: ObservedRequest, horizon: Option<Timestamp>) -> Vec<Failure> {
        self.deliveries.learn(&one.recorded);
        self.waiting.push(one);
        // Without a bound, a request that never ends would stop the judge.
        let horizon = horizon.filter(|_| self.waiting.len() <= MOST_WAITING);
        let released = self.waiting.released(horizon);
        self.judge_released_at_once(released)
    }

    /// Takes an attempt of a delivery that has ended. Returns the findings whose causes are new.
    pub fn take_delivery(&mut self, delivery: &ObservedDelivery) -> Option<Failure> {
        let Judgement { notes, made } = self.deliveries.hear(delivery, self.alone)?;
        let Notes { met, findings, .. } = notes;
        self.summary.met.add(&met);
        if findings.is_empty() {
            return None;
        }
        self.summary.count_broken(&findings);
        let heard = Arc::new(Heard::new(made));
        let shown = Failure { is_small: true, ..self.failure(&heard, 1, findings) };
        let arrivals = vec![(shown.answers.len() - 1, delivery.arrival.clone())];
        self.summary.count(Failure { arrivals, ..shown }).cloned()
    }

    /// The same, where nobody knows what follows. The request that shows that a key was good may be released with one that
    /// is refused for it.
    fn judge_released_at_once(&mut self, mut released: Vec<ObservedRequest>) -> Vec<Failure> {
        for one in &released {
            self.keyring.key_of(&one.recorded);
        }
        released.iter_mut().for_each(|one| one.doubt_refused_key(&self.keyring.accepted));
        self.judge_released(released)
    }

    /// No repeat has come for [`PATIENCE`] seconds: what waits for one is judged without.
    pub fn stop_waiting(&mut self) -> Vec<Failure> {
        self.judge_pending(true)
    }

    /// The number of businesses that were forgotten so far.
    pub fn forgotten(&self) -> usize {
        self.forgotten
    }

    /// Counts a request that is not judged, for a reason that is not in it.
    pub fn leave_out(&mut self, why: &'static str) {
        *self.unjudged.entry(why).or_default() += 1;
    }

    /// The number of requests that cannot be judged so far.
    pub fn unjudged(&self) -> u64 {
        self.unjudged.values().sum::<u64>() + self.unknown_before
    }

    pub fn conclude(mut self) -> Judged {
        let released = self.waiting.released(None);
        self.judge_released_at_once(released);
        self.end_case();
        if self.hastened {
            self.summary.lessons.forget_delays();
        }
        // Beliefs that started over have counted a case, or a request, more than once.
        self.summary.cases = self.case;
        self.summary.steps = self.steps;
        self.summary.ending = Ending::Complete;
        let Judge { summary, unknown_before, unjudged, forgotten, deliveries, .. } = self;
        Judged { summary, unknown_before, unjudged, unsigned: deliveries.unsigned, forgotten }
    }

    /// Judges requests as if they came now, one after the other.
    fn judge_as_it_came(&mut self, mut observed: Vec<ObservedRequest>) {
        observed.sort_by_key(ObservedRequest::since);
        let mut observed = observed.into_iter().peekable();
        while let Some(one) = observed.next() {
            self.waiting.push(one);
            let released = self.waiting.released(observed.peek().map(ObservedRequest::since));
            self.judge_released(released);
        }
    }

    /// Judges the deliveries of traffic, each after the exchanges that had ended before it ended.
    fn judge_deliveries(&mut self, observed: &[ObservedRequest], deliveries: &[ObservedDelivery]) {
        let mut exchanges: Vec<&Recorded> = observed.iter().map(|one| &one.recorded).collect();
        exchanges.sort_by_key(|one| one.now);
        let mut deliveries: Vec<&ObservedDelivery> = deliveries.iter().collect();
        deliveries.sort_by_key(|delivery| delivery.now);
        let mut exchanges = exchanges.into_iter().peekable();
        for delivery in deliveries {
            while let Some(one) = exchanges.next_if(|one| one.now <= delivery.now) {
                self.deliveries.learn(one);
            }
            self.take_delivery(delivery);
        }
    }

    /// Judges a case, whose requests are in order, without the others.
    fn judge_case(&mut self, requests: &[Recorded]) {
        self.keys = keys_in(requests, &self.keyring.accepted);
        for one in requests {
            let place = self.parts.place(one);
            self.seats.join(&place.joined, place.part);
            self.take_turn(Turn::Judge(Box::new(one.clone()), place.part));
        }
        self.end_case();
    }

    fn end_case(&mut self) {
        self.judge_pending(true);
        self.seats.close_all();
        self.add_closed();
        self.case += u64::from(self.index > 0);
        (self.parts, self.beginning, self.index) = (Parts::default(), None, 0);
        self.history.clear();
    }

    fn judge_released(&mut self, released: Vec<ObservedRequest>) -> Vec<Failure> {
        let mut placed: Vec<Placed> = Vec::with_capacity(released.len());
        for one in released {
            let place = self.parts.place(&one.recorded);
            self.seats.join(&place.joined, place.part);
            for (_, part) in placed.iter_mut().filter(|(_, part)| place.joined.contains(part)) {
                *part = place.part;
            }
            placed.push((one, place.part));
        }
        turns(placed).into_iter().flat_map(|turn| self.take_turn(turn)).collect()
    }

    fn take_turn(&mut self, turn: Turn) -> Vec<Failure> {
        match turn {
            Turn::Judge(one, part) => {
                self.pending.push_back((*one, part));
                self.judge_pending(false)
            }
            Turn::Leave(why) => {
                *self.unjudged.entry(why).or_default() += 1;
                Vec::new()
            }
            Turn::Forget(part) => {
                let failures = self.judge_pending(true);
                self.seats.forget(part);
                failures
            }
        }
    }

    /// Judges what need not wait for a repeat; all of it if none will come.
    fn judge_pending(&mut self, is_last: bool) -> Vec<Failure> {
        let mut failures = Vec::new();
        while let Some(lags) = self.whether_first_lags(is_last) {
            let Some((one, part)) = self.pending.pop_front() else { break };
            failures.extend(self.judge_one(one, part, lags));
        }
        failures
    }

    /// Whether the first pending response lags; `None` if a repeat may still show it, or if nothing is pending.
    fn whether_first_lags(&self, is_last: bool) -> Option<bool> {
        let (one, part) = self.pending.front()?;
        let Some(seat) = self.seats.known(*part).filter(|seat| seat.may_lag(one)) else {
            return Some(false);
        };
        let again = self.pending.iter().zip(self.pending.iter().skip(1));
        let again = again.take_while(|((one, _), (next, _))| is_repeat(one, next));
        let repeats: Vec<&Recorded> = again.map(|(_, (next, _))| next).collect();
        let shows = |next: &&Recorded| {
            let seen = next.seen.as_ref().filter(|seen| is_informative(seen));
            seen.is_some_and(|seen| seat.shows_lag(&one.sent, seen, next.now))
        };
        if repeats.iter().any(shows) {
            return Some(true);
        }
        let is_over = is_last || repeats.len() + 1 < self.pending.len();
        is_over.then_some(false)
    }

    fn judge_one(&mut self, one: Recorded, part: Part, lags: bool) -> Option<Failure> {
        let heard = Arc::new(Heard::new(one));
        let one = &heard.one;
        self.index += 1;
        self.steps += 1;
        self.remember(&heard);
        let beginning = self.beginning.get_or_insert_with(|| Beginning {
            header: Header::new(0, one.since, self.profile.clone()),
            inbox: self.inbox.clone(),
            alone: self.alone,
            keys: self.keys.clone(),
            acts: Vec::new(),
        });
        let key = self.keyring.key_of(one);
        let key = key.as_deref();
        let seat = self.seats.of(part, key, beginning);
        if lags {
            seat.pass_over(&heard);
            self.seats.count(part, &heard);
            return None;
        }
        if self.clock_moves {
            seat.forget_clock();
        }
        let mut findings = seat.judge(&heard);
        let found = findings.len();
        findings.retain(|finding| !is_of_whose_account(finding));
        self.unknown_before += u64::from(findings.is_empty() && found > 0);
        let mut is_explained = true;
        if !findings.is_empty() && !seat.known.cover(&one.sent) {
            // Perhaps the state before the traffic was not as assumed, so the part starts over.
            findings = self.seats.start_over(part, key, beginning).judge(&heard);
            is_explained = findings.is_empty();
        }
        self.seats.count(part, &heard);
        if !is_explained {
            self.seats.start_over(part, key, beginning);
            findings.retain(|finding| holds_whatever_was_before(finding, &one.sent));
            findings.extend(contradictions_of(one));
            self.unknown_before += u64::from(findings.is_empty());
        }
        if is_explained
            && findings.is_empty()
            && let Some(seen) = &one.seen
        {
            self.seats.of(part, key, beginning).known.learn(&one.sent, seen);
        }
        if part == Part::Everything {
            // Nobody knows what it has changed.
            self.seats.forget(part);
        }
        if is_act(one) {
            self.recall(part, one);
        }
        let found = (!findings.is_empty()).then(|| {
            self.summary.count_broken(&findings);
            self.failure(&heard, self.index, findings)
        });
        let found = found.and_then(|failure| self.count_and_shrink(failure, &heard));
        let forgotten = self.seats.stay_within_bounds(part, &mut self.parts);
        self.forgotten += forgotten;
        self.add_closed();
        found
    }

    /// Remembers what the operator did for the beliefs that have not judged it.
    fn recall(&mut self, judged_by: Part, act: &Recorded) {
        self.seats.recall(judged_by, act);
        self.keyring.issued.extend(act.seen.as_ref().and_then(issued).map(str::to_owned));
        self.beginning.iter_mut().for_each(|beginning| beginning.acts.push(act.clone()));
    }

    /// Counts a failure. Returns it if its cause is new, with the fewest exchanges that show it.
    fn count_and_shrink(&mut self, failure: Failure, heard: &Arc<Heard>) -> Option<Failure> {
        let finding = failure.finding().clone();
        self.summary.count(failure)?;
        let few = self.shrinks.then(|| self.fewest(heard, &finding)).flatten();
        let failure = self.summary.failures.last_mut()?;
        if let Some((few, probes)) = few {
            failure.answers = few.iter().map(|one| (one.now, one.seen.clone())).collect();
            failure.transcript.steps = few.iter().map(|one| step(&one.sent)).collect();
            (failure.is_small, failure.probes) = (true, probes);
        }
        Some(failure.clone())
    }

    /// The fewest exchanges that show a finding by themselves, whatever was before, and how often a judge was asked.
    /// `None` if those about its names do not: then it rests on more than a reader can be shown.
    fn fewest(&self, heard: &Arc<Heard>, finding: &Finding) -> Option<(Vec<Recorded>, usize)> {
        let about: Vec<Recorded> = self.about(heard).into_iter().cloned().collect();
        let mut asked = Asked { judge: self, finding, probes: 0 };
        if !asked.is_shown_by(&about) {
            return None;
        }
        // The judge never waits.
        let polled = pin!(fewest(about, &mut asked)).poll(&mut Context::from_waker(Waker::noop()));
        match polled {
            Poll::Ready(Ok(few)) => Some((few, asked.probes)),
            Poll::Ready(Err(_)) | Poll::Pending => None,
        }
    }

    fn remember(&mut self, heard: &Arc<Heard>) {
        self.history.push_back(Arc::clone(heard));
        if self.history.len() > MOST_REMEMBERED {
            self.history.pop_front();
        }
    }

    /// Adds what the closed beliefs have seen to the summary.
    fn add_closed(&mut self) {
        for seat in std::mem::take(&mut self.seats.closed) {
            let (played, judged) = seat.conclude();
            let mut summary = std::mem::take(&mut self.summary);
            summary
                .add(&played, |at, found| self.failure(&judged[at], at + 1, vec![found.clone()]));
            self.summary = summary;
        }
    }

    fn failure(&self, heard: &Arc<Heard>, steps_before: usize, findings: Vec<Finding>) -> Failure {
        let about = self.about(heard);
        let answers = about.iter().map(|one| (one.now, one.seen.clone()));
        let header = self.beginning.as_ref().map(|beginning| beginning.header.clone());
        let header =
            header.unwrap_or_else(|| Header::new(0, heard.one.since, self.profile.clone()));
        Failure {
            case: self.case,
            steps_before,
            probes: 0,
            is_small: false,
            reproduced: None,
            met: 1,
            regression: None,
            unplayed: Vec::new(),
            findings,
            answers: answers.collect(),
            transcript: Transcript::new(header, about.iter().map(|one| step(&one.sent)).collect()),
            arrivals: Vec::new(),
            raced: Vec::new(),
            is_known: false,
        }
    }

    /// A request, and before it those with a response that name the same business or invoice.
    fn about<'a>(&'a self, heard: &'a Arc<Heard>) -> Vec<&'a Recorded> {
        let is_about = |other: &&Arc<Heard>| {
            other.one.seen.is_some() && other.names.iter().any(|name| heard.names.contains(name))
        };
        let before = self.history.iter().take_while(|other| !Arc::ptr_eq(other, heard));
        let before: Vec<&Recorded> = before.filter(is_about).map(|other| &other.one).collect();
        let shown = before.len().saturating_sub(MOST_SHOWN);
        before.into_iter().skip(shown).chain([&heard.one]).collect()
    }
}

/// Asks a judge that knows nothing else whether exchanges show a finding.
struct Asked<'a> {
    judge: &'a Judge,
    finding: &'a Finding,
    probes: usize,
}

impl Asked<'_> {
    fn is_shown_by(&mut self, exchanges: &[Recorded]) -> bool {
        let Judge { profile, alone, inbox, keyring, clock_moves, .. } = self.judge;
        self.probes += 1;
        let mut judge = Judge::new(profile, *alone);
        judge.clock_moves = *clock_moves;
        judge.inbox.clone_from(inbox);
        judge.keyring.accepted.clone_from(&keyring.accepted);
        judge.shrinks = false;
        judge.judge_case(exchanges);
        judge.summary.failures.iter().any(|failure| failure.finding().is_same(self.finding))
    }
}

impl Probe<Recorded> for Asked<'_> {
    async fn still_fails(&mut self, exchanges: &[Recorded]) -> Result<bool, Unreachable> {
        Ok(self.is_shown_by(exchanges))
    }
}

/// Whether a request is the one before again, after no longer pause than a retry of a stale read.
fn is_repeat(one: &Recorded, next: &Recorded) -> bool {
    one.sent == next.sent && next.now.unix() - one.now.unix() <= PATIENCE
}

/// The accepted keys that a case uses, except those that the operator issued in it: that step says whose they are.
fn keys_in(requests: &[Recorded], accepted: &BTreeSet<String>) -> Vec<String> {
    let acts = requests.iter().filter(|one| is_act(one));
    let issued: Vec<&str> = acts.filter_map(|one| one.seen.as_ref()).filter_map(issued).collect();
    let is_issued = |key: &&str| bearer(key).is_some_and(|key| issued.contains(&key));
    let used = requests.iter().filter_map(|one| one.sent.authorization.as_deref());
    let mut keys: Vec<String> = Vec::new();
    for key in used.filter(|key| accepted.contains(*key)).filter(|key| !is_issued(key)) {
        if !keys.iter().any(|known| known == key) {
            keys.push(key.to_owned());
        }
    }
    keys
}

/// Whether this is a request to the operator port.
fn is_act(one: &Recorded) -> bool {
    one.seen.is_some() && matches!(one.sent.action, PreparedAction::Act(_))
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

/// Whether a business shows the account of another one: a tax id that did not pass may have made them one before, or in
/// requests that are not judged.
fn is_of_whose_account(finding: &Finding) -> bool {
    finding.field.starts_with(field::REMITTANCE) && finding.expected == OWN
}

/// Whether the request and its response alone show the finding.
fn holds_whatever_was_before(finding: &Finding, sent: &Prepared) -> bool {
    finding.seen == ABSENT
        || is_of_another_type(finding)
        || finding.clause.name().starts_with("5.")
        || shows_in_an_answer(finding.clause)
        || is_a_status_of_its_own_code(finding)
        || is_of_the_request(finding) && !subscribes_here(sent)
}

/// Whether a request subscribes a receiver on the machine of the service, which a service under test may allow.
fn subscribes_here(sent: &Prepared) -> bool {
    match sent.taken().call().and_then(PreparedCall::operation) {
        Some(Operation::Subscribe { url, .. }) => {
            let is_fit = |there: Destinations| there.judge(url, &[]).is_ok();
            is_fit(Destinations::Local) && !is_fit(Destinations::Public)
        }
        _ => false,
    }
}

/// Whether the request alone decides how it is answered: it is accepted although its form is wrong, or leads where nothing
/// may be sent, or it is refused although its form is right.
fn is_of_the_request(finding: &Finding) -> bool {
    let code = |text: &str| Code::parse(text.rsplit(' ').next()?);
    // What is too large is not stated.
    let is_of_form = |code: &Code| code.is_of_form() && *code != Code::PayloadTooLarge;
    let (expected, seen) = (code(&finding.expected), code(&finding.seen));
    let is_refusable = |code: &Code| is_of_form(code) || *code == Code::DestinationRefused;
    finding.is_outcome()
        && match seen {
            Some(seen) => is_of_form(&seen) && !expected.as_ref().is_some_and(is_of_form),
            None => {
                finding.seen.starts_with(SUCCESS) && expected.as_ref().is_some_and(is_refusable)
            }
        }
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
