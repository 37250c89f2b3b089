//! The inbox on a port of this machine.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use tideover_model::signature;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::inbox::Inbox;

/// Bytes of a webhook that are read.
const MOST_BYTES: usize = 1 << 24;

/// An inbox that listens until it is dropped.
#[derive(Debug)]
pub struct Server {
    origin: String,
    inbox: Arc<Mutex<Inbox>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Listens on a free port of this machine.
    ///
    /// # Errors
    /// What the system says if there is none.
    pub async fn start() -> io::Result<Server> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let origin = format!("http://{}", listener.local_addr()?);
        let inbox = Arc::new(Mutex::new(Inbox::default()));
        let app = Router::new().fallback(receive).with_state(Arc::clone(&inbox));
        let task = tokio::spawn(async move {
            // It ends with an error when the socket does: then nothing comes, which the checks will tell.
            let _ = axum::serve(listener, app).await;
        });
        Ok(Server { origin, inbox, task })
    }

    /// Its scheme, address and port.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// What came.
    pub fn inbox(&self) -> MutexGuard<'_, Inbox> {
        lock(&self.inbox)
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

async fn receive(State(inbox): State<Arc<Mutex<Inbox>>>, request: Request) -> StatusCode {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MOST_BYTES).await else { return StatusCode::PAYLOAD_TOO_LARGE };
    let path = parts.uri.path();
    let delivery = header(&parts.headers, signature::DELIVERY_HEADER);
    let signature = header(&parts.headers, signature::HEADER);
    let status = lock(&inbox).receive(path, delivery, signature, Bytes::into(body));
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
