//! Values that a response derives from its request or from an earlier response: the mask of an account, the
//! result of a tax id, the amount paid out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tideover_exchange::matcher::leaves;
use tideover_exchange::matcher::texts;
use tideover_exchange::{Exchange, Response};
use tideover_model::wire::field::{self, Fields};
use tideover_model::words::{AdvanceState, CollectionState};
use tideover_model::{Operation, OperationKind, clause};

use crate::checks::relations::ledger::{BusinessName, InvoiceName, business, invoice};
use crate::checks::{Check, Notes, is_reset};
use crate::comparison::is_synced;
use crate::grounds::{if_rejected, uploaded_rows};

#[derive(Default)]
pub(super) struct DerivedValues {
    /// The first mask of each account, by its number and its bank.
    masks: BTreeMap<PayoutAccount, String>,
    /// The account of each business, and its mask.
    accounts: BTreeMap<BusinessName, (PayoutAccount, String)>,
    /// Whom each inviteId was given to: businesses, each with the addresses that were invited.
    invited: BTreeMap<String, BTreeMap<BusinessName, BTreeSet<String>>>,
    /// Businesses that were synced, or may have been.
    synced: BTreeSet<BusinessName>,
    /// The objects in responses to syncs, by kind of sync.
    objects: BTreeMap<Sync, BTreeSet<String>>,
    /// What each advance pays the vendor. Cents.
    advances: BTreeMap<InvoiceName, i64>,
    /// The outcomes seen for wrong rows. The document doesn't show them.
    words_for_wrong_rows: BTreeSet<String>,
    /// The collection state, by face value and collected amount. Cents.
    states: BTreeMap<(i64, i64), CollectionState>,
}

/// The number and the bank of an account.
type PayoutAccount = [Option<String>; 2];

/// The kind of a sync without a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sync {
    /// A linked business with a tax id. The response shows the outcome.
    LinkedWithTaxId,
    LinkedWithout,
    New,
}

impl Check for DerivedValues {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            *self = DerivedValues::default();
        }
        match exchange.kind() {
            Some(OperationKind::SetPayoutAccount) => self.mask(exchange, notes),
            Some(OperationKind::Invite) => self.invite_id(exchange, notes),
            Some(OperationKind::SyncBusiness) => self.tax_id_result(exchange, notes),
            Some(OperationKind::RequestAdvance) => self.learn_advance(exchange),
            Some(OperationKind::GetInvoice) => {
                self.check_paid_amount(exchange, notes);
                self.check_recovered(exchange, notes);
                self.collection_state(exchange, notes);
            }
            Some(OperationKind::ImportInvoices) => self.rows(exchange, notes),
            _ => {}
        }
        let parties = exchange.call().and_then(|call| call.operation()).map(Operation::syncs);
        for sync in parties.unwrap_or_default() {
            for party in [&sync.payee, &sync.payor] {
                self.synced.insert((super::ledger::caller(exchange), party.business.clone()));
            }
        }
    }
}

impl DerivedValues {
    /// What the mask shows is open: a part of the account, its label, one that the service gave it. It is not that of the
    /// account before, where another business has another one for the same account.
    fn mask(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(answer) = exchange.success_of(OperationKind::SetPayoutAccount) else { return };
        let (Some(business), Some(mask)) = (business(exchange), Fields::of(answer).mask()) else {
            return;
        };
        notes.meet(clause!("2.payoutAccount.mask"));
        let account =
            [field::ACCOUNT_NUMBER, "routingNumber"].map(|name| exchange.sent_field(name));
        let known = self.masks.entry(account.clone()).or_insert_with(|| mask.to_owned());
        let before = self.accounts.insert(business, (account.clone(), mask.to_owned()));
        let stays = before.is_some_and(|(other, shown)| other != account && shown == mask);
        notes.expect(
            exchange,
            clause!("4.payoutAccount.1"),
            known == mask || !stays,
            "mask",
            || (format!("{known}, as this account was shown before"), mask.to_owned()),
        );
    }

