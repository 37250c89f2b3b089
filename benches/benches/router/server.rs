//! Servers in separate threads, each with a single-threaded runtime, like `tideover serve`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;
use std::{fs, thread};

use axum::Router;
use axum::serve::ListenerExt;
use tideover_benches::population::now;
use tideover_model::Service;
use tideover_sim::{Clock, ClockChoice, Mock, World};
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

/// A server that runs until it is dropped.
pub(crate) struct Running {
    address: SocketAddr,
    /// Linux's file with the processor time of its thread.
    schedule: Option<PathBuf>,
    _stop: oneshot::Sender<()>,
}

impl Running {
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The processor time of its thread.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        let text = fs::read_to_string(self.schedule.as_ref()?).ok()?;
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    }
}

/// A world with `service` and a still clock.
pub(crate) fn world(service: Service) -> World {
    World::new(Box::new(service), Clock::new(now(), ClockChoice::Still))
}

/// A mock.
pub(crate) fn mock(service: Service) -> Running {
    run("mock", async move {
        let builder = Mock::builder().face(Box::new(service)).start_at(now());
        let mock = builder.start().await.expect("a free port");
        (mock.address(), mock)
    })
}

/// An axum server for a router.
pub(crate) fn echo(router: Router) -> Running {
    run("echo", async move {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let listener = listener.tap_io(|socket| {
            socket.set_nodelay(true).expect("a socket of TCP");
        });
        (address, tokio::spawn(axum::serve(listener, router).into_future()))
    })
}

/// Starts a server with `start` in a thread of this name, which a profiler shows, and keeps the result alive.
fn run<K>(name: &str, start: impl Future<Output = (SocketAddr, K)> + Send + 'static) -> Running {
    let (stop, stopped) = oneshot::channel();
    let (send_address, receive_address) = mpsc::channel();
    let server = move || {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let (address, _kept) = start.await;
            let thread = fs::read_link("/proc/thread-self").ok();
            let schedule = thread.map(|own| Path::new("/proc").join(own).join("schedstat"));
            send_address.send((address, schedule)).expect("somebody waits");
            // An error means that the other end was dropped: the signal to stop.
            let _ = stopped.await;
        });
    };
    thread::Builder::new().name(name.to_owned()).spawn(server).expect("a thread");
    let (address, schedule) = receive_address.recv().expect("the server starts");
    Running { address, schedule, _stop: stop }
}
