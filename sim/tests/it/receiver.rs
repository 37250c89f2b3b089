//! A receiver of webhooks that a test scripts, down to the bytes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// The reaction to a request.
#[derive(Clone, Copy)]
pub(crate) enum Reaction {
    Answer(u16),
    /// Responds 307, to its own path.
    Redirect,
    /// Never responds, and keeps the connection open.
    Hang,
    /// Closes the connection instead of responding.
    Close,
    /// Closes the connection in the middle of a 200.
    CloseHalfWay,
}

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Received {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub(crate) struct Receiver {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<Received>>>,
    task: JoinHandle<()>,
}

type Script = Arc<dyn Fn(usize, &Received) -> Reaction + Send + Sync>;

impl Receiver {
    /// Reacts to each request as `script` says, given the request and the number of earlier ones.
    pub(crate) async fn start(
        script: impl Fn(usize, &Received) -> Reaction + Send + Sync + 'static,
    ) -> Receiver {
        Receiver::listen(Arc::new(script), None).await
    }

    /// A receiver that responds 200.
    pub(crate) async fn good() -> Receiver {
        Receiver::start(|_, _| Reaction::Answer(200)).await
    }

    /// The same over TLS.
    pub(crate) async fn over_tls(acceptor: TlsAcceptor) -> Receiver {
        Receiver::listen(Arc::new(|_, _: &Received| Reaction::Answer(200)), Some(acceptor)).await
    }

    async fn listen(script: Script, tls: Option<TlsAcceptor>) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let received = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&received);
        let task = tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                let (script, all, tls) = (Arc::clone(&script), Arc::clone(&all), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => react(socket, script, all).await,
                        Some(tls) => {
                            if let Ok(socket) = tls.accept(socket).await {
                                react(socket, script, all).await;
                            }
                        }
                    }
                });
            }
        });
        Receiver { url: format!("{scheme}://127.0.0.1:{port}"), received, task }
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn react<S: AsyncRead + AsyncWrite + Unpin>(
    mut socket: S,
    script: Script,
    all: Arc<Mutex<Vec<Received>>>,
) {
    let Some(request) = read(&mut socket).await else { return };
    let reaction = {
        let mut all = all.lock().unwrap();
        let reaction = script(all.len(), &request);
        all.push(request);
        reaction
    };
    let answer = match reaction {
        Reaction::Answer(status) => format!("HTTP/1.1 {status} .\r\ncontent-length: 0\r\n\r\n"),
        Reaction::Redirect => {
            "HTTP/1.1 307 .\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n".to_owned()
        }
        Reaction::CloseHalfWay => "HTTP/1.1 200 .\r\ncontent-length: 10\r\n\r\nhalf".to_owned(),
        Reaction::Close => return,
        Reaction::Hang => std::future::pending().await,
    };
    let _ = socket.write_all(answer.as_bytes()).await;
    let _ = socket.shutdown().await;
}

async fn read<S: AsyncRead + Unpin>(socket: &mut S) -> Option<Received> {
    let mut bytes = Vec::new();
    loop {
        if let Some(request) = parsed(&bytes) {
            return Some(request);
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

fn parsed(bytes: &[u8]) -> Option<Received> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let (line, headers) = head.split_once("\r\n").unwrap();
    assert!(line.starts_with("POST ") && line.ends_with(" HTTP/1.1"), "{line}");
    let header = |line: &str| {
        let (name, value) = line.split_once(": ").unwrap();
        (name.to_ascii_lowercase(), value.to_owned())
    };
    let headers: BTreeMap<String, String> = headers.split("\r\n").map(header).collect();
    let length: usize = headers["content-length"].parse().unwrap();
    let body = bytes[end + 4..].to_vec();
    let path = line.split(' ').nth(1).unwrap().to_owned();
    (body.len() == length).then_some(Received { path, headers, body })
}
