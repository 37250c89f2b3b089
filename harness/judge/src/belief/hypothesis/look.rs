//! Queries on a hypothesis that change nothing.

use tideover_exchange::Prepared;
use tideover_model::wire::field::Fields;
use tideover_model::wire::reply::Reply;
use tideover_model::{
    BusinessId, Cents, Code, Face, FaceValue, Operation, OperationKind, PlatformId, Service,
    Timestamp,
};

use crate::belief::Observation;
use crate::belief::hypothesis::{Hypothesis, Subject};
use crate::belief::reading::{InferredChoices, LimitQuestion, NEVER, Revealed};

impl Hypothesis {
    /// The model's response to `operation`, if it is a success. Leaves this hypothesis unchanged.
    pub(crate) fn look(
        &self,
        now: Timestamp,
        platform: PlatformId,
        operation: Operation,
    ) -> Option<Reply> {
        self.bare.face().clone().handle(now, platform, operation).ok()
    }

    /// Whether no hidden move explains a response: it says that something is not there, or new, and here it is there. No
    /// operation removes a business or an invoice.
    pub(crate) fn rules_out(&self, Observation { sent, seen, now }: Observation<'_>) -> bool {
        let Subject { platform, payee: Some(business), invoice } = self.subject(sent) else {
            return false;
        };
        let is_new =
            seen.success_body().is_some_and(|body| Fields::of(body).created() == Some(true));
        let missing = match seen.code().and_then(Code::parse) {
            Some(Code::BusinessNotFound) => Operation::GetBusiness { business },
            Some(Code::InvoiceNotFound) => match invoice {
                Some(invoice) => Operation::GetInvoice { payee: business, invoice },
                None => return false,
            },
            _ if is_new && sent.kind() == Some(OperationKind::SyncBusiness) => {
                Operation::GetBusiness { business }
            }
            _ => return false,
        };
        self.look(now, platform, missing).is_some()
    }

    /// Whether a business has a tax id on file. `None` if the platform has no business of this name.
    pub(crate) fn has_tax_id(
        &self,
        now: Timestamp,
        platform: PlatformId,
        payee: &str,
    ) -> Option<bool> {
        match self.look(now, platform, Operation::GetBusiness { business: payee.to_owned() })? {
            Reply::Business(business) => Some(business.tax_id_on_file),
            _ => None,
        }
    }

    /// Whether a request sends the tax id of a known business that has none.
    pub(crate) fn lacks_tax_id(&self, sent: &Prepared, now: Timestamp) -> bool {
        if sent.kind() != Some(OperationKind::SyncBusiness) || self.tax_ids(sent).is_empty() {
            return false;
        }
        let Subject { platform, payee, .. } = self.subject(sent);
        payee.and_then(|payee| self.has_tax_id(now, platform, &payee)) == Some(false)
    }

    /// The least that can be outstanding with a business: all timed transitions may have happened. Cents.
    pub(crate) fn least_outstanding(&self, platform: PlatformId, payee: &str) -> Option<Cents> {
        let mut service = self.bare.face().clone();
        let (business, eventually) = (payee.to_owned(), service.poll_timeout());
        if let Some(eventually) = eventually {
            // One transition enables the next.
            (1..=2).for_each(|times| service.handle_timeout(eventually.after(times * NEVER)));
        }
        let now = self.bare.now();
        limit_question(&mut service, now, platform, business).map(|question| question.outstanding)
    }

    /// The business that a platform calls `payee`.
    pub(crate) fn business(&self, platform: PlatformId, payee: &str) -> Option<BusinessId> {
        let (mut service, now) = (self.bare.face().clone(), self.bare.now());
        let question = limit_question(&mut service, now, platform, payee.to_owned());
        question.map(|question| question.business)
    }
}

/// The limit question that a quote for a business raises, even if other requirements are missing.
fn limit_question(
    service: &mut Service<InferredChoices>,
    now: Timestamp,
    platform: PlatformId,
    business: String,
) -> Option<LimitQuestion> {
    service.choices_mut().read(Revealed::refused(Code::ConcentrationExceeded));
    service.choices_mut().leave_precedence();
    let quote = Operation::Quote { business, face_value: FaceValue::new(1)? };
    service.handle(now, platform, quote).ok()?;
    service.choices_mut().take_limit_question()
}
