//! Profile files in TOML: a profile, and the faults of a mock beside it. Each error is one line.

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use tideover_model::{ImpossibleValue, Profile};
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, ValueDeserializer};

use crate::fault::{FaultError, Faults, ImpossibleRule, Rule, Spelling, read};

/// Why a profile file is rejected.
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
    /// The file has too many faults.
    #[error("{path}: {problem}", path = .path.display())]
    Faults {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: FaultError,
    },
    /// The file has faults, and is read by something that does not apply them.
    #[error("{path}: faults: only the mock applies them; serve takes this file", path = .path.display())]
    HasFaults {
        /// The file.
        path: PathBuf,
    },
}

/// A profile file of a mock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileFile {
    /// The assumed values. Missing fields have their values of the standard profile.
    pub profile: Profile,
    /// The rules in its table `faults`.
    pub faults: Vec<Rule>,
}

/// Loads the profile in a TOML file. Missing fields have their values of the standard profile.
///
/// # Errors
/// [`ProfileError`]: as [`ProfileFile::load`]; the file has faults, which a profile alone can't hold.
pub fn load_profile(path: &Path) -> Result<Profile, ProfileError> {
    let ProfileFile { profile, faults } = ProfileFile::load(path)?;
    if faults.is_empty() {
        return Ok(profile);
    }
    Err(ProfileError::HasFaults { path: path.to_owned() })
}

impl ProfileFile {
    /// Loads a TOML file.
    ///
    /// # Errors
    /// [`ProfileError`]: unreadable, malformed, impossible.
    pub fn load(path: &Path) -> Result<ProfileFile, ProfileError> {
        let owned = || path.to_owned();
        let text = std::fs::read_to_string(path)
            .map_err(|source| ProfileError::Unreadable { path: owned(), source })?;
        let malformed = |Problem { at, words }| {
            let before = text.get(..at).unwrap_or_default();
            let line = 1 + before.matches('\n').count();
            ProfileError::Malformed { path: owned(), line, problem: words }
        };
        let mut table =
            DeTable::parse(&text).map_err(|error| malformed(Problem::of("", &error)))?;
        let faults = table.get_mut().remove("faults");
        // What a run saw stands beside what it learned, for a comparison with a later run.
        table.get_mut().remove("observed");
        let profile: Profile = serde_path_to_error::deserialize(Deserializer::from(table))
            .map_err(|error| {
                let field = match error.path().to_string().as_str() {
                    "." => String::new(),
                    field => format!("{field}: "),
                };
                malformed(Problem::of(&field, error.inner()))
            })?;
        let faults = faults.map_or(Ok(Vec::new()), |faults| rules(&faults)).map_err(malformed)?;
        profile.check().map_err(|value| ProfileError::Impossible { path: owned(), value })?;
        Faults::new(0, faults.clone())
            .map_err(|problem| ProfileError::Faults { path: owned(), problem })?;
        Ok(ProfileFile { profile, faults })
    }
}

/// What is wrong, and at which byte of the file.
struct Problem {
    at: usize,
    words: String,
}

impl Problem {
    fn of(field: &str, error: &toml::de::Error) -> Problem {
        let at = error.span().map_or(0, |span| span.start);
        Problem { at, words: format!("{field}{}", in_words(error.message())) }
    }
}

/// The rules in the value of `faults`.
fn rules(faults: &Spanned<DeValue<'_>>) -> Result<Vec<Rule>, Problem> {
    let expected = |at| Problem { at, words: "faults: expected [[faults]] tables".to_owned() };
    let rows = faults.get_ref().as_array().ok_or_else(|| expected(faults.span().start))?;
    let rule = |row: &Spanned<DeValue<'_>>| {
        let at = row.span().start;
        let value = Value::deserialize(ValueDeserializer::from(row.clone()));
        let value = value.map_err(|error| Problem::of("faults: ", &error))?;
        let fields = value.as_object().ok_or_else(|| expected(at))?;
        read(fields, Spelling::Snake).map_err(|ImpossibleRule { field, problem }| Problem {
            at: place(row.get_ref(), &field).unwrap_or(at),
            words: format!("faults.{field}: {problem}"),
        })
    };
    rows.iter().map(rule).collect()
}

/// Where a field of a table stands.
fn place(table: &DeValue<'_>, field: &str) -> Option<usize> {
    let (name, _) = table.as_table()?.get_key_value(field)?;
    Some(name.span().start)
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
