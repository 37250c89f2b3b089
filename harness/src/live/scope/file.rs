//! The businesses and invoices that an import file names.

use tideover_model::wire::import_file::{PARTY_COLUMNS, REQUIRED_COLUMNS};

use crate::live::scope::names::Names;
use crate::live::scope::{Judged, SyncedInvoice, refused};

/// What a line of a file could be read in two ways for.
const AMBIGUOUS: [char; 6] = ['"', '\'', '\r', '\t', ';', '\u{feff}'];

/// Whether every row of a file names test accounts alone; the invoices that it syncs.
pub(super) fn judge(names: &Names<'_>, body: &[u8]) -> Judged<Vec<SyncedInvoice>> {
    let Ok(text) = std::str::from_utf8(body) else { return refused("the file is not UTF-8") };
    if text.contains(AMBIGUOUS) {
        return refused("the file has quotes or separators that not every reader takes alike");
    }
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    judge_columns(&columns)?;
    let rows = lines.map(|line| judge_row(names, &columns, line));
    rows.filter_map(Result::transpose).collect()
}

fn judge_columns(columns: &[&str]) -> Judged<()> {
    for (index, column) in columns.iter().enumerate() {
        let is_party_column = |prefix: &str| {
            column.strip_prefix(prefix).is_some_and(|rest| PARTY_COLUMNS.contains(&rest))
        };
        let is_known = REQUIRED_COLUMNS.contains(column)
            || is_party_column("payee")
            || is_party_column("payor");
        if !is_known || column.ends_with("ContactPhone") {
            return refused(format!("the column {column:?} is not known"));
        }
        if columns[..index].contains(column) {
            return refused(format!("the column {column} stands twice"));
        }
    }
    Ok(())
}

/// The invoice that a row syncs; `None` if it names none.
fn judge_row(names: &Names<'_>, columns: &[&str], line: &str) -> Judged<Option<SyncedInvoice>> {
    let cells: Vec<&str> = line.split(',').collect();
    if cells.len() != columns.len() {
        return refused(format!("a row has {} cells in {} columns", cells.len(), columns.len()));
    }
    let cell = |name: &str| columns.iter().position(|column| *column == name).map(|at| cells[at]);
    let (payee, payor) = (cell("payeeExternalId"), cell("payorExternalId"));
    // What is left out is derived from the name, and could be anybody's (`4.imports.5`).
    let Some(payee) = payee.filter(|payee| names.accounts.is_test_account(payee)) else {
        return refused(format!("a row's payee {payee:?} is not a test account"));
    };
    if !payor.is_some_and(|payor| names.accounts.is_payor(payor)) {
        return refused(format!(
            "a row's payor {payor:?} is neither a test account nor a listed payor"
        ));
    }
    if let Some(payor) = payor.and_then(|payor| names.accounts.listed_payor(payor)) {
        let said = columns.iter().zip(&cells).filter(|(column, cell)| {
            column.starts_with("payor") && **column != "payorExternalId" && !cell.is_empty()
        });
        for (column, cell) in said {
            if *column != "payorLegalName" || *cell != payor.legal_name {
                return refused(format!("a row's {column} is not what the user says of the payor"));
            }
        }
    }
    let invoice = cell("externalId");
    if !invoice.is_none_or(|invoice| names.is_own_name(invoice)) {
        return refused("a row's invoice is not named after the run");
    }
    for party in ["payee", "payor"] {
        let is_own = |column: &str, holds: &dyn Fn(&str) -> bool| {
            cell(&format!("{party}{column}")).is_none_or(|text| text.is_empty() || holds(text))
        };
        if !is_own("TaxId", &|text| names.is_tax_id(text))
            || !is_own("ContactEmail", &|text| names.is_email(text))
        {
            return refused(format!(
                "a row's {party} has a tax id or an e-mail address of somebody else"
            ));
        }
    }
    Ok(invoice.map(|invoice| SyncedInvoice {
        payee: payee.to_owned(),
        invoice: invoice.to_owned(),
        face_value: cell("faceValue").and_then(|text| text.parse().ok()),
    }))
}
