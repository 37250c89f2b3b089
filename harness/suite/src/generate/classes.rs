//! The classes of values of a field: in each, one value is as good as any other, so a seed draws it.
//!
//! They follow from the field's domain in the model's table. What the document leaves open is sent too, and nothing is
//! read back: `1.0` for a whole number, an empty or a very long text, null for an optional field. That the service
//! responds at all is then what is asked.

use serde_json::{Value, json};
use tideover_model::is_routing_number;
use tideover_model::wire::schema::{Domain, Field, Role};
use tideover_model::words::EventType;

use crate::generate::destinations;
use crate::generate::draw::Draw;

/// A value of one class.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    /// `None` if the field is absent.
    pub(super) value: Option<Value>,
    /// Whether the service must accept it.
    pub(super) is_valid: bool,
    /// Whether the document does not say if it must.
    pub(super) is_open: bool,
}

fn valid(value: impl Into<Value>) -> Sample {
    Sample { value: Some(value.into()), is_valid: true, is_open: false }
}

/// A value that the document forbids.
fn invalid(value: impl Into<Value>) -> Sample {
    Sample { value: Some(value.into()), is_valid: false, is_open: false }
}

/// A value that the document neither forbids nor permits.
fn open(value: impl Into<Value>) -> Sample {
    Sample { value: Some(value.into()), is_valid: false, is_open: true }
}

fn absent(is_valid: bool) -> Sample {
    Sample { value: None, is_valid, is_open: false }
}

/// A value of each class of the field.
pub(super) fn of(field: &Field, draw: &mut Draw) -> Vec<Sample> {
    let mut samples = Vec::new();
    let is_open = matches!(field.domain(), Domain::Open);
    if field.is_required {
        samples.push(absent(false));
        samples.push(invalid(Value::Null));
    } else {
        samples.push(open(Value::Null));
        samples.extend((!is_open).then(|| absent(true)));
    }
    if matches!(field.role, Role::EventTypes) {
        samples.extend(event_types(draw));
    }
    samples.extend(of_other_types(field.domain(), draw));
    samples.extend(of_domain(field.domain(), draw));
    // A blank identifier would be the same in every case, and one that is very long is read in a path.
    let identifies = matches!(field.role, Role::Business | Role::Invoice | Role::Import);
    if matches!(field.domain(), Domain::Text { .. }) && !identifies {
        samples.push(open(*draw.pick(&[" ", "\t", "\u{a0}", "\u{3000}", " \n "])));
        // No greatest length is stated.
        samples.push(open(text_of(*draw.pick(&[256, 500, 501, 4_000, 100_000]), draw)));
    }
    samples
}

/// A text of a class that the service must refuse. The field is one of text.
pub(super) fn bad_text(domain: Domain, draw: &mut Draw) -> String {
    text_where(domain, |sample| !sample.is_valid && !sample.is_open, draw)
}

/// A text of a class that the service must accept. The field is one of text.
pub(super) fn good_text(domain: Domain, draw: &mut Draw) -> String {
    text_where(domain, |sample| sample.is_valid, draw)
}

fn text_where(domain: Domain, is_meant: fn(&Sample) -> bool, draw: &mut Draw) -> String {
    let samples = of_domain(domain, draw).into_iter().filter(is_meant);
    let texts: Vec<String> =
        samples.filter_map(|it| it.value?.as_str().map(str::to_owned)).collect();
    if texts.is_empty() { String::new() } else { draw.pick(&texts).clone() }
}

/// Lists of event types. Of which form they are, and which other names a service takes, is open.
fn event_types(draw: &mut Draw) -> Vec<Sample> {
    let known = draw.pick(&EventType::ALL).name();
    let cut = &known[..1 + draw.below(known.len() - 1)];
    let mut samples = vec![
        valid(json!([known])),
        valid(json!(EventType::ALL.map(EventType::name))),
        open(json!([])),
        open(json!([known, known])),
    ];
    let others = [json!(null), json!(7), json!(true), json!({ "name": known }), json!([known])];
    let near = ["partner.unknown", &known.to_uppercase(), cut, &format!("{known} "), ""];
    let items = near.map(Value::from).into_iter().chain(others.clone());
    samples.extend(items.map(|item| match draw.percent(50) {
        true => open(json!([item])),
        false => open(json!([known, item])),
    }));
    let lists = [json!(known), json!(7), json!(true), json!({ "0": known })];
    samples.extend(lists.into_iter().map(open));
    samples
}

