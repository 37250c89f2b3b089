//! A connection's bytes: gives hyper's own refusals the one shape of errors, cuts responses where a fault says so, and
//! lets a response reach the client even if the request was not read to its end.
//!
//! This relies on what hyper does beyond its documentation, as of version 1.12:
//!
//! - It refuses invalid HTTP by itself, with a 4xx, `content-length: 0` and no body. The whole head is the first slice
//!   of a write, so that [`Wire`] can recognise and replace it.
//! - While a response's body is pending, it flushes what it has written. [`BreakingBody`] is pending where it breaks,
//!   and the flush then fails. An error of the body would drop bytes that are not written yet.
//! - It shuts the socket down when it closes a connection, even if the request was not read to its end, and does not
//!   read the rest. [`Wire`] does.
//!
//! `sim/tests/it/transport.rs` and `faults.rs` fail if a version of hyper does otherwise.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, Incoming, SizeHint};
use tideover_model::{Code, Status};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::limits::Limits;

/// How long a client may go on sending after the response: time for a network to deliver the response, and too little
/// to hold a socket for free.
const PATIENCE: Duration = Duration::from_secs(2);

/// A fact about the current request that the service and [`Wire`] share. All clones are used by one task, so that
/// relaxed accesses suffice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flag(Arc<AtomicBool>);

