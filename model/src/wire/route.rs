//! Methods and paths (§4): which request is for which operation.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::clause;
use crate::endpoint::OperationKind;
use crate::refusal::{Code, Refusal};

/// An operation and the identifiers in its path, still encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route<'a> {
    /// The operation.
    pub kind: OperationKind,
    identifiers: [&'a str; 2],
}

/// Which operation a method and a path name.
///
/// # Errors
/// `unknown_endpoint` (`gap.unknownEndpoint`).
pub fn route<'a>(method: &str, path: &'a str) -> Result<Route<'a>, Refusal> {
    let (kind, identifiers) = find(method, path)
        .ok_or_else(|| Refusal::new(Code::UnknownEndpoint, clause!("7.codes.unknown_endpoint")))?;
    Ok(Route { kind, identifiers })
}

fn find<'a>(method: &str, path: &'a str) -> Option<(OperationKind, [&'a str; 2])> {
    let rest = path.strip_prefix(ROOT)?;
    let mut segments = [""; MOST_SEGMENTS];
    let mut count = 0;
    for segment in rest.split('/') {
        *segments.get_mut(count)? = segment;
        count += 1;
    }
    OperationKind::ALL.into_iter().zip(&PATTERNS).find_map(|(kind, pattern)| {
        let matches = pattern.count == count && kind.endpoint().method == method;
        matches.then(|| pattern.identifiers(&segments)).flatten().map(|found| (kind, found))
    })
}

/// What every path begins with.
const ROOT: &str = "/v1/";

/// The most segments of a path, after its root.
const MOST_SEGMENTS: usize = 4;

/// The path of each endpoint, taken apart when compiling: a request must not wait for it.
const PATTERNS: [Pattern; OperationKind::ALL.len()] = {
    let mut patterns =
        [Pattern { segments: [""; MOST_SEGMENTS], count: 0 }; OperationKind::ALL.len()];
    let mut index = 0;
    while index < patterns.len() {
        patterns[index] = Pattern::of(OperationKind::ALL[index].endpoint().path);
        index += 1;
    }
    patterns
};

/// The segments of an endpoint's path, after its root.
#[derive(Clone, Copy)]
struct Pattern {
    segments: [&'static str; MOST_SEGMENTS],
    count: usize,
}

impl Pattern {
    const fn of(path: &'static str) -> Pattern {
        let mut pattern = Pattern { segments: [""; MOST_SEGMENTS], count: 0 };
        let mut rest = path.split_at(ROOT.len()).1;
        let mut end = 0;
        while end < rest.len() {
            if rest.as_bytes()[end] == b'/' {
                pattern.segments[pattern.count] = rest.split_at(end).0;
                pattern.count += 1;
                rest = rest.split_at(end + 1).1;
                end = 0;
            } else {
                end += 1;
            }
        }
        pattern.segments[pattern.count] = rest;
        pattern.count += 1;
        pattern
    }

    /// The parameters of a path with these segments, if it is such a path.
    fn identifiers<'a>(&self, segments: &[&'a str; MOST_SEGMENTS]) -> Option<[&'a str; 2]> {
        let mut found = [""; 2];
        let mut free = found.iter_mut();
        for (pattern, segment) in self.segments.into_iter().zip(segments) {
            if pattern.starts_with('{') {
                *free.next()? = segment;
            } else if pattern != *segment {
                return None;
            }
        }
        Some(found)
    }
}

impl<'a> Route<'a> {
    /// The identifiers in the path as sent, still encoded; empty where the path has fewer.
    pub const fn encoded_identifiers(&self) -> [&'a str; 2] {
        self.identifiers
    }

    /// The identifiers in the path, decoded once.
    ///
    /// # Errors
    /// `invalid_request` for one that is empty or not UTF-8 (`gap.emptyIdentifier`).
    pub(crate) fn identifiers(&self) -> Result<[String; 2], Refusal> {
        let mut decoded = [String::new(), String::new()];
        for (index, name) in self.kind.endpoint().parameters().enumerate() {
            decoded[index] = identifier(name, self.identifiers[index])?;
        }
        Ok(decoded)
    }
}

fn identifier(name: &str, encoded: &str) -> Result<String, Refusal> {
    let refused = |clause, why| {
        Refusal::new(Code::InvalidRequest, clause).because(format!("{name} in the path: {why}"))
    };
    if encoded.is_empty() {
        return Err(refused(clause!("gap.emptyIdentifier"), "must not be empty"));
    }
    percent_decode_str(encoded)
        .decode_utf8()
        .map(Cow::into_owned)
        .map_err(|_| refused(clause!("7.codes.invalid_request"), "is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_found_under_its_method_and_path() {
        for kind in OperationKind::ALL {
            let found = route(kind.endpoint().method, kind.endpoint().path).unwrap();
            assert_eq!(found.kind, kind);
            for (name, encoded) in kind.endpoint().parameters().zip(found.identifiers) {
                assert_eq!(format!("{{{name}}}"), encoded);
            }
        }
    }

    #[test]
    fn identifiers_are_decoded_once() {
        let [id, _] = route("PUT", "/v1/invoices/a%2Fb%252F").unwrap().identifiers().unwrap();
        assert_eq!(id, "a/b%2F");
    }

    #[test]
    fn anything_else_is_an_unknown_endpoint() {
        for (method, path) in [
            ("GET", "/"),
            ("GET", "/v1"),
            ("GET", "/v1/"),
            ("GET", "/v2/webhooks"),
            ("GET", "/v1/webhooks/"),
            ("PATCH", "/v1/webhooks"),
            ("get", "/v1/webhooks"),
            ("GET", "/v1/organizations/a/invoices/b/c/d/e/f"),
            ("POST", "/v1/invoices/imports/x"),
        ] {
            assert_eq!(
                route(method, path).unwrap_err().code,
                Code::UnknownEndpoint,
                "{method} {path}"
            );
        }
    }

    #[test]
    fn an_identifier_must_not_be_empty_and_must_be_utf_8() {
        for path in ["/v1/invoices/", "/v1/invoices/%FF", "/v1/organizations/"] {
            let refused = route("PUT", path).unwrap().identifiers().unwrap_err();
            assert_eq!(refused.code, Code::InvalidRequest, "{path}");
        }
    }
}
