//! Requests that follow from the tables: of every field each class of values, of every identifier its look-alikes,
//! every endpoint without its version and without a key, rows of files with each class of a cell.
//!
//! Most requests have one thing that differs from a plain valid one, so that each is refused for one reason, or accepted
//! and then read back. Some have several: all of them are reasons.

use std::mem::discriminant;
use std::sync::LazyLock;

use serde_json::{Value, json};
use tideover_exchange::step::{Action, Call, Step};
use tideover_model::OperationKind;
use tideover_model::wire::schema::{Documented, Role, documented};

use crate::generate::classes::{self, Sample};
use crate::generate::draw::Draw;
use crate::generate::latest::Latest;
use crate::generate::names::UNKNOWN;
use crate::generate::plain::{IMPORT, INVOICE, VENDOR, good_file, plain};
use crate::generate::requests::InvoiceFields;
use crate::generate::{Walk, files, grammar, identifiers, named, requests as make};

/// The number of steps in one case: with those that begin and end it, it has no room for more.
const STEPS_IN_A_CASE: usize = 38;

/// Separates these draws from others of the seed.
const PURPOSE: u64 = 0x7ab1ed;

/// The number of cases that cover all steps: of any seed, since how many steps have a read depends on what it draws.
pub(super) fn parts() -> usize {
    static PARTS: LazyLock<usize> = LazyLock::new(|| cases(0).len() + 1);
    *PARTS
}

/// How many classes of a field come first that are those of any field: that it is absent, null, or of another type. Each
/// run has them.
const OF_ANY_FIELD: usize = 6;

/// How many of the others each run has, whatever their number. Of more it has two thirds, and all of them where the domain
/// comes first: which ones, the seed decides.
const CLASSES_IN_A_RUN: usize = 10;

/// Those classes of a field that a run has, each with its number. `is_first`: no field before has its domain.
fn some_of(samples: Vec<Sample>, is_first: bool, draw: &mut Draw) -> Vec<(usize, Sample)> {
    let mut first: Vec<(usize, Sample)> = samples.into_iter().enumerate().collect();
    let others = first.split_off(OF_ANY_FIELD.min(first.len()));
    let part = if is_first { others.len() } else { others.len() * 2 / 3 };
    first.extend(draw.some(others, CLASSES_IN_A_RUN.max(part)));
    first
}

impl Walk {
    /// The steps of part `part`, after the vendor is synced.
    pub(super) fn toward_tabled(&mut self, part: usize, stage: usize) -> Option<Step> {
        let Some(index) = stage.checked_sub(2) else {
            // Their subjects exist, so that each request is refused for one reason only.
            return Some(match stage {
                0 => self.supply_tax_id(VENDOR),
                _ => make::import(IMPORT, good_file()),
            });
        };
        thread_local! {
            static CASES: Latest<u64, Vec<Vec<Step>>> = const { Latest::new() };
        }
        let cases = CASES.with(|latest| latest.get(self.seed, |seed| cases(*seed)));
        cases.get(part)?.get(index).cloned()
    }
}

/// All steps, as the seed draws them, case by case. What shows something only together is in one case.
fn cases(seed: u64) -> Vec<Vec<Step>> {
    let mut cases: Vec<Vec<Step>> = Vec::new();
    for group in groups(seed) {
        match cases.last_mut() {
            Some(last) if length(last) + length(&group) <= STEPS_IN_A_CASE => last.extend(group),
            _ => cases.push(group),
        }
    }
    cases
}

/// The steps of a group, with those that leave an address at once that may be nobody's.
fn length(group: &[Step]) -> usize {
    group.len() + group.iter().filter(|step| make::may_lead_nowhere(step)).count()
}

