//! A world that no document can hold.

/// The service of the world has no snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "this world cannot be written: its service has a deliberate defect, or is not the model's own"
)]
pub struct Unwritable;
