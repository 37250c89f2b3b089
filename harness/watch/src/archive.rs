//! The HAR file, which grows while the proxy runs and can be read at any time after its end.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A HAR file that is being written.
#[derive(Debug)]
pub struct HarFile {
    path: PathBuf,
    file: BufWriter<File>,
    is_empty: bool,
}

impl HarFile {
    /// Begins the file.
    ///
    /// # Errors
    /// Those of the system.
    pub fn create(path: &Path) -> io::Result<HarFile> {
        let mut file = BufWriter::new(File::create(path)?);
        let version = env!("CARGO_PKG_VERSION");
        write!(
            file,
            r#"{{"log":{{"version":"1.2","creator":{{"name":"Tideover watch","version":"{version}"}},"entries":["#
        )?;
        Ok(HarFile { path: path.to_owned(), file, is_empty: true })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn add(&mut self, entry: &Value) -> io::Result<()> {
        let separator = if self.is_empty { "\n" } else { ",\n" };
        self.is_empty = false;
        write!(self.file, "{separator}{entry}")
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.write_all(b"\n]}}\n")?;
        self.file.flush()
    }
}