fn groups(seed: u64) -> Vec<Vec<Step>> {
    let mut draw = Draw::new([seed, 0, PURPOSE]);
    let mut groups = Vec::new();
    for kind in OperationKind::ALL {
        groups.extend(of_fields(kind, &mut draw));
    }
    groups.extend(named::groups(&mut draw));
    groups.push(files::refused_files());
    groups.extend(files::rows_of_classes(&mut draw));
    groups.extend(files::forms_of_files());
    groups.extend(files::fewer_columns(&mut draw));
    groups.extend(files::open_forms(&mut draw));
    groups.extend(files::similar_names(&mut draw));
    groups.extend(identifiers::groups(&mut draw));
    groups.extend(grammar::groups(&mut draw));
    groups.extend(alone(unknown()));
    groups.push(refused_twice());
    groups.extend(refused_and_unborn(&mut draw));
    // Nothing is learned of failures in a case after one is announced.
    groups.extend(grammar::failing());
    groups
}

/// Steps of which each shows something by itself.
fn alone(steps: Vec<Step>) -> impl Iterator<Item = Vec<Step>> {
    steps.into_iter().map(|step| vec![step])
}

/// The plain request, with a value of each class in each field. Accepted ones are read back.
fn of_fields(kind: OperationKind, draw: &mut Draw) -> Vec<Vec<Step>> {
    let mut groups = Vec::new();
    for (place, number) in places_of(kind).into_iter().zip(0..) {
        let samples = place.samples(draw);
        for (index, sample) in &some_of(samples, place.is_first_of_domain(), draw) {
            // What was sent before decides nothing where each value has its own business, or its own destination.
            let plain = match kind {
                OperationKind::SyncBusiness => {
                    make::sync_business(&format!("own {number} {index}"), "Own Ltd", None, None)
                }
                OperationKind::Subscribe => {
                    make::subscribe(&format!("https://hooks.example.com/{number}/{index}"), None)
                }
                _ => plain(kind),
            };
            // What a service examines when it makes a business or an invoice, it may take when it updates one.
            let is_of_body = place.at.path.len() == 1 && !sample.is_valid;
            let other = match kind {
                OperationKind::SyncBusiness => {
                    Some(make::sync_business(VENDOR, VENDOR, None, None))
                }
                OperationKind::SyncInvoice => {
                    Some(make::plain_invoice(VENDOR, &format!("own {number} {index}"), 1000))
                }
                _ => None,
            };
            groups.extend(other.filter(|_| is_of_body).map(|it| place.with_sample(it, sample)));
            let mut group = [place.named_by(sample), place.with_sample(plain, sample)].concat();
            if kind == OperationKind::Subscribe && sample.is_valid {
                leave_again(&mut group, &format!("left{number}_{index}"));
            }
            groups.push(group);
        }
    }
    groups.extend(alone(several_wrong(kind, draw)));
    groups
}

/// Names the subscription that a group begins with, and ends it: each event of the case would be sent to a host that is
/// nobody's for 28 hours, and every move of the clock would wait for that.
fn leave_again(group: &mut Vec<Step>, name: &str) {
    group[0].name = Some(name.to_owned());
    group.push(make::unsubscribe(&format!("${{{name}.reference}}")));
}

/// The plain request with several fields that are wrong: two of them, all of them, and all of them absent.
fn several_wrong(kind: OperationKind, draw: &mut Draw) -> Vec<Step> {
    let mut places = places_of(kind);
    places.retain(|place| place.at.field.is_required && place.at.path.len() == 1);
    if places.len() < 2 {
        return Vec::new();
    }
    let wrong = |places: &[&Place], draw: &mut Draw| {
        let mut step = plain(kind);
        if let Action::Call(Call { body: Some(body), .. }) = &mut step.action {
            for place in places {
                let samples = place.samples(draw);
                let is_wrong = |sample: &&Sample| !sample.is_valid && sample.value.is_some();
                let wrong: Vec<&Sample> = samples.iter().filter(is_wrong).collect();
                make::put(body, &place.at.path, draw.pick(&wrong).value.clone());
            }
        }
        step
    };
    let two = draw.some(places.clone(), 2);
    let steps = [wrong(&two, draw), wrong(&places, draw)];
    let mut empty = plain(kind);
    if let Action::Call(Call { body: Some(body), .. }) = &mut empty.action {
        *body = json!({});
    }
    steps.into_iter().chain([empty]).collect()
}

