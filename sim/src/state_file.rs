//! The file that keeps the worlds of a mock from one run to the next.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tideover_model::UnreadableSnapshot;

use crate::world::Unwritable;

/// The reason why a state file is not read or written. The file is left as it is.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The file can't be read.
    #[error("cannot read the state {path}: {source}", path = .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is damaged, or from a newer release.
    #[error("{path}: {why}; the file is left as it is", path = .path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: UnreadableSnapshot,
    },
    /// The file can't be written.
    #[error("cannot write the state {path}: {source}", path = .path.display())]
    Unwritten {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A world can't be written.
    #[error(transparent)]
    World(#[from] Unwritable),
    /// The mock has no state file.
    #[error("this mock keeps no state; start it with a state file")]
    None,
}

/// A file that is always whole: each version replaces the last one in one step.
#[derive(Debug)]
pub(crate) struct StateFile {
    path: PathBuf,
    /// The version of the state that the file holds. Held while the file is written.
    saved: Mutex<Option<(u64, u64)>>,
}

impl StateFile {
    /// The file at a path. If that is a link, it is the file that the link names.
    pub(crate) fn at(path: &Path) -> StateFile {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        StateFile { path, saved: Mutex::new(None) }
    }

    /// Its content; `None` if there is no such file yet.
    ///
    /// # Errors
    /// [`StateError::Unreadable`].
    pub(crate) fn load(&self) -> Result<Option<Vec<u8>>, StateError> {
        match fs::read(&self.path) {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(StateError::Unreadable { path: self.path.clone(), source }),
        }
    }

    /// The refusal of its content.
    pub(crate) fn refused(&self, why: UnreadableSnapshot) -> StateError {
        StateError::Refused { path: self.path.clone(), why }
    }

    /// Writes a version of the state, unless the file holds it already.
    ///
    /// # Errors
    /// [`StateError`]: a world or the file can't be written.
    pub(crate) fn save(
        &self,
        version: (u64, u64),
        content: impl FnOnce() -> Result<Vec<u8>, Unwritable>,
    ) -> Result<(), StateError> {
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        if *saved == Some(version) {
            return Ok(());
        }
        replace(&self.path, &content()?)
            .map_err(|source| StateError::Unwritten { path: self.path.clone(), source })?;
        *saved = Some(version);
        Ok(())
    }
}

/// Replaces a file. Whoever reads it finds the content before or the content after, even if this process or the
/// machine stops on the way.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let mut beside = name.to_owned();
    beside.push(".part");
    let beside = folder.join(beside);
    let mut file = private().open(&beside)?;
    file.write_all(content)?;
    file.sync_all()?;
    drop(file);
    fs::rename(&beside, path)?;
    sync(folder)
}

/// The content holds every key: no other user can read it.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes a change of names in a folder last.
#[cfg(unix)]
fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Other systems cannot sync a folder.
#[cfg(not(unix))]
fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}
