//! Masks keys and signing secrets by their form, wherever they stand in a request or a response. A list of the issued
//! ones would miss a key that is issued later, or one of the real service.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use tideover_model::masked;

use crate::journal::entry::{Entry, Message, Payload};

/// The middle of an API key (§5 rule 2), as it is, in a URL and in JSON.
const KEY: [&str; 3] = ["_sk_", "%5Fsk%5F", r"\u005fsk\u005f"];
/// The beginning of a signing secret.
const SECRET: [&str; 3] = ["whsec_", "whsec%5F", r"whsec\u005f"];
/// How the keys of this service begin.
const OWN: &[u8] = b"rap";
/// The shortest rest of a key of another service. A shorter one may be a word by chance, such as `lang_sk_SK`.
const SHORTEST: usize = 16;

/// What finds secrets.
#[derive(Clone, Debug)]
pub(crate) struct Masks(AhoCorasick);

/// `text` with each key and each signing secret masked that has the form of one: what a journal shows of it.
pub fn masked_by_form(text: &[u8]) -> Cow<'_, [u8]> {
    BY_FORM.conceal(text)
}

/// Built once, because a test run may make many worlds in a second.
static BY_FORM: LazyLock<Masks> = LazyLock::new(|| Masks::finding(None));

impl Default for Masks {
    fn default() -> Masks {
        BY_FORM.clone()
    }
}

impl Masks {
    /// Also finds a key that was chosen, and so may have any form.
    pub(crate) fn with(chosen: Option<&str>) -> Masks {
        chosen.map_or_else(Masks::default, |chosen| Masks::finding(Some(chosen)))
    }

    fn finding(chosen: Option<&str>) -> Masks {
        let patterns = KEY.into_iter().chain(SECRET).chain(chosen);
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .build(patterns);
        Masks(automaton.expect("a few short texts"))
    }

    /// `text` with each secret masked.
    pub(crate) fn conceal<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let (mut shown, mut copied) = (Vec::new(), 0);
        for found in self.0.find_iter(text) {
            let word = match found.pattern().as_usize() {
                kind if kind < KEY.len() => key(text, found.range()),
                kind if kind < KEY.len() + SECRET.len() => secret(text, found.range()),
                _ => Some(found.range()),
            };
            let Some(word) = word.filter(|word| word.start >= copied) else { continue };
            shown.extend_from_slice(&text[copied..word.start]);
            let secret = String::from_utf8_lossy(&text[word.clone()]);
            shown.extend_from_slice(masked(&secret).as_bytes());
            copied = word.end;
        }
        if copied == 0 {
            return Cow::Borrowed(text);
        }
        shown.extend_from_slice(&text[copied..]);
        Cow::Owned(shown)
    }

    /// The same of a text; `None` if it has no secret.
    pub(crate) fn concealed(&self, text: &str) -> Option<String> {
        match self.conceal(text.as_bytes()) {
            Cow::Borrowed(_) => None,
            Cow::Owned(shown) => Some(String::from_utf8_lossy(&shown).into_owned()),
        }
    }

    /// An entry without secrets.
    pub(super) fn entry(&self, mut entry: Entry) -> Entry {
        let Entry { path, query, warnings, note, fault, request, response, .. } = &mut entry;
        let sent = [self.hide(path), self.hide_all(query), self.hide_in(request)];
        let masked = sent.contains(&true);
        self.hide_all(warnings);
        self.hide_all(note);
        self.hide_all(fault);
        if let Some(response) = response {
            self.hide_in(response);
        }
        Entry { masked, ..entry }
    }

    fn hide_in(&self, message: &mut Message) -> bool {
        let headers = self.hide_all(message.headers.values_mut());
        let body = message.body.as_mut().is_some_and(|body| self.hide_body(body));
        headers || body
    }

    fn hide_body(&self, body: &mut Payload) -> bool {
        let Cow::Owned(shown) = self.conceal(&body.bytes) else { return false };
        let missing = body.length - body.bytes.len() as u64;
        *body = Payload { length: shown.len() as u64 + missing, bytes: shown.into() };
        true
    }

    /// Masks the secrets in some texts. Returns whether there are any.
    fn hide_all<'a>(&self, texts: impl IntoIterator<Item = &'a mut String>) -> bool {
        let mut any = false;
        for text in texts {
            any |= self.hide(text);
        }
        any
    }

    fn hide(&self, text: &mut String) -> bool {
        let shown = self.concealed(text);
        let is_masked = shown.is_some();
        if let Some(shown) = shown {
            *text = shown;
        }
        is_masked
    }
}

