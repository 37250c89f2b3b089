//! HTTP/1.1 over hyper's connections, straight to the host. It is the cheapest way to reach our own mock, and a path
//! goes over the wire byte for byte: `http::Uri` keeps what `Url` would normalise.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, HeaderMap};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tideover_exchange::target::{Silence, Unanswered};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use url::{Host, Position};

use crate::client::patient::Patient;
use crate::client::words::{in_words, interrupted, no_connection, tls_in_words};
use crate::client::{Base, HttpResponse, Outgoing, ResponseReader};

type Sender = SendRequest<Full<Bytes>>;

/// A pool of connections with one request at a time on each. Clones share it.
#[derive(Clone)]
pub(super) struct Direct {
    base: Arc<Base>,
    tls: Option<TlsConnector>,
    headers: HeaderMap,
    idle: Arc<Mutex<Vec<Sender>>>,
    timeout: Duration,
}

enum Sent {
    Ended(Result<HttpResponse, Unanswered>),
    /// The request never went over the wire, so that it may be sent on another connection.
    NotSent(Box<Request<Full<Bytes>>>, String),
}

impl Direct {
    /// `headers` go with every request; `tls` is for https.
    pub(super) fn new(
        base: Arc<Base>,
        timeout: Duration,
        tls: Option<TlsConnector>,
        headers: HeaderMap,
    ) -> Direct {
        Direct { base, tls, headers, idle: Arc::default(), timeout }
    }

    pub(super) async fn exchange(
        &self,
        outgoing: Outgoing<'_>,
    ) -> Result<HttpResponse, Unanswered> {
        let mut request = self.request(outgoing)?;
        // The other side may have closed a pooled connection meanwhile. Then hyper returns the request unsent.
        while let Some(sender) = self.idle() {
            match self.send(sender, request).await {
                Sent::Ended(answer) => return answer,
                Sent::NotSent(returned, _) => request = *returned,
            }
        }
        let sender = self.connect().await?;
        match self.send(sender, request).await {
            Sent::Ended(answer) => answer,
            Sent::NotSent(_, why) => Err(Unanswered::never(why).of(Silence::NoAnswer)),
        }
    }

    fn idle(&self) -> Option<Sender> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::from_fn(|| idle.pop()).find(|sender| !sender.is_closed())
    }

    async fn connect(&self) -> Result<Sender, Unanswered> {
        match tokio::time::timeout(self.timeout, self.shake_hands()).await {
            Ok(connected) => connected,
            Err(_) => {
                let why = format!("no connection within {:?}", self.timeout);
                Err(Unanswered::never(why).of(Silence::Unreachable))
            }
        }
    }

    async fn send(&self, mut sender: Sender, request: Request<Full<Bytes>>) -> Sent {
        let exchange = async {
            if sender.ready().await.is_err() {
                return Err((Some(request), "the connection was closed".to_owned()));
            }
            match sender.try_send_request(request).await {
                Ok(response) => Ok(response),
                Err(mut error) => {
                    let returned = error.take_message();
                    Err((returned, in_words(error.error())))
                }
            }
        };
        let read = async {
            match exchange.await {
                Err((Some(request), why)) => Sent::NotSent(Box::new(request), why),
                Err((None, why)) => Sent::Ended(Err(Unanswered::may_be(why).of(Silence::NoAnswer))),
                Ok(response) => Sent::Ended(read(response).await),
            }
        };
        let sent = match tokio::time::timeout(self.timeout, read).await {
            Ok(sent) => sent,
            Err(_) => {
                let why = format!("no answer within {:?}", self.timeout);
                return Sent::Ended(Err(Unanswered::may_be(why).of(Silence::NoAnswer)));
            }
        };
        if matches!(sent, Sent::Ended(Ok(_))) {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        }
        sent
    }

    fn request(&self, outgoing: Outgoing<'_>) -> Result<Request<Full<Bytes>>, Unanswered> {
        let url = &self.base.url;
        let mut request = Request::builder()
            .method(outgoing.method)
            .uri(self.base.path(outgoing.path))
            .header(HOST, &url[Position::BeforeHost..Position::AfterPort])
            .header(ACCEPT_ENCODING, "identity");
        if let Some(headers) = request.headers_mut() {
            headers.extend(self.headers.clone());
        }
        if outgoing.is_last() {
            request = request.header(CONNECTION, "close");
        }
        if let Some(authorization) = outgoing.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        if let Some(content_type) = outgoing.content_type {
            request = request.header(CONTENT_TYPE, content_type);
        }
        let request = request.body(Full::new(Bytes::from(outgoing.body)));
        request.map_err(|error| Unanswered::never(format!("it cannot be sent: {error}")))
    }

    async fn shake_hands(&self) -> Result<Sender, Unanswered> {
        let no_tls = |why: String| Unanswered::never(why).of(Silence::Unreachable);
        let url = &self.base.url;
        let port = url.port_or_known_default().unwrap_or(80);
        let socket = match url.host() {
            Some(Host::Ipv4(address)) => TcpStream::connect((address, port)).await,
            Some(Host::Ipv6(address)) => TcpStream::connect((address, port)).await,
            Some(Host::Domain(name)) => TcpStream::connect((name, port)).await,
            None => return Err(Unanswered::never("it has no host")),
        };
        let socket = socket.map_err(|error| {
            Unanswered::never(format!("cannot connect: {error}")).of(no_connection(&error))
        })?;
        // Without it a small request may wait for an acknowledgement. An error only makes it slower.
        let _ = socket.set_nodelay(true);
        match &self.tls {
            Some(tls) if url.scheme() == "https" => {
                let name = ServerName::try_from(self.server_name())
                    .map_err(|_| Unanswered::never("no certificate can be for this host"))?;
                let socket = tls.connect(name, socket).await;
                let socket = socket.map_err(|error| no_tls(tls_in_words(&error)))?;
                shake_hands(socket).await
            }
            _ => shake_hands(socket).await,
        }
    }

    fn server_name(&self) -> String {
        let host = self.base.url.host_str().unwrap_or_default();
        host.trim_start_matches('[').trim_end_matches(']').to_owned()
    }
}

async fn shake_hands<S>(socket: S) -> Result<Sender, Unanswered>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (sender, connection) = http1::handshake(TokioIo::new(Patient::new(socket)))
        .await
        .map_err(|error| Unanswered::never(in_words(&error)).of(Silence::NoAnswer))?;
    // The request that waits gets the error of the connection as well.
    tokio::spawn(async move {
        let _ = connection.await;
    });
    Ok(sender)
}

async fn read(mut response: Response<Incoming>) -> Result<HttpResponse, Unanswered> {
    let mut reader = ResponseReader::new(response.status(), response.headers());
    while let Some(frame) = response.frame().await {
        let frame = frame.map_err(|error| interrupted(response.status(), &in_words(&error)))?;
        let Ok(data) = frame.into_data() else { continue };
        if !reader.push(&data) {
            break;
        }
    }
    Ok(reader.finish())
}
