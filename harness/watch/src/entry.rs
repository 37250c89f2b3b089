//! An exchange as an entry of an HTTP Archive (HAR 1.2): the form in which it is judged and kept.

use std::io::Read;

use base64::Engine;
use flate2::read::{GzDecoder, ZlibDecoder};
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};
use serde_json::{Map, Value, json};
use tideover_model::signature;

use crate::copy::{Copied, CopiedAnswer, MOST_COPIED, Side, Unreached};
use crate::veil::{Bare, Veil, Veiled};

/// An exchange that can be kept.
pub(crate) struct Kept {
    pub(crate) entry: Value,
    pub(crate) veiled: Veiled,
    /// The raw body of a delivery, whose signature is over these bytes.
    pub(crate) raw: Vec<u8>,
}

pub(crate) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Masks an exchange. `target` is the base URL of the other side.
pub(crate) fn keep(copied: &Copied, target: &str, veil: &mut Veil) -> Kept {
    let raw = copied.body.bytes();
    let answer = copied.answer.as_ref().filter(|answer| answer.body.is_whole);
    let answered = answer.map(|answer| (answer, decoded(answer)));
    let seen = answered.as_ref().map(|(answer, body)| {
        let body = body.as_deref().unwrap_or_default();
        (answer.status, body)
    });
    let bare = Bare {
        side: copied.side,
        method: &copied.method,
        path: &copied.path,
        authorization: header(&copied.headers, AUTHORIZATION.as_str()),
        content_type: header(&copied.headers, CONTENT_TYPE.as_str()),
        signature: header(&copied.headers, signature::HEADER),
        sent: &raw,
        answered: seen,
    };
    let veiled = veil.cover(&bare);
    let microseconds = copied.since.microseconds_until(copied.now);
    let mut entry = json!({
        "startedDateTime": copied.since.to_string(),
        // Milliseconds, to a microsecond.
        "time": serde_json::from_str::<Value>(&format!("{}.{:03}", microseconds / 1000, microseconds % 1000))
            .unwrap_or_default(),
        "request": request(copied, target, &veiled, veil),
        "response": response(answered, &veiled, veil),
        "cache": {},
        "timings": { "send": 0, "wait": 0, "receive": 0 },
        "_number": copied.number,
    });
    match &copied.unreached {
        Some(Unreached::NotSent(why)) => entry["_notSent"] = json!(why),
        Some(Unreached::NoAnswer(why)) => entry["_noAnswer"] = json!(why),
        None => {}
    }
    match copied.side {
        Side::Webhooks => entry["_webhook"] = json!(true),
        Side::Api => entry["_target"] = json!(target),
    }
    Kept { entry, veiled, raw }
}

fn request(copied: &Copied, target: &str, veiled: &Veiled, veil: &Veil) -> Value {
    let is_complete = copied.body.is_whole && !copied.body.is_cut;
    let is_plain = header(&copied.headers, CONTENT_ENCODING.as_str()).is_none();
    let shown = Shown {
        authorization: veiled.authorization.as_deref(),
        // Nobody can verify it without the body.
        signature: veiled.signature.as_deref().filter(|_| is_complete && is_plain),
    };
    let mut request = json!({
        "method": copied.method,
        "url": format!("{target}{}", veiled.path),
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": headers(&copied.headers, shown, veil),
        "queryString": [],
        "headersSize": -1,
        "bodySize": if is_complete && is_plain { json!(copied.body.length) } else { json!(-1) },
    });
    // Without a text but with a size, the judge knows that the body is missing.
    let sent = veiled.sent.as_deref().filter(|sent| is_complete && is_plain && !sent.is_empty());
    if let Some(sent) = sent {
        let mime_type = header(&copied.headers, CONTENT_TYPE.as_str()).unwrap_or_default();
        let mut data = content(sent);
        data.insert("mimeType".to_owned(), json!(mime_type));
        request["postData"] = Value::Object(data);
    }
    request
}

/// As browsers do, a request without an answer has the status 0.
fn response(
    answered: Option<(&CopiedAnswer, Option<Vec<u8>>)>,
    veiled: &Veiled,
    veil: &Veil,
) -> Value {
    let empty = HeaderMap::new();
    let (status, named, length, body) = match &answered {
        None => (0, &empty, 0, None),
        Some((answer, body)) => {
            (answer.status, &answer.headers, answer.body.length, body.as_ref().map(|_| ()))
        }
    };
    let mime_type = header(named, CONTENT_TYPE.as_str()).unwrap_or("x-unknown");
    let mut content = match (&veiled.answered, body) {
        // Without a text, the judge knows that the body is missing.
        (_, None) => Map::from_iter([("size".to_owned(), json!(length.max(1)))]),
        (body, Some(())) => {
            let body = body.as_deref().unwrap_or_default();
            let mut content = content(body);
            content.insert("size".to_owned(), json!(body.len()));
            content
        }
    };
    content.insert("mimeType".to_owned(), json!(mime_type));
    json!({
        "status": status,
        "statusText": "",
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": headers(named, Shown::default(), veil),
        "content": content,
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": length,
    })
}

/// What stands in place of secret headers.
#[derive(Clone, Copy, Default)]
struct Shown<'a> {
    authorization: Option<&'a str>,
    signature: Option<&'a str>,
}

fn headers(headers: &HeaderMap, shown: Shown<'_>, veil: &Veil) -> Vec<Value> {
    let named = headers.iter().map(|(name, value)| {
        let other = match name {
            name if name == AUTHORIZATION => shown.authorization,
            name if name.as_str().eq_ignore_ascii_case(signature::HEADER) => shown.signature,
            _ => None,
        };
        let plain = || veil.plain_header(name.as_str(), &String::from_utf8_lossy(value.as_bytes()));
        let value = other.map_or_else(plain, str::to_owned);
        json!({ "name": name.as_str(), "value": value })
    });
    named.collect()
}

fn content(body: &[u8]) -> Map<String, Value> {
    let mut fields = Map::new();
    match std::str::from_utf8(body) {
        Ok(text) => fields.insert("text".to_owned(), text.into()),
        Err(_) => {
            let text = base64::engine::general_purpose::STANDARD.encode(body);
            fields.insert("encoding".to_owned(), "base64".into());
            fields.insert("text".to_owned(), text.into())
        }
    };
    fields
}

/// The body of an answer, uncompressed; `None` if it was not copied, or cannot be read.
fn decoded(answer: &CopiedAnswer) -> Option<Vec<u8>> {
    if answer.body.is_cut {
        return None;
    }
    let raw = answer.body.bytes();
    let coding = header(&answer.headers, CONTENT_ENCODING.as_str()).map(str::to_ascii_lowercase);
    match coding.as_deref() {
        None | Some("" | "identity") => Some(raw),
        _ if raw.is_empty() => Some(raw),
        Some("gzip" | "x-gzip") => uncompressed(GzDecoder::new(&*raw)),
        Some("deflate") => uncompressed(ZlibDecoder::new(&*raw)),
        Some(_) => None,
    }
}

/// What a decoder gives, unless it is longer than any copy: a short answer may become a very long one.
fn uncompressed(decoder: impl Read) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    let most = MOST_COPIED as u64 + 1;
    decoder.take(most).read_to_end(&mut body).ok()?;
    (body.len() <= MOST_COPIED).then_some(body)
}
