//! The client certificate.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio_rustls::rustls::{self, ClientConfig, InconsistentKeys};

/// A certificate with its chain and its key.
#[derive(Clone)]
pub struct Identity(Arc<SingleCertAndKey>);

impl Identity {
    /// That in a PEM file: the certificate first, then those that vouch for it; the key anywhere.
    ///
    /// # Errors
    /// What is wrong with the file, in one line.
    pub fn load(path: &Path) -> Result<Identity, String> {
        let wrong = |why: &str| format!("client-cert: {}: {why}", path.display());
        let text = std::fs::read(path).map_err(|error| wrong(&error.to_string()))?;
        let unreadable = |error: pem::Error| wrong(&format!("it is no PEM: {error}"));
        let chain: Vec<CertificateDer<'static>> =
            CertificateDer::pem_slice_iter(&text).collect::<Result<_, _>>().map_err(unreadable)?;
        if chain.is_empty() {
            return Err(wrong("it has no certificate in PEM form"));
        }
        let key = PrivateKeyDer::from_pem_slice(&text).map_err(|error| match error {
            pem::Error::NoItemsFound => {
                wrong("it has no private key: the key stands in the same file, not encrypted")
            }
            error => unreadable(error),
        })?;
        let certified = CertifiedKey::from_der(chain, key, &default_provider());
        let certified = certified.map_err(|error| match error {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
                wrong("the private key is not that of the first certificate")
            }
            error => wrong(&error.to_string()),
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
