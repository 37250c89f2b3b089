//! Defects of imports and their reports.

use tideover_model::wire::reply::{ImportReport, ImportSummary, Reply, RowReport};
use tideover_model::words::RowOutcome;
use tideover_model::{Answer, Operation};

use crate::Inner;
use crate::hooks::answer;

defects! {
    "read-report-is-in-upper-case", "2.importReport.externalId",
        "a report that is read back shows the identifier of its import in upper case",
        edit!(Import(report) => report.external_id = report.external_id.to_uppercase());
    "bad-rows-are-not-counted", "2.importReport.rowCount",
        "rowCount omits the rejected rows",
        edit!(Imported(report) | Import(report) =>
            report.row_count -= report.summary.rejected.min(report.row_count));
    "interrupted-import-is-finished", "2.importReport.finished",
        "an interrupted import is shown as finished",
        edit!(Imported(report) | Import(report) => report.finished = true);
    "bad-rows-are-left-out", "4.imports.6",
        "a report omits the rejected rows",
        edit!(Imported(report) | Import(report) =>
            report.rows.retain(|row| row.outcome != RowOutcome::Rejected));
    "ragged-row-is-reported-as-created", "4.imports.6",
        "the last row of a file is shown as created, whatever its outcome",
        edit!(Imported(report) | Import(report) let Some(last) = report.rows.last_mut(), =>
            last.outcome = RowOutcome::Created);
    "resumed-report-is-not-kept", "4.import.1",
        "the report of a resumed import is still the one from before the interruption",
        answer(&|inner, operation| {
            let key = match &operation {
                Operation::ImportInvoices { import, .. } | Operation::GetImport { import } => {
                    inner.key(&[import])
                }
                _ => return inner.answer(operation),
            };
            match inner.answer(operation)? {
                Reply::Imported(report) => {
                    inner.memory.first(key, Reply::Import(report.clone()));
                    Ok(Reply::Imported(report))
                }
                report => Ok(inner.memory.kept(&key).cloned().unwrap_or(report)),
            }
        });
    "interrupted-import-is-not-resumed", "4.imports.7",
        "sending the same file again returns the report from before the interruption",
        answer(&|inner, operation| {
            let Operation::ImportInvoices { import, .. } = &operation else {
                return inner.answer(operation);
            };
            let read = inner.answer(Operation::GetImport { import: import.clone() });
            match (read, inner.answer(operation)?) {
                (Ok(Reply::Import(before)), Reply::Imported(_)) => Ok(Reply::Imported(before)),
                (_, reply) => Ok(reply),
            }
        });
    "resumed-rows-are-done-twice", "4.imports.7.2",
        "after an import is resumed, the rows done before are shown as updates",
        answer(&|inner, operation| {
            let Operation::ImportInvoices { import, .. } = &operation else {
                return inner.answer(operation);
            };
            let done = match inner.answer(Operation::GetImport { import: import.clone() }) {
                Ok(Reply::Import(before)) if !before.finished => before.rows.len(),
                _ => 0,
            };
            let mut answer = inner.answer(operation);
            if let Ok(Reply::Imported(report)) = &mut answer {
                show_as_updated(report.rows.iter_mut().take(done), RowOutcome::Created);
            }
            answer
        });
    "other-file-is-taken-for-the-same", "4.imports.8",
        "another file under a used identifier is answered with the report of the first file",
        despite!(|inner, import| Operation::ImportInvoices { import, .. } => import.clone(),
            AlreadyImported => report(inner, import));
    "derived-identifier-changes", "4.imports.5.2",
        "the second import derives another identifier from a legal name than the first",
        after!(|inner, is_first|
            Operation::ImportInvoices { import, .. } | Operation::GetImport { import } => import == "m1",
            Imported(report) | Import(report) if !is_first => {
                let rows = report.rows.iter_mut();
                rows.filter_map(|row| row.payee_external_id.as_mut()).for_each(derive_otherwise);
            });
    "import-overwrites-an-advance", "4.imports.2", as "3.invoice.2.2",
        "a row of an invoice that has an advance is shown as an update",
        edit!(Imported(report) | Import(report) =>
            show_as_updated(report.rows.iter_mut(), RowOutcome::StatusOnly));
    "unknown-import-is-empty", "4.import.3", as "7.codes.import_not_found",
        "reading an import that nobody has uploaded returns an empty report",
        despite!(|inner, import| Operation::GetImport { import } => import.clone(),
            ImportNotFound => Ok(Reply::Import(empty(&import, 0))));
    "thousand-and-one-rows-are-imported", "4.imports.1.2",
        "a file of more than 1000 rows is answered as imported",
        accepted!(TooManyRows => Reply::Imported(empty("large", 1001)));
    "thousandth-row-is-refused", "4.imports.1",
        "a file of exactly 1000 rows is refused",
        refuse!(Operation::ImportInvoices { file, .. } if file.rows.len() >= 1000
            => TooManyRows, "4.imports.1.2");
    "file-without-a-column-is-imported", "4.imports.9",
        "a file that lacks a required column is answered as imported, with no rows",
        accepted!(UnreadableFile => Reply::Imported(empty("file", 0)));
    "json-is-imported", "4.imports.9.2",
        "a file of another media type is answered as imported, with no rows",
        accepted!(UnsupportedMediaType => Reply::Imported(empty("file", 0)));
}

/// Shows the rows with an outcome as updates.
pub(super) fn show_as_updated<'a>(
    rows: impl Iterator<Item = &'a mut RowReport>,
    outcome: RowOutcome,
) {
    rows.filter(|row| row.outcome == outcome).for_each(|row| row.outcome = RowOutcome::Updated);
}

fn derive_otherwise(payee: &mut String) {
    if let Some(digits) = payee.strip_prefix("name-") {
        *payee = format!("name-{}", digits.chars().rev().collect::<String>());
    }
}

fn report(inner: &mut Inner<'_>, import: String) -> Answer {
    match inner.answer(Operation::GetImport { import })? {
        Reply::Import(report) => Ok(Reply::Imported(report)),
        reply => Ok(reply),
    }
}

fn empty(import: &str, row_count: usize) -> ImportReport {
    let external_id = import.to_owned();
    let summary = ImportSummary::default();
    ImportReport { external_id, row_count, finished: true, summary, rows: Vec::new() }
}
