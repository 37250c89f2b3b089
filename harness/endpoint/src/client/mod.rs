//! HTTP to one base URL: `direct` to our own mock, `general` to foreign services.
//!
//! An error says whether the request may have been applied: it was never sent, or it may have been.

mod direct;
mod extra;
mod general;
mod identity;
mod words;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hyper::StatusCode;
use hyper::header::{DATE, HeaderMap, RETRY_AFTER};
use tideover_exchange::Response;
use tideover_exchange::target::Unanswered;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use url::Url;

use crate::client::direct::Direct;
use crate::client::general::General;

pub use extra::ExtraHeader;
pub use identity::Identity;

/// Bytes of a body that are read.
pub const MOST_BYTES: usize = 8 << 20;

/// A larger body, in bytes, is sent on a connection of its own. A server may refuse it before it has read all of it,
/// and then closes the connection without a word (RFC 9112 §9.6): a next request on it would be lost.
const MOST_BEFORE_OTHERS: usize = 16 << 10;

/// A client of one base URL. Clones share its connections.
#[derive(Clone)]
pub struct Client {
    base: Arc<Base>,
    way: Way,
}

#[derive(Clone)]
enum Way {
    Direct(Direct),
    General(Box<General>),
}

struct Base {
    /// As it was given, to be named in messages.
    text: String,
    url: Url,
}

/// A request, but for the base URL.
#[derive(Clone, Debug, Default)]
pub struct Outgoing<'a> {
    /// The method.
    pub method: &'a str,
    /// The path, encoded, and the query.
    pub path: &'a str,
    /// The `Authorization` header.
    pub authorization: Option<&'a str>,
    /// The `Content-Type` header.
    pub content_type: Option<&'a str>,
    /// The body.
    pub body: Vec<u8>,
}

impl Outgoing<'_> {
    /// Whether no other request may follow on the same connection.
    fn is_last(&self) -> bool {
        self.body.len() > MOST_BEFORE_OTHERS
    }
}

/// A response, with the headers that matter.
#[derive(Clone, Debug, PartialEq)]
pub struct Incame {
    /// What was seen of it.
    pub seen: Response,
    /// The `Retry-After` header.
    pub retry_after: Option<String>,
    /// The `Date` header, from the service or a proxy.
    pub date: Option<SystemTime>,
}

impl Client {
    /// A client for a mock of ours, which waits `patience` for an answer; `tls` is for https. It speaks HTTP/1.1
    /// straight to the host of `base_url`.
    ///
    /// # Errors
    /// What is wrong with the URL.
    pub fn new(
        base_url: &str,
        patience: Duration,
        tls: Option<Arc<ClientConfig>>,
    ) -> Result<Client, String> {
        let base = Arc::new(Base::new(base_url)?);
        if tls.is_none() && base.url.scheme() == "https" {
            return Err(format!("{}: no TLS was set up", base.text));
        }
        let (tls, headers) = (tls.map(TlsConnector::from), extra::with_every_request(&[]));
        let way = Way::Direct(Direct::new(Arc::clone(&base), patience, tls, headers));
        Ok(Client { base, way })
    }

    /// A client for any service: through the proxy that the environment names, unless the host is this machine;
    /// over HTTP/2 where the other side offers that; and its answers may be compressed. `headers` go with every
    /// request.
    ///
    /// # Errors
    /// What is wrong with the URL.
    pub fn general(
        base_url: &str,
        patience: Duration,
        tls: Arc<ClientConfig>,
        headers: &[ExtraHeader],
    ) -> Result<Client, String> {
        let base = Arc::new(Base::new(base_url)?);
        let headers = extra::with_every_request(headers);
        let general = General::new(Arc::clone(&base), patience, tls, headers)?;
        Ok(Client { base, way: Way::General(Box::new(general)) })
    }

    /// The base URL.
    pub fn base_url(&self) -> &str {
        &self.base.text
    }

    /// Sends a request and waits for the answer. Redirects are not followed.
    ///
    /// # Errors
    /// [`Unanswered`]. Nothing is sent twice.
    pub async fn exchange(&self, outgoing: Outgoing<'_>) -> Result<Incame, Unanswered> {
        let (method, path) = (outgoing.method.to_owned(), outgoing.path.to_owned());
        let answered = match &self.way {
            Way::Direct(direct) => direct.exchange(outgoing).await,
            Way::General(general) => general.exchange(outgoing).await,
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
    fn new(base_url: &str) -> Result<Base, String> {
        let text = base_url.trim_end_matches('/').to_owned();
        let url = Url::parse(&text).map_err(|error| format!("{text}: {error}"))?;
        if url.host().is_none() || !matches!(url.scheme(), "http" | "https") {
            return Err(format!("{text}: expected a URL of http:// or https://"));
        }
        Ok(Base { text, url })
    }

    /// What stands on the wire for a path.
    fn path(&self, path: &str) -> String {
        format!("{}{path}", self.url.path().trim_end_matches('/'))
    }
}

/// An answer as it comes.
struct Reading {
    status: u16,
    retry_after: Option<String>,
    date: Option<SystemTime>,
    body: Vec<u8>,
}

impl Reading {
    fn begin(status: StatusCode, headers: &HeaderMap) -> Reading {
        let header = |name| {
            let value = headers.get(name)?;
            Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let date = header(DATE).and_then(|date| httpdate::parse_http_date(&date).ok());
        let (status, retry_after) = (status.as_u16(), header(RETRY_AFTER));
        Reading { status, retry_after, date, body: Vec::new() }
    }

    /// Whether what comes after `data` is read as well.
    fn takes_more_after(&mut self, data: &[u8]) -> bool {
        self.body.extend_from_slice(data);
        self.body.len() <= MOST_BYTES
    }

    fn end(self) -> Incame {
        let Reading { status, retry_after, date, body } = self;
        let seen = if body.len() > MOST_BYTES {
            Response::too_long(status, MOST_BYTES)
        } else {
            Response::new(status, &body)
        };
        Incame { seen, retry_after, date }
    }
}
