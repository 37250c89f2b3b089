//! Defects of import rows: how a row is read, and what it does.

use tideover_model::wire::reply::Reply;
use tideover_model::words::RowOutcome;
use tideover_model::{Code, ImportRow, InvoiceSync, Operation, Refusal, clause};

use crate::defects::Defect;
use crate::defects::breach::{answer, operation, reply};
use crate::defects::imports::alter_report;

pub(super) static DEFECTS: &[Defect] = &[
    Defect::new(
        "quoted-cells-are-split",
        clause!("4.imports.intro.1"),
        "a row with a comma within quotes is rejected for too many cells",
        operation(|operation| {
            each_row(operation, |_, row| {
                let comma = |sync: &InvoiceSync| sync.payee.details.legal_name.contains(',');
                if row.sync.as_ref().is_ok_and(comma) {
                    row.sync = Err("the line has too many cells".into());
                }
            });
        }),
    )
    .named_as(clause!("2.importReport.rows")),
    Defect::new(
        "identifiers-are-derived-for-each-row",
        clause!("4.imports.5.3"),
        "two rows with the same legal name and no identifier create two businesses",
        operation(|operation| {
            each_row(operation, |index, row| {
                if is_derived(row) {
                    name_payee(row, |derived| format!("{derived}-{index}"));
                }
            });
        }),
    )
    .named_as(clause!("4.imports.5")),
    Defect::new(
        "supplied-identifiers-are-not-read",
        clause!("4.imports.5.4"),
        "a payee is named after its legal name even if its row supplies an identifier",
        operation(|operation| {
            each_row(operation, |_, row| {
                if let (false, Ok(sync)) = (is_derived(row), &row.sync) {
                    let name = format!("name-{}", sync.payee.details.legal_name);
                    name_payee(row, |_| name);
                }
            });
        }),
    ),
    Defect::new(
        "row-without-an-identifier-is-bad",
        clause!("4.imports.5"),
        "a row without an identifier of its payee is rejected",
        operation(|operation| {
            each_row(operation, |_, row| {
                if is_derived(row) && row.sync.is_ok() {
                    row.sync = Err("payeeExternalId: must not be blank".into());
                }
            });
        }),
    ),
    Defect::new(
        "bad-row-fails-the-file",
        clause!("4.imports.6"),
        "a file with one bad row is refused as a whole",
        answer(|behind, operation| match &operation {
            Operation::ImportInvoices { file, .. }
                if file.rows.iter().any(|row| row.sync.is_err()) =>
            {
                Err(Refusal::new(Code::UnreadableFile, clause!("4.imports.9")))
            }
            _ => behind.answer(operation),
        }),
    )
    .named_as(clause!("7.codes.unreadable_file")),
    Defect::new(
        "finished-import-is-done-again",
        clause!("4.imports.7.2"),
        "sending the file of a finished import again syncs its rows again",
        answer(|behind, operation| {
            let Operation::ImportInvoices { import, file } = &operation else {
                return behind.answer(operation);
            };
            let read = behind.answer(Operation::GetImport { import: import.clone() });
            let again = matches!(read, Ok(Reply::Import(report)) if report.finished);
            let rows = if again { file.rows.clone() } else { Vec::new() };
            let reply = behind.answer(operation)?;
            for sync in rows.into_iter().filter_map(|row| row.sync.ok()) {
                behind.answer(Operation::SyncInvoice(Box::new(sync)))?;
            }
            Ok(reply)
        }),
    ),
    Defect::new(
        "read-report-shows-every-row-as-updated",
        clause!("4.import.1"),
        "a report that is read back shows created rows as updates",
        reply(|reply| {
            if let Reply::Import(report) = reply {
                for row in &mut report.rows {
                    if row.outcome == RowOutcome::Created {
                        row.outcome = RowOutcome::Updated;
                    }
                }
            }
        }),
    ),
    Defect::new(
        "row-with-too-many-cents-is-created",
        clause!("8.faceValue"),
        "a row with a face value out of range is shown as created",
        reply(|reply| {
            alter_report(reply, |report| {
                for row in &mut report.rows {
                    if row.error.as_ref().is_some_and(|error| error.starts_with("faceValue")) {
                        row.outcome = RowOutcome::Created;
                    }
                }
            });
        }),
    ),
    Defect::new(
        "line-of-names-is-counted",
        clause!("2.importReport.rowCount"),
        "rowCount includes the header line",
        reply(|reply| alter_report(reply, |report| report.row_count += 1)),
    ),
];

/// Alters each row of an uploaded file; `alter` also gets its index.
fn each_row(operation: &mut Operation, mut alter: impl FnMut(usize, &mut ImportRow)) {
    if let Operation::ImportInvoices { file, .. } = operation {
        for (index, row) in file.rows.iter_mut().enumerate() {
            alter(index, row);
        }
    }
}

/// Whether the identifier of the payee is derived from its legal name.
fn is_derived(row: &ImportRow) -> bool {
    row.payee.as_ref().is_some_and(|payee| payee.starts_with("name-"))
}

/// Renames the payee of a row.
fn name_payee(row: &mut ImportRow, name: impl FnOnce(&str) -> String) {
    if let (Some(payee), Ok(sync)) = (&mut row.payee, &mut row.sync) {
        *payee = name(payee);
        sync.payee.business.clone_from(payee);
    }
}
