//! Texts that the caller sends and reads back, and that are the same for everybody (§2 Resources and their fields).

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::Exchange;
use tideover_exchange::evidence::finding::Finding;
use tideover_model::OperationKind;
use tideover_model::wire::schema::{Field, Origin};

/// For how many subjects with different texts one text must have come before it is a finding.
const OFTEN: usize = 12;

/// A field of a response.
type Place = (OperationKind, &'static str);

/// The texts that were due in fields that the caller decides, and those that came.
///
/// Which name a response shows may be open, so that another one proves nothing. But none is that of all businesses.
#[derive(Clone, Debug, Default)]
pub struct Constant(BTreeMap<Place, Texts>);

#[derive(Clone, Debug, Default)]
struct Texts {
    /// The text that was due for a subject first, if none before has it.
    due: BTreeMap<String, String>,
    /// Those that came: no more once there are two.
    came: BTreeSet<String>,
}

impl Texts {
    fn expect(&mut self, subject: &str, due: &str) {
        if self.due.len() < OFTEN && !self.due.values().any(|known| known == due) {
            self.due.entry(subject.to_owned()).or_insert_with(|| due.to_owned());
        }
    }
}

/// The texts of responses that the caller decides.
fn echoes(kind: OperationKind) -> impl Iterator<Item = &'static Field> {
    let is_stated = |field: &&Field| field.origin == Origin::Caller && field.is_documented();
    kind.reply_fields().iter().filter(is_stated)
}

impl Constant {
    pub(crate) fn record(&mut self, exchange: &Exchange<'_>) {
        let Some(kind) = exchange.kind() else { return };
        let bodies = exchange.predicted.success_body().zip(exchange.seen.success_body());
        let Some((predicted, seen)) = bodies else { return };
        for field in echoes(kind) {
            let text = |body: &serde_json::Value| Some(body.get(field.name)?.as_str()?.to_owned());
            if let Some((due, came)) = text(predicted).zip(text(seen)) {
                let texts = self.0.entry((kind, field.name)).or_default();
                // Two texts settle it: no more is to be kept.
                if texts.came.len() < 2 {
                    texts.expect(&format!("{:?}", exchange.subject()), &due);
                    texts.came.insert(came);
                }
            }
        }
    }

    pub fn add(&mut self, other: &Constant) {
        for (place, texts) in &other.0 {
            let known = self.0.entry(*place).or_default();
            texts.due.iter().for_each(|(subject, due)| known.expect(subject, due));
            if known.came.len() < 2 {
                known.came.extend(texts.came.iter().cloned());
            }
        }
    }

    /// The fields that always had the same text.
    pub(crate) fn findings(&self) -> Vec<(Finding, u64)> {
        let always = self.0.iter().filter_map(|((kind, name), texts)| {
            let field = echoes(*kind).find(|field| field.name == *name)?;
            let only = texts.came.first().filter(|_| texts.came.len() == 1)?;
            let count = texts.due.len();
            (count >= OFTEN).then(|| {
                let expected = format!("a text of its own for some of {count} subjects or more");
                let seen = format!("\"{only}\" each time");
                let finding = Finding::new(field.clause, kind.to_string(), *name, expected, seen);
                (finding, count as u64)
            })
        });
        always.collect()
    }
}
