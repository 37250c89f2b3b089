//! Toward imports: interrupted, resumed, refused, over an advance, too large.

use serde_json::{Value, json};
use tideover_exchange::step::{Action, Caller, Step};
use tideover_model::wire::import_file::REQUIRED_COLUMNS;
use tideover_model::wire::schema::columns::{COLUMNS as COLUMNS_OF_FILES, Column};
use tideover_model::words::InvoiceStatus;
use tideover_model::{ActionKind, OperationKind};

use crate::generate::draw::Draw;
use crate::generate::names::VENDORS;
use crate::generate::plain::{DATES, FULL_COLUMNS, IMPORT, VENDOR, good_file, good_row, plain};
use crate::generate::{Walk, classes, next_stage, requests as make, values};

pub(super) const COLUMNS: &str =
    "externalId,payeeExternalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n";

impl Walk {
    pub(super) fn toward_import(&mut self, import: &'static str, stage: usize) -> Option<Step> {
        let rows = rows(import);
        if stage == 0 {
            // The interruption is for this import, and for nobody else's after the case.
            if self.room() < 2 {
                return None;
            }
            self.undisturbed = 1;
        }
        Some(match stage {
            0 => make::act(
                ActionKind::InterruptNextImport,
                json!({ "afterRows": self.pick(&[0, 1, 1, 2, 2, 3]) }),
            ),
            1 | 5 | 10 => make::import(import, rows),
            2 | 6 | 11 => make::get_import(import),
            // The identifier is taken while the import is unfinished, too.
            3 | 12 => make::import(import, format!("{rows}extra,v1,V,P,ISSUED,5,{DATES}\n")),
            // Newer than a row that may be done, which must not come again.
            4 => self.sync_issued("v1", &format!("{import}-0")),
            7 => make::get_invoice("v1", &format!("{import}-0")),
            // The row at which it stopped may be one of these.
            8 => make::get_invoice("v2", &format!("{import}-1")),
            9 => make::get_invoice("v1", &format!("{import}-2")),
            13 => make::import("m3", rows.replace(",ISSUED,", ",PAID,")),
            14 => make::import("m4", rows.replace("faceValue", "amount")),
            15 => of_media_type("application/json", make::import("m4", rows)),
            _ => return None,
        })
    }

    /// A row of an invoice with an advance changes only the status, and the advance stays the same.
    pub(super) fn toward_import_over_advance(&mut self, stage: &mut usize) -> Option<Step> {
        let payee = VENDORS[0];
        Some(match next_stage(stage) {
            0 => match self.toward_onboarding(&Caller::Default, payee) {
                Some(step) => {
                    *stage = 0;
                    step
                }
                None => make::get_business(payee),
            },
            1 => make::import("m1", rows("m1")),
            2 | 5 | 7 => make::request_advance(payee, "m1-0"),
            3 => make::import("m6", rows("m1").replace(",ISSUED,", ",PAID,")),
            4 => make::get_invoice(payee, "m1-0"),
            6 => make::advance_clock(make::LONG),
            _ => return None,
        })
    }

    pub(super) fn toward_too_large(&mut self, stage: usize) -> Option<Step> {
        Some(match stage {
            0 => make::import("large", many_rows(1001)),
            // A row that is rejected counts too.
            1 => make::import("larger", format!("{}short\n", many_rows(1000))),
            2 => make::import("full", unlike_rows()),
            // The last row counts like the first.
            3 => make::get_invoice("v1", &format!("u{MOST_ROWS}")),
            4..9 => {
                // One of each fifth of the file.
                let row = (stage - 4) * MOST_ROWS / 5 + 1 + self.draw(0..MOST_ROWS / 5);
                make::get_invoice("v1", &format!("u{row}"))
            }
            // Most services with a higher limit refuse this, too.
            9 => too_large(OperationKind::SyncBusiness, LARGE_BODY),
            10 => make::get_business(VENDOR),
            _ => {
                let kinds = OperationKind::ALL.into_iter().filter(takes_spaces);
                let kinds: Vec<OperationKind> = kinds.collect();
                // One more such body is no burden for a service that is far away.
                let is_larger = self.seed % kinds.len() as u64 == (stage - 11) as u64;
                let size = if is_larger { LARGE_BODY } else { BODY_LIMIT };
                too_large(*kinds.get(stage - 11)?, size)
            }
        })
    }

