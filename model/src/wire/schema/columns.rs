//! The columns of import files, each with the field of a sync that it holds (§4 imports rules 3 and 4).

use std::sync::LazyLock;

use crate::clause;
use crate::endpoint::OperationKind;
use crate::wire::schema::{Field, Role, find, required};

/// A column of an import file.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The name in the first line.
    pub name: &'static str,
    /// The party whose field it is, `payee` or `payor`; `None` if it belongs to the invoice.
    pub party: Option<&'static str>,
    /// The field of a sync that its cells hold.
    pub field: &'static Field,
}

/// The invoice's identifier, which a sync has in its path.
const INVOICE: &Field = &required("externalId", Role::Invoice, clause!("4.imports.3"));

/// A column's name, and the path of its field in the body of a sync.
pub(in crate::wire) type Path = (&'static str, &'static [&'static str]);

/// The columns that a file must have, in any order (`4.imports.3`).
pub(in crate::wire) const REQUIRED: [Path; 7] = [
    ("externalId", &[]),
    ("payeeLegalName", &["payee", "legalName"]),
    ("payorLegalName", &["payor", "legalName"]),
    ("status", &["status"]),
    ("faceValue", &["faceValue"]),
    ("issueDate", &["issueDate"]),
    ("dueDate", &["dueDate"]),
];

/// The columns that a party may have (`4.imports.4`).
macro_rules! of_party {
    ($party:literal) => {
        [
            (concat!($party, "ExternalId"), &[$party, "externalId"]),
            (concat!($party, "TaxId"), &[$party, "taxId"]),
            (concat!($party, "ContactName"), &[$party, "contact", "name"]),
            (concat!($party, "ContactEmail"), &[$party, "contact", "email"]),
            (concat!($party, "ContactPhone"), &[$party, "contact", "phone"]),
            (concat!($party, "AddressLine1"), &[$party, "contact", "address", "line1"]),
            (concat!($party, "AddressLine2"), &[$party, "contact", "address", "line2"]),
            (concat!($party, "AddressCity"), &[$party, "contact", "address", "city"]),
            (concat!($party, "AddressState"), &[$party, "contact", "address", "state"]),
            (concat!($party, "AddressPostalCode"), &[$party, "contact", "address", "postalCode"]),
        ]
    };
}

/// The optional columns of the payee.
pub(in crate::wire) const OF_PAYEE: [Path; 10] = of_party!("payee");
/// The optional columns of the payor.
pub(in crate::wire) const OF_PAYOR: [Path; 10] = of_party!("payor");

/// All columns, the required ones first: the order in which a file is written.
pub static COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| {
    let paths = REQUIRED.into_iter().chain(OF_PAYEE).chain(OF_PAYOR);
    paths.map(|(name, path)| Column { name, party: party(path), field: field_at(path) }).collect()
});

/// The column of this name.
pub fn column(name: &str) -> Option<&'static Column> {
    COLUMNS.iter().find(|column| column.name == name)
}

fn party(path: &[&'static str]) -> Option<&'static str> {
    match path {
        [party, _, ..] => Some(party),
        _ => None,
    }
}

fn field_at(path: &[&str]) -> &'static Field {
    find(OperationKind::SyncInvoice.fields(), path.iter().copied()).unwrap_or(INVOICE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_holds_the_last_field_of_its_path() {
        let names: Vec<(&str, &str)> = REQUIRED
            .into_iter()
            .chain(OF_PAYEE)
            .chain(OF_PAYOR)
            .map(|(name, path)| (name, path.last().copied().unwrap_or(INVOICE.name)))
            .collect();
        let found: Vec<(&str, &str)> =
            COLUMNS.iter().map(|column| (column.name, column.field.name)).collect();
        assert_eq!(found, names);
    }
}
