//! The file of `--config`: its options by name, the line of a problem, and the nearest known name.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// An option in a file.
#[derive(Debug)]
pub(in crate::cli) struct Setting {
    /// Its name, as on the command line but without hyphens in front.
    pub(in crate::cli) name: String,
    /// Its values as text, several if the file has an array.
    pub(in crate::cli) values: Vec<String>,
    /// Whether the file has it as true or false.
    pub(in crate::cli) is_boolean: bool,
    /// The line, from 1.
    pub(in crate::cli) line: usize,
}

/// The options of a file, in its order.
///
/// # Errors
/// The line number and the problem: no TOML, an option that is a table.
pub(in crate::cli) fn settings(text: &str) -> Result<Vec<Setting>, String> {
    let table = DeTable::parse(text).map_err(|error| {
        let line = line_at(text, error.span().map_or(0, |span| span.start));
        format!("{line}: {}", error.message().replace('\n', " "))
    })?;
    let mut settings = Vec::new();
    for (key, value) in table.get_ref() {
        let line = line_at(text, key.span().start);
        let name = key.get_ref().replace('_', "-");
        let values = as_words(value)
            .ok_or_else(|| format!("{line}: {name}: expected a text, a number, true or false"))?;
        let is_boolean = matches!(value.get_ref(), DeValue::Boolean(_));
        settings.push(Setting { name, values, is_boolean, line });
    }
    settings.sort_by_key(|setting| setting.line);
    Ok(settings)
}

/// A value as text, as on the command line.
fn as_words(value: &Spanned<DeValue<'_>>) -> Option<Vec<String>> {
    let one = match value.get_ref() {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok()?.to_string()
        }
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(is) => is.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(items) => {
            let items: Option<Vec<Vec<String>>> = items.iter().map(as_words).collect();
            return Some(items?.concat());
        }
        DeValue::Table(_) => return None,
    };
    Some(vec![one])
}

fn line_at(text: &str, place: usize) -> usize {
    1 + text.get(..place).unwrap_or_default().matches('\n').count()
}

/// The end of a sentence about an unknown name: the nearest of the known names, or all.
pub(in crate::cli) fn instead(unknown: &str, known: &[&str]) -> String {
    match nearest(unknown, known) {
        Some(name) => format!("do you mean {name}?"),
        None => format!("known are {}", known.join(", ")),
    }
}

/// The known name that is most like an unknown one, if one is like it.
pub(in crate::cli) fn nearest<'a>(unknown: &str, known: &[&'a str]) -> Option<&'a str> {
    /// At least so like, from 0 to 1.
    const LIKE: f64 = 0.7;
    let likeness = |name: &&str| strsim::jaro_winkler(unknown, name);
    let nearest = known.iter().max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
    nearest.copied().filter(|name| likeness(name) >= LIKE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_the_command_line_would() {
        let text = "port = 4_020\n# where\nwebhook_ca = 'a.pem'\nstart = 2026-01-01T00:00:00Z\n\
                    grease = true\ncors = ['http://a', 'http://b']\n";
        let settings = settings(text).unwrap();
        let row = |it: &Setting| (it.name.clone(), it.values.join(" "), it.line);
        let all: Vec<_> = settings.iter().map(row).collect();
        let expected = [
            ("port", "4020", 1),
            ("webhook-ca", "a.pem", 3),
            ("start", "2026-01-01T00:00:00Z", 4),
            ("grease", "true", 5),
            ("cors", "http://a http://b", 6),
        ];
        let owned =
            |(name, value, line): (&str, &str, usize)| (name.to_owned(), value.to_owned(), line);
        assert_eq!(all, expected.map(owned));
    }

    #[test]
    fn the_nearest_name_is_suggested() {
        let known = ["port", "seed", "webhooks", "webhook-ca"];
        let instead = |unknown| instead(unknown, &known);
        assert_eq!(instead("prot"), "do you mean port?");
        assert_eq!(instead("webhook"), "do you mean webhooks?");
        assert_eq!(instead("zzz"), "known are port, seed, webhooks, webhook-ca");
    }
}
