//! An endpoint that misbehaves.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// An endpoint that does `misbehave` with each request but the first, which asks whether it is there.
pub(crate) fn endpoint(
    misbehave: impl Fn(usize, &mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (misbehave, asked) = (Arc::new(misbehave), Arc::new(AtomicUsize::new(0)));
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let (misbehave, asked) = (Arc::clone(&misbehave), Arc::clone(&asked));
            thread::spawn(move || serve(socket, &*misbehave, &asked));
        }
    });
    address
}

/// One request on each connection; whoever closes it first ends it.
fn serve(
    mut socket: TcpStream,
    misbehave: &dyn Fn(usize, &mut TcpStream) -> std::io::Result<()>,
    asked: &AtomicUsize,
) -> Option<()> {
    let mut reader = BufReader::new(socket.try_clone().ok()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    reader.read_exact(&mut vec![0; length]).ok()?;
    match asked.fetch_add(1, Ordering::SeqCst) {
        0 => answer(&mut socket, "200 OK", "date: Tue, 01 Jan 2036 00:00:00 GMT\r\n", b"[]").ok(),
        number => misbehave(number, &mut socket).ok(),
    }
}

pub(crate) fn answer(
    socket: &mut TcpStream,
    status: &str,
    headers: &str,
    body: &[u8],
) -> std::io::Result<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n"
    );
    socket.write_all(head.as_bytes())?;
    socket.write_all(body)
}
