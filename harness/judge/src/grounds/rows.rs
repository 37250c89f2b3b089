//! What uploads have named, and by which sentence a row names its parties.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tideover_exchange::Prepared;
use tideover_model::wire::field::{self, Fields};
use tideover_model::{Clause, ImportRow, InvoiceSync, Operation, Party, clause};

use crate::comparison::is_synced;
use crate::grounds::{Difference, caller, row_at};

/// The legal names of parties without an identifier in earlier uploads, by caller.
#[derive(Clone, Debug, Default)]
pub(super) struct Uploads {
    names: BTreeSet<(String, String)>,
}

impl Uploads {
    /// Learns from an upload that succeeds.
    pub(super) fn learn(&mut self, sent: &Prepared) {
        let derived = derived_in(uploaded_rows(sent)).map(|party| party.details.legal_name.clone());
        self.names.extend(derived.map(|name| (caller(sent), name)));
    }

    /// The sentence that a good row breaks with the outcome `seen`.
    pub(super) fn broken_by(&self, sent: &Prepared, sync: &InvoiceSync, seen: &str) -> Clause {
        match is_synced(seen) {
            true => {
                let of_payee = self.of_payee(&derived_names(sent), sent, &sync.payee);
                of_payee.unwrap_or(clause!("4.imports.2"))
            }
            false => if_rejected(sent, sync),
        }
    }

    /// The sentence that a report breaks with another identifier of a row's payee.
    pub(super) fn misnamed(&self, sent: &Prepared, differs: Difference<'_>) -> Option<Clause> {
        let is_payee = differs.field.ends_with(field::PAYEE_EXTERNAL_ID);
        let row =
            row_at(sent, differs.field).filter(|_| is_payee && differs.is(Value::is_string))?;
        let payee = &row.sync.as_ref().ok()?.payee;
        let supplied = (!payee.is_derived()).then_some(clause!("4.imports.5.4"));
        self.of_payee(&derived_names(sent), sent, payee).or(supplied)
    }

    /// By which sentence a row names its payee, if it supplies no identifier or others of the name don't.
    fn of_payee(&self, derived: &NameCounts<'_>, sent: &Prepared, payee: &Party) -> Option<Clause> {
        let name = &payee.details.legal_name;
        let alike = derived.get(name.as_str()).copied().unwrap_or(0);
        let is_known = self.names.contains(&(caller(sent), name.clone()));
        Some(match payee.is_derived() {
            true if alike > 1 => clause!("4.imports.5.3"),
            true if is_known => clause!("4.imports.5.2"),
            true => clause!("4.imports.5"),
            false if alike > 0 || is_known => clause!("4.imports.5.4"),
            false => return None,
        })
    }

    /// The sentences that a report upholds.
    pub(super) fn upheld_by(&self, sent: &Prepared, body: &Value) -> Vec<Clause> {
        let rows = Fields::of(body).rows().unwrap_or_default();
        let outcomes = rows.iter().map(|row| Fields::of(row).outcome().unwrap_or_default());
        let is_locked = outcomes.clone().any(|outcome| outcome == "statusOnly");
        let synced = outcomes.clone().filter(|outcome| is_synced(outcome)).count();
        let upheld = [
            (clause!("4.imports.2"), synced > 0),
            (clause!("4.imports.6"), synced > 0 && synced < rows.len()),
            (clause!("3.invoice.2.2"), is_locked),
        ];
        let of_report = upheld.into_iter().filter(|(_, holds)| *holds).map(|(clause, _)| clause);
        let derived = derived_names(sent);
        let of_parties = uploaded_rows(sent).iter().zip(outcomes).filter_map(|(row, outcome)| {
            let sync = row.sync.as_ref().ok().filter(|_| is_synced(outcome))?;
            self.of_payee(&derived, sent, &sync.payee)
        });
        of_report.chain(of_parties).collect()
    }
}

/// The sentence that is broken if a good row of an upload is rejected.
pub(crate) fn if_rejected(sent: &Prepared, sync: &InvoiceSync) -> Clause {
    let has_bad_row = uploaded_rows(sent).iter().any(|row| row.sync.is_err());
    if sync.payee.is_derived() || sync.payor.is_derived() {
        clause!("4.imports.5")
    } else if has_bad_row {
        clause!("4.imports.6")
    } else {
        clause!("4.imports.2")
    }
}

/// The rows of the file that a request uploads.
pub(crate) fn uploaded_rows(sent: &Prepared) -> &[ImportRow] {
    match sent.call().and_then(|call| call.operation()) {
        Some(Operation::ImportInvoices { file, .. }) => &file.rows,
        _ => &[],
    }
}

/// How many rows without an identifier of the payee have its name.
type NameCounts<'a> = BTreeMap<&'a str, usize>;

fn derived_names(sent: &Prepared) -> NameCounts<'_> {
    let mut names = NameCounts::new();
    for payee in derived_in(uploaded_rows(sent)) {
        *names.entry(&payee.details.legal_name).or_default() += 1;
    }
    names
}

/// The payees of rows that have no identifier of their own.
fn derived_in(rows: &[ImportRow]) -> impl Iterator<Item = &Party> {
    let payees = rows.iter().filter_map(|row| Some(&row.sync.as_ref().ok()?.payee));
    payees.filter(|payee| payee.is_derived())
}
