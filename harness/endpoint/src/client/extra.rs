//! Headers that the user adds to every request.

use std::fmt;

use hyper::header::{ACCEPT, HeaderMap, HeaderName, HeaderValue, USER_AGENT};

const AGENT: &str = concat!("tideover/", env!("CARGO_PKG_VERSION"));

/// What each request has of its own, or the connection.
const RESERVED: [&str; 14] = [
    "accept-encoding",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// What anybody may know.
const PLAIN: [&str; 7] = [
    "accept",
    "accept-charset",
    "accept-language",
    "cache-control",
    "pragma",
    "prefer",
    "user-agent",
];

/// A header that goes with every request. Its value is not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct ExtraHeader {
    name: HeaderName,
    value: HeaderValue,
}

impl ExtraHeader {
    /// The header of this name and value.
    ///
    /// # Errors
    /// What is wrong with it. The message does not show its value.
    pub fn new(name: &str, value: &str) -> Result<ExtraHeader, String> {
        let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else {
            return Err("header: the name before the colon is none that a header can have".into());
        };
        if name == "authorization" {
            return Err("header: Authorization carries the API key: set TIDEOVER_KEY".into());
        }
        if RESERVED.contains(&name.as_str()) {
            return Err(format!("header: {name} is written by Tideover itself: leave it out"));
        }
        if value.is_empty() {
            return Err(format!("header: {name} has no value: give one after the colon"));
        }
        let Ok(mut value) = HeaderValue::from_str(value) else {
            return Err(format!(
                "header: the value of {name} has characters that no header can carry"
            ));
        };
        value.set_sensitive(true);
        Ok(ExtraHeader { name, value })
    }

    /// Its name, in lower case.
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Its value, if it may be a secret.
    pub fn secret(&self) -> Option<&str> {
        let is_plain = PLAIN.contains(&self.name());
        std::str::from_utf8(self.value.as_bytes()).ok().filter(|_| !is_plain)
    }
}

impl fmt::Debug for ExtraHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExtraHeader({}: …)", self.name)
    }
}

/// What goes with every request: `extra`, and who it is that asks.
pub(super) fn with_every_request(extra: &[ExtraHeader]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
    extra.iter().for_each(|header| drop(headers.remove(&header.name)));
    for ExtraHeader { name, value } in extra {
        headers.append(name, value.clone());
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_replaces_what_would_be_sent_and_may_come_twice() {
        let extra = [("user-agent", "mine"), ("X-Two", "1"), ("x-two", "2")];
        let extra = extra.map(|(name, value)| ExtraHeader::new(name, value).unwrap());
        let headers = with_every_request(&extra);
        let all = |name| headers.get_all(name).iter().collect::<Vec<_>>();
        assert_eq!(all("user-agent"), ["mine"]);
        assert_eq!(all("x-two"), ["1", "2"]);
        assert_eq!(all("accept"), ["*/*"]);
        assert_eq!(extra.each_ref().map(ExtraHeader::secret), [None, Some("1"), Some("2")]);
    }

    #[test]
    fn a_wrong_header_does_not_show_its_value() {
        let cases = [
            ("X Key", "s3cret", "name before the colon"),
            ("Authorization", "s3cret", "TIDEOVER_KEY"),
            ("Host", "s3cret", "Tideover itself"),
            ("X-Key", "s3cret\n", "no header can carry"),
            ("X-Key", "", "has no value"),
        ];
        for (name, value, expected) in cases {
            let why = ExtraHeader::new(name, value).unwrap_err();
            assert!(why.contains(expected) && !why.contains("s3cret"), "{why}");
        }
        let shown = format!("{:?}", ExtraHeader::new("X-Key", "s3cret").unwrap());
        assert_eq!(shown, "ExtraHeader(x-key: …)");
    }
}
