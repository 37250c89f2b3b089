//! The test of a finding, in no language yet.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tideover_exchange::renaming::{Renaming, TAX_IDS};
use tideover_exchange::step::{Action, Caller, Step};
use tideover_exchange::target::{INBOX, ModelTarget, Target, service};
use tideover_exchange::transcript::{FindingName, Header, Transcript};
use tideover_exchange::{HttpForm, Memory, Prepared, PreparedAction, PreparedCall, Response};
use tideover_live::facilities::OTHER;
use tideover_model::clause::Kind;
use tideover_model::wire::schema::{Role, in_requests};
use tideover_model::{Clause, Face, Happening, Operation, OperationKind, Outcome, PlatformId};
use tideover_prove::right::right_service;

use crate::export::Unexportable;
use crate::export::assertion::{Assertion, Seen, at};
use crate::export::text::Template;
use crate::mark::{marked, with_plain_marks};
use crate::title;

/// The longest body of a test. Bytes.
const MOST_BYTES: usize = 20_000;

/// The run in names. It becomes a variable of the test; no name has it otherwise.
const RUN: &str = "xrunx";

/// The first digits of a tax id, which are the same in every run: who gives out the numbers knows them. All others differ.
const TAX_ID_START: usize = 2;

/// A test that sends requests and asserts something of the last response.
#[derive(Clone, Debug)]
pub(super) struct TestPlan {
    pub(super) finding: FindingName,
    /// What the clause says, and where the document says it.
    pub(super) wording: String,
    pub(super) place: String,
    pub(super) requests: Vec<Request>,
    pub(super) assertion: Assertion,
    /// The expected value as JSON text, if the assertion has one.
    pub(super) expected: Option<Template>,
    pub(super) tax_ids: Vec<Digits>,
    pub(super) uses_inbox: bool,
    pub(super) uses_other_key: bool,
}

/// A variable of a test that has so many digits: a part of a tax id that no separator divides, however it is spelled.
#[derive(Clone, Debug)]
pub(super) struct Digits {
    pub(super) variable: String,
    pub(super) count: usize,
}

/// A request of a test.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// The step in a few words.
    pub(super) title: String,
    pub(super) kind: Option<OperationKind>,
    /// The identifiers in its path, decoded, if it asks for an operation.
    pub(super) identifiers: Vec<Template>,
    pub(super) method: String,
    pub(super) path: Template,
    /// Whether it goes to the operator port.
    pub(super) is_for_operator: bool,
    pub(super) authorization: Option<Template>,
    pub(super) content_type: Option<String>,
    pub(super) body: Template,
    /// Whether it must succeed for the last response to mean anything: it did so when the finding was seen.
    pub(super) must_succeed: bool,
    /// What later requests take from its response: a variable, and the way to the value.
    pub(super) takes: Vec<(String, Vec<String>)>,
}

impl TestPlan {
    pub(super) async fn of(transcript: &Transcript) -> Result<TestPlan, Unexportable> {
        let (finding, clause) = exportable(transcript)?;
        let hidden = || Unexportable::NotInTheResponse { clause: finding.clause.clone() };
        let names = Names::of(transcript, RUN);
        let (_, plain) = modelled(transcript, &Names::default()).await;
        let (sent, right) = modelled(transcript, &names).await;
        let last = transcript.recorded.last().ok_or_else(hidden)?;
        let seen = Seen { status: last.status.ok_or_else(hidden)?, body: last.body.clone() };
        let of = |responses: &[Response]| Assertion::of(&finding.field, responses.last()?, &seen);
        // In the names of the check, what the service said can be compared; in those of the test it is written.
        of(&plain).ok_or_else(hidden)?;
        let assertion = of(&right).ok_or_else(hidden)?;
        let others = Others::of(transcript, &right).await;
        others.agree(&finding.field, &assertion, &names, &seen).then_some(()).ok_or_else(hidden)?;
        let requests = Requests { transcript, names: &names, sent: &sent, right: &right };
        let (requests, tax_ids) = requests.made()?;
        let expected = match &assertion {
            Assertion::Field { value, .. } => {
                Some(Template::of(&names.in_text(&value.to_string(), &tax_ids.spelled)))
            }
            _ => None,
        };
        Ok(TestPlan {
            wording: clause.wording().to_owned(),
            place: clause.place().to_owned(),
            uses_inbox: requests.iter().any(|it| it.uses("INBOX")),
            uses_other_key: requests.iter().any(|it| it.uses("OTHER_KEY")),
            tax_ids: tax_ids.digits,
            finding,
            requests,
            assertion,
            expected,
        })
    }
}