    /// What an inviteId stands for is not shown: it may count within one business, or be one for a business. One that is
    /// everybody's identifies nothing.
    fn invite_id(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(answer) = exchange.success_of(OperationKind::Invite) else { return };
        let named = business(exchange).zip(exchange.sent_field("email"));
        let (Some((business, email)), Some(id)) = (named, answer[field::INVITE_ID].as_str()) else {
            return;
        };
        let given = self.invited.entry(id.to_owned()).or_default();
        given.entry(business).or_default().insert(email);
        let is_everybodys = given.len() > 1 && given.values().any(|emails| emails.len() > 1);
        let clause = clause!("2.invitation.inviteId");
        notes.expect(exchange, clause, !is_everybodys, field::INVITE_ID, || {
            let many = given.len();
            (
                "one of its own".to_owned(),
                format!("{id}, for several addresses at {many} businesses"),
            )
        });
    }

    /// The object for tax ids of linked businesses appears in no other response.
    fn tax_id_result(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(name) = business(exchange) else { return };
        let is_new = self.synced.insert(name);
        let Some(answer) = exchange.success_of(OperationKind::SyncBusiness) else { return };
        let Some(Operation::SyncBusiness { details, .. }) =
            exchange.call().and_then(|call| call.operation())
        else {
            return;
        };
        let contact = exchange.sent_json().and_then(|sent| sent.get(field::CONTACT));
        if contact.is_some() || is_new && Fields::of(answer).created() != Some(true) {
            return;
        }
        let sync = match (is_new, &details.tax_id) {
            (true, _) => Sync::New,
            (false, None) => Sync::LinkedWithout,
            (false, Some(_)) => Sync::LinkedWithTaxId,
        };
        let objects =
            answer.as_object().into_iter().flatten().filter(|(_, value)| value.is_object());
        let objects: BTreeSet<String> = objects.map(|(name, _)| name.clone()).collect();
        self.objects.entry(sync).or_default().extend(objects.iter().cloned());
        if sync == Sync::LinkedWithTaxId && objects.is_empty() {
            return;
        }
        let objects_of = |sync: Sync| self.objects.get(&sync);
        let (Some(results), Some(new), Some(without)) = (
            objects_of(Sync::LinkedWithTaxId),
            objects_of(Sync::New),
            objects_of(Sync::LinkedWithout),
        ) else {
            return;
        };
        // An object in the responses to all syncs is something else.
        let misplaced = results.iter().find(|name| new.contains(*name) != without.contains(*name));
        let clause = clause!("2.businessSynced.taxIdResult");
        notes.expect(exchange, clause, misplaced.is_none(), "tax id result", || {
            let where_else = if misplaced.is_some_and(|name| new.contains(name)) {
                "for a new business"
            } else {
                "where no tax id was sent"
            };
            (
                "only for a tax id of a business that is linked already",
                format!("{} also {where_else}", misplaced.map_or("", String::as_str)),
            )
        });
    }

    /// A valid row never has the outcome of a wrong row.
    fn rows(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let (Some(expected), Some(actual)) =
            (outcomes(exchange.predicted), outcomes(exchange.seen))
        else {
            return;
        };
        let wrong = expected.iter().filter(|outcome| *outcome == REJECTED).count();
        let unknown: Vec<&String> = actual.iter().filter(|outcome| !is_synced(outcome)).collect();
        if expected.len() != actual.len() {
            return;
        }
        if wrong > 0 && unknown.len() == wrong && unknown.windows(2).all(|two| two[0] == two[1]) {
            self.words_for_wrong_rows.insert(unknown[0].clone());
        }
        let is_rejected = |word: &String| self.words_for_wrong_rows.contains(word);
        let rejected = unknown.iter().filter(|word| is_rejected(word)).count();
        let holds = rejected <= wrong;
        let mut pairs = uploaded_rows(exchange.sent).iter().zip(&actual);
        let wronged =
            pairs.find_map(|(row, word)| row.sync.as_ref().ok().filter(|_| is_rejected(word)));
        let broken = wronged.filter(|_| !holds).map(|sync| if_rejected(exchange.sent, sync));
        let clause = broken.unwrap_or(clause!("2.importReport.rows"));
        notes.expect(exchange, clause, holds, "rows", || {
            (format!("{wrong} rows that are not imported"), format!("{rejected}: {actual:?}"))
        });
    }

