//! What a caller has sent about its invoices, and what became of it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tideover_exchange::matcher::same_text;
use tideover_exchange::{Prepared, Response};
use tideover_model::wire::field::{self, Fields};
use tideover_model::words::InvoiceStatus;
use tideover_model::{Clause, FaceValue, InvoiceSync, Operation, OperationKind, Timestamp, clause};

use crate::grounds::{Difference, caller};

/// An invoice, by the `Authorization` header of its caller, its payee and its identifier.
pub(super) type InvoiceKey = (String, String, String);

/// The fields of an invoice that only a sync writes, besides `status`.
pub(super) const TERMS: [&str; 3] = [field::FACE_VALUE, field::ISSUE_DATE, field::DUE_DATE];

/// What a sync sends of an invoice, by field.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Terms {
    face_value: i64,
    issue_date: String,
    due_date: String,
}

impl Terms {
    fn of(sync: &InvoiceSync) -> Terms {
        Terms {
            face_value: sync.face_value.cents().0,
            issue_date: sync.issue_date.to_string(),
            due_date: sync.due_date.to_string(),
        }
    }

    /// Whether a field of a response shows these terms. `shown` is JSON.
    fn show(&self, field: &str, shown: &str) -> bool {
        let text = shown.trim_matches('"');
        match field {
            field::FACE_VALUE => text == self.face_value.to_string(),
            field::ISSUE_DATE => same_text(text, &self.issue_date),
            field::DUE_DATE => same_text(text, &self.due_date),
            _ => false,
        }
    }

    /// Whether the body of an invoice shows these terms.
    fn are_shown(&self, invoice: &Value) -> bool {
        TERMS.into_iter().all(|field| self.show(field, &invoice[field].to_string()))
    }
}

/// What was sent about an invoice.
#[derive(Clone, Debug)]
struct History {
    /// The terms that the last sync wrote, and the sentence by which it did.
    written: (Terms, Clause),
    /// Whether a read has shown what the last sync wrote.
    is_confirmed: bool,
    /// The last read of an invoice with an advance, and whether a sync came after it.
    shown: Option<(Value, bool)>,
    /// The terms of earlier syncs.
    earlier: Vec<Terms>,
    /// The terms of syncs that changed the status alone.
    ignored: Vec<Terms>,
    /// The terms of rows that a resent import skips.
    skipped: Vec<Terms>,
    /// Every status that was sent.
    statuses: BTreeSet<InvoiceStatus>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct InvoiceHistories {
    invoices: BTreeMap<InvoiceKey, History>,
    /// The imports that were uploaded, by caller and identifier.
    imports: BTreeSet<(String, String)>,
}

impl InvoiceHistories {
    /// Learns from a request that succeeds, and what the model responds.
    pub(super) fn learn(&mut self, sent: &Prepared, seen: &Response, predicted: &Response) {
        let Some(operation) = sent.call().and_then(|call| call.operation()) else { return };
        let Some(body) = predicted.success_body() else { return };
        let caller = caller(sent);
        match operation {
            Operation::SyncInvoice(sync) => {
                let outcome = Fields::of(body).outcome().unwrap_or_default();
                self.learn_sync(&caller, sync, outcome, clause!("4.invoiceSync.1"));
            }
            Operation::ImportInvoices { import, file } => {
                let is_resent = !self.imports.insert((caller.clone(), import.clone()));
                let rows = Fields::of(body).rows().unwrap_or_default();
                for (row, reported) in file.rows.iter().zip(rows) {
                    let Ok(sync) = &row.sync else { continue };
                    let outcome = Fields::of(reported).outcome().unwrap_or_default();
                    if is_resent && self.has_written(&caller, sync) {
                        self.skip(&caller, sync);
                    } else {
                        self.learn_sync(&caller, sync, outcome, clause!("4.imports.2"));
                    }
                }
            }
            Operation::GetInvoice { .. } => self.confirm(sent, seen),
            _ => {}
        }
    }

    fn confirm(&mut self, sent: &Prepared, seen: &Response) {
        let known = read_key(sent).and_then(|key| self.invoices.get_mut(&key));
        let Some((known, shown)) = known.zip(seen.success_body()) else { return };
        known.is_confirmed |= known.written.0.are_shown(shown);
        known.shown = Fields::of(shown).advance().is_some().then(|| (shown.clone(), false));
    }

