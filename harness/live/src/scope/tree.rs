//! JSON that keeps duplicate members of an object.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A JSON value, in the detail that the gate needs.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    Object(Vec<(String, Tree)>),
    List(Vec<Tree>),
    Text(String),
    /// The value, if it is a whole number.
    Number(Option<u64>),
    Nothing,
}

impl Tree {
    /// Parses `body`, if it is JSON.
    pub(super) fn read(body: &[u8]) -> Option<Tree> {
        serde_json::from_slice(body).ok()
    }

    pub(super) fn field(&self, name: &str) -> Option<&Tree> {
        let Tree::Object(members) = self else { return None };
        members.iter().find(|(member, _)| member == name).map(|(_, value)| value)
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Tree::Text(text) = self { Some(text) } else { None }
    }

    pub(super) fn whole_number(&self) -> Option<u64> {
        if let Tree::Number(number) = self { *number } else { None }
    }

    /// Whether it is null, true, false, or an empty list or object.
    pub(super) fn is_nothing(&self) -> bool {
        match self {
            Tree::Nothing => true,
            Tree::Object(members) => members.is_empty(),
            Tree::List(items) => items.is_empty(),
            Tree::Text(_) | Tree::Number(_) => false,
        }
    }

    /// Whether it is neither an object with members, nor a list that has one.
    pub(super) fn is_plain(&self) -> bool {
        match self {
            Tree::Object(members) => members.is_empty(),
            Tree::List(items) => items.iter().all(Tree::is_plain),
            Tree::Text(_) | Tree::Number(_) | Tree::Nothing => true,
        }
    }
}

impl From<&Value> for Tree {
    fn from(value: &Value) -> Tree {
        match value {
            Value::Null | Value::Bool(_) => Tree::Nothing,
            Value::Number(number) => Tree::Number(number.as_u64()),
            Value::String(text) => Tree::Text(text.clone()),
            Value::Array(items) => Tree::List(items.iter().map(Tree::from).collect()),
            Value::Object(members) => Tree::Object(
                members.iter().map(|(name, value)| (name.clone(), value.into())).collect(),
            ),
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tree, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Nothing)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Tree, E> {
        Ok(Tree::Nothing)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Tree, E> {
        Ok(Tree::Number(Some(number)))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Tree, E> {
        Ok(Tree::Number(None))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Tree, E> {
        Ok(Tree::Number(None))
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Tree::Object(members))
    }
}
