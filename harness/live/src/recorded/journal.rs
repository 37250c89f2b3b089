//! The journal of a check against a live endpoint.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tideover_exchange::Memory;
use tideover_exchange::step::{Action, Step};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Body, Prepared, PreparedAction, Response};
use tideover_model::{ActionKind, Service, Timestamp};

use crate::recorded::{Recorded, Recording, RecordingProblem, Traffic};

/// Reads a journal. Its placeholders for the user's tax ids and accounts get made-up values, the same ones throughout.
/// Those of accounts end with the digits that a mask shows.
pub(super) fn read(text: &str) -> Result<Recording, RecordingProblem> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, first) = lines.next().ok_or(RecordingProblem::Empty)?;
    let header: Header = serde_json::from_str(first).map_err(|source| at_line(0, source))?;
    let (target, run) = header.live.map(|live| (live.target, live.run)).unwrap_or_default();
    let mut requests: BTreeMap<u64, Noted> = BTreeMap::new();
    for (number, line) in lines {
        let missing = |what| RecordingProblem::Missing { line: number + 1, what };
        let mut fields: Map<String, Value> =
            serde_json::from_str(line).map_err(|source| at_line(number, source))?;
        // An arrival at the inbox is no request to the API.
        if fields.contains_key("arrived") {
            continue;
        }
        let time = fields.remove("at").and_then(|at| Timestamp::parse(at.as_str()?));
        let time = time.ok_or_else(|| missing("time"))?;
        if let Some(answered) = fields.get("answers").and_then(Value::as_u64) {
            let Some(noted) = requests.get_mut(&answered) else { continue };
            noted.seen = fields.get("seen").and_then(seen);
            noted.now = time;
            continue;
        }
        let mut number_of = |name: &str| fields.remove(name).and_then(|value| value.as_u64());
        let (request, case) = (number_of("number"), number_of("case"));
        let request = request.ok_or_else(|| missing("number"))?;
        let step: Step = serde_json::from_value(Value::Object(fields))
            .map_err(|source| at_line(number, source))?;
        let noted = Noted { case: case.unwrap_or(0), step, seen: None, since: time, now: time };
        requests.insert(request, noted);
    }
    let memory = made_up(&masks(requests.values()));
    let hastened = requests.values().any(|noted| hastens(&noted.step));
    let mut cases: BTreeMap<u64, Vec<Recorded>> = BTreeMap::new();
    for Noted { case, step, seen, since, now } in requests.into_values() {
        let sent = Prepared::from_step(&step, &memory, Service::FIRST_KEY);
        if is_judged(&sent) {
            cases.entry(case).or_default().push(Recorded { sent, seen, since, now });
        }
    }
    let cases: Vec<Vec<Recorded>> = cases.into_values().collect();
    let inbox = cases.iter().flatten().find_map(|recorded| inbox_of(&run, &recorded.sent));
    Ok(Recording {
        target,
        inbox,
        traffic: Traffic::InCases(cases),
        deliveries: Vec::new(),
        accepted: Vec::new(),
        hastened,
        // Each case of a check has the clock in its steps.
        clock_moves: false,
        unjudged: BTreeMap::new(),
    })
}

fn at_line(index: usize, source: serde_json::Error) -> RecordingProblem {
    RecordingProblem::Line { line: index + 1, source }
}

/// A request in the journal, with its outcome.
struct Noted {
    case: u64,
    step: Step,
    seen: Option<Response>,
    since: Timestamp,
    now: Timestamp,
}

/// Whether the judge gets a request: those to the API, and actions about keys. It finds out about other actions by what
/// the API shows.
fn is_judged(sent: &Prepared) -> bool {
    match &sent.action {
        PreparedAction::Call(call) => !call.path.starts_with("/_sim/"),
        PreparedAction::Act(fields) => {
            matches!(ActionKind::of(fields), Some(ActionKind::IssueKey | ActionKind::RevokeKey))
        }
        PreparedAction::Advance(_) | PreparedAction::Deliveries => false,
    }
}

/// Whether an action forces a hidden transition.
fn hastens(step: &Step) -> bool {
    let Action::Act(fields) = &step.action else { return false };
    matches!(
        ActionKind::of(fields),
        Some(
            ActionKind::CollectionAccountOpens
                | ActionKind::VendorCompletesOnboarding
                | ActionKind::FundingStarts
                | ActionKind::FundingCompletes
        )
    )
}

/// The URL that a run has subscribed. It has the name of the run in it.
fn inbox_of(run: &str, sent: &Prepared) -> Option<String> {
    let PreparedAction::Call(call) = &sent.action else { return None };
    let body = call.body().json()?;
    let url = body.get("url")?.as_str()?;
    (!run.is_empty() && url.contains(run)).then(|| url.to_owned())
}

/// The visible digits of the accounts in a journal, by the placeholder of each.
fn masks<'a>(requests: impl Iterator<Item = &'a Noted>) -> BTreeMap<String, String> {
    let masks = requests.filter_map(|Noted { step, seen, .. }| {
        let Action::Call(call) = &step.action else { return None };
        let account = call.body.as_ref()?.get("accountNumber")?.as_str()?;
        Some((account.to_owned(), seen.as_ref()?.json()?.get("mask")?.as_str()?.to_owned()))
    });
    let is_end =
        |mask: &str| (1..=9).contains(&mask.len()) && mask.bytes().all(|it| it.is_ascii_digit());
    masks.filter(|(_, mask)| is_end(mask)).collect()
}

fn made_up(masks: &BTreeMap<String, String>) -> Memory {
    let tax_ids: Vec<String> = (0..100).map(|n| format!("{}", 960_000_000 + n)).collect();
    let account = |n: u32| {
        let mask = masks.get(&format!("${{own.accountNumbers.{n}}}"));
        format!("{}{}", 97_000_000 + n, mask.map_or("", |mask| mask))
    };
    let accounts: Vec<String> = (0..100).map(account).collect();
    Memory::default().knowing("own", json!({ "taxIds": tax_ids, "accountNumbers": accounts }))
}

fn seen(written: &Value) -> Option<Response> {
    let status = u16::try_from(written.get("status")?.as_u64()?).ok()?;
    let body = match (written.get("body"), written.get("text").and_then(Value::as_str)) {
        (Some(json), _) => Body::Json(json.clone().into()),
        (None, Some(text)) => Body::Other(text.to_owned()),
        (None, None) => Body::Empty,
    };
    Some(Response { status, body })
}
