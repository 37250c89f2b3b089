//! The speed of the courier with a local receiver: from the first delivery that arrives to the last, of a
//! mock that has all of them queued at its start.
//!
//! The comparison is a bare hyper client that posts the same bodies, with the courier's concurrency and one
//! connection for each: it checks no destination, signs nothing, and logs nothing. The receiver is an axum
//! that responds 204, in a separate thread of this process.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tideover_benches::events::{happen, subscribed};
use tideover_benches::population::start;
use tideover_benches::race::Entries;
use tideover_benches::{figures, is_trial};
use tideover_model::{Face, Service, Webhooks};
use tideover_sim::{DeliveryState, Mock};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinSet;

const ROUNDS: usize = 21;
const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> io::Result<()> {
    let deliveries = if is_trial() { 20 } else { 5000 };
    let runtime = runtime();
    let bodies = queue(deliveries, "http://127.0.0.1:1/").1;
    let mut entries = Entries::in_rounds(ROUNDS);
    entries.add_timed("bare hyper client", || runtime.block_on(post(&bodies)));
    entries.add_timed("courier", || runtime.block_on(deliver(deliveries)));
    entries.run("courier", deliveries.into()).save(&figures::home())
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// Lets a mock deliver.
async fn deliver(deliveries: u32) -> Duration {
    let receiver = Receiver::expecting(deliveries);
    let (service, _) = queue(deliveries, &format!("http://{}/", receiver.address));
    let mock = Mock::builder().face(Box::new(service)).start_at(start());
    let mock = mock.start().await.expect("a free port");
    assert!(mock.quiet(PATIENCE).await.quiet, "the receiver answers at once");
    let mut kept = mock.deliveries(0).into_iter();
    assert!(kept.all(|entry| entry.state == DeliveryState::Accepted));
    mock.stop().await;
    receiver.took()
}

/// Posts the bodies without a mock.
async fn post(bodies: &[Bytes]) -> Duration {
    let receiver = Receiver::expecting(u32::try_from(bodies.len()).expect("few"));
    let address = receiver.address;
    let at_once = Arc::new(Semaphore::new(Webhooks::default().at_once));
    let mut posts = JoinSet::new();
    for body in bodies.iter().cloned() {
        let place = Arc::clone(&at_once).acquire_owned().await.expect("it is open");
        posts.spawn(async move {
            exchange(address, body).await;
            drop(place);
        });
    }
    posts.join_all().await;
    receiver.took()
}

async fn exchange(address: SocketAddr, body: Bytes) {
    let socket = TcpStream::connect(address).await.expect("the receiver listens");
    socket.set_nodelay(true).expect("a socket of TCP");
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(socket)).await.expect("nothing is said yet");
    let request = Request::post("/")
        .header("host", address.to_string())
        .header("content-type", "application/json")
        .header("connection", "close")
        .body(Body::from(body))
        .expect("a request");
    let answered = async {
        let response = sender.send_request(request).await.expect("an answer");
        assert_eq!(response.status(), StatusCode::NO_CONTENT);
        response.into_body().collect().await.expect("no body");
    };
    let (_, ()) = tokio::join!(connection, answered);
}

/// A receiver that responds 204, and measures the time from the first request to the last.
struct Receiver {
    address: SocketAddr,
    took: mpsc::Receiver<Duration>,
    _stop: oneshot::Sender<()>,
}

impl Receiver {
    fn expecting(deliveries: u32) -> Receiver {
        let (send_address, receive_address) = mpsc::channel();
        let (send_took, took) = mpsc::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let (first, arrived) = (OnceLock::new(), AtomicU32::new(0));
        let counts = Arc::new(move || {
            let first = first.get_or_init(Instant::now);
            if arrived.fetch_add(1, Ordering::Relaxed) + 1 == deliveries {
                send_took.send(first.elapsed()).expect("somebody waits");
            }
            StatusCode::NO_CONTENT
        });
        let app = Router::new().fallback(move |_: Bytes| std::future::ready(counts()));
        thread::spawn(move || {
            runtime().block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
                send_address
                    .send(listener.local_addr().expect("an address"))
                    .expect("somebody waits");
                tokio::spawn(axum::serve(listener, app).into_future());
                // An error means that the other end was dropped: the signal to stop.
                let _ = stopped.await;
            });
        });
        let address = receive_address.recv().expect("the receiver starts");
        Receiver { address, took, _stop: stop }
    }

    /// The measured time, once all requests have come.
    fn took(self) -> Duration {
        self.took.recv().expect("all have come")
    }
}

/// A service with so many due deliveries to `url`, and their bodies.
fn queue(deliveries: u32, url: &str) -> (Service, Vec<Bytes>) {
    let mut service = subscribed([url]);
    (0..deliveries).for_each(|event| happen(&mut service, start(), event));
    let mut outbox = service.clone();
    let queued = std::iter::from_fn(|| outbox.poll_delivery());
    let bodies = queued.map(|delivery| Bytes::from_owner(Arc::clone(&delivery.body))).collect();
    (service, bodies)
}
