//! The options for the signing secret.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::{Problem, in_file, wrong};

/// The environment variable with the secret, if the command line gives none.
pub(super) const VARIABLE: &str = "TIDEOVER_SECRET";

/// The source of the signing secret.
#[derive(Args)]
pub(super) struct SecretOptions {
    /// A file with the signing secret; a line end after it is ignored
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// The signing secret; other processes can see it here, unlike in TIDEOVER_SECRET or a file
    #[arg(long, conflicts_with = "secret_file", allow_hyphen_values = true)]
    secret: Option<String>,
}

impl SecretOptions {
    pub(super) fn secret(&self) -> Result<String, Problem> {
        let (secret, source) = if let Some(secret) = &self.secret {
            (secret.clone().into_bytes(), "--secret".to_owned())
        } else if let Some(path) = &self.secret_file {
            (line(read(path)?), path.display().to_string())
        } else if let Some(secret) = std::env::var_os(VARIABLE) {
            (secret.into_encoded_bytes(), VARIABLE.to_owned())
        } else {
            return Err(wrong(format!("no secret: set {VARIABLE}, or give --secret-file FILE")));
        };
        if secret.is_empty() {
            return Err(wrong(format!("{source}: the secret is empty")));
        }
        String::from_utf8(secret).map_err(|_| wrong(format!("{source}: the secret is not UTF-8")))
    }
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    std::fs::read(path).map_err(|error| in_file(path, error))
}

/// The text without a line end.
fn line(mut text: Vec<u8>) -> Vec<u8> {
    let end = text.strip_suffix(b"\n").map(|text| text.strip_suffix(b"\r").unwrap_or(text));
    let length = end.unwrap_or(&text).len();
    text.truncate(length);
    text
}
