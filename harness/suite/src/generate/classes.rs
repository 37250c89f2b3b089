//! The classes of values of a field: in each, one value is as good as any other, so a seed draws it.
//!
//! They follow from the field's domain in the model's table. What the document leaves open is sent too, and nothing is
//! read back: `1.0` for a whole number, an empty text. Null for an optional field and the greatest length of a text have
//! no class.

use serde_json::{Value, json};
use tideover_model::is_routing_number;
use tideover_model::wire::schema::{Domain, Field, Role};
use tideover_model::words::EventType;

use crate::generate::draw::Draw;

/// A value of one class.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    /// `None` if the field is absent.
    pub(super) value: Option<Value>,
    /// Whether the service must accept it.
    pub(super) is_valid: bool,
}

fn valid(value: impl Into<Value>) -> Sample {
    Sample { value: Some(value.into()), is_valid: true }
}

/// A value that the service need not accept: the document forbids it, or leaves it open.
fn invalid(value: impl Into<Value>) -> Sample {
    Sample { value: Some(value.into()), is_valid: false }
}

/// A value of each class of the field.
pub(super) fn of(field: &Field, draw: &mut Draw) -> Vec<Sample> {
    let mut samples = Vec::new();
    let is_open = matches!(field.domain(), Domain::Open);
    if field.is_required {
        samples.push(Sample { value: None, is_valid: false });
        samples.push(invalid(Value::Null));
    } else if !is_open {
        samples.push(Sample { value: None, is_valid: true });
    }
    if matches!(field.role, Role::EventTypes) {
        samples.extend(event_types(draw));
    }
    samples.extend(of_other_types(field.domain(), draw));
    samples.extend(of_domain(field.domain(), draw));
    samples
}

/// Lists of event types. Of which form they are, and which other names a service takes, is open.
fn event_types(draw: &mut Draw) -> Vec<Sample> {
    let known = draw.pick(&EventType::ALL).name();
    vec![
        valid(json!([known])),
        valid(json!(EventType::ALL.map(EventType::name))),
        invalid(json!([])),
        invalid(json!(["partner.unknown"])),
        invalid(json!([known.to_uppercase()])),
        invalid(json!(known)),
    ]
}

/// A value of each JSON type that the domain does not have.
fn of_other_types(domain: Domain, draw: &mut Draw) -> Vec<Sample> {
    let number = i64::try_from(draw.below(1000)).unwrap_or(0) + 1;
    let (is_text, is_number, is_object) = match domain {
        Domain::Object(_) => (false, false, true),
        Domain::Integer { .. } => (false, true, false),
        Domain::Open => return Vec::new(),
        _ => (true, false, false),
    };
    let types = [
        (!is_number, json!(number)),
        (!is_text, json!(number.to_string())),
        (!is_object, json!({ "value": number })),
        (true, json!([number])),
        (true, json!(draw.percent(50))),
    ];
    types.into_iter().filter(|(is_other, _)| *is_other).map(|(_, value)| invalid(value)).collect()
}

fn of_domain(domain: Domain, draw: &mut Draw) -> Vec<Sample> {
    match domain {
        Domain::Object(_) | Domain::Flag | Domain::Open => Vec::new(),
        Domain::Text { least } => texts(least, draw),
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
        0 => invalid(""),
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

fn text_of(length: usize, draw: &mut Draw) -> String {
    const LETTERS: &[u8] = b"abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ";
    (0..length).map(|_| char::from(*draw.pick(LETTERS))).collect()
}

fn number_of(length: usize, draw: &mut Draw) -> String {
    (0..length).map(|_| char::from(*draw.pick(b"0123456789"))).collect()
}

/// The text with the character at a place replaced.
fn with(text: &str, place: usize, character: char) -> String {
    text.chars().enumerate().map(|(at, old)| if at == place { character } else { old }).collect()
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
        valid(number_of(least, draw)),
        valid(number_of(most, draw)),
        valid("0".repeat(least)),
        valid(number),
    ]
}

/// A routing number whose check digit is right.
fn routing_number(draw: &mut Draw) -> String {
    completed(number_of(8, draw))
}

/// Eight digits with their check digit.
fn completed(start: String) -> String {
    let whole = (0..10).map(|digit| format!("{start}{digit}"));
    whole.into_iter().find(|number| is_routing_number(number)).unwrap_or(start)
}

/// Each mistake that a check digit is there for: a digit that changes, two that change places, one that is missing
/// or more.
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
    samples.push(invalid(swapped(draw)));
    samples.extend([
        // Most numbers begin with a zero, which a service that keeps numbers loses and fills up.
        invalid(completed(format!("0{}", number_of(7, draw)))[1..].to_owned()),
        invalid(number[..8].to_owned()),
        invalid(format!("0{number}")),
        invalid(format!("{number}0")),
        invalid(with(&number, draw.below(9), 'A')),
        invalid(format!("{}-{}", &number[..4], &number[4..])),
        invalid(""),
    ]);
    samples.extend((0..3).map(|_| valid(routing_number(draw))));
    samples
}

