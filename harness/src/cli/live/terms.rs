//! The TLS options of live endpoints: trusted authorities and client certificates.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::rustls::ClientConfig;

use crate::cli::{Problem, authorities, wrong};
use crate::endpoint::client::{Client, Identity};
use crate::live::settings::Settings;

/// What the clients of a run have in common.
pub(super) struct Terms<'a> {
    settings: &'a Settings,
    tls: Arc<ClientConfig>,
}

impl<'a> Terms<'a> {
    /// Looks at both files, whether TLS is spoken or not.
    pub(super) fn new(
        settings: &'a Settings,
        ca: Option<&Path>,
        client_cert: Option<&Path>,
    ) -> Result<Terms<'a>, Problem> {
        let mut tls = authorities(ca)?.client_config().map_err(wrong)?;
        if let Some(path) = client_cert {
            let identity = Identity::load(path).map_err(wrong)?;
            let mut urls = std::iter::once(&settings.target).chain(&settings.operator);
            if !urls.any(|url| url.starts_with("https:")) {
                return Err(wrong("client-cert needs a target of https://: http shows none"));
            }
            tls = Arc::new(identity.shown_with(&tls));
        }
        Ok(Terms { settings, tls })
    }

    /// A client of a base URL.
    pub(super) fn client(&self, base_url: &str) -> Result<Client, Problem> {
        let Settings { timeout, headers, .. } = self.settings;
        Client::general(base_url, *timeout, Arc::clone(&self.tls), headers).map_err(wrong)
    }
}
