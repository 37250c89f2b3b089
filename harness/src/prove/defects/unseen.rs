//! The defects that a stranger or a caller cannot see, each with the reason.

use crate::prove::defects::Defect;

/// The point of view of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setup {
    /// In process, its profile and the seed of its choices known.
    Known,
    /// Its answers and its webhooks, with an operator port, the keys of two platforms and an inbox.
    Stranger,
    /// Its answers, with one key and nothing else.
    Caller,
}

impl Setup {
    /// All of them, by how much is known.
    pub const ALL: [Setup; 3] = [Setup::Known, Setup::Stranger, Setup::Caller];

    /// As it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Setup::Known => "known",
            Setup::Stranger => "stranger",
            Setup::Caller => "caller",
        }
    }

    /// How many requests a defect is worth.
    pub fn requests(self) -> u64 {
        match self {
            Setup::Known => 20_000,
            Setup::Stranger | Setup::Caller => 5_000,
        }
    }

    /// What there is to look with.
    pub fn words(self) -> &'static str {
        match self {
            Setup::Known => "with the model known",
            Setup::Stranger => "as a stranger with an operator port, two keys and an inbox",
            Setup::Caller => "as a caller with one key alone",
        }
    }

    /// Why `defect` cannot be seen in this way, if it cannot: a caller sees no more than a stranger.
    pub fn reason(self, defect: &Defect) -> Option<&'static str> {
        let ways: &[Setup] = match self {
            Setup::Known => &[],
            Setup::Stranger => &[Setup::Stranger],
            Setup::Caller => &[Setup::Stranger, Setup::Caller],
        };
        let of = |unseen: &&Undetectable| {
            ways.contains(&unseen.setup) && unseen.defects.contains(&defect.name)
        };
        UNSEEN.iter().find(of).map(|unseen| unseen.why)
    }
}

/// Defects that cannot be seen in one way, for one reason.
#[derive(Debug)]
pub struct Undetectable {
    /// In which way; what a stranger cannot see, no caller can.
    pub setup: Setup,
    /// Why not.
    pub why: &'static str,
    /// Their names.
    pub defects: &'static [&'static str],
}

