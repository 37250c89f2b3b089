//! By which sentence a value is expected.
//!
//! The note on a field in §2 states its form. Which value it has, other sentences state: those about the request that
//! wrote it last, or about the state that it shows. A finding cites the sentence that is broken, and a response that is
//! as expected upholds it.

mod origins;
mod rows;
mod tax_ids;
mod terms;
mod values;

use std::collections::BTreeSet;

use serde_json::Value;
use tideover_exchange::evidence::Point;
use tideover_exchange::evidence::finding::OUTCOME;
use tideover_exchange::{Prepared, Response};
use tideover_model::destination::is_left_open;
use tideover_model::wire::field::{self, Fields};
use tideover_model::wire::import_file::lacks_column;
use tideover_model::wire::route::route;
use tideover_model::wire::schema::find;
use tideover_model::{
    ActionKind, Clause, Code, ImportRow, Operation, OperationKind, clause, tax_id_digits,
};

use crate::comparison::{ABSENT, SUCCESS, WITHOUT_CODE, is_synced};

use origins::Origins;
pub use origins::undone_by;
use rows::Uploads;
pub(crate) use rows::{if_rejected, uploaded_rows};
use tax_ids::TaxIds;
use terms::{InvoiceHistories, TERMS, has_form};
use values::decided_by;

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
    /// What each sync of a business sent as its tax id.
    compliance: TaxIds,
    uploads: Uploads,
    /// By which requests things came to be.
    origins: Origins,
}

/// A request with its response, and the model's response.
#[derive(Clone, Copy)]
struct Compared<'a> {
    sent: &'a Prepared,
    answer: &'a Response,
    predicted: &'a Response,
}

/// A value that is not as expected, as JSON.
#[derive(Clone, Copy)]
struct Difference<'a> {
    field: &'a str,
    expected: &'a str,
    seen: &'a str,
}

impl Difference<'_> {
    /// Whether what was seen is JSON of this kind.
    fn is(self, is_it: fn(&Value) -> bool) -> bool {
        serde_json::from_str(self.seen).is_ok_and(|seen| is_it(&seen))
    }

    /// Whether a refusal has its status and no code.
    fn lacks_code(self) -> bool {
        let Difference { field, expected, seen } = self;
        let is_status = |status: &str| expected.split(' ').next() == Some(status);
        field == field::CODE && seen.strip_suffix(WITHOUT_CODE).is_some_and(is_status)
    }

    /// Whether a request succeeds that this refusal is due to.
    fn accepts(self, refusal: Code) -> bool {
        self.field == OUTCOME
            && self.expected.contains(refusal.name())
            && self.seen.starts_with(SUCCESS)
    }

    /// Whether a requirement that must be met is not, or its account is not shown.
    fn lacks_onboarding(self) -> bool {
        let Difference { field, expected, seen } = self;
        let is_unmet = field.starts_with("onboarding.") && (expected, seen) == ("true", "false");
        is_unmet || field == field::REMITTANCE && is_none(seen)
    }
}

impl Grounds {
    /// Learns from a response, and from the model's.
    pub(crate) fn learn(&mut self, sent: &Prepared, seen: &Response, predicted: &Response) {
        if !seen.is_success() || !predicted.is_success() {
            return;
        }
        self.uploads.learn(sent);
        self.origins.learn(sent, seen);
        self.invoices.learn(sent, seen, predicted);
        if sent.acts() == Some(ActionKind::TaxIdFoundWrong) {
            self.compliance.learn_mistake();
        }
        match sent.kind() {
            Some(OperationKind::SyncBusiness) => self.learn_sync(sent, seen),
            Some(OperationKind::GetBusiness) if is_cleared(seen.success_body()) == Some(true) => {
                business_of(sent)
                    .into_iter()
                    .for_each(|business| self.compliance.learn_cleared(business));
            }
            _ => {}
        }
    }

    fn learn_sync(&mut self, sent: &Prepared, seen: &Response) {
        if let Some(Operation::SyncBusiness { business, details }) =
            sent.call().and_then(|call| call.operation())
        {
            self.compliance.learn(name_of(sent, business), details.tax_id.as_deref());
            let is_new = self.businesses.insert((caller(sent), business.clone()));
            let is_matched = seen.success_body().map(Fields::of).and_then(Fields::created);
            let spelled = details.tax_id.as_deref();
            let is_known = spelled.is_some_and(|it| self.is_sent_elsewhere(sent, |one| one == it));
            self.matches_spelling |= is_new && is_known && is_matched == Some(false);
            self.tax_ids.extend(details.tax_id.clone().map(|tax_id| (caller(sent), tax_id)));
        } else if let Some((business, tax_id)) = of_lenient_sync(sent) {
            self.compliance.learn(name_of(sent, &business), tax_id);
        }
    }