impl Flag {
    pub(crate) fn set(&self, value: bool) {
        self.0.store(value, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Whether anything happens on a connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity(Arc<Steps>);

#[derive(Debug, Default)]
struct Steps {
    /// The heads that have ended, and the writes.
    done: AtomicU64,
    /// Whether a request is being answered.
    is_answering: AtomicBool,
}

/// A request is being answered.
pub(crate) struct Answering(Activity);

impl Activity {
    fn step(&self) {
        // Only the task of the connection changes it: no other addition can be lost.
        self.0.done.store(self.0.done.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    pub(crate) fn answering(&self) -> Answering {
        self.step();
        self.0.is_answering.store(true, Ordering::Relaxed);
        Answering(self.clone())
    }

    /// The number of steps; `None` while a request is being answered.
    pub(crate) fn steps(&self) -> Option<u64> {
        let is_answering = self.0.is_answering.load(Ordering::Relaxed);
        (!is_answering).then(|| self.0.done.load(Ordering::Relaxed))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.0.is_answering.store(false, Ordering::Relaxed);
    }
}

/// A request's body that records whether its end is reached, and waits only so long for it.
pub(crate) struct TrackedBody {
    body: Incoming,
    limits: Limits,
    /// Runs while the next part is waited for.
    pause: Option<Pin<Box<Sleep>>>,
    /// Runs from the first wait to the end.
    whole: Option<Pin<Box<Sleep>>>,
    unread: Flag,
}

/// Why a request's body was not read to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unread {
    /// The connection or its framing breaks.
    #[error(transparent)]
    Broken(#[from] hyper::Error),
    /// The client takes too long.
    #[error("The body did not come to its end in time.")]
    Late,
}

impl TrackedBody {
    pub(crate) fn new(body: Incoming, limits: Limits, unread: Flag) -> TrackedBody {
        unread.set(true);
        TrackedBody { body, limits, pause: None, whole: None, unread }
    }

    /// Whether the client has taken too long.
    fn is_late(&mut self, cx: &mut Context<'_>) -> bool {
        let Limits { pause, body, .. } = self.limits;
        let pause = self.pause.get_or_insert_with(|| Box::pin(sleep(pause)));
        let whole = self.whole.get_or_insert_with(|| Box::pin(sleep(body)));
        [pause, whole].into_iter().any(|time| time.as_mut().poll(cx).is_ready())
    }
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = Unread;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Unread>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) else {
            return if self.is_late(cx) {
                Poll::Ready(Some(Err(Unread::Late)))
            } else {
                Poll::Pending
            };
        };
        self.pause = None;
        if frame.is_none() || self.body.is_end_stream() {
            self.unread.set(false);
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Unread::from)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A response's body that records its failure instead of failing, so that hyper writes everything before it.
pub(crate) struct BreakingBody {
    body: Body,
    broken: Flag,
}

impl BreakingBody {
    pub(crate) fn new(body: Body, broken: Flag) -> BreakingBody {
        BreakingBody { body, broken }
    }
}

impl HttpBody for BreakingBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
            Some(Err(_)) => {
                // The connection ends at the flush that follows.
                self.broken.set(true);
                Poll::Pending
            }
            frame => Poll::Ready(frame),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A client's connection.
///
/// It replaces hyper's own refusals. The service's errors always have a body, so the two can't be confused.
///
/// Closing a socket while the client is still sending resets the connection, and the client may never see
/// the response. So closing waits for the client, but not for long.
pub(crate) struct Wire<S> {
    socket: S,
    /// The request is not read to its end.
    unread: Flag,
    /// The response's body has failed.
    broken: Flag,
    /// The replacement of hyper's own response, and the number of bytes already written.
    replacement: Option<(Vec<u8>, usize)>,
    /// How long the client may read nothing of a response.
    pause: Duration,
    /// Runs while it reads nothing.
    stalled: Option<Pin<Box<Sleep>>>,
    activity: Activity,
    closing: Option<Pin<Box<Sleep>>>,
}

impl<S> Wire<S> {
    pub(crate) fn new(
        socket: S,
        pause: Duration,
        [unread, broken]: [Flag; 2],
        activity: &Activity,
    ) -> Wire<S> {
        let (replacement, stalled, closing) = (None, None, None);
        let activity = activity.clone();
        Wire { socket, unread, broken, replacement, pause, stalled, activity, closing }
    }

    /// The outcome of a write; an error if the client has read nothing for too long.
    fn in_time<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.activity.step();
            self.stalled = None;
            return written;
        }
        let pause = self.pause;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(pause)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Prepares the replacement of `bytes`, if they are a refusal of hyper.
    fn inspect(&mut self, bytes: &[u8]) {
        if self.replacement.is_none() && bytes.starts_with(b"HTTP/1.1 4") && is_empty(bytes) {
            self.unread.set(true);
            self.replacement = Some((refusal(bytes), 0));
        }
    }
}

/// Whether a response's head announces no body.
fn is_empty(bytes: &[u8]) -> bool {
    let head = bytes.split(|byte| *byte == b'\n').take_while(|line| *line != b"\r");
    head.into_iter().any(|line| line.eq_ignore_ascii_case(b"content-length: 0\r"))
}

/// The response that replaces `bytes`.
fn refusal(bytes: &[u8]) -> Vec<u8> {
    let (code, error) = match bytes.get(9..12) {
        Some(b"414") => (Code::InvalidRequest, "The path is too long."),
        Some(b"431") => (Code::UnreadableRequest, "The headers are too large."),
        _ => (Code::UnreadableRequest, "The request is not HTTP/1.1."),
    };
    let (Status::Documented(status) | Status::Assumed(status)) = code.status();
    let body = format!("{{\"error\":\"{error}\",\"code\":\"{code}\"}}");
    let length = body.len();
    format!(
        "HTTP/1.1 {status} Bad Request\r\ncontent-type: application/json\r\n\
         x-content-type-options: nosniff\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .into_bytes()
}

impl<S: AsyncWrite + Unpin> Wire<S> {
    /// Writes the replacement instead of `length` bytes. `None` if there is none.
    fn poll_replace(
        &mut self,
        cx: &mut Context<'_>,
        length: usize,
    ) -> Option<Poll<io::Result<usize>>> {
        let (bytes, written) = self.replacement.as_mut()?;
        while *written < bytes.len() {
            match Pin::new(&mut self.socket).poll_write(cx, &bytes[*written..]) {
                Poll::Ready(Ok(0)) => break,
                Poll::Ready(Ok(more)) => *written += more,
                Poll::Ready(Err(error)) => return Some(Poll::Ready(Err(error))),
                Poll::Pending => return Some(Poll::Pending),
            }
        }
        Some(Poll::Ready(Ok(length)))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.inspect(bytes);
        if let Some(replaced) = self.poll_replace(cx, bytes.len()) {
            return replaced;
        }
        let written = Pin::new(&mut self.socket).poll_write(cx, bytes);
        self.in_time(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.inspect(slices.first().map_or(&[], |slice| &**slice));
        if let Some(replaced) = self.poll_replace(cx, slices.iter().map(|slice| slice.len()).sum())
        {
            return replaced;
        }
        let written = Pin::new(&mut self.socket).poll_write_vectored(cx, slices);
        self.in_time(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    /// Fails once everything before the break of a body is written.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.socket).poll_flush(cx))?;
        if self.broken.get() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        Poll::Ready(Ok(()))
    }

    /// Shuts down the writing side. If the client may still be sending, waits until it has noticed.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.closing.is_none() {
            ready!(Pin::new(&mut self.socket).poll_shutdown(cx))?;
            if !self.unread.get() {
                return Poll::Ready(Ok(()));
            }
        }
        let this = &mut *self;
        let closing = this.closing.get_or_insert_with(|| Box::pin(sleep(PATIENCE)));
        let mut scrap = [0; 4096];
        loop {
            if closing.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Ok(()));
            }
            let mut scrap = ReadBuf::new(&mut scrap);
            match ready!(Pin::new(&mut this.socket).poll_read(cx, &mut scrap)) {
                Ok(()) if !scrap.filled().is_empty() => {}
                Ok(()) | Err(_) => return Poll::Ready(Ok(())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_error_without_a_body_is_replaced() {
        let replaced = |head: &str| {
            let mut wire = Wire::new((), Duration::MAX, Default::default(), &Activity::default());
            wire.inspect(head.as_bytes());
            wire.replacement.is_some()
        };
        assert!(replaced("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\ndate: x\r\n\r\n"));
        assert!(replaced("HTTP/1.1 431 Too Large\r\nContent-Length: 0\r\n\r\n"));
        assert!(!replaced("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"));
        assert!(!replaced(
            "HTTP/1.1 404 Not Found\r\ncontent-length: 17\r\n\r\ncontent-length: 0\r\n"
        ));
        assert!(!replaced(""));
    }

    #[test]
    fn replacements_have_the_error_shape() {
        for (status, code) in [("400", "unreadable_request"), ("414", "invalid_request")] {
            let answer = refusal(format!("HTTP/1.1 {status} X\r\n").as_bytes());
            let text = String::from_utf8(answer).unwrap();
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with("HTTP/1.1 400 "), "{head}");
            assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{head}");
            let body: serde_json::Value = serde_json::from_str(body).unwrap();
            assert_eq!(body["code"], code);
        }
    }
}
