//! The inbox on a port of this machine.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use tideover_model::{Timestamp, signature};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::inbox::{Arrival, Inbox};
use crate::live::wall_time;
use crate::target::client::{Client, Outgoing};

/// Bytes of a webhook that are read.
const MOST_BYTES: usize = 1 << 24;

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
    /// Only what comes to a path with this segment is for us; without it everything is.
    token: OnceLock<String>,
}

/// What the clock of the target shows.
async fn ask(clock: &Client) -> Option<Timestamp> {
    let question = Outgoing { method: "GET", path: "/_sim/clock", ..Outgoing::default() };
    let answer = clock.exchange(question).await.ok()?;
    Timestamp::parse(answer.seen.json()?.get("now")?.as_str()?)
}

impl Shared {
    /// What of `path` is for us.
    fn own_path(&self, path: &str) -> Option<String> {
        match self.token.get() {
            None => Some(path.to_owned()),
            Some(token) => {
                let (_, rest) = path.split_once(&format!("/{token}/"))?;
                Some(format!("/{rest}"))
            }
        }
    }
}

impl Server {
    /// Listens on a free port of this machine.
    ///
    /// # Errors
    /// What the system says if there is none.
    pub async fn start() -> io::Result<Server> {
        Server::start_at(SocketAddr::from(([127, 0, 0, 1], 0))).await
    }

    /// Listens on `address`.
    ///
    /// # Errors
    /// What the system says if it cannot be listened on.
    pub async fn start_at(address: SocketAddr) -> io::Result<Server> {
        let listener = TcpListener::bind(address).await?;
        let origin = format!("http://{}", listener.local_addr()?);
        let shared = Arc::new(Shared::default());
        let app = Router::new().fallback(receive).with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move {
            // It ends with an error when the socket does: then nothing comes, which the checks will tell.
            let _ = axum::serve(listener, app).await;
        });
        Ok(Server { origin, shared, task })
    }

    /// Its scheme, address and port.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// From now on only what comes to a path with the segment `token` is kept, under what follows it:
    /// others can reach a public inbox as well.
    pub(crate) fn listen_for(&self, token: &str) {
        self.shared.token.get_or_init(|| token.to_owned());
    }

    /// What came.
    pub fn inbox(&self) -> MutexGuard<'_, Inbox> {
        lock(&self.shared.inbox)
    }

    /// Asks the clock of the operator port whenever something comes; once it is set it stays.
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

async fn receive(State(shared): State<Arc<Shared>>, request: Request) -> StatusCode {
    let (parts, body) = request.into_parts();
    let Some(path) = shared.own_path(parts.uri.path()) else { return StatusCode::NOT_FOUND };
    let arrived = wall_time();
    let Ok(body) = to_bytes(body, MOST_BYTES).await else { return StatusCode::PAYLOAD_TOO_LARGE };
    let at = match shared.clock.get() {
        Some(clock) => ask(clock).await,
        None => None,
    };
    let status = lock(&shared.inbox).receive(Arrival {
        path,
        delivery: header(&parts.headers, signature::DELIVERY_HEADER),
        signature: header(&parts.headers, signature::HEADER),
        body: Vec::from(body).into(),
        status: 0,
        at,
        arrived: Some(arrived),
    });
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
