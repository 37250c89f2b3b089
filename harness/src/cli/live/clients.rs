//! The HTTP clients of a run: the authorities that they trust, and the certificate that they show.

use std::path::Path;
use std::sync::Arc;

use tideover_endpoint::client::{Client, Identity, InvalidClient};
use tideover_live::settings::{InvalidSettings, Settings};
use tokio_rustls::rustls::ClientConfig;

use crate::cli::{Problem, authorities, wrong};

pub(super) struct ClientFactory<'a> {
    settings: &'a Settings,
    tls: Arc<ClientConfig>,
}

impl<'a> ClientFactory<'a> {
    /// Checks both files, even if no connection uses TLS.
    pub(super) fn new(
        settings: &'a Settings,
        ca: Option<&Path>,
        client_cert: Option<&Path>,
    ) -> Result<ClientFactory<'a>, Problem> {
        let mut tls = authorities(ca)?.client_config().map_err(wrong)?;
        if let Some(path) = client_cert {
            let identity = Identity::load(path)?;
            let mut urls = std::iter::once(&settings.target).chain(&settings.operator);
            if !urls.any(|url| url.starts_with("https:")) {
                let what = "a target of https://: http has no certificates";
                return Err(InvalidSettings::needs("client-cert", what).into());
            }
            tls = Arc::new(identity.shown_with(&tls));
        }
        Ok(ClientFactory { settings, tls })
    }

    /// A client of a base URL that is not the target's: it does not get the user's headers.
    pub(super) fn without_headers(&self, base_url: &str) -> Result<Client, InvalidClient> {
        Client::general(base_url, self.settings.timeout, Arc::clone(&self.tls), &[])
    }

    pub(super) fn client(&self, base_url: &str) -> Result<Client, InvalidClient> {
        let Settings { timeout, headers, .. } = self.settings;
        Client::general(base_url, *timeout, Arc::clone(&self.tls), headers)
    }
}
