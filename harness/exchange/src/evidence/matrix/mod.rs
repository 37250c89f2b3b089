//! The matrix of states and requests: which requests were sent about an invoice, a business and everything else that has
//! states, in which state, and with which codes they were refused.
//!
//! The state of an invoice or a business is what the last read showed, and holds until something is written about the
//! subject. A pair counts where the request followed while it held. What follows a write counts once the next read shows
//! the same state. The states of the others follow from what was asked: `lives.rs`.

mod kind;
mod lives;

use std::collections::{BTreeMap, BTreeSet};

pub use kind::{Asked, Kind, State};
use kind::{NO_ADVANCE, REQUIREMENTS, in_words};
use lives::{Lives, text_of};
use serde_json::Value;
use tideover_model::wire::field::{self, Fields};
use tideover_model::words::{AdvanceState, CollectionState, InvoiceStatus};
use tideover_model::{Code, Operation, OperationKind, PlatformId, Subject};

use crate::{Exchange, PreparedAction};

/// The requests that were sent in a state, each with the codes of its refusals.
pub type Answers = BTreeMap<Asked, BTreeSet<Code>>;

/// A subject of one platform: its business, and its invoice if it is one.
type Named = (Option<PlatformId>, String, Option<String>);

/// The pairs of a state and a request that a run has met.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    /// The states that reads have shown.
    shown: BTreeMap<Named, Shown>,
    lives: Lives,
    /// The states of each kind, with the requests that followed in them.
    asked: BTreeMap<(Kind, State), Answers>,
}

/// What the last read of a subject showed.
#[derive(Clone, Debug)]
struct Shown {
    state: State,
    /// The requests since something was written. They count if the next read shows the same state.
    since: Option<Answers>,
}

impl Matrix {
    pub fn record(&mut self, exchange: &Exchange<'_>) {
        let code = exchange.seen.code().and_then(Code::parse);
        for (kind, state, asked) in self.lives.asked(exchange) {
            self.answered(kind, state.to_owned(), asked).extend(code);
        }
        self.lives.follow(exchange);
        let Some(asked) = asked_by(exchange) else { return };
        let subjects = subjects_of(exchange);
        // What is done to an invoice says little of its business, except where the business must be able to finance it.
        let is_asked = |named: &&Named| match asked {
            Asked::Action(_) | Asked::Operation(OperationKind::GetInvoice) => {
                Some(*named) == subjects.first()
            }
            Asked::Operation(_) | Asked::Otherwise(_) => true,
        };
        for named in subjects.iter().filter(is_asked) {
            match self.shown.get_mut(named) {
                Some(Shown { since: Some(since), .. }) => {
                    since.entry(asked).or_default().extend(code);
                }
                Some(Shown { state, since: None }) => {
                    let state = state.clone();
                    self.answered(kind_of(named), state, asked).extend(code);
                }
                None => {}
            }
        }
        let read = match exchange.kind() {
            Some(kind @ (OperationKind::GetInvoice | OperationKind::GetBusiness)) => {
                exchange.success_of(kind).map(|body| state_of(kind, body))
            }
            _ => None,
        };
        match read {
            Some(state) => {
                if let Some(named) = subjects.into_iter().next() {
                    self.show(named, state);
                }
            }
            None if exchange.seen.is_success() && !is_read(exchange) => {
                for named in &subjects {
                    if let Some(shown) = self.shown.get_mut(named) {
                        shown.since.get_or_insert_default();
                    }
                }
            }
            None => {}
        }
    }

    /// The codes of what was asked in a state.
    fn answered(&mut self, kind: Kind, state: State, asked: Asked) -> &mut BTreeSet<Code> {
        self.asked.entry((kind, state)).or_default().entry(asked).or_default()
    }

    fn add_answers(&mut self, of: (Kind, State), answers: Answers) {
        let own = self.asked.entry(of).or_default();
        for (asked, codes) in answers {
            own.entry(asked).or_default().extend(codes);
        }
    }