    /// Replaces the clauses of points that contradict the document by the sentences that are broken, and leaves out
    /// points that another one explains.
    pub(crate) fn recite(
        &self,
        (sent, answer): (&Prepared, &Response),
        predicted: &Response,
        points: &mut Vec<Point>,
    ) {
        // That columns are required, no code says: each row may have an outcome of its own.
        if sent.kind() == Some(OperationKind::ImportInvoices)
            && sent.call().is_none_or(|call| lacks_column(call.body()))
            && rejects_each_row(sent, answer)
        {
            points.retain(|point| !point.contradicts());
        }
        for point in points.iter_mut().filter(|point| point.contradicts()) {
            let Point { field, expected, seen, .. } = &*point;
            let differs = Difference { field, expected, seen };
            if let Some(clause) = self.broken_by(Compared { sent, answer, predicted }, differs) {
                point.clause = clause;
            }
            if point.clause == BEYOND_FACE_VALUE
                && let Some(face) = face_value_of(predicted)
            {
                point.expected = format!("at most {face}");
            }
        }
        // A response that shows the terms of another invoice shows the rest of it, too.
        let apart = clause!("1.general.3");
        let is_anothers = predicted.success_body().is_none()
            && answer
                .success_body()
                .is_some_and(|shown| self.invoices.is_shown_for_another(sent, shown));
        if is_anothers || points.iter().any(|point| point.contradicts() && point.clause == apart) {
            for point in points.iter_mut().filter(|point| point.contradicts()) {
                point.clause = apart;
            }
        }
        // What is collected is at most the face value that is wrong.
        drop_explained(points, field::FACE_VALUE, field::COLLECTED, |face, seen| face == seen);
        // A reason, or none, is right for the `fundable` that is wrong, and so is a result for `created`.
        let fits = |flag: &str, seen: &str| is_none(seen) == (flag == "true");
        drop_explained(points, field::FUNDABLE, field::NOT_FUNDABLE_REASON, fits);
        drop_explained(points, field::CREATED, field::TAX_ID_RESULT, fits);
    }