/// A value of each JSON type that the domain does not have.
fn of_other_types(domain: Domain, draw: &mut Draw) -> Vec<Sample> {
    let number = i64::try_from(draw.below(1000)).unwrap_or(0) + 1;
    // What is wrong is the type alone: a service that makes the right one of it has a valid value.
    let own = valid_one(domain, draw).unwrap_or_else(|| json!(number));
    let digits = own.as_str().and_then(|text| text.parse::<u64>().ok());
    let (is_text, is_number, is_object) = match domain {
        Domain::Object(_) => (false, false, true),
        Domain::Integer { .. } => (false, true, false),
        Domain::Open => return Vec::new(),
        _ => (true, false, false),
    };
    let types = [
        (!is_number, json!(digits.unwrap_or(number.unsigned_abs()))),
        (!is_text, json!(own.as_i64().unwrap_or(number).to_string())),
        (!is_object, json!({ "value": own })),
        (true, json!([own])),
        (true, json!(draw.percent(50))),
    ];
    types.into_iter().filter(|(is_other, _)| *is_other).map(|(_, value)| invalid(value)).collect()
}

/// A valid value of the domain. If it is a number as text, it has no leading zero, which a number would lose.
fn valid_one(domain: Domain, draw: &mut Draw) -> Option<Value> {
    let keeps_its_digits = |value: &Value| value.as_str().is_none_or(|it| !it.starts_with('0'));
    let samples = of_domain(domain, draw).into_iter().filter(|sample| sample.is_valid);
    let valid: Vec<Value> = samples.filter_map(|sample| sample.value).collect();
    let whole = |it: &&Value| it.as_str().is_some_and(|text| text.parse::<u64>().is_ok());
    let kept = valid.iter().filter(|it| keeps_its_digits(it));
    let best = kept.clone().find(whole).or_else(|| kept.clone().next());
    best.or(valid.first()).cloned()
}

pub(super) fn of_domain(domain: Domain, draw: &mut Draw) -> Vec<Sample> {
    match domain {
        Domain::Object(_) | Domain::Flag | Domain::Open => Vec::new(),
        Domain::Text { least } => texts(least, draw),
        Domain::TaxId => tax_ids(draw),
        Domain::Digits { least, most } => digits(least, most, draw),
        Domain::RoutingNumber => routing_numbers(draw),
        Domain::Integer { least, most } => integers(least, most, draw),
        Domain::Instant => instants(draw),
        Domain::Word(words) => members(words, draw),
        Domain::Email => emails(draw),
        Domain::Url => urls(draw),
    }
}

fn texts(least: usize, draw: &mut Draw) -> Vec<Sample> {
    let mut samples = Vec::new();
    samples.push(match least {
        // Where no least length is stated, it is open.
        0 => open(""),
        _ => invalid(text_of(least - 1, draw)),
    });
    samples.extend([
        valid(text_of(least.max(1), draw)),
        valid(text_of(64 + draw.below(32), draw)),
        valid(format!("{} {}", text_of(3, draw), text_of(3, draw))),
        valid(format!("{} & {}, {}.", text_of(9, draw), text_of(7, draw), text_of(3, draw))),
        valid(*draw.pick(&[
            "Ærø & Søn",
            "株式会社",
            "Zoe\u{308}",
            "O'Brien \"Bob\"",
            "a\\b<c>{d}",
        ])),
        valid(*draw.pick(&["null", "0", "007", "true", "[]", "None"])),
    ]);
    samples
}

