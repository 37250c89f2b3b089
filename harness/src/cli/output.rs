//! Where a command's words go: the one place that writes to the terminal.

use std::io::{self, IsTerminal, Write};

/// Standard output, for a person or for a program.
pub(crate) struct Output {
    json: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Output {
        Output { json }
    }

    /// Writes `value` as a line of JSON if a program reads, `text` if a person does.
    pub(crate) fn tell(
        &self,
        text: impl std::fmt::Display,
        value: impl FnOnce() -> serde_json::Value,
    ) -> io::Result<()> {
        if self.json { self.line(value()) } else { self.line(text) }
    }

    /// Writes a line for whoever reads.
    pub(crate) fn line(&self, text: impl std::fmt::Display) -> io::Result<()> {
        let mut out = io::stdout().lock();
        writeln!(out, "{text}")?;
        out.flush()
    }

    /// Whether a person watches while it runs.
    pub(crate) fn is_watched(&self) -> bool {
        !self.json && io::stderr().is_terminal()
    }
}

/// Writes a line to standard error; if nobody listens there either, there is nobody to tell.
pub(crate) fn to_stderr(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
