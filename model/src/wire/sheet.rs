//! CSV as text: records of cells.

use std::cell::RefCell;

use csv_core::{ReadRecordResult, Reader};

thread_local! {
    /// To make its tables takes longer than to read most files, and a clone has not all of them.
    static READER: RefCell<Reader> = RefCell::new(Reader::new());
}

/// The records of a file, all in one buffer.
pub(super) struct Sheet {
    text: String,
    /// Where each cell ends in the text, and the next begins; before them all stands 0.
    ends: Vec<usize>,
    /// Where each record ends among the cells, and the next begins; before them all stands 0.
    records: Vec<usize>,
}

/// Cells that stand together.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    text: &'a str,
    /// Where the first cell begins, and where each ends.
    ends: &'a [usize],
}

impl Sheet {
    /// The first records of `file`, at most so many; `None` if they are not text.
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
            // The reader counts from the record's beginning.
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

    /// Them, in the file's order.
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
