//! Cross-origin requests: which pages in a browser may call the mock.

use axum::http::HeaderValue;
use tower_http::cors::{AllowHeaders, AllowMethods, AllowOrigin, Any, CorsLayer};

/// The origins of pages that may call the mock from a browser. Nothing in the document allows any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origins(Option<Vec<HeaderValue>>);

/// The reason why a text is no origin.
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
        texts
            .iter()
            .map(|text| origin(text.as_ref()))
            .collect::<Result<_, _>>()
            .map(Some)
            .map(Origins)
    }

    /// Answers preflight requests itself, and lets these origins read all other answers.
    pub(crate) fn layer(self) -> CorsLayer {
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
