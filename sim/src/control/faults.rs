//! The control plane of faults: `/_sim/faults`.

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tideover_model::wire::action::NotApplied;
use tideover_model::wire::problem::{unfit, unknown_field};
use tideover_model::{Impossible, OperationKind};

use crate::control::{
    ControlError, ControlResult, MOST_BYTES, SharedWorlds, caller, invalid, unreadable,
};
use crate::extract;
use crate::fault::{Act, FaultEntry, FaultError, ImpossibleRule, Rule, Spelling, read};
use crate::respond;

/// A rule with its counters.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FaultView<'a> {
    id: u64,
    label: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<OperationKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    identifier: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nth: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    percent: Option<u32>,
    #[serde(flatten)]
    act: Act,
    matched: u64,
    fired: u64,
}

impl FaultView<'_> {
    fn of(entry: &FaultEntry) -> FaultView<'_> {
        let FaultEntry { id, rule, matched, fired } = entry;
        FaultView {
            id: *id,
            label: rule.label(),
            operation: rule.operation,
            identifier: rule.identifier.as_deref(),
            nth: rule.nth,
            percent: rule.percent,
            act: rule.act,
            matched: *matched,
            fired: *fired,
        }
    }
}

/// `GET /_sim/faults`: the rules of the world, in order of precedence, with their counters.
///
/// # Errors
/// `unauthorized`.
pub(crate) async fn list(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    #[derive(Serialize)]
    struct Faults<'a> {
        faults: Vec<FaultView<'a>>,
    }
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
    Ok(respond::ok(&json!({ "ids": ids })))
}

/// `DELETE /_sim/faults`: removes all rules.
///
/// # Errors
/// `unauthorized`.
pub(crate) async fn clear(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    caller.world.clear_faults();
    Ok(applied())
}

/// `DELETE /_sim/faults/{id}`: removes a rule.
///
/// # Errors
/// `unauthorized`, `unknown_fault`.
pub(crate) async fn remove(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    let id = request.uri().path().rsplit('/').next().and_then(|id| id.parse().ok());
    if id.is_some_and(|id| caller.world.remove_fault(id)) {
        return Ok(applied());
    }
    Err(NotApplied::UnknownFault.into())
}

fn applied() -> Response {
    respond::ok(&json!({ "applied": true }))
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
