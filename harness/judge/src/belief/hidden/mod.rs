//! Hidden moves: what may have happened without being reported, and so explains a response.

mod adoption;
mod deeds;

use std::collections::BTreeSet;

use tideover_exchange::target::inbox::is_gone;
use tideover_exchange::{Prepared, PreparedAction, Seen};
use tideover_model::wire::field::{self, Fields};
use tideover_model::wire::reply::Reply;
use tideover_model::{
    ActionKind, Cents, Happening, Operation, OperationKind, PlatformId, Timestamp, VendorRoute,
};

use crate::comparison::is_known_outcome;
use crate::belief::hidden::adoption::{adopt_business, adopt_invoice};
use crate::belief::hypothesis::deeds::{
    clear, file_tax_id, link_bank, onboard, open_account, sign, supply_tax_id,
};
use crate::belief::reading::{Revealed, amount};
use crate::belief::hypothesis::{Subject, Unclear, Hypothesis};

/// Who moves the outside world of a target: the vendor, the bank, the payor, the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// Only the harness, through the operator port. Only timed transitions happen by themselves.
    Controlled,
    /// Anyone, at any time.
    Open,
}

/// State that may predate this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PriorState {
    /// None.
    Nothing,
    /// Tax ids: other businesses may hold them.
    TaxIds,
    /// Any state.
    Anything,
}

/// An event that may have happened.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum HiddenMove {
    /// The service carried out a request that got no response.
    CarriedOut(usize),
    AccountOpened(String),
    FundingStarted(String, String),
    FundingCompleted(String, String),
    /// The vendor cleared compliance.
    Cleared(String, VendorRoute),
    Signed(String),
    BankLinked(String),
    /// All onboarding steps.
    Onboarded(String),
    /// The tax id turned out to be wrong.
    FoundWrong(String),
    Paid(String, String, Cents),
    /// A receiver responded with 410, and the subscription is gone.
    Revoked(String),
    /// The requested import stops after this many rows.
    Interrupted(usize),
    /// A business outside this run holds the tax id.
    HeldBefore(String),
    /// The same. Then the service carried out the unanswered request that sends the tax id.
    HeldAndCarriedOut(String, usize),
    /// The caller synced a tax id elsewhere.
    Supplied(String),
    /// The vendor gave a tax id, which is not confirmed.
    Filed(String),
    /// The business was known before the first request, and so was its invoice.
    WasThere(String, Option<String>),
}

/// What may have happened in `hypothesis` before `seen`, the response to `sent`.
pub(crate) fn moves(
    hypothesis: &Hypothesis,
    sent: &Prepared,
    seen: &Seen,
    now: Timestamp,
    outside: Outside,
    prior: PriorState,
) -> Vec<HiddenMove> {
    let Subject { platform, payee, invoice } = hypothesis.subject(sent);
    let mut moves = by_lost_requests(hypothesis, sent, prior);
    moves.extend(interruption(sent, seen));
    moves.extend(revocations(hypothesis, sent, platform, now, outside));
    let Some(payee) = payee else { return moves };
    let read = Operation::GetBusiness { business: payee.clone() };
    let is_known = hypothesis.look(now, platform, read).is_some();
    moves.extend(by_the_service(&payee, invoice.as_deref(), is_known, prior));
    // Only the harness moves the vendor and the payor, so nothing of theirs is hidden.
    if outside == Outside::Controlled && !hypothesis.has_foreign_businesses() {
        moves.extend(unstated(hypothesis, platform, &payee));
        return moves;
    }
    moves.extend(invoice.and_then(|invoice| payment(hypothesis, platform, &payee, invoice, seen, now)));
    moves.extend(by_the_vendor(&payee));
    moves
}

/// Requests that got no response, and tax ids that others held before.
fn by_lost_requests(hypothesis: &Hypothesis, sent: &Prepared, prior: PriorState) -> Vec<HiddenMove> {
    let mut moves: Vec<HiddenMove> = (0..hypothesis.open.len()).map(HiddenMove::CarriedOut).collect();
    if prior > PriorState::Nothing {
        moves.extend(hypothesis.tax_ids(sent).into_iter().map(HiddenMove::HeldBefore));
        let with_tax_id = |(index, open)| {
            let held = hypothesis.tax_ids(open).into_iter();
            held.map(move |tax_id| HiddenMove::HeldAndCarriedOut(tax_id, index))
        };
        moves.extend(hypothesis.open.iter().enumerate().flat_map(with_tax_id));
    }
    moves
}