/// Spellings of nine digits, and what is nearly that. The document states that punctuation is optional and not which is
/// meant, so that only the usual one must be understood.
fn tax_ids(draw: &mut Draw) -> Vec<Sample> {
    let first = 180_000_000 + draw.below(100);
    let mut numbers = (0..).map(|index| (first + 100 * index).to_string());
    let mut number = move || numbers.next().unwrap_or_default();
    let split =
        |number: String, at: usize, by: &str| format!("{}{by}{}", &number[..at], &number[at..]);
    let mut samples = vec![valid(number()), valid(split(number(), 2, "-")), invalid("")];
    for by in [".", "/", " ", "–"] {
        samples.push(open(split(number(), 2, by)));
    }
    samples.extend([
        // The place of a separator is not shown, nor what stands around the number.
        open(split(number(), *draw.pick(&[1, 3, 4, 5, 6, 7, 8]), "-")),
        open(split(split(number(), 5, "-"), 3, "-")),
        open(split(number(), 1 + draw.below(8), "--")),
        open(format!("-{}-", number())),
        open(format!(" {}\t", number())),
        open(format!("\u{a0}{}", number())),
        open(number().chars().map(destinations::full_width).collect::<String>()),
        invalid(number()[..8].to_owned()),
        invalid(split(number()[..8].to_owned(), 2, "-")),
        invalid(format!("{}{}", number(), draw.below(10))),
        invalid(number()[..1 + draw.below(6)].to_owned()),
        invalid(*draw.pick(&["not yet known", "none", "n/a", "--"])),
    ]);
    // Each place in turn: three in each run.
    let place = draw.below(3);
    samples.extend((0..3).map(|turn| {
        invalid(with(&number(), place + 3 * turn, *draw.pick(&['A', 'O', 'l', 'x', 'é'])))
    }));
    samples
}

fn text_of(length: usize, draw: &mut Draw) -> String {
    const LETTERS: &[u8] = b"abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ";
    (0..length).map(|_| char::from(*draw.pick(LETTERS))).collect()
}

/// Six small letters.
pub(super) fn stem(draw: &mut Draw) -> String {
    (0..6).map(|_| *draw.pick(&['b', 'd', 'g', 'k', 'm', 't'])).collect()
}

/// Two texts that differ in one sign, at any place of a text of 2 to 72 characters. A sign alone may be `.`, which no
/// path can have as a segment.
pub(super) fn differing(draw: &mut Draw, signs: (char, char)) -> (String, String) {
    let long = stem(draw).repeat(12);
    let place = draw.below(long.len());
    let length = (place + 1 + draw.below(long.len() - place)).max(2);
    let with = |sign: char| format!("{}{sign}{}", &long[..place], &long[place + 1..length]);
    (with(signs.0), with(signs.1))
}

fn number_of(length: usize, draw: &mut Draw) -> String {
    (0..length).map(|_| char::from(*draw.pick(b"0123456789"))).collect()
}

/// The text with the character at a place replaced.
fn with(text: &str, place: usize, character: char) -> String {
    text.chars().enumerate().map(|(at, old)| if at == place { character } else { old }).collect()
}

/// The text in two parts.
fn parted(text: &str, draw: &mut Draw) -> String {
    let (start, end) = text.split_at(1 + draw.below(text.len() - 1));
    format!("{start}{}{end}", draw.pick(&["-", " "]))
}

fn digits(least: usize, most: usize, draw: &mut Draw) -> Vec<Sample> {
    let number = number_of(least + draw.below(most - least) + 1, draw);
    let last = number.len() - 1;
    let other = *draw.pick(&['a', 'X', '-', ' ', '.', '+']);
    vec![
        invalid(""),
        invalid(number_of(least - 1, draw)),
        invalid(number_of(most + 1, draw)),
        invalid(with(&number, 0, other)),
        invalid(with(&number, draw.below(last) + 1, other)),
        // As people write long numbers: of the right length with what stands between the digits, and without.
        invalid(parted(&number_of(most - 1, draw), draw)),
        valid(number_of(least, draw)),
        valid(number_of(most, draw)),
        valid("0".repeat(least)),
        valid(number),
    ]
}

/// A routing number whose check digit is right.
pub(super) fn routing_number(draw: &mut Draw) -> String {
    completed(number_of(8, draw))
}

/// Eight digits with their check digit.
fn completed(start: String) -> String {
    let whole = (0..10).map(|digit| format!("{start}{digit}"));
    whole.into_iter().find(|number| is_routing_number(number)).unwrap_or(start)
}

