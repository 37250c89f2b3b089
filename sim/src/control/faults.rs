//! The control plane of faults: `/_sim/faults`.

use axum::body::Body;
use axum::http::Uri;
use axum::response::Response;
use serde::Serialize;
use serde_json::{Map, Value};
use tideover_model::Impossible;
use tideover_model::wire::action::{Applied, NotApplied};
use tideover_model::wire::problem::{unfit, unknown_field};
use utoipa::ToSchema;

use crate::control::{ControlCaller, ControlError, ControlResult, invalid, json};
use crate::fault::{FaultEntry, FaultError, ImpossibleRule, Rule, Spelling, read};
use crate::respond;

/// The rules by which requests and deliveries fail.
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
    /// The name of the rule in the journal, and in the list of deliveries.
    label: &'a str,
    /// The rest of the rule.
    #[serde(flatten)]
    rule: Rule,
    /// How many requests or deliveries it has selected.
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
pub(crate) async fn list(caller: ControlCaller) -> Response {
    let entries = caller.world.faults();
    respond::ok(&Faults { faults: entries.iter().map(FaultView::of).collect() })
}

/// `POST /_sim/faults`: adds a rule, or several with `{"rules": […]}`, for all platforms of the world: all of them,
/// or none.
pub(crate) async fn add(caller: ControlCaller, body: Body) -> ControlResult {
    let body = json(body).await?;
    let ids = caller.world.add_faults(rules(&body)?).map_err(refused)?;
    Ok(respond::ok(&FaultIds { ids }))
}

/// `DELETE /_sim/faults`: removes all rules.
pub(crate) async fn clear(caller: ControlCaller) -> Response {
    caller.world.clear_faults();
    respond::ok(&Applied::IT_IS)
}

/// `DELETE /_sim/faults/{id}`: removes a rule.
pub(crate) async fn remove(caller: ControlCaller, uri: Uri) -> ControlResult {
    let id = uri.path().rsplit('/').next().and_then(|id| id.parse().ok());
    if id.is_some_and(|id| caller.world.remove_fault(id)) {
        return Ok(respond::ok(&Applied::IT_IS));
    }
    Err(NotApplied::UnknownFault.into())
}

/// The rules in a body; `invalid_request` names the first field that is not possible.
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
