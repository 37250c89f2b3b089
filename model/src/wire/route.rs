//! Methods and paths (§4): which request is for which operation.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::clause;
use crate::endpoint::OperationKind;
use crate::refusal::{Code, Refusal};
use crate::wire::nearest::{cut, nearest_route};

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
///
/// ```
/// use tideover_model::OperationKind;
/// use tideover_model::wire::route::route;
///
/// let found = route("GET", "/v1/organizations/acme/invoices/INV-1").unwrap();
/// assert_eq!(found.kind, OperationKind::GetInvoice);
/// assert_eq!(found.encoded_identifiers(), ["acme", "INV-1"]);
/// ```
pub fn route<'a>(method: &str, path: &'a str) -> Result<Route<'a>, Refusal> {
    find(|pattern| pattern.method == method, path).ok_or_else(|| unknown(method, path))
}

/// The first endpoint under a path, whatever its method.
pub fn served_at(path: &str) -> Option<Route<'_>> {
    find(|_| true, path)
}

fn unknown(method: &str, path: &str) -> Refusal {
    let known = OperationKind::ALL.iter().map(|kind| (kind.method(), kind.path()));
    unknown_among(method, path, known)
}

/// Repeats what nothing is served under, and names what may have been meant among `known` methods and paths.
#[cold]
pub fn unknown_among<'a>(
    method: &str,
    path: &str,
    known: impl Iterator<Item = (&'a str, &'a str)>,
) -> Refusal {
    let meant = nearest_route(method, path, known);
    let meant = meant
        .map_or_else(String::new, |(method, path)| format!(" The nearest is {method} {path}."));
    let (method, path) = (cut(method), cut(path));
    Refusal::new(Code::UnknownEndpoint, clause!("7.codes.unknown_endpoint"))
        .because(format!("Nothing is served under {method} {path}.{meant}"))
}

fn find(is_meant: impl Fn(&Pattern) -> bool, path: &str) -> Option<Route<'_>> {
    let rest = path.strip_prefix(ROOT)?;
    let mut segments = [""; MOST_SEGMENTS];
    let mut count = 0;
    for segment in rest.split('/') {
        *segments.get_mut(count)? = segment;
        count += 1;
    }
    PATTERNS.iter().find_map(|pattern| {
        let matches = pattern.count == count && is_meant(pattern);
        let identifiers = matches.then(|| pattern.identifiers(&segments)).flatten()?;
        Some(Route { kind: pattern.kind, identifiers })
    })
}

/// What every path begins with.
const ROOT: &str = "/v1/";

/// The most segments of a path, after its root.
const MOST_SEGMENTS: usize = 4;

/// The endpoints as requests are compared with them, taken apart when compiling: a request must not wait for it.
static PATTERNS: [Pattern; OperationKind::ALL.len()] = {
    let mut patterns = [Pattern::of(OperationKind::ALL[0]); OperationKind::ALL.len()];
    let mut index = 1;
    while index < patterns.len() {
        patterns[index] = Pattern::of(OperationKind::ALL[index]);
        index += 1;
    }
    patterns
};

/// The method of an endpoint and the segments of its path, after its root.
#[derive(Clone, Copy)]
struct Pattern {
    kind: OperationKind,
    method: &'static str,
    segments: [Segment; MOST_SEGMENTS],
    count: usize,
}

#[derive(Clone, Copy)]
enum Segment {
    Word(&'static str),
    Parameter(&'static str),
}

impl Segment {
    const fn of(text: &'static str) -> Segment {
        match text.as_bytes() {
            [b'{', .., b'}'] => Segment::Parameter(text.split_at(text.len() - 1).0.split_at(1).1),
            _ => Segment::Word(text),
        }
    }
}

impl Pattern {
    const fn of(kind: OperationKind) -> Pattern {
        let (method, mut rest) = (kind.method(), kind.path().split_at(ROOT.len()).1);
        let mut segments = [Segment::Word(""); MOST_SEGMENTS];
        let (mut count, mut end) = (0, 0);
        while end < rest.len() {
            if rest.as_bytes()[end] == b'/' {
                segments[count] = Segment::of(rest.split_at(end).0);
                count += 1;
                rest = rest.split_at(end + 1).1;
                end = 0;
            } else {
                end += 1;
            }
        }
        segments[count] = Segment::of(rest);
        Pattern { kind, method, segments, count: count + 1 }
    }

    /// The parameters of a path with these segments, if it is such a path.
    fn identifiers<'a>(&self, segments: &[&'a str; MOST_SEGMENTS]) -> Option<[&'a str; 2]> {
        let mut found = [""; 2];
        let mut free = found.iter_mut();
        for (pattern, segment) in self.segments.iter().zip(segments) {
            match pattern {
                Segment::Word(word) if word != segment => return None,
                Segment::Word(_) => {}
                Segment::Parameter(_) => *free.next()? = segment,
            }
        }
        Some(found)
    }
}

impl OperationKind {
    /// The names of the path's parameters, in order.
    pub fn parameters(self) -> impl Iterator<Item = &'static str> {
        PATTERNS[self as usize].segments.iter().filter_map(|segment| match segment {
            Segment::Word(_) => None,
            Segment::Parameter(name) => Some(*name),
        })
    }

    /// The path with `segments`, which are encoded, in the places of its parameters.
    pub fn path_with(self, segments: &[impl AsRef<str>]) -> String {
        let Pattern { segments: pattern, count, .. } = &PATTERNS[self as usize];
        let mut free = segments.iter().map(AsRef::as_ref);
        let segments = pattern.iter().take(*count).map(|segment| match segment {
            Segment::Word(word) => word,
            Segment::Parameter(_) => free.next().unwrap_or_default(),
        });
        ROOT.to_owned() + &segments.collect::<Vec<&str>>().join("/")
    }

    /// The path with `identifiers` in the places of its parameters.
    ///
    /// ```
    /// use tideover_model::OperationKind;
    ///
    /// let path = OperationKind::GetInvoice.path_of(&["acme", "2026/1"]);
    /// assert_eq!(path, "/v1/organizations/acme/invoices/2026%2F1");
    /// ```
    pub fn path_of(self, identifiers: &[&str]) -> String {
        self.path_with(&identifiers.iter().map(|name| segment(name)).collect::<Vec<_>>())
    }
}

/// The characters that a segment of a path encodes: all but letters, digits and these four.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// An identifier, percent-encoded for a path.
pub fn segment(identifier: &str) -> Cow<'_, str> {
    utf8_percent_encode(identifier, ENCODED).into()
}

impl<'a> Route<'a> {
    /// The identifiers in the path as sent, still encoded; empty where the path has fewer.
    pub const fn encoded_identifiers(&self) -> [&'a str; 2] {
        self.identifiers
    }

    /// The identifiers in the path, decoded once; empty where the path has fewer.
    ///
    /// # Errors
    /// `invalid_request` for one that is empty or not UTF-8 (`gap.emptyIdentifier`).
    pub fn identifiers(&self) -> Result<[String; 2], Refusal> {
        let mut decoded = [String::new(), String::new()];
        for (index, name) in self.kind.parameters().enumerate() {
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
            let found = route(kind.method(), kind.path()).unwrap();
            assert_eq!(found.kind, kind);
            assert_eq!(served_at(kind.path()).unwrap().kind.path(), kind.path());
            for (name, encoded) in kind.parameters().zip(found.identifiers) {
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