/// A field of the bodies of one endpoint. Where the document does not show a field's name, a service may ignore it.
pub(super) struct Place {
    pub(super) kind: OperationKind,
    pub(super) at: Documented,
}

impl Place {
    /// Whether no place before that the document names has its domain.
    fn is_first_of_domain(&self) -> bool {
        let domain = discriminant(&self.at.field.domain());
        let mut named = PLACES.iter().filter(|it| it.at.field.is_documented());
        let first = named.find(|place| discriminant(&place.at.field.domain()) == domain);
        first.is_some_and(|first| std::ptr::eq(first, self))
    }

    /// A value of each class.
    pub(super) fn samples(&self, draw: &mut Draw) -> Vec<Sample> {
        classes::of(self.at.field, draw)
    }

    /// The steps that make a valid identifier name something. A sync of an invoice makes its parties.
    fn named_by(&self, sample: &Sample) -> Vec<Step> {
        let named = sample.value.as_ref().and_then(Value::as_str).filter(|_| sample.is_valid);
        match (self.at.field.role, named) {
            _ if self.kind == OperationKind::SyncInvoice => Vec::new(),
            (Role::Business, Some(name)) => vec![make::plain_invoice(name, INVOICE, 1000)],
            (Role::Invoice, Some(name)) => vec![make::plain_invoice(VENDOR, name, 1000)],
            _ => Vec::new(),
        }
    }

    /// The request with the sample in this place, and the read that shows what became of it: it must be accepted, or
    /// the service accepts it and takes it for nothing.
    fn with_sample(&self, mut step: Step, sample: &Sample) -> Vec<Step> {
        let Action::Call(Call { body: Some(body), .. }) = &mut step.action else {
            return Vec::new();
        };
        make::put(body, &self.at.path, sample.value.clone());
        let is_shown = sample.is_valid || matches!(self.at.field.role, Role::TaxId);
        let read = if is_shown { make::read_back(&step) } else { None };
        [step].into_iter().chain(read).collect()
    }
}

/// Each field of the bodies of all endpoints, an object before its members.
pub(super) static PLACES: LazyLock<Vec<Place>> = LazyLock::new(|| {
    let of = |kind: OperationKind| {
        documented(kind.fields()).into_iter().map(move |at| Place { kind, at })
    };
    OperationKind::ALL.into_iter().flat_map(of).collect()
});

/// Those of one endpoint.
pub(super) fn places_of(kind: OperationKind) -> Vec<&'static Place> {
    PLACES.iter().filter(|place| place.kind == kind).collect()
}

/// The same refusal twice, and the read that shows that nothing has changed.
fn refused_twice() -> Vec<Step> {
    let ask = || make::request_advance(VENDOR, INVOICE);
    vec![ask(), ask(), make::get_business(VENDOR)]
}

/// How many refused syncs of a business, and of an invoice, name what is not there.
const UNBORN: [(OperationKind, usize); 2] =
    [(OperationKind::SyncBusiness, 1), (OperationKind::SyncInvoice, 3)];

