//! Cross-origin requests: which pages in a browser may call the mock.

use axum::Router;
use axum::extract::Request;
use axum::http::header::ACCESS_CONTROL_REQUEST_METHOD;
use axum::http::{HeaderValue, Method};
use tower::ServiceExt;
use tower_http::cors::{AllowHeaders, AllowMethods, AllowOrigin, Any, CorsLayer};

/// The origins of pages that may call the mock from a browser. Nothing in the document allows any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origins(Option<Vec<HeaderValue>>);

/// A text is no origin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no origin; expected one such as http://localhost:3000, without a path, or * for any"
)]
pub struct NoOrigin(String);

impl Origins {
    /// Any origin.
    pub fn any() -> Origins {
        Origins(None)
    }

    /// The origins in `texts`: `http://localhost:3000`, or `*` for any.
    ///
    /// # Errors
    /// [`NoOrigin`]: the first text that is none.
    pub fn parse<T: AsRef<str>>(texts: &[T]) -> Result<Origins, NoOrigin> {
        if texts.iter().any(|text| text.as_ref() == "*") {
            return Ok(Origins::any());
        }
        let origins = texts.iter().map(|text| origin(text.as_ref()));
        Ok(Origins(Some(origins.collect::<Result<_, _>>()?)))
    }

    /// Lets these origins call the routes from a browser. An OPTIONS request that is no preflight goes to the mock, as any
    /// other request does; the layer alone would answer it.
    pub(crate) fn share(self, router: Router) -> Router {
        let shared = router.clone().layer(self.layer());
        Router::new().fallback(async move |request: Request| {
            let is_plain = request.method() == Method::OPTIONS
                && !request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
            let router = if is_plain { router.clone() } else { shared.clone() };
            router.oneshot(request).await
        })
    }

    /// Whether one of them has this host name.
    pub(crate) fn name(&self, host: &str) -> bool {
        let of = |origin: &HeaderValue| url::Url::parse(origin.to_str().ok()?).ok();
        let is = |url: &url::Url| url.host_str().is_some_and(|it| it.eq_ignore_ascii_case(host));
        self.0.as_ref().is_none_or(|all| all.iter().filter_map(of).any(|url| is(&url)))
    }

    /// Whether one of them is `origin`.
    pub(crate) fn allow(&self, origin: &HeaderValue) -> bool {
        self.0.as_ref().is_none_or(|origins| origins.contains(origin))
    }

    /// Answers preflight requests itself, and lets these origins read all other answers.
    fn layer(self) -> CorsLayer {
        let origins = self.0.map_or_else(|| Any.into(), AllowOrigin::list);
        // A wildcard would not cover the header `Authorization`.
        CorsLayer::new()
            .allow_origin(origins)
            .allow_methods(AllowMethods::mirror_request())
            .allow_headers(AllowHeaders::mirror_request())
            .expose_headers(Any)
    }
}

/// An origin as a browser sends it: a scheme, a host, and a port if it is not the scheme's own.
fn origin(text: &str) -> Result<HeaderValue, NoOrigin> {
    let is_origin = |url: &url::Url| {
        url.has_host() && url.origin().ascii_serialization() == text.trim_end_matches('/')
    };
    let url = url::Url::parse(text).ok().filter(is_origin);
    url.and_then(|url| HeaderValue::from_str(&url.origin().ascii_serialization()).ok())
        .ok_or_else(|| NoOrigin(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_what_a_browser_sends() {
        for text in ["http://localhost:3000", "https://app.example", "http://[::1]:8080/"] {
            assert!(Origins::parse(&[text]).is_ok(), "{text}");
        }
        for text in ["localhost:3000", "http://a/b", "http://a?b", "null", "", "http://A", "**"] {
            let refused = Origins::parse(&["http://a", text]).unwrap_err();
            assert!(refused.to_string().contains("http://localhost:3000"), "{text}");
        }
        assert_eq!(Origins::parse(&["http://a", "*"]), Ok(Origins::any()));
    }
}
