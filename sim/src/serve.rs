//! The socket: accepts connections, serves them concurrently, and closes them in time.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::http::header::{CONNECTION, HOST};
use axum::http::{HeaderValue, Request, Response, Version};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tideover_model::{Code, Refusal, clause};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tower::Service;

use crate::arrival::Hangup;
use crate::limits::Limits;
use crate::respond;
use crate::wire::{Activity, BreakingBody, Flag, TrackedBody, Wire};

/// The time that requests in flight get when the server stops.
const GRACE: Duration = Duration::from_secs(1);
/// The pause when the system has no socket left: accepting at once would fail again.
const REST: Duration = Duration::from_millis(50);

/// A fault drops the connection.
#[derive(Debug, thiserror::Error)]
#[error("a fault drops the connection")]
struct Unanswered;

const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// A server that runs until it stops or is dropped.
#[derive(Debug)]
pub(crate) struct MockServer {
    address: SocketAddr,
    /// Sends nothing: dropping it makes the server stop.
    stopping: watch::Sender<()>,
    task: JoinHandle<()>,
}

impl MockServer {
    /// Listens at `address`.
    pub(crate) async fn start(
        address: SocketAddr,
        router: Router,
        limits: Limits,
    ) -> io::Result<MockServer> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let (stopping, stopped) = watch::channel(());
        let task = tokio::spawn(run(listener, router, limits, stopped));
        Ok(MockServer { address, stopping, task })
    }

    /// The address at which it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts no more connections, and gives requests in flight one second.
    pub(crate) async fn stop(self) {
        drop(self.stopping);
        // An error means that the task has already ended.
        let _ = self.task.await;
    }
}

async fn run(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    mut stopping: watch::Receiver<()>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((socket, _)) => {
                    connections.spawn(serve(socket, router.clone(), limits, stopping.clone()));
                }
                Err(error) if is_the_clients(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    sleep(REST).await;
                }
            },
            // Without this, the set would keep every closed connection.
            Some(_) = connections.join_next() => {}
            _ = stopping.changed() => break,
        }
    }
    drop(listener);
    let all_closed = async { while connections.join_next().await.is_some() {} };
    if timeout(GRACE, all_closed).await.is_err() {
        tracing::debug!("closing connections with requests in flight");
    }
}

/// Whether the client gave up before it was accepted, which is no problem of the server.
fn is_the_clients(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Serves a connection until either side closes it.
async fn serve(
    socket: TcpStream,
    router: Router,
    limits: Limits,
    mut stopping: watch::Receiver<()>,
) {
    if let Err(error) = socket.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    let (unread, broken, activity) = (Flag::default(), Flag::default(), Activity::default());
    let wire = Wire::new(socket, limits.pause, [&unread, &broken].map(Flag::clone), &activity);
    let seen = activity.clone();
    let service = service_fn(move |request| {
        let (router, unread, broken) = (router.clone(), unread.clone(), broken.clone());
        let answering = activity.answering();
        async move {
            let response = respond(router, limits, unread, request).await;
            drop(answering);
            ending(response, broken)
        }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(wire), service);
    let mut connection = pin!(connection);
    let mut idle = pin!(idle(seen, limits.head));
    let served = tokio::select! {
        biased;
        served = connection.as_mut() => served,
        _ = stopping.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
        () = idle.as_mut() => return,
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Returns once a connection has been silent for `time`, or for up to twice as long: no head has ended, nothing was
/// written, and no request is being answered. hyper's `header_read_timeout` does this too, but sets a timer for every
/// request; this looks once in a while.
async fn idle(activity: Activity, time: Duration) {
    let mut before = None;
    loop {
        sleep(time).await;
        let now = activity.steps();
        if now.is_some() && now == before {
            return;
        }
        before = now;
    }
}

/// Answers a request. If its body was not read to the end, the connection can't be reused, and the response says so.
async fn respond(
    mut router: Router,
    limits: Limits,
    unread: Flag,
    request: Request<Incoming>,
) -> Response<Body> {
    unread.set(false);
    let refused = unnamed(&request);
    let request = request.map(|body| {
        if body.is_end_stream() {
            Body::empty()
        } else {
            Body::new(TrackedBody::new(body, limits, unread.clone()))
        }
    });
    let mut response = match refused {
        Some(why) => {
            let refusal =
                Refusal::new(Code::UnreadableRequest, clause!("7.codes.unreadable_request"));
            respond::refusal(refusal.because(why))
        }
        None => match router.call(request).await {
            Ok(response) => response,
        },
    };
    if unread.get() {
        response.headers_mut().insert(CONNECTION, CLOSE);
    }
    response
}

/// Why it is not clear which host a request means, if it is not (RFC 9112, 3.2).
fn unnamed(request: &Request<Incoming>) -> Option<&'static str> {
    let mut hosts = request.headers().get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if request.version() <= Version::HTTP_10 => None,
        (None, _) => Some("The request has no Host header."),
        (Some(_), Some(_)) => Some("The request has more than one Host header."),
        (Some(host), None) if is_host(host.as_bytes()) => None,
        (Some(_), None) => Some("The Host header is no host with an optional port."),
    }
}

/// Whether a text has only characters of a host and a port (RFC 3986, 3.2.2).
fn is_host(text: &[u8]) -> bool {
    let is_part = |sign: &u8| sign.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=%[]:".contains(sign);
    !text.is_empty() && text.iter().all(is_part)
}

/// Ends the connection if the response is marked so. At the error, hyper closes the connection without a byte.
fn ending(response: Response<Body>, broken: Flag) -> Result<Response<Body>, Unanswered> {
    match response.extensions().get() {
        None => Ok(response),
        Some(Hangup::Unanswered) => Err(Unanswered),
        Some(Hangup::Midway) => Ok(response.map(|body| Body::new(BreakingBody::new(body, broken)))),
    }
}
