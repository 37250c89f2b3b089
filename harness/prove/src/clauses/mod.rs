//! The evidence for each clause: its checks, the defects that break it and the stories that meet it, or the
//! reason why no caller can observe it.

mod shows_in;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use tideover_exchange::start;
use tideover_judge::checks::registry::{Needs, watched};
use tideover_model::clause::Kind;
use tideover_model::{Clause, Code, OperationKind, clause};
use tideover_receiver::examination;

use crate::defects::Defect;
use crate::{Undetectable, defects, obstacle};

use shows_in::SHOWS_IN;

/// The evidence for a clause.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The checks of the suite that cover it, each with its needs.
    pub checks: Vec<(&'static str, &'static [Needs])>,
    /// The defects that break it, all found by the suite.
    pub defects: Vec<&'static Defect>,
    /// The clauses under which a breach of it is reported.
    pub shows_in: Vec<Clause>,
    /// The stories with expectations from it.
    pub stories: Vec<&'static str>,
    /// Whether `receiver-check` covers it.
    pub receiver_check: bool,
    /// Whether `fixtures/signature` has vectors for it.
    pub vectors: bool,
    /// Why no caller can observe it.
    pub unobservable: Option<&'static str>,
}

impl Evidence {
    /// The evidence for `clause`.
    pub fn of(clause: Clause) -> &'static Evidence {
        &ALL[&clause]
    }

    /// Whether a run of the suite checks it under its own name.
    pub fn is_checked(&self) -> bool {
        !self.checks.is_empty()
    }

    /// Whether a breach of it is reported only under other clauses.
    pub fn is_shown(&self) -> bool {
        !self.is_checked() && !self.shows_in.is_empty()
    }

    /// The clauses in which a defect that breaks this one shows, as far as a run with these facilities detects it.
    pub fn proven_in(&self, offers: &[Needs]) -> impl Iterator<Item = Clause> {
        let detected = self.defects.iter().filter(move |defect| obstacle(defect, offers).is_none());
        detected.map(|defect| defect.named)
    }

    /// Why a run with these facilities sees no breach of it, although checks may meet it: it detects none of the
    /// defects that break it. The first reason is one that an option removes, if there is any.
    pub fn hidden_by(&self, offers: &[Needs]) -> Option<&'static Undetectable> {
        let obstacles = self.defects.iter().map(|defect| obstacle(defect, offers));
        let obstacles: Option<Vec<&Undetectable>> = obstacles.collect();
        let obstacles = obstacles?;
        let removable = obstacles.iter().find(|obstacle| obstacle.lacks.is_some());
        removable.or(obstacles.first()).copied()
    }

    /// Whether a run, `receiver-check` or the vectors report a breach of it, or a reason says why none can.
    pub fn is_settled(&self) -> bool {
        let Evidence { receiver_check, vectors, unobservable, .. } = self;
        self.is_checked()
            || self.is_shown()
            || *receiver_check
            || *vectors
            || unobservable.is_some()
    }

    /// The evidence in words: one line for each kind.
    pub fn words(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut list = |title: &str, names: Vec<&str>| {
            if !names.is_empty() {
                lines.push(format!("{title} {}", names.join(", ")));
            }
        };
        list("checked by", self.checks.iter().map(|(name, _)| *name).collect());
        list("shows in", self.shows_in.iter().map(|clause| clause.name()).collect());
        list("proven by the defects", self.defects.iter().map(|defect| defect.name).collect());
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
        all.entry(clause).and_modify(|evidence| note(evidence));
    };
    for watched in watched() {
        for clause in watched.clauses {
            on(*clause, &mut |evidence| push(&mut evidence.checks, (watched.name, watched.needs)));
        }
    }
    for defect in defects::all() {
        on(defect.clause, &mut |evidence| {
            evidence.defects.push(defect);
            if defect.named != defect.clause {
                push(&mut evidence.shows_in, defect.named);
            }
        });
    }
    for (clause, names) in SHOWS_IN {
        on(*clause, &mut |evidence| {
            names.iter().for_each(|name| push(&mut evidence.shows_in, *name))
        });
    }
    for (clause, shown) in shown_by_tables() {
        let has_row = SHOWS_IN.iter().any(|(of_row, _)| *of_row == clause);
        on(clause, &mut |evidence| {
            if !has_row && !evidence.is_checked() {
                shown.iter().for_each(|name| push(&mut evidence.shows_in, *name));
            }
        });
    }
    for (story, text) in STORIES {
        for clause in clauses_of(text) {
            on(clause, &mut |evidence| push(&mut evidence.stories, *story));
        }
    }
    let cases = examination("", start());
    for clause in cases.iter().map(|case| &case.clause).chain(ANSWERS_OF_RECEIVERS) {
        on(*clause, &mut |evidence| evidence.receiver_check = true);
    }
    for clause in VECTORS {
        on(*clause, &mut |evidence| evidence.vectors = true);
    }
    for (clause, reason) in UNOBSERVABLE {
        on(*clause, &mut |evidence| evidence.unobservable = Some(reason));
    }
    all
});

