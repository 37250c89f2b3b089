//! The changes of a world as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use futures_util::{StreamExt, stream};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use crate::world::World;
use crate::worlds::{InUse, Place};

/// The shortest time between two events.
const PAUSE: Duration = Duration::from_millis(100);
/// The longest silence: a comment shows that the connection is alive.
const BEAT: Duration = Duration::from_secs(15);

/// A body that ends with its world. The world is in use, and the place is taken, until the body ends. `idle` is the
/// time after which the server closes a silent connection.
pub(super) fn changes(world: World, held: (InUse, Place), idle: Duration) -> Body {
    let (events, mut received) = mpsc::channel(1);
    tokio::spawn(async move {
        tokio::select! {
            () = announce(&world, &events, BEAT.min(idle / 2)) => {}
            // The client has closed the connection.
            () = events.closed() => {}
        }
        drop(held);
    });
    let events = stream::poll_fn(move |cx| received.poll_recv(cx));
    Body::from_stream(events.map(Ok::<_, Infallible>))
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
