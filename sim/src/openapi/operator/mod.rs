//! The operator port, described: one entry per route in `routes`, one per body in `bodies`.

mod bodies;
mod problem;
mod property;
mod routes;

use serde_json::{Map, Value, json};
use tideover_model::ActionKind;
use tideover_model::wire::action;

use crate::openapi::schemas::reference;
use bodies::{STREAMED, bodies};
use problem::Problem;
use property::Property;
use routes::{ROUTES, Route, TAGS};

const ABOUT: &str = "Plays what a caller of the API cannot do: a vendor signs, a bank opens an account, a payor \
    pays, time passes. It also shows what the mock has received and sent. The API key says whose identifiers a \
    request means; without a key they are those of the first platform of the default world. A revoked key still \
    does. In a browser, pages of another origin may use it only if `--cors` allows them. The API's own document \
    does not have this port.";

/// The document of the operator port.
pub(crate) fn document() -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        paths.entry(route.path).or_insert_with(|| json!({}))[route.method] = operation(route);
    }
    let mut schemas = action::schemas();
    schemas.insert("Action".into(), any_action());
    schemas.extend(bodies());
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
            "schemas": schemas,
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
fn any_action() -> Value {
    let reference_to = |kind: &ActionKind| reference(&action::schema_name(*kind));
    let all: Vec<Value> = ActionKind::ALL.iter().map(reference_to).collect();
    let mapping: Map<String, Value> = ActionKind::ALL
        .iter()
        .map(|kind| (kind.name().to_owned(), reference_to(kind)["$ref"].clone()))
        .collect();
    json!({ "oneOf": all,
        "discriminator": { "propertyName": action::NAME, "mapping": mapping } })
}

fn operation(route: &Route) -> Value {
    let mut operation = json!({
        "operationId": route.name,
        "tags": [route.tag],
        "summary": route.summary,
        "description": route.about,
        "parameters": route.parameters.iter().map(parameter(route)).collect::<Vec<_>>(),
        "responses": responses(route),
    });
    if let Some(body) = &route.body {
        let mut content = json!({ "schema": reference(body.schema) });
        let read = |(name, text): &(&str, &str)| {
            let value: Value = serde_json::from_str(text).unwrap_or_default();
            ((*name).to_owned(), json!({ "value": value }))
        };
        content["examples"] = match body.schema {
            "Action" => actions().collect(),
            _ => body.examples.iter().map(read).collect(),
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

fn parameter(route: &Route) -> impl Fn(&Property) -> Value {
    let path = route.path;
    move |property| {
        let place = if path.contains(&format!("{{{}}}", property.name)) { "path" } else { "query" };
        json!({
            "name": property.name,
            "in": place,
            "required": !property.optional,
            "description": property.means,
            "schema": property.schema(),
        })
    }
}

fn responses(route: &Route) -> Value {
    let content = |schema: &str| json!({ "application/json": { "schema": reference(schema) } });
    let mut responses = Map::new();
    let streamed = || json!({ "text/event-stream": { "schema": reference(STREAMED) } });
    let answer = if route.answer == STREAMED { streamed() } else { content(route.answer) };
    let success = json!({ "description": route.answers, "content": answer });
    responses.insert("200".into(), success);
    for problem in [Problem::ForeignHost, Problem::ForeignOrigin].iter().chain(route.problems) {
        let (code, example) = problem.example();
        let response = responses.entry(problem.status().to_string()).or_insert_with(|| {
            let mut content = content("Failure");
            content["application/json"]["examples"] = json!({});
            json!({ "description": "", "content": content })
        });
        let about = response["description"].as_str().unwrap_or_default();
        let lines = [about, &format!("- `{code}`: {}", problem.means())];
        response["description"] = lines.join("\n").trim_start().into();
        response["content"]["application/json"]["examples"][code] = json!({ "value": example });
    }
    Value::Object(responses)
}
