//! Who may use the operator port: neither pages of foreign origins nor requests to foreign names.

use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::{HOST, ORIGIN};
use axum::middleware::Next;
use tideover_model::wire::action::NotApplied;

use crate::control::ControlResult;
use crate::cors::Origins;
use crate::hosts::Hosts;

/// Who may use the operator port, which asks for no key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guard {
    /// The names by which it answers.
    pub(crate) hosts: Hosts,
    /// The origins of pages that may use it.
    pub(crate) origins: Option<Origins>,
}

/// Refuses what a page of a foreign origin sends, and what was sent to another name. Without this, every page that a
/// user opens could use the control plane: a browser sends simple requests, and withholds from the page only the
/// answer. Not even that, if a hostile name server points the page's own name at the mock.
pub(crate) async fn guard(
    State(Guard { hosts, origins }): State<Guard>,
    request: Request,
    next: Next,
) -> ControlResult {
    let (head, body) = request.into_parts();
    if let Some(host) = hosts.foreign(&head, origins.as_ref()) {
        let name = host.rsplit_once(':').map_or(&*host, |(name, _)| name);
        return Err(NotApplied::ForeignHost(name.chars().take(MOST_SHOWN).collect()).into());
    }
    let headers = &head.headers;
    if let Some(origin) = headers.get(ORIGIN)
        && !is_own(origin, headers.get(HOST))
        && !origins.is_some_and(|allowed| allowed.allow(origin))
    {
        let shown = String::from_utf8_lossy(origin.as_bytes()).chars().take(MOST_SHOWN).collect();
        return Err(NotApplied::ForeignOrigin(shown).into());
    }
    Ok(next.run(Request::from_parts(head, body)).await)
}

/// How much of a host or of an origin is shown. Characters.
const MOST_SHOWN: usize = 100;

/// Whether host and port of an origin are those that the request was sent to.
fn is_own(origin: &HeaderValue, host: Option<&HeaderValue>) -> bool {
    let (origin, host) = (origin.to_str().ok(), host.and_then(|host| host.to_str().ok()));
    let of_origin = origin.and_then(|origin| origin.split_once("://"));
    of_origin.zip(host).is_some_and(|((_, own), host)| own.eq_ignore_ascii_case(host))
}