/// Each mistake that a check digit is there for: a digit that changes, two neighbours that change places, all that move
/// along, one that is missing or more.
fn routing_numbers(draw: &mut Draw) -> Vec<Sample> {
    let number = routing_number(draw);
    let wrong = |place: usize, step: u32| {
        let digit = number.chars().nth(place).and_then(|it| it.to_digit(10)).unwrap_or(0);
        invalid(with(&number, place, char::from_digit((digit + step) % 10, 10).unwrap_or('0')))
    };
    // A mistake at each place, and each check digit that is none: the sum can be wrong in nine ways.
    let last = number.len() - 1;
    let mut samples: Vec<Sample> = (0..last)
        .map(|place| wrong(place, 1 + u32::try_from(draw.below(9)).unwrap_or(0)))
        .collect();
    samples.extend((1..10).map(|step| wrong(last, step)));
    // Every second place in one run, the others in another.
    let first = draw.below(2);
    samples.extend((0..4).map(|turn| {
        let place = first + 2 * turn;
        invalid(moved(draw, |digits| digits.swap(place, place + 1)))
    }));
    // The weights repeat after three digits: no sum shows that.
    let by = *draw.pick(&[1, 2, 4, 5, 7, 8]);
    samples.push(invalid(moved(draw, |digits| digits.rotate_left(by))));
    samples.extend([
        // Most numbers begin with a zero, which a service that keeps numbers loses and fills up.
        invalid(completed(format!("0{}", number_of(7, draw)))[1..].to_owned()),
        invalid(number[..8].to_owned()),
        invalid(format!("0{number}")),
        invalid(format!("{number}0")),
        invalid(with(&number, draw.below(9), 'A')),
        invalid(number.chars().map(destinations::full_width).collect::<String>()),
        invalid(format!("{}-{}", &number[..4], &number[4..])),
        invalid(*draw.pick(&["", "abcdefghi"])),
    ]);
    samples.extend((0..3).map(|_| valid(routing_number(draw))));
    samples
}

/// A routing number whose digits have moved so that the check digit shows it.
fn moved(draw: &mut Draw, moves: impl Fn(&mut [char])) -> String {
    loop {
        let mut digits: Vec<char> = routing_number(draw).chars().collect();
        moves(&mut digits);
        let moved: String = digits.into_iter().collect();
        if !is_routing_number(&moved) {
            return moved;
        }
    }
}

fn integers(least: i64, most: i64, draw: &mut Draw) -> Vec<Sample> {
    let middle = least + i64::try_from(draw.below(1_000_000)).unwrap_or(0);
    // Numbers that wrap around into the range where a service keeps 32 or 64 bits.
    let wrapped_32 = (1_u64 << 32) + middle.unsigned_abs();
    vec![
        invalid(least - 1),
        invalid(-middle),
        invalid(most + 1),
        invalid(wrapped_32),
        invalid(json!(18_446_744_073_709_551_615_u64)),
        invalid(json!(1e30)),
        invalid(json!(0.5)),
        invalid(serde_json::from_str(&format!("{middle}.5")).unwrap_or_else(|_| json!(1.5))),
        valid(least),
        valid(least + 1),
        valid(most - 1),
        valid(most),
        valid(middle),
        // A whole number all the same.
        open(json!(1.0)),
    ]
}

fn instants(draw: &mut Draw) -> Vec<Sample> {
    let day = format!("2027-0{}-{}", draw.below(9) + 1, draw.below(18) + 10);
    let time = format!("{}:{}:{}", draw.below(13) + 10, draw.below(49) + 10, draw.below(49) + 10);
    vec![
        invalid(""),
        invalid(&*day),
        invalid(format!("{day} at {time}")),
        invalid(format!("{}T{time}Z", draw.pick(&["2027-13-01", "2027-00-10", "2027-10-00"]))),
        invalid(format!("{}T{time}Z", draw.pick(&["2027-02-29", "2027-02-30", "2027-04-31"]))),
        invalid(format!("{day}T{}Z", draw.pick(&["25:00:00", "12:60:00"]))),
        invalid(*draw.pick(&["tomorrow", "01/02/2027", "later"])),
        valid(format!("{day}T{time}Z")),
        valid(format!("{day}T{time}+0{}:30", draw.below(9) + 1)),
        valid(format!("{day}T{time}-0{}:00", draw.below(9) + 1)),
        valid(format!("{day}T{time}.{}Z", draw.below(900) + 100)),
        valid(format!("2028-02-29T{time}Z")),
    ]
}

