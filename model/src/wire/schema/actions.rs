//! The fields of the operator port's actions (`gap.operatorPort`).

use crate::clause;
use crate::wire::action::ActionKind;
use crate::wire::schema::requests::ADDRESS;
use crate::wire::schema::{Field, Role, optional, required};
use crate::words::ComplianceRoute;

const fn needed(name: &'static str, role: Role) -> Field {
    required(name, role, clause!("gap.operatorPort"))
}

const fn free(name: &'static str, role: Role) -> Field {
    optional(name, role, clause!("gap.operatorPort"))
}

const PAYEE: Field = needed("payeeExternalId", Role::Business);
const INVOICE: Field = needed("invoiceExternalId", Role::Invoice);
/// The routes that the vendor takes itself.
const ROUTE: Role =
    Role::Word(&[ComplianceRoute::VendorAssertion.word(), ComplianceRoute::W9Upload.word()]);

impl ActionKind {
    /// The fields of the request body, beside the name of the action.
    pub const fn fields(self) -> &'static [Field] {
        match self {
            ActionKind::VendorAcceptsInvitation => const { &[PAYEE, needed("email", Role::Email)] },
            ActionKind::VendorConfirmsTaxId => {
                const { &[PAYEE, needed("route", ROUTE), free("taxId", Role::TaxId)] }
            }
            ActionKind::VendorSignsAgreement => {
                const { &[PAYEE, free("address", Role::Object(ADDRESS))] }
            }
            ActionKind::VendorAddsBankAccount => {
                const {
                    &[
                        PAYEE,
                        needed("accountNumber", Role::AccountNumber),
                        needed("routingNumber", Role::RoutingNumber),
                    ]
                }
            }
            ActionKind::VendorCompletesOnboarding => {
                const { &[PAYEE, free("route", ROUTE), free("taxId", Role::TaxId)] }
            }
            ActionKind::CollectionAccountOpens | ActionKind::TaxIdFoundWrong => &[PAYEE],
            ActionKind::FundingStarts | ActionKind::FundingCompletes => &[PAYEE, INVOICE],
            ActionKind::PayorPays => const { &[PAYEE, INVOICE, needed("amount", Role::Amount)] },
            ActionKind::InterruptNextImport => const { &[needed("afterRows", Role::Count)] },
            ActionKind::VendorOpensSession => const { &[needed("url", Role::Link)] },
            ActionKind::MarkTestAccount => const { &[needed("externalId", Role::Business)] },
            ActionKind::IssueKey => const { &[free("platform", Role::Platform)] },
            ActionKind::RevokeKey => const { &[free("key", Role::Key)] },
            ActionKind::UpstreamFails => const { &[needed("requests", Role::Count)] },
            ActionKind::Reset => const { &[free("repeat", Role::Flag)] },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::action::described;

    #[test]
    fn the_table_has_the_fields_that_are_read() {
        for (kind, described) in ActionKind::ALL.iter().zip(described()) {
            let mut read: Vec<(&str, bool)> =
                described.fields.iter().map(|field| (&*field.name, field.required)).collect();
            let mut tabled: Vec<(&str, bool)> =
                kind.fields().iter().map(|field| (field.name, field.is_required)).collect();
            read.sort_unstable();
            tabled.sort_unstable();
            assert_eq!(tabled, read, "{kind}");
        }
    }
}
