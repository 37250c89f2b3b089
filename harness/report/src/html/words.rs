//! The words that the page explains. The glossary of the guide has the same rows.

use minijinja::Value;
use serde::Serialize;

/// A word and its meaning.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Word {
    /// The word.
    pub name: &'static str,
    /// What it means, in one line.
    pub meaning: &'static str,
}

/// The words, in alphabetical order.
pub const WORDS: [Word; 13] = [
    word("argued", "examined without proof: a breach would show in a clause that a check met"),
    word("blame", "who is at fault: the service, the network, or Tideover"),
    word("case", "a sequence of steps in a fresh world"),
    word("clause", "one testable sentence of the document, named after its place"),
    word("finding", "what contradicts the document, with its evidence"),
    word(
        "fingerprint",
        "a short name of a cause that stays the same from run to run; a baseline lists them",
    ),
    word("gap", "a point that the document leaves open"),
    word("out of reach", "not examined, because the given options do not reach it"),
    word(
        "proven",
        "examined by a check of its own, or by one that finds a planted defect of the clause",
    ),
    word("race", "requests that are sent at once"),
    word("replay", "the same steps, played again from a transcript"),
    word("seed", "the number from which everything random is drawn"),
    word("step", "one symbolic request or action of a case"),
];

const fn word(name: &'static str, meaning: &'static str) -> Word {
    Word { name, meaning }
}

/// A text that leads to the meaning of `name`, or of the text itself.
pub(super) fn link(text: &str, name: Option<&str>) -> Value {
    let name = name.unwrap_or(text);
    let Some(Word { name, meaning }) = WORDS.iter().find(|word| word.name == name) else {
        return Value::from(text);
    };
    let target = anchor(name);
    Value::from_safe_string(format!(
        "<a class=\"word\" href=\"#{target}\" title=\"{meaning}\">{text}</a>"
    ))
}

/// The anchor of a word on the page.
pub(super) fn anchor(name: &str) -> String {
    format!("word-{}", name.replace(' ', "-"))
}
