//! The checks of an import's file: its media type, its columns, its cells, the number of its rows.
//!
//! As with the fields of JSON, the file is read as another one.

use serde_json::Value;
use tideover_model::wire::schema::Domain;
use tideover_model::wire::schema::columns::{COLUMNS, Column};
use tideover_model::{Clause, OperationKind, Timestamp, clause};

use crate::generated::{Mutation, Operator, keep};
use crate::hooks::rereading;

/// The most rows of a file (`4.imports.1`).
const MOST_ROWS: usize = 1000;

pub(super) fn mutations() -> Vec<Mutation> {
    let required =
        || COLUMNS.iter().filter(|column| column.field.is_required && is_required(column));
    let of_columns = required().flat_map(|column| {
        [
            mutation(
                Operator::Lax,
                clause!("4.imports.3"),
                format!("takes a file without {}", column.name),
                |it| it.with_column(column),
            ),
            mutation(
                Operator::Lax,
                column.field.clause,
                format!("takes any {}", column.name),
                |it| it.with_cells(column),
            ),
        ]
    });
    let lax = |words: &str, clause, read: fn(&Sheet) -> Option<String>| {
        mutation(Operator::Lax, clause, words.to_owned(), read)
    };
    let of_rows = [
        lax("takes any media type", clause!("4.imports.9.2"), |it| Some(it.text.clone())),
        lax("takes any number of rows", clause!("4.imports.1.2"), |it| it.cut(usize::MAX)),
        lax("takes a row too many", clause!("4.imports.1.2"), |it| it.cut(MOST_ROWS + 1)),
        mutation(
            Operator::Strict,
            clause!("4.imports.1"),
            "refuses a file with as many rows as it may have".to_owned(),
            Sheet::with_too_many,
        ),
    ];
    of_columns.chain(of_rows).collect()
}

/// The columns of the file that it must have.
fn is_required(column: &Column) -> bool {
    let optional = ["payeeExternalId", "payorExternalId"];
    !optional.contains(&column.name)
}

fn mutation(
    operator: Operator,
    clause: Clause,
    words: String,
    read: impl Fn(&Sheet) -> Option<String> + Copy + Send + Sync + 'static,
) -> Mutation {
    let words = format!("ImportInvoices {words}");
    Mutation::new(operator, clause, words, move || {
        rereading(keep(move |asked: OperationKind, body: &[u8]| {
            let text = std::str::from_utf8(body).ok()?;
            let is_it = asked == OperationKind::ImportInvoices;
            let sheet = is_it.then(|| Sheet { text: text.to_owned() })?;
            Some(read(&sheet)?.into_bytes())
        }))
    })
}

/// The text of a file.
struct Sheet {
    text: String,
}

impl Sheet {
    /// Its lines, each as cells. An empty line is none.
    fn cells(&self) -> Vec<Vec<String>> {
        let (mut lines, mut line, mut cell) = (Vec::new(), Vec::new(), String::new());
        let (mut is_quoted, mut signs) = (false, self.text.chars().peekable());
        while let Some(sign) = signs.next() {
            match sign {
                '"' if is_quoted && signs.next_if_eq(&'"').is_some() => cell.push('"'),
                '"' => is_quoted = !is_quoted,
                ',' if !is_quoted => line.push(std::mem::take(&mut cell)),
                '\r' if !is_quoted => {}
                '\n' if !is_quoted => {
                    line.push(std::mem::take(&mut cell));
                    lines.push(std::mem::take(&mut line));
                }
                sign => cell.push(sign),
            }
        }
        line.push(cell);
        lines.push(line);
        lines.retain(|line| line.iter().any(|cell| !cell.is_empty()));
        lines
    }

    /// The same with a column that it lacks.
    fn with_column(&self, column: &Column) -> Option<String> {
        let mut lines = self.cells();
        if lines.first()?.iter().any(|name| name == column.name) {
            return None;
        }
        for (number, line) in lines.iter_mut().enumerate() {
            line.push(if number == 0 { column.name.to_owned() } else { valid(column, number) });
        }
        Some(written(&lines))
    }

    /// The same with valid cells in place of the invalid ones of a column.
    fn with_cells(&self, column: &Column) -> Option<String> {
        let mut lines = self.cells();
        let place = lines.first()?.iter().position(|name| name == column.name)?;
        let mut has_changed = false;
        for (number, line) in lines.iter_mut().enumerate().skip(1) {
            let Some(cell) = line.get_mut(place) else { continue };
            if !is_valid(column, cell) {
                *cell = valid(column, number);
                has_changed = true;
            }
        }
        has_changed.then(|| written(&lines))
    }

    /// As many rows as a file may have, if it has more, but no more than `most`.
    fn cut(&self, most: usize) -> Option<String> {
        let lines: Vec<&str> = self.text.lines().collect();
        let rows = lines.len().checked_sub(1)?;
        (rows > MOST_ROWS && rows <= most).then(|| lines[..=MOST_ROWS].join("\n"))
    }

    /// More rows than a file may have, if it has as many as it may.
    fn with_too_many(&self) -> Option<String> {
        let lines: Vec<&str> = self.text.lines().collect();
        let last = lines.last()?;
        (lines.len() == MOST_ROWS + 1).then(|| format!("{}\n{last}", lines.join("\n")))
    }
}

fn written(lines: &[Vec<String>]) -> String {
    let quoted = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
    let line = |line: &Vec<String>| line.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
    lines.iter().map(line).collect()
}

fn is_valid(column: &Column, cell: &str) -> bool {
    match column.field.domain() {
        Domain::Integer { least, most } => {
            cell.parse().is_ok_and(|number: i64| (least..=most).contains(&number))
        }
        Domain::Word(words) => words.contains(&cell),
        Domain::Instant => Timestamp::parse(cell).is_some(),
        _ => !cell.is_empty(),
    }
}

/// A valid cell of the row of this number.
fn valid(column: &Column, number: usize) -> String {
    match column.field.domain() {
        Domain::Integer { .. } => "100".to_owned(),
        Domain::Word(words) => Value::from(words[0]).as_str().unwrap_or_default().to_owned(),
        Domain::Instant => "2026-01-02T00:00:00Z".to_owned(),
        _ => format!("lax{number}"),
    }
}