    /// Accepted files in each form that the document allows, and rejected rows.
    pub(super) fn toward_rows(&mut self, stage: usize) -> Option<Step> {
        let (import, rows): (&str, &[&str]) = match stage {
            0 | 1 => ("quoted", &["q1,v1,\"Acme, Inc\",p1,\"P \"\"One\"\" Ltd\",ISSUED,1000,"]),
            3 => (
                "good-and-bad",
                &[
                    "g1,v1,V1 Ltd,p1,P1 Ltd,ISSUED,1000,",
                    "g2,v1,V1 Ltd,p1,P1 Ltd,ISSUED,0,",
                    "g3,v1,V1 Ltd,p1,P1 Ltd,ISSUED,2147483648,",
                    "g4,v1,V1 Ltd,p1,P1 Ltd,DRAFT,1000,",
                    "g6,v1,V1 Ltd,p1,P1 Ltd,ISSUED,2147483647,",
                ],
            ),
            6 => (
                "blank-names",
                &[
                    "b1,,Nameless One,,P1 Ltd,ISSUED,1000,",
                    "b1,,Nameless One,,P1 Ltd,ISSUED,1000,",
                    "b2, ,Nameless Two, ,P1 Ltd,ISSUED,1000,",
                ],
            ),
            8 => ("supplied", &["s1,supplied,Supplied Ltd,p1,P1 Ltd,ISSUED,1000,"]),
            11 | 14 => ("again", &["a1,v1,V1 Ltd,p1,P1 Ltd,ISSUED,90000,"]),
            16 => ("again", &["a1,v1,V1 Ltd,p1,P1 Ltd,ISSUED,80000,"]),
            17 => ("corrected", &["a1,v1,V1 Ltd,p1,P1 Ltd,VOIDED,80000,"]),
            2 => return Some(make::get_import("quoted")),
            4 => return Some(make::get_import("good-and-bad")),
            5 => return Some(make::get_invoice("v1", "g6")),
            7 => return Some(make::get_import("blank-names")),
            9 => return Some(make::get_business("supplied")),
            10 => return Some(make::get_invoice("supplied", "s1")),
            12 => return Some(self.sync_with("v1", "a1", "ISSUED", 70_000)),
            // The read in between shows that the sync took effect before the file came again.
            13 | 15 | 18 => return Some(make::get_invoice("v1", "a1")),
            _ => return None,
        };
        let rows: String = rows.iter().map(|row| format!("{row}{DATES}\n")).collect();
        Some(make::import(import, format!("{FULL_COLUMNS}\n{rows}")))
    }
}

/// The size that the mock takes for the limit of a body (§8 shows none). Bytes.
pub(crate) const BODY_LIMIT: usize = 1_048_576;
/// More than most servers and gateways take, which have limits of up to 10 MiB. Bytes.
const LARGE_BODY: usize = 16 * BODY_LIMIT;

/// A request with nothing wrong but the size of its body, which is more than so many bytes.
fn too_large(kind: OperationKind, size: usize) -> Step {
    let mut step = plain(kind);
    if let Action::Call(call) = &mut step.action {
        let body = call.body.take().map(|body| body.to_string()).unwrap_or_default();
        call.content_type = kind.media_type().map(str::to_owned);
        call.text = Some(format!("{body}{}", " ".repeat(size)));
    }
    step
}

/// Whether spaces after the body change nothing but its size: after a file they belong to its last cell. A subscription
/// may get no response to a large body, and must not be asked for again then.
fn takes_spaces(kind: &OperationKind) -> bool {
    !kind.fields().is_empty() && *kind != OperationKind::Subscribe
}

/// A file of `count` rows. All but the last are about a few invoices.
fn many_rows(count: usize) -> String {
    let few = (1..count).map(|row| format!("r{},,V,P,ISSUED,5,{DATES}\n", row % 7));
    format!("{COLUMNS}{}last,v1,V,P,ISSUED,6,{DATES}\n", few.collect::<String>())
}

/// As many rows as a file may have, each of an invoice of its own. Each value that a later row could change differs from
/// those of the other rows: a service that mixes up two of them shows it.
fn unlike_rows() -> String {
    let statuses = InvoiceStatus::ALL.map(InvoiceStatus::word);
    let row = |row: usize| {
        let (number, status) = (row as u32, statuses[row % statuses.len()]);
        let (issued, due) = (values::day(number), values::day(2000 - number));
        // The same name without an identifier is another business.
        let payee = if row == 1 { "" } else { "v1" };
        format!("u{row},{payee},V,P,{status},{},{issued},{due}\n", 1000 + row)
    };
    format!("{COLUMNS}{}", (1..=MOST_ROWS).map(row).collect::<String>())
}