    /// The sentences that a response upholds if it is as expected, besides those on the form of its fields.
    pub(crate) fn upheld_by(&self, sent: &Prepared, predicted: &Response) -> Vec<Clause> {
        if predicted.code() == Some(Code::DestinationRefused.name()) {
            return rule_of_destinations(sent).into_iter().collect();
        }
        let Some(body) = predicted.success_body() else { return Vec::new() };
        match sent.kind() {
            Some(OperationKind::GetInvoice) => {
                let advanced = Fields::of(body).advance().map(|_| clause!("2.invoice.advance.2"));
                self.invoices.upheld_by(sent, body).into_iter().chain(advanced).collect()
            }
            Some(OperationKind::SyncInvoice) => match Fields::of(body).outcome() {
                Some("statusOnly") => {
                    vec![clause!("3.invoice.2.2"), clause!("2.invoiceSynced.outcome.2")]
                }
                Some("created") if self.invoices.has_namesake(sent) => {
                    vec![clause!("1.general.3")]
                }
                _ => Vec::new(),
            },
            Some(OperationKind::ImportInvoices) => self.uploads.upheld_by(sent, body),
            Some(OperationKind::GetBusiness) => upheld_by_business(body),
            Some(OperationKind::RequestAdvance)
                if Fields::of(body).already_requested() == Some(true) =>
            {
                vec![clause!("2.advance.alreadyRequested.2")]
            }
            Some(OperationKind::CreateOnboardingSession) => vec![clause!("4.sessions.6")],
            Some(OperationKind::SyncBusiness) => {
                let created = Fields::of(body).created();
                let upheld = created.and_then(|created| self.of_creation(sent, created));
                upheld.into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The sentence that a wrong value breaks: one on what was sent, or else the one that states the field's value.
    fn broken_by(&self, compared: Compared<'_>, differs: Difference<'_>) -> Option<Clause> {
        let Compared { sent, predicted, .. } = compared;
        let kind = sent.kind()?;
        if differs.lacks_code() {
            return Some(clause!("7.shape.code"));
        }
        if let Some(clause) = self.of_denial(compared) {
            return Some(clause);
        }
        let by_history = match kind {
            OperationKind::GetInvoice => self.of_invoice(sent, predicted, differs),
            OperationKind::GetBusiness => self.of_business(compared, differs),
            OperationKind::SyncInvoice if differs.field == field::OUTCOME => {
                self.of_outcome(sent, differs)
            }
            OperationKind::ImportInvoices => self.of_upload(sent, predicted, differs),
            OperationKind::SyncBusiness => self.of_sync(sent, differs),
            OperationKind::Subscribe => of_destination(sent, differs),
            OperationKind::RequestAdvance if differs.field == field::CODE => {
                let repeats = predicted.success_body().map(Fields::of)?.already_requested();
                (repeats == Some(true)).then_some(clause!("4.advances.2.2"))
            }
            _ => None,
        };
        by_history.or_else(|| decided_by(kind, differs))
    }

    /// What a refusal denies that no response has shown, or that a write has undone.
    fn of_denial(&self, Compared { sent, answer, predicted }: Compared<'_>) -> Option<Clause> {
        let code = Code::parse(answer.code()?)?;
        // Under an encoded name the service may look for another one.
        let is_encoded = sent.call()?.path.contains('%');
        if predicted.code() == answer.code() || is_encoded {
            return None;
        }
        match code {
            Code::BusinessNotFound => self.origins.of_business(sent),
            Code::InvoiceNotFound => self.origins.of_invoice(sent),
            Code::BusinessNotEligible => self.origins.undone_by(sent, field::ONBOARDING),
            _ => None,
        }
    }

    fn of_invoice(
        &self,
        sent: &Prepared,
        predicted: &Response,
        differs: Difference<'_>,
    ) -> Option<Clause> {
        let Difference { field, seen, .. } = differs;
        match field {
            field if TERMS.contains(&field) && has_form(field, seen) => {
                let written = self.invoices.broken_by(sent, field, seen);
                written.or_else(|| of_unwritten_terms(predicted))
            }
            field::STATUS if self.invoices.is_unsent_status(sent, seen) => {
                Some(clause!("2.invoice.status.2"))
            }
            field::COLLECTED => {
                let collected = seen.parse::<i64>().ok();
                let is_beyond = collected.zip(face_value_of(predicted));
                // What the payor paid beyond the face value counts for nothing.
                let is_beyond = is_beyond.is_some_and(|(seen, face)| seen > face);
                let beyond = is_beyond.then_some(BEYOND_FACE_VALUE);
                beyond.or_else(|| self.invoices.moved_by_sync(sent, differs))
            }
            _ => self.invoices.moved_by_sync(sent, differs),
        }
    }

    fn of_business(&self, compared: Compared<'_>, differs: Difference<'_>) -> Option<Clause> {
        let Compared { sent, answer, predicted } = compared;
        if differs.lacks_onboarding() {
            let undone = self.origins.undone_by(sent, differs.field);
            let granted = || self.origins.is_granted(sent).then_some(clause!("3.onboarding.2"));
            if let Some(clause) = undone.or_else(granted) {
                return Some(clause);
            }
        }
        let is_about_it = [COMPLIANCE, field::COMPLIANCE_ROUTE].contains(&differs.field);
        let [cleared, shown] = [predicted, answer].map(|one| is_cleared(one.success_body()));
        let (cleared, shown) = cleared.zip(shown)?;
        if !is_about_it || cleared == shown {
            return None;
        }
        self.compliance.broken_by(&business_of(sent)?, cleared)
    }

    fn of_upload(
        &self,
        sent: &Prepared,
        predicted: &Response,
        differs: Difference<'_>,
    ) -> Option<Clause> {
        let Difference { field, expected, seen } = differs;
        match field {
            // A bad row must not fail the others.
            OUTCOME if has_bad_row(predicted) => Some(clause!("4.imports.6")),
            field::ROWS if has_bad_row(predicted) && differs.is(Value::is_array) => {
                Some(clause!("4.imports.6"))
            }
            field::FINISHED
                if (expected, seen) == ("true", "false") && self.invoices.is_resent(sent) =>
            {
                Some(clause!("4.imports.7"))
            }
            field if field.ends_with(field::OUTCOME) => self.of_row(sent, differs),
            _ => self.uploads.misnamed(sent, differs),
        }
    }

    fn of_sync(&self, sent: &Prepared, differs: Difference<'_>) -> Option<Clause> {
        let Difference { field, expected, seen } = differs;
        if field == RESULT && differs.is(Value::is_string) {
            return self.compliance.of_result(&business_of(sent)?, sent, seen);
        }
        if field != field::CREATED || !differs.is(Value::is_boolean) {
            return None;
        }
        let clause = self.of_creation(sent, expected == "true");
        // If no spelling was matched yet, it need not be for the punctuation.
        let by_spelling = clause == Some(clause!("2.businessSync.taxId"));
        match by_spelling && !self.matches_spelling {
            true => Some(clause!("4.businessSync.3")),
            false => clause,
        }
    }

    /// The outcome of an invoice sync.
    fn of_outcome(&self, sent: &Prepared, differs: Difference<'_>) -> Option<Clause> {
        let Difference { expected, seen, .. } = differs;
        let [expected, seen] = [expected, seen].map(|text| text.trim_matches('"'));
        if expected == "statusOnly" {
            return Some(clause!("3.invoice.2.2"));
        }
        if !is_synced(seen) {
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
        let [expected, seen] = [expected, seen].map(|text| text.trim_matches('"'));
        let is_namesake = sync.is_some_and(|sync| self.invoices.is_namesake(&caller(sent), sync));
        Some(match (expected, seen) {
            ("statusOnly", "created" | "updated") => clause!("3.invoice.2.2"),
            ("created", "updated") if is_namesake => clause!("1.general.3"),
            ("created" | "updated" | "statusOnly", _) => {
                sync.map_or(clause!("4.imports.2"), |sync| self.uploads.broken_by(sent, sync, seen))
            }
            (_, "created" | "updated") => {
                problem.and_then(|problem| of_cell(&problem.0)).unwrap_or(clause!("4.imports.6"))
            }
            _ => clause!("4.imports.6"),
        })
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
                self.compliance.is_replacing(spelled).then_some(clause!("4.businessSync.2"))
            }
            (false, _) if is_linked => Some(clause!("4.businessSync.intro.2")),
            (false, Some(spelled)) if self.is_sent_elsewhere(sent, |one| one == spelled) => {
                Some(clause!("4.businessSync.3"))
            }
            // Only another spelling of it was sent before.
            (false, Some(spelled))
                if self.is_sent_elsewhere(sent, |one| {
                    tax_id_digits(one) == tax_id_digits(spelled)
                }) =>
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

/// The sentence on the most that can be collected.
const BEYOND_FACE_VALUE: Clause = clause!("2.invoice.collected.2");

fn face_value_of(predicted: &Response) -> Option<i64> {
    predicted.success_body()?[field::FACE_VALUE].as_i64()
}

/// Drops the contradiction of the field `also` if it is right for what is seen in the field `wrong`.
fn drop_explained(
    points: &mut Vec<Point>,
    wrong: &str,
    also: &str,
    is_right: impl Fn(&str, &str) -> bool,
) {
    let is_in = |point: &Point, field: &str| point.contradicts() && point.field == field;
    let Some(cause) = points.iter().find(|point| is_in(point, wrong)) else { return };
    let cause = cause.seen.clone();
    points.retain(|point| !(is_in(point, also) && is_right(&cause, &point.seen)));
}

/// The sentence that a row with this problem breaks if it is accepted.
fn of_cell(problem: &str) -> Option<Clause> {
    match problem.split(|it: char| !it.is_ascii_alphanumeric()).next()? {
        field::FACE_VALUE => Some(clause!("8.faceValue")),
        name => find(OperationKind::SyncInvoice.fields(), [name]).map(|field| field.clause),
    }
}

/// The sentence that a URL breaks if it is accepted although it is to be refused.
fn of_destination(sent: &Prepared, differs: Difference<'_>) -> Option<Clause> {
    rule_of_destinations(sent).filter(|_| differs.accepts(Code::DestinationRefused))
}

/// The rule by which a URL is refused (§6 Subscription), if one names its host.
fn rule_of_destinations(sent: &Prepared) -> Option<Clause> {
    let Some(Operation::Subscribe { url, .. }) = sent.call()?.operation() else { return None };
    if is_left_open(url) {
        return None;
    }
    let is_secure = url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"));
    Some(if is_secure { clause!("6.subscription.2") } else { clause!("6.subscription.1") })
}

/// The terms of an invoice that the run has not written: an advance fixes them.
fn of_unwritten_terms(predicted: &Response) -> Option<Clause> {
    let advance = &predicted.success_body()?[field::ADVANCE];
    (!advance.is_null()).then_some(clause!("3.invoice.2"))
}

fn lines(sent: &Prepared) -> impl Iterator<Item = &str> {
    let text = sent.call().and_then(|call| std::str::from_utf8(call.body()).ok());
    text.unwrap_or_default().lines()
}

/// Whether a report has a row for each line of a file, and none of them is synced.
fn rejects_each_row(sent: &Prepared, answer: &Response) -> bool {
    let rows = answer.success_body().and_then(|body| Fields::of(body).rows());
    rows.is_some_and(|rows| {
        let outcomes = rows.iter().map(|row| Fields::of(row).outcome());
        lines(sent).skip(1).filter(|line| !line.is_empty()).count() == rows.len()
            && outcomes
                .into_iter()
                .all(|outcome| outcome.is_some_and(|outcome| !is_synced(outcome)))
    })
}

/// The field that tells what became of a tax id (`gap.taxIdResult`).
const RESULT: &str = "taxIdResult.outcome";

/// The field that shows whether compliance is cleared.
const COMPLIANCE: &str = "onboarding.compliance";

/// Whether a read of a business shows that compliance is cleared.
fn is_cleared(shown: Option<&Value>) -> Option<bool> {
    shown?[field::ONBOARDING]["compliance"].as_bool()
}

fn caller(sent: &Prepared) -> String {
    sent.authorization.clone().unwrap_or_default()
}

/// A business, by its caller and its identifier.
fn name_of(sent: &Prepared, business: &str) -> (String, String) {
    (caller(sent), business.to_owned())
}

/// The business and the tax id of a sync that only a lenient service accepts.
fn of_lenient_sync(sent: &Prepared) -> Option<(String, Option<&str>)> {
    let call = sent.call()?;
    let [business, _] = route(&call.method, &call.path).ok()?.identifiers().ok()?;
    Some((business, call.body().json()?.get(field::TAX_ID).and_then(Value::as_str)))
}

/// The business that a request reads or syncs.
fn business_of(sent: &Prepared) -> Option<(String, String)> {
    match sent.call()?.operation()? {
        Operation::GetBusiness { business } | Operation::SyncBusiness { business, .. } => {
            Some(name_of(sent, business))
        }
        _ => None,
    }
}

/// The row of an import that a field of its report is about.
fn row_at<'a>(sent: &'a Prepared, field: &str) -> Option<&'a ImportRow> {
    let index: usize = field.split('.').nth(1)?.parse().ok()?;
    uploaded_rows(sent).get(index)
}

fn is_none(seen: &str) -> bool {
    seen == "null" || seen == ABSENT
}

/// Whether a report should have a rejected row among others.
fn has_bad_row(predicted: &Response) -> bool {
    let rows = predicted.success_body().and_then(|body| Fields::of(body).rows());
    rows.is_some_and(|rows| rows.iter().any(|row| Fields::of(row).outcome() == Some("rejected")))
}

/// The sentences that a read of a business upholds.
fn upheld_by_business(body: &Value) -> Vec<Clause> {
    let of_account = match Fields::of(body).remittance() {
        Some(_) => clause!("3.onboarding.4.2"),
        None => clause!("2.business.remittance.2"),
    };
    let is_supplied = Fields::of(body).compliance_route() == Some("PARTNER_SUPPLIED");
    let of_route = is_supplied.then_some(clause!("2.business.complianceRoute.2"));
    values::of_requirements().chain([of_account]).chain(of_route).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use tideover_exchange::Memory;
    use tideover_exchange::step::{Action, Call, Step};

    use super::*;

    /// The fields that are cited if both are seen wrong like this.
    fn cited(both: [(&str, &str); 2]) -> Vec<String> {
        let point = |(field, seen): (&str, &str)| Point {
            clause: clause!("2.invoice.collected"),
            holds: false,
            field: field.to_owned(),
            expected: "another".to_owned(),
            seen: seen.to_owned(),
        };
        let mut points = both.map(point).to_vec();
        let step = Step::new(Action::Call(Call::bare("GET", "/v1/webhooks")));
        let sent = Prepared::from_step(&step, &Memory::default(), "key");
        let empty = Response::new(200, b"{}");
        Grounds::default().recite((&sent, &empty), &empty, &mut points);
        points.into_iter().map(|point| point.field).collect()
    }

    fn prepared(call: Call) -> Prepared {
        Prepared::from_step(&Step::new(Action::Call(call)), &Memory::default(), "key")
    }

    fn ok(body: Value) -> Response {
        Response::new(200, body.to_string().as_bytes())
    }

    fn sync_invoice() -> Prepared {
        let party = |business: &str| json!({ "externalId": business, "legalName": business });
        let body = json!({
            "status": "ISSUED", "faceValue": 700, "issueDate": "2026-01-01T00:00:00Z",
            "dueDate": "2026-02-01T00:00:00Z", "payee": party("v1"), "payor": party("p1"),
        });
        prepared(Call::json("PUT", "/v1/invoices/i1", body))
    }

    fn business(is_onboarded: bool) -> Response {
        let met = is_onboarded;
        ok(json!({
            "onboarding": { "compliance": met, "contract": met, "bank": met, "collectionAccount": met },
            "remittance": met.then(|| json!({})),
        }))
    }

    /// The sentence that is cited after `before` if the response to `sent` differs in one field.
    fn cites(
        before: &[(&Prepared, &Response)],
        (sent, answer): (&Prepared, &Response),
        [field, expected, seen]: [&str; 3],
    ) -> Clause {
        let mut grounds = Grounds::default();
        before.iter().for_each(|(sent, seen)| grounds.learn(sent, seen, seen));
        let text = str::to_owned;
        let (field, expected, seen) = (text(field), text(expected), text(seen));
        let clause = clause!("7.codes.business_not_found");
        let mut points = vec![Point { clause, holds: false, field, expected, seen }];
        grounds.recite((sent, answer), &business(true), &mut points);
        points[0].clause
    }

    #[test]
    fn what_was_never_shown_was_never_brought_about() {
        let read = prepared(Call::bare("GET", "/v1/organizations/v1"));
        let unknown =
            Response::new(404, br#"{ "error": "Unknown.", "code": "business_not_found" }"#);
        let denied = ["code", "success", "404 business_not_found"];
        let (sync, done) = (sync_invoice(), ok(json!({ "outcome": "created" })));
        let cites = |before: &[_]| cites(before, (&read, &unknown), denied);
        assert_eq!(cites(&[(&sync, &done)]), clause!("4.invoiceSync.3"));
        let shown = [(&sync, &done), (&read, &business(true))];
        assert_eq!(cites(&shown), clause!("7.codes.business_not_found"));
    }

    #[test]
    fn a_write_that_undoes_onboarding_is_cited() {
        let read = prepared(Call::bare("GET", "/v1/organizations/v1"));
        let account = json!({ "accountNumber": "000123456", "routingNumber": "021000021" });
        let pay = prepared(Call::json("PUT", "/v1/organizations/v1/payout-account", account));
        let (sync, done, met) =
            (sync_invoice(), ok(json!({ "outcome": "created" })), business(true));
        let undone = business(false);
        let cites = |before: &[_], differs| cites(before, (&read, &undone), differs);
        let contract = ["onboarding.contract", "true", "false"];
        assert_eq!(cites(&[(&read, &met), (&sync, &done)], contract), clause!("4.invoiceSync.3"));
        assert_eq!(cites(&[(&sync, &done)], contract), clause!("3.requirement.contract"));
        let lost = ["remittance", "an object", "null"];
        assert_eq!(cites(&[(&read, &met), (&pay, &done)], lost), clause!("3.onboarding.4.2"));
    }

    #[test]
    fn what_another_wrong_field_explains_is_not_cited() {
        let face = (field::FACE_VALUE, "700");
        assert_eq!(cited([face, (field::COLLECTED, "700")]), [field::FACE_VALUE]);
        assert_eq!(cited([face, (field::COLLECTED, "600")]).len(), 2);
        let fundable = (field::FUNDABLE, "true");
        assert_eq!(cited([fundable, (field::NOT_FUNDABLE_REASON, "null")]), [field::FUNDABLE]);
        assert_eq!(cited([fundable, (field::NOT_FUNDABLE_REASON, "\"No.\"")]).len(), 2);
        let created = (field::CREATED, "false");
        assert_eq!(cited([created, (field::TAX_ID_RESULT, "{}")]), [field::CREATED]);
        assert_eq!(cited([created, (field::TAX_ID_RESULT, "null")]).len(), 2);
    }
}
