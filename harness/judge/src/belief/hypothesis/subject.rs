//! The subject of a request.

use tideover_exchange::{Prepared, PreparedAction};
use tideover_model::wire::field;
use tideover_model::{Face, Operation, OperationKind, PlatformId};

use crate::belief::amounts::AdvanceKey;
use crate::belief::hypothesis::Hypothesis;

/// The subject of a request, under the model's names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    pub(crate) platform: PlatformId,
    pub(crate) payee: Option<String>,
    pub(crate) invoice: Option<String>,
}

impl Hypothesis {
    /// The subject of a request.
    pub(crate) fn subject(&self, sent: &Prepared) -> Subject {
        let platform = self.platform_of(sent).unwrap_or(PlatformId::DEFAULT);
        let sent = self.translate(sent);
        let call = match &sent.action {
            PreparedAction::Call(call) => call,
            PreparedAction::Act(fields) => {
                let field = |name| Some(fields.get(name)?.as_str()?.to_owned());
                let (payee, invoice) =
                    (field(field::PAYEE_EXTERNAL_ID), field(field::INVOICE_EXTERNAL_ID));
                return Subject { platform, payee, invoice };
            }
            PreparedAction::Advance(_) | PreparedAction::Deliveries => {
                return Subject { platform, payee: None, invoice: None };
            }
        };
        let named = call.operation().map(Operation::subject);
        let payee = named.and_then(|named| named.business().map(str::to_owned));
        let invoice = named.and_then(|named| named.invoice().map(str::to_owned));
        Subject { platform, payee, invoice }
    }

    /// The advance that a request is for.
    pub(super) fn advance(&self, sent: &Prepared) -> Option<AdvanceKey> {
        sent.kind().filter(|kind| *kind == OperationKind::RequestAdvance)?;
        let Subject { platform, payee, invoice } = self.subject(sent);
        let business = self.business(platform, &payee?)?;
        Some(AdvanceKey { platform, business, invoice: invoice? })
    }

    /// The platform whose key a request carries.
    pub(crate) fn platform_of(&self, sent: &Prepared) -> Option<PlatformId> {
        let authorization = sent.authorization.as_deref().map(|text| self.bindings.translate(text));
        self.bare.face().platform_of(authorization.as_deref())
    }
}