impl Request {
    fn uses(&self, variable: &str) -> bool {
        let all = [Some(&self.path), self.authorization.as_ref(), Some(&self.body)];
        all.into_iter().flatten().any(|text| text.variables().contains(variable))
    }
}

/// The finding of a transcript and its clause, unless no test can show it.
fn exportable(transcript: &Transcript) -> Result<(FindingName, Clause), Unexportable> {
    let finding = transcript.finding.clone().ok_or(Unexportable::NoFinding)?;
    let clause = Clause::all().find(|clause| clause.name() == finding.clause);
    let clause = clause.ok_or_else(|| Unexportable::NoClause(finding.clause.clone()))?;
    if matches!(clause.kind(), Kind::Assumed { .. }) {
        return Err(Unexportable::Assumption(finding.clause));
    }
    if transcript.race.is_some() {
        return Err(Unexportable::Race);
    }
    let own = |step: &Step| serde_json::to_string(step).is_ok_and(|it| it.contains("${own."));
    if let Some(index) = transcript.steps.iter().position(own) {
        return Err(Unexportable::OwnValues(index + 1));
    }
    match transcript.steps.iter().position(needs_a_receiver) {
        Some(index) => Err(Unexportable::Receiver(index + 1)),
        None => Ok((finding, clause)),
    }
}

/// How the names of a transcript become those of a test.
#[derive(Clone, Debug, Default)]
struct Names {
    renaming: Option<Renaming>,
    /// What stands for the run in a name.
    run: String,
}

impl Names {
    fn of(transcript: &Transcript, run: &str) -> Names {
        let has_run =
            |step: &Step| serde_json::to_string(step).is_ok_and(|it| it.contains("${run}"));
        match transcript.steps.iter().any(has_run) {
            true => Names { renaming: None, run: run.to_owned() },
            false => {
                Names { renaming: Some(Renaming::new(RUN, 0, TAX_IDS)), run: format!("{RUN}0") }
            }
        }
    }

    /// What steps can refer to, beside what `memory` has.
    fn known(&self, memory: Memory) -> Memory {
        let memory = memory.knowing("run", Value::from(&*self.run));
        match &self.renaming {
            Some(renaming) => memory.renaming(renaming.clone()),
            None => memory,
        }
    }

    /// A text with the run and the tax ids as variables.
    fn in_text(&self, text: &str, tax_ids: &[(String, String)]) -> String {
        let text = text.replace(&self.run, &marked("RUN"));
        tax_ids.iter().fold(text, |text, (spelled, written)| text.replace(spelled, written))
    }
}

/// Whether a subscription needs a receiver that does not simply accept: a user's does.
fn needs_a_receiver(step: &Step) -> bool {
    let written = serde_json::to_string(step).unwrap_or_default();
    written
        .split("${inbox}")
        .skip(1)
        .any(|rest| !rest.starts_with("/accepts") && !rest.starts_with('"'))
}

/// What is sent, and what the model answers, in the world of a transcript.
async fn modelled(transcript: &Transcript, names: &Names) -> (Vec<Prepared>, Vec<Response>) {
    let Header { profile, seed, start, .. } = transcript.header.clone();
    let mut service = service(profile, seed, INBOX);
    let issue = Happening::IssueKey { platform: Some(OTHER.into()) };
    let issued = service.happen(start, PlatformId::DEFAULT, issue);
    let target = ModelTarget::over(service, start);
    let memory = match issued {
        Ok(Outcome::KeyIssued { key, .. }) => {
            target.memory().knowing(OTHER, json!({ "key": key.to_string() }))
        }
        _ => target.memory(),
    };
    played(transcript, target, names.known(memory), |_, _| false).await
}

