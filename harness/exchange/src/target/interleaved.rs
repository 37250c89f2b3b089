//! A service that has several requests in flight.

use tideover_model::{Choices, Face, Service};

/// A service with several requests in flight.
pub trait Interleaved: Face + Clone {
    /// The service as a request sees it that arrives now and takes effect later. `None` if it looks only then.
    fn glimpse(&self) -> Option<Self> {
        None
    }

    /// The next request to be handled saw this at its arrival.
    fn handle_as_of(&mut self, _glimpse: Self) {}
}

impl<C: Choices> Interleaved for Service<C> {}
