//! The defects that a stranger or a caller cannot see, each with the reason.

use tideover_defects::Defect;
use tideover_judge::checks::registry::Needs;

/// The point of view of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setup {
    /// In process, with known profile and known seed of its choices.
    Known,
    /// Responses and webhooks, with an operator port, the keys of two platforms and an inbox.
    Stranger,
    /// Responses, with one key and nothing else.
    Caller,
}

impl Setup {
    /// All setups, from most to least knowledge.
    pub const ALL: [Setup; 3] = [Setup::Known, Setup::Stranger, Setup::Caller];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Setup::Known => "known",
            Setup::Stranger => "stranger",
            Setup::Caller => "caller",
        }
    }

    /// The number of requests to spend on a defect.
    pub fn requests(self) -> u64 {
        match self {
            Setup::Known => 20_000,
            Setup::Stranger | Setup::Caller => 5_000,
        }
    }

    /// The setup in words.
    pub fn words(self) -> &'static str {
        match self {
            Setup::Known => "with the model known",
            Setup::Stranger => "as a stranger with an operator port, two keys and an inbox",
            Setup::Caller => "as a caller with one key alone",
        }
    }

    /// The facilities that decide which defects it can detect.
    fn offers(self) -> &'static [Needs] {
        match self {
            Setup::Known => &[Needs::Known],
            Setup::Stranger => &[Needs::Operator, Needs::SecondKey, Needs::Inbox, Needs::Clock],
            Setup::Caller => &[],
        }
    }

    /// Why this setup cannot detect `defect`, if it cannot. A caller sees no more than a stranger.
    pub fn reason(self, defect: &Defect) -> Option<&'static str> {
        obstacle(defect, self.offers()).map(|group| group.why)
    }
}

/// Defects that cannot be detected, for one reason.
#[derive(Debug)]
pub struct Undetectable {
    /// The reason.
    pub why: &'static str,
    /// What a run that does not know the model needs to detect them; `None` if nothing helps.
    pub lacks: Option<Needs>,
    /// The names of the defects.
    pub defects: &'static [&'static str],
}

const fn to_stranger(why: &'static str, defects: &'static [&'static str]) -> Undetectable {
    Undetectable { why, lacks: None, defects }
}

const fn to_caller(
    lacks: Needs,
    why: &'static str,
    defects: &'static [&'static str],
) -> Undetectable {
    Undetectable { why, lacks: Some(lacks), defects }
}

impl Undetectable {
    /// Whether a run with these facilities cannot detect the defects, either.
    fn applies(&self, offers: &[Needs]) -> bool {
        let has = |needs| offers.contains(&needs);
        !has(Needs::Known)
            && self.lacks.is_none_or(|lacks| match lacks {
                // With a vendor who is onboarded already, nobody has to play the outside world.
                Needs::Operator => !has(Needs::Operator) && !has(Needs::Vendor),
                lacks => !has(lacks),
            })
    }
}

/// Why a run with these facilities cannot detect `defect`, if it cannot.
pub fn obstacle(defect: &Defect, offers: &[Needs]) -> Option<&'static Undetectable> {
    let hides = |group: &&Undetectable| group.defects.contains(&defect.name);
    UNSEEN.iter().filter(hides).find(|group| group.applies(offers))
}

/// All groups of undetectable defects.
pub static UNSEEN: &[Undetectable] = &[
    to_stranger(
        "what an operator port does or refuses proves nothing against the service",
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
    to_stranger("the name of a business may be null", &["name-is-lost-in-a-resync"]),
    to_stranger("the document does not say what a mask shows", &["mask-is-cut-short"]),
    to_stranger(
        "the document does not specify the fields of an import's rows beyond the outcome",
        &["derived-identifier-changes"],
    ),
    to_stranger(
        "the document does not state the maximum of an invoice",
        &["cap-is-forgotten", "cap-is-a-cent-too-high"],
    ),
    to_stranger(
        "the document does not state the limit of a business",
        &["limit-is-never-reached", "limit-has-some-slack"],
    ),
    to_stranger(
        "the document does not specify the fields of a contact, so none has to contain an address",
        &["address-of-the-contact-is-not-read"],
    ),
    to_stranger(
        "the document does not say which field of an advance shows the amount sent",
        &["fee-is-taken-off-what-is-sent"],
    ),
    to_stranger("no response shows an additional onboarding link", &["quotes-leave-something"]),
    to_stranger(
        "businesses cannot be listed, and no request reads the one left behind",
        &["refused-advance-leaves-a-business-behind"],
    ),
    to_stranger(
        "the document does not specify the thresholds of collectionState",
        &["a-cent-short-is-collected", "repaid-is-collected"],
    ),
    to_stranger(
        "the document does not say when an advance moves from state to state",
        &["funding-is-skipped", "sent-before-it-is-funded"],
    ),
    to_stranger(
        "the document promises the same Service-Delivery for each attempt, not the same body",
        &["retries-have-bodies-of-their-own"],
    ),
    to_stranger(
        "the document promises delivery at least once, so a repeated delivery proves nothing",
        &["accepted-deliveries-are-repeated"],
    ),
    to_stranger(
        "the document does not specify the format of occurredAt",
        &["occurred-at-is-unix-time"],
    ),
    to_stranger(
        "the document does not specify the fields of the response to a subscription",
        &["url-is-shown-in-upper-case"],
    ),
    to_stranger(
        "only an event that does not come shows it, and seldom within the requests of a run",
        &["repaid-before-the-fee"],
    ),
    to_caller(
        Needs::Operator,
        "it needs an operator port",
        &[
            "reached-limit-stays-reached",
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
            "code-is-missing",
            "failing-provider-is-500",
            "limit-is-422",
            "funder-is-shown",
            "race-lets-two-first-requests-through",
            "race-lets-an-advance-beyond-the-limit-through",
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
            "account-is-a-number",
        ],
    ),
    to_caller(
        Needs::SecondKey,
        "it needs the key of a second platform",
        &[
            "matched-business-is-reported-as-created",
            "other-platforms-are-not-matched",
            "matched-without-a-tax-id",
            "other-platforms-businesses-are-read",
            "other-platforms-invoices-are-read",
            "tax-ids-are-matched-as-they-are-spelled",
            "other-platforms-subscriptions-are-deleted",
            "subscription-of-others-is-unauthorized",
        ],
    ),
    to_caller(
        Needs::Operator,
        "the vendor may have given another tax id unseen",
        &["short-tax-id-clears-compliance"],
    ),
    to_caller(
        Needs::Operator,
        "no response shows why compliance is not cleared, or why it is revoked",
        &["punctuated-tax-id-is-malformed", "tax-id-is-forgotten-in-a-resync"],
    ),
    to_caller(
        Needs::Clock,
        "it needs time to pass, and a caller cannot move the clock",
        &["invitation-is-not-reissued", "deleted-subscription-is-listed"],
    ),
    to_caller(
        Needs::Inbox,
        "it needs an inbox",
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
            "added-business-has-no-event",
            "opted-in-has-no-event",
            "moved-funds-have-no-event",
            "created-invoice-has-no-event",
            "paid-invoice-has-no-event",
            "created-advance-has-no-event",
            "issued-advance-has-no-event",
            "settled-advance-has-no-event",
            "nothing-is-announced",
            "every-third-delivery-is-lost",
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
