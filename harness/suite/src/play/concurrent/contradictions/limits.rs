//! The outstanding amount of a business has a limit (`8.concentrationLimit`, `4.advances.1`).
//!
//! All granted advances on which no payor paid are outstanding at once, in the end. Their sum must be within the known
//! limit, and within any limit that explains a refusal. What was outstanding at a refusal counts the paid ones, too.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tideover_exchange::PreparedAction;
use tideover_judge::{Outside, PriorState, amount};
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ActionKind, Code, Operation, OperationKind, clause};

use crate::play::concurrent::contradictions::{
    Broken, Invoice, Looked, Named, advanced, granted, requests_for_advances,
};
use crate::play::concurrent::history::{History, TimedRequest};
use crate::play::concurrent::known::Known;

pub(super) fn look(history: &History, parts: &[Vec<usize>], known: &Known, looked: &mut Looked) {
    let advances = Advances::of(history, parts);
    let paid = paid(history);
    let mut by_payee: BTreeMap<Named<'_>, Vec<(usize, i64)>> = BTreeMap::new();
    for (invoice, (request, amount)) in &advances.granted {
        let (platform, payee, name) = invoice;
        let of_payee = by_payee.entry((platform, payee)).or_default();
        if !paid.contains(&(payee.as_str(), name.as_str())) {
            of_payee.push((*request, *amount));
        }
    }
    for ((platform, payee), granted) in by_payee {
        let sum: i64 = granted.iter().map(|(_, amount)| amount).sum();
        let mut requests: Vec<usize> = granted.iter().map(|(request, _)| *request).collect();
        let unpaid = known.outside == Outside::Controlled
            || requests.iter().all(|one| is_read_uncollected(history, *one));
        let limit = known.limit.map(|limit| limit.0).filter(|_| unpaid);
        let is_new = match known.prior {
            PriorState::Nothing => true,
            PriorState::TaxIds => is_created(history, (platform, payee)),
            PriorState::Anything => false,
        };
        let alone = known.outside == Outside::Controlled && is_new;
        let of_payee = |one: &&Refused| alone && (&one.platform, &*one.payee) == (platform, payee);
        let refused: Vec<&Refused> = advances.refused.iter().filter(of_payee).collect();
        if limit.is_some() || !refused.is_empty() {
            looked.met.meet(clause!("8.concentrationLimit"));
        }
        let limit = limit.filter(|limit| sum > *limit);
        let refusal = refused.into_iter().find(|one| sum >= one.less_than);
        let seen = format!("{sum} granted to {payee}");
        let broken = |expected| Broken {
            clause: clause!("8.concentrationLimit"),
            kind: OperationKind::RequestAdvance,
            field: field::ADVANCE_AMOUNT,
            expected,
            seen,
        };
        if let Some(limit) = limit {
            looked.contradict(broken(format!("at most {limit} outstanding")), requests);
        } else if let Some(refusal) = refusal {
            let expected = format!("less than {}, since that was refused", refusal.less_than);
            requests.push(refusal.request);
            looked.contradict(broken(expected), requests);
        }
    }
}

/// The advances of a history. Amounts are in cents.
struct Advances {
    /// The first request that was granted, and its amount.
    granted: BTreeMap<Invoice, (usize, i64)>,
    refused: Vec<Refused>,
}

/// A request that was refused because of the limit.
struct Refused {
    request: usize,
    platform: Option<String>,
    payee: String,
    /// The limit is less than this.
    less_than: i64,
}

impl Advances {
    fn of(history: &History, parts: &[Vec<usize>]) -> Advances {
        let mut granted = BTreeMap::new();
        for (invoice, asked) in requests_for_advances(history) {
            let amount = |one: usize| Some((one, granted_amount(&history.requests[one])?));
            if let Some(first) = asked.into_iter().find_map(amount) {
                granted.insert(invoice, first);
            }
        }
        let mut advances = Advances { granted, refused: Vec::new() };
        let faces = face_values(history);
        for (index, request, operation) in history.operations() {
            let code = request.outcome().and_then(|response| response.seen.code());
            if code == Some(Code::ConcentrationExceeded.name())
                && let Some(invoice) = advanced(request, operation)
                && let Some(part) = parts.iter().find(|part| part.contains(&index))
                && let Some(before) = advances.at_most_before(history, part, index, &faces)
                && let Some(face) = faces.get(&invoice)
            {
                let (platform, payee, _) = invoice;
                let less_than = before + face;
                advances.refused.push(Refused { request: index, platform, payee, less_than });
            }
        }
        advances
    }