/// Plays the steps of a transcript. `again` says of a request and its index whether it is sent some times more, because the
/// target may fail once or be late.
async fn played(
    transcript: &Transcript,
    mut target: impl Target,
    mut memory: Memory,
    again: impl Fn(usize, (&Prepared, &Response)) -> bool,
) -> (Vec<Prepared>, Vec<Response>) {
    let (mut sent, mut seen) = (Vec::new(), Vec::new());
    for (index, step) in transcript.steps.iter().enumerate() {
        let prepared = Prepared::from_step(step, &memory, target.api_key());
        let Ok(mut response) = target.send(&prepared).await else { break };
        for _ in 0..RETRIES {
            if !again(index, (&prepared, &response)) {
                break;
            }
            match target.send(&prepared).await {
                Ok(again) => response = again,
                Err(_) => break,
            }
        }
        let _ = target.arrivals().await;
        memory.keep(step, response.json());
        sent.push(prepared);
        seen.push(response);
    }
    (sent, seen)
}

/// How often a step is sent again to a service that may fail or be late.
const RETRIES: usize = 3;

/// Other right services, drawn by seed: each with its own profile, and with liberties that the document leaves. What they
/// answer differently, the document does not demand.
struct Others(Vec<(Names, Vec<Response>)>);

/// How many other services there are. What one in ten of them answers otherwise shows in nearly all draws.
const OTHERS: u64 = 60;

/// How much later every second of them is asked: a test is run again in a year. Seconds.
const LATER: u64 = 400 * 86_400;

impl Others {
    /// `right` is what the model answers: where it fails, a step asks for the failure.
    async fn of(transcript: &Transcript, right: &[Response]) -> Others {
        let fails = |index: usize| right.get(index).is_some_and(|it| it.status >= 500);
        let may_differ = |index: usize, (sent, seen): (&Prepared, &Response)| {
            let reads = sent.call().is_some_and(|call| call.method == "GET");
            (seen.status >= 500 || reads) && !fails(index)
        };
        let mut others = Vec::new();
        for seed in 0..OTHERS {
            let Ok(mut target) = right_service(seed).await else { continue };
            let names = Names::of(transcript, &format!("x{seed}y"));
            let memory = names.known(target.memory()).starting(transcript.header.start);
            if seed % 2 == 1 {
                let action = PreparedAction::Advance(LATER);
                let _ = target.send(&Prepared { authorization: None, action }).await;
            }
            let (_, seen) = played(transcript, target, memory, may_differ).await;
            // One that fails by itself, or that is asked too often, says nothing.
            let is_silent = |(index, one): (usize, &Response)| {
                one.status >= 500 && !fails(index) || one.status == 429
            };
            if !seen.iter().enumerate().any(is_silent) {
                others.push((names, seen));
            }
        }
        Others(others)
    }

    /// Whether each of them answers what is asserted, in its own names. `field` is where the finding is.
    fn agree(&self, field: &str, asserted: &Assertion, names: &Names, seen: &Seen) -> bool {
        let plain = |assertion: &Assertion, names: &Names| match assertion {
            Assertion::Field { way, value } => {
                format!("{way:?} {}", names.in_text(&value.to_string(), &[]))
            }
            other => format!("{other:?}"),
        };
        let wanted = plain(asserted, names);
        let are_many = self.0.len() as u64 > OTHERS / 2;
        are_many
            && self.0.iter().all(|(names, answered)| {
                let own = answered.last().and_then(|last| Assertion::of(field, last, seen));
                own.is_some_and(|own| plain(&own, names) == wanted)
            })
    }
}

/// The tax ids of a test.
#[derive(Default)]
struct TaxIds {
    digits: Vec<Digits>,
    /// What follows the first digits, in each spelling, and the same with variables.
    spelled: Vec<(String, String)>,
}

impl TaxIds {
    /// Those of the spellings of each number, by its digits.
    fn of(numbers: &BTreeMap<String, BTreeSet<String>>) -> TaxIds {
        let mut tax_ids = TaxIds::default();
        for (number, spellings) in (1..).zip(numbers.values()) {
            tax_ids.add(number, spellings);
        }
        tax_ids
    }

