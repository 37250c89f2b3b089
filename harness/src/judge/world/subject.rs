//! What a request is about.

use std::collections::BTreeSet;

use tideover_model::{Face, Operation, OperationKind, PlatformId, is_tax_id};

use super::World;
use crate::judge::amounts::Advance;
use crate::target::{Prepared, PreparedAction, PreparedCall};

/// What a request is about, as the model calls it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subject {
    pub(crate) platform: PlatformId,
    pub(crate) payee: Option<String>,
    pub(crate) invoice: Option<String>,
}

/// What is not stated of a tax id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unclear {
    /// What comes of one that was told: it is none as we take it (`gap.taxIdForm`), or that of a party
    /// (`gap.partyTaxIdAndContact`).
    Told,
    /// Whether it is on file still since it was found wrong (`gap.wrongTaxIdStruck`).
    FoundWrong,
}

impl World {
    /// What a request is about.
    pub(crate) fn subject(&self, sent: &Prepared) -> Subject {
        let platform = self.platform_of(sent).unwrap_or(PlatformId::DEFAULT);
        let sent = self.translate(sent);
        let call = match &sent.action {
            PreparedAction::Call(call) => call,
            PreparedAction::Act(fields) => {
                let field = |name| Some(fields.get(name)?.as_str()?.to_owned());
                let (payee, invoice) = (field("payeeExternalId"), field("invoiceExternalId"));
                return Subject { platform, payee, invoice };
            }
            PreparedAction::Advance(_) | PreparedAction::Deliveries => {
                return Subject { platform, payee: None, invoice: None };
            }
        };
        let (payee, invoice) = match call.operation() {
            Some(
                Operation::GetInvoice { payee, invoice }
                | Operation::RequestAdvance { payee, invoice },
            ) => (Some(payee), Some(invoice)),
            Some(Operation::SyncInvoice(sync)) => (Some(&sync.payee.business), Some(&sync.invoice)),
            Some(
                Operation::SetPayoutAccount { business, .. }
                | Operation::GetBusiness { business }
                | Operation::SyncBusiness { business, .. }
                | Operation::Quote { business, .. }
                | Operation::Invite { business, .. }
                | Operation::CreateOnboardingSession { business },
            ) => (Some(business), None),
            _ => (None, None),
        };
        Subject { platform, payee: payee.cloned(), invoice: invoice.cloned() }
    }

    /// The tax ids that a request tells, or a vendor.
    pub(crate) fn tax_ids(&self, sent: &Prepared) -> Vec<String> {
        let call = match &sent.action {
            PreparedAction::Call(call) => call,
            PreparedAction::Act(fields) => {
                let tax_id = fields.get("taxId").and_then(serde_json::Value::as_str);
                return tax_id.map(str::to_owned).into_iter().collect();
            }
            PreparedAction::Advance(_) | PreparedAction::Deliveries => return Vec::new(),
        };
        let Some(operation) = call.operation() else { return Vec::new() };
        let of_business = match operation {
            Operation::SyncBusiness { details, .. } => details.tax_id.as_ref(),
            _ => None,
        };
        let of_parties = operation
            .syncs()
            .into_iter()
            .flat_map(|sync| [&sync.payee, &sync.payor].map(|party| party.details.tax_id.as_ref()));
        of_business.into_iter().chain(of_parties.flatten()).cloned().collect()
    }

    /// Notices what is not stated after a request; what is found wrong clears nothing, whatever it was.
    pub(super) fn note_unclear(&mut self, sent: &Prepared) {
        for (platform, business, unclear) in self.made_unclear(sent) {
            if unclear == Unclear::FoundWrong {
                self.unclear.remove(&(platform, business.clone(), Unclear::Told));
            }
            self.unclear.insert((platform, business, unclear));
        }
    }

    /// What is not stated of the tax ids of businesses after a request.
    fn made_unclear(&self, sent: &Prepared) -> Vec<(PlatformId, String, Unclear)> {
        let Subject { platform, payee, .. } = self.subject(sent);
        let found_wrong = sent.action_name() == Some("taxIdFoundWrong");
        let is_malformed = self.tax_ids(sent).iter().any(|told| !is_tax_id(told));
        let told = is_malformed.then_some(Unclear::Told);
        let unclear = told.or(found_wrong.then_some(Unclear::FoundWrong));
        let parties = sent.call().and_then(PreparedCall::operation).into_iter();
        let parties =
            parties.flat_map(Operation::syncs).flat_map(|sync| [&sync.payee, &sync.payor]);
        parties
            .filter(|party| party.details.tax_id.is_some())
            .map(|party| (platform, party.business.clone(), Unclear::Told))
            .chain(payee.zip(unclear).map(|(payee, unclear)| (platform, payee, unclear)))
            .collect()
    }

    /// What is not stated of the tax id of a business.
    pub(crate) fn unclear(&self, platform: PlatformId, payee: &str) -> BTreeSet<Unclear> {
        let open = self.open.iter().flat_map(|open| self.made_unclear(open));
        let all = self.unclear.iter().cloned().chain(open);
        all.filter(|(owner, business, _)| *owner == platform && business == payee)
            .map(|(.., unclear)| unclear)
            .collect()
    }

    /// The advance that a request asks for.
    pub(super) fn advance(&self, sent: &Prepared) -> Option<Advance> {
        sent.kind().filter(|kind| *kind == OperationKind::RequestAdvance)?;
        let Subject { platform, payee, invoice } = self.subject(sent);
        let business = self.business(platform, &payee?)?;
        Some(Advance { platform, business, invoice: invoice? })
    }

    /// Whose key a request carries.
    pub(crate) fn platform_of(&self, sent: &Prepared) -> Option<PlatformId> {
        let authorization = sent.authorization.as_deref().map(|text| self.bindings.translate(text));
        self.bare.face().platform_of(authorization.as_deref())
    }
}
