//! What is not stated of the tax id of a business: which texts are one (`gap.taxIdForm`), what comes of a party's
//! (`gap.partyTaxIdAndContact`), and whether one that was found wrong stays on file (`gap.wrongTaxIdStruck`).

use tideover_model::{ActionKind, Operation, OperationKind, PlatformId};

use crate::exchange::{Prepared, PreparedAction};
use crate::judge::world::form::is_plainly_a_tax_id;
use crate::judge::world::{Subject, World};

/// What is not stated of the tax id of a business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unclear {
    /// Whether one is on file, and has cleared compliance.
    Cleared,
    /// Whether one is on file that clears nothing.
    OnFile,
}

/// A tax id that a request tells, or a vendor.
struct SentTaxId {
    /// The identifier of the business whose it is.
    business: String,
    text: String,
    /// Whether it is told of a party of an invoice.
    of_party: bool,
}

impl SentTaxId {
    /// What is not stated after it, where `before` was not. What has no digits is no tax id however it is read.
    fn leaves(&self, before: Option<Unclear>) -> Option<Unclear> {
        let may_clear = self.text.bytes().any(|byte| byte.is_ascii_digit());
        match (is_plainly_a_tax_id(&self.text) && !self.of_party, before) {
            // It corrects what may be on file, or it doesn't.
            (true, Some(_)) => Some(Unclear::Cleared),
            (true, None) => None,
            (false, _) if may_clear => Some(Unclear::Cleared),
            (false, before) => before.or((!self.text.is_empty()).then_some(Unclear::OnFile)),
        }
    }
}

impl World {
    /// The tax ids that a request tells, or a vendor.
    pub(crate) fn tax_ids(&self, sent: &Prepared) -> Vec<String> {
        self.sent_tax_ids(sent).into_iter().map(|told| told.text).collect()
    }

    fn sent_tax_ids(&self, sent: &Prepared) -> Vec<SentTaxId> {
        let call = match &sent.action {
            PreparedAction::Call(call) => call,
            PreparedAction::Act(fields) => {
                let text = fields.get("taxId").and_then(serde_json::Value::as_str);
                let business = self.subject(sent).payee.unwrap_or_default();
                let told =
                    |text: &str| SentTaxId { business, text: text.to_owned(), of_party: false };
                return text.map(told).into_iter().collect();
            }
            PreparedAction::Advance(_) | PreparedAction::Deliveries => return Vec::new(),
        };
        let Some(operation) = call.operation() else { return Vec::new() };
        let told = |business: &String, text: &Option<String>, of_party| {
            let (business, text) = (business.clone(), text.clone()?);
            Some(SentTaxId { business, text, of_party })
        };
        let of_business = match operation {
            Operation::SyncBusiness { business, details } => told(business, &details.tax_id, false),
            _ => None,
        };
        let parties = operation.syncs().into_iter().flat_map(|sync| [&sync.payee, &sync.payor]);
        let of_parties = parties.map(|party| told(&party.business, &party.details.tax_id, true));
        of_business.into_iter().chain(of_parties.flatten()).collect()
    }

    /// Whether a text is told that is no tax id as we take it, and may be one or be refused.
    pub(super) fn sends_a_malformed_tax_id(&self, sent: &Prepared) -> bool {
        self.tax_ids(sent).iter().any(|told| !is_plainly_a_tax_id(told))
    }

    /// What is not stated of the tax id of a business.
    pub(crate) fn unclear(&self, platform: PlatformId, payee: &str) -> Option<Unclear> {
        if self.unclear.is_empty() {
            return None;
        }
        self.unclear.get(&self.business(platform, payee)?).copied()
    }

    /// Notices what is not stated after a request that was carried out; a read shows whether a tax id is `on_file`.
    pub(super) fn note_unclear(&mut self, sent: &Prepared, on_file: bool) {
        let told = self.sent_tax_ids(sent);
        let found_wrong = sent.acts() == Some(ActionKind::TaxIdFoundWrong);
        let reads = sent.kind() == Some(OperationKind::GetBusiness) && !self.unclear.is_empty();
        if told.is_empty() && !found_wrong && !reads {
            return;
        }
        let Subject { platform, payee, .. } = self.subject(sent);
        for told in told {
            let before = self.unclear(platform, &told.business);
            self.leave_unclear(platform, &told.business, told.leaves(before));
        }
        let Some(payee) = payee else { return };
        if found_wrong {
            self.leave_unclear(platform, &payee, Some(Unclear::OnFile));
        } else if reads {
            let before = self.unclear(platform, &payee);
            self.leave_unclear(
                platform,
                &payee,
                before.filter(|_| on_file).map(|_| Unclear::OnFile),
            );
        }
    }

    fn leave_unclear(&mut self, platform: PlatformId, payee: &str, unclear: Option<Unclear>) {
        if unclear.is_none() && self.unclear.is_empty() {
            return;
        }
        let Some(business) = self.business(platform, payee) else { return };
        match unclear {
            Some(unclear) => self.unclear.insert(business, unclear),
            None => self.unclear.remove(&business),
        };
    }
}
