//! By which sentence a value is expected.
//!
//! The note on a field in §2 states its form. Which value it has, other sentences state: those about the request that
//! wrote it last, or about the state that it shows. A finding cites the sentence that is broken, and a response that is
//! as expected upholds it.

mod terms;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tideover_model::wire::field::{self, Fields};
use tideover_model::{Clause, ImportRow, Operation, OperationKind, clause};

use crate::evidence::Point;
use crate::evidence::finding::OUTCOME;
use crate::exchange::{Prepared, Seen};
use crate::judge::ABSENT;
use crate::judge::meanings::is_onboarded;

use terms::{InvoiceHistories, TERMS, has_form};

/// What the requests of a run have written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grounds {
    invoices: InvoiceHistories,
    /// The businesses that were synced, by caller and identifier.
    businesses: BTreeSet<(String, String)>,
    /// The tax ids that were sent, by caller, as they were spelled.
    tax_ids: BTreeSet<(String, String)>,
    /// Whether the target has matched a tax id in the spelling in which another caller sent it before.
    matches_spelling: bool,
    /// The tax ids that were sent for a business for which another one was sent before, by their digits.
    replacing: BTreeSet<String>,
    /// The first tax id that was sent for each business, by its digits.
    first_tax_ids: BTreeMap<(String, String), String>,
    /// The businesses that got an advance, by caller and identifier.
    granted: BTreeSet<(String, String)>,
    /// The businesses that a read has shown to meet all four requirements, by caller and identifier.
    onboarded: BTreeSet<(String, String)>,
}

/// A value that is not as expected, as JSON.
#[derive(Clone, Copy)]
struct Difference<'a> {
    field: &'a str,
    expected: &'a str,
    seen: &'a str,
}

impl Difference<'_> {
    /// Whether a requirement that must be met is not, or its account is not shown.
    fn lacks_onboarding(self) -> bool {
        let Difference { field, expected, seen } = self;
        let is_unmet = REQUIREMENTS.iter().any(|(name, _)| *name == field)
            && (expected, seen) == ("true", "false");
        is_unmet || field == field::REMITTANCE && is_none(seen)
    }
}

impl Grounds {
    /// Learns from a response, and from the model's.
    pub(crate) fn learn(&mut self, sent: &Prepared, seen: &Seen, predicted: &Seen) {
        if !seen.is_success() || !predicted.is_success() {
            return;
        }
        self.invoices.learn(sent, predicted);
        self.learn_onboarding(sent, seen);
        if let Some(Operation::SyncBusiness { business, details }) =
            sent.call().and_then(|call| call.operation())
        {
            self.learn_tax_id(&(caller(sent), business.clone()), details.tax_id.as_deref());
            let is_new = self.businesses.insert((caller(sent), business.clone()));
            let is_matched = seen.success_body().map(Fields::of).and_then(Fields::created);
            let spelled = details.tax_id.as_deref();
            let is_known = spelled.is_some_and(|it| self.is_sent_elsewhere(sent, |one| one == it));
            self.matches_spelling |= is_new && is_known && is_matched == Some(false);
            self.tax_ids.extend(details.tax_id.clone().map(|tax_id| (caller(sent), tax_id)));
        }
    }

    fn learn_tax_id(&mut self, business: &(String, String), tax_id: Option<&str>) {
        let Some(tax_id) = tax_id.map(digits).filter(|tax_id| !tax_id.is_empty()) else { return };
        let first = self.first_tax_ids.entry(business.clone()).or_insert_with(|| tax_id.clone());
        if *first != tax_id {
            self.replacing.insert(tax_id);
        }
    }

    fn learn_onboarding(&mut self, sent: &Prepared, seen: &Seen) {
        let Some(body) = seen.success_body() else { return };
        match sent.call().and_then(|call| call.operation()) {
            Some(Operation::RequestAdvance { payee, .. })
                if Fields::of(body).already_requested() == Some(false) =>
            {
                self.granted.insert((caller(sent), payee.clone()));
            }
            Some(Operation::GetBusiness { business }) if is_onboarded(&body[field::ONBOARDING]) => {
                self.onboarded.insert((caller(sent), business.clone()));
            }
            _ => {}
        }
    }

