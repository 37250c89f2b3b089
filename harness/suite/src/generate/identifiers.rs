//! Identifiers wherever a request can have one: each class of texts, spellings of one text in a path, and pairs that look
//! alike. What is written under one must be found under it, and not under the other.

use tideover_exchange::renaming::OWN;
use tideover_exchange::step::{Action, Step};
use tideover_model::OperationKind;
use tideover_model::wire::route::segment;
use tideover_model::wire::schema::Domain;

use crate::generate::draw::Draw;
use crate::generate::plain::VENDOR;
use crate::generate::requests::InvoiceFields;
use crate::generate::{classes, files, requests as make};

/// The steps of paths, then those of pairs.
pub(super) fn groups(draw: &mut Draw) -> Vec<Vec<Step>> {
    let mut groups = in_paths(draw);
    groups.extend(as_they_are());
    groups.extend(look_alikes(draw));
    groups.extend(joined(draw));
    groups.extend(destinations_apart(draw));
    groups
}

/// Pairs of destinations whose paths differ in one thing only: each has a subscription of its own, and neither a second one.
fn destinations_apart(draw: &mut Draw) -> [Vec<Step>; 3] {
    let stem = classes::stem(draw);
    let long = stem.repeat(42);
    let pairs = [
        (stem.clone(), stem.to_uppercase()),
        (format!("{long}a"), format!("{long}b")),
        classes::differing(draw, ('x', 'y')),
    ];
    let mut number = 0;
    pairs.map(|(one, other)| {
        number += 1;
        let subscribe = |path: &str| make::subscribe(&format!("${{inbox}}/accepts/{path}"), None);
        let [first, second] = ["one", "other"].map(|name| format!("{name}{number}"));
        let end = |name: &str| make::unsubscribe(&format!("${{{name}.reference}}"));
        vec![
            subscribe(&one).named(&first),
            subscribe(&other).named(&second),
            subscribe(&one),
            make::list_subscriptions(),
            end(&second),
            make::list_subscriptions(),
            subscribe(&one),
            end(&first),
        ]
    })
}

/// How many of the signs a run has.
const SIGNS_IN_A_RUN: usize = 11;

/// Two invoices whose payee and identifier make the same text once a sign joins them. An invoice is named by both.
fn joined(draw: &mut Draw) -> Vec<Vec<Step>> {
    let signs = (' '..='~').filter(|sign| !sign.is_ascii_alphanumeric()).map(String::from);
    let signs = draw.some(signs.chain([String::new()]).collect(), SIGNS_IN_A_RUN);
    let of = |sign: String| {
        // Where names get something before them, the one that is joined has it within.
        let left = (format!("j{sign}{OWN}a"), "b".to_owned());
        let right = ("j".to_owned(), format!("a{sign}{OWN}b"));
        let sync = |(payee, invoice): &(String, String), face_value| {
            let fields = InvoiceFields { face_value, ..InvoiceFields::of(payee) };
            let mut step = make::sync_invoice("", &fields);
            if let Action::Call(call) = &mut step.action {
                call.path = OperationKind::SyncInvoice.path_with(&[&in_path(invoice)]);
            }
            step
        };
        let segments = [&*in_path(&left.0), &*in_path(&left.1)];
        let read = make::read_at(OperationKind::GetInvoice, &segments);
        vec![sync(&left, 4000), sync(&right, 4001), read]
    };
    signs.into_iter().map(of).collect()
}

/// An identifier as a segment of a path, which may have [`OWN`] within.
fn in_path(identifier: &str) -> String {
    identifier.split(OWN).map(segment).collect::<Vec<_>>().join(OWN)
}

/// A text of each class in a path of each kind by turns, read under two spellings. Each has as many steps, so that every
/// seed fills as many cases.
fn in_paths(draw: &mut Draw) -> Vec<Vec<Step>> {
    let first = draw.below(3);
    let samples = classes::of_domain(Domain::Text { least: 1 }, draw).into_iter();
    let texts = samples.filter(|sample| sample.is_valid).filter_map(|sample| sample.value);
    let texts: Vec<String> = texts.filter_map(|it| it.as_str().map(str::to_owned)).collect();
    let of = |(turn, text): (usize, String)| {
        let spelled = respelled(&text, draw);
        match (first + turn) % 3 {
            0 => vec![
                make::sync_business(&text, "In A Path Ltd", None, None),
                make::set_payout_account(&text, "000123456", "021000021", None),
                make::get_business(&text),
                make::read_at(OperationKind::GetBusiness, &[&spelled]),
            ],
            1 => vec![
                make::plain_invoice(VENDOR, &text, 1000 + i64::try_from(turn).unwrap_or(0)),
                make::get_invoice(VENDOR, &text),
                make::read_at(OperationKind::GetInvoice, &[VENDOR, &spelled]),
                make::read_at(OperationKind::GetInvoice, &[&respelled(VENDOR, draw), &spelled]),
            ],
            _ => vec![
                make::import(&text, files::row_of(VENDOR, "path", "ISSUED", 100)),
                make::get_import(&text),
                make::read_at(OperationKind::GetImport, &[&spelled]),
                // Under the same identifier the same file comes again.
                make::import(&text, files::row_of(VENDOR, "path", "ISSUED", 100)),
            ],
        }
    };
    texts.into_iter().enumerate().map(of).collect()
}

