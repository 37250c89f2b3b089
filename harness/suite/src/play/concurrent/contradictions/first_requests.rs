//! An invoice has one advance, however many requests ask for it (`4.advances.2`), and every repeat
//! gets it (`4.advances.2.2`).

use tideover_exchange::masked_field;
use tideover_judge::checks::repeated_advance::{UNCHANGED, is_unchanged};
use tideover_model::wire::field;
use tideover_model::{OperationKind, clause};

use crate::play::concurrent::contradictions::Contradiction;
use crate::play::concurrent::contradictions::{
    Broken, Looked, granted, is_first, requests_for_advances,
};
use crate::play::concurrent::history::History;

pub(super) fn look(history: &History, looked: &mut Looked) {
    for ((_, payee, invoice), asked) in requests_for_advances(history) {
        let first: Vec<usize> =
            asked.iter().copied().filter(|one| is_first(&history.requests[*one])).collect();
        if asked.iter().filter(|one| granted(&history.requests[**one]).is_some()).count() > 1 {
            looked.meet(clause!("4.advances.2"));
            looked.meet(clause!("4.advances.2.2"));
        }
        if first.len() > 1 {
            let broken = Broken {
                clause: clause!("4.advances.2"),
                kind: OperationKind::RequestAdvance,
                field: field::ALREADY_REQUESTED,
                expected: format!("false once for invoice {invoice} of {payee}"),
                seen: format!("false {} times", first.len()),
            };
            looked.contradictions.push(broken.by(first));
        }
        let differing = UNCHANGED.iter().find_map(|field| differing(history, &asked, field));
        looked.contradictions.extend(differing);
    }
}

/// Two responses that show one advance differently.
fn differing(history: &History, asked: &[usize], field: &'static str) -> Option<Contradiction> {
    let shown = |one: &usize| Some((*one, granted(&history.requests[*one])?.get(field)?));
    let mut answers = asked.iter().filter_map(shown);
    let (one, expected) = answers.next()?;
    let (other, seen) = answers.find(|(_, seen)| !is_unchanged(field, expected, seen))?;
    let broken = Broken {
        clause: clause!("4.advances.2.2"),
        kind: OperationKind::RequestAdvance,
        field,
        expected: masked_field(field, expected),
        seen: masked_field(field, seen),
    };
    Some(broken.by(vec![one, other]))
}
