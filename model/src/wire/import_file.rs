//! The CSV of an import, with the document's column names (§4 imports).

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use crate::cents::FaceValue;
use crate::clause;
use crate::operation::{
    Address, BadRow, BusinessDetails, Contact, ImportFile, ImportRow, InvoiceSync, Party,
};
use crate::refusal::{Code, Refusal};
use crate::timestamp::Timestamp;
use crate::wire::ignored;
use crate::wire::schema::columns;
use crate::wire::schema::columns::COLUMNS;
use crate::wire::sheet::{Record, Sheet};
use crate::words::InvoiceStatus;

/// The maximum number of rows in a file (`8.importSize`, `4.imports.1`).
pub const MOST_ROWS: usize = 1000;

/// The columns that a file must have, in any order (§4 imports rule 3, `4.imports.3`).
pub const REQUIRED_COLUMNS: [&str; columns::REQUIRED.len()] = names(columns::REQUIRED);

/// The names of columns.
const fn names<const COUNT: usize>(paths: [columns::Path; COUNT]) -> [&'static str; COUNT] {
    let mut names = [""; COUNT];
    let mut index = 0;
    while index < COUNT {
        names[index] = paths[index].0;
        index += 1;
    }
    names
}

/// A mark appended to the file. An unterminated quote swallows it, and so becomes detectable.
const END: &str = "\u{4}";

/// Reads an uploaded file.
///
/// # Errors
/// `unreadable_file`, then `too_many_rows`; no row has been processed.
///
/// A byte order mark is no part of the first column's name (`gap.csvForm`).
pub(crate) fn read(body: &[u8], ignored: &mut Vec<String>) -> Result<ImportFile, Refusal> {
    let not_text = || {
        let refused = Refusal::new(Code::UnreadableFile, clause!("gap.csvForm"));
        refused.because("The file is not UTF-8.")
    };
    let text = std::str::from_utf8(body).map_err(|_| not_text())?;
    // The column names, the rows, the mark and one excess row.
    let sheet = Sheet::read(&[text, "\n", END].concat(), MOST_ROWS + 3).ok_or_else(not_text)?;
    let mut records = sheet.records();
    let names = records.next().ok_or_else(|| unreadable("The file is empty."))?;
    let columns = Columns::of(names)?;
    note_unknown(names, ignored);
    if records.len() > MOST_ROWS + 1 {
        return Err(Refusal::new(Code::TooManyRows, clause!("4.imports.1.2")));
    }
    if !records.next_back().is_some_and(|last| last.cells().eq([END])) {
        return Err(unreadable("A quoted cell is never closed."));
    }
    let rows = records.map(|record| RowReader { columns: &columns, record }.read()).collect();
    Ok(ImportFile { digest: Sha256::digest(body).into(), rows })
}

/// Whether a file has no column of a name that each file must have.
pub fn lacks_column(body: &[u8]) -> bool {
    let text = std::str::from_utf8(body).ok();
    let Some(sheet) = text.and_then(|text| Sheet::read(text, 1)) else { return true };
    let Some(names) = sheet.records().next() else { return true };
    let has =
        |column: &str| names.cells().any(|name| name.trim_matches([' ', '\u{feff}']) == column);
    !REQUIRED_COLUMNS.iter().all(|column| has(column))
}

/// Notes the columns that no import reads. A blank one has nothing to tell.
fn note_unknown(names: Record<'_>, ignored: &mut Vec<String>) {
    let is_known = |name: &str| name.trim().is_empty() || columns::column(name).is_some();
    for name in names.cells().filter(|name| !is_known(name)) {
        ignored::column(name, COLUMNS.iter().map(|column| column.name), ignored);
    }
}

