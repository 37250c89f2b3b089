//! How one delivery is sent: resolution, judgement of the address, TLS, the request.

mod post;
mod resolver;
mod tls;

pub(crate) use post::headers;
pub use post::{Letter, Sender, Unsent};
pub use resolver::{NoNames, Resolution, Resolver, SystemResolver};
pub use tls::{Authorities, CertificateError, TlsError};

/// Which instant signs the attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SigningTime {
    /// What time it is outside, so that a receiver's window holds whatever the world's clock shows.
    #[default]
    Wall,
    /// What the world's clock shows: the same at every run.
    Virtual,
}
