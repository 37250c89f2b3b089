//! `--header`: the extra headers of every request.

use std::env::VarError;

use tideover_endpoint::client::ExtraHeader;

use crate::cli::{Problem, wrong};

/// Parses headers: `NAME: VALUE`, or `NAME: $VARIABLE` for the value of an environment variable.
pub(super) fn read(given: &[String]) -> Result<Vec<ExtraHeader>, Problem> {
    given.iter().map(|text| header(text)).collect()
}

/// An option for the output: a variable replaces its value. `number` counts the headers from 1.
pub(super) fn concealed(text: &str, number: usize) -> String {
    let (name, value) = split(text).unwrap_or_default();
    match variable(value) {
        Some(variable) => format!("{name}: ${variable}"),
        None => format!("{name}: $HEADER_{number}"),
    }
}

fn header(text: &str) -> Result<ExtraHeader, Problem> {
    let form = "header: expected a name, a colon and a value, such as 'X-Key: $KEY'";
    let (name, value) = split(text).ok_or_else(|| wrong(form))?;
    let Some(variable) = variable(value) else { return Ok(ExtraHeader::new(name, value)?) };
    match std::env::var(variable) {
        Ok(value) => Ok(ExtraHeader::new(name, &value)?),
        Err(VarError::NotPresent) => Err(wrong(format!(
            "header: {name}: {variable} is not set: export it, or give the value"
        ))),
        Err(VarError::NotUnicode(_)) => {
            Err(wrong(format!("header: {name}: the value of {variable} is not UTF-8")))
        }
    }
}

fn split(text: &str) -> Option<(&str, &str)> {
    text.split_once(':').map(|(name, value)| (name.trim(), value.trim()))
}

fn variable(value: &str) -> Option<&str> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    value.strip_prefix('$').filter(|name| !name.is_empty() && name.bytes().all(is_part))
}