/// The most rows that a file may have (§8 Limits).
const MOST_ROWS: usize = 1000;

/// The file of an import: always the same text, so that it can be sent again.
fn rows(import: &str) -> String {
    const ROWS: [(&str, &str); 6] = [
        ("v1", "1000"),
        ("v2", "99"),
        ("v1", "2147483647"),
        ("", "250000"),
        ("v2", "9.5"),
        ("v1", "2147483648"),
    ];
    let row = |(row, (payee, face)): (usize, &(&str, &str))| {
        format!("{import}-{row},{payee},\"Name, {payee}\",P,ISSUED,{face},{DATES}\n")
    };
    format!("{COLUMNS}{}ragged\n", ROWS.iter().enumerate().map(row).collect::<String>())
}

/// A file with one row, of an invoice that may exist.
pub(super) fn row_of(payee: &str, invoice: &str, status: &str, face_value: i64) -> String {
    format!("{COLUMNS}{invoice},{payee},\"Name, {payee}\",P,{status},{face_value},{DATES}\n")
}

/// A file with many vendors, each of which the service adds.
pub(super) fn crowd() -> String {
    let row = |number| format!("crowd,crowd {number},V,P,ISSUED,5,{DATES}\n");
    format!("{COLUMNS}{}", (0..20).map(row).collect::<String>())
}

/// Rows of two vendors that only their legal names tell apart, which stand between such quotes.
pub(super) fn nameless_rows(face_value: i64, quote: &str) -> String {
    let header = "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n";
    // Whoever pays, the vendor is the same.
    let payor = format!("Payor of {face_value}");
    let row = |name: &str| format!("nl,{quote}{name}{quote},{payor},ISSUED,{face_value},{DATES}\n");
    format!("{header}{}{}", row("Alder Works"), row("Birch Works"))
}

/// The same of two other vendors, in a file with a column for their identifiers.
pub(super) fn blank_rows(face_value: i64) -> String {
    let row = |name: &str| format!("bl,,{name},Payor of both,ISSUED,{face_value},{DATES}\n");
    format!("{COLUMNS}{}{}", row("Cedar Works"), row("Dogwood Works"))
}

/// Files that the service refuses as a whole: one without each required column, and other media types.
pub(super) fn refused_files() -> Vec<Step> {
    // None of them makes this invoice.
    const UNMADE: [(&str, &str); 1] = [("externalId", "i0")];
    let without = |missing: &str| {
        let kept = FULL_COLUMNS.split(',').filter(|column| *column != missing);
        let kept: Vec<&str> = kept.collect();
        let file = format!("{}\n{}", kept.join(","), row_with(&kept, &UNMADE));
        make::import(&format!("less-{missing}"), file)
    };
    let mut steps: Vec<Step> = REQUIRED_COLUMNS.iter().map(|column| without(column)).collect();
    // What a service examines when it begins an import, it may take when a file comes again.
    for media_type in ["application/json", "application/pdf"] {
        let of = |(import, file)| of_media_type(media_type, make::import(import, file));
        steps.extend([("other-type", file_with(&UNMADE)), (IMPORT, good_file())].map(of));
    }
    steps.push(make::get_invoice(VENDOR, "i0"));
    steps
}

fn of_media_type(media_type: &str, mut step: Step) -> Step {
    if let Action::Call(call) = &mut step.action {
        call.content_type = Some(media_type.into());
    }
    step
}

/// One file of two rows in each form that CSV has (RFC 4180), and the reads of its last invoice and of its business,
/// which has no other name.
pub(super) fn forms_of_files() -> Vec<Vec<Step>> {
    let lines = |rows: [String; 2]| [vec![FULL_COLUMNS.to_owned()], rows.to_vec()].concat();
    let rows = |form: &str| {
        let row = good_row().replace("v1,", &format!("{form},"));
        ["1", "2"].map(|number| row.replace("i1", &format!("{form}-{number}")))
    };
    let quoted = |row: String| format!("\"{}\"", row.replace(',', "\",\""));
    // A cell that ends at the wrong quote ends before its comma.
    let named = |row: String| row.replace("V1 Ltd", "\"V1 \"\"One\"\", Ltd\"");
    let forms = [
        ("unended", lines(rows("unended")).join("\n")),
        ("crlf", lines(rows("crlf")).join("\r\n") + "\r\n"),
        ("quoted-all", lines(rows("quoted-all").map(quoted)).join("\n") + "\n"),
        ("doubled", lines(rows("doubled").map(named)).join("\n") + "\n"),
    ];
    let sent = forms.into_iter().map(|(form, file)| {
        let read = make::get_invoice(form, &format!("{form}-2"));
        vec![make::import(form, file), read, make::get_business(form)]
    });
    sent.collect()
}