    fn learn_sync(&mut self, caller: &str, sync: &InvoiceSync, outcome: &str, by: Clause) {
        let (key, terms) = (key_of(caller, sync), Terms::of(sync));
        let mut known = self.invoices.get_mut(&key);
        if let Some((_, is_synced)) = known.as_mut().and_then(|known| known.shown.as_mut()) {
            *is_synced = true;
        }
        match (outcome, known) {
            ("statusOnly", Some(known)) => known.ignored.push(terms),
            ("created" | "updated", Some(known)) => {
                let before = std::mem::replace(&mut known.written, (terms, by));
                known.earlier.push(before.0);
                known.skipped.clear();
                known.is_confirmed = false;
            }
            ("created" | "updated", None) => {
                let history = History {
                    written: (terms, by),
                    is_confirmed: false,
                    shown: None,
                    earlier: Vec::new(),
                    ignored: Vec::new(),
                    skipped: Vec::new(),
                    statuses: BTreeSet::new(),
                };
                self.invoices.insert(key.clone(), history);
            }
            _ => {}
        }
        if let Some(known) = self.invoices.get_mut(&key) {
            known.statuses.insert(sync.status);
        }
    }

    /// Whether an upload repeats an import identifier.
    pub(super) fn is_resent(&self, sent: &Prepared) -> bool {
        match sent.call().and_then(|call| call.operation()) {
            Some(Operation::ImportInvoices { import, .. }) => {
                self.imports.contains(&(caller(sent), import.clone()))
            }
            _ => false,
        }
    }

    fn has_written(&self, caller: &str, sync: &InvoiceSync) -> bool {
        let terms = Terms::of(sync);
        let known = self.invoices.get(&key_of(caller, sync));
        known.is_some_and(|known| known.written.0 == terms || known.earlier.contains(&terms))
    }

    fn skip(&mut self, caller: &str, sync: &InvoiceSync) {
        if let Some(known) = self.invoices.get_mut(&key_of(caller, sync)) {
            known.skipped.push(Terms::of(sync));
        }
    }

    /// The sentence that a read breaks with the value `seen` in one of the [`TERMS`].
    pub(super) fn broken_by(&self, sent: &Prepared, field: &str, seen: &str) -> Option<Clause> {
        let key = read_key(sent)?;
        let known = self.invoices.get(&key)?;
        let any = |terms: &[Terms]| terms.iter().any(|one| one.show(field, seen));
        let is_of_another = || self.namesakes(&key).any(|other| other.written.0.show(field, seen));
        // What no read has shown since was perhaps never written: then nothing brought the earlier terms back.
        let is_left = !known.is_confirmed && any(&known.earlier);
        Some(if any(&known.ignored) && !is_left {
            clause!("3.invoice.2")
        } else if any(&known.skipped) && !is_left {
            clause!("4.imports.7.2")
        } else if !any(&known.earlier) && is_of_another() {
            clause!("1.general.3")
        } else {
            known.written.1
        })
    }

    /// The sentence that is broken if a sync has moved what is no part of it: an invoice with an advance showed the
    /// expected value before the sync, and shows another one after it.
    pub(super) fn moved_by_sync(&self, sent: &Prepared, differs: Difference<'_>) -> Option<Clause> {
        let (shown, is_synced) = self.invoices.get(&read_key(sent)?)?.shown.as_ref()?;
        let mut path = differs.field.split('.');
        let before = path.try_fold(shown, |place, name| place.get(name))?.to_string();
        (*is_synced && before == differs.expected).then_some(clause!("4.invoiceSync.6"))
    }

    /// Whether a read shows a status that the caller never sent for the invoice. `seen` is JSON.
    pub(super) fn is_unsent_status(&self, sent: &Prepared, seen: &str) -> bool {
        let status = InvoiceStatus::parse(seen.trim_matches('"'));
        let known = read_key(sent).and_then(|key| self.invoices.get(&key));
        known.zip(status).is_some_and(|(known, status)| !known.statuses.contains(&status))
    }

    /// The sentences that a read upholds if it shows the terms of an invoice as expected.
    pub(super) fn upheld_by(&self, sent: &Prepared, body: &Value) -> Vec<Clause> {
        let Some(key) = read_key(sent) else { return Vec::new() };
        let Some(known) = self.invoices.get(&key) else { return Vec::new() };
        let (written, by) = &known.written;
        let differs = |terms: &[Terms]| terms.iter().any(|one| one != written);
        let ignored = differs(&known.ignored).then_some(clause!("3.invoice.2"));
        let skipped = differs(&known.skipped).then_some(clause!("4.imports.7.2"));
        let is_apart = self.namesakes(&key).any(|other| other.written.0 != *written);
        let apart = is_apart.then_some(clause!("1.general.3"));
        // Money that moves is the occasion on which a service might change the status.
        let has_moved = !body[field::ADVANCE].is_null() || body[field::COLLECTED] != 0;
        let kept = has_moved.then_some(clause!("2.invoice.status.2"));
        [Some(*by), ignored, skipped, apart, kept].into_iter().flatten().collect()
    }

