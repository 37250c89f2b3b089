//! An import identifier stands for one file (`4.imports.8`).

use std::collections::BTreeMap;

use tideover_model::{ImportRow, Operation, OperationKind, clause};

use super::{Broken, Named};
use crate::concurrent::decoded::Decoded;
use crate::concurrent::judgement::Contradiction;

/// The first file taken under an identifier, and files with other rows. What else makes a file another one is a gap
/// (`gap.sameFile`).
pub(super) fn find(history: &Decoded<'_>) -> Vec<Contradiction> {
    let mut first: BTreeMap<Named<'_>, (usize, &[ImportRow])> = BTreeMap::new();
    let mut found = Vec::new();
    for (index, request, operation) in history.operations() {
        let Operation::ImportInvoices { import, file } = operation else { continue };
        if request.success().is_none() {
            continue;
        }
        let key = (&request.sent.authorization, import.as_str());
        let (taken, rows) = first.entry(key).or_insert((index, &file.rows));
        if *rows != file.rows {
            let broken = Broken {
                clause: clause!("4.imports.8"),
                kind: OperationKind::ImportInvoices,
                field: "code",
                expected: format!("already_imported for all but one of the files sent as {import}"),
                seen: "two different files, both taken".to_owned(),
            };
            found.push(broken.by(vec![*taken, index]));
        }
    }
    found
}
