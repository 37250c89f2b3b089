//! Requests as they are written: the way back from [`Operation`] to methods, paths and bodies (§4).

use serde::Serialize;

use crate::endpoint::OperationKind;
use crate::operation::Operation;
use crate::wire::import_file;
use crate::wire::request::{
    AccountNumber, AdvanceRequest, BusinessSync, InvitationRequest, InvoiceSync, NonEmpty,
    PayoutAccount, QuoteRequest, SessionRequest, SubscriptionRequest,
};

/// A request, except for its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The method.
    pub method: &'static str,
    /// The path, encoded.
    pub path: String,
    /// The media type of the body, if there is a body.
    pub content_type: Option<&'static str>,
    /// The body.
    pub body: Vec<u8>,
}

impl Written {
    /// A request to an endpoint, with any body.
    pub fn new(kind: OperationKind, identifiers: &[&str], body: Vec<u8>) -> Written {
        let (path, content_type) = (kind.path_of(identifiers), kind.media_type());
        Written { method: kind.method(), path, content_type, body }
    }
}

impl Operation {
    /// The request that asks for it. It is read as this operation again, apart from what a request does not say: the
    /// addresses of a host, and what was wrong with a row of a file.
    ///
    /// ```
    /// use tideover_model::Operation;
    ///
    /// let request = Operation::RequestAdvance { payee: "acme".into(), invoice: "INV-1".into() };
    /// let written = request.written();
    /// assert_eq!((written.method, &*written.path), ("POST", "/v1/advances"));
    /// assert_eq!(written.body, br#"{"payeeExternalId":"acme","invoiceExternalId":"INV-1"}"#);
    /// ```
    pub fn written(&self) -> Written {
        let (identifiers, body) = self.parts();
        Written::new(self.kind(), &identifiers, body)
    }

    /// The identifiers in its path, and its body.
    fn parts(&self) -> (Vec<&str>, Vec<u8>) {
        match self {
            Operation::GetInvoice { payee, invoice } => (vec![payee, invoice], Vec::new()),
            Operation::SyncInvoice(sync) => {
                (vec![&sync.invoice], json(InvoiceSync::from((**sync).clone())))
            }
            Operation::GetImport { import } => (vec![import], Vec::new()),
            Operation::ImportInvoices { import, file } => {
                (vec![import], import_file::write(file).into_bytes())
            }
            Operation::SetPayoutAccount { business, account_number, routing_number, label } => {
                let account_number = AccountNumber(account_number.clone());
                let label = label.clone().map(NonEmpty);
                let routing_number = routing_number.clone();
                (vec![business], json(PayoutAccount { account_number, routing_number, label }))
            }
            Operation::GetBusiness { business } => (vec![business], Vec::new()),
            Operation::SyncBusiness { business, details } => {
                (vec![business], json(BusinessSync::from(details.clone())))
            }
            Operation::RequestAdvance { payee, invoice } => {
                let payee_external_id = NonEmpty(payee.clone());
                let invoice_external_id = invoice.clone();
                (Vec::new(), json(AdvanceRequest { payee_external_id, invoice_external_id }))
            }
            Operation::Quote { business, face_value } => {
                let external_id = NonEmpty(business.clone());
                (Vec::new(), json(QuoteRequest { external_id, invoice_face_value: *face_value }))
            }
            Operation::Invite { business, email } => {
                let (external_id, email) = (business.clone(), email.clone());
                (Vec::new(), json(InvitationRequest { external_id, email }))
            }
            Operation::CreateOnboardingSession { business } => {
                (Vec::new(), json(SessionRequest { external_id: business.clone() }))
            }
            Operation::Subscribe { url, event_types, .. } => {
                let (url, event_types) = (url.clone(), event_types.clone());
                (Vec::new(), json(SubscriptionRequest { url, event_types }))
            }
            Operation::ListSubscriptions => (Vec::new(), Vec::new()),
            Operation::Unsubscribe { reference } => (vec![reference], Vec::new()),
        }
    }
}

fn json(body: impl Serialize) -> Vec<u8> {
    serde_json::to_vec(&body).expect("a request has only strings, numbers and lists")
}
