//! Profile files in TOML. Each error is one line.

use std::io;
use std::path::{Path, PathBuf};

use tideover_model::{ImpossibleValue, Profile};

/// The reason to reject a profile file.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The file can't be read.
    #[error("cannot read the profile {path}: {source}", path = .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not TOML, or has an unknown field or a value of the wrong type.
    #[error("{path}:{line}: {problem}", path = .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The error in this line.
        problem: String,
    },
    /// The file has an impossible value.
    #[error("{path}: {value}", path = .path.display())]
    Impossible {
        /// The file.
        path: PathBuf,
        /// The value, and why it is impossible.
        value: ImpossibleValue,
    },
}

/// Loads the profile in a TOML file. Missing fields have their values of the standard profile.
///
/// # Errors
/// [`ProfileError`]: unreadable, malformed, impossible.
pub fn load_profile(path: &Path) -> Result<Profile, ProfileError> {
    let owned = || path.to_owned();
    let text = std::fs::read_to_string(path)
        .map_err(|source| ProfileError::Unreadable { path: owned(), source })?;
    let malformed = |field: &str, error: &toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = 1 + before.matches('\n').count();
        let problem = format!("{field}{}", in_words(error.message()));
        ProfileError::Malformed { path: owned(), line, problem }
    };
    let reader = toml::Deserializer::parse(&text).map_err(|error| malformed("", &error))?;
    let profile: Profile = serde_path_to_error::deserialize(reader).map_err(|error| {
        let field = match error.path().to_string().as_str() {
            "." => String::new(),
            field => format!("{field}: "),
        };
        malformed(&field, error.inner())
    })?;
    profile.check().map_err(|value| ProfileError::Impossible { path: owned(), value })?;
    Ok(profile)
}

/// An error in one line, in a profile author's words instead of Rust's.
fn in_words(problem: &str) -> String {
    let problem = problem.replace('\n', " ");
    for (number, words) in [
        ("usize", "a whole number, not negative"),
        ("u64", "a whole number, not negative"),
        ("u32", "a whole number, not negative"),
        ("u16", "an HTTP status"),
        ("i64", "a whole number"),
        ("a boolean", "true or false"),
    ] {
        if let Some(start) = problem.strip_suffix(&format!("expected {number}")) {
            return format!("{start}expected {words}");
        }
    }
    problem
}
