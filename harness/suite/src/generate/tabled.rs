//! Requests that follow from the tables: of every field each class of values, of every identifier its look-alikes,
//! every endpoint without its version and without a key, rows of files with each class of a cell.
//!
//! Each request has one thing that differs from a plain valid one, so that it is refused for one reason, or accepted
//! and then read back.

use std::sync::LazyLock;

use tideover_exchange::step::{Action, Call, Caller, Step};
use tideover_model::OperationKind;
use tideover_model::wire::schema::{Documented, Role, documented};

use crate::generate::classes::{self, Sample};
use crate::generate::draw::Draw;
use crate::generate::names::{UNKNOWN, VENDORS};
use crate::generate::{Walk, files, named, requests as make};

/// The vendor of the rows. It is synced first.
const VENDOR: &str = VENDORS[0];
const INVOICE: &str = "i1";
const IMPORT: &str = "m1";

/// The number of steps in one case: with the reads and repeats between them, it comes to its end.
const STEPS_IN_A_CASE: usize = 34;

/// Separates these draws from others of the seed.
const PURPOSE: u64 = 0x7ab1ed;

/// The number of cases that cover all steps. Every seed has as many.
pub(super) fn parts() -> usize {
    static PARTS: LazyLock<usize> = LazyLock::new(|| cases(0).len());
    *PARTS
}

impl Walk {
    /// The steps of part `part`, after the vendor is synced.
    pub(super) fn toward_tabled(&mut self, part: usize, stage: usize) -> Option<Step> {
        let Some(index) = stage.checked_sub(2) else {
            // Their subjects exist, so that each request is refused for one reason only.
            return Some(match stage {
                0 => self.supply_tax_id(VENDOR),
                _ => make::import(IMPORT, files::good_file()),
            });
        };
        let seed = self.seed;
        let cases = self.tabled.get_or_insert_with(|| cases(seed));
        cases.get(part)?.get(index).cloned()
    }
}

/// All steps, as the seed draws them, case by case. What shows something only together is in one case.
fn cases(seed: u64) -> Vec<Vec<Step>> {
    let mut cases: Vec<Vec<Step>> = Vec::new();
    for group in groups(seed) {
        match cases.last_mut() {
            Some(last) if last.len() + group.len() <= STEPS_IN_A_CASE => last.extend(group),
            _ => cases.push(group),
        }
    }
    cases
}

fn groups(seed: u64) -> Vec<Vec<Step>> {
    let mut draw = Draw::new([seed, 0, PURPOSE]);
    let mut groups = Vec::new();
    for kind in OperationKind::ALL {
        groups.extend(of_fields(kind, &mut draw));
    }
    groups.extend(named::groups(&mut draw));
    groups.extend(alone(files::refused_files()));
    groups.extend(files::rows_of_classes(&mut draw));
    groups.extend(files::forms_of_files());
    groups.extend(look_alikes(&mut draw));
    groups
        .extend([unreadable(), unauthorized(), unknown(), versions()].into_iter().flat_map(alone));
    groups
}

/// Steps of which each shows something by itself.
fn alone(steps: Vec<Step>) -> impl Iterator<Item = Vec<Step>> {
    steps.into_iter().map(|step| vec![step])
}

/// A plain request of each kind: a valid one where it has a body.
pub(super) fn plain(kind: OperationKind) -> Step {
    match kind {
        OperationKind::ImportInvoices => make::import("unauthorized", files::good_file()),
        OperationKind::SyncInvoice => make::plain_invoice(VENDOR, INVOICE, 1000),
        OperationKind::SyncBusiness => make::sync_business(VENDOR, "V1 Ltd", None, None),
        OperationKind::SetPayoutAccount => {
            make::set_payout_account(VENDOR, "000123456", "021000021", None)
        }
        OperationKind::RequestAdvance => make::request_advance(VENDOR, INVOICE),
        OperationKind::Quote => make::quote(VENDOR, 1000),
        OperationKind::Invite => make::invite(VENDOR, "ann@v1.example"),
        OperationKind::CreateOnboardingSession => make::create_session(VENDOR),
        OperationKind::Subscribe => make::subscribe("https://hooks.example.com/x", None),
        _ => Step::new(Action::Call(bare(kind))),
    }
}

/// The plain request, with a value of each class in each field. Accepted ones are read back.
fn of_fields(kind: OperationKind, draw: &mut Draw) -> Vec<Vec<Step>> {
    let plain = &plain(kind);
    let mut groups = Vec::new();
    for (place, number) in places_of(kind).into_iter().zip(0..) {
        for (sample, index) in place.samples(draw).iter().zip(0..) {
            // What a business was synced with before decides nothing where each valid value has its own.
            let own =
                || make::sync_business(&format!("own {number} {index}"), "Own Ltd", None, None);
            let is_own = kind == OperationKind::SyncBusiness && sample.is_valid;
            let plain = if is_own { &own() } else { plain };
            groups.push(with_sample(plain, &place.at.path, sample));
        }
    }
    groups
}

/// A field of the bodies of one endpoint. Where the document does not show a field's name, a service may ignore it.
pub(super) struct Place {
    pub(super) kind: OperationKind,
    pub(super) at: Documented,
}

