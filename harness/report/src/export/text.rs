//! Text in which some parts are known only when the test runs.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::mark::MARK;

/// Text with variables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Piece {
    Text(String),
    Variable(String),
}

impl Piece {
    fn variable(&self) -> Option<&str> {
        match self {
            Piece::Variable(name) => Some(name),
            Piece::Text(_) => None,
        }
    }
}

impl Template {
    /// The template of a text with marked variables.
    pub(super) fn of(text: &str) -> Template {
        let parts = text.split(MARK).enumerate().filter(|(_, part)| !part.is_empty());
        let pieces = parts.map(|(index, part)| match index % 2 {
            0 => Piece::Text(part.to_owned()),
            _ => Piece::Variable(part.to_owned()),
        });
        Template(pieces.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The variables in it.
    pub(super) fn variables(&self) -> BTreeSet<&str> {
        self.0.iter().filter_map(Piece::variable).collect()
    }

    /// The text with `text` and `variable` in place of its parts, and `between` between them.
    pub(super) fn written(
        &self,
        text: impl Fn(&str) -> String,
        variable: impl Fn(&str) -> String,
        between: &str,
    ) -> String {
        if self.0.is_empty() {
            return text("");
        }
        let parts = self.0.iter().map(|piece| match piece {
            Piece::Text(part) => text(part),
            Piece::Variable(name) => variable(name),
        });
        parts.collect::<Vec<_>>().join(between)
    }
}
