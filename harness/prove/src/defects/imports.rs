//! Defects of imports and their reports.

use tideover_model::wire::reply::{ImportReport, ImportSummary, Reply};
use tideover_model::words::RowOutcome;
use tideover_model::{Answer, Code, Operation, Refusal, clause};

use crate::defects::Defect;
use crate::defects::breach::{Behind, answer, encoding, reply};
use crate::defects::errors::accepted;

pub(super) static DEFECTS: &[Defect] = &[
    altered!("read-report-is-in-upper-case", "2.importReport.externalId",
        Import(report) => report.external_id = report.external_id.to_uppercase(),
        "a report that is read back shows the identifier of its import in upper case"),
    Defect::new(
        "bad-rows-are-not-counted",
        clause!("2.importReport.rowCount"),
        "rowCount omits the rejected rows",
        reply(|reply| {
            alter_report(reply, |report| {
                report.row_count -= report.summary.rejected.min(report.row_count)
            });
        }),
    ),
    Defect::new(
        "interrupted-import-is-finished",
        clause!("2.importReport.finished"),
        "an interrupted import is shown as finished",
        reply(|reply| alter_report(reply, |report| report.finished = true)),
    ),
    Defect::new(
        "bad-rows-are-left-out",
        clause!("4.imports.6"),
        "a report omits the rejected rows",
        reply(|reply| {
            alter_report(reply, |report| {
                report.rows.retain(|row| row.outcome != RowOutcome::Rejected)
            });
        }),
    ),
    Defect::new(
        "ragged-row-is-reported-as-created",
        clause!("4.imports.6"),
        "the last row of a file is shown as created, whatever its outcome",
        reply(|reply| {
            alter_report(reply, |report| {
                if let Some(last) = report.rows.last_mut() {
                    last.outcome = RowOutcome::Created;
                }
            });
        }),
    ),
    Defect::new(
        "resumed-report-is-not-kept",
        clause!("4.import.1"),
        "the report of a resumed import is still the one from before the interruption",
        answer(|behind, operation| {
            let key = match &operation {
                Operation::ImportInvoices { import, .. } | Operation::GetImport { import } => {
                    behind.key(&[import])
                }
                _ => return behind.answer(operation),
            };
            match behind.answer(operation)? {
                Reply::Imported(report) => {
                    behind.memory.first(key, Reply::Import(report.clone()));
                    Ok(Reply::Imported(report))
                }
                report => Ok(behind.memory.kept(&key).cloned().unwrap_or(report)),
            }
        }),
    ),
    Defect::new(
        "interrupted-import-is-not-resumed",
        clause!("4.imports.7"),
        "sending the same file again returns the report from before the interruption",
        answer(|behind, operation| {
            let Operation::ImportInvoices { import, .. } = &operation else {
                return behind.answer(operation);
            };
            let read = behind.answer(Operation::GetImport { import: import.clone() });
            match (read, behind.answer(operation)?) {
                (Ok(Reply::Import(before)), Reply::Imported(_)) => Ok(Reply::Imported(before)),
                (_, reply) => Ok(reply),
            }
        }),
    ),
    Defect::new(
        "resumed-rows-are-done-twice",
        clause!("4.imports.7.2"),
        "after an import is resumed, the rows done before are shown as updates",
        answer(|behind, operation| {
            let Operation::ImportInvoices { import, .. } = &operation else {
                return behind.answer(operation);
            };
            let done = match behind.answer(Operation::GetImport { import: import.clone() }) {
                Ok(Reply::Import(before)) if !before.finished => before.rows.len(),
                _ => 0,
            };
            let mut answer = behind.answer(operation);
            if let Ok(reply) = &mut answer {
                alter_report(reply, |report| {
                    for row in report.rows.iter_mut().take(done) {
                        if row.outcome == RowOutcome::Created {
                            row.outcome = RowOutcome::Updated;
                        }
                    }
                });
            }
            answer
        }),
    ),
    Defect::new(
        "other-file-is-taken-for-the-same",
        clause!("4.imports.8"),
        "another file under a used identifier is answered with the report of the first file",
        answer(|behind, operation| {
            let import = match &operation {
                Operation::ImportInvoices { import, .. } => import.clone(),
                _ => return behind.answer(operation),
            };
            match behind.answer(operation) {
                Err(refusal) if refusal.code == Code::AlreadyImported => report(behind, import),
                answer => answer,
            }
        }),
    ),
    Defect::new(
        "derived-identifier-changes",
        clause!("4.imports.5.2"),
        "the second import derives another identifier from a legal name than the first",
        answer(|behind, operation| {
            let import = match &operation {
                Operation::ImportInvoices { import, .. } | Operation::GetImport { import } => {
                    import.clone()
                }
                _ => return behind.answer(operation),
            };
            let mut answer = behind.answer(operation);
            if import == "m1" {
                return answer;
            }
            if let Ok(reply) = &mut answer {
                alter_report(reply, |report| {
                    for payee in
                        report.rows.iter_mut().filter_map(|row| row.payee_external_id.as_mut())
                    {
                        if let Some(digits) = payee.strip_prefix("name-") {
                            *payee = format!("name-{}", digits.chars().rev().collect::<String>());
                        }
                    }
                });
            }
            answer
        }),
    ),
    Defect::new(
        "import-overwrites-an-advance",
        clause!("4.imports.2"),
        "a row of an invoice that has an advance is shown as an update",
        reply(|reply| {
            alter_report(reply, |report| {
                for row in &mut report.rows {
                    if row.outcome == RowOutcome::StatusOnly {
                        row.outcome = RowOutcome::Updated;
                    }
                }
            });
        }),
    )
    .named_as(clause!("3.invoice.2.2")),
    Defect::new(
        "unknown-import-is-empty",
        clause!("4.import.3"),
        "reading an import that nobody has uploaded returns an empty report",
        answer(|behind, operation| {
            let import = match &operation {
                Operation::GetImport { import } => import.clone(),
                _ => return behind.answer(operation),
            };
            match behind.answer(operation) {
                Err(refusal) if refusal.code == Code::ImportNotFound => {
                    Ok(Reply::Import(empty(&import, 0)))
                }
                answer => answer,
            }
        }),
    )
    .named_as(clause!("7.codes.import_not_found")),
    Defect::new(
        "thousand-and-one-rows-are-imported",
        clause!("4.imports.1.2"),
        "a file of more than 1000 rows is answered as imported",
        encoding(|profile, answer| {
            accepted(profile, answer, Code::TooManyRows, || Reply::Imported(empty("large", 1001)))
        }),
    ),
    Defect::new(
        "thousandth-row-is-refused",
        clause!("4.imports.1"),
        "a file of exactly 1000 rows is refused",
        answer(|behind, operation| match &operation {
            Operation::ImportInvoices { file, .. } if file.rows.len() >= 1000 => {
                Err(Refusal::new(Code::TooManyRows, clause!("4.imports.1.2")))
            }
            _ => behind.answer(operation),
        }),
    ),
    Defect::new(
        "file-without-a-column-is-imported",
        clause!("4.imports.9"),
        "a file that lacks a required column is answered as imported, with no rows",
        encoding(|profile, answer| {
            accepted(profile, answer, Code::UnreadableFile, || Reply::Imported(empty("file", 0)))
        }),
    ),
    Defect::new(
        "json-is-imported",
        clause!("4.imports.9.2"),
        "a file of another media type is answered as imported, with no rows",
        encoding(|profile, answer| {
            accepted(profile, answer, Code::UnsupportedMediaType, || {
                Reply::Imported(empty("file", 0))
            })
        }),
    ),
];

/// Alters a report, after the upload and when it is read back.
pub(super) fn alter_report(reply: &mut Reply, alter: impl FnOnce(&mut ImportReport)) {
    if let Reply::Imported(report) | Reply::Import(report) = reply {
        alter(report);
    }
}

fn report(behind: &mut Behind<'_>, import: String) -> Answer {
    match behind.answer(Operation::GetImport { import })? {
        Reply::Import(report) => Ok(Reply::Imported(report)),
        reply => Ok(reply),
    }
}

fn empty(import: &str, row_count: usize) -> ImportReport {
    let external_id = import.to_owned();
    let summary = ImportSummary::default();
    ImportReport { external_id, row_count, finished: true, summary, rows: Vec::new() }
}
