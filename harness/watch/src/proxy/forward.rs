//! One request, passed on.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::{Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    CONNECTION, CONTENT_TYPE, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue, TE,
    TRANSFER_ENCODING, UPGRADE,
};
use hyper::{Request, Response, StatusCode};
use serde_json::json;
use tokio::sync::oneshot;

use crate::copy::{Copied, CopiedAnswer, CopiedBody, Side, Tape, Unreached};
use crate::proxy::tap::{Guard, Passage, Release, Tap, Wanted, Which};
use crate::proxy::upstream::Target;

/// The header of an answer that the proxy gives itself, because the other side gave none. It says why.
pub const BY_WATCH: &str = "tideover-watch";

/// The headers of a connection, besides those that `Connection` names (RFC 9110, 7.6.1).
const OF_CONNECTION: [&str; 7] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
];

pub(super) struct Forwarder {
    pub(super) target: Target,
    pub(super) side: Side,
    pub(super) tape: Tape,
}

type Answer = Response<Either<Tap, Full<Bytes>>>;

impl Forwarder {
    pub(super) async fn forward(&self, request: Request<Incoming>) -> Result<Answer, Infallible> {
        let (number, since) = self.tape.begin();
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let copied = Copied {
            side: self.side,
            number,
            since,
            now: since,
            method: request.method().as_str().to_owned(),
            path,
            headers: request.headers().clone(),
            body: CopiedBody::default(),
            answer: None,
            unreached: None,
        };
        let uri = self.target.uri(&copied.path);
        let passage = Passage::new(copied, self.tape.clone());
        let guard = Guard(Arc::clone(&passage));
        let Some(uri) = uri else {
            let why = Unreached::NotSent("the path cannot be sent".to_owned());
            return Ok(own_answer(&passage, why));
        };
        let (mut parts, body) = request.into_parts();
        parts.uri = uri;
        parts.headers = passed_on(&parts.headers);
        parts.headers.insert(HOST, self.target.host().clone());
        let wanted = parts.headers.contains_key(EXPECT).then(oneshot::channel);
        let (asks, asked) = wanted.unzip();
        let which = Which::Request { wanted: asked.map(Wanted::new) };
        let mut request = Request::from_parts(parts, Tap::new(body, Arc::clone(&passage), which));
        if let Some(asks) = asks {
            let asks = Mutex::new(Some(asks));
            hyper::ext::on_informational(&mut request, move |response| {
                let asks = asks.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(asks) = asks.filter(|_| response.status() == StatusCode::CONTINUE) {
                    let _ = asks.send(());
                }
            });
        }
        let (response, sender) = match self.target.send(request).await {
            Err(why) => return Ok(own_answer(&passage, why)),
            Ok(answered) => answered,
        };
        let (mut parts, body) = response.into_parts();
        passage.note(|copied| {
            let (status, headers) = (parts.status.as_u16(), parts.headers.clone());
            let body = CopiedBody::default();
            copied.answer = Some(CopiedAnswer { status, headers, body });
        });
        parts.headers = passed_on(&parts.headers);
        let target = self.target.clone();
        let release: Release = Box::new(move || target.keep(sender));
        let tap = Tap::new(body, passage, Which::Answer { guard, release: Some(release) });
        Ok(Response::from_parts(parts, Either::Left(tap)))
    }
}

/// The headers without those of the connection, in their order.
fn passed_on(headers: &HeaderMap) -> HeaderMap {
    let named = headers.get_all(CONNECTION).into_iter().filter_map(|value| value.to_str().ok());
    let named: Vec<String> =
        named.flat_map(|value| value.split(',')).map(|name| name.trim().to_lowercase()).collect();
    let is_of_connection = |name: &HeaderName| {
        OF_CONNECTION.contains(&name.as_str()) || named.iter().any(|named| named == name.as_str())
    };
    let mut passed = HeaderMap::with_capacity(headers.len() + 1);
    let kept = headers.iter().filter(|(name, _)| !is_of_connection(name));
    kept.for_each(|(name, value)| {
        passed.append(name, value.clone());
    });
    // A recipient that takes trailers says so to each hop.
    let is_trailers = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"trailers");
    if headers.get(TE).is_some_and(is_trailers) {
        passed.insert(TE, HeaderValue::from_static("trailers"));
        passed.insert(CONNECTION, HeaderValue::from_static("TE"));
    }
    debug_assert!(!passed.contains_key(TRANSFER_ENCODING) && !passed.contains_key(UPGRADE));
    passed
}

/// The answer of the proxy itself. It is never judged as one of the other side.
fn own_answer(passage: &Passage, unreached: Unreached) -> Answer {
    let why = unreached.why().to_owned();
    passage.note(|copied| copied.unreached = Some(unreached));
    passage.end();
    let body = json!({
        "error": format!("This is an answer of tideover watch, not of its target: {why}."),
        "code": "upstream_failed",
    });
    let mut response = Response::new(Either::Right(Full::new(Bytes::from(body.to_string()))));
    *response.status_mut() = StatusCode::BAD_GATEWAY;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let why: String = why.chars().filter(|it| it.is_ascii_graphic() || *it == ' ').collect();
    let why = HeaderValue::from_str(&why).unwrap_or(HeaderValue::from_static("no answer"));
    headers.insert(BY_WATCH, why);
    response
}