    /// The state follows from both amounts: equal amounts give equal states, nothing collected is not collected, all of it
    /// is, and more of the same face value never counts as less. Between the ends, the thresholds are not shown. New
    /// states may be added.
    fn collection_state(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(answer) = exchange.success_of(OperationKind::GetInvoice) else { return };
        let cents = |name: &str| answer[name].as_i64();
        let (Some(collected), Some(face), Some(state)) = (
            cents(field::COLLECTED),
            cents(field::FACE_VALUE),
            Fields::of(answer).collection_state().and_then(CollectionState::parse),
        ) else {
            return;
        };
        // What is collected beyond the face value breaks another sentence.
        if !(0..=face).contains(&collected) {
            return;
        }
        let known = self.states.get(&(face, collected)).copied();
        let least = self.states.range((face, 0)..(face, collected)).map(|(_, state)| *state).max();
        let most =
            self.states.range((face, collected)..=(face, face)).map(|(_, state)| *state).min();
        let (least, most) = match collected {
            0 => (CollectionState::Uncollected, CollectionState::Uncollected),
            all if all == face => (CollectionState::Collected, CollectionState::Collected),
            _ => (
                known.or(least).unwrap_or(CollectionState::Uncollected),
                known.or(most).unwrap_or(CollectionState::Collected),
            ),
        };
        let holds = (least..=most).contains(&state);
        let clause = clause!("2.invoice.collectionState");
        notes.expect(exchange, clause, holds, field::COLLECTION_STATE, || {
            let due = if least == most {
                least.word().to_owned()
            } else {
                format!("{} to {}", least.word(), most.word())
            };
            (format!("{due}, for {collected} of {face} cents collected"), state.word())
        });
        self.states.entry((face, collected)).or_insert(state);
    }

    fn learn_advance(&mut self, exchange: &Exchange<'_>) {
        let Some(answer) = exchange.success_of(OperationKind::RequestAdvance) else { return };
        if let (Some(invoice), Some(amount)) =
            (invoice(exchange), Fields::of(answer).advance_amount())
            && Fields::of(answer).already_requested() == Some(false)
        {
            self.advances.insert(invoice, amount);
        }
    }

    /// A read of an invoice whose advance was requested, and what was granted. Cents.
    fn advanced<'a>(&self, exchange: &Exchange<'a>) -> Option<(&'a Value, i64)> {
        let answer = exchange.success_of(OperationKind::GetInvoice)?;
        Some((answer, *self.advances.get(&invoice(exchange)?)?))
    }

    /// Once an advance is funded, the vendor has all of it: one of the shown amounts must equal it. Once the payor has
    /// paid, it may include what is forwarded of that.
    fn check_paid_amount(&self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some((answer, amount)) = self.advanced(exchange) else { return };
        let advance = &answer[field::ADVANCE];
        let amounts: Vec<i64> = leaves(advance).filter_map(Value::as_i64).collect();
        let is_out = texts(advance).iter().any(|text| matches!(*text, "FUNDED" | "REPAID"));
        if !is_out || amounts.len() < 2 {
            return;
        }
        let collected = Fields::of(answer).collected().unwrap_or_default();
        let may_be_out = amount..=amount.saturating_add(collected);
        let holds = amounts.iter().any(|shown| may_be_out.contains(shown));
        notes.expect(exchange, clause!("2.amounts.advanceAmount.2"), holds, "advance", || {
            (format!("{amount} cents paid out"), format!("{amounts:?}"))
        });
    }

    /// An advance that is repaid is recovered from what the payor has paid. What its fee comes to is open until then.
    fn check_recovered(&self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some((answer, amount)) = self.advanced(exchange) else { return };
        let Some(collected) = Fields::of(answer).collected() else { return };
        if texts(&answer[field::ADVANCE]).contains(&AdvanceState::Repaid.name()) {
            let holds = collected >= amount;
            notes.expect(exchange, clause!("1.service.3.3"), holds, field::COLLECTED, || {
                let expected = format!("{amount} cents or more, while the advance is REPAID");
                (expected, collected.to_string())
            });
        }
    }
}

const REJECTED: &str = "rejected";

/// The outcome of each row of a report.
fn outcomes(answer: &Response) -> Option<Vec<String>> {
    let rows = answer.success_body()?[field::ROWS].as_array()?.iter();
    rows.map(|row| Fields::of(row).outcome().map(str::to_owned)).collect()
}
