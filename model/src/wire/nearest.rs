//! What a caller may have meant: the nearest known name, method or path.

use strsim::osa_distance;

/// The most characters of a caller's text that a message repeats, or that are compared.
const SHOWN: usize = 80;

/// The beginning of a caller's text.
pub fn cut(text: &str) -> String {
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

/// The method and path among `known` that are most like these; `None` if none are.
pub(crate) fn nearest_route<'a>(
    method: &str,
    path: &str,
    known: impl Iterator<Item = (&'a str, &'a str)>,
) -> Option<(&'a str, &'a str)> {
    let path = cut(path);
    let distances: Vec<_> = known.map(|known| (distance(&path, known.1), known)).collect();
    let of_path = distances.iter().map(|(distance, _)| *distance).min()?;
    // Of several methods of one path, the caller's comes first.
    let same_path = distances.iter().filter(|(distance, _)| *distance == of_path);
    let (_, known) = same_path.min_by_key(|(_, known)| osa_distance(method, known.0))?;
    let words = known.1.split('/').filter(|segment| !segment.starts_with('{'));
    (of_path <= words.map(str::len).sum::<usize>() / 3).then_some(*known)
}

/// The number of letters in which a path differs from a pattern, whose parameters may be anything. A segment in front
/// that is missing, or too much, counts as one.
fn distance(path: &str, pattern: &str) -> usize {
    let given: Vec<&str> = path.trim_matches('/').split('/').collect();
    let wanted: Vec<&str> = pattern.trim_matches('/').split('/').collect();
    let of = |dropped: usize| dropped + distance_of_segments(&given[dropped..], &wanted);
    // Something may stand in front of the path where it is served.
    (0..given.len()).map(of).min().unwrap_or(usize::MAX)
}

fn distance_of_segments(given: &[&str], wanted: &[&str]) -> usize {
    // Without the version, the rest is compared all the same.
    let lacks_version = given[0] != wanted[0] && given.len() < wanted.len();
    let wanted = if lacks_version { &wanted[1..] } else { wanted };
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
    use crate::endpoint::OperationKind;

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
            ("GET", "/api/v1/webhooks", Some("GET /v1/webhooks")),
            ("POST", "//v1/quotes", Some("POST /v1/quotes")),
            ("PUT", "/api/invoice/INV-1", Some("PUT /v1/invoices/{externalId}")),
            ("GET", "/", None),
            ("GET", "/favicon.ico", None),
            ("GET", "/nowhere/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", None),
        ] {
            let known = OperationKind::ALL.iter().map(|kind| (kind.method(), kind.path()));
            let found = nearest_route(method, path, known);
            let found = found.map(|(method, path)| format!("{method} {path}"));
            assert_eq!(found.as_deref(), meant, "{method} {path}");
        }
        assert_eq!(nearest("taxid", ["legalName", "taxId"].into_iter()), Some("taxId"));
        assert_eq!(nearest("events", ["url", "eventTypes"].into_iter()), Some("eventTypes"));
        assert_eq!(nearest("eve", ["url", "eventTypes"].into_iter()), None);
        assert_eq!(nearest("colour", ["legalName", "taxId"].into_iter()), None);
    }
}
