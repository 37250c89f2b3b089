//! Where the cells of an import file stand in its text, as the model reads it.

use std::ops::Range;

/// A row of cells, each with its quotes.
pub(super) type Row = Vec<Range<usize>>;

/// The rows of a file, the names of the columns first. `None` if a cell may belong to another column than it seems to: a
/// quote is never closed, or a row has more or fewer cells than there are columns.
pub(super) fn rows(text: &str) -> Option<Vec<Row>> {
    let bytes = text.as_bytes();
    let (mut rows, mut row) = (Vec::new(), Row::new());
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while at < bytes.len() {
        // Blank lines are no rows.
        if row.is_empty() && matches!(bytes[at], b'\r' | b'\n') {
            at += 1;
            continue;
        }
        let end = end_of_cell(bytes, at)?;
        row.push(at..end);
        if bytes.get(end) != Some(&b',') {
            rows.push(std::mem::take(&mut row));
        }
        at = end + 1;
    }
    if !row.is_empty() {
        row.push(bytes.len()..bytes.len());
        rows.push(row);
    }
    let columns = rows.first().map(Vec::len);
    rows.iter().all(|row| Some(row.len()) == columns).then_some(rows)
}

fn end_of_cell(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    while bytes.get(at) == Some(&b'"') {
        at += 2 + bytes[at + 1..].iter().position(|it| *it == b'"')?;
    }
    let end = bytes[at..].iter().position(|it| matches!(it, b',' | b'\r' | b'\n'));
    Some(end.map_or(bytes.len(), |end| at + end))
}

/// What a cell says, without its quotes.
pub(super) fn unquoted(cell: &str) -> String {
    match cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')) {
        Some(cell) => cell.replace("\"\"", "\""),
        None => cell.to_owned(),
    }
}
