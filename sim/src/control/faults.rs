//! The control plane of faults: `/_sim/faults`.

use axum::extract::{Request, State};
use serde::Serialize;
use serde_json::{Map, Value};
use tideover_model::Impossible;
use tideover_model::wire::action::{Applied, NotApplied};
use tideover_model::wire::problem::{unfit, unknown_field};
use utoipa::ToSchema;

use crate::control::{
    ControlError, ControlResult, MOST_BYTES, SharedWorlds, caller, invalid, unreadable,
};
use crate::extract;
use crate::fault::{FaultEntry, FaultError, ImpossibleRule, Rule, Spelling, read};
use crate::respond;

/// The rules by which requests fail.
#[derive(Serialize, ToSchema)]
pub(crate) struct Faults<'a> {
    /// In order of precedence.
    faults: Vec<FaultView<'a>>,
}

/// The new rules.
#[derive(Serialize, ToSchema)]
pub(crate) struct FaultIds {
    /// The numbers of the rules, in the order of the request.
    ids: Vec<u64>,
}

/// A rule, and how often it acted.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Fault)]
struct FaultView<'a> {
    /// Its number: `DELETE /_sim/faults/{id}` removes it.
    id: u64,
    /// The name of the rule in the journal.
    label: &'a str,
    /// The rest of the rule.
    #[serde(flatten)]
    rule: Rule,
    /// How many requests it has selected.
    matched: u64,
    /// How often it has acted.
    fired: u64,
}

impl FaultView<'_> {
    fn of(entry: &FaultEntry) -> FaultView<'_> {
        let FaultEntry { id, rule, matched, fired } = entry;
        let (id, matched, fired) = (*id, *matched, *fired);
        FaultView { id, label: rule.label(), rule: rule.unlabelled(), matched, fired }
    }
}

/// `GET /_sim/faults`: the rules of the world, in order of precedence, with their counters.
///
/// # Errors
/// `unauthorized`.
pub(crate) async fn list(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    let entries = caller.world.faults();
    Ok(respond::ok(&Faults { faults: entries.iter().map(FaultView::of).collect() }))
}

/// `POST /_sim/faults`: adds a rule, or several with `{"rules": […]}`, for all platforms of the world.
///
/// # Errors
/// `unauthorized`, `payload_too_large`, `unreadable_request`, `invalid_request` for the first impossible rule,
/// `action_refused` for too many. Nothing is added then.
pub(crate) async fn add(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    let body = extract::body(request.into_body(), MOST_BYTES).await?;
    let body: Value = serde_json::from_slice(&body).map_err(|why| unreadable(&why.to_string()))?;
    let ids = caller.world.add_faults(rules(&body)?).map_err(refused)?;
    Ok(respond::ok(&FaultIds { ids }))
}

/// `DELETE /_sim/faults`: removes all rules.
///
/// # Errors
/// `unauthorized`.
pub(crate) async fn clear(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    caller.world.clear_faults();
    Ok(respond::ok(&Applied::IT_IS))
}

/// `DELETE /_sim/faults/{id}`: removes a rule.
///
/// # Errors
/// `unauthorized`, `unknown_fault`.
pub(crate) async fn remove(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    let id = request.uri().path().rsplit('/').next().and_then(|id| id.parse().ok());
    if id.is_some_and(|id| caller.world.remove_fault(id)) {
        return Ok(respond::ok(&Applied::IT_IS));
    }
    Err(NotApplied::UnknownFault.into())
}

/// The rules in a body.
///
/// # Errors
/// `invalid_request`, with the first field that is not possible.
fn rules(body: &Value) -> Result<Vec<Rule>, ControlError> {
    const EXPECTED: &str = "a rule, or {\"rules\": [RULE, …]}";
    let whole = || invalid(&unfit("the body", EXPECTED, Some(body)));
    let fields = body.as_object().ok_or_else(whole)?;
    let Some(rules) = fields.get("rules") else { return Ok(vec![rule(fields, "")?]) };
    if let Some(other) = fields.keys().find(|name| *name != "rules") {
        return Err(invalid(&unknown_field(other, &["rules"])));
    }
    let list = || invalid(&unfit("rules", "a list of rules", Some(rules)));
    let rules = rules.as_array().ok_or_else(list)?;
    let numbered = rules.iter().enumerate().map(|(index, fields)| {
        let place = format!("rules[{index}]");
        let expected = || invalid(&unfit(&place, "an object", Some(fields)));
        rule(fields.as_object().ok_or_else(expected)?, &format!("{place}."))
    });
    numbered.collect()
}

pub(super) fn rule(fields: &Map<String, Value>, place: &str) -> Result<Rule, ControlError> {
    read(fields, Spelling::Camel)
        .map_err(|ImpossibleRule { field, problem }| invalid(&format!("{place}{field}: {problem}")))
}

fn refused(why: FaultError) -> ControlError {
    match why {
        FaultError::Impossible(why) => invalid(&why.to_string()),
        FaultError::TooMany => NotApplied::Impossible(Impossible(why.to_string().into())).into(),
    }
}
