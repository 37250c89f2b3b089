//! Reads the parts of a request.

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, HeaderName};
use http_body_util::BodyExt;
use tideover_model::{Code, Refusal, clause, exchange};

use crate::wire::Unread;

/// A header's text; empty, and so never valid, if it is not visible ASCII.
pub(crate) fn header(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).map(|value| value.to_str().unwrap_or_default())
}

/// The whole body, of at most `limit` bytes.
///
/// `payload_too_large` comes as soon as that is certain, without reading the rest (`gap.bodyLimit`);
/// `unreadable_request` if the connection or its framing breaks, or if it takes too long.
pub(crate) async fn body(mut body: Body, limit: usize) -> Result<Bytes, Refusal> {
    if body.size_hint().lower() > limit as u64 {
        return Err(exchange::too_large(limit));
    }
    // Most bodies come in one chunk, which is not copied then.
    let mut first = Bytes::new();
    let mut rest = Vec::new();
    while !body.is_end_stream() {
        let Some(frame) = body.frame().await else { break };
        let Ok(chunk) = frame.map_err(unread)?.into_data() else { continue };
        if first.len() + rest.len() + chunk.len() > limit {
            return Err(exchange::too_large(limit));
        }
        if first.is_empty() {
            first = chunk;
        } else {
            rest.extend_from_slice(&chunk);
        }
    }
    if rest.is_empty() {
        return Ok(first);
    }
    Ok([first.as_ref(), &rest].concat().into())
}

fn unread(why: axum::Error) -> Refusal {
    let why = match why.into_inner().downcast_ref() {
        Some(late @ Unread::Late) => late.to_string(),
        _ => "The body could not be read to its end.".to_owned(),
    };
    Refusal::new(Code::UnreadableRequest, clause!("7.codes.unreadable_request")).because(why)
}
