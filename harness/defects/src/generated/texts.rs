//! Ways in which a text can be read otherwise than it was sent.

use tideover_model::wire::route::segment;

#[derive(Clone, Copy, Debug)]
pub(super) enum TextEdit {
    LowerCase,
    Trimmed,
    Letters,
    First(usize),
    Last(usize),
    Unicode,
    /// As it is written in a path, percent-encoded.
    Encoded,
    /// So many of its last digits are read as zeros.
    LastDigits(usize),
    /// So many of its first digits are.
    FirstDigits(usize),
}

/// The lengths of columns and prefixes at which identifiers are cut.
const LENGTHS: [usize; 12] = [4, 8, 12, 16, 20, 24, 32, 36, 40, 50, 64, 80];

/// The readings of any identifier of the caller's.
pub(super) fn text_edits() -> Vec<TextEdit> {
    let plain = [TextEdit::LowerCase, TextEdit::Trimmed, TextEdit::Letters, TextEdit::Unicode];
    plain.into_iter().chain(cuts()).collect()
}

pub(super) fn cuts() -> impl Iterator<Item = TextEdit> {
    LENGTHS.into_iter().flat_map(|length| [TextEdit::First(length), TextEdit::Last(length)])
}

impl TextEdit {
    /// The text as it is read; as it was sent, where nothing would be left of it.
    pub(super) fn of(self, text: &str) -> String {
        let count = text.chars().count();
        let digits = text.chars().filter(char::is_ascii_digit).count();
        let kept: String = match self {
            TextEdit::LowerCase => text.to_lowercase(),
            TextEdit::Trimmed => text.trim().to_owned(),
            TextEdit::Letters => text.chars().filter(|sign| sign.is_alphanumeric()).collect(),
            TextEdit::First(most) => text.chars().take(most).collect(),
            TextEdit::Last(most) => text.chars().skip(count.saturating_sub(most)).collect(),
            TextEdit::Unicode => {
                text.chars().map(|it| if it.is_ascii() { it } else { '?' }).collect()
            }
            TextEdit::Encoded => segment(text).into_owned(),
            TextEdit::FirstDigits(most) => zeroed(text, 0..most),
            TextEdit::LastDigits(most) => zeroed(text, digits.saturating_sub(most)..digits),
        };
        if kept.is_empty() { text.to_owned() } else { kept }
    }

    pub(super) fn words(self) -> String {
        match self {
            TextEdit::LowerCase => "in lower case".to_owned(),
            TextEdit::Trimmed => "without spaces around it".to_owned(),
            TextEdit::Letters => "without punctuation".to_owned(),
            TextEdit::First(most) => format!("up to {most} characters"),
            TextEdit::Last(most) => format!("by its last {most} characters"),
            TextEdit::Unicode => "in ASCII".to_owned(),
            TextEdit::Encoded => "as it is encoded".to_owned(),
            TextEdit::FirstDigits(most) => format!("without its first {most} digits"),
            TextEdit::LastDigits(most) => format!("without its last {most} digits"),
        }
    }
}

/// The text with zeros for the digits whose places among the digits are in `places`.
fn zeroed(text: &str, places: std::ops::Range<usize>) -> String {
    let mut place = 0;
    let digit = |sign: char| {
        if !sign.is_ascii_digit() {
            return sign;
        }
        place += 1;
        if places.contains(&(place - 1)) { '0' } else { sign }
    };
    text.chars().map(digit).collect()
}
