//! Profile files: TOML, checked, with every fault named in one line.

use std::io;
use std::path::{Path, PathBuf};

use tideover_model::{ImpossibleValue, Profile};

/// Why a profile file is not taken.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// It cannot be read.
    #[error("cannot read the profile {path}: {source}", path = .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is not TOML, or names a field that there is not, or a value of another type.
    #[error("{path}:{line}: {problem}", path = .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
    },
    /// It has a value that cannot be.
    #[error("{path}: {value}", path = .path.display())]
    Impossible {
        /// The file.
        path: PathBuf,
        /// Which one, and why.
        value: ImpossibleValue,
    },
}

/// The profile in a TOML file. What the file leaves out is as in the standard profile.
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

/// A problem in one line, in the words of whoever writes the file rather than the language's.
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
