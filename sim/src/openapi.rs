//! The partner API in OpenAPI 3.1.
use serde_json::{Value, json};
use tideover_model::Profile;
pub(crate) fn document(_profile: &Profile) -> Value {
    json!({})
}
