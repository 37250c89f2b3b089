//! CSV as text: records of cells.

use std::cell::RefCell;

use csv_core::{ReadRecordResult, Reader};

thread_local! {
    /// Shared: building its tables takes longer than reading most files, and a clone builds some again.
    static READER: RefCell<Reader> = RefCell::new(Reader::new());
}

/// The records of a file, all in one buffer.
pub(super) struct Sheet {
    text: String,
    /// The end of each cell in the text, where the next cell begins, after a leading 0.
    ends: Vec<usize>,
    /// The end of each record among the cells, where the next record begins, after a leading 0.
    records: Vec<usize>,
}

/// The cells of one record.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    text: &'a str,
    /// The start of the first cell, and the end of each cell.
    ends: &'a [usize],
}

impl Sheet {
    /// The first records of `file`, at most `most`; `None` if they are not text.
    pub(super) fn read(file: &str, most: usize) -> Option<Sheet> {
        READER.with_borrow_mut(|reader| {
            reader.reset();
            Sheet::read_with(reader, file.as_bytes(), most)
        })
    }

    fn read_with(reader: &mut Reader, mut file: &[u8], most: usize) -> Option<Sheet> {
        let (mut text, mut written) = (vec![0; file.len()], 0);
        let (mut ends, mut cells) = (vec![0; 64], 0);
        let mut records = vec![0];
        while records.len() <= most {
            let free = &mut ends[cells + 1..];
            let (result, read, wrote, ended) = reader.read_record(file, &mut text[written..], free);
            file = &file[read..];
            written += wrote;
            // The reader counts from the start of the record.
            let begin = ends[records[records.len() - 1]];
            ends[cells + 1..][..ended].iter_mut().for_each(|end| *end += begin);
            cells += ended;
            match result {
                ReadRecordResult::Record => records.push(cells),
                ReadRecordResult::OutputEndsFull => ends.resize(ends.len() * 2, 0),
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull | ReadRecordResult::End => break,
            }
        }
        text.truncate(written);
        Some(Sheet { text: String::from_utf8(text).ok()?, ends, records })
    }

    /// The records, in the file's order.
    pub(super) fn records(
        &self,
    ) -> impl DoubleEndedIterator<Item = Record<'_>> + ExactSizeIterator {
        let record =
            |cells: &[usize]| Record { text: &self.text, ends: &self.ends[cells[0]..=cells[1]] };
        self.records.windows(2).map(record)
    }
}

impl<'a> Record<'a> {
    /// How many cells there are.
    pub(super) fn len(self) -> usize {
        self.ends.len() - 1
    }

    /// The cell at `index`.
    pub(super) fn get(self, index: usize) -> Option<&'a str> {
        let end = *self.ends.get(index + 1)?;
        self.text.get(self.ends[index]..end)
    }

    /// All cells, from the left.
    pub(super) fn cells(self) -> impl Iterator<Item = &'a str> {
        (0..self.len()).filter_map(move |index| self.get(index))
    }
}
