//! The operator port, described: one entry per route in `routes`. The schemas of bodies come from the types that are
//! sent and read.

mod bodies;
mod parameter;
mod problem;
mod routes;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tideover_model::ActionKind;
use tideover_model::wire::action;
use tideover_model::wire::reply::Failure;
use tideover_model::words::UnlistedEvent;
use utoipa::ToSchema;

use crate::fault::fields_by_act;
use crate::openapi::schemas::{Schemas, reference};
use bodies::Changes;
use parameter::Parameter;
use problem::Problem;
use routes::{ROUTES, Route, TAGS};

const ABOUT: &str = "Plays what a caller of the API cannot do: a vendor signs, a bank opens an account, a payor \
    pays, time passes. It also shows what the mock has received and sent. The API key says whose identifiers a \
    request means; without a key they are those of the first platform of the default world. A revoked key still \
    does. In a browser, pages of another origin may use it only if `--cors` allows them. The API's own document \
    does not have this port.";

/// The document of the operator port.
pub(super) fn document() -> Value {
    let (mut paths, mut schemas) = (Map::new(), Schemas::default());
    for route in ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method] = operation(route, &mut schemas);
    }
    // No schema says this in a way that generators of clients can use. A form for a rule reads it.
    schemas.0["FaultRule"]["x-fields"] = json!(fields_by_act().collect::<BTreeMap<_, _>>());
    // Nobody can subscribe to these, and a fault or the grease sends them: helpers of tests let a test wait for them.
    schemas.0["EventType"]["x-unlisted"] = json!(UnlistedEvent::WORDS);
    let tags = TAGS.map(|(name, about)| json!({ "name": name, "description": about }));
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Operator port of Tideover", "version": "v1", "description": ABOUT },
        "servers": [{ "url": "/" }],
        // A key is optional.
        "security": [{}, { "apiKey": [] }],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": schemas.0,
            "securitySchemes": { "apiKey": { "type": "http", "scheme": "bearer" } },
        },
    })
}

/// Method and path of each route.
pub(crate) fn known() -> impl Iterator<Item = (&'static str, &'static str)> {
    ROUTES.iter().map(|route| {
        let method = match route.method {
            "post" => "POST",
            "put" => "PUT",
            "delete" => "DELETE",
            _ => "GET",
        };
        (method, route.path)
    })
}

/// The body of a request for any of the actions.
fn any_action(schemas: &mut Schemas) -> Value {
    let reference_to = |kind: &ActionKind| reference(&action::schema_name(*kind));
    let all: Vec<Value> = ActionKind::ALL.iter().map(reference_to).collect();
    let mapping: Map<String, Value> = ActionKind::ALL
        .iter()
        .map(|kind| (kind.name().to_owned(), reference_to(kind)["$ref"].clone()))
        .collect();
    schemas.0.extend(action::schemas());
    schemas.0.insert("Action".into(), {
        json!({ "oneOf": all,
            "discriminator": { "propertyName": action::NAME, "mapping": mapping } })
    });
    reference("Action")
}

fn operation(route: &Route, schemas: &mut Schemas) -> Value {
    let mut operation = json!({
        "operationId": route.name,
        "tags": [route.tag],
        "summary": route.summary,
        "description": route.about,
        "parameters": route.parameters.iter().map(parameter(route)).collect::<Vec<_>>(),
        "responses": responses(route, schemas),
    });
    if let Some(body) = &route.body {
        let mut content = json!({ "schema": (body.schema)(schemas) });
        let read = |(name, text): &(&str, &str)| {
            let value: Value = serde_json::from_str(text).unwrap_or_default();
            ((*name).to_owned(), json!({ "value": value }))
        };
        content["examples"] = match body.examples {
            [] => actions().collect(),
            examples => examples.iter().map(read).collect(),
        };
        operation["requestBody"] =
            json!({ "required": body.required, "content": { "application/json": content } });
    }
    operation
}

/// An example of each action.
fn actions() -> impl Iterator<Item = (String, Value)> {
    action::described()
        .into_iter()
        .map(|it| (it.action, json!({ "summary": it.does, "value": it.example })))
}

fn parameter(route: &Route) -> impl Fn(&Parameter) -> Value {
    let path = route.path;
    move |parameter| {
        let place =
            if path.contains(&format!("{{{}}}", parameter.name)) { "path" } else { "query" };
        json!({
            "name": parameter.name,
            "in": place,
            "required": !parameter.optional,
            "description": parameter.means,
            "schema": (parameter.schema)(),
        })
    }
}

fn responses(route: &Route, schemas: &mut Schemas) -> Value {
    let mut responses = Map::new();
    let answer = (route.answer)(schemas);
    let is_streamed = answer == reference(&Changes::name());
    let media_type = if is_streamed { "text/event-stream" } else { "application/json" };
    let success = json!({ "description": route.answers,
        "content": { media_type: { "schema": answer } } });
    responses.insert("200".into(), success);
    for problem in [Problem::ForeignHost, Problem::ForeignOrigin].iter().chain(route.problems) {
        let (code, example) = problem.example();
        let response = responses.entry(problem.status().to_string()).or_insert_with(|| {
            let content = json!({ "schema": schemas.sent::<Failure<'_>>(), "examples": {} });
            json!({ "description": "", "content": { "application/json": content } })
        });
        let about = response["description"].as_str().unwrap_or_default();
        let lines = [about, &format!("- `{code}`: {}", problem.means())];
        response["description"] = lines.join("\n").trim_start().into();
        response["content"]["application/json"]["examples"][code] = json!({ "value": example });
    }
    Value::Object(responses)
}
