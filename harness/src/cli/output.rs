//! The output of a command: the only place that writes to the terminal.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};

use tideover_exchange::evidence::outcome::Outcome;
use tideover_exchange::secrets::Secrets;

/// Standard output, for a person or for a program.
pub(crate) struct Output {
    json: bool,
    is_closed: Cell<bool>,
    secrets: Secrets,
}

impl Output {
    pub(crate) fn new(json: bool) -> Output {
        Output { json, is_closed: Cell::new(false), secrets: Secrets::default() }
    }

    /// The same output, with `secrets` masked.
    pub(crate) fn concealing(self, secrets: Secrets) -> Output {
        Output { secrets, ..self }
    }

    /// Writes `value` as a line of JSON for a program, or `text` for a person. A closed pipe is no error,
    /// because the result of the command stays valid.
    pub(crate) fn print(
        &self,
        text: impl std::fmt::Display,
        value: impl FnOnce() -> serde_json::Value,
    ) -> io::Result<()> {
        let written = if self.json {
            line(self.secrets.conceal_in(value()))
        } else {
            let text = printable(&self.secrets.conceal(&text.to_string()));
            line(if takes_colours(&io::stdout()) { painted(&text) } else { text })
        };
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed.set(true);
                Ok(())
            }
            written => written,
        }
    }

    /// Announces what a command is about to do. With JSON output, the text goes to standard error.
    pub(crate) fn announce(&self, text: impl std::fmt::Display) -> io::Result<()> {
        if self.json {
            to_stderr(printable(&text.to_string()).trim_end());
            return Ok(());
        }
        self.print(text, || serde_json::Value::Null)
    }

    /// Whether the reader has closed the pipe.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.get()
    }

    /// Whether a person watches the progress on a terminal.
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

/// Colours an outcome at the beginning of a line: green, red, or yellow.
fn painted(text: &str) -> String {
    let paint = |line: &str| {
        let coloured = Outcome::ALL.into_iter().find_map(|outcome| {
            let (word, colour) = (outcome.word(), colour(outcome));
            let rest = line.strip_prefix(word).filter(|rest| rest.starts_with([':', ' ']))?;
            Some(format!("\u{1b}[1;{colour}m{word}\u{1b}[0m{rest}"))
        });
        coloured.unwrap_or_else(|| line.to_owned())
    };
    text.split_inclusive('\n').map(paint).collect()
}

fn colour(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Pass | Outcome::Partial => 32,
        Outcome::Fail => 31,
        Outcome::Interrupted | Outcome::Inconclusive | Outcome::Stalled | Outcome::Differs => 33,
    }
}

/// Escapes control characters, which could move the cursor or change the colours of a terminal.
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

/// Writes bytes to standard output as they are. A closed pipe is no error.
pub(crate) fn verbatim(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes a line to standard error, and ignores an error, because there is no other place to report it.
pub(crate) fn to_stderr(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_outcome_at_the_beginning_of_a_line_is_coloured() {
        let text = "FAIL  3 steps\nPASSED on\nwhat can FAIL: this\nPASS: 2 clauses\n";
        let expected = "\u{1b}[1;31mFAIL\u{1b}[0m  3 steps\nPASSED on\nwhat can FAIL: this\n\u{1b}[1;32mPASS\u{1b}[0m: 2 clauses\n";
        assert_eq!(painted(text), expected);
    }
}
