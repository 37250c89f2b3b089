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
    let profile: Profile = toml::from_str(&text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = 1 + before.matches('\n').count();
        let problem = error.message().replace('\n', " ");
        ProfileError::Malformed { path: owned(), line, problem }
    })?;
    profile.check().map_err(|value| ProfileError::Impossible { path: owned(), value })?;
    Ok(profile)
}
