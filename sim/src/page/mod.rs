//! The page of the mock: `/_sim/` and its parts, which are built in, and the data that they load.

mod changes;
mod guide;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use serde::Serialize;
use tideover_model::wire::overview::Wanted;
use utoipa::ToSchema;

use crate::control::{ControlCaller, ControlResult, SharedWorlds};
use crate::page::changes::changes;
use crate::respond;
use crate::world::WorldOverview;
use crate::worlds::Worlds;

/// The most businesses, and the most invoices, in an overview.
pub(crate) const MOST: usize = 200;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

/// A part of the page.
struct Asset {
    path: &'static str,
    media: &'static str,
    text: &'static str,
}

macro_rules! script {
    ($name:literal) => {
        Asset { path: concat!("/_sim/page/", $name), media: JS, text: include_str!($name) }
    };
}

macro_rules! style {
    ($name:literal) => {
        Asset { path: concat!("/_sim/page/", $name), media: CSS, text: include_str!($name) }
    };
}

/// All parts. The document of the operator port does not list them: only the page loads them.
const ASSETS: &[Asset] = &[
    Asset { path: "/_sim/", media: HTML, text: include_str!("page.html") },
    style!("guide.css"),
    style!("page.css"),
    style!("parts.css"),
    Asset { path: "/_sim/page/icon.svg", media: "image/svg+xml", text: include_str!("icon.svg") },
    Asset { path: "/_sim/guide/", media: HTML, text: include_str!("guide.html") },
    script!("main.js"),
    script!("address.js"),
    script!("api.js"),
    script!("businesses.js"),
    script!("clauses.js"),
    script!("clock.js"),
    script!("conduct.js"),
    script!("dom.js"),
    script!("exchange.js"),
    script!("forms.js"),
    script!("guide.js"),
    script!("history.js"),
    script!("invoices.js"),
    script!("making.js"),
    script!("markdown.js"),
    script!("past.js"),
    script!("problems.js"),
    script!("rows.js"),
    script!("rules.js"),
    script!("samples.js"),
    script!("shown.js"),
    script!("start.js"),
    script!("story.js"),
    script!("tables.js"),
    script!("tabs.js"),
    script!("timeline.js"),
    script!("worlds.js"),
];

/// Only what the mock itself serves, and nothing inline: text that a client sent must not run as a script.
const POLICY: &str = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'";

/// The routes of the parts; `of` adds what answers other methods.
pub(crate) fn assets(
    of: fn(MethodRouter<Arc<Worlds>>) -> MethodRouter<Arc<Worlds>>,
) -> Router<Arc<Worlds>> {
    ASSETS.iter().chain(guide::PAGES).fold(Router::new(), |router, asset| {
        router.route(asset.path, of(get(async move || asset.response())))
    })
}

impl Asset {
    fn response(&self) -> Response {
        let mut response = Response::new(Body::from(self.text));
        let headers = [
            (header::CONTENT_TYPE, self.media),
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            // A newer mock on the same port has another page.
            (header::CACHE_CONTROL, "no-cache"),
        ];
        response.headers_mut().extend(fixed(headers));
        response
    }
}

fn fixed<const N: usize>(
    headers: [(HeaderName, &'static str); N],
) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    headers.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value)))
}

/// Whether a request comes from a browser that would show a page.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(header::ACCEPT).into_iter();
    accepts.filter_map(|value| value.to_str().ok()).any(|value| value.contains("text/html"))
}

/// Leads to the page.
pub(crate) fn redirect() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    response.headers_mut().extend(fixed([(header::LOCATION, "/_sim/")]));
    response
}

/// A world, as a platform sees it from inside.
#[derive(Serialize, ToSchema)]
#[schema(as = Overview)]
pub(crate) struct Shown {
    /// The name of the world.
    world: String,
    /// The key whose part of the world this is. It is whole: the port gives keys to whoever asks.
    key: String,
    #[serde(flatten)]
    overview: WorldOverview,
}

/// `GET /_sim/overview`: the world as the caller's platform sees it; with `text`, only what has it in its name.
pub(crate) async fn overview(caller: ControlCaller, uri: Uri) -> Response {
    let query = uri.query().unwrap_or_default();
    let text = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "text");
    let text = text.map(|(_, value)| value).unwrap_or_default();
    let wanted = Wanted { text: &text, most: MOST };
    let overview = caller.world.overview(caller.platform, wanted);
    let world = caller.id.to_string();
    respond::ok(&Shown { world, key: caller.key, overview })
}

/// `GET /_sim/events`: an event at once, and one after each change of the world, until it is deleted or replaced.
pub(crate) async fn events(State(worlds): SharedWorlds, caller: ControlCaller) -> ControlResult {
    let place = worlds.wait()?;
    let held = (caller.in_use, place);
    let mut response = Response::new(changes(caller.world, held, worlds.limits().head));
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    response.headers_mut().extend(fixed(headers));
    Ok(response)
}
