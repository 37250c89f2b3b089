//! The refusals whose conditions hold for the readable parts of a request, whatever else is wrong with it.
//!
//! The document gives no order of refusals (`gap.refusalPrecedence`). A request with an invalid body may be refused
//! for the business that its path names, and a read of an unknown vendor's invoice for the invoice.

use serde_json::Value;
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
        let Parts { business, invoice, import, routing_number, email } = Parts::of(call, way);
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
            Code::InvalidRoutingNumber => routing_number.is_some_and(|it| !is_routing_number(it)),
            Code::InvalidInvitee => email.is_some_and(|it| !it.contains('@')),
            _ => false,
        };
        let of_values = codes_of_values(call, way);
        let codes = way.kind.endpoint().codes.iter().copied();
        codes.filter(|code| holds(code) || of_values.contains(code)).collect()
    }
}

/// The codes that are about the value of one field, where the request has no text for it: what is absent, null or of
/// another type is no routing number and no address either. No order of refusals is given.
fn codes_of_values(call: &PreparedCall, way: &Route<'_>) -> Vec<Code> {
    let Some(body) = call.body().json().and_then(Value::as_object) else { return Vec::new() };
    let fields = way.kind.fields().iter();
    let without_text = fields.filter(|field| !body.get(field.name).is_some_and(Value::is_string));
    without_text.filter_map(|field| own_code(field.role)).collect()
}

/// The code of an endpoint that is about the value of a field with this role.
fn own_code(role: Role) -> Option<Code> {
    match role {
        Role::RoutingNumber => Some(Code::InvalidRoutingNumber),
        Role::Email => Some(Code::InvalidInvitee),
        Role::Receiver => Some(Code::DestinationRefused),
        _ => None,
    }
}
