//! A connection's bytes: HTTP's own refusals are put into the one shape of errors, and an answer given
//! before the request was read to its end is not cut off.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use hyper::body::{Frame, Incoming, SizeHint};
use tideover_model::{Code, Status};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// How long a client may go on sending after it was answered.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the request under way is not read to its end. A connection has one request at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unread(Arc<AtomicBool>);

impl Unread {
    pub(crate) fn set(&self, unread: bool) {
        self.0.store(unread, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A request's body that notes when its end was reached.
pub(crate) struct Watched {
    body: Incoming,
    unread: Unread,
}

impl Watched {
    pub(crate) fn new(body: Incoming, unread: Unread) -> Watched {
        unread.set(true);
        Watched { body, unread }
    }
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if frame.is_none() || self.body.is_end_stream() {
            self.unread.set(false);
        }
        Poll::Ready(frame)
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
/// hyper itself refuses what is no HTTP, with an error status and no body: that answer is replaced. The
/// service never answers an error without a body, so the two cannot be confused.
///
/// Closing a socket while the client is still sending resets the connection, and the client may never see
/// its answer. So the closing waits for the client, but not for long.
pub(crate) struct Wire<S> {
    socket: S,
    unread: Unread,
    /// What takes the place of an answer of hyper's own, and how much of it is written.
    replacement: Option<(Vec<u8>, usize)>,
    closing: Option<Pin<Box<Sleep>>>,
}

impl<S> Wire<S> {
    pub(crate) fn new(socket: S, unread: Unread) -> Wire<S> {
        Wire { socket, unread, replacement: None, closing: None }
    }

    /// Notes what takes the place of `bytes`, if anything does.
    fn inspect(&mut self, bytes: &[u8]) {
        if self.replacement.is_none() && bytes.starts_with(b"HTTP/1.1 4") && is_empty(bytes) {
            self.unread.set(true);
            self.replacement = Some((refusal(bytes), 0));
        }
    }
}

/// Whether an answer's head says that there is no body.
fn is_empty(bytes: &[u8]) -> bool {
    let head = bytes.split(|byte| *byte == b'\n').take_while(|line| *line != b"\r");
    head.into_iter().any(|line| line.eq_ignore_ascii_case(b"content-length: 0\r"))
}

/// The answer that takes the place of `bytes`.
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
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
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
        Pin::new(&mut self.socket).poll_write(cx, bytes)
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
        Pin::new(&mut self.socket).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    /// Says that nothing more comes; where the client may still be sending, waits until it has seen that.
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
            let mut wire = Wire::new((), Unread::default());
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
    fn replacements_are_of_the_one_shape() {
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
