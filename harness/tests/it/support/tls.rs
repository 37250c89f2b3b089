//! An https endpoint whose certificate no system trusts.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use rcgen::{CertifiedKey, KeyPair};
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::{ServerConfig, ServerConnection};

/// It begins TLS with everybody, and answers nobody.
pub(crate) fn untrusted(signed: &CertifiedKey<KeyPair>) -> SocketAddr {
    let key = PrivateKeyDer::try_from(signed.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![signed.cert.der().clone()], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            let mut connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            // The other side breaks off.
            let _ = connection.complete_io(&mut socket);
        }
    });
    address
}
