//! The inbox on a port: it answers as the path says, and hangs up where that is to not answer.

use std::net::SocketAddr;

use tideover_endpoint::inbox::Server;
use tideover_exchange::NO_ANSWER;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What comes back of a webhook to `path`.
async fn deliver(inbox: &Server, path: &str) -> String {
    let address: SocketAddr = inbox.origin().trim_start_matches("http://").parse().unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: inbox\r\nservice-delivery: d1\r\ncontent-length: 2\r\n\
         connection: close\r\n\r\n{{}}"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn each_inbox_path_responds_as_its_name_says() {
    let inbox = Server::start().await.unwrap();
    for (path, begins) in [
        ("/accepts", "HTTP/1.1 200 "),
        ("/acknowledges", "HTTP/1.1 201 "),
        ("/recovers", "HTTP/1.1 301 "),
        ("/fails", "HTTP/1.1 500 "),
        ("/gone", "HTTP/1.1 410 "),
    ] {
        let answer = deliver(&inbox, path).await;
        assert!(answer.starts_with(begins), "{path}: {answer:?}");
    }
    assert_eq!(deliver(&inbox, "/hangs").await, "");
    let arrivals = inbox.inbox().take();
    let statuses: Vec<u16> = arrivals.iter().map(|arrival| arrival.status).collect();
    assert_eq!(statuses, [200, 201, 301, 500, 410, NO_ANSWER]);
    assert!(arrivals.iter().all(|arrival| arrival.delivery.as_deref() == Some("d1")));
}

/// A redirect leads to a path of the inbox, where a request with any method is kept: by turns as a URL and as a path.
#[tokio::test]
async fn a_redirect_that_is_followed_arrives() {
    let inbox = Server::start().await.unwrap();
    for (base, number) in [(inbox.origin(), 1), ("", 2)] {
        let answer = deliver(&inbox, &format!("/recovers/{number}")).await;
        let target = format!("location: {base}/redirected/{number}\r\n");
        assert!(answer.contains(&target), "{answer}");
    }
    let address: SocketAddr = inbox.origin().trim_start_matches("http://").parse().unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let followed = "GET /redirected/1 HTTP/1.1\r\nhost: inbox\r\nconnection: close\r\n\r\n";
    stream.write_all(followed.as_bytes()).await.unwrap();
    stream.read_to_string(&mut String::new()).await.unwrap();
    let paths: Vec<String> = inbox.inbox().take().into_iter().map(|one| one.path).collect();
    assert_eq!(paths, ["/recovers/1", "/recovers/2", "/redirected/1"]);
}