/// The key around its middle, if it is one.
fn key(text: &[u8], middle: Range<usize>) -> Option<Range<usize>> {
    let before = &text[..middle.start];
    let start =
        before.iter().rposition(|sign| !sign.is_ascii_alphanumeric()).map_or(0, |it| it + 1);
    let end = word_end(text, middle.end, b"_-");
    let is_own = before[start..].eq_ignore_ascii_case(OWN);
    let shortest = if is_own { 1 } else { SHORTEST };
    (start < middle.start && end - middle.end >= shortest).then_some(start..end)
}

/// The secret after its beginning, which may be in base64.
fn secret(text: &[u8], beginning: Range<usize>) -> Option<Range<usize>> {
    let end = word_end(text, beginning.end, b"_-+/=");
    (end > beginning.end).then_some(beginning.start..end)
}

/// Where a word ends: letters, digits, these signs, and signs that are written as `%2B` or `\u002b`.
fn word_end(text: &[u8], mut at: usize, signs: &[u8]) -> usize {
    loop {
        at += match &text[at..] {
            [sign, ..] if sign.is_ascii_alphanumeric() || signs.contains(sign) => 1,
            [b'%', a, b, ..] if is_hex(&[*a, *b]) => 3,
            [b'\\', b'u', a, b, c, d, ..] if is_hex(&[*a, *b, *c, *d]) => 6,
            _ => return at,
        }
    }
}

fn is_hex(digits: &[u8]) -> bool {
    digits.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_masked_wherever_it_stands() {
        let masks = Masks::with(Some("my own key"));
        for (text, shown) in [
            ("rap_sk_local", "rap_sk_…ocal"),
            ("key=rap_sk_w7_0123abcd&x=1", "key=rap_sk_…abcd&x=1"),
            (
                r#"{"a":"rap_sk_0123abcd","b":"whsec_9f8e7d6c"}"#,
                r#"{"a":"rap_sk_…abcd","b":"whsec_…7d6c"}"#,
            ),
            ("whsec_ab/cd+ef01==", "whsec_…01=="),
            ("?k=rap%5Fsk%5F0123abcd", "?k=…abcd"),
            (r#""rap\u005fsk\u005f0123abcd""#, r#""…abcd""#),
            ("live_sk_0123456789abcdef", "live_sk_…cdef"),
            ("two: rap_sk_aaaaaa,rap_sk_bbbbbb", "two: rap_sk_…aaaa,rap_sk_…bbbb"),
            ("Basic my own key", "Basic … key"),
            ("cut off: rap_sk_0123", "cut off: rap_sk_…0123"),
        ] {
            let found = masks.conceal(text.as_bytes());
            assert_eq!(String::from_utf8_lossy(&found), shown);
            assert_eq!(masks.conceal(&found), found, "masked twice");
        }
        for text in ["lang_sk_SK", "rap_sk_", "_sk_0123456789abcdef", "whsec_", "whsec", "risk", ""]
        {
            assert_eq!(masks.concealed(text), None, "{text}");
        }
        let shown = [b"\xff ".as_slice(), "rap_sk_…abcd".as_bytes(), b" \xfe"].concat();
        assert_eq!(*masks.conceal(b"\xff rap_sk_0123abcd \xfe"), shown, "bytes that are no text");
    }
}
