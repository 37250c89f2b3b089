//! The inbox on a port of this machine.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use hyper::body::Incoming;
use hyper::header::{HeaderMap, HeaderValue, LOCATION};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tideover_exchange::target::inbox::{Inbox, is_redirected, redirect_of};
use tideover_exchange::{Arrival, NO_ANSWER, has_a_field};
use tideover_model::{Timestamp, signature};
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use crate::client::{Client, Outgoing};
use crate::wall_time;

/// The longest webhook, in bytes.
const MOST_BYTES: usize = 1 << 24;

/// How long a request to a hanging path waits before the connection is closed.
const HANG_TIME: Duration = Duration::from_millis(300);

/// How many requests hang. The connections of the others are closed at once, because whoever moves the clock may wait
/// for each attempt.
const MOST_HANGING: u32 = 10;

/// An inbox that listens until it is dropped.
#[derive(Debug)]
pub struct Server {
    origin: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Shared {
    inbox: Mutex<Inbox>,
    clock: OnceLock<Client>,
    /// The base URL of the inbox as senders see it. Only requests to a path with its last segment are ours.
    ///
    /// Without it, all are.
    url: OnceLock<String>,
    /// Its base URL on this machine.
    origin: String,
    hang_time: Duration,
    /// The number of redirects.
    redirected: AtomicU32,
    /// The number of requests that got no response.
    hung: AtomicU32,
}

#[derive(Debug, thiserror::Error)]
#[error("the connection is closed without an answer")]
struct HangUp;

/// The time at the target.
async fn read_clock(clock: &Client) -> Option<Timestamp> {
    let question = Outgoing { method: "GET", path: "/_sim/clock", ..Outgoing::default() };
    let answer = clock.exchange(question).await.ok()?;
    Timestamp::parse(answer.seen.json()?.get("now")?.as_str()?)
}

impl Shared {
    /// The part of `path` after the token, if the request is ours.
    fn own_path(&self, path: &str) -> Option<String> {
        let Some(url) = self.url.get() else { return Some(path.to_owned()) };
        let (_, token) = url.rsplit_once('/')?;
        let (_, rest) = path.split_once(&format!("/{token}/"))?;
        Some(format!("/{rest}"))
    }

    /// Where a request to `path` is redirected to: by turns a URL and a path, because not every sender that follows a URL
    /// resolves a path (RFC 9110, 10.2.2).
    fn redirect(&self, path: &str) -> Option<HeaderValue> {
        let is_whole = self.redirected.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
        let target = match is_whole {
            true => {
                let base = self.url.get().unwrap_or(&self.origin);
                format!("{base}{}", redirect_of(&self.own_path(path)?))
            }
            false => redirect_of(path),
        };
        HeaderValue::from_str(&target).ok()
    }
}

impl Server {
    /// Listens on a free port of this machine, for a mock of ours. Nothing hangs there: the mock would wait for it.
    pub async fn start() -> io::Result<Server> {
        Server::listen(SocketAddr::from(([127, 0, 0, 1], 0)), Duration::ZERO).await
    }

    pub async fn start_at(address: SocketAddr) -> io::Result<Server> {
        Server::listen(address, HANG_TIME).await
    }

    async fn listen(address: SocketAddr, hang_time: Duration) -> io::Result<Server> {
        let listener = TcpListener::bind(address).await?;
        let origin = format!("http://{}", listener.local_addr()?);
        let shared = Arc::new(Shared { hang_time, origin: origin.clone(), ..Shared::default() });
        let task = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Ok(Server { origin, shared, task })
    }

    /// Its scheme, address and port.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// From now on keeps only requests to a path with the last segment of `url`, under the rest of that path: others can
    /// reach a public inbox as well. `url` is the base URL of the inbox as senders see it.
    pub fn listen_for(&self, url: &str) {
        self.shared.url.get_or_init(|| url.to_owned());
    }

    pub fn inbox(&self) -> MutexGuard<'_, Inbox> {
        lock(&self.shared.inbox)
    }

    /// Reads the clock of the operator port for each arrival. Only the first call counts.
    pub(crate) fn ask_clock(&self, operator: Client) {
        self.shared.clock.get_or_init(|| operator);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock(inbox: &Mutex<Inbox>) -> MutexGuard<'_, Inbox> {
    inbox.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let shared = Arc::clone(&shared);
                    let service = service_fn(move |request| answer(Arc::clone(&shared), request));
                    let io = TokioIo::new(stream);
                    // An error means that the sender has gone, or that we closed the connection.
                    connections.spawn(http1::Builder::new().serve_connection(io, service));
                }
                // The sender has gone, or there are no file handles for now. The next connection may still succeed.
                Err(_) => tokio::task::yield_now().await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn answer(shared: Arc<Shared>, request: Request<Incoming>) -> Result<Response<Body>, HangUp> {
    let path = request.uri().path().to_owned();
    let status = receive(&shared, request).await;
    if status == NO_ANSWER {
        if shared.hung.fetch_add(1, Ordering::Relaxed) < MOST_HANGING {
            tokio::time::sleep(shared.hang_time).await;
        }
        return Err(HangUp);
    }
    let mut response = Response::new(Body::empty());
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if response.status().is_redirection()
        && let Some(target) = shared.redirect(&path)
    {
        response.headers_mut().insert(LOCATION, target);
    }
    Ok(response)
}

/// Keeps a request. Returns the status of the response.
async fn receive(shared: &Shared, request: Request<Incoming>) -> u16 {
    let (parts, body) = request.into_parts();
    let Some(path) = shared.own_path(parts.uri.path()) else { return 404 };
    // Who tries out a URL with GET delivers nothing. But a redirect may be followed with another method.
    if parts.method != Method::POST && !is_redirected(&path) {
        return 405;
    }
    let arrived = wall_time();
    let Ok(body) = to_bytes(Body::new(body), MOST_BYTES).await else { return 413 };
    let at = match shared.clock.get() {
        Some(clock) => read_clock(clock).await,
        None => None,
    };
    lock(&shared.inbox).receive(Arrival {
        path,
        delivery: header(&parts.headers, signature::DELIVERY_HEADER),
        signature: header(&parts.headers, signature::HEADER),
        headers: other_headers(&parts.headers),
        body: Vec::from(body).into(),
        status: NO_ANSWER,
        at,
        arrived: Some(arrived),
    })
}

/// The headers that have no field of their own in an arrival.
fn other_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let others = headers.iter().filter(|(name, _)| !has_a_field(name.as_str()));
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    others.map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes()))).collect()
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