fn push<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// Where a breach shows that no check reports by its own name. A wrong refusal shows in the sentences that name its code,
/// and in the assumption on its status; a body of another shape in its fields.
fn shown_by_tables() -> impl Iterator<Item = (Clause, Vec<Clause>)> {
    let is_documented = |clause: &Clause| clause.kind() == Kind::Documented;
    let codes = Code::ALL.into_iter().map(move |code| {
        let naming = Clause::all().filter(is_documented).filter(|clause| code.is_named_by(*clause));
        (code.clause(), naming.chain([clause!("gap.ownStatuses")]).collect())
    });
    let bodies = OperationKind::ALL.into_iter().map(move |kind| {
        let fields = kind.reply_fields().iter().map(|field| field.clause);
        (kind.endpoint().body, fields.filter(is_documented).collect())
    });
    codes.chain(bodies)
}

/// The clauses that the steps of a story cite.
fn clauses_of(story: &str) -> Vec<Clause> {
    #[derive(Deserialize)]
    struct StoryLine {
        #[serde(default)]
        clauses: Vec<String>,
    }
    let lines = story.lines().filter_map(|line| serde_json::from_str::<StoryLine>(line).ok());
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

/// Clauses that `receiver-check` applies to the response of any case.
const ANSWERS_OF_RECEIVERS: &[Clause] =
    &[clause!("6.delivery.1.2"), clause!("6.delivery.2"), clause!("6.subscription.2.2")];

/// The clauses that the vectors in `fixtures/signature` cover.
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

/// The clauses that no caller can observe, each with the reason.
const UNOBSERVABLE: &[(Clause, &str)] = &[
    (
        clause!("gap.operatorPort"),
        "the operator port of another team shows its rules only where it allows what the model refuses",
    ),
    (clause!("1.general.4"), "no response shows whether money has moved"),
    (clause!("2.business.complianceRoute.3"), "a permission: no route can break it"),
    (
        clause!("2.businessSynced.created.2"),
        "the response says only in prose which of the two happened",
    ),
    (
        clause!("2.payoutAccount.label.2"),
        "no response shows a label; only the service's operators see it",
    ),
    (
        clause!("2.amounts.forwardedAtPayment.3"),
        "no response shows what was forwarded to the business, or when",
    ),
    (clause!("4.payoutAccount.intro.1"), "no response shows which account an advance was paid to"),
    (clause!("4.payoutAccount.2"), "no response shows a label, so none shows that a label stays"),
    (clause!("4.advances.6"), "the payor and the caller's platform act outside the API"),
    (clause!("4.quotes.5"), "a permission: vendors may have different rates, but need not"),
    (clause!("4.invitations.4"), "the form for the invited person is on the service's own pages"),
    (clause!("4.invitations.5"), "the claimed account is visible only on the service's own pages"),
    (clause!("6.delivery.4"), "a permission: no order of deliveries can break it"),
    (clause!("6.delivery.4.2"), "a permission: no order of deliveries can break it"),
    (clause!("6.delivery.5.2"), "the receiver decides which deliveries it drops"),
    (clause!("6.delivery.6.2"), "the receiver decides how it orders deliveries"),
    (clause!("6.signature.3"), "the receiver decides which deliveries it rejects"),
    (clause!("6.signature.3.2"), "the time of a comparison is visible only inside the receiver"),
    (clause!("7.shape.2"), "a permission: no code can break it"),
    (clause!("7.shape.3"), "a promise about later versions"),
    (clause!("7.shape.4"), "it is about the client that reads the response"),
    (clause!("7.retrying.3.2"), "it is about the client after a timeout"),
    (clause!("8.requestRate"), "the document states no limit that a run could reach"),
    (clause!("9.versioning.2"), "a promise about later versions, and a duty of clients"),
    (clause!("9.versioning.3"), "a promise about later versions"),
    (clause!("9.versioning.4"), "a promise about events that do not exist yet"),
    (clause!("9.versioning.5"), "it only states that the document leaves something open"),
    (
        clause!("gap.notFinanceable"),
        "a service may have further reasons of its own: the suite accepts such a refusal",
    ),
    (
        clause!("gap.requestRate"),
        "the absence of a limit: any number of requests may be too few to reach one",
    ),
    (clause!("gap.duplicates"), "a second arrival is always permitted, so no check reports it"),
    (clause!("gap.revokedReference"), "either reading is permitted, so no check reports it"),
    (clause!("gap.sessionUrl"), "the service chooses the link, and the suite accepts any"),
    (clause!("gap.apiKeys"), "the service chooses the key, and the suite accepts any"),
    (clause!("gap.responseFields"), "a further field is always permitted, so no check reports it"),
];
