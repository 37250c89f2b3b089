//! One POST of a delivery: to the very address that was judged, over one connection, following nothing.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{CONNECTION, HOST};
use axum::http::{HeaderValue, Request};
use http_body_util::BodyExt;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tideover_model::destination::Unfit;
use tideover_model::{Destinations, signature};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use url::{Host, Position, Url};

use crate::courier::resolver::Resolver;
use crate::courier::tls::{Authorities, Tls, TlsError};
use crate::deliveries::Headers;

/// Bytes of an answer's body that are read: nobody looks at them.
const READ_AT_MOST: usize = 1 << 16;

const AGENT: &str = concat!("tideover/", env!("CARGO_PKG_VERSION"));
const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// Why an attempt was not answered.
#[derive(Debug, thiserror::Error)]
pub enum Unsent {
    /// Nothing may be sent there.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// There is no address to connect to.
    #[error("the host name does not resolve: {0}")]
    Unresolved(io::Error),
    /// Nobody listens there.
    #[error("cannot connect to {0}: {1}")]
    Unconnected(SocketAddr, io::Error),
    /// Whoever listens there could not be believed.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// It was sent, at least in part.
    #[error("the connection ended before the answer did: {0}")]
    Broken(#[from] hyper::Error),
    /// HTTP has no room for it.
    #[error("it cannot be sent: {0}")]
    Unsendable(#[from] axum::http::Error),
}

/// What is sent.
#[derive(Clone, Debug)]
pub struct Letter {
    pub(crate) url: String,
    pub(crate) headers: Headers,
    pub(crate) body: Arc<[u8]>,
}

/// The headers of an attempt, but for those of the connection.
pub(crate) fn headers(delivery: &str, signature: Option<String>) -> Headers {
    let mut headers = Headers::from([
        ("Content-Type", "application/json".to_owned()),
        ("User-Agent", AGENT.to_owned()),
        (signature::DELIVERY_HEADER, delivery.to_owned()),
    ]);
    headers.extend(signature.map(|value| (signature::HEADER, value)));
    headers
}

impl Letter {
    /// A raw body to be sent to `url` as a delivery of this identifier. The service always signs.
    pub fn new(url: &str, delivery: &str, signature: Option<String>, body: Arc<[u8]>) -> Letter {
        Letter { url: url.to_owned(), headers: headers(delivery, signature), body }
    }
}

/// Sends deliveries.
pub struct Sender {
    resolver: Arc<dyn Resolver>,
    tls: Tls,
}

impl Sender {
    /// One that asks `resolver` for the addresses of names, and trusts `authorities` besides the system's.
    pub fn new(resolver: Arc<dyn Resolver>, authorities: Authorities) -> Sender {
        Sender { resolver, tls: Tls::new(authorities) }
    }

    /// Sends a letter. The answer's HTTP status, once the whole answer is there.
    ///
    /// # Errors
    /// [`Unsent`]: the destination is not one that may be sent to, or does not answer.
    pub async fn post(&self, destinations: &Destinations, letter: Letter) -> Result<u16, Unsent> {
        let url = destinations.judge(&letter.url, &[])?;
        let addresses = self.addresses(&url).await?;
        destinations.judge(&letter.url, &addresses)?;
        let port = url.port_or_known_default().ok_or(Unfit::Port)?;
        let socket = connect(&addresses, port).await?;
        let request = request(&url, letter)?;
        if url.scheme() == "https" {
            let host = url.host_str().unwrap_or_default();
            exchange(self.tls.connect(host, socket).await?, request).await
        } else {
            exchange(socket, request).await
        }
    }

    /// What the URL's host is, or resolves to.
    async fn addresses(&self, url: &Url) -> Result<Vec<IpAddr>, Unsent> {
        match url.host() {
            Some(Host::Ipv4(address)) => Ok(vec![address.into()]),
            Some(Host::Ipv6(address)) => Ok(vec![address.into()]),
            Some(Host::Domain(name)) => match self.resolver.resolve(name).await {
                Ok(addresses) if addresses.is_empty() => {
                    Err(Unsent::Unresolved(io::ErrorKind::NotFound.into()))
                }
                resolved => resolved.map_err(Unsent::Unresolved),
            },
            None => Err(Unfit::NotAUrl.into()),
        }
    }
}

/// A connection to the first of the addresses that takes one.
async fn connect(addresses: &[IpAddr], port: u16) -> Result<TcpStream, Unsent> {
    let mut last = None;
    for address in addresses {
        let address = SocketAddr::new(*address, port);
        match TcpStream::connect(address).await {
            Ok(socket) => {
                // Without it a small request may wait for an acknowledgement; it is only slower.
                let _ = socket.set_nodelay(true);
                return Ok(socket);
            }
            Err(error) => last = Some(Unsent::Unconnected(address, error)),
        }
    }
    Err(last.unwrap_or_else(|| Unsent::Unresolved(io::ErrorKind::NotFound.into())))
}

fn request(url: &Url, letter: Letter) -> Result<Request<Body>, axum::http::Error> {
    let mut request = Request::post(&url[Position::BeforePath..Position::AfterQuery])
        .header(HOST, &url[Position::BeforeHost..Position::AfterPort])
        .header(CONNECTION, CLOSE);
    for (name, value) in letter.headers {
        request = request.header(name, value);
    }
    request.body(Body::from(axum::body::Bytes::from_owner(letter.body)))
}

async fn exchange<S>(socket: S, request: Request<Body>) -> Result<u16, Unsent>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(socket)).await?;
    let answered = async move {
        let mut response = sender.send_request(request).await?;
        let mut read = 0;
        while let Some(frame) = response.frame().await {
            read += frame?.data_ref().map_or(0, |data| data.len());
            if read > READ_AT_MOST {
                break;
            }
        }
        Ok(response.status().as_u16())
    };
    tokio::pin!(connection, answered);
    tokio::select! {
        status = &mut answered => status,
        ended = &mut connection => {
            // What was received is still to be read; without it there was no answer.
            let status = answered.await;
            ended.map_err(Unsent::from).and(status)
        }
    }
}
