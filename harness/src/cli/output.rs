//! The output of a command: the one place that writes to the terminal.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};

use crate::evidence::finding::Verdict;
use crate::exchange::secrets::Secrets;
use crate::report::heading;

/// Standard output, for a person or for a program.
pub(crate) struct Output {
    json: bool,
    nobody_reads: Cell<bool>,
    secrets: Secrets,
}

impl Output {
    pub(crate) fn new(json: bool) -> Output {
        Output { json, nobody_reads: Cell::new(false), secrets: Secrets::default() }
    }

    /// The same output, with `secrets` masked.
    pub(crate) fn concealing(self, secrets: Secrets) -> Output {
        Output { secrets, ..self }
    }

    /// Writes `value` as a line of JSON if a program reads, `text` if a person does. If nobody reads any more,
    /// that is no error: what the command found out stays true.
    pub(crate) fn print(
        &self,
        text: impl std::fmt::Display,
        value: impl FnOnce() -> serde_json::Value,
    ) -> io::Result<()> {
        let printed = if self.json {
            line(self.secrets.conceal_in(value()))
        } else {
            let text = printable(&self.secrets.conceal(&text.to_string()));
            line(if takes_colours(&io::stdout()) { painted(&text) } else { text })
        };
        match printed {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.nobody_reads.set(true);
                Ok(())
            }
            printed => printed,
        }
    }

    /// Prints what a command is about to do; to standard error if a program reads the result.
    pub(crate) fn announce(&self, text: impl std::fmt::Display) -> io::Result<()> {
        if self.json {
            to_stderr(printable(&text.to_string()).trim_end());
            return Ok(());
        }
        self.print(text, || serde_json::Value::Null)
    }

    /// Whether the reader of standard output has gone.
    pub(crate) fn nobody_reads(&self) -> bool {
        self.nobody_reads.get()
    }

    /// Whether a person watches while it runs.
    pub(crate) fn is_watched(&self) -> bool {
        !self.json && io::stderr().is_terminal()
    }
}

/// Whether colours may be written to standard error: to a terminal, unless `NO_COLOR` declines them.
pub(crate) fn stderr_takes_colours() -> bool {
    takes_colours(&io::stderr())
}

fn takes_colours(stream: &impl IsTerminal) -> bool {
    let declined = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !declined && stream.is_terminal()
}

/// The verdict at the beginning of a line in its colour: green, red, or yellow.
fn painted(text: &str) -> String {
    let paint = |line: &str| {
        let coloured = VERDICTS.into_iter().find_map(|(verdict, colour)| {
            let word = heading(verdict);
            let rest = line.strip_prefix(word).filter(|rest| rest.starts_with([':', ' ']))?;
            Some(format!("\u{1b}[1;{colour}m{word}\u{1b}[0m{rest}"))
        });
        coloured.unwrap_or_else(|| line.to_owned())
    };
    text.split_inclusive('\n').map(paint).collect()
}

/// Each verdict with its colour on a terminal.
const VERDICTS: [(Verdict, u8); 5] = [
    (Verdict::Held, 32),
    (Verdict::Violated, 31),
    (Verdict::Inconclusive, 33),
    (Verdict::Stalled, 33),
    (Verdict::DiffersFromAssumption, 33),
];

/// What a terminal shows as it is: characters that would move its cursor or change its colours appear as numbers.
fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\n' => shown.push(sign),
            sign if sign.is_control() => shown.extend(sign.escape_default()),
            sign => shown.push(sign),
        }
    }
    shown
}

fn line(text: impl std::fmt::Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

/// Writes a line to standard error; if that is closed too, nobody can be informed.
pub(crate) fn to_stderr(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_verdict_at_the_beginning_of_a_line_is_coloured() {
        let text = "FAIL  3 steps\nPASSED on\nwhat can FAIL: this\nPASS: 2 clauses\n";
        let expected = "\u{1b}[1;31mFAIL\u{1b}[0m  3 steps\nPASSED on\nwhat can FAIL: this\n\u{1b}[1;32mPASS\u{1b}[0m: 2 clauses\n";
        assert_eq!(painted(text), expected);
    }
}
