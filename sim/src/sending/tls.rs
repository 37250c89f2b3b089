//! TLS to receivers, with the system's certificate authorities and additional ones.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Why TLS with a receiver fails.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// No certificate can name this host.
    #[error("no certificate can name the host {0:?}")]
    Name(String),
    /// The two sides did not agree, or the certificate is not trusted.
    #[error("no TLS with the receiver: {0}")]
    Handshake(io::Error),
    /// The client's side can't be set up.
    #[error("TLS cannot be set up: {0}")]
    Setup(#[from] rustls::Error),
}

/// Why a file of certificates is rejected.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// The file is missing, or not PEM.
    #[error("cannot read the certificates in {path}: {problem}", path = .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error in the file.
        problem: String,
    },
    /// The file has no certificate.
    #[error("{path} has no certificate in PEM form", path = .0.display())]
    Empty(PathBuf),
}

/// Certificate authorities to trust in addition to the system's.
#[derive(Clone, Debug, Default)]
pub struct Authorities(Vec<CertificateDer<'static>>);

impl Authorities {
    /// Loads the certificates in a PEM file.
    ///
    /// # Errors
    /// [`CertificateError`]: unreadable, empty.
    pub fn load(path: &Path) -> Result<Authorities, CertificateError> {
        let unreadable = |error: rustls::pki_types::pem::Error| CertificateError::Unreadable {
            path: path.to_owned(),
            problem: error.to_string(),
        };
        let certificates: Vec<CertificateDer<'static>> =
            CertificateDer::pem_file_iter(path).and_then(Iterator::collect).map_err(unreadable)?;
        if certificates.is_empty() {
            return Err(CertificateError::Empty(path.to_owned()));
        }
        Ok(Authorities(certificates))
    }

    /// A client configuration that trusts them in addition to the system's.
    ///
    /// # Errors
    /// The library's error if the setup fails.
    pub fn client_config(&self) -> Result<Arc<ClientConfig>, TlsError> {
        let mut roots = RootCertStore::empty();
        // If the system has none, only the user's remain.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        roots.add_parsable_certificates(self.0.iter().cloned());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Arc::new(config))
    }
}

/// The client's side of TLS, set up at the first use: reading the system's certificates takes longer than a mock's start.
pub(crate) struct Tls {
    authorities: Authorities,
    connector: OnceLock<TlsConnector>,
}

impl Tls {
    pub(crate) fn new(authorities: Authorities) -> Tls {
        Tls { authorities, connector: OnceLock::new() }
    }

    /// TLS with `host` over `socket`.
    pub(crate) async fn connect(
        &self,
        host: &str,
        socket: TcpStream,
    ) -> Result<TlsStream<TcpStream>, TlsError> {
        let name = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(name).map_err(|_| TlsError::Name(host.to_owned()))?;
        let connector = match self.connector.get() {
            Some(connector) => connector.clone(),
            None => {
                let connector = TlsConnector::from(self.authorities.client_config()?);
                self.connector.get_or_init(|| connector).clone()
            }
        };
        connector.connect(name, socket).await.map_err(TlsError::Handshake)
    }
}
