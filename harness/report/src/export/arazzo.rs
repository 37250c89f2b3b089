//! The test as an Arazzo document, which describes a workflow over the operations of OpenAPI documents.

use serde_json::{Map, Value, json};

use crate::export::Unexportable;
use crate::export::assertion::Assertion;
use crate::export::plan::{Digits, Request, TestPlan};
use crate::export::text::Template;

/// The documents beside it, as `curl` stores them from a mock.
const SOURCES: [(&str, &str); 2] = [("api", "./openapi.json"), ("operator", "./operator.json")];

pub(super) fn document(plan: &TestPlan) -> Result<String, Unexportable> {
    let steps = plan.requests.iter().enumerate();
    let steps = steps.map(|(index, request)| step(plan, index, request));
    let steps = steps.collect::<Result<Vec<Value>, Unexportable>>()?;
    let uses_operator = plan.requests.iter().any(|request| request.is_for_operator);
    let sources = SOURCES.iter().take(if uses_operator { 2 } else { 1 });
    let sources = sources.map(|(name, url)| json!({ "name": name, "url": url, "type": "openapi" }));
    let mut inputs = Map::new();
    for name in variables(plan) {
        inputs.insert(name, json!({ "type": "string" }));
    }
    for Digits { variable, count } in &plan.tax_ids {
        let pattern = format!("^[0-9]{{{count}}}$");
        inputs.insert(variable.clone(), json!({ "type": "string", "pattern": pattern }));
    }
    let required: Vec<&String> = inputs.keys().collect();
    let document = json!({
        "arazzo": "1.0.1",
        "info": {
            "title": plan.finding.clause,
            "summary": format!("{}: {}", plan.place, plan.wording),
            "version": "1.0.0",
        },
        "sourceDescriptions": sources.collect::<Vec<Value>>(),
        "workflows": [{
            "workflowId": format!("finding-{}", plan.finding.fingerprint),
            "summary": format!("{} at {}", plan.finding.clause, plan.finding.operation),
            "description": "Give RUN a new value of letters and digits each time, and each TAX_ID new digits.",
            "inputs": { "type": "object", "required": required, "properties": inputs },
            "steps": steps,
        }],
    });
    Ok(format!("{document:#}\n"))
}

/// The inputs of the workflow: what no response has.
fn variables(plan: &TestPlan) -> std::collections::BTreeSet<String> {
    let of = |request: &Request| -> Vec<String> {
        let texts = [Some(&request.path), request.authorization.as_ref(), Some(&request.body)];
        let names = texts.into_iter().flatten().flat_map(Template::variables);
        names.filter(|name| !name.starts_with("from_")).map(str::to_owned).collect()
    };
    plan.requests.iter().flat_map(of).collect()
}

fn step(plan: &TestPlan, index: usize, request: &Request) -> Result<Value, Unexportable> {
    let is_last = index + 1 == plan.requests.len();
    let operation = match request.kind {
        Some(kind) => {
            Some((format!("$sourceDescriptions.api.{}", named(&kind)), kind.parameters().collect()))
        }
        None if request.is_for_operator => operator(request).map(|it| (it, Vec::new())),
        None => None,
    };
    let (operation, names): (String, Vec<&str>) =
        operation.ok_or(Unexportable::NoOperation(index + 1))?;
    let identifiers = names.iter().zip(&request.identifiers);
    let mut parameters: Vec<Value> = identifiers
        .map(|(name, value)| json!({ "name": name, "in": "path", "value": value_of(plan, value) }))
        .collect();
    if let Some(authorization) = &request.authorization {
        let value = value_of(plan, authorization);
        parameters.push(json!({ "name": "Authorization", "in": "header", "value": value }));
    }
    let mut step = json!({
        "stepId": format!("step-{}", index + 1),
        "description": request.title,
        "operationId": operation,
        "parameters": parameters,
    });
    if !request.body.is_empty() {
        let payload = value_of(plan, &request.body);
        let content_type = request.content_type.as_deref().unwrap_or("application/json");
        // A body that is JSON stands as JSON: what runs the document would write a text as a JSON string.
        let payload = match serde_json::from_str(&payload) {
            Ok(payload) => payload,
            Err(_) if content_type.contains("json") => {
                return Err(Unexportable::Inexpressible("a body that is not JSON"));
            }
            Err(_) => Value::from(payload),
        };
        step["requestBody"] = json!({ "contentType": content_type, "payload": payload });
    }
    if !request.takes.is_empty() {
        let outputs = request.takes.iter().map(|(variable, way)| {
            (variable.clone(), Value::from(format!("$response.body#/{}", way.join("/"))))
        });
        step["outputs"] = Value::Object(outputs.collect());
    }
    let criteria = match is_last {
        true => criteria(plan)?,
        false if request.must_succeed => success(),
        false => Vec::new(),
    };
    if !criteria.is_empty() {
        step["successCriteria"] = criteria.into();
    }
    Ok(step)
}

fn named(kind: &impl serde::Serialize) -> String {
    let name = serde_json::to_value(kind).ok();
    name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The operation of the operator port that a request asks for.
fn operator(request: &Request) -> Option<String> {
    let path = request.path.written(str::to_owned, str::to_owned, "");
    let name = match &*path {
        "/_sim/actions" => "act",
        "/_sim/clock" => "move_clock",
        _ => return None,
    };
    Some(format!("$sourceDescriptions.operator.{name}"))
}

fn success() -> Vec<Value> {
    vec![json!({ "condition": "$statusCode >= 200" }), json!({ "condition": "$statusCode < 300" })]
}

/// What the last response must be. A condition compares whole values, and takes a missing one for null.
fn criteria(plan: &TestPlan) -> Result<Vec<Value>, Unexportable> {
    let condition = |text: String| vec![json!({ "condition": text })];
    Ok(match &plan.assertion {
        Assertion::Success => success(),
        Assertion::Status(status) => condition(format!("$statusCode == {status}")),
        Assertion::Code(code) => condition(format!("$response.body#/code == '{code}'")),
        Assertion::SomeText { way } => {
            condition(format!("$response.body#/{} != null", way.join("/")))
        }
        Assertion::Field { way, .. } => {
            if plan.expected.as_ref().is_some_and(|it| !it.variables().is_empty()) {
                let why = "a value of which a part is new in each run";
                return Err(Unexportable::Inexpressible(why));
            }
            let expected = plan.expected.as_ref().map(|it| value_of(plan, it));
            let expected = match expected.as_deref().map(serde_json::from_str::<Value>) {
                Some(Ok(Value::String(text))) => format!("'{}'", text.replace('\'', "''")),
                Some(Ok(value)) => value.to_string(),
                Some(Err(_)) | None => "null".to_owned(),
            };
            if expected == "null" {
                return Err(Unexportable::Inexpressible("null, which is not a missing field"));
            }
            condition(format!("$response.body#/{} == {expected}", way.join("/")))
        }
    })
}

/// A template with runtime expressions in place of its variables.
fn value_of(plan: &TestPlan, template: &Template) -> String {
    let variable = |name: &str| {
        let from = plan
            .requests
            .iter()
            .position(|request| request.takes.iter().any(|(variable, _)| variable == name));
        match from {
            Some(index) => format!("{{$steps.step-{}.outputs.{name}}}", index + 1),
            None => format!("{{$inputs.{name}}}"),
        }
    };
    template.written(str::to_owned, variable, "")
}