const fn to_stranger(why: &'static str, defects: &'static [&'static str]) -> Undetectable {
    Undetectable { setup: Setup::Stranger, why, defects }
}

const fn to_caller(why: &'static str, defects: &'static [&'static str]) -> Undetectable {
    Undetectable { setup: Setup::Caller, why, defects }
}

/// All of them.
pub static UNSEEN: &[Undetectable] = &[
    to_stranger(
        "what an operator port does or refuses is no evidence against the service",
        &[
            "second-key-is-not-issued",
            "test-accounts-are-refused",
            "agreement-is-signed-uninvited",
            "vendor-overwrites-the-payout-account",
            "used-invitation-works-again",
            "invitation-never-expires",
            "overpayment-is-collected",
            "nobody-pays-twice",
        ],
    ),
    to_stranger(
        "the document does not say when a tax id is malformed",
        &["short-tax-id-clears-compliance"],
    ),
    to_stranger(
        "the document does not say whose name of a business is shown, and it may be null",
        &["first-name-sticks", "name-is-lost-in-a-resync"],
    ),
    to_stranger("the document does not say what a mask shows", &["mask-is-cut-short"]),
    to_stranger(
        "the document does not show the fields of an import's rows beyond the outcome",
        &["derived-identifier-changes"],
    ),
    to_stranger(
        "the document does not show how high the maximum of an invoice is",
        &["cap-is-forgotten", "cap-is-a-cent-too-high"],
    ),
    to_stranger(
        "the document does not show how high the limit of a business is",
        &[
            "limit-is-never-reached",
            "limit-has-some-slack",
            "race-lets-an-advance-beyond-the-limit-through",
        ],
    ),
    to_stranger(
        "the document does not show the fields of a contact, so that none may show an address",
        &["address-of-the-contact-is-not-read"],
    ),
    to_stranger(
        "the document does not show which field of an advance shows what went out",
        &["fee-is-taken-off-what-is-sent"],
    ),
    to_stranger("an onboarding link more shows in no answer", &["quotes-leave-something"]),
    to_stranger(
        "businesses are not listed, and nobody asks for the one that is left behind",
        &["refused-advance-leaves-a-business-behind"],
    ),
    to_stranger(
        "the document does not show the thresholds of collectionState",
        &["a-cent-short-is-collected"],
    ),
    to_stranger(
        "the document does not show when an advance moves from state to state",
        &["repaid-before-the-fee", "funding-is-skipped", "sent-before-it-is-funded"],
    ),
    to_stranger(
        "the document promises the same Service-Delivery to each attempt, not the same body",
        &["retries-have-bodies-of-their-own"],
    ),
    to_stranger(
        "the document promises each delivery at least once, so that more of the same proves nothing",
        &["accepted-deliveries-are-repeated"],
    ),
    to_stranger(
        "the document does not say how occurredAt is written",
        &["occurred-at-is-unix-time"],
    ),
    to_stranger(
        "the document does not show the fields of an answer to a subscription",
        &["url-is-shown-in-upper-case"],
    ),
    to_caller(
        "it takes an operator port to get there",
        &[
            "tax-id-of-a-w9-is-not-on-file",
            "vendor-is-said-to-have-confirmed",
            "wrong-tax-id-is-not-corrected",
            "revoked-keys-stay-good",
            "contract-is-met-by-accepting",
            "account-is-met-too-early",
            "remittance-is-hidden-from-the-second-platform",
            "remittance-moves-after-a-day",
            "paid-invoices-become-paid",
            "face-value-moves-over-an-advance",
            "due-date-moves-over-an-advance",
            "fundable-forgets-the-limit",
            "fundable-is-followed-by-a-409",
            "null-reason-is-left-out",
            "reason-names-the-limit",
            "status-only-is-reported-as-updated",
            "resync-forgets-what-was-collected",
            "interrupted-import-is-finished",
            "resumed-report-is-not-kept",
            "interrupted-import-is-not-resumed",
            "resumed-rows-are-done-twice",
            "import-overwrites-an-advance",
            "repeat-charges-a-cent-more",
            "late-repeat-is-priced-anew",
            "repeat-names-another-account",
            "repeat-is-answered-as-the-first",
            "third-request-is-refused",
            "returned-advance-is-a-cent-short",
            "fee-is-in-whole-dollars",
            "advance-finances-its-own-amount",
            "advance-forwards-the-fee",
            "every-quote-is-fundable",
            "limit-is-counted-per-platform",
            "advance-is-lost",
            "third-payment-is-lost",
            "payment-before-funding-is-lost",
            "a-cent-too-much-is-collected",
            "repaid-is-collected",
            "code-is-missing",
            "failing-provider-is-500",
            "limit-is-422",
            "funder-is-shown",
            "race-lets-two-first-requests-through",
            "address-of-the-agreement-is-not-read",
            "bank-is-met-by-accepting",
            "contact-is-replaced-as-a-whole",
            "remittance-is-shown-too-early",
            "remittance-waits-for-an-advance",
            "remittance-is-lost-with-the-payout-account",
            "remittance-moves-with-the-payout-account",
            "route-of-a-confirmed-tax-id-stays",
            "advanced-invoices-stay-fundable",
            "withdrawn-invoices-stay-unfundable",
            "second-sync-over-an-advance-moves-its-face-value",
            "repaid-invoices-move-again",
            "invoice-sync-forgets-the-contract",
            "advance-locks-its-number-for-every-payee",
            "quote-forgets-the-limit",
            "quotes-take-up-the-limit",
            "refused-advances-take-up-the-limit",
            "first-request-is-answered-as-a-repeat",
            "repeat-is-refused-once-withdrawn",
            "repaid-invoice-gets-a-second-advance",
            "advance-needs-no-account",
            "third-advance-has-an-account-of-its-own",
        ],
    ),
    to_caller(
        "it takes the key of a second platform",
        &[
            "matched-business-is-reported-as-created",
            "other-platforms-are-not-matched",
            "matched-without-a-tax-id",
            "other-platforms-businesses-are-read",
            "other-platforms-invoices-are-read",
            "tax-ids-are-matched-as-they-are-spelled",
            "other-platforms-subscriptions-are-deleted",
        ],
    ),
    to_caller(
        "no response shows what keeps compliance from being cleared, or takes it back",
        &["punctuated-tax-id-is-malformed", "tax-id-is-forgotten-in-a-resync"],
    ),
    to_caller(
        "it takes time to show, and nobody moves the clock",
        &["invitation-is-not-reissued", "deleted-subscription-is-listed"],
    ),
    to_caller(
        "it takes an inbox to see it",
        &[
            "retries-have-names-of-their-own",
            "one-name-for-every-delivery",
            "attempts-are-signed-with-another-secret",
            "attempts-are-signed-when-the-event-happens",
            "every-sequence-is-one",
            "repaid-has-the-sequence-of-funded",
            "gone-is-not-heard",
            "failed-deliveries-are-not-repeated",
            "redirected-deliveries-are-not-repeated",
            "only-200-accepts-a-delivery",
            "issued-advance-has-no-event",
            "deletion-forgets-what-is-queued",
            "event-types-are-not-looked-at",
            "duplicates-are-new-deliveries",
            "returned-secret-does-not-sign",
            "deleted-subscription-is-sent-to",
            "failed-deliveries-never-end",
            "gone-receiver-is-sent-what-comes-later",
            "gone-receiver-stays-listed",
            "occurred-at-is-missing",
            "funding-has-no-event",
            "subscription-to-all-misses-the-settlement",
            "only-one-subscription-gets-events",
            "repeated-advance-is-announced",
            "repeated-payout-account-is-announced",
            "part-payment-is-announced-as-paid",
            "opted-in-is-announced-too-early",
            "other-platforms-invoices-are-announced",
        ],
    ),
];
