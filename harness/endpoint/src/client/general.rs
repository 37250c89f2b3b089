//! HTTP for foreign services: with proxies of the environment, HTTP/2 and compression.

use std::sync::Arc;
use std::time::Duration;

use hyper::Uri;
use hyper::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::{Method, Request, Response, redirect, retry};
use tideover_exchange::target::{Silence, Unanswered, is_this_machine};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use url::{Position, Url};

use crate::client::direct::Direct;
use crate::client::words::{
    causes, chain, in_words, interrupted, is_of_tls, no_connection, tls_in_words,
};
use crate::client::{Base, HttpResponse, InvalidClient, Outgoing, ResponseReader};

/// Added to the connect timeout to get the response timeout. So a failed connection is reported as such: it says that
/// nothing was sent.
const GRACE: Duration = Duration::from_millis(250);

/// Clones share its connections.
#[derive(Clone)]
pub(super) struct General {
    base: Arc<Base>,
    client: reqwest::Client,
    headers: HeaderMap,
    /// For paths that a [`Url`] would change, and for large requests.
    direct: Direct,
    /// Host and port of the proxy.
    proxy: Option<String>,
    timeout: Duration,
}

impl General {
    /// `headers` go with every request; `tls` is for https, at the target and at a proxy.
    pub(super) fn new(
        base: Arc<Base>,
        timeout: Duration,
        tls: Arc<ClientConfig>,
        headers: HeaderMap,
    ) -> Result<General, InvalidClient> {
        let mut negotiating = (*tls).clone();
        negotiating.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let proxy = proxy_before(&base.url);
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(negotiating)
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .connect_timeout(timeout);
        if proxy.is_none() {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| InvalidClient::Setup(causes(&error)))?;
        let tls = Some(TlsConnector::from(tls));
        let direct = Direct::new(Arc::clone(&base), timeout, tls, headers.clone());
        Ok(General { base, client, headers, direct, proxy, timeout })
    }

    pub(super) async fn exchange(
        &self,
        outgoing: Outgoing<'_>,
    ) -> Result<HttpResponse, Unanswered> {
        let url = self.url(outgoing.path);
        let url = match (url, &self.proxy) {
            // A large request may be refused before all of it is sent.
            (Some(url), None) if !outgoing.is_last() => url,
            (_, None) => return self.direct.exchange(outgoing).await,
            (Some(url), Some(_)) => url,
            (None, Some(proxy)) => {
                return Err(Unanswered::never(format!(
                    "it cannot be sent: the path does not pass the proxy {proxy} as it stands"
                )));
            }
        };
        let request = self.request(url, outgoing)?;
        let exchange = async {
            let sent = self.client.execute(request).await;
            read(sent.map_err(|error| self.unanswered(&error))?).await
        };
        match tokio::time::timeout(self.timeout.saturating_add(GRACE), exchange).await {
            Ok(answered) => answered,
            Err(_) => {
                let why = format!("no answer within {:?}", self.timeout);
                Err(Unanswered::may_be(why).of(Silence::NoAnswer))
            }
        }
    }

    /// The URL of a path, unless [`Url`] changes the path.
    fn url(&self, path: &str) -> Option<Url> {
        let expected = self.base.path(path);
        let (path, query) = match expected.split_once('?') {
            None => (&*expected, None),
            Some((path, query)) => (path, Some(query)),
        };
        let mut url = self.base.url.clone();
        url.set_path(path);
        url.set_query(query);
        (url[Position::BeforePath..] == expected).then_some(url)
    }

    fn request(&self, url: Url, outgoing: Outgoing<'_>) -> Result<Request, Unanswered> {
        let cannot = |error: &dyn std::fmt::Display| {
            Unanswered::never(format!("it cannot be sent: {error}"))
        };
        let method =
            Method::from_bytes(outgoing.method.as_bytes()).map_err(|error| cannot(&error))?;
        let mut request = Request::new(method, url);
        *request.headers_mut() = self.headers.clone();
        let own = [(AUTHORIZATION, outgoing.authorization), (CONTENT_TYPE, outgoing.content_type)];
        for (name, value) in own {
            let Some(value) = value else { continue };
            let value = HeaderValue::from_str(value).map_err(|error| cannot(&error))?;
            request.headers_mut().insert(name, value);
        }
        if outgoing.is_last() {
            request.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        *request.body_mut() = Some(outgoing.body.into());
        Ok(request)
    }

    /// Says why there is no response, and whether anything may have been sent.
    fn unanswered(&self, error: &reqwest::Error) -> Unanswered {
        if error.is_builder() {
            return Unanswered::never(format!("it cannot be sent: {}", in_short(error)));
        }
        if !error.is_connect() {
            return Unanswered::may_be(in_short(error)).of(Silence::NoAnswer);
        }
        let why = if error.is_timeout() {
            format!("no connection within {:?}", self.timeout)
        } else if is_of_tls(error) {
            tls_in_words(error)
        } else {
            format!("cannot connect: {}", in_short(error))
        };
        match &self.proxy {
            None => Unanswered::never(why).of(no_connection(error)),
            // The proxy refuses the connection; that says nothing about the target.
            Some(proxy) => Unanswered::never(format!("{why}, through the proxy {proxy}"))
                .of(Silence::Unreachable),
        }
    }
}

/// An error without the parts that repeat the URL.
fn in_short(error: &reqwest::Error) -> String {
    if is_of_tls(error) {
        return tls_in_words(error);
    }
    if let Some(error) = chain(error).find_map(|error| error.downcast_ref::<hyper::Error>()) {
        return in_words(error);
    }
    let wraps = |error: &&(dyn std::error::Error + 'static)| {
        error.is::<reqwest::Error>() || error.to_string().starts_with("client error (")
    };
    chain(error).find(|error| !wraps(error)).map_or_else(|| error.to_string(), causes)
}

async fn read(mut response: Response) -> Result<HttpResponse, Unanswered> {
    let status = response.status();
    let mut reader = ResponseReader::new(status, response.headers());
    loop {
        match response.chunk().await {
            Ok(Some(data)) if reader.push(&data) => {}
            Ok(_) => return Ok(reader.finish()),
            Err(error) => return Err(interrupted(status, &in_short(&error))),
        }
    }
}

/// The proxy that the environment names for a URL. This machine is reached without one, whatever the
/// environment says: a proxy elsewhere would reach another machine under the same name.
fn proxy_before(url: &Url) -> Option<String> {
    if is_this_machine(url) {
        return None;
    }
    let uri: Uri = url.as_str().parse().ok()?;
    let proxy = Matcher::from_env().intercept(&uri)?;
    let (uri, port) = (proxy.uri(), proxy.uri().port());
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{}{port}", uri.host().unwrap_or_default()))
}
