//! Members of enumerations, and the words that came in their place (§9 Versioning 2).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tideover_exchange::Exchange;
use tideover_exchange::evidence::finding::Finding;
use tideover_model::wire::schema::Role;
use tideover_model::{OperationKind, clause};

/// For how many subjects a member must have been due before its absence is a finding. A service that has a new member
/// for every third of them shows the old one for the others.
const OFTEN: u64 = 12;

/// The same for one that comes in other letters, as well as in its own: no new member is called so.
const OFTEN_IN_OTHER_LETTERS: u64 = 3;

/// A field of a response, and a member that was due in it.
type Member = (OperationKind, &'static str, &'static str);

/// The members that were due where another word came, and those that came.
///
/// Members may be added, so that another word proves nothing. But none is removed: a member that never comes although it
/// is due again and again, always with the same word in its place, has another name. So has one that comes in capitals or
/// in small letters where it is due in the others: words are compared as they stand.
#[derive(Clone, Debug, Default)]
pub struct Renamed {
    due: BTreeMap<Member, Others>,
    came: BTreeSet<Member>,
}

#[derive(Clone, Debug, Default)]
struct Others {
    words: BTreeSet<String>,
    /// The subjects of this case.
    subjects: BTreeSet<String>,
    /// How many there were in other cases.
    times: u64,
}

impl Others {
    fn times(&self) -> u64 {
        self.times + self.subjects.len() as u64
    }

    /// Whether they are the member itself, in other letters.
    fn are_letters_of(&self, member: &str) -> bool {
        let is_it = |word: &String| word.eq_ignore_ascii_case(member);
        self.times() >= OFTEN_IN_OTHER_LETTERS && self.words.iter().all(is_it)
    }
}

impl Renamed {
    pub(crate) fn record(&mut self, exchange: &Exchange<'_>) {
        let Some(kind) = exchange.kind() else { return };
        let bodies = exchange.predicted.success_body().zip(exchange.seen.success_body());
        let Some((predicted, seen)) = bodies else { return };
        // The words of a file's rows are not listed.
        for field in kind.reply_fields() {
            let Role::Word(members) = field.role else { continue };
            let words = [predicted, seen].map(|body| body.get(field.name).and_then(Value::as_str));
            let [Some(predicted), Some(seen)] = words else { continue };
            let listed = |word: &str| members.iter().find(|member| **member == word);
            match (listed(predicted), listed(seen)) {
                (_, Some(member)) => drop(self.came.insert((kind, field.name, member))),
                (Some(due), None) if !seen.is_empty() => {
                    let others = self.due.entry((kind, field.name, due)).or_default();
                    others.words.insert(seen.to_owned());
                    others.subjects.insert(format!("{:?}", exchange.subject()));
                }
                _ => {}
            }
        }
    }

    pub fn add(&mut self, other: &Renamed) {
        for (member, others) in &other.due {
            let known = self.due.entry(*member).or_default();
            known.words.extend(others.words.iter().cloned());
            known.times += others.times();
        }
        self.came.extend(&other.came);
    }

    /// The members that never came, or came in other letters.
    pub(crate) fn findings(&self) -> Vec<(Finding, u64)> {
        let renamed = self.due.iter().filter(|(member, others)| {
            let [is_one, never_came] = [others.words.len() == 1, !self.came.contains(*member)];
            is_one && (others.times() >= OFTEN && never_came || others.are_letters_of(member.2))
        });
        let finding = |((kind, field, member), others): (&Member, &Others)| {
            let (word, times) = (others.words.first()?, others.times());
            let (expected, seen) = match self.came.contains(&(*kind, *field, *member)) {
                true => (format!("{member}, for each of {times} subjects"), word.clone()),
                false => (
                    format!("{member}, at least once for {times} subjects"),
                    format!("{word} each time"),
                ),
            };
            let clause = clause!("9.versioning.2");
            Some((Finding::new(clause, kind.to_string(), *field, expected, seen), times))
        };
        renamed.filter_map(finding).collect()
    }
}
