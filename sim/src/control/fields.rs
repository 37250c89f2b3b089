//! Reads the fields of small bodies by hand, so that a refusal can name the field.

use serde_json::{Map, Value};
use tideover_model::wire::problem::{unfit, unknown_field};

use crate::control::{ControlError, invalid};

/// The fields of an object.
pub(super) struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    /// The fields of a body, which must be an object with `known` fields alone.
    pub(super) fn of(body: &'a Value, known: &[&str]) -> Result<Fields<'a>, ControlError> {
        let fields = body.as_object();
        let fields = fields.ok_or_else(|| invalid(&unfit("the body", "an object", Some(body))))?;
        match fields.keys().find(|name| !known.contains(&name.as_str())) {
            Some(other) => Err(invalid(&unknown_field(other, known))),
            None => Ok(Fields(fields)),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name)
    }

    /// A whole number of at most `most`.
    pub(super) fn number(&self, name: &str, default: u64, most: u64) -> Result<u64, ControlError> {
        let Some(value) = self.get(name) else { return Ok(default) };
        let expected = || unfit(name, &format!("a whole number from 0 to {most}"), Some(value));
        let number = value.as_u64().filter(|number| *number <= most);
        number.ok_or_else(|| invalid(&expected()))
    }
}
