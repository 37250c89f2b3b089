//! The CSV of an import, with the document's column names (§4 imports).

use std::io::Read;

use csv::StringRecord;
use sha2::{Digest, Sha256};

use crate::cents::FaceValue;
use crate::clause;
use crate::operation::{
    Address, BusinessDetails, Contact, ImportFile, ImportRow, InvoiceSync, Party,
};
use crate::refusal::{Code, Refusal};
use crate::timestamp::Timestamp;
use crate::wire::words::InvoiceStatus;

/// Rows of a file at most (`8.importSize`, `4.imports.1`).
pub const MOST_ROWS: usize = 1000;

/// The columns that a file must have, in any order (§4 imports rule 3, `4.imports.3`).
pub const REQUIRED_COLUMNS: [&str; 7] = [
    "externalId",
    "payeeLegalName",
    "payorLegalName",
    "status",
    "faceValue",
    "issueDate",
    "dueDate",
];

/// What a party's optional columns are called after `payee` or `payor` (`4.imports.4`).
pub const PARTY_COLUMNS: [&str; 10] = [
    "ExternalId",
    "TaxId",
    "ContactName",
    "ContactEmail",
    "ContactPhone",
    "AddressLine1",
    "AddressLine2",
    "AddressCity",
    "AddressState",
    "AddressPostalCode",
];

/// Closes the file, so that an unterminated quote is seen: it swallows this too.
const END: &str = "\u{4}";

/// Reads an uploaded file.
///
/// # Errors
/// `unreadable_file`, then `too_many_rows`; nothing is processed then.
pub(crate) fn read(body: &[u8]) -> Result<ImportFile, Refusal> {
    if std::str::from_utf8(body).is_err() {
        return Err(unreadable("The file is not UTF-8."));
    }
    let marked = body.chain(b"\n".as_slice()).chain(END.as_bytes());
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(marked);
    let columns = Columns::of(reader.headers().map_err(|_| unreadable("The file is not CSV."))?)?;
    let mut records = Vec::new();
    for record in reader.into_records().take(MOST_ROWS + 2) {
        records.push(record.map_err(|_| unreadable("The file is not CSV."))?);
    }
    if records.len() > MOST_ROWS + 1 {
        return Err(Refusal::new(Code::TooManyRows, clause!("4.imports.1.2")));
    }
    if !records.pop().is_some_and(|last| last.iter().eq([END])) {
        return Err(unreadable("A quoted cell is never closed."));
    }
    let rows = records.iter().map(|record| columns.row(record)).collect();
    Ok(ImportFile { digest: Sha256::digest(body).into(), rows })
}

fn unreadable(why: impl Into<String>) -> Refusal {
    Refusal::new(Code::UnreadableFile, clause!("4.imports.9")).because(why.into())
}

/// Which column of the file is which.
struct Columns {
    names: StringRecord,
}

impl Columns {
    fn of(names: &StringRecord) -> Result<Columns, Refusal> {
        for required in REQUIRED_COLUMNS {
            if !names.iter().any(|name| name == required) {
                return Err(unreadable(format!("The column {required} is missing.")));
            }
        }
        for (index, name) in names.iter().enumerate() {
            if is_known(name) && names.iter().skip(index + 1).any(|other| other == name) {
                return Err(unreadable(format!("The column {name} stands twice.")));
            }
        }
        Ok(Columns { names: names.clone() })
    }

    /// What stands in a cell; blank is nothing.
    fn cell<'a>(&self, record: &'a StringRecord, name: &str) -> Option<&'a str> {
        let index = self.names.iter().position(|column| column == name)?;
        record.get(index).filter(|cell| !cell.trim().is_empty())
    }

    fn row(&self, record: &StringRecord) -> ImportRow {
        let row = Row { columns: self, record };
        ImportRow {
            invoice: row.cell("externalId").map(str::to_owned),
            payee: row.party_identifier("payee"),
            sync: row.sync(),
        }
    }
}

fn is_known(name: &str) -> bool {
    let party_column = || {
        let rest = name.strip_prefix("payee").or_else(|| name.strip_prefix("payor"));
        rest.is_some_and(|rest| PARTY_COLUMNS.contains(&rest))
    };
    REQUIRED_COLUMNS.contains(&name) || party_column()
}

struct Row<'a> {
    columns: &'a Columns,
    record: &'a StringRecord,
}

