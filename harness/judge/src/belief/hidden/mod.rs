//! Hidden moves: what may have happened without being reported, and so explains a response.

mod adoption;

use std::collections::BTreeSet;

use tideover_exchange::target::inbox::is_gone;
use tideover_exchange::{Prepared, Response};
use tideover_model::wire::field::{self, Fields};
use tideover_model::wire::reply::Reply;
use tideover_model::{
    Cents, Happening, Operation, OperationKind, PlatformId, Timestamp, VendorRoute,
};

use crate::belief::Observation;
use crate::belief::hypothesis::deeds::Deeds;
use crate::belief::hypothesis::{Hypothesis, Subject, Unclear};
use crate::belief::reading::{Revealed, amount};
use crate::comparison::is_known_outcome;

/// Who moves the outside world of a target: the vendor, the bank, the payor, the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// Only the harness, through the operator port. Only timed transitions happen by themselves.
    Controlled,
    /// Anyone, at any time.
    Open,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PriorState {
    Nothing,
    /// Tax ids: other businesses may hold them.
    TaxIds,
    Anything,
}

/// Something that may have happened to the subject of a request before its response.
#[derive(Clone, Debug)]
pub(crate) enum HiddenMove {
    /// The service carried out a request that got no response.
    CarriedOut(usize),
    AccountOpened,
    FundingStarted,
    FundingCompleted,
    /// The vendor cleared compliance.
    Cleared(VendorRoute),
    Signed,
    BankLinked,
    /// All onboarding steps.
    Onboarded,
    FoundWrong,
    /// The payor paid this much more than was known.
    Paid(Cents),
    /// A receiver responded with 410, and the subscription is gone.
    Revoked(String),
    Interrupted(usize),
    /// A business outside this run holds the tax id.
    HeldBefore(String),
    /// The same. Then the service carried out the unanswered request that sends the tax id.
    HeldAndCarriedOut(String, usize),
    /// The caller synced a tax id elsewhere.
    Supplied,
    /// The vendor gave a tax id, which is not confirmed.
    Filed,
    /// The business was known before the first request.
    BusinessWasThere,
    /// The same, and so was its invoice.
    InvoiceWasThere,
    /// The payee of the invoice is its payor, too, by another identifier or the same.
    OwedByItself,
}

/// What may have happened in `hypothesis` before the observed response.
pub(crate) fn moves(
    hypothesis: &Hypothesis,
    subject: &Subject,
    observed: Observation<'_>,
    (outside, prior): (Outside, PriorState),
    alone: bool,
) -> Vec<HiddenMove> {
    let Observation { sent, seen, now } = observed;
    let Subject { platform, payee, invoice } = subject;
    let mut moves = by_lost_requests(hypothesis, sent, prior);
    moves.extend(interruption(sent, seen));
    moves.extend(revocations(hypothesis, sent, *platform, now, outside));
    let Some(payee) = payee else { return moves };
    let read = Operation::GetBusiness { business: payee.clone() };
    let is_known = hypothesis.look(now, *platform, read).is_some();
    moves.extend(by_the_service(invoice.is_some(), is_known, prior));
    // Only another caller could have changed an invoice since.
    if alone && invoice.as_ref().is_some_and(|it| knows(hypothesis, *platform, payee, it, now)) {
        moves.retain(|one| !matches!(one, HiddenMove::InvoiceWasThere));
    }
    // Only the harness moves the vendor and the payor, so nothing of theirs is hidden.
    if outside == Outside::Controlled && !hypothesis.has_foreign_businesses() {
        moves.extend_from_slice(unstated(hypothesis.unclear(*platform, payee)));
        return moves;
    }
    moves.extend(payment(hypothesis, subject, seen, now));
    moves.extend_from_slice(&BY_THE_VENDOR);
    moves
}

fn knows(
    hypothesis: &Hypothesis,
    platform: PlatformId,
    payee: &str,
    invoice: &str,
    now: Timestamp,
) -> bool {
    let (payee, invoice) = (payee.to_owned(), invoice.to_owned());
    hypothesis.look(now, platform, Operation::GetInvoice { payee, invoice }).is_some()
}

/// Requests that got no response, and tax ids that others held before.
fn by_lost_requests(
    hypothesis: &Hypothesis,
    sent: &Prepared,
    prior: PriorState,
) -> Vec<HiddenMove> {
    let lost = hypothesis.related(sent);
    let mut moves: Vec<HiddenMove> = lost.iter().copied().map(HiddenMove::CarriedOut).collect();
    if prior > PriorState::Nothing {
        moves.extend(hypothesis.tax_ids(sent).into_iter().map(HiddenMove::HeldBefore));
        let with_tax_id = |index: usize| {
            let held = hypothesis.tax_ids(&hypothesis.open[index].sent).into_iter();
            held.map(move |tax_id| HiddenMove::HeldAndCarriedOut(tax_id, index))
        };
        moves.extend(lost.into_iter().flat_map(with_tax_id));
    }
    moves
}

