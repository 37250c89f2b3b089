//! The file that keeps the worlds of a mock from one run to the next.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

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
    /// Another mock, of this process or of another one, keeps its state in the file.
    #[error("another mock keeps its state in {path}; give this one another file", path = .path.display())]
    Taken {
        /// The file.
        path: PathBuf,
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
    /// Held while the file is written.
    kept: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    /// Locked as long as a mock keeps its state here. The state itself cannot be: each version is a new file.
    lock: Option<File>,
    /// The version of the state that the file holds.
    version: Option<(u64, u64)>,
}

impl StateFile {
    /// The file at a path. If that is a link, it is the file that the link names.
    ///
    /// # Errors
    /// [`StateError`]: it is no regular file; nothing can be written beside it; another mock has it.
    pub(crate) fn at(path: &Path) -> Result<StateFile, StateError> {
        let path = followed(path);
        if fs::metadata(&path).is_ok_and(|it| !it.is_file()) {
            let source = io::Error::other("it is no regular file");
            return Err(StateError::Unreadable { path, source });
        }
        match locked(&path) {
            Ok(Some(lock)) => {
                let kept = Mutex::new(Kept { lock: Some(lock), version: None });
                Ok(StateFile { path, kept })
            }
            Ok(None) => Err(StateError::Taken { path }),
            Err(source) => Err(StateError::Unwritten { path, source }),
        }
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

    /// Writes a version of the state, unless the file holds it already, or was released.
    ///
    /// # Errors
    /// [`StateError`]: a world or the file can't be written.
    pub(crate) fn save(
        &self,
        version: (u64, u64),
        content: impl FnOnce() -> Result<Vec<u8>, Unwritable>,
    ) -> Result<(), StateError> {
        let mut kept = self.kept();
        if kept.version == Some(version) || kept.lock.is_none() {
            return Ok(());
        }
        replace(&self.path, &content()?)
            .map_err(|source| StateError::Unwritten { path: self.path.clone(), source })?;
        kept.version = Some(version);
        Ok(())
    }

    /// Leaves the file to other mocks, once it is whole.
    pub(crate) fn release(&self) {
        self.kept().lock = None;
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The path of a file, or of the one that a link names, which need not exist yet.
fn followed(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| match fs::read_link(path) {
        Ok(link) => path.parent().unwrap_or(Path::new("")).join(link),
        Err(_) => path.to_owned(),
    })
}

/// The lock beside a file; `None` if somebody else has it.
fn locked(path: &Path) -> io::Result<Option<File>> {
    let lock = private().open(beside(path, ".lock")?)?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Replaces a file. Whoever reads it finds the content before or the content after, even if this process or the
/// machine stops on the way.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let part = beside(path, ".part")?;
    let replaced = write(&part, content).and_then(|()| fs::rename(&part, path));
    if replaced.is_err() {
        // A part of a version is of no use, and the disk may be full.
        let _ = fs::remove_file(&part);
    }
    replaced.and_then(|()| sync(path))
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = private().open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// The path of a file in the same folder.
fn beside(path: &Path, ending: &str) -> io::Result<PathBuf> {
    let mut name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_owned();
    name.push(ending);
    Ok(path.with_file_name(name))
}

/// The content holds every key: no other user can read it.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes a change of a name last.
#[cfg(unix)]
fn sync(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Other systems cannot sync a folder.
#[cfg(not(unix))]
fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}
