//! What a step has changed in the model: reads of businesses and invoices, before and after.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tideover_exchange::Memory;
use tideover_exchange::step::{Action, Call, Caller, Step};
use tideover_exchange::target::{INBOX, ModelTarget};
use tideover_exchange::transcript::Transcript;
use tideover_exchange::{Prepared, PreparedAction, PreparedCall, masked_field};
use tideover_model::wire::difference::{FieldChange, FieldTexts, changed, field_texts};
use tideover_model::wire::field::{self, Fields};
use tideover_model::wire::overview::{business_named, invoice_named};
use tideover_model::{Operation, OperationKind, Service};

use crate::document::{Change, Difference};

/// The changes of the last step with an effect; `None` if no step has one.
pub(super) fn difference(transcript: &Transcript) -> Option<Difference> {
    let Transcript { header, steps, .. } = transcript;
    let mut model = ModelTarget::new(header.profile.clone(), header.seed, header.start);
    let mut memory = Memory::with_inbox(INBOX).starting(header.start);
    let mut subjects = BTreeSet::new();
    let mut worlds = vec![(model.clone(), memory.clone())];
    for step in steps {
        let sent = Prepared::from_step(step, &memory, Service::FIRST_KEY);
        let answer = model.play(&sent);
        memory.keep(step, answer.json());
        subjects.extend(named(step, &sent, answer.json()));
        worlds.push((model.clone(), memory.clone()));
    }
    let read = |(model, memory): &(ModelTarget, Memory)| read_all(model, memory, &subjects);
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
            None => business_named(&self.business),
            Some(invoice) => invoice_named(invoice, &self.business),
        };
        match &self.key {
            None => words,
            Some(key) => format!("{words} (as {key})"),
        }
    }

    fn read(&self) -> Step {
        let call = match &self.invoice {
            None => Call::of(OperationKind::GetBusiness, &[&self.business], None),
            Some(invoice) => Call::of(OperationKind::GetInvoice, &[&self.business, invoice], None),
        };
        let caller = self.key.clone().map_or(Caller::Default, Caller::Key);
        Step::new(Action::Call(call)).by(&caller)
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
            let business = text(field::PAYEE_EXTERNAL_ID).or_else(|| text(field::EXTERNAL_ID));
            vec![(business, text(field::INVOICE_EXTERNAL_ID))]
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
    let Some(operation) = call.operation() else { return Vec::new() };
    let named = |text: Option<&str>| text.map(str::to_owned);
    match operation {
        Operation::ImportInvoices { .. } | Operation::GetImport { .. } => {
            let rows = answer.map(Fields::of).and_then(Fields::rows).unwrap_or_default();
            let pair = |row: &Value| {
                let text = |name| named(row[name].as_str());
                (text(field::PAYEE_EXTERNAL_ID), text(field::EXTERNAL_ID))
            };
            rows.iter().map(pair).collect()
        }
        _ => {
            let subject = operation.subject();
            let payors = operation.syncs().into_iter().map(|sync| sync.payor.business.clone());
            let own = (named(subject.business()), named(subject.invoice()));
            [own].into_iter().chain(payors.map(|payor| (Some(payor), None))).collect()
        }
    }
}

fn read_all(
    model: &ModelTarget,
    memory: &Memory,
    subjects: &BTreeSet<ReadTarget>,
) -> BTreeMap<String, FieldTexts> {
    let mut model = model.clone();
    let read = |subject: &ReadTarget| {
        let key = Service::FIRST_KEY;
        let seen = model.play(&Prepared::from_step(&subject.read(), memory, key));
        let text = |name: &str, value: &Value| Some(masked_field(name, value));
        let fields = seen.success_body().map(|body| field_texts(body, text));
        (subject.words(), fields.unwrap_or_default())
    };
    subjects.iter().map(read).collect()
}

fn changes(
    before: &BTreeMap<String, FieldTexts>,
    after: &BTreeMap<String, FieldTexts>,
) -> Vec<Change> {
    let nothing = FieldTexts::new();
    let of_subject = |(subject, after): (&String, &FieldTexts)| {
        let subject = subject.clone();
        let fields = changed(before.get(&subject).unwrap_or(&nothing), after);
        let change = move |FieldChange { field, before, after }| Change {
            subject: subject.clone(),
            field,
            before,
            after,
        };
        fields.into_iter().map(change)
    };
    after.iter().flat_map(of_subject).collect()
}
