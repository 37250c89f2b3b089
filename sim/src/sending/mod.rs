//! Sends one delivery: resolves the name, checks the addresses, connects, and posts.

mod post;
mod resolver;
mod tls;

pub(crate) use post::headers;
pub use post::{Letter, Sender, Unsent};
pub use resolver::{NoNames, Resolution, Resolver, SystemResolver};
pub use tls::{Authorities, CertificateError, TlsError};

/// The time in the signatures of attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SigningTime {
    /// The wall time, so that receivers accept it whatever the world's clock shows.
    #[default]
    Wall,
    /// The time of the world's clock: the same in every run.
    Virtual,
}