/// How many of the ways to write a number a run has.
const NUMBERS_IN_A_RUN: usize = 3;

/// Files of a form that the document neither permits nor forbids, and the read that shows what became of each: a number
/// that is written as JSON writes none, a byte order mark, bytes that are not UTF-8.
pub(super) fn open_forms(draw: &mut Draw) -> Vec<Vec<Step>> {
    const NUMBERS: [&str; 8] = ["+5", "007", "1e3", "5.00", "1,000", " 5", "5 ", "５"];
    let numbers = draw.some(NUMBERS.to_vec(), NUMBERS_IN_A_RUN).into_iter().zip(1..);
    let numbered = numbers.map(|(number, index)| {
        let name = format!("number-{index}");
        let cells = [("externalId", &*name), ("payeeExternalId", &*name), ("faceValue", number)];
        (name.clone(), make::import(&name, file_with(&cells)))
    });
    let marked =
        ("marked".to_owned(), make::import("marked", format!("\u{feff}{}", named_file("marked"))));
    let mut bytes =
        named_file("latin").replacen('\n', ",note\n", 1).trim_end().to_owned().into_bytes();
    // In a column that nobody reads, as Latin-1 writes é.
    bytes.extend_from_slice(b",Caf\xe9\n");
    let latin = ("latin".to_owned(), make::import_of_bytes("latin", &bytes));
    // All that a quoted cell may have (RFC 4180 §2), in a column that nobody reads.
    let ends = *draw.pick(&["\n", "\r\n"]);
    let note = named_file("noted").replacen('\n', ",note\n", 1);
    let note = format!("{},\"Two{ends}lines, \"\"quoted\"\"\"\n", note.trim_end());
    let noted = ("noted".to_owned(), make::import("noted", note));
    let files = numbered.chain([marked, latin, noted]);
    files.map(|(name, import)| vec![import, make::get_invoice(&name, &name)]).collect()
}

/// A file with one invoice, of a payee of the same name.
fn named_file(name: &str) -> String {
    file_with(&[("externalId", name), ("payeeExternalId", name)])
}

/// How many pairs of names a run has.
const NAMES_IN_A_RUN: usize = 3;

/// Rows of vendors without identifiers whose names differ in one letter, at any place of a name of any length, and each row
/// again. What differs are two vendors, what is equal is one.
pub(super) fn similar_names(draw: &mut Draw) -> Vec<Vec<Step>> {
    let columns: Vec<&str> =
        FULL_COLUMNS.split(',').filter(|column| *column != "payeeExternalId").collect();
    let names = (1..=NAMES_IN_A_RUN).map(|pair| {
        let (one, other) = classes::differing(draw, ('x', 'y'));
        let invoice = format!("like-{pair}");
        let row = |name: &str, face: &str| {
            let cells = [("externalId", &*invoice), ("payeeLegalName", name), ("faceValue", face)];
            row_with(&columns, &cells)
        };
        let rows = [row(&one, "1000"), row(&other, "1001"), row(&one, "1002"), row(&other, "1003")];
        let file = format!("{}\n{}", columns.join(","), rows.concat());
        vec![make::import(&invoice, file), make::get_import(&invoice)]
    });
    names.collect()
}

/// Files with one optional column each, and one with none, their columns in any order, and the reads of what a cell names.
pub(super) fn fewer_columns(draw: &mut Draw) -> Vec<Vec<Step>> {
    let is_optional = |column: &&str| !REQUIRED_COLUMNS.contains(column);
    let optional: Vec<&str> = FULL_COLUMNS.split(',').filter(is_optional).collect();
    let mut with_only = |kept: Option<&str>| {
        let name = format!("only-{}", kept.unwrap_or("required"));
        let mut columns = shuffled(draw);
        columns.retain(|column| Some(*column) == kept || !is_optional(column));
        let cells = [Some("externalId"), kept].into_iter().flatten();
        let cells: Vec<(&str, &str)> = cells.map(|column| (column, &*name)).collect();
        let file = format!("{}\n{}", columns.join(","), row_with(&columns, &cells));
        let read = kept.map(|_| make::get_business(&name));
        [make::import(&name, file)].into_iter().chain(read).collect()
    };
    optional.into_iter().map(Some).chain([None]).map(&mut with_only).collect()
}

