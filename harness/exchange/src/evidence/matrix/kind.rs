//! What has states, which states it can have, and what can be asked of it.

use std::fmt;

use tideover_model::words::{AdvanceState, CollectionState, InvoiceStatus};
use tideover_model::{ActionKind, OperationKind};

pub(super) const FINISHED: &str = "finished";
pub(super) const UNFINISHED: &str = "unfinished";
pub(super) const LIVE: &str = "live";
pub(super) const DELETED: &str = "deleted";
pub(super) const REVOKED: &str = "revoked";
pub(super) const ACTIVE: &str = "active";
pub(super) const USED: &str = "used";
pub(super) const EXPIRED: &str = "expired";
pub(super) const VALID: &str = "valid";
pub(super) const NEVER_ISSUED: &str = "never issued";
pub(super) const NONE: &str = "none";

/// What a state is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Invoice,
    Business,
    Import,
    Subscription,
    Invitation,
    Session,
    Key,
}

impl Kind {
    pub const ALL: [Kind; 7] = [
        Kind::Invoice,
        Kind::Business,
        Kind::Import,
        Kind::Subscription,
        Kind::Invitation,
        Kind::Session,
        Kind::Key,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Invoice => "invoice",
            Kind::Business => "business",
            Kind::Import => "import",
            Kind::Subscription => "subscription",
            Kind::Invitation => "invitation",
            Kind::Session => "onboarding link",
            Kind::Key => "key",
        }
    }

    /// All states that one can have, as far as the document names them: what cannot be together is left out.
    pub fn states(self) -> Vec<State> {
        let owned = |states: &[&str]| states.iter().map(|state| (*state).to_owned()).collect();
        match self {
            Kind::Invoice => states_of_invoices(),
            Kind::Business => states_of_businesses(),
            Kind::Import => owned(&[UNFINISHED, FINISHED]),
            Kind::Subscription => owned(&[LIVE, DELETED, REVOKED]),
            Kind::Invitation => owned(&[ACTIVE, USED, EXPIRED]),
            Kind::Session => owned(&[ACTIVE, EXPIRED]),
            Kind::Key => owned(&[VALID, REVOKED, NEVER_ISSUED, NONE]),
        }
    }
}

pub(super) const NO_ADVANCE: &str = "no advance";
/// The state of a business that meets no requirement.
const NOTHING: &str = "nothing";

/// Each state of an advance and none, with each collection state and each status. Nothing is repaid while nothing is
/// collected, and what is collected whole has repaid an advance that went out.
fn states_of_invoices() -> Vec<State> {
    let mut states = Vec::new();
    for advance in [NO_ADVANCE].into_iter().chain(AdvanceState::WORDS) {
        for collection in CollectionState::WORDS {
            let is_possible = match AdvanceState::parse(advance) {
                Some(AdvanceState::Funded) => collection != CollectionState::Collected.word(),
                Some(AdvanceState::Repaid) => collection != CollectionState::Uncollected.word(),
                _ => true,
            };
            if is_possible {
                let of = |status| format!("{advance} · {collection} · {status}");
                states.extend(InvoiceStatus::WORDS.map(of));
            }
        }
    }
    states
}

/// Each of the first three requirements or none, all four, and what is left of these once compliance is lost: the account
/// opens when the others are met (`3.requirement.collectionAccount`), and stays.
fn states_of_businesses() -> Vec<State> {
    let [compliance, contract, bank, account] = REQUIREMENTS;
    let before = (0..8_usize).map(|met| {
        let first = [compliance, contract, bank].into_iter().enumerate();
        first.filter(|(place, _)| met >> place & 1 == 1).map(|(_, one)| one).collect()
    });
    let opened = [vec![compliance, contract, bank, account], vec![contract, bank, account]];
    before.chain(opened).map(in_words).collect()
}

pub(super) const REQUIREMENTS: [&str; 4] = ["compliance", "contract", "bank", "collectionAccount"];

pub(super) fn in_words(parts: Vec<&str>) -> State {
    if parts.is_empty() { NOTHING.to_owned() } else { parts.join(" · ") }
}

/// A state in words: `FUNDED · PARTIALLY_COLLECTED · ISSUED`.
pub type State = String;

/// A request, or an action of the operator port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    Operation(OperationKind),
    /// The same with another body than the one before: another file, another address.
    Otherwise(OperationKind),
    Action(ActionKind),
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Asked::Operation(kind) => write!(f, "{kind}"),
            Asked::Otherwise(kind) => write!(f, "{kind} with another body"),
            Asked::Action(kind) => f.write_str(kind.name()),
        }
    }
}
