//! A client with several connections: on each, it sends the next request as soon as the last response is
//! there.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Instant;

use tideover_benches::interleaved::{Side, Took};
use tideover_benches::request::as_bytes;
use tideover_model::wire::written::Written;

use crate::server::Running;

const CONNECTIONS: usize = 16;

/// A server, and the connections to it.
pub(crate) struct Client {
    server: Running,
    connections: Vec<Connection>,
    requests: Vec<Vec<u8>>,
    next: usize,
}

impl Client {
    pub(crate) fn new(server: Running, requests: &[Written]) -> Client {
        let host = server.address().to_string();
        let connections = (0..CONNECTIONS).map(|_| Connection::open(server.address())).collect();
        let requests = requests.iter().map(|sent| as_bytes(sent, &host)).collect();
        Client { server, connections, requests, next: 0 }
    }

    fn send(&mut self, connection: usize) {
        let request = &self.requests[self.next % self.requests.len()];
        self.next += 1;
        self.connections[connection].stream.write_all(request).expect("a request is sent");
    }
}

impl Side for Client {
    fn play(&mut self, requests: u64) -> Took {
        let cpu = self.server.cpu();
        let began = Instant::now();
        let requests = usize::try_from(requests).unwrap_or(usize::MAX);
        let at_first = requests.min(CONNECTIONS);
        for connection in 0..at_first {
            self.send(connection);
        }
        for answered in 0..requests {
            let connection = answered % CONNECTIONS;
            self.connections[connection].receive();
            if answered + at_first < requests {
                self.send(connection);
            }
        }
        let wall = began.elapsed();
        let cpu = cpu.zip(self.server.cpu()).map(|(before, after)| after.saturating_sub(before));
        Took { wall, cpu }
    }
}

/// A connection with at most one request in flight.
struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    fn open(address: SocketAddr) -> Connection {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("a socket of TCP");
        Connection { stream, buffer: vec![0; 16 * 1024] }
    }

    /// Reads a response to its end.
    fn receive(&mut self) {
        let mut filled = 0;
        loop {
            let read = self.stream.read(&mut self.buffer[filled..]).expect("an answer");
            assert_ne!(read, 0, "the server closed the connection");
            filled += read;
            let length = length(&self.buffer[..filled]);
            if length.is_some_and(|length| length == filled) {
                assert!(self.buffer.starts_with(b"HTTP/1.1 200 "), "refused");
                return;
            }
        }
    }
}

/// The length of a response, once its head is complete.
fn length(answer: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length: ";
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let mut lines = answer[..head].split(|byte| *byte == b'\n');
    let body = lines.find_map(|line| line.strip_prefix(NAME))?.trim_ascii_end();
    let digits = std::str::from_utf8(body).ok()?;
    Some(head + digits.parse::<usize>().ok()?)
}
