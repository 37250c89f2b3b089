//! A socket on which a response can be read although the other side reads no more of the request.
//!
//! A server may refuse a large request before it has read all of it, and close the connection (RFC 9112 §9.6). Its
//! response is there, but whoever goes on writing gets an error first.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Drops what is written once nobody reads it.
pub(super) struct Patient<S> {
    socket: S,
    is_read: bool,
}

impl<S> Patient<S> {
    pub(super) fn new(socket: S) -> Patient<S> {
        Patient { socket, is_read: true }
    }

    /// Writes, as long as somebody reads; an error that says that nobody does is no error. `all` is what is done then.
    fn write<T>(
        &mut self,
        all: T,
        write: impl FnOnce(Pin<&mut S>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>>
    where
        S: Unpin,
    {
        if !self.is_read {
            return Poll::Ready(Ok(all));
        }
        match write(Pin::new(&mut self.socket)) {
            Poll::Ready(Err(error)) if is_unread(&error) => {
                self.is_read = false;
                Poll::Ready(Ok(all))
            }
            other => other,
        }
    }
}

fn is_unread(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.write(bytes.len(), |socket| socket.poll_write(context, bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.write((), |socket| socket.poll_flush(context))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.write((), |socket| socket.poll_shutdown(context))
    }
}
