//! Values cut to the length of a line.

use std::borrow::Cow;

/// A text of at most `most` characters, cut in the middle, where a value says least.
pub(super) fn middle(text: &str, most: usize) -> Cow<'_, str> {
    let length = text.chars().count();
    if length <= most {
        return text.into();
    }
    let kept = most.saturating_sub(1);
    let (head, tail) = (kept - kept / 3, kept / 3);
    let start = text.char_indices().nth(head).map_or(0, |(index, _)| index);
    let end = text.char_indices().nth(length - tail).map_or(text.len(), |(index, _)| index);
    format!("{}…{}", &text[..start], &text[end..]).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_keeps_both_ends() {
        assert_eq!(middle("short", 5), "short");
        assert_eq!(middle("a value that is long", 10), "a valu…ong");
        assert_eq!(middle("ääääääääää", 4).chars().count(), 4);
        assert_eq!(middle("abc", 0), "…");
    }
}
