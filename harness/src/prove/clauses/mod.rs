//! The evidence for each clause: its checks, the defects that break it and the stories that meet it, or the reason why
//! no caller can observe it.

mod shows_in;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use tideover_model::{Clause, clause};

use crate::exchange::start;
use crate::judge::checks::registry::{Needs, WATCHED};
use crate::prove::defects;
use crate::receiver::examination;

use shows_in::SHOWS_IN;

/// What stands for a clause.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The checks of the suite that look at it, each with what it needs.
    pub checks: Vec<(&'static str, &'static [Needs])>,
    /// The defects that break it, and that the suite finds.
    pub defects: Vec<&'static str>,
    /// The clauses under which a breach of it is reported.
    pub shows_in: Vec<Clause>,
    /// The stories whose expectations it decides.
    pub stories: Vec<&'static str>,
    /// Whether `receiver-check` holds a receiver to it.
    pub receiver_check: bool,
    /// Whether `fixtures/signature` has vectors for it.
    pub vectors: bool,
    /// Why no caller can observe it.
    pub unobservable: Option<&'static str>,
}

impl Evidence {
    /// What stands for `clause`.
    pub fn of(clause: Clause) -> &'static Evidence {
        &ALL[&clause]
    }

    /// Whether a run of the suite counts it by its own name.
    pub fn is_checked(&self) -> bool {
        !self.checks.is_empty()
    }

    /// Whether a breach of it is reported only under other clauses.
    pub fn is_shown(&self) -> bool {
        !self.is_checked() && !self.shows_in.is_empty()
    }

    /// Whether a run, `receiver-check` or the vectors report a breach of it, or a reason says why nothing can.
    pub fn is_settled(&self) -> bool {
        let Evidence { receiver_check, vectors, unobservable, .. } = self;
        self.is_checked()
            || self.is_shown()
            || *receiver_check
            || *vectors
            || unobservable.is_some()
    }

    /// How it is checked, in words: a line for each kind of evidence.
    pub fn words(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut list = |title: &str, names: Vec<&str>| {
            if !names.is_empty() {
                lines.push(format!("{title} {}", names.join(", ")));
            }
        };
        list("checked by", self.checks.iter().map(|(name, _)| *name).collect());
        list("shows in", self.shows_in.iter().map(|clause| clause.name()).collect());
        list("proven by the defects", self.defects.clone());
        list("met by the stories", self.stories.clone());
        list("not observable:", self.unobservable.into_iter().collect());
        list(
            "asked of receivers by",
            self.receiver_check.then_some("receiver-check").into_iter().collect(),
        );
        list("vectors in", self.vectors.then_some("fixtures/signature").into_iter().collect());
        lines
    }
}

static ALL: LazyLock<BTreeMap<Clause, Evidence>> = LazyLock::new(|| {
    let mut all: BTreeMap<_, _> =
        Clause::all().map(|clause| (clause, Evidence::default())).collect();
    let mut on = |clause: Clause, note: &mut dyn FnMut(&mut Evidence)| {
        all.entry(clause).and_modify(|standing| note(standing));
    };
    for watched in WATCHED {
        for clause in watched.clauses {
            on(*clause, &mut |standing| push(&mut standing.checks, (watched.name, watched.needs)));
        }
    }
    for defect in defects::all() {
        on(defect.clause, &mut |standing| {
            push(&mut standing.defects, defect.name);
            if defect.named() != defect.clause {
                push(&mut standing.shows_in, defect.named());
            }
        });
    }
    for (clause, names) in SHOWS_IN {
        on(*clause, &mut |standing| {
            names.iter().for_each(|name| push(&mut standing.shows_in, *name))
        });
    }
    for (story, text) in STORIES {
        for clause in clauses_of(text) {
            on(clause, &mut |standing| push(&mut standing.stories, *story));
        }
    }
    let cases = examination("", start());
    for clause in cases.iter().map(|case| &case.clause).chain(ANSWERS_OF_RECEIVERS) {
        on(*clause, &mut |standing| standing.receiver_check = true);
    }
    for clause in VECTORS {
        on(*clause, &mut |standing| standing.vectors = true);
    }
    for (clause, reason) in UNOBSERVABLE {
        on(*clause, &mut |standing| standing.unobservable = Some(reason));
    }
    all
});

fn push<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// The clauses that the steps of a story cite.
fn clauses_of(story: &str) -> Vec<Clause> {
    #[derive(Deserialize)]
    struct Line {
        #[serde(default)]
        clauses: Vec<String>,
    }
    let lines = story.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
    lines.flat_map(|line| line.clauses).filter_map(|name| Clause::find(&name)).collect()
}

