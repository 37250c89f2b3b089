//! A client of the router, a client of bare sockets, and a vendor that is ready for an advance.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, Request, header};
use http_body_util::BodyExt;
use hyper::body::Frame;
use serde_json::{Value, json};
use tideover_model::{Code, Profile, Seeded, Service, Timestamp};
use tideover_sim::{Clock, ClockChoice, Mock, World};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tower::ServiceExt;

pub(crate) const KEY: &str = "Bearer rap_sk_local";

pub(crate) fn start() -> Timestamp {
    Timestamp::parse("2026-01-01T00:00:00Z").unwrap()
}

pub(crate) fn world(profile: Profile) -> World {
    let service = Service::new(profile, Seeded { seed: 1 });
    World::new(Box::new(service), Clock::new(start(), ClockChoice::Still))
}

/// A response.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.headers[header::CONTENT_TYPE], "application/json", "{self:?}");
        assert_eq!(self.headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff", "{self:?}");
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_else(|| panic!("no code: {self:?}")).to_owned()
    }

    pub(crate) fn refused(&self, status: u16, code: &str) {
        assert_eq!((self.status, self.code().as_str()), (status, code), "{self:?}");
        assert_one_shape(&self.json());
    }

    /// Asserts that it is a success, or an error of the documented shape with a code of the table.
    pub(crate) fn is_documented(&self) {
        if self.status >= 300 {
            let (body, code) = (self.json(), self.code());
            assert_one_shape(&body);
            assert!(Code::parse(&code).is_some(), "{self:?}");
            assert!((400..500).contains(&self.status), "{self:?}");
        }
    }
}

pub(crate) fn assert_one_shape(body: &Value) {
    let fields: Vec<_> = body.as_object().expect("an object").keys().collect();
    assert_eq!(fields, ["code", "error"], "{body}");
    assert!(!body["error"].as_str().expect("prose").is_empty());
}

/// A caller of a router, with a key.
#[derive(Clone)]
pub(crate) struct Caller {
    router: Router,
    authorization: String,
}

impl Caller {
    pub(crate) fn of(world: &World) -> Caller {
        Caller { router: world.router(), authorization: KEY.to_owned() }
    }

    pub(crate) fn of_mock(mock: &Mock) -> Caller {
        Caller { router: mock.router(), authorization: KEY.to_owned() }
    }

    pub(crate) fn standard() -> Caller {
        Caller::of(&world(Profile::default()))
    }

