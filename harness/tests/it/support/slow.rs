//! A mock behind a service that takes its time, and counts how many requests are under way.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tideover_sim::Mock;

use crate::support::app::serve;

/// A mock behind a service that takes its time.
pub(crate) struct Slow {
    pub(crate) url: String,
    pub(crate) seen: Arc<Seen>,
}

/// What the service has seen.
#[derive(Debug)]
pub(crate) struct Seen {
    latency: Duration,
    under_way: AtomicUsize,
    /// The most requests that were under way at once.
    pub(crate) most: AtomicUsize,
    /// How many requests were under way beside one that everybody feels.
    pub(crate) disturbed: AtomicUsize,
    /// Whether one is under way that everybody feels.
    disturbing: AtomicUsize,
    /// So many at once are too many, the first time.
    limit: usize,
    has_refused: AtomicBool,
    /// How many were under way as each came.
    pub(crate) course: Mutex<Vec<usize>>,
}

/// `mock` behind a service that takes `latency` for each request.
pub(crate) async fn slow(mock: &Mock, latency: Duration) -> Slow {
    busy(mock, latency, usize::MAX).await
}

/// The same, which asks to wait once, when `limit` requests are under way.
pub(crate) async fn busy(mock: &Mock, latency: Duration, limit: usize) -> Slow {
    let seen = Arc::new(Seen {
        latency,
        under_way: AtomicUsize::new(0),
        most: AtomicUsize::new(0),
        disturbed: AtomicUsize::new(0),
        disturbing: AtomicUsize::new(0),
        limit,
        has_refused: AtomicBool::new(false),
        course: Mutex::default(),
    });
    let layer = from_fn_with_state(Arc::clone(&seen), count);
    Slow { url: serve(mock.router().layer(layer)).await, seen }
}

async fn count(State(seen): State<Arc<Seen>>, request: Request, next: Next) -> Response {
    // A read of the clock, or an action for one vendor, disturbs nobody.
    let disturbs = request.method() == "POST" && request.uri().path() == "/_sim/clock";
    let now = seen.under_way.fetch_add(1, Ordering::SeqCst) + 1;
    seen.most.fetch_max(now, Ordering::SeqCst);
    seen.course.lock().unwrap().push(now);
    if now >= seen.limit && !seen.has_refused.swap(true, Ordering::SeqCst) {
        seen.under_way.fetch_sub(1, Ordering::SeqCst);
        return (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, "0")]).into_response();
    }
    let before = seen.disturbing.fetch_add(usize::from(disturbs), Ordering::SeqCst);
    if before > 0 || disturbs && now > 1 {
        seen.disturbed.fetch_add(1, Ordering::SeqCst);
    }
    tokio::time::sleep(seen.latency).await;
    let response = next.run(request).await;
    seen.disturbing.fetch_sub(usize::from(disturbs), Ordering::SeqCst);
    seen.under_way.fetch_sub(1, Ordering::SeqCst);
    response
}
