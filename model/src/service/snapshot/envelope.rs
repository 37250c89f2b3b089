//! The document around the state: its format, its version, its checksum.

use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::service::snapshot::UnreadableSnapshot;

const FORMAT: &str = "tideover-service";

/// The version of the state's form. A change to it needs the next number, and a way to read this one.
const VERSION: u64 = 1;

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

/// The document of a state, which is JSON.
pub(super) fn seal(state: &str) -> Vec<u8> {
    let checksum = checksum(state);
    format!(
        r#"{{"format":"{FORMAT}","version":{VERSION},"checksum":"{checksum}","state":{state}}}"#
    )
    .into_bytes()
}

/// The state in a document, as JSON.
///
/// # Errors
/// [`UnreadableSnapshot`], but for an impossible state.
pub(super) fn open(bytes: &[u8]) -> Result<&str, UnreadableSnapshot> {
    let not_one = |why: String| UnreadableSnapshot::NotASnapshot(why);
    let Envelope { format, version, checksum: expected, state } =
        serde_json::from_slice(bytes).map_err(|error| not_one(error.to_string()))?;
    if format != FORMAT || version == 0 {
        return Err(not_one(format!("its format is {format:?}, version {version}")));
    }
    if version > VERSION {
        return Err(UnreadableSnapshot::Newer { found: version, newest: VERSION });
    }
    let state = state.ok_or(UnreadableSnapshot::Damaged)?.get();
    // Compared as text: even a digit in upper case is damage.
    if expected.is_none_or(|expected| expected != checksum(state)) {
        return Err(UnreadableSnapshot::Damaged);
    }
    Ok(state)
}
