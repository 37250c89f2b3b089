//! JSON whose objects keep the order of their members, and whose white space can vary.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::grease::draws::Draws;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Leaf(Value),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The field of this name, if the value is an object that has one.
    pub(crate) fn field(&mut self, name: &str) -> Option<&mut Json> {
        let Json::Object(fields) = self else { return None };
        fields.iter_mut().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Puts a text in place of the one in this field; false if there is none.
    pub(crate) fn replace_text(&mut self, name: &str, text: &str) -> bool {
        let Some(field @ Json::Leaf(Value::String(_))) = self.field(name) else { return false };
        *field = Json::Leaf(text.into());
        true
    }

    /// The items of the array in this field.
    pub(super) fn items(&mut self, name: &str) -> &mut [Json] {
        match self.field(name) {
            Some(Json::Array(items)) => items,
            _ => &mut [],
        }
    }

    /// Every object at any depth, this one first.
    pub(super) fn each_object(&mut self, change: &mut impl FnMut(&mut Vec<(String, Json)>)) {
        match self {
            Json::Leaf(_) => {}
            Json::Array(items) => items.iter_mut().for_each(|item| item.each_object(change)),
            Json::Object(fields) => {
                change(fields);
                fields.iter_mut().for_each(|(_, value)| value.each_object(change));
            }
        }
    }

    /// The bytes, without white space.
    pub(crate) fn compact(&self) -> Vec<u8> {
        self.written(&mut Style::Compact)
    }

    /// The bytes, with line breaks and tabs as hardly any software writes them by itself.
    pub(crate) fn indented(&self) -> Vec<u8> {
        self.written(&mut Style::Indented { line: "\r\n", indent: "\t" })
    }

    /// The bytes, with white space of this style.
    pub(super) fn written(&self, style: &mut Style) -> Vec<u8> {
        let mut text = String::new();
        style.pad(&mut text, Place::End);
        self.write(&mut text, style, 0);
        style.pad(&mut text, Place::End);
        text.into_bytes()
    }

    fn write(&self, text: &mut String, style: &mut Style, depth: usize) {
        let (open, length, close) = match self {
            Json::Leaf(value) => return text.push_str(&value.to_string()),
            Json::Array(items) => ('[', items.len(), ']'),
            Json::Object(fields) => ('{', fields.len(), '}'),
        };
        text.push(open);
        for index in 0..length {
            if index > 0 {
                text.push(',');
            }
            style.pad(text, Place::Item { is_first: index == 0, depth: depth + 1 });
            match self {
                Json::Leaf(_) => {}
                Json::Array(items) => items[index].write(text, style, depth + 1),
                Json::Object(fields) => {
                    let (name, value) = &fields[index];
                    text.push_str(&Value::from(name.as_str()).to_string());
                    style.pad(text, Place::Colon);
                    text.push(':');
                    style.pad(text, Place::Value);
                    value.write(text, style, depth + 1);
                }
            }
        }
        if length > 0 {
            style.pad(text, Place::Close { depth });
        }
        text.push(close);
    }
}

/// Where white space may stand.
#[derive(Clone, Copy)]
enum Place {
    /// Before or after the whole text.
    End,
    Item {
        is_first: bool,
        depth: usize,
    },
    Colon,
    Value,
    Close {
        depth: usize,
    },
}

/// How much white space a text has.
pub(super) enum Style {
    Compact,
    Spaced,
    Indented {
        line: &'static str,
        indent: &'static str,
    },
    /// Any white space anywhere.
    Ragged(Draws),
}

impl Style {
    /// A style that is not compact.
    pub(super) fn drawn(mut draws: Draws) -> Style {
        match draws.below(4) {
            0 => Style::Spaced,
            1 => Style::Indented { line: "\n", indent: "  " },
            2 => Style::Indented { line: "\r\n", indent: "\t" },
            _ => Style::Ragged(draws),
        }
    }

    fn pad(&mut self, text: &mut String, place: Place) {
        match self {
            Style::Compact => {}
            Style::Spaced => {
                if matches!(place, Place::Value | Place::Item { is_first: false, .. }) {
                    text.push(' ');
                }
            }
            Style::Indented { line, indent } => match place {
                Place::Item { depth, .. } | Place::Close { depth } => {
                    text.push_str(line);
                    (0..depth).for_each(|_| text.push_str(indent));
                }
                Place::Value => text.push(' '),
                Place::Colon | Place::End => {}
            },
            Style::Ragged(draws) => {
                for _ in 0..draws.below(3) {
                    text.push(draws.one_of(&[' ', '\t', '\n', '\r']));
                }
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        struct Ordered;
        impl<'de> Visitor<'de> for Ordered {
            type Value = Json;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }
            fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
                Ok(Json::Leaf(value.into()))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
                Ok(Json::Leaf(value.into()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
                Ok(Json::Leaf(value.into()))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
                Ok(Json::Leaf(value.into()))
            }
            fn visit_str<E>(self, value: &str) -> Result<Json, E> {
                Ok(Json::Leaf(value.into()))
            }
            fn visit_unit<E>(self) -> Result<Json, E> {
                Ok(Json::Leaf(Value::Null))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Json::Array(items))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Json::Object(fields))
            }
        }
        deserializer.deserialize_any(Ordered)
    }
}

#[cfg(test)]
mod tests {
    use tideover_model::Seeded;

    use super::*;
    use crate::grease::freedom::Freedom;

    #[test]
    fn compact_json_is_unchanged_and_any_style_means_the_same() {
        let text = r#"{"b":[1,-2,{"é\n":"\"x\"","none":null}],"a":true,"o":{},"l":[]}"#;
        let json: Json = serde_json::from_str(text).unwrap();
        assert_eq!(json.written(&mut Style::Compact), text.as_bytes());
        let meaning: Value = serde_json::from_str(text).unwrap();
        for occasion in 0..40 {
            let draws = Draws::of(Seeded { seed: 1 }, Freedom::WhiteSpace, occasion);
            let bytes = json.written(&mut Style::drawn(draws));
            assert_ne!(bytes, text.as_bytes());
            assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), meaning);
        }
    }
}
