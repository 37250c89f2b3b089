//! The gate for import files.

use tideover_model::wire::schema::Role;
use tideover_model::wire::schema::columns::column as known;

use crate::scope::names::AllowedNames;
use crate::scope::{GateResult, SyncedInvoice, refused};

/// Characters that different readers may parse in different ways.
const AMBIGUOUS: [char; 6] = ['"', '\'', '\r', '\t', ';', '\u{feff}'];

/// Checks that every row of a file names only allowed accounts. Returns the invoices that the file syncs.
pub(super) fn judge(names: &AllowedNames<'_>, body: &[u8]) -> GateResult<Vec<SyncedInvoice>> {
    let Ok(text) = std::str::from_utf8(body) else { return refused("the file is not UTF-8") };
    if text.contains(AMBIGUOUS) {
        return refused(
            "the file has quotes or separators that readers may parse in different ways",
        );
    }
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    judge_columns(&columns)?;
    let rows = lines.map(|line| judge_row(names, &columns, line));
    rows.filter_map(Result::transpose).collect()
}

fn judge_columns(columns: &[&str]) -> GateResult<()> {
    for (index, column) in columns.iter().enumerate() {
        let role = known(column).map(|column| column.field.role);
        // A telephone number could belong to somebody.
        if matches!(role, None | Some(Role::Phone)) {
            return refused(format!("the column {column:?} is not known"));
        }
        if columns[..index].contains(column) {
            return refused(format!("the column {column} occurs twice"));
        }
    }
    Ok(())
}

/// The invoice that a row syncs, if it names one.
fn judge_row(
    names: &AllowedNames<'_>,
    columns: &[&str],
    line: &str,
) -> GateResult<Option<SyncedInvoice>> {
    let cells: Vec<&str> = line.split(',').collect();
    if cells.len() != columns.len() {
        return refused(format!("a row has {} cells in {} columns", cells.len(), columns.len()));
    }
    let cell = |name: &str| columns.iter().position(|column| *column == name).map(|at| cells[at]);
    let (payee, payor) = (cell("payeeExternalId"), cell("payorExternalId"));
    // The service derives a missing identifier from the name, so it could be any account (`4.imports.5`).
    let Some(payee) = payee.filter(|payee| names.accounts.is_test_account(payee)) else {
        return refused(format!("a row's payee {payee:?} is not a test account"));
    };
    if !payor.is_some_and(|payor| names.accounts.is_payor(payor)) {
        return refused(format!(
            "a row's payor {payor:?} is neither a test account nor a listed payor"
        ));
    }
    if let Some(payor) = payor.and_then(|payor| names.accounts.listed_payor(payor)) {
        let is_payors = |name: &str| known(name).is_some_and(|it| it.party == Some("payor"));
        let stated = columns.iter().zip(&cells).filter(|(column, cell)| {
            is_payors(column) && **column != "payorExternalId" && !cell.is_empty()
        });
        for (column, cell) in stated {
            if *column != "payorLegalName" || *cell != payor.legal_name {
                return refused(format!(
                    "a row's {column} differs from what the user states about the payor"
                ));
            }
        }
    }
    let invoice = cell("externalId");
    if !invoice.is_none_or(|invoice| names.is_own_name(invoice)) {
        return refused("a row's invoice is not named after the run");
    }
    for (column, cell) in columns.iter().zip(&cells).filter(|(_, cell)| !cell.is_empty()) {
        let is_allowed = match known(column).map(|column| column.field.role) {
            Some(Role::TaxId) => names.is_tax_id(cell),
            Some(Role::Email) => names.is_email(cell),
            _ => true,
        };
        if !is_allowed {
            return refused(format!("a row's {column} is somebody else's"));
        }
    }
    Ok(invoice.map(|invoice| SyncedInvoice {
        payee: payee.to_owned(),
        invoice: invoice.to_owned(),
        face_value: cell("faceValue").and_then(|text| text.parse().ok()),
    }))
}