/// Writes a file with all columns. Of a row that asks for no sync, only the identifiers are known.
pub(crate) fn write(file: &ImportFile) -> String {
    let names: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
    let mut text = names.join(",") + "\n";
    for row in &file.rows {
        let cells = row.sync.as_ref().map_or_else(|_| cells_of_names(row), cells_of_sync);
        let cells: Vec<Cow<'_, str>> = cells.into_iter().map(quoted).collect();
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

fn cells_of_names(row: &ImportRow) -> Vec<Cow<'_, str>> {
    let mut cells = vec![Cow::default(); COLUMNS.len()];
    cells[0] = row.invoice.as_deref().unwrap_or_default().into();
    cells[REQUIRED_COLUMNS.len()] = row.payee.as_deref().unwrap_or_default().into();
    cells
}

fn cells_of_sync(sync: &InvoiceSync) -> Vec<Cow<'_, str>> {
    let InvoiceSync { invoice, payee, payor, status, face_value, issue_date, due_date } = sync;
    let mut cells = vec![
        invoice.into(),
        (&payee.details.legal_name).into(),
        (&payor.details.legal_name).into(),
        status.word().into(),
        face_value.cents().to_string().into(),
        issue_date.to_string().into(),
        due_date.to_string().into(),
    ];
    for Party { business, details: BusinessDetails { tax_id, contact, .. } } in [payee, payor] {
        let Contact { name, email, phone, address } = contact;
        let Address { line1, line2, city, state, postal_code } = address;
        let optional = [tax_id, name, email, phone, line1, line2, city, state, postal_code];
        cells.push(business.into());
        cells.extend(optional.map(|cell| cell.as_deref().unwrap_or_default().into()));
    }
    cells
}

pub(super) fn quoted(cell: Cow<'_, str>) -> Cow<'_, str> {
    match cell.contains(['"', ',', '\r', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")).into(),
        false => cell,
    }
}

fn unreadable(why: impl Into<String>) -> Refusal {
    Refusal::new(Code::UnreadableFile, clause!("4.imports.9")).because(why.into())
}

/// The positions of the columns in the file.
struct Columns {
    count: usize,
    /// Those of [`REQUIRED_COLUMNS`].
    required: [Column; REQUIRED_COLUMNS.len()],
    payee: PartyColumns,
    payor: PartyColumns,
}

/// The positions of those [`columns::OF_PAYEE`] that the file has.
type PartyColumns = [Option<usize>; columns::OF_PAYEE.len()];

/// A column that every file has.
#[derive(Clone, Copy)]
struct Column {
    name: &'static str,
    index: usize,
}

impl Columns {
    fn of(names: Record<'_>) -> Result<Columns, Refusal> {
        let mut required = REQUIRED_COLUMNS.map(|name| Column { name, index: 0 });
        for Column { name, index } in &mut required {
            *index = find(names, name)?
                .ok_or_else(|| unreadable(format!("The column {name} is missing.")))?;
        }
        let party = |paths: [columns::Path; columns::OF_PAYEE.len()]| {
            let mut columns = PartyColumns::default();
            for (index, (name, _)) in columns.iter_mut().zip(paths) {
                *index = find(names, name)?;
            }
            Ok::<_, Refusal>(columns)
        };
        let (payee, payor) = (party(columns::OF_PAYEE)?, party(columns::OF_PAYOR)?);
        Ok(Columns { count: names.len(), required, payee, payor })
    }
}

/// The index of the column of this name, if there is one.
fn find(names: Record<'_>, name: &str) -> Result<Option<usize>, Refusal> {
    let mut found = names.cells().enumerate().filter(|(_, other)| *other == name);
    let first = found.next();
    if found.next().is_some() {
        return Err(unreadable(format!("The column {name} occurs twice.")));
    }
    Ok(first.map(|(index, _)| index))
}

struct RowReader<'a> {
    columns: &'a Columns,
    record: Record<'a>,
}

impl<'a> RowReader<'a> {
    fn read(&self) -> ImportRow {
        let [invoice, payee_name, payor_name, ..] = self.columns.required;
        let payee = self.party_identifier(&self.columns.payee, payee_name);
        let payor = self.party_identifier(&self.columns.payor, payor_name);
        ImportRow {
            invoice: self.cell(invoice.index).map(str::to_owned),
            sync: self.sync(payee.clone(), payor).map_err(BadRow),
            payee,
        }
    }

    /// The text of a cell; `None` if it is blank.
    fn cell(&self, index: usize) -> Option<&'a str> {
        self.record.get(index).filter(|cell| !cell.trim().is_empty())
    }

    fn required(&self, column: Column) -> Result<&'a str, String> {
        self.cell(column.index).ok_or_else(|| format!("{}: must not be blank", column.name))
    }

    /// The sync that the row describes, or the first error in it.
    fn sync(&self, payee: Option<String>, payor: Option<String>) -> Result<InvoiceSync, String> {
        let (cells, columns) = (self.record.len(), self.columns.count);
        if cells != columns {
            return Err(format!("the line has {cells} cells, but there are {columns} columns"));
        }
        let [invoice, payee_name, payor_name, status, face_value, issue_date, due_date] =
            self.columns.required;
        let invoice = self.required(invoice)?.to_owned();
        let payee = self.party(payee, payee_name, &self.columns.payee)?;
        let payor = self.party(payor, payor_name, &self.columns.payor)?;
        let status = self.required(status)?;
        let status = InvoiceStatus::parse(status).ok_or_else(|| {
            format!("status: {status:?} is not ISSUED, PARTIALLY_PAID, PAID or VOIDED")
        })?;
        let face_value = whole_cents(self.required(face_value)?)
            .ok_or("faceValue: must be a whole number of cents from 1 to 2147483647")?;
        let issue_date = self.date(issue_date)?;
        let due_date = self.date(due_date)?;
        Ok(InvoiceSync { invoice, payee, payor, status, face_value, issue_date, due_date })
    }

    fn date(&self, column: Column) -> Result<Timestamp, String> {
        let text = self.required(column)?;
        Timestamp::parse(text).ok_or_else(|| {
            format!("{}: must be a date-time, such as 2026-01-31T00:00:00Z", column.name)
        })
    }

    fn party(
        &self,
        business: Option<String>,
        legal_name: Column,
        columns: &PartyColumns,
    ) -> Result<Party, String> {
        let legal_name = self.required(legal_name)?.to_owned();
        let [_, tax_id, name, email, phone, line1, line2, city, state, postal_code] =
            columns.map(|index| self.cell(index?).map(str::to_owned));
        let address = Address { line1, line2, city, state, postal_code };
        let contact = Contact { name, email, phone, address };
        let details = BusinessDetails { legal_name, tax_id, contact };
        Ok(Party { business: business.unwrap_or_default(), details })
    }

    /// §4 imports rule 5: the supplied identifier (`4.imports.5.4`), or else a derived one (`4.imports.5`).
    fn party_identifier(&self, columns: &PartyColumns, legal_name: Column) -> Option<String> {
        let [external_id, ..] = columns;
        let given = external_id.and_then(|index| self.cell(index)).map(str::to_owned);
        given.or_else(|| self.cell(legal_name.index).map(derived_identifier))
    }
}

