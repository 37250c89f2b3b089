//! Marks for the variables of a text that somebody else runs: a curl line, an exported test.

/// Encloses the name of a variable in text that is not quoted yet.
pub(crate) const MARK: char = '\u{e000}';

/// A variable, as it stands in such a text.
pub(crate) fn marked(variable: &str) -> String {
    format!("{MARK}{variable}{MARK}")
}

/// A path whose marks are not encoded.
pub(crate) fn with_plain_marks(path: &str) -> String {
    path.replace("%EE%80%80", &MARK.to_string())
}
