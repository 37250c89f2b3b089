//! HTTP to one base URL: `direct` to our own mock, `general` to foreign services.
//!
//! An error says whether the request may have been applied: it was never sent, or it may have been.

mod direct;
mod extra;
mod general;
mod identity;
mod patient;
mod words;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hyper::StatusCode;
use hyper::header::{DATE, HeaderMap, RETRY_AFTER};
use tideover_exchange::Response;
use tideover_exchange::target::{MOST_READ_BEFORE_REFUSAL, Unanswered};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use url::Url;

use crate::client::direct::Direct;
use crate::client::general::General;

pub use extra::{ExtraHeader, InvalidHeader};
pub use identity::{Identity, UnusableIdentity};

/// A longer body is read no further.
pub const MOST_BYTES: usize = 8 << 20;

/// A client of one base URL. Clones share its connections.
#[derive(Clone)]
pub struct Client {
    base: Arc<Base>,
    transport: Transport,
}

#[derive(Clone)]
enum Transport {
    Direct(Direct),
    General(Box<General>),
}

struct Base {
    /// As it was given, for messages.
    text: String,
    url: Url,
}

/// Why there is no client for a base URL.
#[derive(Debug, thiserror::Error)]
pub enum InvalidClient {
    /// The user gives another URL.
    #[error("{url}: {source}")]
    Url { url: String, source: url::ParseError },
    /// The user gives another URL.
    #[error("{0}: expected a URL of http:// or https://")]
    Scheme(String),
    /// We forgot to set up TLS.
    #[error("{0}: no TLS was set up")]
    NoTls(String),
    /// The library cannot work on this machine.
    #[error("{0}")]
    Setup(String),
}

/// A request without its base URL.
#[derive(Clone, Debug, Default)]
pub struct Outgoing<'a> {
    pub method: &'a str,
    /// Encoded, with the query.
    pub path: &'a str,
    pub authorization: Option<&'a str>,
    pub content_type: Option<&'a str>,
    pub body: Vec<u8>,
}

impl Outgoing<'_> {
    /// Whether no other request may follow on the same connection.
    fn is_last(&self) -> bool {
        self.body.len() > MOST_READ_BEFORE_REFUSAL
    }
}

/// A response, with the headers that a run needs.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpResponse {
    pub seen: Response,
    /// The `Retry-After` header.
    pub retry_after: Option<String>,
    /// The `Date` header, from the service or a proxy.
    pub date: Option<SystemTime>,
}

impl Client {
    /// A client for a mock of ours. It speaks HTTP/1.1 straight to the host of `base_url`, with `tls` for https.
    pub fn new(
        base_url: &str,
        timeout: Duration,
        tls: Option<Arc<ClientConfig>>,
    ) -> Result<Client, InvalidClient> {
        let base = Arc::new(Base::new(base_url)?);
        if tls.is_none() && base.url.scheme() == "https" {
            return Err(InvalidClient::NoTls(base.text.clone()));
        }
        let (tls, headers) = (tls.map(TlsConnector::from), extra::with_every_request(&[]));
        let direct = Direct::new(Arc::clone(&base), timeout, tls, headers);
        Ok(Client { base, transport: Transport::Direct(direct) })
    }

    /// A client for any service: through the proxy that the environment names, unless the host is this machine;
    /// over HTTP/2 where the other side offers that; and responses may be compressed. `headers` go with every
    /// request.
    pub fn general(
        base_url: &str,
        timeout: Duration,
        tls: Arc<ClientConfig>,
        headers: &[ExtraHeader],
    ) -> Result<Client, InvalidClient> {
        let base = Arc::new(Base::new(base_url)?);
        let headers = extra::with_every_request(headers);
        let general = General::new(Arc::clone(&base), timeout, tls, headers)?;
        Ok(Client { base, transport: Transport::General(Box::new(general)) })
    }

    pub fn base_url(&self) -> &str {
        &self.base.text
    }

    /// Sends a request once and waits for the response. Redirects are not followed.
    pub async fn exchange(&self, outgoing: Outgoing<'_>) -> Result<HttpResponse, Unanswered> {
        let (method, path) = (outgoing.method.to_owned(), outgoing.path.to_owned());
        let answered = match &self.transport {
            Transport::Direct(direct) => direct.exchange(outgoing).await,
            Transport::General(general) => general.exchange(outgoing).await,
        };
        answered.map_err(|unanswered| Unanswered {
            why: format!("{method} {}{path}: {}", self.base.text, unanswered.why),
            ..unanswered
        })
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({})", self.base.text)
    }
}

impl Base {
    fn new(base_url: &str) -> Result<Base, InvalidClient> {
        let text = base_url.trim_end_matches('/').to_owned();
        match Url::parse(&text) {
            Err(source) => Err(InvalidClient::Url { url: text, source }),
            Ok(url) if url.host().is_some() && matches!(url.scheme(), "http" | "https") => {
                Ok(Base { text, url })
            }
            Ok(_) => Err(InvalidClient::Scheme(text)),
        }
    }

    /// The path on the wire.
    fn path(&self, path: &str) -> String {
        format!("{}{path}", self.url.path().trim_end_matches('/'))
    }
}

/// Collects a response as it arrives.
struct ResponseReader {
    status: u16,
    retry_after: Option<String>,
    date: Option<SystemTime>,
    body: Vec<u8>,
}

impl ResponseReader {
    fn new(status: StatusCode, headers: &HeaderMap) -> ResponseReader {
        let header = |name| {
            let value = headers.get(name)?;
            Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let date = header(DATE).and_then(|date| httpdate::parse_http_date(&date).ok());
        let (status, retry_after) = (status.as_u16(), header(RETRY_AFTER));
        ResponseReader { status, retry_after, date, body: Vec::new() }
    }

    /// Adds a part of the body. Returns whether to read on.
    fn push(&mut self, data: &[u8]) -> bool {
        self.body.extend_from_slice(data);
        self.body.len() <= MOST_BYTES
    }

    fn finish(self) -> HttpResponse {
        let ResponseReader { status, retry_after, date, body } = self;
        let seen = if body.len() > MOST_BYTES {
            Response::too_long(status, MOST_BYTES)
        } else {
            Response::new(status, &body)
        };
        HttpResponse { seen, retry_after, date }
    }
}