/// A routing number of which two digits have changed places so that the check digit shows it.
fn swapped(draw: &mut Draw) -> String {
    loop {
        let number = routing_number(draw);
        let place = draw.below(8);
        let mut swapped: Vec<char> = number.chars().collect();
        swapped.swap(place, place + 1);
        let swapped: String = swapped.into_iter().collect();
        if !is_routing_number(&swapped) {
            return swapped;
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
        // A whole number all the same: it is open.
        invalid(json!(1.0)),
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

/// Every member, and what looks like one.
fn members(words: &'static [&'static str], draw: &mut Draw) -> Vec<Sample> {
    let word = *draw.pick(words);
    let mut samples = vec![
        invalid(""),
        invalid(word.to_lowercase()),
        invalid(format!("{}{}", &word[..1], word[1..].to_lowercase())),
        invalid(format!("{word} ")),
        invalid(&word[..word.len() - 1]),
        invalid(format!("{word}S")),
        invalid(*draw.pick(&["DRAFT", "OPEN", "CANCELLED", "UNKNOWN", "OVERDUE"])),
    ];
    samples.extend(words.iter().map(|word| valid(*word)));
    samples
}

fn emails(draw: &mut Draw) -> Vec<Sample> {
    let name = text_of(5, draw).to_lowercase();
    vec![
        invalid(""),
        invalid(&*name),
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

/// The private blocks of addresses, loopback and link-local: the first and the last address of each.
const BLOCKS: [([u8; 4], [u8; 4]); 5] = [
    ([10, 0, 0, 0], [10, 255, 255, 255]),
    ([172, 16, 0, 0], [172, 31, 255, 255]),
    ([192, 168, 0, 0], [192, 168, 255, 255]),
    ([127, 0, 0, 0], [127, 255, 255, 255]),
    ([169, 254, 0, 0], [169, 254, 255, 255]),
];

/// The same blocks of IPv6: loopback, unique local and link-local.
const BLOCKS_6: [(u128, u128); 3] =
    [(1, 1), (0xfc << 120, (0xfe << 120) - 1), (0xfe80 << 112, (0xfec0 << 112) - 1)];

fn urls(draw: &mut Draw) -> Vec<Sample> {
    let host = text_of(8, draw).to_lowercase();
    let mut samples = vec![
        invalid(""),
        invalid(&*host),
        invalid(format!("http://{host}.example.com/")),
        invalid(format!("{}://{host}.example.com/", draw.pick(&["ftp", "ws", "file", "mailto"]))),
        invalid(format!("//{host}.example.com/")),
        invalid("https://"),
        invalid("https://localhost/hooks"),
        invalid(format!("https://localhost:{}/hooks", 1024 + draw.below(9000))),
        valid(format!("https://{host}.example.com/")),
        valid(format!("https://{host}.example.com:8443/hooks?from=tideover&n={}", draw.below(9))),
    ];
    for (first, last) in BLOCKS {
        let (first, last) = (u32::from_be_bytes(first), u32::from_be_bytes(last));
        let within = u32::try_from(draw.below((last - first) as usize)).unwrap_or(0);
        for number in [first + 1, last - 1, first + within] {
            let address = std::net::Ipv4Addr::from(number);
            samples.push(invalid(format!("https://{address}/hooks")));
        }
        let mapped = std::net::Ipv4Addr::from(first + within).to_ipv6_mapped();
        samples.push(invalid(format!("https://[{mapped}]/hooks")));
    }
    for (first, last) in BLOCKS_6 {
        let within = first + (draw.below(usize::MAX) as u128) % (last - first + 1);
        for number in [first, last, within] {
            let address = std::net::Ipv6Addr::from(number);
            samples.push(invalid(format!("https://[{address}]:8443/hooks")));
        }
    }
    samples
}

#[cfg(test)]
mod tests {
    use tideover_model::OperationKind;

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