    /// Adds the number of all these spellings: a variable between each two places at which one of them has a separator.
    fn add(&mut self, number: usize, spellings: &BTreeSet<String>) {
        let cuts: BTreeSet<usize> = spellings.iter().flat_map(|it| cuts(it)).collect();
        let ends: Vec<usize> = cuts.into_iter().collect();
        let starts = [0].into_iter().chain(ends.iter().copied());
        let part = |(letter, (start, end)): (char, (usize, &usize))| {
            let variable = match ends.len() {
                1 => format!("TAX_ID_{number}"),
                _ => format!("TAX_ID_{number}_{letter}"),
            };
            (start, Digits { variable, count: end - start })
        };
        let parts: BTreeMap<usize, Digits> = ('A'..).zip(starts.zip(&ends)).map(part).collect();
        for spelling in spellings {
            let mut digits = 0..;
            let written = spelling.chars().map(|it| match it.is_ascii_digit() {
                true => digits
                    .next()
                    .and_then(|at| parts.get(&at))
                    .map_or_else(String::new, |it| marked(&it.variable)),
                false => it.to_string(),
            });
            self.spelled.push((spelling.clone(), written.collect()));
        }
        self.digits.extend(parts.into_values());
    }
}

/// How many digits stand before each separator, and before the end.
fn cuts(spelling: &str) -> Vec<usize> {
    let parts = spelling.split(|it: char| !it.is_ascii_digit()).map(str::len);
    parts
        .scan(0, |sum, length| {
            *sum += length;
            Some(*sum)
        })
        .collect()
}

/// Makes the requests of a test.
struct Requests<'a> {
    transcript: &'a Transcript,
    names: &'a Names,
    sent: &'a [Prepared],
    right: &'a [Response],
}

impl Requests<'_> {
    /// The requests, and the tax ids in them.
    fn made(&self) -> Result<(Vec<Request>, TaxIds), Unexportable> {
        let tax_ids = self.tax_ids();
        let references = references(&self.transcript.steps);
        let inbox = format!("{}/{}", marked("INBOX"), self.names.run);
        let start = self.transcript.header.start;
        let mut memory = self.names.known(Memory::with_inbox(&inbox)).starting(start);
        let mut requests = Vec::new();
        let last = self.sent.len().saturating_sub(1);
        for (index, step) in self.transcript.steps.iter().enumerate().take(self.sent.len()) {
            let right = &self.right[index];
            let takes = takes(step, &references);
            let mut body = right.json().cloned().unwrap_or_default();
            for (variable, way) in &takes {
                put(&mut body, way, marked(variable).into());
            }
            if !(matches!(step.action, Action::Deliveries) && takes.is_empty()) {
                let prepared = Prepared::from_step(step, &memory, &marked("API_KEY"));
                let mut request = self
                    .request(step, &prepared, &tax_ids.spelled)
                    .ok_or(Unexportable::Body(index + 1))?;
                let was = self.transcript.recorded.get(index).and_then(|was| was.status);
                let held = was.is_none_or(|status| (200..300).contains(&status));
                request.must_succeed = index < last && right.is_success() && held;
                request.takes = takes;
                requests.push(request);
            }
            memory.keep(step, Some(&body));
        }
        Ok((requests, tax_ids))
    }

    /// `None` if its body is not text, or too long.
    fn request(
        &self,
        step: &Step,
        sent: &Prepared,
        tax_ids: &[(String, String)],
    ) -> Option<Request> {
        let template = |text: &str| Template::of(&self.names.in_text(text, tax_ids));
        let HttpForm { method, path, content_type, body } = sent.action.http_form();
        let body = std::str::from_utf8(&body).ok()?;
        if body.len() > MOST_BYTES || body.contains('\0') {
            return None;
        }
        let is_call = matches!(sent.action, PreparedAction::Call(_));
        let is_issued = self.transcript.steps.iter().any(|it| it.name.as_deref() == Some(OTHER));
        let is_other = matches!(&step.caller, Caller::Key(key) if key == "${other.key}");
        let by_other = is_other && !is_issued;
        let authorization = match by_other {
            true => Some(format!("Bearer {}", marked("OTHER_KEY"))),
            false => sent.authorization.clone(),
        };
        Some(Request {
            title: title(step),
            kind: sent.kind(),
            identifiers: identifiers(path).iter().map(|it| template(it)).collect(),
            method: method.to_owned(),
            path: template(&with_plain_marks(path)),
            is_for_operator: !is_call,
            authorization: authorization.map(|it| template(&it)),
            content_type: content_type.map(str::to_owned),
            body: template(body),
            must_succeed: false,
            takes: Vec::new(),
        })
    }

    /// The tax ids that are sent. Those of another form stay.
    fn tax_ids(&self) -> TaxIds {
        let mut spelled = BTreeSet::new();
        for call in self.sent.iter().filter_map(Prepared::call) {
            match serde_json::from_slice(call.body()) {
                Ok(body) => collect_tax_ids(&body, &mut spelled),
                Err(_) => spelled.extend(tax_ids_of_rows(call)),
            }
        }
        let mut numbers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (number, varying) in spelled.iter().filter_map(|text| varying_part(text)) {
            numbers.entry(number).or_default().insert(varying.to_owned());
        }
        TaxIds::of(&numbers)
    }
}