    /// Replaces the clauses of points that contradict the document by the sentences that are broken, and leaves out
    /// points that another one explains.
    pub(crate) fn recite(&self, sent: &Prepared, predicted: &Seen, points: &mut Vec<Point>) {
        for point in points.iter_mut().filter(|point| point.contradicts()) {
            let Point { field, expected, seen, .. } = &*point;
            let differs = Difference { field, expected, seen };
            if let Some(clause) = self.broken_by(sent, predicted, differs) {
                point.clause = clause;
            }
        }
        // A response that shows the terms of another invoice shows the rest of it, too.
        let apart = clause!("1.general.3");
        if points.iter().any(|point| point.contradicts() && point.clause == apart) {
            for point in points.iter_mut().filter(|point| point.contradicts()) {
                point.clause = apart;
            }
        }
        // The reason is right for the `fundable` that is wrong.
        let wrong = points.iter().find(|it| it.contradicts() && it.field == field::FUNDABLE);
        if let Some(is_fundable) = wrong.map(|point| point.seen == "true") {
            points.retain(|point| {
                let is_reason = point.contradicts() && point.field == field::NOT_FUNDABLE_REASON;
                !(is_reason && is_none(&point.seen) == is_fundable)
            });
        }
    }

    /// The sentences that a response upholds if it is as expected, besides those on the form of its fields.
    pub(crate) fn upheld_by(&self, sent: &Prepared, predicted: &Seen) -> Vec<Clause> {
        let Some(body) = predicted.success_body() else { return Vec::new() };
        match sent.kind() {
            Some(OperationKind::GetInvoice) => self.invoices.upheld_by(sent),
            Some(OperationKind::SyncInvoice) => match Fields::of(body).outcome() {
                Some("statusOnly") => {
                    vec![clause!("3.invoice.2.2"), clause!("2.invoiceSynced.outcome.2")]
                }
                Some("created") if self.invoices.has_namesake(sent) => {
                    vec![clause!("1.general.3")]
                }
                _ => Vec::new(),
            },
            Some(OperationKind::ImportInvoices) => upheld_by_rows(body),
            Some(OperationKind::GetBusiness) => upheld_by_business(body),
            Some(OperationKind::SyncBusiness) => {
                let created = Fields::of(body).created();
                let upheld = created.and_then(|created| self.of_creation(sent, created));
                upheld.into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn broken_by(
        &self,
        sent: &Prepared,
        predicted: &Seen,
        differs: Difference<'_>,
    ) -> Option<Clause> {
        let Difference { field, expected, seen } = differs;
        match sent.kind()? {
            OperationKind::GetInvoice if TERMS.contains(&field) && has_form(field, seen) => {
                self.invoices.broken_by(sent, field, seen).or_else(|| of_unwritten_terms(predicted))
            }
            // What the payor paid beyond the face value counts for nothing.
            OperationKind::GetInvoice if field == field::COLLECTED => {
                let face =
                    predicted.success_body().and_then(|body| body[field::FACE_VALUE].as_i64());
                let is_beyond =
                    seen.parse::<i64>().ok().zip(face).is_some_and(|(seen, face)| seen > face);
                is_beyond.then_some(clause!("2.invoice.collected.2"))
            }
            OperationKind::GetBusiness if differs.lacks_onboarding() && self.is_granted(sent) => {
                Some(clause!("3.onboarding.2"))
            }
            OperationKind::GetBusiness => of_business(differs),
            OperationKind::SyncInvoice if field == field::OUTCOME => {
                self.of_outcome(sent, expected, seen)
            }
            OperationKind::ImportInvoices if field.ends_with(field::OUTCOME) => {
                self.of_row(sent, differs)
            }
            // A bad row must not fail the others.
            OperationKind::ImportInvoices if field == OUTCOME && has_bad_row(predicted) => {
                Some(clause!("4.imports.6"))
            }
            OperationKind::GetImport if is_of_report(field) && seen != ABSENT => {
                Some(clause!("4.import.1"))
            }
            OperationKind::SyncBusiness
                if field == field::CREATED && matches!(seen, "true" | "false") =>
            {
                let clause = self.of_creation(sent, expected == "true");
                // If no spelling was matched yet, it need not be for the punctuation.
                let by_spelling = clause == Some(clause!("2.businessSync.taxId"));
                match by_spelling && !self.matches_spelling {
                    true => Some(clause!("4.businessSync.3")),
                    false => clause,
                }
            }
            OperationKind::RequestAdvance if field == field::REMITTANCE && is_none(seen) => {
                Some(clause!("3.onboarding.4.2"))
            }
            OperationKind::RequestAdvance if field == field::CODE => {
                let repeats = predicted.success_body().map(Fields::of)?.already_requested();
                (repeats == Some(true)).then_some(clause!("4.advances.2.2"))
            }
            _ => None,
        }
    }

    /// The outcome of an invoice sync.
    fn of_outcome(&self, sent: &Prepared, expected: &str, seen: &str) -> Option<Clause> {
        let [expected, seen] = [expected, seen].map(|text| text.trim_matches('"'));
        if expected == "statusOnly" {
            return Some(clause!("3.invoice.2.2"));
        }
        if !matches!(seen, "created" | "updated" | "statusOnly") {
            return None;
        }
        let as_if_of_another = expected == "created" || seen == "statusOnly";
        Some(if as_if_of_another && self.invoices.has_namesake(sent) {
            clause!("1.general.3")
        } else if seen == "statusOnly" {
            clause!("2.invoiceSynced.outcome.2")
        } else {
            clause!("4.invoiceSync.1")
        })
    }

    /// The outcome of a row of an import.
    fn of_row(&self, sent: &Prepared, differs: Difference<'_>) -> Option<Clause> {
        let Difference { field, expected, seen } = differs;
        if seen == ABSENT {
            return None;
        }
        let row = row_at(sent, field);
        let sync = row.and_then(|row| row.sync.as_ref().ok());
        let problem = row.and_then(|row| row.sync.as_ref().err());
        // An invalid row is rejected each time.
        if problem.is_none() && self.invoices.is_resent(sent) {
            return Some(clause!("4.imports.7.2"));
        }
        let is_namesake = sync.is_some_and(|sync| self.invoices.is_namesake(&caller(sent), sync));
        Some(match expected.trim_matches('"') {
            "statusOnly" => clause!("3.invoice.2.2"),
            "created" if seen.trim_matches('"') == "updated" && is_namesake => {
                clause!("1.general.3")
            }
            "created" | "updated" => clause!("4.imports.2"),
            _ if problem.is_some_and(|problem| problem.starts_with(field::FACE_VALUE)) => {
                clause!("8.faceValue")
            }
            _ => clause!("4.imports.6"),
        })
    }

    /// Whether only a granted advance shows that a business meets all four requirements.
    fn is_granted(&self, sent: &Prepared) -> bool {
        let Some(Operation::GetBusiness { business }) =
            sent.call().and_then(|call| call.operation())
        else {
            return false;
        };
        let name = (caller(sent), business.clone());
        self.granted.contains(&name) && !self.onboarded.contains(&name)
    }

    /// By which sentence a sync creates a business, or does not.
    fn of_creation(&self, sent: &Prepared, creates: bool) -> Option<Clause> {
        let Some(Operation::SyncBusiness { business, details }) =
            sent.call().and_then(|call| call.operation())
        else {
            return None;
        };
        let is_linked = self.businesses.contains(&(caller(sent), business.clone()));
        match (creates, &details.tax_id) {
            (true, None) => Some(clause!("4.businessSync.3.2")),
            // A business keeps the tax id that it has, so that nobody holds the other one.
            (true, Some(spelled)) => {
                self.replacing.contains(&digits(spelled)).then_some(clause!("4.businessSync.2"))
            }
            (false, _) if is_linked => Some(clause!("4.businessSync.intro.2")),
            (false, Some(spelled)) if self.is_sent_elsewhere(sent, |one| one == spelled) => {
                Some(clause!("4.businessSync.3"))
            }
            // Only another spelling of it was sent before.
            (false, Some(spelled))
                if self.is_sent_elsewhere(sent, |one| digits(one) == digits(spelled)) =>
            {
                Some(clause!("2.businessSync.taxId"))
            }
            // That two identifiers of one caller are one business is assumed (`gap.oneTaxIdTwoIdentifiers`).
            (false, _) => None,
        }
    }

    /// Whether another caller has sent such a tax id.
    fn is_sent_elsewhere(&self, sent: &Prepared, is_it: impl Fn(&str) -> bool) -> bool {
        let own = caller(sent);
        self.tax_ids.iter().any(|(owner, spelled)| *owner != own && is_it(spelled))
    }
}

/// The terms of an invoice that the run has not written: an advance fixes them.
fn of_unwritten_terms(predicted: &Seen) -> Option<Clause> {
    let advance = &predicted.success_body()?[field::ADVANCE];
    (!advance.is_null()).then_some(clause!("3.invoice.2"))
}

/// The clause of each requirement of a business (§3).
const REQUIREMENTS: [(&str, Clause); 4] = [
    ("onboarding.compliance", clause!("3.requirement.compliance")),
    ("onboarding.contract", clause!("3.requirement.contract")),
    ("onboarding.bank", clause!("3.requirement.bank")),
    ("onboarding.collectionAccount", clause!("3.requirement.collectionAccount")),
];

fn caller(sent: &Prepared) -> String {
    sent.authorization.clone().unwrap_or_default()
}

/// A tax id without its punctuation.
fn digits(spelled: &str) -> String {
    spelled.chars().filter(char::is_ascii_digit).collect()
}

/// The row of an import that a field of its report is about.
fn row_at<'a>(sent: &'a Prepared, field: &str) -> Option<&'a ImportRow> {
    let index: usize = field.split('.').nth(1)?.parse().ok()?;
    match sent.call()?.operation()? {
        Operation::ImportInvoices { file, .. } => file.rows.get(index),
        _ => None,
    }
}

/// Whether a value is null or missing.
fn is_none(seen: &str) -> bool {
    seen == "null" || seen == ABSENT
}

/// A field of a business.
fn of_business(differs: Difference<'_>) -> Option<Clause> {
    let Difference { field, expected, seen } = differs;
    let is_a =
        |is_it: fn(&Value) -> bool| serde_json::from_str(seen).is_ok_and(|seen| is_it(&seen));
    let requirement = REQUIREMENTS.iter().find(|(name, _)| *name == field);
    if let Some((_, clause)) = requirement.filter(|_| is_a(Value::is_boolean)) {
        return Some(*clause);
    }
    match field {
        field::NAME if is_a(Value::is_string) => Some(clause!("4.businessSync.intro.2")),
        field::COMPLIANCE_ROUTE
            if [expected, seen].contains(&"\"PARTNER_SUPPLIED\"")
                && is_a(Value::is_string)
                && expected != "null" =>
        {
            Some(clause!("2.business.complianceRoute.2"))
        }
        field::REMITTANCE if is_none(seen) => Some(clause!("3.onboarding.4.2")),
        field::REMITTANCE if expected == "null" => Some(clause!("2.business.remittance.2")),
        _ => None,
    }
}

/// Whether a field of an import report follows from the upload.
fn is_of_report(field: &str) -> bool {
    let first = field.split('.').next().unwrap_or_default();
    ["rowCount", field::FINISHED, field::ROWS].contains(&first)
}

/// Whether a report should have a rejected row among others.
fn has_bad_row(predicted: &Seen) -> bool {
    let rows = predicted.success_body().and_then(|body| Fields::of(body).rows());
    rows.is_some_and(|rows| rows.iter().any(|row| Fields::of(row).outcome() == Some("rejected")))
}

/// The sentences that a report of an import upholds.
fn upheld_by_rows(body: &Value) -> Vec<Clause> {
    let rows = Fields::of(body).rows().unwrap_or_default();
    let is_synced = |row: &Value| {
        matches!(Fields::of(row).outcome(), Some("created" | "updated" | "statusOnly"))
    };
    let is_locked = rows.iter().any(|row| Fields::of(row).outcome() == Some("statusOnly"));
    let synced = rows.iter().filter(|row| is_synced(row)).count();
    let upheld = [
        (clause!("4.imports.2"), synced > 0),
        (clause!("4.imports.6"), synced > 0 && synced < rows.len()),
        (clause!("3.invoice.2.2"), is_locked),
    ];
    upheld.into_iter().filter(|(_, holds)| *holds).map(|(clause, _)| clause).collect()
}

/// The sentences that a read of a business upholds.
fn upheld_by_business(body: &Value) -> Vec<Clause> {
    let of_account = match Fields::of(body).remittance() {
        Some(_) => clause!("3.onboarding.4.2"),
        None => clause!("2.business.remittance.2"),
    };
    let is_supplied = Fields::of(body).compliance_route() == Some("PARTNER_SUPPLIED");
    let of_route = is_supplied.then_some(clause!("2.business.complianceRoute.2"));
    let of_requirements = REQUIREMENTS.map(|(_, clause)| clause);
    of_requirements.into_iter().chain([of_account]).chain(of_route).collect()
}