impl<'a> Row<'a> {
    fn cell(&self, name: &str) -> Option<&'a str> {
        self.columns.cell(self.record, name)
    }

    fn required(&self, name: &str) -> Result<&'a str, String> {
        self.cell(name).ok_or_else(|| format!("{name}: must not be blank"))
    }

    /// The sync that the row asks for, or the first thing that is wrong with it.
    fn sync(&self) -> Result<InvoiceSync, String> {
        let (cells, columns) = (self.record.len(), self.columns.names.len());
        if cells != columns {
            return Err(format!("the line has {cells} cells, but there are {columns} columns"));
        }
        let invoice = self.required("externalId")?.to_owned();
        let payee = self.party("payee")?;
        let payor = self.party("payor")?;
        let status = self.required("status")?;
        let status = InvoiceStatus::parse(status).ok_or_else(|| {
            format!("status: {status:?} is not ISSUED, PARTIALLY_PAID, PAID or VOIDED")
        })?;
        let face_value = face_value(self.required("faceValue")?)
            .ok_or("faceValue: must be a whole number of cents from 1 to 2147483647")?;
        let issue_date = self.date("issueDate")?;
        let due_date = self.date("dueDate")?;
        Ok(InvoiceSync { invoice, payee, payor, status, face_value, issue_date, due_date })
    }

    fn date(&self, name: &str) -> Result<Timestamp, String> {
        let text = self.required(name)?;
        Timestamp::parse(text)
            .ok_or_else(|| format!("{name}: must be a date-time, such as 2026-01-31T00:00:00Z"))
    }

    fn party(&self, prefix: &str) -> Result<Party, String> {
        let legal_name = self.required(&format!("{prefix}LegalName"))?.to_owned();
        let cell = |rest: &str| self.cell(&format!("{prefix}{rest}")).map(str::to_owned);
        let contact = Contact {
            name: cell("ContactName"),
            email: cell("ContactEmail"),
            phone: cell("ContactPhone"),
            address: Address {
                line1: cell("AddressLine1"),
                line2: cell("AddressLine2"),
                city: cell("AddressCity"),
                state: cell("AddressState"),
                postal_code: cell("AddressPostalCode"),
            },
        };
        let details = BusinessDetails { legal_name, tax_id: cell("TaxId"), contact };
        Ok(Party { business: self.party_identifier(prefix).unwrap_or_default(), details })
    }

    /// §4 imports rule 5: what is supplied wins (`4.imports.5.4`), else it is derived (`4.imports.5`).
    fn party_identifier(&self, prefix: &str) -> Option<String> {
        let given = self.cell(&format!("{prefix}ExternalId")).map(str::to_owned);
        given.or_else(|| self.cell(&format!("{prefix}LegalName")).map(derived_identifier))
    }
}

/// Digits and nothing else: no sign, no point, no exponent.
fn face_value(text: &str) -> Option<FaceValue> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().and_then(FaceValue::new)
}

/// The identifier of a business that has none: the same for the same name, so that vendors of
/// one name are one business (`gap.derivedIdentifier`, `4.imports.5.2`, `4.imports.5.3`).
fn derived_identifier(legal_name: &str) -> String {
    let folded = legal_name.split_whitespace().collect::<Vec<_>>().join(" ");
    let digest = Sha256::digest(folded.as_bytes());
    let mut identifier = String::from("name-");
    crate::hex::push(&mut identifier, &digest[..8]);
    identifier
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str =
        "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n";
    const DATES: &str = "2026-01-01T00:00:00Z,2026-02-01T00:00:00Z";

    fn rows(text: &str) -> Vec<ImportRow> {
        read(text.as_bytes()).unwrap().rows
    }

    #[test]
    fn an_unterminated_quote_makes_the_file_unreadable() {
        let text = format!("{HEADER}a,\"V,P,ISSUED,5,{DATES}\nb,V,P,ISSUED,5,{DATES}\n");
        assert_eq!(read(text.as_bytes()).unwrap_err().code, Code::UnreadableFile);
    }

    #[test]
    fn the_mark_at_the_end_is_known_by_its_place() {
        let row = format!("b,V,P,ISSUED,5,{DATES}");
        assert_eq!(rows(&format!("{HEADER}{END}\n{row}")).len(), 2);
        let text = format!("{HEADER}{END}\n\"{row}");
        assert_eq!(read(text.as_bytes()).unwrap_err().code, Code::UnreadableFile);
    }

    #[test]
    fn a_face_value_is_digits_alone() {
        for (text, good) in [
            ("1", true),
            ("2147483647", true),
            ("007", true),
            ("2147483648", false),
            ("0", false),
            ("1e3", false),
            ("1.0", false),
            ("+5", false),
            ("-0", false),
            (" 5", false),
            ("99999999999999999999999", false),
        ] {
            let row = format!("{HEADER}a,V,P,ISSUED,{text},{DATES}");
            assert_eq!(rows(&row)[0].sync.is_ok(), good, "{text:?}");
        }
    }

    #[test]
    fn a_name_is_folded_before_it_is_hashed() {
        assert_eq!(derived_identifier("  Acme \t Ltd "), derived_identifier("Acme Ltd"));
        assert_ne!(derived_identifier("acme ltd"), derived_identifier("Acme Ltd"));
        assert_eq!(derived_identifier("Acme").len(), "name-".len() + 16);
    }

    #[test]
    fn a_supplied_identifier_outranks_the_name() {
        let text = format!(
            "payeeExternalId,{HEADER}mine,a,V,P,ISSUED,5,{DATES}\n ,b,V,P,ISSUED,5,{DATES}\n"
        );
        let payees: Vec<_> = rows(&text).into_iter().map(|row| row.payee.unwrap()).collect();
        assert_eq!(payees[0], "mine");
        assert!(payees[1].starts_with("name-"));
    }
}
