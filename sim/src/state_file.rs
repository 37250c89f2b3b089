//! The state file: it holds the worlds of a mock from one run to the next.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tideover_model::UnreadableSnapshot;

/// Why a state file is not read or written. The file stays as it is.
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

/// A file that is always complete: each version replaces the last one in one step.
#[derive(Debug)]
pub(crate) struct StateFile {
    path: PathBuf,
    /// Locked while the file is written.
    status: Mutex<Status>,
}

#[derive(Debug)]
struct Status {
    /// Locked as long as a mock saves its state here; `None` once it has released the file. The state file itself
    /// cannot be the lock: each version is a new file.
    lock: Option<File>,
    /// The version of the state that the file holds.
    saved: Option<(u64, u64)>,
}

impl Status {
    /// Whether there is nothing to write.
    fn is_done(&self, version: (u64, u64)) -> bool {
        self.saved == Some(version) || self.lock.is_none()
    }
}

/// The service of a world has no snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "this world cannot be written: its service has a deliberate defect, or is not the model's own"
)]
pub struct Unwritable;

/// Why a version of the state is not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unsaved {
    #[error(transparent)]
    World(#[from] Unwritable),
    #[error(transparent)]
    File(#[from] io::Error),
}

impl StateFile {
    /// Takes the file at a path, or the file that a link there names. Fails if that is no regular file, if nothing can
    /// be written beside it, or if another mock has it.
    pub(crate) fn at(path: &Path) -> Result<StateFile, StateError> {
        let path = followed(path);
        if fs::metadata(&path).is_ok_and(|it| !it.is_file()) {
            return Err(StateError::Unreadable { path, source: odd() });
        }
        match locked(&path) {
            Ok(Some(lock)) => {
                let status = Mutex::new(Status { lock: Some(lock), saved: None });
                Ok(StateFile { path, status })
            }
            Ok(None) => Err(StateError::Taken { path }),
            Err(source) => Err(StateError::Unwritten { path, source }),
        }
    }

    /// Its content; `None` if there is no such file yet.
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

    /// Whether there is nothing to write: the file holds this version of the state already, or was released.
    pub(crate) fn is_done(&self, version: (u64, u64)) -> bool {
        self.status().is_done(version)
    }

    /// Writes a version of the state, unless there is nothing to write.
    pub(crate) fn save(
        &self,
        version: (u64, u64),
        content: impl FnOnce(&mut BufWriter<File>) -> Result<(), Unsaved>,
    ) -> Result<(), StateError> {
        let mut status = self.status();
        if status.is_done(version) {
            return Ok(());
        }
        replace(&self.path, content).map_err(|why| match why {
            Unsaved::World(why) => StateError::World(why),
            Unsaved::File(source) => self.unwritten(source),
        })?;
        status.saved = Some(version);
        Ok(())
    }

    /// The error that the file is not written.
    pub(crate) fn unwritten(&self, source: io::Error) -> StateError {
        StateError::Unwritten { path: self.path.clone(), source }
    }

    /// Lets other mocks have the file, once it is complete.
    pub(crate) fn release(&self) {
        self.status().lock = None;
    }

    fn status(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
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
    let path = beside(path, ".lock")?;
    let lock = unfollowed(private().create(true)).open(&path);
    let lock = lock.and_then(|lock| if lock.metadata()?.is_file() { Ok(lock) } else { Err(odd()) });
    let lock = lock.map_err(|error| named(&path, &error))?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Replaces a file. Whoever reads it finds the content before or the content after, even if this process or the
/// machine stops on the way.
fn replace(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> Result<(), Unsaved>,
) -> Result<(), Unsaved> {
    let part = beside(path, ".part")?;
    // What a process that was killed has left. Of a link, this removes the link alone.
    if let Err(error) = fs::remove_file(&part)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(named(&part, &error).into());
    }
    let file = private().create_new(true).open(&part).map_err(|error| named(&part, &error))?;
    let replaced = write(file, content).and_then(|()| Ok(fs::rename(&part, path)?));
    if replaced.is_err() {
        // A partial version is of no use, and the disk may be full.
        let _ = fs::remove_file(&part);
    }
    replaced?;
    Ok(sync(path)?)
}

fn write(
    file: File,
    content: impl FnOnce(&mut BufWriter<File>) -> Result<(), Unsaved>,
) -> Result<(), Unsaved> {
    let mut file = BufWriter::new(file);
    content(&mut file)?;
    file.flush()?;
    Ok(file.get_ref().sync_all()?)
}

/// The path of a file in the same folder.
fn beside(path: &Path, ending: &str) -> io::Result<PathBuf> {
    let mut name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_owned();
    name.push(ending);
    Ok(path.with_file_name(name))
}

/// An error about a file beside the state.
fn named(path: &Path, error: &io::Error) -> io::Error {
    // Linux says "too many levels of symbolic links" here, which helps nobody.
    let is_link = fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink());
    let why =
        if is_link { "it is a link, and none is followed here".into() } else { error.to_string() };
    io::Error::new(error.kind(), format!("{}: {why}", path.display()))
}

fn odd() -> io::Error {
    io::Error::other("it is no regular file")
}

/// The content holds every key: no other user can read it.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Opens no link, and does not wait if it is a named pipe without a reader. An existing file keeps its content.
fn unfollowed(options: &mut OpenOptions) -> &mut OpenOptions {
    options.truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options
}

/// Makes the change of a name durable.
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
