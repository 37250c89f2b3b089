//! A router without a socket.

use std::hint::black_box;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use tideover_benches::interleaved::{Side, Took};
use tideover_benches::request::authorization;
use tideover_model::wire::written::Written;
use tokio::runtime::{Builder, Runtime};
use tower::Service;

/// The number of prepared requests.
const BATCH: u64 = 64;

/// A router, and its requests.
pub(crate) struct Within {
    router: Router,
    runtime: Runtime,
    requests: Vec<Written>,
    next: usize,
}

impl Within {
    pub(crate) fn new(router: Router, requests: &[Written]) -> Within {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        Within { router, runtime, requests: requests.to_vec(), next: 0 }
    }

    /// The next request, in the form that hyper passes on.
    fn request(&mut self) -> Request {
        let sent = &self.requests[self.next % self.requests.len()];
        self.next += 1;
        let mut request = Request::builder()
            .method(sent.method)
            .uri(&sent.path)
            .header("host", "127.0.0.1:4010")
            .header("authorization", authorization())
            .header("accept", "*/*")
            .header("user-agent", "tideover-benches");
        if let Some(content_type) = sent.content_type {
            request = request.header("content-type", content_type);
            request = request.header("content-length", sent.body.len());
        }
        request.body(Body::from(sent.body.clone())).expect("a request")
    }

    fn batch(&mut self, size: u64) -> Duration {
        let requests: Vec<Request> = (0..size).map(|_| self.request()).collect();
        let router = &mut self.router;
        let answering = async {
            for request in requests {
                let response = router.call(request).await.expect("the router never fails");
                assert_eq!(response.status(), 200);
                black_box(to_bytes(response.into_body(), usize::MAX).await.expect("a body"));
            }
        };
        let began = Instant::now();
        self.runtime.block_on(answering);
        began.elapsed()
    }
}

impl Side for Within {
    fn play(&mut self, requests: u64) -> Took {
        let mut wall = Duration::ZERO;
        let mut left = requests;
        while left > 0 {
            let size = left.min(BATCH);
            left -= size;
            wall += self.batch(size);
        }
        Took { wall, cpu: None }
    }
}
