//! What is not stated about the tax id of a business: which texts are one (`gap.taxIdForm`), what a party's
//! does (`gap.partyTaxIdAndContact`), and whether a wrong one stays on file (`gap.wrongTaxIdStruck`).

use tideover_exchange::{Prepared, PreparedAction};
use tideover_model::wire::field;
use tideover_model::{ActionKind, Operation, OperationKind, PlatformId, TAX_ID_DIGITS};

use crate::belief::hypothesis::form::is_plainly_a_tax_id;
use crate::belief::hypothesis::{Hypothesis, Subject};

/// What is not stated about the tax id of a business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unclear {
    /// Whether a tax id is on file and cleared compliance.
    Cleared,
    /// Whether a tax id is on file. None cleared compliance.
    OnFile,
}

/// A tax id that a request sends or a vendor gives.
struct SentTaxId {
    business: String,
    text: String,
    of_party: bool,
}

impl SentTaxId {
    /// What stays unclear after this tax id, given what was unclear `before`. A text with more or fewer digits than a
    /// vendor's form W-9 has room for is a tax id in no reading, whatever stands between them.
    fn leaves(&self, before: Option<Unclear>) -> Option<Unclear> {
        let digits = self.text.chars().filter(|sign| sign.is_numeric()).count();
        let may_clear = digits == TAX_ID_DIGITS;
        match (is_plainly_a_tax_id(&self.text) && !self.of_party, before) {
            // It may or may not correct the tax id on file.
            (true, Some(_)) => Some(Unclear::Cleared),
            (true, None) => None,
            (false, _) if may_clear => Some(Unclear::Cleared),
            (false, before) => before.or((!self.text.is_empty()).then_some(Unclear::OnFile)),
        }
    }
}

impl Hypothesis {
    /// The tax ids that a request sends or a vendor gives.
    pub(crate) fn tax_ids(&self, sent: &Prepared) -> Vec<String> {
        self.sent_tax_ids(sent).into_iter().map(|tax_id| tax_id.text).collect()
    }

    fn sent_tax_ids(&self, sent: &Prepared) -> Vec<SentTaxId> {
        let call = match &sent.action {
            PreparedAction::Call(call) => call,
            PreparedAction::Act(fields) => {
                let text = fields.get(field::TAX_ID).and_then(serde_json::Value::as_str);
                let business = self.subject(sent).payee.unwrap_or_default();
                let tax_id =
                    |text: &str| SentTaxId { business, text: text.to_owned(), of_party: false };
                return text.map(tax_id).into_iter().collect();
            }
            PreparedAction::Advance(_) | PreparedAction::Deliveries => return Vec::new(),
        };
        let Some(operation) = call.operation() else { return Vec::new() };
        let tax_id = |business: &String, text: &Option<String>, of_party| {
            let (business, text) = (business.clone(), text.clone()?);
            Some(SentTaxId { business, text, of_party })
        };
        let of_business = match operation {
            Operation::SyncBusiness { business, details } => {
                tax_id(business, &details.tax_id, false)
            }
            _ => None,
        };
        let parties = operation.syncs().into_iter().flat_map(|sync| [&sync.payee, &sync.payor]);
        let of_parties = parties.map(|party| tax_id(&party.business, &party.details.tax_id, true));
        of_business.into_iter().chain(of_parties.flatten()).collect()
    }

    /// Whether a request sends a text that we take for no tax id. The target may accept or refuse it.
    pub(super) fn sends_a_malformed_tax_id(&self, sent: &Prepared) -> bool {
        self.tax_ids(sent).iter().any(|tax_id| !is_plainly_a_tax_id(tax_id))
    }

    /// What is not stated about the tax id of a business.
    pub(crate) fn unclear(&self, platform: PlatformId, payee: &str) -> Option<Unclear> {
        if self.unclear.is_empty() {
            return None;
        }
        self.unclear.get(&self.business(platform, payee)?).copied()
    }

    /// Records what stays unclear after a request that was carried out. A read shows whether a tax id is
    /// `on_file`.
    pub(super) fn note_unclear(&mut self, sent: &Prepared, on_file: bool) {
        let sent_tax_ids = self.sent_tax_ids(sent);
        let found_wrong = sent.acts() == Some(ActionKind::TaxIdFoundWrong);
        let reads = sent.kind() == Some(OperationKind::GetBusiness) && !self.unclear.is_empty();
        if sent_tax_ids.is_empty() && !found_wrong && !reads {
            return;
        }
        let Subject { platform, payee, .. } = self.subject(sent);
        for tax_id in sent_tax_ids {
            let before = self.unclear(platform, &tax_id.business);
            self.leave_unclear(platform, &tax_id.business, tax_id.leaves(before));
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