fn collect_tax_ids(value: &Value, spelled: &mut BTreeSet<String>) {
    let Value::Object(fields) = value else { return };
    for (name, value) in fields {
        collect_tax_ids(value, spelled);
        let is_tax_id = in_requests(name).iter().any(|it| matches!(it.role, Role::TaxId));
        spelled.extend(value.as_str().filter(|_| is_tax_id).map(str::to_owned));
    }
}

/// The tax ids in the rows of a file.
fn tax_ids_of_rows(call: &PreparedCall) -> Vec<String> {
    let syncs = call.operation().map(Operation::syncs).unwrap_or_default();
    let parties = syncs.into_iter().flat_map(|sync| [&sync.payee, &sync.payor]);
    parties.filter_map(|party| party.details.tax_id.clone()).collect()
}

/// The nine digits of a tax id, and its spelling from behind the first ones to the last. `None` if it has another form.
fn varying_part(text: &str) -> Option<(String, &str)> {
    let places: Vec<usize> =
        text.match_indices(|it: char| it.is_ascii_digit()).map(|(at, _)| at).collect();
    let digits = text.chars().filter(char::is_ascii_digit).collect();
    let is_one = places.len() == 9 && !text.chars().any(char::is_alphabetic);
    is_one.then(|| (digits, &text[places[TAX_ID_START]..=places[8]]))
}

/// The references of steps: the name of a response, and the way to a value in it.
fn references(steps: &[Step]) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for step in steps {
        let mut rest = &*serde_json::to_string(step).unwrap_or_default();
        while let Some((_, behind)) = rest.split_once("${") {
            let Some((reference, after)) = behind.split_once('}') else { break };
            if let Some((name, way)) = reference.split_once('.') {
                all.entry(name.to_owned()).or_default().insert(way.to_owned());
            }
            rest = after;
        }
    }
    all
}

/// What later steps take from the response to a step.
fn takes(
    step: &Step,
    references: &BTreeMap<String, BTreeSet<String>>,
) -> Vec<(String, Vec<String>)> {
    let Some(name) = &step.name else { return Vec::new() };
    let ways = references.get(name).into_iter().flatten();
    let variable = |way: &str| {
        let plain =
            |it: char| if it.is_ascii_alphanumeric() { it.to_ascii_lowercase() } else { '_' };
        format!("from_{name}_{way}").chars().map(plain).collect()
    };
    ways.map(|way| (variable(way), way.split('.').map(str::to_owned).collect())).collect()
}

/// Puts a value at the end of a way, if something is there.
fn put(body: &mut Value, way: &[String], new: Value) {
    if at(body, way).is_none() {
        return;
    }
    let pointer: String =
        way.iter().map(|part| format!("/{}", part.replace('~', "~0").replace('/', "~1"))).collect();
    if let Some(value) = body.pointer_mut(&pointer) {
        *value = new;
    }
}

/// The identifiers in a path, decoded.
fn identifiers(path: &str) -> Vec<String> {
    let Some(at) = tideover_model::wire::route::served_at(path) else { return Vec::new() };
    let decode =
        |name: &str| percent_encoding::percent_decode_str(name).decode_utf8_lossy().into_owned();
    at.encoded_identifiers().map(decode).into_iter().collect()
}