    pub(crate) fn with_key(&self, key: &str) -> Caller {
        Caller { authorization: format!("Bearer {key}"), ..self.clone() }
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (head, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Answer { status: head.status.as_u16(), headers: head.headers, body }
    }

    /// The response to a request without a body, of whose own body only the first part is read.
    pub(crate) async fn begun(&self, method: &str, path: &str) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::AUTHORIZATION, &self.authorization);
        let request = request.body(Body::empty()).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (head, mut body) = response.into_parts();
        let frame = body.frame().await.map(|frame| frame.unwrap().into_data().unwrap());
        let body = frame.unwrap_or_default();
        Answer { status: head.status.as_u16(), headers: head.headers, body }
    }

    pub(crate) async fn bytes(&self, method: &str, path: &str, body: impl Into<Body>) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::AUTHORIZATION, &self.authorization);
        self.send(request.body(body.into()).unwrap()).await
    }

    pub(crate) async fn csv(&self, import: &str, file: &str) -> Answer {
        let request = Request::put(format!("/v1/invoices/imports/{import}"))
            .header(header::AUTHORIZATION, &self.authorization)
            .header(header::CONTENT_TYPE, "text/csv; charset=utf-8");
        self.send(request.body(Body::from(file.to_owned())).unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.bytes("GET", path, Body::empty()).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.bytes("DELETE", path, Body::empty()).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Answer {
        self.bytes("PUT", path, body.to_string()).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.bytes("POST", path, body.to_string()).await
    }

    pub(crate) async fn act(&self, action: Value) -> Answer {
        self.post("/_sim/actions", action).await
    }

    /// Onboards `acme`, except for the time until its account opens, and syncs its invoice `INV-1`.
    pub(crate) async fn onboard(&self) {
        let address = json!({ "line1": "1 Harbor Road", "city": "Portland", "state": "OR",
            "postalCode": "97201" });
        let business = json!({ "legalName": "Acme LLC", "taxId": "12-3456789",
            "contact": { "address": address } });
        let account = json!({ "accountNumber": "000123456789", "routingNumber": "021000021" });
        let invitation = json!({ "externalId": "acme", "email": "ada@acme.example" });
        for answer in [
            self.put("/v1/organizations/acme", business).await,
            self.put("/v1/organizations/acme/payout-account", account).await,
            self.put("/v1/invoices/INV-1", invoice("acme", "globex")).await,
            self.post("/v1/invitations", invitation).await,
            self.act(json!({ "action": "vendorAcceptsInvitation", "payeeExternalId": "acme",
                "email": "ada@acme.example" }))
                .await,
            self.act(json!({ "action": "vendorSignsAgreement", "payeeExternalId": "acme" })).await,
        ] {
            assert!((200..300).contains(&answer.status), "{answer:?}");
        }
    }

    pub(crate) async fn advance_clock(&self, seconds: u64) -> Value {
        self.post("/_sim/clock", json!({ "advanceSeconds": seconds })).await.json()
    }
}

pub(crate) fn invoice(payee: &str, payor: &str) -> Value {
    json!({
        "payee": { "externalId": payee, "legalName": "Acme LLC" },
        "payor": { "externalId": payor, "legalName": "Globex Inc" },
        "status": "ISSUED",
        "faceValue": 1_000_000,
        "issueDate": "2026-01-01T00:00:00Z",
        "dueDate": "2026-03-02T12:00:00Z",
    })
}

/// The time after which a test gives up.
const PATIENCE: Duration = Duration::from_secs(20);

/// A connection for hand-written requests.
pub(crate) struct Raw(TcpStream);

impl Raw {
    pub(crate) async fn connect(address: SocketAddr) -> Raw {
        Raw(TcpStream::connect(address).await.unwrap())
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.write_all(bytes.as_ref()).await.unwrap();
    }

    /// Writes `bytes` until the other side accepts no more.
    pub(crate) async fn try_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes).await
    }

    pub(crate) async fn end(&mut self) {
        self.0.shutdown().await.unwrap();
    }

    /// Reads a response: its head, and the body that the head announces.
    pub(crate) async fn answer(&mut self) -> (String, Value) {
        tokio::time::timeout(PATIENCE, self.next_answer()).await.expect("an answer in time")
    }

    /// Reads the head of a response, and nothing of its body.
    pub(crate) async fn head(&mut self) -> String {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.expect("an answer"));
        }
        String::from_utf8(head).unwrap()
    }

    async fn next_answer(&mut self) -> (String, Value) {
        let head = self.head().await;
        let length = head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
            .map_or(0, |(_, length)| length.parse().unwrap());
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).await.unwrap();
        (head, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    /// Reads everything until the other side closes.
    pub(crate) async fn rest(&mut self) -> io::Result<String> {
        let mut rest = Vec::new();
        let end = self.0.read_to_end(&mut rest);
        tokio::time::timeout(PATIENCE, end).await.expect("closed in time")?;
        Ok(String::from_utf8_lossy(&rest).into_owned())
    }
}

/// A body whose pieces come from `next`.
pub(crate) fn feed(next: impl FnMut() -> Option<io::Result<Bytes>> + Send + 'static) -> Body {
    struct Feed<F>(F);
    impl<F: FnMut() -> Option<io::Result<Bytes>> + Unpin> HttpBody for Feed<F> {
        type Data = Bytes;
        type Error = io::Error;
        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
            Poll::Ready((self.0)().map(|piece| piece.map(Frame::data)))
        }
    }
    Body::new(Feed(Box::new(next)))
}
