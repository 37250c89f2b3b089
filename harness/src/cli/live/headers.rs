//! `--header`: the extra headers of every request.

use tideover_endpoint::client::ExtraHeader;

/// Parses headers: `NAME: VALUE`, or `NAME: $VARIABLE` for the value of an environment variable.
pub(super) fn read(given: &[String]) -> Result<Vec<ExtraHeader>, String> {
    given.iter().map(|text| header(text)).collect()
}

/// The same options for the output: a variable replaces each value.
pub(super) fn concealed(given: &[String]) -> impl Iterator<Item = String> {
    given.iter().enumerate().map(|(index, text)| {
        let (name, value) = split(text).unwrap_or_default();
        match variable(value) {
            Some(variable) => format!("{name}: ${variable}"),
            None => format!("{name}: $HEADER_{}", index + 1),
        }
    })
}

fn header(text: &str) -> Result<ExtraHeader, String> {
    let Some((name, value)) = split(text) else {
        return Err("header: expected a name, a colon and a value, such as 'X-Key: $KEY'".into());
    };
    let Some(variable) = variable(value) else { return ExtraHeader::new(name, value) };
    match std::env::var(variable) {
        Ok(value) => ExtraHeader::new(name, &value),
        Err(std::env::VarError::NotPresent) => {
            Err(format!("header: {name}: {variable} is not set: export it, or give the value"))
        }
        Err(std::env::VarError::NotUnicode(_)) => {
            Err(format!("header: {name}: the value of {variable} is not UTF-8"))
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
