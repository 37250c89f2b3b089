//! The refusals whose conditions hold for the readable parts of a request, whatever else is wrong with it.
//!
//! The document gives no order of refusals (`gap.refusalPrecedence`). A request with an invalid body may be refused
//! for the business that its path names, and a read of an unknown vendor's invoice for the invoice.

use tideover_exchange::PreparedCall;
use tideover_model::wire::route::Route;
use tideover_model::wire::schema::Role;
use tideover_model::{Code, Operation, PlatformId, Timestamp, is_routing_number};

use crate::belief::hypothesis::Hypothesis;

/// What the readable parts of a request name.
struct Parts<'a> {
    business: Option<String>,
    invoice: Option<String>,
    import: Option<String>,
    routing_number: Option<&'a str>,
    email: Option<&'a str>,
    receiver: Option<&'a str>,
    /// Whether the body has fields at all.
    has_fields: bool,
}

impl Parts<'_> {
    fn of<'a>(call: &'a PreparedCall, way: &Route<'_>) -> Parts<'a> {
        let kind = way.kind;
        let identifiers = way.identifiers().unwrap_or_default();
        let body = call.body().json();
        let field = |is_it: fn(&Role) -> bool| {
            let field = kind.fields().iter().find(|field| is_it(&field.role))?;
            body?.get(field.name)?.as_str()
        };
        let in_path = |is_it: fn(&Role) -> bool| {
            let place = kind.path_roles().iter().position(is_it)?;
            identifiers.get(place).filter(|name| !name.is_empty()).cloned()
        };
        let named = |is_it| in_path(is_it).or_else(|| field(is_it).map(str::to_owned));
        Parts {
            business: named(|role| matches!(role, Role::Business)),
            invoice: named(|role| matches!(role, Role::Invoice)),
            import: named(|role| matches!(role, Role::Import)),
            routing_number: field(|role| matches!(role, Role::RoutingNumber)),
            email: field(|role| matches!(role, Role::Email)),
            receiver: field(|role| matches!(role, Role::Receiver)),
            has_fields: body.is_some_and(|body| body.is_object()),
        }
    }
}

impl Hypothesis {
    /// The codes of the endpoint whose conditions hold for parts of a request, under the model's names.
    pub(super) fn codes_of_parts(
        &self,
        call: &PreparedCall,
        way: &Route<'_>,
        platform: PlatformId,
        now: Timestamp,
    ) -> Vec<Code> {
        let parts = Parts::of(call, way);
        let Parts { business, invoice, import, routing_number, email, receiver, has_fields } =
            parts;
        let is_unknown = |operation| self.look(now, platform, operation).is_none();
        let unknown_business = business
            .clone()
            .is_some_and(|business| is_unknown(Operation::GetBusiness { business }));
        let unknown_invoice = business
            .zip(invoice)
            .is_some_and(|(payee, invoice)| is_unknown(Operation::GetInvoice { payee, invoice }));
        let is_used = import.is_some_and(|import| !is_unknown(Operation::GetImport { import }));
        let holds = |code: &Code| match code {
            Code::BusinessNotFound => unknown_business,
            Code::InvoiceNotFound => unknown_invoice,
            // A file that cannot be read is another file than the one that was.
            Code::AlreadyImported => is_used && call.operation().is_none(),
            // What is absent, null or of another type is no routing number and no address either.
            Code::InvalidRoutingNumber => {
                has_fields && !routing_number.is_some_and(is_routing_number)
            }
            Code::InvalidInvitee => has_fields && !email.is_some_and(|it| it.contains('@')),
            Code::DestinationRefused => has_fields && receiver.is_none(),
            _ => false,
        };
        way.kind.endpoint().codes.iter().copied().filter(holds).collect()
    }
}
