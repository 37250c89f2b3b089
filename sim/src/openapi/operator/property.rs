//! A property of a body, or a parameter.

use serde_json::{Value, json};

use crate::openapi::schemas::reference;

/// A property: its name, what it holds, what it means.
#[derive(Clone, Copy, Debug)]
pub(super) struct Property {
    pub(super) name: &'static str,
    pub(super) means: &'static str,
    /// Whether it can be missing.
    pub(super) optional: bool,
    holds: Holds,
    nullable: bool,
}

#[derive(Clone, Copy, Debug)]
enum Holds {
    Text,
    Whole,
    Flag,
    Time,
    Anything,
    Object,
    /// One of these words, today.
    Word(&'static [&'static str]),
    /// One of these words, in a request.
    Choice(&'static [&'static str]),
    One(&'static str),
    Many(&'static str),
    Objects,
    Texts,
    Wholes,
    TextByName,
}

impl Property {
    const fn new(name: &'static str, holds: Holds, means: &'static str) -> Property {
        Property { name, means, optional: false, holds, nullable: false }
    }

    /// A property that can be missing.
    pub(super) const fn optional(self) -> Property {
        Property { optional: true, ..self }
    }

    /// A property that is always there.
    pub(super) const fn always(self) -> Property {
        Property { optional: false, ..self }
    }

    /// A property that can be null.
    pub(super) const fn nullable(self) -> Property {
        Property { nullable: true, ..self }
    }

    /// Its schema.
    pub(super) fn schema(&self) -> Value {
        let typed = |name: &str| match self.nullable {
            true => json!({ "type": [name, "null"] }),
            false => json!({ "type": name }),
        };
        let mut schema = match self.holds {
            Holds::Text => typed("string"),
            Holds::Whole => typed("integer"),
            Holds::Flag => typed("boolean"),
            Holds::Time => typed("string"),
            Holds::Anything => json!({}),
            Holds::Object => {
                let mut object = typed("object");
                object["additionalProperties"] = true.into();
                object
            }
            Holds::Word(_) | Holds::Choice(_) => typed("string"),
            Holds::One(name) if self.nullable => {
                json!({ "anyOf": [reference(name), { "type": "null" }] })
            }
            Holds::One(name) => json!({ "allOf": [reference(name)] }),
            Holds::Many(name) => json!({ "type": "array", "items": reference(name) }),
            Holds::Objects => {
                let item = json!({ "type": "object", "additionalProperties": true });
                json!({ "type": "array", "items": item })
            }
            Holds::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Holds::Wholes => json!({ "type": "array", "items": { "type": "integer" } }),
            Holds::TextByName => {
                json!({ "type": "object", "additionalProperties": { "type": "string" } })
            }
        };
        match self.holds {
            Holds::Time => schema["format"] = "date-time".into(),
            Holds::Word(words) => schema["examples"] = words.into(),
            Holds::Choice(words) => schema["enum"] = words.into(),
            _ => {}
        }
        schema["description"] = self.described().into();
        schema
    }

    fn described(&self) -> String {
        let Holds::Word(words) = self.holds else { return self.means.to_owned() };
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        format!("{} One of {}.", self.means, words.join(", "))
    }
}

macro_rules! constructors {
    ($($name:ident $holds:ident;)*) => {
        $(pub(super) const fn $name(name: &'static str, means: &'static str) -> Property {
            Property::new(name, Holds::$holds, means)
        })*
    };
}

constructors! {
    text Text;
    whole Whole;
    flag Flag;
    time Time;
    anything Anything;
    object Object;
    objects Objects;
    texts Texts;
    wholes Wholes;
    text_by_name TextByName;
}

/// One of these words.
pub(super) const fn word(
    name: &'static str,
    words: &'static [&'static str],
    means: &'static str,
) -> Property {
    Property::new(name, Holds::Word(words), means)
}

/// An array of bodies of this name.
pub(super) const fn many(name: &'static str, body: &'static str, means: &'static str) -> Property {
    Property::new(name, Holds::Many(body), means)
}

/// One of these words and no other: a request with another one is refused.
pub(super) const fn choice(
    name: &'static str,
    words: &'static [&'static str],
    means: &'static str,
) -> Property {
    Property::new(name, Holds::Choice(words), means)
}

/// A body of this name.
pub(super) const fn one(name: &'static str, body: &'static str, means: &'static str) -> Property {
    Property::new(name, Holds::One(body), means)
}