/// Refused syncs of what is not there, and the reads that show that nothing they name is there now.
fn refused_and_unborn(draw: &mut Draw) -> Vec<Vec<Step>> {
    let mut groups = Vec::new();
    for (kind, most) in UNBORN {
        let mut places = places_of(kind);
        // A malformed tax id may be taken for none, and without a party nobody is named.
        places.retain(|place| {
            let field = place.at.field;
            let is_named = matches!(field.role, Role::Object(_) | Role::TaxId);
            place.at.path.len() == 1 && field.is_required && !is_named
        });
        for (number, place) in draw.some(places, most).into_iter().enumerate() {
            let samples = place.samples(draw).into_iter();
            let wrong: Vec<Sample> = samples.filter(|sample| !sample.is_valid).collect();
            let [business, payor, invoice] = ["business", "payor", "invoice"]
                .map(|what| format!("unborn {what} {number} of {kind:?}"));
            let (step, reads) = match kind {
                OperationKind::SyncBusiness => {
                    (make::sync_business(&business, "Unborn Ltd", None, None), Vec::new())
                }
                _ => {
                    let fields =
                        InvoiceFields { payor: payor.clone(), ..InvoiceFields::of(&business) };
                    let invoice_read = make::get_invoice(&business, &invoice);
                    (
                        make::sync_invoice(&invoice, &fields),
                        vec![make::get_business(&payor), invoice_read],
                    )
                }
            };
            let mut group = place.with_sample(step, draw.pick(&wrong));
            group.push(make::get_business(&business));
            group.extend(reads);
            groups.push(group);
        }
    }
    groups
}

/// Requests about businesses, invoices, imports and subscriptions that do not exist.
fn unknown() -> Vec<Step> {
    vec![
        make::get_business(UNKNOWN),
        make::get_invoice(UNKNOWN, INVOICE),
        make::get_invoice(VENDOR, UNKNOWN),
        make::get_import(UNKNOWN),
        make::set_payout_account(UNKNOWN, "000123456", "021000021", None),
        make::request_advance(UNKNOWN, INVOICE),
        make::request_advance(VENDOR, UNKNOWN),
        make::quote(UNKNOWN, 1000),
        make::invite(UNKNOWN, "ann@nobody.example"),
        make::create_session(UNKNOWN),
        make::unsubscribe("whs_unknown"),
    ]
}

#[cfg(test)]
mod tests {
    use tideover_exchange::start;
    use tideover_exchange::target::{INBOX, service};
    use tideover_exchange::transcript::Header;
    use tideover_model::Profile;

    use super::*;
    use crate::play::case::play;
    use crate::play::cases::{InProcess, Testbed};

    #[tokio::test]
    async fn what_a_refused_sync_names_is_read_and_is_not_there() {
        let header = Header::new(1, start(), Profile::default());
        let mut world = InProcess::new(service(Profile::default(), 1, INBOX), start());
        for seed in 1..9 {
            let groups = refused_and_unborn(&mut Draw::new([seed, 0, PURPOSE]));
            assert_eq!(groups.len(), UNBORN.iter().map(|(_, count)| count).sum::<usize>());
            for group in groups {
                let played = play(&mut world.fresh().await.unwrap(), &header, &group).await;
                let answers = played.unwrap().answers;
                let codes: Vec<&str> =
                    answers.iter().filter_map(|(_, seen)| seen.as_ref()?.code()).collect();
                let reads = match group[0].kind() {
                    Some(OperationKind::SyncInvoice) => {
                        &["business_not_found", "business_not_found", "business_not_found"][..]
                    }
                    _ => &["business_not_found"],
                };
                assert_eq!(codes[0], "invalid_request", "{group:?}");
                assert_eq!(codes[1..], *reads, "{group:?}");
            }
        }
    }

    /// A part beyond the last one would not be played.
    #[test]
    fn the_parts_are_enough_for_every_seed() {
        let counts: Vec<usize> = (1..40).map(|seed| cases(seed).len()).collect();
        assert!(counts.iter().all(|count| *count <= parts()), "{counts:?} of {}", parts());
    }

    #[test]
    fn seeds_send_other_values() {
        let unlike = |one: &[Vec<Step>], other: &[Vec<Step>]| {
            let other: Vec<&Step> = other.iter().flatten().collect();
            one.iter().flatten().filter(|step| !other.contains(step)).count()
        };
        let [one, other] = [cases(1), cases(2)];
        assert!(2 * unlike(&one, &other) > one.iter().map(Vec::len).sum());
    }
}
