//! What the mock speaks, in OpenAPI 3.1: the partner API with its webhooks, built from the code's own types, tables
//! and statuses, and the operator port.

mod examples;
mod operations;
pub(crate) mod operator;
mod prose;
mod schemas;
mod webhooks;

use axum::http::HeaderMap;
use axum::http::header::HOST;
use axum::response::Response;
use serde_json::{Map, Value, json};
use tideover_model::{OperationKind, Profile};

use crate::control::ControlCaller;
use crate::extract;
use crate::respond;
use examples::Examples;
use operations::operation;
use prose::{PARTNER_API, plain, tags};
use schemas::Schemas;
use webhooks::webhooks;

/// `GET /_sim/openapi.json`: the partner API of this world in OpenAPI 3.1.
pub(crate) async fn partner_api(caller: ControlCaller, headers: HeaderMap) -> Response {
    respond::ok(&served_at(&headers, document(caller.world.profile())))
}

/// The document with the address under which it was asked for, so that a generated client needs no other.
fn served_at(headers: &HeaderMap, mut document: Value) -> Value {
    if let Some(host) = extract::header(headers, HOST) {
        document["servers"] = json!([{ "url": format!("http://{host}") }]);
    }
    document
}

/// `GET /_sim/operator.json`: the operator port in OpenAPI 3.1.
pub(crate) async fn operator_port(headers: HeaderMap) -> Response {
    respond::ok(&served_at(&headers, operator::document()))
}

/// The partner API of a service that assumes `profile`.
fn document(profile: &Profile) -> Value {
    let examples = Examples::of(profile);
    let mut schemas = Schemas::default();
    let mut paths = Map::new();
    for kind in OperationKind::ALL {
        let path = paths.entry(kind.path()).or_insert_with(|| json!({}));
        let operation = operation(profile, kind, &mut schemas, &examples);
        path[kind.method().to_ascii_lowercase()] = operation;
    }
    let webhooks = webhooks(&mut schemas, &examples);
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Receivables Advance Partner API",
            "version": "v1",
            "description": PARTNER_API,
        },
        "servers": [{ "url": "/" }],
        "security": [{ "apiKey": [] }],
        "tags": tags(),
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "schemas": schemas.0,
            "securitySchemes": { "apiKey": { "type": "http", "scheme": "bearer" } },
        },
    });
    plain(&mut document);
    document
}
