//! What a step has changed in the model: reads of businesses and invoices, before and after.

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::percent_decode_str;
use serde_json::Value;
use tideover_model::{OperationKind, Service};

use crate::endpoint::{Bare, INBOX};
use crate::exchange::Memory;
use crate::exchange::identifiers::{business_path, invoice_path};
use crate::exchange::step::{Action, Call, Caller, Step};
use crate::exchange::transcript::Transcript;
use crate::exchange::{Prepared, PreparedAction, PreparedCall, masked_field};
use crate::report::document::{Change, Difference};

/// The changes of the last step with an effect; `None` if no step has one.
pub(super) fn difference(transcript: &Transcript) -> Option<Difference> {
    let Transcript { header, steps, .. } = transcript;
    let mut model = Bare::new(header.profile.clone(), header.seed, header.start);
    let mut memory = Memory::with_inbox(INBOX);
    let mut subjects = BTreeSet::new();
    let mut worlds = vec![(model.clone(), memory.clone())];
    for step in steps {
        let sent = Prepared::from_step(step, &memory, Service::FIRST_KEY);
        let answer = model.play(&sent);
        memory.keep(step, answer.json());
        subjects.extend(named(step, &sent, answer.json()));
        worlds.push((model.clone(), memory.clone()));
    }
    let read = |(model, memory): &(Bare, Memory)| read_all(model, memory, &subjects);
    let mut after = worlds.last().map(read)?;
    for (index, world) in worlds.iter().enumerate().rev().skip(1) {
        let before = read(world);
        let changes = changes(&before, &after);
        if !changes.is_empty() {
            return Some(Difference { step: index as u64 + 1, changes });
        }
        after = before;
    }
    None
}

/// A business or an invoice that a key can read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ReadTarget {
    key: Option<String>,
    business: String,
    invoice: Option<String>,
}

impl ReadTarget {
    fn words(&self) -> String {
        let words = match &self.invoice {
            None => format!("business {}", self.business),
            Some(invoice) => format!("invoice {invoice} of {}", self.business),
        };
        match &self.key {
            None => words,
            Some(key) => format!("{words} (as {key})"),
        }
    }

    fn read(&self) -> Step {
        let path = match &self.invoice {
            None => business_path(&self.business),
            Some(invoice) => invoice_path(&self.business, invoice),
        };
        let caller = self.key.clone().map_or(Caller::Default, Caller::Key);
        Step::new(Action::Call(Call::bare("GET", path))).by(&caller)
    }
}

/// The businesses and invoices that a step names.
fn named(step: &Step, sent: &Prepared, answer: Option<&Value>) -> Vec<ReadTarget> {
    let key = match &step.caller {
        Caller::Default => None,
        Caller::Key(key) => Some(key.clone()),
        Caller::Header(_) | Caller::Nobody => return Vec::new(),
    };
    let pairs = match &sent.action {
        PreparedAction::Call(call) => named_by_call(call, answer),
        PreparedAction::Act(fields) => {
            let text = |name| fields.get(name).and_then(Value::as_str).map(str::to_owned);
            let business = text("payeeExternalId").or_else(|| text("externalId"));
            vec![(business, text("invoiceExternalId"))]
        }
        PreparedAction::Advance(_) | PreparedAction::Deliveries => Vec::new(),
    };
    let mut subjects = Vec::new();
    for (business, invoice) in pairs {
        let Some(business) = business else { continue };
        let of_business = ReadTarget { key: key.clone(), business, invoice: None };
        if invoice.is_some() {
            subjects.push(ReadTarget { invoice, ..of_business.clone() });
        }
        subjects.push(of_business);
    }
    subjects
}

type Pair = (Option<String>, Option<String>);

fn named_by_call(call: &PreparedCall, answer: Option<&Value>) -> Vec<Pair> {
    let Some(kind) = call.asked().kind else { return Vec::new() };
    let segments: Vec<&str> = call.path.split('/').collect();
    let segment = |index: usize| {
        let segment = segments.get(index)?;
        Some(percent_decode_str(segment).decode_utf8().ok()?.into_owned())
    };
    let body = call.body().json().unwrap_or(&Value::Null);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match kind {
        OperationKind::GetInvoice => vec![(segment(3), segment(5))],
        OperationKind::SyncInvoice => vec![
            (text(&body["payee"]["externalId"]), segment(3)),
            (text(&body["payor"]["externalId"]), None),
        ],
        OperationKind::ImportInvoices | OperationKind::GetImport => {
            let rows = answer.and_then(|answer| answer["rows"].as_array());
            let pair = |row: &Value| (text(&row["payeeExternalId"]), text(&row["externalId"]));
            rows.into_iter().flatten().map(pair).collect()
        }
        OperationKind::SetPayoutAccount
        | OperationKind::GetBusiness
        | OperationKind::SyncBusiness => vec![(segment(3), None)],
        OperationKind::RequestAdvance => {
            vec![(text(&body["payeeExternalId"]), text(&body["invoiceExternalId"]))]
        }
        OperationKind::Quote | OperationKind::Invite | OperationKind::CreateOnboardingSession => {
            vec![(text(&body["externalId"]), None)]
        }
        OperationKind::Subscribe
        | OperationKind::ListSubscriptions
        | OperationKind::Unsubscribe => Vec::new(),
    }
}

type FieldTexts = BTreeMap<String, String>;

fn read_all(
    model: &Bare,
    memory: &Memory,
    subjects: &BTreeSet<ReadTarget>,
) -> BTreeMap<String, FieldTexts> {
    let mut model = model.clone();
    let read = |subject: &ReadTarget| {
        let key = Service::FIRST_KEY;
        let seen = model.play(&Prepared::from_step(&subject.read(), memory, key));
        let mut fields = FieldTexts::new();
        if let Some(body) = seen.success_body() {
            flatten("", body, &mut fields);
        }
        (subject.words(), fields)
    };
    subjects.iter().map(read).collect()
}

fn flatten(field: &str, value: &Value, fields: &mut FieldTexts) {
    match value {
        Value::Object(inner) => {
            for (name, value) in inner {
                let dotted =
                    if field.is_empty() { name.clone() } else { format!("{field}.{name}") };
                flatten(&dotted, value, fields);
            }
        }
        value => {
            let name = field.rsplit('.').next().unwrap_or_default();
            fields.insert(field.to_owned(), masked_field(name, value));
        }
    }
}

fn changes(
    before: &BTreeMap<String, FieldTexts>,
    after: &BTreeMap<String, FieldTexts>,
) -> Vec<Change> {
    let mut changes = Vec::new();
    for (subject, after) in after {
        let nothing = FieldTexts::new();
        let before = before.get(subject).unwrap_or(&nothing);
        let fields: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for field in fields {
            let (before, after) = (before.get(field).cloned(), after.get(field).cloned());
            if before != after {
                let (subject, field) = (subject.clone(), field.clone());
                changes.push(Change { subject, field, before, after });
            }
        }
    }
    changes
}