/// Capitals, and signs that a segment of a path may have as they are: written twice, and read without percent-encoding.
///
/// Not among them: `;`, `=` and `,`, to which servers and gateways may give a meaning of their own (RFC 3986 §3.3).
fn as_they_are() -> [Vec<Step>; 3] {
    const TEXT: &str = "A!$&'()*+:@b";
    let row = files::row_of(VENDOR, "path", "ISSUED", 100);
    [
        (
            make::sync_business(TEXT, "As It Is Ltd", None, None),
            OperationKind::GetBusiness,
            &[TEXT][..],
        ),
        (make::plain_invoice(VENDOR, TEXT, 1000), OperationKind::GetInvoice, &[VENDOR, TEXT]),
        (make::import(TEXT, row), OperationKind::GetImport, &[TEXT]),
    ]
    .map(|(write, read, segments)| vec![write.clone(), make::read_at(read, segments), write])
}

/// The text as a segment of a path, where a letter that could stand for itself is percent-encoded.
fn respelled(text: &str, draw: &mut Draw) -> String {
    let is_letter = |(_, sign): &(usize, char)| sign.is_ascii_alphanumeric();
    let letters: Vec<(usize, char)> = text.char_indices().filter(is_letter).collect();
    if letters.is_empty() {
        return segment(text).into_owned();
    }
    let (at, letter) = *draw.pick(&letters);
    let code = u32::from(letter);
    let code = if draw.percent(50) { format!("%{code:02x}") } else { format!("%{code:02X}") };
    format!("{}{code}{}", segment(&text[..at]), segment(&text[at + 1..]))
}

/// How many of the pairs a run has in every role. The others are only written and read.
const PAIRS_IN_EACH_ROLE: usize = 6;

/// Pairs of identifiers that differ in one thing only.
fn look_alikes(draw: &mut Draw) -> Vec<Vec<Step>> {
    let pairs = similar_names(draw);
    let in_each_role = draw.some((0..pairs.len()).collect(), PAIRS_IN_EACH_ROLE);
    let of = |(index, (one, other)): (usize, (String, String))| {
        if in_each_role.contains(&index) {
            of_pair(&one, &other, draw)
        } else {
            written_and_read(&one, &other)
        }
    };
    pairs.into_iter().enumerate().map(of).collect()
}

/// What is written under one name of a pair, and under the other, does not change what the first one names.
fn written_and_read(one: &str, other: &str) -> Vec<Step> {
    let row = |face| files::row_of(VENDOR, "import", "ISSUED", face);
    vec![
        make::plain_invoice(one, "same", 1000),
        make::plain_invoice(other, "same", 1001),
        make::get_invoice(one, "same"),
        make::plain_invoice(VENDOR, one, 2000),
        make::plain_invoice(VENDOR, other, 2001),
        make::get_invoice(VENDOR, one),
        make::import(one, row(100)),
        make::import(other, row(200)),
        make::get_import(one),
    ]
}

/// The same, and the names in every other role of an identifier.
fn of_pair(one: &str, other: &str, draw: &mut Draw) -> Vec<Step> {
    let mut steps = vec![make::plain_invoice(one, "same", 1000)];
    // Only one of them is there, so that all that names the other one is about nobody.
    let mut of_nobody = vec![
        make::quote(other, 1000),
        make::invite(other, "ann@alike.example"),
        make::create_session(other),
        make::set_payout_account(other, "000123456", "021000021", None),
        make::request_advance(other, "same"),
        make::get_business(other),
        make::get_invoice(other, "same"),
    ];
    for _ in 0..2 {
        steps.push(of_nobody.swap_remove(draw.below(of_nobody.len())));
    }
    steps.push(make::plain_invoice(other, "same", 1001));
    steps.push(make::plain_invoice(VENDOR, one, 2000));
    steps.push(make::request_advance(VENDOR, other));
    steps.push(make::plain_invoice(VENDOR, other, 2001));
    // The second write of each pair must have left the first alone.
    steps.push(make::get_invoice(one, "same"));
    steps.push(make::get_invoice(VENDOR, one));
    steps.push(make::get_invoice(VENDOR, other));
    steps.push(make::set_payout_account(one, "000123456", "021000021", None));
    steps.push(make::get_business(other));
    // The same as payors, which nobody has synced.
    let payors = [one, other].map(|name| format!("p{name}"));
    steps.push(make::with_payor(make::plain_invoice(VENDOR, "owed", 3000), &payors[0]));
    steps.extend(payors.iter().map(|payor| make::get_business(payor)));
    let rows = |face| files::row_of(VENDOR, "import", "ISSUED", face);
    steps.push(make::import(one, rows(100)));
    steps.push(make::get_import(other));
    steps.extend([make::import(other, rows(200)), make::get_import(one)]);
    steps
}

fn similar_names(draw: &mut Draw) -> Vec<(String, String)> {
    let stem = classes::stem(draw);
    // Longer than the columns of many databases, which would cut them off.
    let long = stem.repeat(42);
    let mut pairs = vec![
        (stem.clone(), stem.to_uppercase()),
        (format!("{stem}-1"), format!("{stem}-1 ")),
        (format!("{stem}é"), format!("{stem}e\u{301}")),
        (format!("{stem}%41"), format!("{stem}A")),
        (format!("{stem}.x"), format!("{stem}x")),
        (format!("{stem}/y"), format!("{stem}y")),
        (format!("{stem} z"), format!("{stem}+z")),
        (format!("{stem}01"), format!("{stem}1")),
        (format!("{long}a"), format!("{long}b")),
        classes::differing(draw, ('x', 'y')),
    ];
    // One sign that is no letter: it is a part of the name like any other.
    let signs: Vec<char> = (' '..='~').filter(|sign| !sign.is_ascii_alphanumeric()).collect();
    let signs = draw.some(signs, 2);
    pairs.push(classes::differing(draw, (signs[0], signs[1])));
    pairs
}