/// Every member, and what looks like one: of each member one mistake, and each mistake of some member.
fn members(words: &'static [&'static str], draw: &mut Draw) -> Vec<Sample> {
    const MISTAKES: [fn(&str) -> String; 10] = [
        str::to_lowercase,
        |word| format!("{}{}", &word[..1], word[1..].to_lowercase()),
        |word| format!("{word} "),
        |word| format!(" {word}"),
        |word| word[..word.len() - 1].to_owned(),
        |word| word[1..].to_owned(),
        |word| format!("{word}S"),
        |word| format!("{word}\n"),
        |word| word.replace(['I', '_'], "-"),
        |word| format!("\"{word}\""),
    ];
    let first = draw.below(words.len());
    let mut samples: Vec<Sample> = MISTAKES
        .iter()
        .zip(words.iter().cycle().skip(first))
        .map(|(mistake, word)| (mistake(word), word))
        // Not every word has each of them.
        .map(|(near, word)| invalid(if near == **word { format!("{word}_") } else { near }))
        .collect();
    samples.extend([
        invalid(""),
        invalid(words.join(",")),
        invalid(*draw.pick(&["DRAFT", "OPEN", "CANCELLED", "UNKNOWN", "OVERDUE"])),
    ]);
    samples.extend(words.iter().map(|word| valid(*word)));
    samples
}

fn emails(draw: &mut Draw) -> Vec<Sample> {
    let name = text_of(5, draw).to_lowercase();
    vec![
        invalid(""),
        invalid(&*name),
        invalid(format!("{name}.{name}.example")),
        invalid(format!("{name}@")),
        invalid(format!("@{name}.example")),
        invalid(format!("{name}@@{name}.example")),
        invalid(format!("{name} x@{name}.example")),
        invalid(format!("{name} <{name}@{name}.example>")),
        invalid(format!("{name}@{name} .example")),
        valid(format!("{name}@{name}.example")),
        valid(format!("{name}.{name}+{name}@mail.{name}.example")),
        valid(format!("{name}_{}@{name}-{name}.example", draw.below(100))),
    ]
}

fn urls(draw: &mut Draw) -> Vec<Sample> {
    let host = text_of(8, draw).to_lowercase();
    let mut samples = vec![
        invalid(""),
        invalid(&*host),
        invalid(format!("http://{host}.example.com/")),
        invalid(format!("{}://{host}.example.com/", draw.pick(&["ftp", "ws", "file", "mailto"]))),
        invalid(format!("//{host}.example.com/")),
        invalid("https://"),
        valid(format!("https://{host}.example.com/")),
        valid(format!("https://{host}.example.com:8443/hooks?from=tideover&n={}", draw.below(9))),
    ];
    samples.extend(destinations::refused(draw).into_iter().map(invalid));
    samples
}

#[cfg(test)]
mod tests {
    use tideover_model::{OperationKind, is_tax_id};

    use super::*;

    /// Every part of a run has the same rows, whatever the seed draws.
    #[test]
    fn the_number_of_classes_is_the_same_for_every_seed() {
        let counts = |seed: u64| -> Vec<usize> {
            let fields = OperationKind::ALL.into_iter().flat_map(|kind| kind.fields());
            fields.map(|field| of(field, &mut Draw::new([seed, 0, 0])).len()).collect()
        };
        assert!((1..50).all(|seed| counts(seed) == counts(0)));
    }

    #[test]
    fn a_drawn_tax_id_is_what_its_class_says() {
        for sample in (0..200).flat_map(|seed| tax_ids(&mut Draw::new([seed, 0, 0]))) {
            let text = sample.value.unwrap();
            let is_one = is_tax_id(text.as_str().unwrap());
            assert!(sample.is_open || is_one == sample.is_valid, "{text}");
        }
    }

    #[test]
    fn a_drawn_routing_number_is_what_its_class_says() {
        for seed in 0..200 {
            for sample in routing_numbers(&mut Draw::new([seed, 0, 0])) {
                let number = sample.value.unwrap();
                assert_eq!(
                    is_routing_number(number.as_str().unwrap()),
                    sample.is_valid,
                    "{number}"
                );
            }
        }
    }
}