    /// Records what a read shows of a subject.
    fn show(&mut self, named: Named, state: State) {
        let before = self.shown.insert(named.clone(), Shown { state: state.clone(), since: None });
        let same = before.filter(|before| before.state == state);
        if let Some(since) = same.and_then(|before| before.since) {
            self.add_answers((kind_of(&named), state), since);
        }
    }

    /// Adds the pairs of another case. What was shown there is of another world.
    pub fn add(&mut self, other: &Matrix) {
        for (state, asked) in &other.asked {
            self.add_answers(state.clone(), asked.clone());
        }
    }

    /// The states of a kind that were seen, each with the requests and actions that followed in it.
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = (&str, &Answers)> {
        let all = self.asked.iter();
        all.filter(move |((of, _), _)| *of == kind).map(|((_, state), asked)| (&**state, asked))
    }
}

fn kind_of(named: &Named) -> Kind {
    if named.2.is_some() { Kind::Invoice } else { Kind::Business }
}

fn asked_by(exchange: &Exchange<'_>) -> Option<Asked> {
    match exchange.acts() {
        Some(action) => Some(Asked::Action(action)),
        None => exchange.kind().map(Asked::Operation),
    }
}

fn is_read(exchange: &Exchange<'_>) -> bool {
    exchange.call().is_some_and(|call| call.method == "GET")
        || exchange.kind() == Some(OperationKind::Quote)
}

/// What a request is about: an invoice and its payee, a business, or each invoice of a file with its payee. The first
/// is what a read shows.
fn subjects_of(exchange: &Exchange<'_>) -> Vec<Named> {
    let business = |business: &str| (exchange.platform, business.to_owned(), None);
    let invoice = |payee: &str, invoice: &str| {
        [(exchange.platform, payee.to_owned(), Some(invoice.to_owned())), business(payee)]
    };
    if let PreparedAction::Act(fields) = &exchange.sent.action {
        let text = |name: &str| text_of(fields, name);
        let payee = text(field::PAYEE_EXTERNAL_ID).or_else(|| text(field::EXTERNAL_ID));
        return match (payee, text(field::INVOICE_EXTERNAL_ID)) {
            (Some(payee), Some(named)) => invoice(payee, named).into(),
            (Some(payee), None) => vec![business(payee)],
            (None, _) => Vec::new(),
        };
    }
    let Some(operation) = exchange.call().and_then(|call| call.operation()) else {
        return Vec::new();
    };
    if let Operation::ImportInvoices { .. } = operation {
        let syncs = operation.syncs().into_iter();
        return syncs.flat_map(|sync| invoice(&sync.payee.business, &sync.invoice)).collect();
    }
    match operation.subject() {
        Subject::Invoice { payee, invoice: named } => invoice(payee, named).into(),
        Subject::Business(named) => vec![business(named)],
        _ => Vec::new(),
    }
}

fn state_of(kind: OperationKind, body: &Value) -> State {
    let parts: Vec<&str> = match kind {
        OperationKind::GetInvoice => vec![
            advance_state(&body[field::ADVANCE]).unwrap_or(NO_ADVANCE),
            known(body, field::COLLECTION_STATE, CollectionState::WORDS),
            known(body, field::STATUS, InvoiceStatus::WORDS),
        ],
        _ => {
            let onboarding = Fields::of(body).onboarding().map(|it| it.value());
            let is_met = |name: &&str| onboarding.is_some_and(|it| it[*name] == true);
            REQUIREMENTS.into_iter().filter(is_met).collect()
        }
    };
    in_words(parts)
}

/// The state of an advance: the document names the states, but not the field that holds one.
pub(super) fn advance_state(advance: &Value) -> Option<&str> {
    let mut words = advance.as_object()?.values().filter_map(Value::as_str);
    words.find(|word| AdvanceState::parse(word).is_some())
}

/// The word of a field, if it is one that the document names.
fn known<const N: usize>(body: &Value, field: &str, words: [&'static str; N]) -> &'static str {
    let shown = body[field].as_str();
    words.into_iter().find(|word| Some(*word) == shown).unwrap_or("unknown")
}