macro_rules! stories {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../fixtures/stories/", $name, ".jsonl")))),*]
    };
}

/// The stories, written by hand from the document.
static STORIES: &[(&str, &str)] = stories![
    "import-with-bad-rows",
    "invitations-and-sessions",
    "invoice-sync",
    "keys",
    "onboard-quote-advance-repay",
    "onboarding-in-any-order",
    "paid-before-funded",
    "payout-account",
    "quotes-and-limits",
    "refusals-in-order",
    "retrying",
    "session-links-live",
    "tax-ids",
    "two-platforms-one-vendor",
    "webhooks",
];

/// What `receiver-check` says of an answer, whatever case it is the answer to.
const ANSWERS_OF_RECEIVERS: &[Clause] =
    &[clause!("6.delivery.1.2"), clause!("6.delivery.2"), clause!("6.subscription.2.2")];

/// What the vectors in `fixtures/signature` are about.
const VECTORS: &[Clause] = &[
    clause!("6.signature.1"),
    clause!("6.signature.2"),
    clause!("6.signature.3"),
    clause!("6.signature.4"),
    clause!("gap.subscriptionForm"),
    clause!("gap.signatureFields"),
    clause!("gap.signatureTime"),
    clause!("gap.signatureBytes"),
    clause!("gap.signatureHex"),
    clause!("gap.signaturePrecedence"),
];

/// What no caller can observe, and why.
const UNOBSERVABLE: &[(Clause, &str)] = &[
    (
        clause!("gap.operatorPort"),
        "what the operator port of another team does shows where it does what the model would refuse",
    ),
    (clause!("1.general.4"), "no answer shows whether money has moved"),
    (clause!("2.business.complianceRoute.3"), "a permission: no route that is shown can break it"),
    (clause!("2.businessSynced.created.2"), "which of both it was is shown in prose"),
    (clause!("2.payoutAccount.label.2"), "no answer shows a label; the service's operators see it"),
    (
        clause!("2.amounts.forwardedAtPayment.3"),
        "no answer shows what was forwarded to the business, or when",
    ),
    (clause!("4.payoutAccount.intro.1"), "no answer shows which account an advance was paid to"),
    (clause!("4.payoutAccount.2"), "no answer shows a label, so that none is seen to stay"),
    (clause!("4.advances.6"), "what the payor and the caller's platform do outside the API"),
    (clause!("4.quotes.5"), "a permission: vendors may differ in their rates, and need not"),
    (clause!("4.invitations.4"), "what is asked of a person is on the service's own pages"),
    (clause!("4.invitations.5"), "what the claimed account shows is on the service's own pages"),
    (clause!("6.delivery.4"), "a permission: no order of deliveries can break it"),
    (clause!("6.delivery.4.2"), "a permission: no order of deliveries can break it"),
    (clause!("6.delivery.5.2"), "what a receiver drops is the receiver's doing"),
    (clause!("6.delivery.6.2"), "what a receiver orders by is the receiver's doing"),
    (clause!("6.signature.3"), "what a receiver rejects is the receiver's doing"),
    (clause!("6.signature.3.2"), "how long a receiver compares is inside the receiver"),
    (clause!("7.shape.2"), "a permission: no code that is shown can break it"),
    (clause!("7.shape.3"), "a promise about later versions"),
    (clause!("7.shape.4"), "what a client does with an answer"),
    (clause!("7.retrying.3.2"), "what a client does after a timeout"),
    (clause!("8.requestRate"), "no limit is shown that could be met"),
    (clause!("9.versioning.2"), "a promise about later versions, and what a client does with them"),
    (clause!("9.versioning.3"), "a promise about later versions"),
    (clause!("9.versioning.4"), "a promise about events that do not exist yet"),
    (clause!("9.versioning.5"), "it states that something is left open"),
    (
        clause!("gap.notFinanceable"),
        "what else a service may mind of an invoice is its own: such a refusal is taken as it comes",
    ),
    (
        clause!("gap.requestRate"),
        "the absence of a limit: however much is sent, more could be refused",
    ),
    (clause!("gap.duplicates"), "a second arrival is always permitted, and so is never reported"),
    (clause!("gap.sessionUrl"), "a link is the service's own choice, and is taken as it is"),
    (clause!("gap.apiKeys"), "a key is the service's own choice, and is taken as it is"),
];
