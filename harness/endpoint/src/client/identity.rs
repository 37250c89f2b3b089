//! The client certificate.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio_rustls::rustls::{self, ClientConfig, InconsistentKeys};

/// A certificate with its chain and its key.
#[derive(Clone)]
pub struct Identity(Arc<SingleCertAndKey>);

/// A client certificate that cannot be used. The user mends the file.
#[derive(Debug, thiserror::Error)]
#[error("client-cert: {}: {problem}", path.display())]
pub struct UnusableIdentity {
    path: PathBuf,
    problem: IdentityProblem,
}

#[derive(Debug, thiserror::Error)]
enum IdentityProblem {
    #[error(transparent)]
    Unreadable(#[from] std::io::Error),
    #[error("it is no PEM: {0}")]
    NoPem(#[from] pem::Error),
    #[error("it has no certificate in PEM form")]
    NoCertificate,
    #[error("it has no private key: the key stands in the same file, not encrypted")]
    NoKey,
    #[error("the private key is not that of the first certificate")]
    AnotherKey,
    #[error(transparent)]
    Rejected(rustls::Error),
}

impl Identity {
    /// Reads a PEM file: the certificate first, then those that vouch for it; the key anywhere.
    pub fn load(path: &Path) -> Result<Identity, UnusableIdentity> {
        Identity::read(path).map_err(|problem| UnusableIdentity { path: path.to_owned(), problem })
    }

    fn read(path: &Path) -> Result<Identity, IdentityProblem> {
        let text = std::fs::read(path)?;
        let chain: Vec<CertificateDer<'static>> =
            CertificateDer::pem_slice_iter(&text).collect::<Result<_, _>>()?;
        if chain.is_empty() {
            return Err(IdentityProblem::NoCertificate);
        }
        let key = PrivateKeyDer::from_pem_slice(&text).map_err(|error| match error {
            pem::Error::NoItemsFound => IdentityProblem::NoKey,
            error => IdentityProblem::NoPem(error),
        })?;
        let certified = CertifiedKey::from_der(chain, key, &default_provider());
        let certified = certified.map_err(|error| match error {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
                IdentityProblem::AnotherKey
            }
            error => IdentityProblem::Rejected(error),
        })?;
        Ok(Identity(Arc::new(SingleCertAndKey::from(certified))))
    }

    /// `config` with this certificate, for servers that ask for one.
    #[must_use]
    pub fn shown_with(&self, config: &ClientConfig) -> ClientConfig {
        let mut config = config.clone();
        config.client_auth_cert_resolver = self.0.clone();
        config
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity(…)")
    }
}
