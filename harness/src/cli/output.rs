//! Where a command's words go: the one place that writes to the terminal.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};

use crate::exchange::secrets::Secrets;

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

    /// The same, where `secrets` are told masked.
    pub(crate) fn concealing(self, secrets: Secrets) -> Output {
        Output { secrets, ..self }
    }

    /// Writes `value` as a line of JSON if a program reads, `text` if a person does. If nobody reads any more,
    /// that is no error: what the command found out stays true.
    pub(crate) fn tell(
        &self,
        text: impl std::fmt::Display,
        value: impl FnOnce() -> serde_json::Value,
    ) -> io::Result<()> {
        let told = if self.json {
            line(self.secrets.conceal_in(value()))
        } else {
            line(printable(&self.secrets.conceal(&text.to_string())))
        };
        match told {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.nobody_reads.set(true);
                Ok(())
            }
            told => told,
        }
    }

    /// Says what a command is about to do: where a program reads what comes of it, to standard error.
    pub(crate) fn announce(&self, text: impl std::fmt::Display) -> io::Result<()> {
        if self.json {
            to_stderr(printable(&text.to_string()).trim_end());
            return Ok(());
        }
        self.tell(text, || serde_json::Value::Null)
    }

    /// Whether whoever read has gone.
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
    let declined = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !declined && io::stderr().is_terminal()
}

/// What a terminal shows as it is: signs that would move its cursor or change its colours are told by their numbers.
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

/// Writes a line to standard error; if nobody listens there either, there is nobody to tell.
pub(crate) fn to_stderr(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
