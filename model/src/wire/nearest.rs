//! What a caller may have meant: the nearest known name, method or path.

use strsim::osa_distance;

use crate::endpoint::OperationKind;

/// The most characters of a caller's text that a message repeats, or that are compared.
const SHOWN: usize = 80;

/// The beginning of a caller's text.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The known name that is most like `name`; `None` if none is. It differs in at most a third of the letters, or
/// begins with at least two thirds of them.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = cut(name).to_lowercase();
    let letters = name.chars().count();
    let is_like = |distance: usize, known: &str| {
        let shared = name.chars().zip(known.chars()).take_while(|(one, other)| one == other);
        distance <= letters / 3 || shared.count() >= (letters * 2).div_ceil(3).max(4)
    };
    let distances = known.map(|known| {
        let distance = osa_distance(&name, &known.to_lowercase());
        (distance, is_like(distance, &known.to_lowercase()), known)
    });
    let alike = distances.filter(|(_, is_like, _)| *is_like);
    alike.min_by_key(|(distance, ..)| *distance).map(|(.., known)| known)
}

/// The endpoint whose method and path are most like these; `None` if none is.
pub(crate) fn nearest_endpoint(method: &str, path: &str) -> Option<OperationKind> {
    let path = cut(path);
    let distances = OperationKind::ALL.map(|kind| (distance(&path, kind.path()), kind));
    let of_path = distances.iter().map(|(distance, _)| *distance).min()?;
    // Of several methods of one path, the caller's comes first.
    let same_path = distances.iter().filter(|(distance, _)| *distance == of_path);
    let (_, kind) = same_path.min_by_key(|(_, kind)| osa_distance(method, kind.method()))?;
    let words = kind.path().split('/').filter(|segment| !segment.starts_with('{'));
    (of_path <= words.map(str::len).sum::<usize>() / 3).then_some(*kind)
}

/// The number of letters in which a path differs from a pattern, whose parameters may be anything.
fn distance(path: &str, pattern: &str) -> usize {
    let mut given: Vec<&str> = path.trim_matches('/').split('/').collect();
    let wanted: Vec<&str> = pattern.trim_matches('/').split('/').collect();
    // Without the version, the rest is compared all the same.
    let lacks_version = given[0] != wanted[0] && given.len() < wanted.len();
    if lacks_version {
        given.insert(0, wanted[0]);
    }
    let of_segment = |index: usize| match (given.get(index), wanted.get(index)) {
        (Some(_), Some(wanted)) if wanted.starts_with('{') => 0,
        (Some(given), Some(wanted)) => osa_distance(given, wanted),
        (None, Some(wanted)) if wanted.starts_with('{') => 1,
        (Some(more), None) | (None, Some(more)) => more.chars().count(),
        (None, None) => 0,
    };
    let segments = 0..given.len().max(wanted.len());
    usize::from(lacks_version) + segments.map(of_segment).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_finds_what_was_meant() {
        for (method, path, meant) in [
            ("GET", "/v1/organisations/acme", Some("GET /v1/organizations/{externalId}")),
            ("POST", "/v1/advance", Some("POST /v1/advances")),
            ("GET", "/v1/advances", Some("POST /v1/advances")),
            ("PATCH", "/v1/invoices/INV-1", Some("PUT /v1/invoices/{externalId}")),
            ("PUT", "/v1/invoices", Some("PUT /v1/invoices/{externalId}")),
            ("GET", "/v1/webhooks/", Some("GET /v1/webhooks")),
            ("POST", "/advances", Some("POST /v1/advances")),
            ("GET", "/", None),
            ("GET", "/favicon.ico", None),
            ("GET", "/nowhere/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", None),
        ] {
            let found = nearest_endpoint(method, path).map(|kind| kind.to_string());
            assert_eq!(found.as_deref(), meant, "{method} {path}");
        }
        assert_eq!(nearest("taxid", ["legalName", "taxId"].into_iter()), Some("taxId"));
        assert_eq!(nearest("events", ["url", "eventTypes"].into_iter()), Some("eventTypes"));
        assert_eq!(nearest("eve", ["url", "eventTypes"].into_iter()), None);
        assert_eq!(nearest("colour", ["legalName", "taxId"].into_iter()), None);
    }
}
