//! How a response arrives if a fault acts on it: late, in part, or not at all.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::Response;
use http_body_util::BodyExt;
use hyper::body::{Frame, SizeHint};
use tokio::time::sleep;

use crate::fault::Act;
use crate::respond;

/// Marks a response that ends its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hangup {
    /// Nothing of it is sent.
    Unanswered,
    /// Its body breaks off.
    Midway,
}

/// The response as the client gets it. `None` if a fault kept the request from the service.
pub(crate) async fn arrived(response: Option<Response<Body>>, act: Option<Act>) -> Response<Body> {
    match (response, act) {
        (
            Some(response),
            None
            | Some(
                Act::UpstreamFails { .. }
                | Act::RequestRepeated
                | Act::RequestThrottled { .. }
                // It acts on no request.
                | Act::Delivery(_),
            ),
        ) => response,
        (Some(response), Some(Act::AnswerDelayed { milliseconds })) => {
            sleep(Duration::from_millis(milliseconds)).await;
            response
        }
        (Some(response), Some(Act::AnswerCut { after_bytes })) => cut(response, after_bytes).await,
        (None, _) | (Some(_), Some(Act::ConnectionDrops { .. } | Act::ImportStops { .. })) => {
            let mut response = respond::unanswered(Body::new(BrokenBody::default()));
            response.extensions_mut().insert(Hangup::Unanswered);
            response
        }
    }
}

/// Cuts the body after so many bytes. A body that is not longer stays as it is.
async fn cut(response: Response<Body>, after_bytes: u64) -> Response<Body> {
    let (head, body) = response.into_parts();
    // The body is in memory already.
    let whole = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let kept = usize::try_from(after_bytes).unwrap_or(usize::MAX);
    if kept >= whole.len() {
        return Response::from_parts(head, Body::from(whole));
    }
    let announced = whole.len() as u64;
    let body = BrokenBody { first: (kept > 0).then(|| whole.slice(..kept)), announced };
    let mut response = Response::from_parts(head, Body::new(body));
    response.extensions_mut().insert(Hangup::Midway);
    response
}

/// A body that fails after its first bytes.
#[derive(Default)]
struct BrokenBody {
    first: Option<Bytes>,
    /// How many bytes `Content-Length` still promises: so the client sees that some are missing.
    announced: u64,
}

impl HttpBody for BrokenBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let broken = || io::Error::new(io::ErrorKind::ConnectionReset, "the connection dropped");
        let first = self.first.take();
        self.announced -= first.as_ref().map_or(0, |first| first.len() as u64);
        Poll::Ready(Some(first.map(Frame::data).ok_or_else(broken)))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.announced)
    }
}
