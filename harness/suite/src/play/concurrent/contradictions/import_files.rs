//! An import identifier stands for one file (`4.imports.8`).

use std::collections::BTreeMap;

use tideover_model::{ImportRow, Operation, OperationKind, clause};

use crate::play::concurrent::history::History;

use crate::play::concurrent::contradictions::{Broken, Looked, Named};

/// The first file taken under an identifier, and files with other rows. What else makes a file another one is a gap
/// (`gap.sameFile`).
pub(super) fn look(history: &History, looked: &mut Looked) {
    let mut first: BTreeMap<Named<'_>, (usize, &[ImportRow])> = BTreeMap::new();
    for (index, request, operation) in history.operations() {
        let Operation::ImportInvoices { import, file } = operation else { continue };
        let key = (&request.sent.authorization, import.as_str());
        let is_other = first.get(&key).is_some_and(|(_, rows)| *rows != file.rows);
        if is_other && request.outcome().is_some() {
            looked.meet(clause!("4.imports.8"));
        }
        if request.success().is_none() {
            continue;
        }
        let (taken, rows) = first.entry(key).or_insert((index, &file.rows));
        if *rows != file.rows {
            let broken = Broken {
                clause: clause!("4.imports.8"),
                kind: OperationKind::ImportInvoices,
                field: "code",
                expected: format!("already_imported for all but one of the files sent as {import}"),
                seen: "two different files, both taken".to_owned(),
            };
            looked.contradictions.push(broken.by(vec![*taken, index]));
        }
    }
}
