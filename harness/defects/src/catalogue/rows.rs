//! Defects of import rows: how a row is read, and what it does.

use tideover_model::wire::reply::Reply;
use tideover_model::words::RowOutcome;
use tideover_model::{ImportRow, InvoiceSync, Operation};

use crate::catalogue::imports::show_as_updated;
use crate::hooks::answer;

/// Changes something in each row of a file before it is imported.
macro_rules! each_row {
    (|$index:tt, $row:ident| $change:expr) => {
        request!(ImportInvoices { file, .. } => {
            for ($index, $row) in file.rows.iter_mut().enumerate() {
                $change
            }
        })
    };
}

defects! {
    "quoted-cells-are-split", "4.imports.intro.1", as "2.importReport.rows",
        "a row with a comma within quotes is rejected for too many cells",
        each_row!(|_, row| {
            let comma = |sync: &InvoiceSync| sync.payee.details.legal_name.contains(',');
            if row.sync.as_ref().is_ok_and(comma) {
                row.sync = Err("the line has too many cells".into());
            }
        });
    "identifiers-are-derived-for-each-row", "4.imports.5.3", as "4.imports.5",
        "two rows with the same legal name and no identifier create two businesses",
        each_row!(|index, row| {
            if is_derived(row) {
                name_payee(row, |derived| format!("{derived}-{index}"));
            }
        });
    "supplied-identifiers-are-not-read", "4.imports.5.4",
        "a payee is named after its legal name even if its row supplies an identifier",
        each_row!(|_, row| {
            if let (false, Ok(sync)) = (is_derived(row), &row.sync) {
                let name = format!("name-{}", sync.payee.details.legal_name);
                name_payee(row, |_| name);
            }
        });
    "row-without-an-identifier-is-bad", "4.imports.5",
        "a row without an identifier of its payee is rejected",
        each_row!(|_, row| {
            if is_derived(row) && row.sync.is_ok() {
                row.sync = Err("payeeExternalId: must not be blank".into());
            }
        });
    "bad-row-fails-the-file", "4.imports.6", as "7.codes.unreadable_file",
        "a file with one bad row is refused as a whole",
        refuse!(Operation::ImportInvoices { file, .. }
            if file.rows.iter().any(|row| row.sync.is_err())
            => UnreadableFile, "4.imports.9");
    "finished-import-is-done-again", "4.imports.7.2",
        "sending the file of a finished import again syncs its rows again",
        answer(&|inner, operation| {
            let Operation::ImportInvoices { import, file } = &operation else {
                return inner.answer(operation);
            };
            let read = inner.answer(Operation::GetImport { import: import.clone() });
            let again = matches!(read, Ok(Reply::Import(report)) if report.finished);
            let rows = if again { file.rows.clone() } else { Vec::new() };
            let reply = inner.answer(operation)?;
            for sync in rows.into_iter().filter_map(|row| row.sync.ok()) {
                inner.answer(Operation::SyncInvoice(Box::new(sync)))?;
            }
            Ok(reply)
        });
    "read-report-shows-every-row-as-updated", "4.import.1",
        "a report that is read back shows created rows as updates",
        edit!(Import(report) =>
            show_as_updated(report.rows.iter_mut(), RowOutcome::Created));
    "row-with-too-many-cents-is-created", "8.faceValue",
        "a row with a face value out of range is shown as created",
        edit!(Imported(report) | Import(report) => {
            for row in &mut report.rows {
                if row.error.as_ref().is_some_and(|error| error.starts_with("faceValue")) {
                    row.outcome = RowOutcome::Created;
                }
            }
        });
    "line-of-names-is-counted", "2.importReport.rowCount",
        "rowCount includes the header line",
        edit!(Imported(report) | Import(report) => report.row_count += 1);
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
