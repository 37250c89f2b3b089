//! Which sentence states the value of a field, where the note on the field states its form alone.

use serde_json::Value;
use tideover_model::{Clause, Code, OperationKind, clause};

use crate::comparison::{ABSENT, SUCCESS};
use crate::grounds::{Difference, is_none};

/// A kind of wrong value in a field of a response.
struct Decided {
    kind: OperationKind,
    /// The dotted path of the field, or its beginning up to a `*`.
    field: &'static str,
    /// Whether a value is of this kind: of the right form, and wrong.
    is_so: fn(Difference<'_>) -> bool,
    clause: Clause,
}

macro_rules! decided {
    ($($kind:ident $field:literal $is_so:expr => $clause:literal;)*) => {
        &[$(Decided {
            kind: OperationKind::$kind,
            field: $field,
            is_so: $is_so,
            clause: clause!($clause),
        }),*]
    };
}

/// The first row that fits counts.
static VALUES: &[Decided] = decided! {
    GetInvoice "advance" is_lost => "2.invoice.advance.2";
    GetInvoice "advance.*" any => "2.invoice.advance.2";
    GetBusiness "name" is_other_text => "4.businessSync.intro.2";
    GetBusiness "name" is_lost => "4.businessSync.intro.2";
    GetBusiness "complianceRoute" is_of_partner => "2.business.complianceRoute.2";
    GetBusiness "onboarding.compliance" is_flag => "3.requirement.compliance";
    GetBusiness "onboarding.contract" is_flag => "3.requirement.contract";
    GetBusiness "onboarding.bank" is_flag => "3.requirement.bank";
    GetBusiness "onboarding.collectionAccount" is_flag => "3.requirement.collectionAccount";
    GetBusiness "remittance" is_missing => "3.onboarding.4.2";
    GetBusiness "remittance" is_early => "2.business.remittance.2";
    GetBusiness "remittance.accountNumber" is_no_text => "2.remittance.accountNumber";
    GetBusiness "remittance.routingNumber" is_no_text => "2.remittance.routingNumber";
    RequestAdvance "alreadyRequested" is_denied => "2.advance.alreadyRequested.2";
    RequestAdvance "financeableAmount" is_amount => "2.amounts.financeableAmount";
    RequestAdvance "forwardedAtPayment" is_amount => "2.amounts.forwardedAtPayment";
    RequestAdvance "forwardedAtPayment" is_negative => "2.amounts.forwardedAtPayment.2";
    RequestAdvance "remittance" is_missing => "3.onboarding.4.2";
    RequestAdvance "remittance.accountNumber" is_no_text => "2.remittance.accountNumber";
    RequestAdvance "remittance.routingNumber" is_no_text => "2.remittance.routingNumber";
    Quote "financeableAmount" is_amount => "2.amounts.financeableAmount";
    Quote "forwardedAtPayment" is_amount => "2.amounts.forwardedAtPayment";
    Quote "forwardedAtPayment" is_negative => "2.amounts.forwardedAtPayment.2";
    Quote "notFundableReason" is_early => "2.quote.notFundableReason.2";
    GetImport "rowCount" is_shown => "4.import.1";
    GetImport "finished" is_shown => "4.import.1";
    GetImport "rows" is_shown => "4.import.1";
    GetImport "rows.*" is_shown => "4.import.1";
    ImportInvoices "code" is_counted_wrong => "4.imports.1";
    CreateOnboardingSession "url" is_other_text => "4.sessions.6";
};

/// The sentence that states the value of a field, if another one than the note on the field does.
pub(super) fn decided_by(kind: OperationKind, differs: Difference<'_>) -> Option<Clause> {
    let is_at = |row: &Decided| match row.field.strip_suffix('*') {
        Some(beginning) => differs.field.starts_with(beginning),
        None => differs.field == row.field,
    };
    let mut rows = VALUES.iter().filter(|row| row.kind == kind && is_at(row));
    rows.find(|row| (row.is_so)(differs)).map(|row| row.clause)
}

/// The sentences on the requirements of a business (§3).
pub(super) fn of_requirements() -> impl Iterator<Item = Clause> {
    VALUES.iter().filter(|row| row.field.starts_with("onboarding.")).map(|row| row.clause)
}

fn any(_: Difference<'_>) -> bool {
    true
}

fn is_shown(differs: Difference<'_>) -> bool {
    differs.seen != ABSENT
}

fn is_lost(differs: Difference<'_>) -> bool {
    differs.seen == "null"
}

/// Neither a value nor null, or null in place of a value.
fn is_missing(differs: Difference<'_>) -> bool {
    is_none(differs.seen)
}

/// A value in place of null.
fn is_early(differs: Difference<'_>) -> bool {
    differs.expected == "null" && !is_none(differs.seen)
}

/// The refusal of a file for its rows, which are not too many.
fn is_counted_wrong(differs: Difference<'_>) -> bool {
    !differs.seen.starts_with(SUCCESS) && differs.seen.ends_with(Code::TooManyRows.name())
}

fn is_denied(differs: Difference<'_>) -> bool {
    (differs.expected, differs.seen) == ("true", "false")
}

fn is_flag(differs: Difference<'_>) -> bool {
    differs.is(Value::is_boolean)
}

fn is_other_text(differs: Difference<'_>) -> bool {
    // A name of another one is told in words, after the name.
    differs.seen.starts_with('"')
}

fn is_no_text(differs: Difference<'_>) -> bool {
    differs.seen == ABSENT || differs.is(|seen| !seen.is_string())
}

fn is_amount(differs: Difference<'_>) -> bool {
    differs.is(Value::is_u64)
}

fn is_negative(differs: Difference<'_>) -> bool {
    differs.is(|seen| seen.as_i64().is_some_and(|cents| cents < 0))
}

/// A route in place of another one, where one of them says that the tax id came from the caller.
fn is_of_partner(differs: Difference<'_>) -> bool {
    [differs.expected, differs.seen].contains(&"\"PARTNER_SUPPLIED\"")
        && differs.is(Value::is_string)
        && differs.expected != "null"
}