/// How many columns have rows of classes in one run. Each seed begins with another one.
const COLUMNS_IN_A_RUN: usize = 6;

/// Files with a row for each class of a cell, and the reads of some of their invoices.
///
/// A cell is text, so a class of another type or without a value has no row. A service may trim a cell.
pub(super) fn rows_of_classes(draw: &mut Draw) -> Vec<Vec<Step>> {
    let mut groups = Vec::new();
    // The names of the others are not shown.
    let documented = |column: &&Column| column.field.is_documented();
    let columns: Vec<&Column> = COLUMNS_OF_FILES.iter().filter(documented).collect();
    for &Column { name: column, field, .. } in draw.some(columns, COLUMNS_IN_A_RUN) {
        let cells = classes::of(field, draw).into_iter().filter_map(|sample| {
            if sample.is_open {
                return None;
            }
            let cell = match sample.value? {
                Value::String(text) => text,
                Value::Number(number) => number.to_string(),
                _ => return None,
            };
            (cell.trim() == cell).then_some((cell, sample.is_valid))
        });
        let cells: Vec<(String, bool)> = cells.collect();
        let name = |index: usize| format!("{column}-{index}");
        let columns = shuffled(draw);
        let rows = cells.iter().enumerate();
        let row = |(index, (cell, _)): (usize, &(String, bool))| {
            row_with(&columns, &[("externalId", &name(index)), (column, cell)])
        };
        let rows: String = rows.map(row).collect();
        let mut steps = vec![make::import(column, format!("{}\n{rows}", columns.join(",")))];
        for is_valid in [true, false, true, false, true, false] {
            let index = draw.below(cells.len());
            let wanted = |at: &usize| cells[*at].1 == is_valid;
            let read = (index..cells.len()).chain(0..index).find(wanted);
            steps.extend(read.map(|index| {
                let (cell, name) = (&*cells[index].0, name(index));
                match column {
                    "externalId" => make::get_invoice("v1", cell),
                    "payeeExternalId" => make::get_invoice(cell, &name),
                    _ => make::get_invoice("v1", &name),
                }
            }));
        }
        groups.push(steps);
    }
    groups
}

/// A file with one good row, but for some cells.
pub(super) fn file_with(cells: &[(&str, &str)]) -> String {
    file_of(&[cells.to_vec()])
}

/// A file with good rows, but for some cells of each.
pub(super) fn file_of(rows: &[Vec<(&str, &str)>]) -> String {
    let columns: Vec<&str> = FULL_COLUMNS.split(',').collect();
    let rows = rows.iter().map(|cells| row_with(&columns, cells));
    format!("{FULL_COLUMNS}\n{}", rows.collect::<String>())
}

/// A file with an invoice of the vendor that each of these businesses owes: `by 0`, `by 1` and so on.
pub(super) fn owed_by(vendor: &str, payors: &[&str], due_date: &str) -> String {
    let names: Vec<String> = (0..payors.len()).map(|index| format!("by {index}")).collect();
    let row = |(name, payor)| {
        vec![
            ("externalId", name),
            ("payeeExternalId", vendor),
            ("payorExternalId", payor),
            ("faceValue", "150000"),
            ("dueDate", due_date),
        ]
    };
    let named = names.iter().map(String::as_str).zip(payors.iter().copied());
    file_of(&named.map(row).collect::<Vec<_>>())
}

/// The columns in any order.
fn shuffled(draw: &mut Draw) -> Vec<&'static str> {
    let mut left: Vec<&str> = FULL_COLUMNS.split(',').collect();
    let mut columns = Vec::with_capacity(left.len());
    while !left.is_empty() {
        columns.push(left.swap_remove(draw.below(left.len())));
    }
    columns
}

/// A good row, but for some cells.
fn row_with(columns: &[&str], cells: &[(&str, &str)]) -> String {
    let good = good_row();
    let good: Vec<(&str, &str)> = FULL_COLUMNS.split(',').zip(good.split(',')).collect();
    let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
    let find = |cells: &[(&str, &str)], column: &str| {
        cells.iter().find(|(one, _)| *one == column).map(|(_, cell)| (*cell).to_owned())
    };
    let cell = |column: &&str| {
        let given = find(cells, column).map(|cell| quoted(&cell));
        given.or_else(|| find(&good, column)).unwrap_or_default()
    };
    format!("{}\n", columns.iter().map(cell).collect::<Vec<String>>().join(","))
}
