//! The inbox on a port of this machine.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use reqwest::Client;
use serde_json::Value;
use tideover_model::{Timestamp, signature};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::inbox::{Arrival, Inbox};

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
    clock: OnceLock<Clock>,
}

/// Where the clock of the target is asked.
#[derive(Debug)]
struct Clock {
    client: Client,
    url: String,
}

impl Clock {
    async fn now(&self) -> Option<Timestamp> {
        let answer = self.client.get(&self.url).send().await.ok()?;
        let body: Value = serde_json::from_slice(&answer.bytes().await.ok()?).ok()?;
        Timestamp::parse(body.get("now")?.as_str()?)
    }
}

impl Server {
    /// Listens on a free port of this machine.
    ///
    /// # Errors
    /// What the system says if there is none.
    pub async fn start() -> io::Result<Server> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
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

    /// What came.
    pub fn inbox(&self) -> MutexGuard<'_, Inbox> {
        lock(&self.shared.inbox)
    }

    /// Asks the clock of the operator port under `base_url` whenever something comes; once it is set it
    /// stays.
    pub(crate) fn ask_clock(&self, client: Client, base_url: &str) {
        self.shared.clock.get_or_init(|| Clock { client, url: format!("{base_url}/_sim/clock") });
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
    let Ok(body) = to_bytes(body, MOST_BYTES).await else { return StatusCode::PAYLOAD_TOO_LARGE };
    let at = match shared.clock.get() {
        Some(clock) => clock.now().await,
        None => None,
    };
    let status = lock(&shared.inbox).receive(Arrival {
        path: parts.uri.path().to_owned(),
        delivery: header(&parts.headers, signature::DELIVERY_HEADER),
        signature: header(&parts.headers, signature::HEADER),
        body: body.into(),
        status: 0,
        at,
    });
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
