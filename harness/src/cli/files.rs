//! The files that a command reads and writes, which must all be different.

use std::path::{Path, PathBuf};

use crate::cli::{Problem, wrong};

/// An option and the file that it names.
pub(super) type NamedFile = (&'static str, PathBuf);

pub(super) fn given_files<'a>(
    options: impl IntoIterator<Item = (&'static str, &'a Option<PathBuf>)>,
) -> impl Iterator<Item = NamedFile> {
    options.into_iter().filter_map(|(option, path)| Some((option, path.clone()?)))
}

/// Refuses two options that name one file, because one use would overwrite the other.
pub(super) fn refuse_shared_files(files: &[NamedFile]) -> Result<(), Problem> {
    let mut before: Vec<(&str, PathBuf)> = Vec::new();
    for (option, path) in files {
        let Some(file) = resolved(path) else { continue };
        if let Some((other, _)) = before.iter().find(|(_, it)| *it == file) {
            let path = path.display();
            let message = format!("{other} and {option} name one file: {path}");
            return Err(wrong(format!("{message}; give {option} another")));
        }
        before.push((option, file));
    }
    Ok(())
}

/// The absolute path of a file, which need not exist. `None` for anything but a file, such as `/dev/null`.
fn resolved(path: &Path) -> Option<PathBuf> {
    if let Ok(there) = path.canonicalize() {
        return there.is_file().then_some(there);
    }
    let absolute = std::path::absolute(path).ok()?;
    let folder = absolute.parent()?.canonicalize().ok()?;
    Some(folder.join(absolute.file_name()?))
}
