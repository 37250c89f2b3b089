//! JSON documents with a format, a version and a checksum: snapshots.

use std::io::{self, Seek, SeekFrom, Write};

use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::face::Unbalanced;

/// A kind of document. A change to its content needs the next version, which refuses this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// The name of the format.
    pub format: &'static str,
    /// The version that this release writes, and the only one that it reads.
    pub version: u64,
}

/// The reason why bytes are no snapshot that can be restored: the first that applies.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableSnapshot {
    /// The bytes are not JSON, perhaps because their end is missing.
    #[error("this is not a snapshot: it is not JSON: {0}")]
    NotJson(String),
    /// They are JSON of another kind.
    #[error("this is not a snapshot: {0}")]
    NotASnapshot(String),
    /// A later release wrote it.
    #[error(
        "the snapshot has version {found}, but this release reads snapshots only up to version \
         {newest}; use a newer release"
    )]
    Newer {
        /// Its version.
        found: u64,
        /// The newest version that this release reads.
        newest: u64,
    },
    /// An earlier release wrote it, and this one cannot read it.
    #[error(
        "the snapshot has version {found}, of an earlier release, and this release reads only version {wanted}; \
         use the release that wrote it, or begin anew"
    )]
    Older {
        /// Its version.
        found: u64,
        /// The version that this release reads.
        wanted: u64,
    },
    /// It was changed after it was written.
    #[error("the snapshot is damaged: its state does not match its checksum")]
    Damaged,
    /// Its state is none that a service can have.
    #[error(transparent)]
    Impossible(#[from] ImpossibleState),
}

/// A state that no service can have: whoever wrote or changed the document is to blame. Its checksum fits, so that a
/// program wrote it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the snapshot's state is impossible: {0}")]
pub struct ImpossibleState(String);

impl ImpossibleState {
    /// With a sentence about what is impossible.
    pub fn new(what: impl Into<String>) -> ImpossibleState {
        ImpossibleState(what.into())
    }
}

impl From<serde_json::Error> for ImpossibleState {
    fn from(error: serde_json::Error) -> ImpossibleState {
        ImpossibleState(error.to_string())
    }
}

impl From<Unbalanced> for ImpossibleState {
    fn from(why: Unbalanced) -> ImpossibleState {
        ImpossibleState(why.to_string())
    }
}

/// What every version has.
#[derive(Deserialize)]
struct Envelope<'a> {
    format: String,
    version: u64,
    checksum: Option<String>,
    #[serde(borrow)]
    state: Option<&'a RawValue>,
}

/// SHA-256, as lower-case digits.
fn checksum(state: &str) -> String {
    const_hex::encode(Sha256::digest(state))
}

/// What is written to, with the checksum of what has been.
pub struct Digesting<W> {
    inner: W,
    digest: Sha256,
}

impl<W> Digesting<W> {
    fn new(inner: W) -> Digesting<W> {
        Digesting { inner, digest: Sha256::new() }
    }

    /// SHA-256, as lower-case digits.
    fn checksum(self) -> String {
        const_hex::encode(self.digest.finalize())
    }
}

impl<W: Write> Write for Digesting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.digest.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl Sealed {
    /// The document of a state, which is JSON.
    pub fn seal(&self, state: &str) -> Vec<u8> {
        format!(r#"{}{}","state":{state}}}"#, self.opening(), checksum(state)).into_bytes()
    }

    /// Writes the document of a state that `write` writes as JSON, always the same: once for the checksum, and once into
    /// the document. So it is in memory as a whole nowhere.
    ///
    /// # Errors
    /// Those of `write` and of `out`.
    pub fn seal_twice(
        &self,
        out: &mut impl Write,
        write: impl Fn(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut state = Digesting::new(io::sink());
        write(&mut state)?;
        write!(out, r#"{}{}","state":"#, self.opening(), state.checksum())?;
        write(out)?;
        out.write_all(b"}")
    }

    /// The same for a state that can be written only once, into a file in which the checksum is written afterwards.
    ///
    /// # Errors
    /// Those of `write` and of the file.
    pub fn seal_into<W: Write + Seek, E: From<io::Error>>(
        &self,
        file: &mut W,
        write: impl FnOnce(&mut Digesting<&mut W>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (begun, opening) = (file.stream_position()?, self.opening());
        write!(file, r#"{opening}{}","state":"#, const_hex::encode([0; 32]))?;
        let mut state = Digesting::new(&mut *file);
        write(&mut state)?;
        let checksum = state.checksum();
        file.write_all(b"}")?;
        let ended = file.stream_position()?;
        file.seek(SeekFrom::Start(begun + opening.len() as u64))?;
        file.write_all(checksum.as_bytes())?;
        file.seek(SeekFrom::Start(ended))?;
        Ok(())
    }

    /// What stands in front of the checksum.
    fn opening(&self) -> String {
        let Sealed { format, version } = self;
        format!(r#"{{"format":"{format}","version":{version},"checksum":""#)
    }

    /// The state in a document, as JSON.
    ///
    /// # Errors
    /// [`UnreadableSnapshot`], except for an impossible state.
    pub fn open<'a>(&self, bytes: &'a [u8]) -> Result<&'a str, UnreadableSnapshot> {
        let not_one = |why: String| UnreadableSnapshot::NotASnapshot(why);
        let Envelope { format, version, checksum: expected, state } = serde_json::from_slice(bytes)
            .map_err(|error| match error.classify() {
                Category::Data => not_one(error.to_string()),
                _ => UnreadableSnapshot::NotJson(error.to_string()),
            })?;
        if format != self.format || version == 0 {
            let wanted = self.format;
            return Err(not_one(format!(
                "its format is {format:?}, version {version}, not {wanted:?}"
            )));
        }
        if version > self.version {
            return Err(UnreadableSnapshot::Newer { found: version, newest: self.version });
        }
        if version < self.version {
            return Err(UnreadableSnapshot::Older { found: version, wanted: self.version });
        }
        let state = state.ok_or(UnreadableSnapshot::Damaged)?.get();
        // Compared as text: even a digit in upper case is damage.
        if expected.is_none_or(|expected| expected != checksum(state)) {
            return Err(UnreadableSnapshot::Damaged);
        }
        Ok(state)
    }
}