/// Timed transitions of the service, and state that it had before this run.
fn by_the_service(
    payee: &str,
    invoice: Option<&str>,
    is_known: bool,
    prior: PriorState,
) -> Vec<HiddenMove> {
    let business = || payee.to_owned();
    let mut moves = Vec::new();
    if !is_known && prior == PriorState::Anything {
        moves.push(HiddenMove::WasThere(business(), invoice.map(str::to_owned)));
    }
    moves.push(HiddenMove::AccountOpened(business()));
    let Some(invoice) = invoice else { return moves };
    if is_known && prior == PriorState::Anything {
        moves.push(HiddenMove::WasThere(business(), Some(invoice.to_owned())));
    }
    moves.push(HiddenMove::FundingStarted(business(), invoice.to_owned()));
    moves.push(HiddenMove::FundingCompleted(business(), invoice.to_owned()));
    moves
}

/// What the document does not state about a tax id that was sent, as far as no response has shown it.
fn unstated(hypothesis: &Hypothesis, platform: PlatformId, payee: &str) -> Vec<HiddenMove> {
    let unstated: &[fn(String) -> HiddenMove] = match hypothesis.unclear(platform, payee) {
        Some(Unclear::Cleared) => {
            &[HiddenMove::Supplied, HiddenMove::Filed, HiddenMove::FoundWrong]
        }
        Some(Unclear::OnFile) => &[HiddenMove::Filed],
        None => &[],
    };
    unstated.iter().map(|unstated| unstated(payee.to_owned())).collect()
}

/// What the vendor may have done.
fn by_the_vendor(payee: &str) -> [HiddenMove; 8] {
    let business = || payee.to_owned();
    [
        HiddenMove::Cleared(business(), VendorRoute::VendorAssertion),
        HiddenMove::Cleared(business(), VendorRoute::W9Upload),
        HiddenMove::Supplied(business()),
        HiddenMove::Signed(business()),
        HiddenMove::BankLinked(business()),
        HiddenMove::Onboarded(business()),
        HiddenMove::Filed(business()),
        HiddenMove::FoundWrong(business()),
    ]
}

/// The payment that explains why more is collected than was known.
fn payment(
    hypothesis: &Hypothesis,
    platform: PlatformId,
    payee: &str,
    invoice: String,
    seen: &Seen,
    now: Timestamp,
) -> Option<HiddenMove> {
    let collected = amount(seen.json()?, field::COLLECTED)?;
    let read = Operation::GetInvoice { payee: payee.to_owned(), invoice: invoice.clone() };
    let known = match hypothesis.look(now, platform, read) {
        Some(Reply::Invoice(invoice)) => invoice.collected,
        _ => Cents::ZERO,
    };
    let more = collected - known;
    (more > Cents::ZERO).then(|| HiddenMove::Paid(payee.to_owned(), invoice, more))
}

/// A receiver that responds with 410 loses its subscription at some time after a delivery (`6.delivery.2`).
/// The inbox does so for some URLs. What other receivers do is unknown, and their subscriptions may have been
/// deleted too.
fn revocations(
    hypothesis: &Hypothesis,
    sent: &Prepared,
    platform: PlatformId,
    now: Timestamp,
    outside: Outside,
) -> Vec<HiddenMove> {
    let asks =
        [OperationKind::Subscribe, OperationKind::ListSubscriptions, OperationKind::Unsubscribe];
    if !sent.kind().is_some_and(|kind| asks.contains(&kind)) {
        return Vec::new();
    }
    let listed = hypothesis.look(now, platform, Operation::ListSubscriptions);
    let Some(Reply::Subscriptions(listed)) = listed else { return Vec::new() };
    let may_be_gone = |url: &str| match hypothesis.hears(url) {
        true => is_gone(url),
        false => outside == Outside::Open,
    };
    let gone = listed.into_iter().filter(|one| may_be_gone(&one.url));
    gone.map(|one| HiddenMove::Revoked(one.reference)).collect()
}

/// An import may stop at any row (`4.imports.7`). Its report shows how many rows were done, but may also list
/// rows that were not.
fn interruption(sent: &Prepared, seen: &Seen) -> Vec<HiddenMove> {
    let report = seen.json().filter(|_| sent.kind() == Some(OperationKind::ImportInvoices));
    let stopped = report.filter(|report| Fields::of(report).finished() == Some(false));
    let Some(rows) = stopped.and_then(|report| Fields::of(report).rows()) else {
        return Vec::new();
    };
    let at_least = rows.iter().filter(|row| is_known_outcome(&row[field::OUTCOME])).count();
    // The report also lists rows that were done before.
    let downwards = |rows: usize| (0..=rows).rev().take(8);
    let done: BTreeSet<usize> = downwards(rows.len()).chain(downwards(at_least)).collect();
    done.into_iter().rev().map(HiddenMove::Interrupted).collect()
}

