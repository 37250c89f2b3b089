//! The proxy: accepts connections, and passes each request on.

mod forward;
mod tap;
mod upstream;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

use crate::copy::{Side, Tape};
use crate::proxy::forward::Forwarder;

pub use forward::BY_WATCH;
pub use upstream::{InvalidTarget, Target};

/// The time that requests in flight get when the proxy stops.
const GRACE: Duration = Duration::from_secs(1);
/// The pause when the system has no socket left: accepting at once would fail again.
const REST: Duration = Duration::from_millis(50);

/// A proxy that runs until it stops or is dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    /// Sends nothing: dropping it makes the proxy stop.
    stopping: watch::Sender<()>,
    task: JoinHandle<()>,
}

impl Proxy {
    /// Listens at `address`, passes requests on to `target`, and puts copies on the tape.
    ///
    /// # Errors
    /// Those of the system, such as a port in use.
    pub async fn start(
        address: SocketAddr,
        target: Target,
        side: Side,
        tape: Tape,
    ) -> io::Result<Proxy> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let (stopping, stopped) = watch::channel(());
        let forwarder = Arc::new(Forwarder { target, side, tape });
        let task = tokio::spawn(run(listener, forwarder, stopped));
        Ok(Proxy { address, stopping, task })
    }

    /// The address at which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts no more connections, and gives requests in flight one second.
    pub async fn stop(self) {
        drop(self.stopping);
        // An error means that the task has already ended.
        let _ = self.task.await;
    }
}

async fn run(listener: TcpListener, forwarder: Arc<Forwarder>, mut stopping: watch::Receiver<()>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((socket, _)) => {
                    connections.spawn(serve(socket, Arc::clone(&forwarder), stopping.clone()));
                }
                Err(_) => sleep(REST).await,
            },
            // Without this, the set would keep every closed connection.
            Some(_) = connections.join_next() => {}
            _ = stopping.changed() => break,
        }
    }
    drop(listener);
    let all_closed = async { while connections.join_next().await.is_some() {} };
    if timeout(GRACE, all_closed).await.is_err() {
        connections.shutdown().await;
    }
}

async fn serve(socket: TcpStream, forwarder: Arc<Forwarder>, mut stopping: watch::Receiver<()>) {
    // Without it a small answer may wait for an acknowledgement. An error only makes it slower.
    let _ = socket.set_nodelay(true);
    let service = service_fn(move |request| {
        let forwarder = Arc::clone(&forwarder);
        async move { forwarder.forward(request).await }
    });
    let connection = http1::Builder::new()
        .preserve_header_case(true)
        // The answer has the date that the other side wrote, or none.
        .auto_date_header(false)
        .serve_connection(TokioIo::new(socket), service);
    let mut connection = std::pin::pin!(connection);
    // An error means that one of the two sides has closed its connection, which the other one sees.
    let _ = tokio::select! {
        biased;
        served = connection.as_mut() => served,
        _ = stopping.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
}
