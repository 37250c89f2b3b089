//! A parameter of a route.

use serde_json::{Value, json};
use utoipa::PartialSchema;

use crate::deliveries::DeliveryState;

/// A parameter: its name, what it means, what it holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) means: &'static str,
    /// Whether it can be missing.
    pub(super) optional: bool,
    pub(super) schema: fn() -> Value,
}

impl Parameter {
    /// One that can be missing.
    pub(super) const fn optional(self) -> Parameter {
        Parameter { optional: true, ..self }
    }
}

pub(super) const fn text(name: &'static str, means: &'static str) -> Parameter {
    Parameter { name, means, optional: false, schema: || json!({ "type": "string" }) }
}

pub(super) const fn whole(name: &'static str, means: &'static str) -> Parameter {
    Parameter { name, means, optional: false, schema: || json!({ "type": "integer" }) }
}

pub(super) const fn flag(name: &'static str, means: &'static str) -> Parameter {
    Parameter { name, means, optional: false, schema: || json!({ "type": "boolean" }) }
}

/// The state of a delivery, as an answer has it.
pub(super) const fn state(name: &'static str, means: &'static str) -> Parameter {
    let schema = || json!({ "type": "string", "examples": json!(DeliveryState::schema())["enum"] });
    Parameter { name, means, optional: false, schema }
}