    /// The caller's invoices of the same identifier that have another payee.
    fn namesakes(&self, (caller, payee, invoice): &InvoiceKey) -> impl Iterator<Item = &History> {
        let others = self.invoices.iter().filter(move |((owner, other, name), _)| {
            owner == caller && other != payee && name == invoice
        });
        others.map(|(_, history)| history)
    }

    /// Whether a read shows the terms of the caller's invoice of this identifier that has another payee.
    pub(super) fn is_shown_for_another(&self, sent: &Prepared, shown: &Value) -> bool {
        let Some(key) = read_key(sent) else { return false };
        let is_shown = |other: &History| other.written.0.are_shown(shown);
        self.namesakes(&key).any(is_shown)
    }

    /// Whether the caller has synced an invoice of this identifier for another payee.
    pub(super) fn has_namesake(&self, sent: &Prepared) -> bool {
        match sent.call().and_then(|call| call.operation()) {
            Some(Operation::SyncInvoice(sync)) => self.is_namesake(&caller(sent), sync),
            _ => false,
        }
    }

    /// Whether a sync names an invoice of the same identifier as one of another payee.
    pub(super) fn is_namesake(&self, caller: &str, sync: &InvoiceSync) -> bool {
        self.namesakes(&key_of(caller, sync)).next().is_some()
    }
}

pub(super) fn key_of(caller: &str, sync: &InvoiceSync) -> InvoiceKey {
    (caller.to_owned(), sync.payee.business.clone(), sync.invoice.clone())
}

fn read_key(sent: &Prepared) -> Option<InvoiceKey> {
    if sent.kind() != Some(OperationKind::GetInvoice) {
        return None;
    }
    match sent.call()?.operation()? {
        Operation::GetInvoice { payee, invoice } => {
            Some((caller(sent), payee.clone(), invoice.clone()))
        }
        _ => None,
    }
}

/// Whether a text of JSON is of the type that a field has by its note in §2.
pub(super) fn has_form(field: &str, shown: &str) -> bool {
    let value: Option<Value> = serde_json::from_str(shown).ok();
    match field {
        field::FACE_VALUE => value.and_then(|value| FaceValue::new(value.as_i64()?)).is_some(),
        _ => value.is_some_and(|value| value.as_str().and_then(Timestamp::parse).is_some()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use tideover_exchange::Memory;
    use tideover_exchange::step::{Action, Call, Step};

    use super::*;

    const DATES: [&str; 2] = ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"];

    fn terms(face_value: i64) -> Value {
        json!({ "faceValue": face_value, "issueDate": DATES[0], "dueDate": DATES[1] })
    }

    /// The sentence that a read breaks which shows the terms of the first sync. The second one changed them, and an
    /// advance stands since; the third one sent the first ones again.
    fn broken(is_second_seen: bool) -> Option<Clause> {
        let prepared = |call| {
            let step = Step::new(Action::Call(call));
            Prepared::from_step(&step, &Memory::default(), "key")
        };
        let sync = |face_value| {
            let mut sent = terms(face_value);
            sent["status"] = "ISSUED".into();
            sent["payee"] = json!({ "externalId": "v1", "legalName": "V1" });
            sent["payor"] = json!({ "externalId": "p1", "legalName": "P1" });
            prepared(Call::json("PUT", "/v1/invoices/i1", sent))
        };
        let body = |body: Value| Response::new(200, body.to_string().as_bytes());
        let mut histories = InvoiceHistories::default();
        let mut learn = |sent: &Prepared, answer: Response| histories.learn(sent, &answer, &answer);
        let read = prepared(Call::bare("GET", "/v1/organizations/v1/invoices/i1"));
        learn(&sync(700), body(json!({ "outcome": "created" })));
        learn(&sync(800), body(json!({ "outcome": "updated" })));
        if is_second_seen {
            learn(&read, body(terms(800)));
        }
        learn(&sync(700), body(json!({ "outcome": "statusOnly" })));
        histories.broken_by(&read, field::FACE_VALUE, "700")
    }

    #[test]
    fn earlier_terms_come_back_only_where_later_ones_were_seen() {
        assert_eq!(broken(true), Some(clause!("3.invoice.2")));
        assert_eq!(broken(false), Some(clause!("4.invoiceSync.1")));
    }
}