/// Timed transitions of the service, and state that it had before this run.
fn by_the_service(
    names_invoice: bool,
    is_known: bool,
    prior: PriorState,
) -> impl Iterator<Item = HiddenMove> {
    let may_predate = prior == PriorState::Anything;
    let moves = [
        (!is_known && may_predate && !names_invoice, HiddenMove::BusinessWasThere),
        (!is_known && may_predate && names_invoice, HiddenMove::InvoiceWasThere),
        (true, HiddenMove::AccountOpened),
        (is_known && may_predate && names_invoice, HiddenMove::InvoiceWasThere),
        (names_invoice, HiddenMove::FundingStarted),
        (names_invoice, HiddenMove::FundingCompleted),
        (is_known && may_predate && names_invoice, HiddenMove::OwedByItself),
    ];
    moves.into_iter().filter_map(|(is_possible, hidden)| is_possible.then_some(hidden))
}

/// What the document does not state about a tax id that was sent, as far as no response has shown it.
fn unstated(unclear: Option<Unclear>) -> &'static [HiddenMove] {
    match unclear {
        Some(Unclear::Cleared) => {
            &[HiddenMove::Supplied, HiddenMove::Filed, HiddenMove::FoundWrong]
        }
        Some(Unclear::OnFile) => &[HiddenMove::Filed],
        None => &[],
    }
}

const BY_THE_VENDOR: [HiddenMove; 8] = [
    HiddenMove::Cleared(VendorRoute::VendorAssertion),
    HiddenMove::Cleared(VendorRoute::W9Upload),
    HiddenMove::Supplied,
    HiddenMove::Signed,
    HiddenMove::BankLinked,
    HiddenMove::Onboarded,
    HiddenMove::Filed,
    HiddenMove::FoundWrong,
];

/// The payment that explains why more is collected than was known.
fn payment(
    hypothesis: &Hypothesis,
    subject: &Subject,
    seen: &Response,
    now: Timestamp,
) -> Option<HiddenMove> {
    let collected = amount(seen.json()?, field::COLLECTED)?;
    let (payee, invoice) = subject.payee.clone().zip(subject.invoice.clone())?;
    let read = Operation::GetInvoice { payee, invoice };
    let known = match hypothesis.look(now, subject.platform, read) {
        Some(Reply::Invoice(invoice)) => invoice.collected,
        _ => Cents::ZERO,
    };
    let more = collected - known;
    (more > Cents::ZERO).then_some(HiddenMove::Paid(more))
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
    if !sent.kind().is_some_and(OperationKind::is_about_subscriptions) {
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
fn interruption(sent: &Prepared, seen: &Response) -> Vec<HiddenMove> {
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

impl HiddenMove {
    /// Applies the move to `hypothesis`. `false` if it cannot have happened.
    pub(crate) fn apply(
        &self,
        hypothesis: &mut Hypothesis,
        subject: &Subject,
        observed: Observation<'_>,
    ) -> bool {
        let Observation { seen, now, .. } = observed;
        let revealed = Revealed::by(seen);
        let platform = subject.platform;
        let (payee, invoice) = (subject.payee.clone(), subject.invoice.clone());
        let [payee, invoice] = [payee, invoice].map(Option::unwrap_or_default);
        let mut deeds = Deeds { hypothesis, platform, payee: &payee.clone(), now };
        match self.clone() {
            HiddenMove::CarriedOut(index) => deeds.hypothesis.carry_out_open(index, revealed, now),
            HiddenMove::HeldBefore(tax_id) => {
                deeds.hypothesis.add_foreign_business(platform, tax_id, now)
            }
            HiddenMove::HeldAndCarriedOut(tax_id, index) => {
                deeds.hypothesis.add_foreign_business(platform, tax_id, now)
                    && deeds.hypothesis.carry_out_open(index, revealed, now)
            }
            HiddenMove::Revoked(reference) => {
                deeds.hypothesis.service().revoke(platform, &reference)
            }
            HiddenMove::Interrupted(after_rows) => {
                deeds.happen(Happening::InterruptNextImport { after_rows })
            }
            HiddenMove::FundingStarted => deeds.happen(Happening::FundingStarts { payee, invoice }),
            HiddenMove::FundingCompleted => {
                deeds.happen(Happening::FundingCompletes { payee, invoice })
            }
            HiddenMove::Paid(amount) => {
                deeds.happen(Happening::PayorPays { payee, invoice, amount })
            }
            HiddenMove::FoundWrong => deeds.happen(Happening::TaxIdFoundWrong { payee }),
            HiddenMove::AccountOpened => deeds.open_account(),
            HiddenMove::Filed => deeds.file_tax_id(),
            HiddenMove::Supplied => deeds.supply_tax_id(),
            HiddenMove::Cleared(route) => deeds.clear(route),
            HiddenMove::Signed => deeds.sign(),
            HiddenMove::BankLinked => deeds.link_bank(),
            HiddenMove::Onboarded => deeds.onboard(),
            HiddenMove::BusinessWasThere => {
                seen.success_body().is_some_and(|answer| deeds.adopt_business(answer))
            }
            HiddenMove::InvoiceWasThere => seen
                .success_body()
                .is_some_and(|answer| deeds.adopt_invoice(&invoice, answer, revealed)),
            HiddenMove::OwedByItself => deeds.owe_itself(&invoice),
        }
    }
}