/// Only digits, as JSON writes a whole number: no sign, no leading zero, no point, no exponent (`gap.csvForm`).
fn whole_cents(text: &str) -> Option<FaceValue> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    is_plain.then(|| text.parse().ok()).flatten().and_then(FaceValue::new)
}

/// How every derived identifier begins.
const DERIVED: &str = "name-";

impl Party {
    /// Whether its identifier follows from its legal name, because its row supplied none (`4.imports.5`).
    pub fn is_derived(&self) -> bool {
        self.business.starts_with(DERIVED)
            && self.business == derived_identifier(&self.details.legal_name)
    }
}

/// The identifier of a business without one. It depends only on the name, so that vendors with the same name
/// are one business (`gap.derivedIdentifier`, `4.imports.5.2`, `4.imports.5.3`).
fn derived_identifier(legal_name: &str) -> String {
    let folded = legal_name.split_whitespace().collect::<Vec<_>>().join(" ");
    let digest = Sha256::digest(folded.as_bytes());
    let mut identifier = String::from(DERIVED);
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
        read(text.as_bytes(), &mut Vec::new()).unwrap().rows
    }

    #[test]
    fn an_unterminated_quote_makes_the_file_unreadable() {
        let text = format!("{HEADER}a,\"V,P,ISSUED,5,{DATES}\nb,V,P,ISSUED,5,{DATES}\n");
        assert_eq!(read(text.as_bytes(), &mut Vec::new()).unwrap_err().code, Code::UnreadableFile);
    }

    #[test]
    fn only_the_last_mark_ends_the_file() {
        let row = format!("b,V,P,ISSUED,5,{DATES}");
        assert_eq!(rows(&format!("{HEADER}{END}\n{row}")).len(), 2);
        let text = format!("{HEADER}{END}\n\"{row}");
        assert_eq!(read(text.as_bytes(), &mut Vec::new()).unwrap_err().code, Code::UnreadableFile);
    }

    #[test]
    fn a_face_value_has_only_digits() {
        for (text, good) in [
            ("1", true),
            ("2147483647", true),
            ("007", false),
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
    fn whitespace_does_not_change_a_derived_identifier() {
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
