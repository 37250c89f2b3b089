//! Raw bodies, parsed on demand.

use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use serde_json::Value;

/// The bytes of a request or webhook body, parsed as JSON at most once.
#[derive(Clone, Default)]
pub struct Payload {
    bytes: Vec<u8>,
    json: OnceLock<Option<Value>>,
}

impl Payload {
    pub fn json(&self) -> Option<&Value> {
        self.json.get_or_init(|| serde_json::from_slice(&self.bytes).ok()).as_ref()
    }
}

impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Payload {
        Payload { bytes, json: OnceLock::new() }
    }
}

impl Deref for Payload {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl PartialEq for Payload {
    fn eq(&self, other: &Payload) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Payload {}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.bytes))
    }
}