/// Does in `hypothesis` what an action requests, and first removes every obstacle. `false` if it is impossible.
pub(crate) fn force_action(
    hypothesis: &mut Hypothesis,
    sent: &Prepared,
    platform: PlatformId,
    now: Timestamp,
) -> bool {
    let PreparedAction::Act(fields) = &sent.action else { return false };
    let Some(payee) = hypothesis.subject(sent).payee else { return false };
    let is_w9 = fields.get("route").is_some_and(|route| route == "W9_UPLOAD");
    let route = if is_w9 { VendorRoute::W9Upload } else { VendorRoute::VendorAssertion };
    match sent.acts() {
        Some(ActionKind::VendorConfirmsTaxId) => clear(hypothesis, platform, &payee, route, now),
        Some(ActionKind::VendorSignsAgreement) => sign(hypothesis, platform, &payee, now),
        Some(ActionKind::VendorAddsBankAccount) => link_bank(hypothesis, platform, &payee, now),
        Some(ActionKind::VendorCompletesOnboarding) => onboard(hypothesis, platform, &payee, now),
        Some(ActionKind::CollectionAccountOpens) => open_account(hypothesis, platform, &payee, now),
        _ => false,
    }
}

impl HiddenMove {
    /// Applies the move to `hypothesis`. `false` if it cannot have happened.
    pub(crate) fn apply(
        &self,
        hypothesis: &mut Hypothesis,
        platform: PlatformId,
        seen: &Seen,
        now: Timestamp,
    ) -> bool {
        let revealed = Revealed::by(seen);
        match self.clone() {
            HiddenMove::CarriedOut(index) => hypothesis.carry_out(index, revealed, now),
            HiddenMove::AccountOpened(payee) => open_account(hypothesis, platform, &payee, now),
            HiddenMove::FundingStarted(payee, invoice) => {
                hypothesis.happen(now, platform, Happening::FundingStarts { payee, invoice })
            }
            HiddenMove::FundingCompleted(payee, invoice) => {
                hypothesis.happen(now, platform, Happening::FundingCompletes { payee, invoice })
            }
            HiddenMove::Paid(payee, invoice, amount) => {
                hypothesis.happen(now, platform, Happening::PayorPays { payee, invoice, amount })
            }
            HiddenMove::Revoked(reference) => {
                let unsubscribe = Operation::Unsubscribe { reference };
                hypothesis.operate(now, platform, Revealed::default(), unsubscribe)
            }
            HiddenMove::Interrupted(after_rows) => {
                hypothesis.happen(now, platform, Happening::InterruptNextImport { after_rows })
            }
            HiddenMove::FoundWrong(payee) => {
                hypothesis.happen(now, platform, Happening::TaxIdFoundWrong { payee })
            }
            HiddenMove::HeldBefore(tax_id) => hypothesis.add_foreign_business(platform, tax_id, now),
            HiddenMove::HeldAndCarriedOut(tax_id, index) => {
                hypothesis.add_foreign_business(platform, tax_id, now)
                    && hypothesis.carry_out(index, revealed, now)
            }
            HiddenMove::Filed(payee) => file_tax_id(hypothesis, platform, &payee, now),
            HiddenMove::Supplied(payee) => supply_tax_id(hypothesis, platform, &payee, now),
            HiddenMove::Cleared(payee, route) => clear(hypothesis, platform, &payee, route, now),
            HiddenMove::Signed(payee) => sign(hypothesis, platform, &payee, now),
            HiddenMove::BankLinked(payee) => link_bank(hypothesis, platform, &payee, now),
            HiddenMove::Onboarded(payee) => onboard(hypothesis, platform, &payee, now),
            HiddenMove::WasThere(payee, invoice) => {
                let Some(answer) = seen.success_body() else { return false };
                match invoice {
                    None => adopt_business(hypothesis, platform, &payee, answer, now),
                    Some(invoice) => {
                        adopt_invoice(hypothesis, platform, &payee, &invoice, answer, revealed, now)
                    }
                }
            }
        }
    }
}
