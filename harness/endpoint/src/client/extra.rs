//! Headers that the user adds to every request.

use std::fmt;

use hyper::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, USER_AGENT};

const AGENT: &str = concat!("tideover/", env!("CARGO_PKG_VERSION"));

/// Headers that each request or its connection sets itself.
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

/// Headers whose values are no secrets.
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

/// A header that cannot be sent. The user gives another; no message shows its value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHeader {
    #[error("header: the name before the colon is none that a header can have")]
    Name,
    #[error("header: Authorization carries the API key: set TIDEOVER_KEY")]
    Authorization,
    #[error("header: {0} is written by Tideover itself: leave it out")]
    Reserved(HeaderName),
    #[error("header: {0} has no value: give one after the colon")]
    Empty(HeaderName),
    #[error("header: the value of {0} has characters that no header can carry")]
    Value(HeaderName),
}

impl ExtraHeader {
    pub fn new(name: &str, value: &str) -> Result<ExtraHeader, InvalidHeader> {
        let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else {
            return Err(InvalidHeader::Name);
        };
        if name == AUTHORIZATION {
            return Err(InvalidHeader::Authorization);
        }
        if RESERVED.contains(&name.as_str()) {
            return Err(InvalidHeader::Reserved(name));
        }
        if value.is_empty() {
            return Err(InvalidHeader::Empty(name));
        }
        let Ok(mut value) = HeaderValue::from_str(value) else {
            return Err(InvalidHeader::Value(name));
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

/// The headers of every request: `extra`, and defaults for `User-Agent` and `Accept`.
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
            let why = ExtraHeader::new(name, value).unwrap_err().to_string();
            assert!(why.contains(expected) && !why.contains("s3cret"), "{why}");
        }
        let shown = format!("{:?}", ExtraHeader::new("X-Key", "s3cret").unwrap());
        assert_eq!(shown, "ExtraHeader(x-key: …)");
    }
}
