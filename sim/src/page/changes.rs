//! The changes of a world as server-sent events.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use hyper::body::Frame;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use crate::world::World;
use crate::worlds::{InUse, Place};

/// The shortest time between two events.
const PAUSE: Duration = Duration::from_millis(100);
/// How often the connection shows that it is alive, at least.
const BEAT: Duration = Duration::from_secs(15);

/// A body that ends with its world.
pub(super) struct Changes(mpsc::Receiver<String>);

impl Changes {
    /// The world is in use, and the place is taken, until the body ends. The connection counts as idle after this time.
    pub(super) fn of(world: World, held: (InUse, Place), idle: Duration) -> Changes {
        let (events, received) = mpsc::channel(1);
        tokio::spawn(async move {
            tokio::select! {
                () = announce(&world, &events, BEAT.min(idle / 2)) => {}
                () = events.closed() => {}
            }
            drop(held);
        });
        Changes(received)
    }
}

/// Announces changes until nobody listens, or the world ends.
async fn announce(world: &World, events: &mpsc::Sender<String>, beat: Duration) {
    let mut seen = None;
    loop {
        let event = match timeout(beat, world.changed_since(seen)).await {
            Ok(None) => return,
            Ok(Some(changes)) => {
                seen = Some(changes);
                format!("data: {changes}\n\n")
            }
            Err(_) => ":\n\n".to_owned(),
        };
        if events.send(event).await.is_err() {
            return;
        }
        sleep(PAUSE).await;
    }
}

impl HttpBody for Changes {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(cx).map(|event| event.map(|event| Ok(Frame::data(event.into()))))
    }
}
