//! Servers in threads of their own, each with a runtime of one thread, as `tideover serve` has it.

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
    /// Where Linux shows the CPU time of its thread.
    schedule: Option<PathBuf>,
    _stop: oneshot::Sender<()>,
}

impl Running {
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// How long its thread has been running, not waiting.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        let text = fs::read_to_string(self.schedule.as_ref()?).ok()?;
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    }
}

/// A world in which `service` is the service, and time stands still.
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

/// An axum server of a router.
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

/// Lets `start` start a server in a thread of this name, by which a profiler shows it, and keeps what
/// it keeps.
fn run<K>(name: &str, start: impl Future<Output = (SocketAddr, K)> + Send + 'static) -> Running {
    let (stop, stopped) = oneshot::channel();
    let (sender, receiver) = mpsc::channel();
    let server = move || {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let (address, _kept) = start.await;
            let thread = fs::read_link("/proc/thread-self").ok();
            let schedule = thread.map(|own| Path::new("/proc").join(own).join("schedstat"));
            sender.send((address, schedule)).expect("somebody waits");
            // An error means that the other end was dropped, and that is the sign.
            let _ = stopped.await;
        });
    };
    thread::Builder::new().name(name.to_owned()).spawn(server).expect("a thread");
    let (address, schedule) = receiver.recv().expect("the server starts");
    Running { address, schedule, _stop: stop }
}
