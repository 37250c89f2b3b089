//! Which clauses apply to a response.

use tideover_exchange::Seen;
use tideover_model::clause::Family;
use tideover_model::{ActionKind, Clause, Code, OperationKind, clause};

pub(crate) fn code_clause(code: Code) -> Option<Clause> {
    const CODES: Family = Family::of("7.codes.");
    CODES.find(code.name())
}

/// The clause of a field of a response: §2 names most of them.
pub(super) fn field_clause(kind: OperationKind, field: &str) -> Clause {
    let endpoint = kind.endpoint();
    endpoint.fields.find(field).unwrap_or(endpoint.other_fields)
}

/// The clause that an action of the operator port tests.
pub(super) fn action_clause(action: Option<ActionKind>, predicted: &Seen) -> Clause {
    match action {
        // A link that is used or expired must not work, whichever it was.
        Some(ActionKind::VendorAcceptsInvitation) if !predicted.is_success() => {
            clause!("4.invitations.11")
        }
        Some(action) => action.clause(),
        None => clause!("gap.advanceTransitions"),
    }
}