impl Place {
    /// A value of each class that says something there: a valid identifier must name something, except in a sync.
    pub(super) fn samples(&self, draw: &mut Draw) -> Vec<Sample> {
        let field = self.at.field;
        let is_name = matches!(field.role, Role::Business | Role::Invoice);
        let accepts_all = self.kind == OperationKind::SyncInvoice || !is_name;
        let mut samples = classes::of(field, draw);
        samples.retain(|sample| !sample.is_valid || accepts_all);
        samples
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

/// The request with the sample at a place, and the read that shows it if it must be accepted.
fn with_sample(plain: &Step, path: &[&str], sample: &Sample) -> Vec<Step> {
    let mut step = plain.clone();
    let Action::Call(Call { body: Some(body), .. }) = &mut step.action else { return Vec::new() };
    make::put(body, path, sample.value.clone());
    let read = if sample.is_valid { make::read_back(&step) } else { None };
    [step].into_iter().chain(read).collect()
}

/// Pairs of identifiers that differ in one thing only: what is written under one must not be read under the other.
fn look_alikes(draw: &mut Draw) -> Vec<Vec<Step>> {
    let of_pair = |(one, other): (String, String)| {
        let mut steps = Vec::new();
        for business in [&one, &other] {
            steps.push(make::plain_invoice(business, "same", 1000 + business.len() as i64));
        }
        for name in [&one, &other] {
            steps.push(make::plain_invoice(VENDOR, name, 2000 + name.len() as i64));
        }
        // The second write of each pair must have left the first alone.
        steps.push(make::get_invoice(&one, "same"));
        steps.push(make::get_invoice(VENDOR, &one));
        steps.push(make::get_invoice(VENDOR, &other));
        steps.push(make::set_payout_account(&one, "000123456", "021000021", None));
        steps.push(make::get_business(&other));
        // The same as payors, which nobody has synced.
        let payors = [&one, &other].map(|name| format!("p{name}"));
        steps.push(make::with_payor(make::plain_invoice(VENDOR, "owed", 3000), &payors[0]));
        steps.extend(payors.iter().map(|payor| make::get_business(payor)));
        let rows = |face| files::row_of(VENDOR, "import", "ISSUED", face);
        steps.extend([make::import(&one, rows(100)), make::import(&other, rows(200))]);
        steps.push(make::get_import(&one));
        steps
    };
    similar_names(draw).into_iter().map(of_pair).collect()
}

fn similar_names(draw: &mut Draw) -> Vec<(String, String)> {
    let stem: String = (0..6).map(|_| *draw.pick(&['b', 'd', 'g', 'k', 'm', 't'])).collect();
    let long = stem.repeat(12);
    vec![
        (stem.clone(), stem.to_uppercase()),
        (format!("{stem}-1"), format!("{stem}-1 ")),
        (format!("{stem}é"), format!("{stem}e\u{301}")),
        (format!("{stem}%41"), format!("{stem}A")),
        (format!("{stem}.x"), format!("{stem}x")),
        (format!("{stem}/y"), format!("{stem}y")),
        (format!("{stem} z"), format!("{stem}+z")),
        (format!("{stem}01"), format!("{stem}1")),
        (format!("{long}a"), format!("{long}b")),
    ]
}

/// Every endpoint without its version, and under another one (§9 rule 1).
fn versions() -> Vec<Step> {
    let kinds = OperationKind::ALL.into_iter().enumerate();
    kinds
        .map(|(index, kind)| {
            let version = if index % 2 == 0 { "" } else { "/v2" };
            let call = bare(kind);
            let path = call.path.replacen("/v1", version, 1);
            Step::new(Action::Call(Call { path, ..call }))
        })
        .collect()
}

/// The identifiers in the path of an endpoint, of things that exist, if they can.
fn identifiers(kind: OperationKind) -> &'static [&'static str] {
    match kind {
        OperationKind::GetInvoice => &[VENDOR, INVOICE],
        OperationKind::SyncInvoice => &[INVOICE],
        OperationKind::GetImport | OperationKind::ImportInvoices => &[IMPORT],
        OperationKind::Unsubscribe => &["whs_unknown"],
        _ => &[VENDOR],
    }
}

fn bare(kind: OperationKind) -> Call {
    Call::of(kind, identifiers(kind), None)
}

/// Bodies that are no JSON, or no object, for every endpoint that takes JSON.
fn unreadable() -> Vec<Step> {
    let text = |kind: OperationKind, text: &str| {
        Step::new(Action::Call(Call::text_of(kind, identifiers(kind), text.to_owned())))
    };
    let writers = || OperationKind::ALL.into_iter().filter(|kind| !kind.fields().is_empty());
    let broken = writers().map(|kind| text(kind, "{\"legalName\":"));
    broken.chain(writers().map(|kind| text(kind, "[\"v1\"]"))).collect()
}

/// Every endpoint without a key; and in turn with one that was never issued, one that is cut, one that is extended,
/// one under another scheme.
fn unauthorized() -> Vec<Step> {
    let nobodys = OperationKind::ALL.into_iter().map(|kind| plain(kind).by(&Caller::Nobody));
    let wrong = [
        "Bearer rap_sk_unknown",
        "Basic ${key}",
        "${key}",
        "Bearer ${key}x",
        "Bearer ${key.cut}",
        "Bearer",
        "",
    ];
    let wrongs = OperationKind::ALL.into_iter().zip(wrong.iter().cycle());
    let wrongs = wrongs.map(|(kind, header)| plain(kind).by(&Caller::Header((*header).to_owned())));
    nobodys.chain(wrongs).collect()
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