    /// The most that may have been outstanding when a request was refused, each invoice once. `None` if an amount is
    /// unknown.
    fn at_most_before(
        &self,
        history: &History,
        part: &[usize],
        refused: usize,
        faces: &BTreeMap<Invoice, i64>,
    ) -> Option<i64> {
        let refused = &history.requests[refused];
        let mut before: BTreeMap<Invoice, i64> = BTreeMap::new();
        for index in part {
            let other = &history.requests[*index];
            let was_refused = other.outcome().is_some() && other.success().is_none();
            if was_refused || !other.may_precede(refused) {
                continue;
            }
            if let Some(about) = history.operation(*index).and_then(|one| advanced(other, one)) {
                let amount = self.granted.get(&about).map(|(_, amount)| *amount);
                let amount = amount.or_else(|| faces.get(&about).copied())?;
                before.insert(about, amount);
            }
        }
        Some(before.values().sum())
    }
}

/// The payees and names of the invoices on which a payor paid, with whatever key of the platform. A payment makes room.
fn paid(history: &History) -> BTreeSet<(&str, &str)> {
    fn of(request: &TimedRequest) -> Option<(&str, &str)> {
        let PreparedAction::Act(fields) = &request.sent.action else { return None };
        let text = |name| fields.get(name).and_then(Value::as_str);
        Some((text(field::PAYEE_EXTERNAL_ID)?, text(field::INVOICE_EXTERNAL_ID)?))
    }
    let pays = |one: &&TimedRequest| one.sent.acts() == Some(ActionKind::PayorPays);
    history.requests.iter().filter(pays).filter_map(of).collect()
}

/// The amount of a granted advance.
fn granted_amount(request: &TimedRequest) -> Option<i64> {
    amount(granted(request)?, field::ADVANCE_AMOUNT).map(|amount| amount.0)
}

/// The greatest face value that each invoice was synced with.
fn face_values(history: &History) -> BTreeMap<Invoice, i64> {
    let mut faces: BTreeMap<Invoice, i64> = BTreeMap::new();
    for (_, request, operation) in history.operations() {
        for sync in operation.syncs() {
            let platform = request.sent.authorization.clone();
            let invoice = (platform, sync.payee.business.clone(), sync.invoice.clone());
            let face = faces.entry(invoice).or_default();
            *face = (*face).max(sync.face_value.cents().0);
        }
    }
    faces
}

/// Whether a response says that a business is new, so that no other platform finances its invoices.
fn is_created(history: &History, (platform, name): Named<'_>) -> bool {
    history.operations().any(|(_, request, operation)| {
        let syncs =
            matches!(operation, Operation::SyncBusiness { business, .. } if business == name);
        let created = || granted(request)?.get(field::CREATED)?.as_bool();
        syncs && request.sent.authorization == *platform && created() == Some(true)
    })
}

/// Whether a later read shows that nothing was collected on the invoice of an advance.
fn is_read_uncollected(history: &History, request: usize) -> bool {
    let asked = &history.requests[request];
    let Some(Operation::RequestAdvance { payee, invoice }) = history.operation(request) else {
        return false;
    };
    history.operations().any(|(_, other, operation)| {
        let about = matches!(operation, Operation::GetInvoice { payee: of, invoice: about }
            if (of, about) == (payee, invoice));
        let collected = granted(other).and_then(|read| Fields::of(read).collected());
        about
            && other.sent.authorization == asked.sent.authorization
            && asked.precedes(other)
            && collected == Some(0)
    })
}
