//! Right services, drawn by seed: the model under a random profile, with the liberties that the document leaves, seen
//! as a stranger sees a service.
//!
//! The judge knows nothing of the profile. Whatever it accuses of violating the document, it accuses wrongly.

mod choices;
mod draw;
pub mod free;
pub mod gaps;
pub mod liberties;
pub mod liberty;
mod profile;

use std::sync::atomic::AtomicBool;

use tideover_exchange::evidence::finding::{Finding, Verdict};
use tideover_exchange::start;
use tideover_exchange::step::Step;
use tideover_exchange::target::{INBOX, Target, Unreachable};
use tideover_exchange::transcript::Header;
use tideover_judge::Outside;
use tideover_live::facilities::OTHER;
use tideover_model::{
    Choices, Destinations, Face, Happening, Outcome, PlatformId, Profile, Seeded, Service,
};
use tideover_suite::generate::DEFAULT_STEPS;
use tideover_suite::play::cases::{Failure, InProcess, Plan, Summary, Testbed, check};
use tideover_suite::play::learn::Stated;

use crate::stranger::{Strangers, begun};
use crate::try_each;

use choices::FreeChoices;
use free::Free;

pub use profile::profile;

/// What the suite has of a right service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// One key.
    OneKey,
    /// The keys of two platforms.
    TwoKeys,
    /// The keys of two platforms, and an operator port.
    Operator,
    /// The same, and an inbox.
    OperatorAndInbox,
}

impl Sight {
    /// All set-ups, from the least to the most.
    pub const ALL: [Sight; 4] =
        [Sight::OneKey, Sight::TwoKeys, Sight::Operator, Sight::OperatorAndInbox];

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Sight::OneKey => "one key",
            Sight::TwoKeys => "two keys",
            Sight::Operator => "two keys and an operator port",
            Sight::OperatorAndInbox => "two keys, an operator port and an inbox",
        }
    }

    /// A right service with this profile, as the suite sees it.
    pub fn strangers(self, profile: Profile, seed: u64) -> Strangers {
        self.seeing(profile, Seeded { seed })
    }

    /// A service with these choices, as the suite sees it.
    ///
    /// # Panics
    /// If the service does not issue a key to a second platform, which it always does.
    pub fn seeing<C: Choices>(self, profile: Profile, choices: C) -> Strangers<Service<C>> {
        let destinations = match self {
            Sight::OperatorAndInbox => Destinations::PublicAnd(INBOX.to_owned()),
            Sight::OneKey | Sight::TwoKeys | Sight::Operator => Destinations::Public,
        };
        let mut service = Service::new(profile, choices).sending_to(destinations);
        let issue = Happening::IssueKey { platform: Some(OTHER.into()) };
        let issued = service.happen(begun(), PlatformId::DEFAULT, issue);
        let Ok(Outcome::KeyIssued { key, .. }) = issued else { panic!("{issued:?}") };
        let world = InProcess::new(service, begun());
        match self {
            Sight::OneKey => Strangers::with_one_key(world),
            Sight::TwoKeys => Strangers::with_one_key(world).and_key(&key),
            Sight::Operator => {
                Strangers::new(world, Outside::Controlled).and_key(&key).without_inbox()
            }
            Sight::OperatorAndInbox => Strangers::new(world, Outside::Controlled).and_key(&key),
        }
    }
}

/// The result of playing with a right service.
#[derive(Clone, Debug)]
pub struct Acquittal {
    /// The seed of the profile, of the service's choices and of the steps.
    pub seed: u64,
    /// What the suite had.
    pub sight: Sight,
    /// The steps that were played.
    pub steps: u64,
    /// A sentence of the document that the suite says is broken, or that it says is not kept in time.
    pub accused: Option<Failure>,
    /// What it says of the run as a whole.
    pub whole: Vec<Finding>,
    /// A sentence about which it could conclude nothing.
    pub inconclusive: Option<Failure>,
}

impl Acquittal {
    /// Whether the suite says that a sentence of the document is broken, or not kept in time.
    pub fn is_accused(&self) -> bool {
        self.accused.is_some() || !self.whole.is_empty()
    }
}

/// Plays `cases` cases with the right service of `seed`.
///
/// # Errors
/// [`Unreachable`] if the runtime cannot start.
pub fn acquit(seed: u64, sight: Sight, cases: u64) -> Result<Acquittal, Unreachable> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.map_err(|error| Unreachable(error.to_string()))?;
    let header = Header::new(seed, start(), Profile::default());
    let first = first_case(seed, cases);
    let plan = Plan { header, first, cases, steps: DEFAULT_STEPS, max_findings: 1 };
    let choices = FreeChoices::of(seed, seed ^ STRANGE);
    let mut world = RightServices { seed, strangers: sight.seeing(profile(seed), choices) };
    let mut summary = runtime.block_on(check(&mut world, &plan))?;
    summary.conclude(&Stated::default());
    let Summary { steps, failures, noticed, .. } = summary;
    let of_whole = noticed.values().filter(|one| one.first.is_none()).map(|one| &one.finding);
    let is_accusing = |one: &&Finding| matches!(one.verdict, Verdict::Violated | Verdict::Stalled);
    let whole: Vec<Finding> = of_whole.filter(is_accusing).cloned().collect();
    let is = |verdict| move |failure: &Failure| failure.verdict() == verdict;
    let noticed: Vec<Failure> = noticed.into_values().filter_map(|one| one.first).collect();
    let stalled = noticed.iter().find(|failure| failure.verdict() == Verdict::Stalled).cloned();
    let accused = failures.into_iter().find(is(Verdict::Violated)).or(stalled);
    let inconclusive = noticed.into_iter().find(is(Verdict::Inconclusive));
    Ok(Acquittal { seed, sight, steps, accused, whole, inconclusive })
}

/// The first case of the service of `seed`: services in a row go through a whole round of goals, those that follow from
/// the tables among them.
fn first_case(seed: u64, cases: u64) -> u64 {
    let starts = tideover_suite::generate::round().div_ceil(cases.max(1));
    seed % starts * cases
}

/// Plays `cases` cases with each right service of `seeds` in every set-up, on `threads` threads. Once `stop` is set, no
/// new service is begun.
///
/// # Errors
/// [`Unreachable`] if a runtime cannot start.
pub fn acquit_all(
    seeds: std::ops::Range<u64>,
    cases: u64,
    threads: usize,
    stop: &AtomicBool,
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Acquittal>, Unreachable> {
    let trials: Vec<(u64, Sight)> =
        seeds.flat_map(|seed| Sight::ALL.map(|sight| (seed, sight))).collect();
    let acquitted =
        try_each(&trials, threads, stop, progress, |(seed, sight)| acquit(*seed, *sight, cases));
    acquitted.into_iter().collect()
}

/// The right service of a seed, with everything that the suite can have of one.
///
/// # Errors
/// [`Unreachable`], which a service in this process never is.
pub async fn right_service(seed: u64) -> Result<impl Target, Unreachable> {
    let choices = FreeChoices::of(seed, seed ^ STRANGE);
    let strangers = Sight::OperatorAndInbox.seeing(profile(seed), choices);
    RightServices { seed, strangers }.fresh().await
}

/// The service's choices must not follow from the seed of the steps.
const STRANGE: u64 = 1 << 40;

/// The right service of a seed, again and again.
struct RightServices {
    seed: u64,
    strangers: Strangers<Service<FreeChoices>>,
}

impl Testbed for RightServices {
    type Target = Free<Service<FreeChoices>>;

    async fn fresh(&mut self) -> Result<Self::Target, Unreachable> {
        Ok(Free::new(self.strangers.fresh().await?, liberties::begun(self.seed)))
    }

    fn case(&self, header: &Header, number: u64, steps: u64) -> Vec<Step> {
        self.strangers.case(header, number, steps)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    use serde_json::{Value, json};
    use tideover_exchange::{PreparedCall, Response};
    use tideover_model::{ActionKind, Cents, OperationKind, Range};
    use tideover_suite::generate;
    use tideover_suite::play::case::{Played, play};

    use super::*;
    use liberty::{Inside, Liberty};

    /// The response to the first request for an advance says that it failed. It may have been carried out.
    struct FailsOnce {
        is_carried_out: bool,
        has_failed: bool,
    }

    impl Liberty for FailsOnce {
        fn instead(
            &mut self,
            _: u64,
            call: &PreparedCall,
            inside: &mut Inside<'_>,
        ) -> Option<Response> {
            if self.has_failed || call.asked().kind != Some(OperationKind::RequestAdvance) {
                return None;
            }
            self.has_failed = true;
            if self.is_carried_out {
                assert!(inside.handle(call.operation()?.clone())?.is_ok());
            }
            Some(free::refused(502, "upstream_failed"))
        }
    }

    /// An advance is requested, with a response that says that it failed, and then come `after`. The account has opened,
    /// which no response has shown.
    async fn played(is_carried_out: bool, after: Value) -> Played {
        let before = json!([
            // Once the port has announced a failure, none is sent again at once.
            { "act": { "action": "upstreamFails", "requests": 1 } },
            { "call": { "method": "GET", "path": "/v1/organizations/v" } },
            // Every second request that fails has its effect, by its number: here the test alone decides.
            { "call": { "method": "GET", "path": "/v1/organizations/v" } },
            { "call": { "method": "PUT", "path": "/v1/organizations/v", "body": { "legalName": "V",
                "taxId": "120000000", "contact": { "address": { "line1": "1 Quay", "city": "Portland",
                "state": "OR", "postalCode": "97201" } } } } },
            { "call": { "method": "PUT", "path": "/v1/organizations/v/payout-account",
                "body": { "accountNumber": "1013900454", "routingNumber": "021000021" } } },
            { "call": { "method": "POST", "path": "/v1/invitations",
                "body": { "externalId": "v", "email": "ann@v.example" } } },
            { "act": { "action": "vendorAcceptsInvitation", "payeeExternalId": "v", "email": "ann@v.example" } },
            { "act": { "action": "vendorSignsAgreement", "payeeExternalId": "v" } },
            { "advanceSeconds": 148 },
            { "call": { "method": "PUT", "path": "/v1/invoices/c", "body": {
                "payee": { "externalId": "v", "legalName": "V" },
                "payor": { "externalId": "p", "legalName": "P" }, "status": "ISSUED", "faceValue": 40544,
                "issueDate": "2026-01-02T00:00:00Z", "dueDate": "2026-01-31T00:00:00Z" } } },
            request(),
        ]);
        let steps = [before, after].map(|part| serde_json::from_value::<Vec<Step>>(part).unwrap());
        let mut early = Profile::default();
        early.delays.collection_account = Range::exactly(10);
        let mut strangers = Sight::Operator.strangers(early, 1);
        let fails: Box<dyn Liberty> = Box::new(FailsOnce { is_carried_out, has_failed: false });
        let mut target = Free::new(strangers.fresh().await.unwrap(), vec![fails]);
        let header = Header::new(1, start(), Profile::default());
        let played = play(&mut target, &header, &steps.concat()).await.unwrap();
        assert!(played.findings.is_empty(), "{:#?}", played.findings);
        played
    }

    fn request() -> Value {
        json!({ "call": { "method": "POST", "path": "/v1/advances",
            "body": { "payeeExternalId": "v", "invoiceExternalId": "c" } } })
    }

    fn last(played: &Played) -> &Response {
        played.answers.last().unwrap().1.as_ref().unwrap()
    }

    /// Compliance may be lost after it.
    #[tokio::test]
    async fn an_advance_that_was_granted_unseen_stands() {
        let wrong = json!({ "act": { "action": "taxIdFoundWrong", "payeeExternalId": "v" } });
        assert!(last(&played(true, json!([wrong, request()])).await).is_success());
    }

    /// What a read shows of the account says nothing of the advance.
    #[tokio::test]
    async fn an_advance_that_failed_may_not_be_there() {
        let business = json!({ "call": { "method": "GET", "path": "/v1/organizations/v" } });
        let invoice =
            json!({ "call": { "method": "GET", "path": "/v1/organizations/v/invoices/c" } });
        for (is_carried_out, is_there) in [(false, false), (true, true)] {
            let played = played(is_carried_out, json!([business, invoice])).await;
            assert_eq!(last(&played).json().unwrap()["advance"].is_object(), is_there);
        }
    }

    /// Syncs of what has such a name fail. Every second request has its effect all the same, by its number.
    struct LostSyncsFail;

    impl Liberty for LostSyncsFail {
        fn instead(&mut self, _: u64, call: &PreparedCall, _: &mut Inside<'_>) -> Option<Response> {
            let fails = call.method == "PUT" && call.path.contains("/lost");
            fails.then(|| free::refused(502, "upstream_failed"))
        }
    }

    async fn findings(profile: Profile, steps: Vec<Value>) -> Vec<Finding> {
        findings_of(vec![Box::new(LostSyncsFail)], profile, steps).await
    }

    /// The liberty of this name.
    fn begun(name: &str) -> Box<dyn Liberty> {
        liberties::LIBERTIES.iter().find(|row| row.name == name).unwrap().begun(1)
    }

    async fn findings_of(
        liberties: Vec<Box<dyn Liberty>>,
        profile: Profile,
        steps: Vec<Value>,
    ) -> Vec<Finding> {
        let steps: Vec<Step> = serde_json::from_value(steps.into()).unwrap();
        let mut strangers = Sight::OperatorAndInbox.strangers(profile, 1);
        let mut target = Free::new(strangers.fresh().await.unwrap(), liberties);
        let header = Header::new(1, start(), Profile::default());
        play(&mut target, &header, &steps).await.unwrap().findings
    }

    fn get(path: &str) -> Value {
        json!({ "call": { "method": "GET", "path": path } })
    }

    fn sync(business: &str, details: Value) -> Value {
        let path = format!("/v1/organizations/{business}");
        json!({ "call": { "method": "PUT", "path": path, "body": details } })
    }

    /// An upload that succeeds has done the first row of its file again.
    #[derive(Default)]
    struct DoesRowsAgain {
        is_done: bool,
    }

    impl Liberty for DoesRowsAgain {
        fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
            match call.asked().kind {
                Some(OperationKind::ImportInvoices) => {
                    self.is_done = true;
                    body["rows"][0]["outcome"] = json!("updated");
                }
                Some(OperationKind::GetInvoice) if self.is_done => body["faceValue"] = json!(1_000),
                _ => {}
            }
            body
        }
    }

    /// What an interrupted import has done is done, also where its response does not say so (`4.imports.7.2`).
    #[tokio::test]
    async fn an_import_that_failed_is_resumed_where_it_stopped() {
        let import = json!({ "call": { "method": "PUT", "path": "/v1/invoices/imports/m",
            "text": "externalId,payeeExternalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n\
                1,v,V,P,ISSUED,1000,2026-01-02T00:00:00Z,2026-01-31T00:00:00Z\n\
                2,v,V,P,ISSUED,5,2026-01-02T00:00:00Z,2026-01-31T00:00:00Z\n",
            "contentType": "text/csv" } });
        let invoice = get("/v1/organizations/v/invoices/1");
        let steps = vec![
            json!({ "act": { "action": "interruptNextImport", "afterRows": 1 } }),
            import.clone(),
            get("/v1/invoices/imports/m"),
            json!({ "call": { "method": "PUT", "path": "/v1/invoices/1", "body": {
                "payee": { "externalId": "v", "legalName": "V" },
                "payor": { "externalId": "p", "legalName": "P" }, "status": "ISSUED",
                "faceValue": 367_378, "issueDate": "2026-01-02T00:00:00Z",
                "dueDate": "2026-01-31T00:00:00Z" } } }),
            invoice.clone(),
            import,
            invoice,
        ];
        let found = |other: Option<Box<dyn Liberty>>| {
            let liberties = [begun("interrupted-import-fails")].into_iter().chain(other).collect();
            findings_of(liberties, Profile::default(), steps.clone())
        };
        assert_eq!(found(None).await, []);
        assert_ne!(found(Some(Box::new(DoesRowsAgain::default()))).await, []);
    }

    /// Slashes at the end of a path, and more names, belong to an identifier that nobody has synced.
    #[tokio::test]
    async fn a_slash_may_be_a_part_of_an_identifier() {
        let longer = ["/v", "/v/", "/v//", "/v/more", "/v/and/more"];
        let mut steps = vec![sync("v", json!({ "legalName": "V" }))];
        steps.extend(longer.map(|name| get(&format!("/v1/organizations{name}"))));
        let liberties = vec![begun("slashes-in-names")];
        assert_eq!(findings_of(liberties, Profile::default(), steps).await, []);
    }

    /// Each of them doubles what may be, and two subscriptions that are gone need two hidden moves in each of these.
    #[tokio::test]
    async fn many_syncs_that_failed_may_all_have_failed() {
        let subscribe = |path: &str| {
            json!({ "call": { "method": "POST", "path": "/v1/webhooks",
                "body": { "url": format!("${{inbox}}{path}") } } })
        };
        let named = |business: &str| sync(business, json!({ "legalName": "X" }));
        let mut steps = vec![subscribe("/gone/1"), subscribe("/gone/2"), named("x")];
        let lost: Vec<String> = (1..=20).map(|number| format!("lost{number}")).collect();
        steps.extend(
            lost.iter().flat_map(|business| [json!({ "deliveries": true }), named(business)]),
        );
        steps.push(get("/v1/webhooks"));
        steps.extend(lost.iter().map(|business| get(&format!("/v1/organizations/{business}"))));
        assert_eq!(findings(Profile::default(), steps).await, []);
    }

    /// The payor of the invoice was synced before, and both responses were lost: it holds the tax id of another business.
    #[tokio::test]
    async fn what_failed_first_was_carried_out_first() {
        let profile = profile(30_004);
        assert!(profile.readings.merged_identifiers && !profile.readings.undivided_identifiers);
        let date = |day| format!("2026-01-{day}T00:00:00Z");
        let steps = vec![
            // These show how the service reads a tax id under two identifiers.
            sync("a", json!({ "legalName": "A", "taxId": "130000000" })),
            sync("b", json!({ "legalName": "B", "taxId": "130000000" })),
            get("/v1/organizations/b"),
            sync("lostv", json!({ "legalName": "V", "taxId": "120000000" })),
            get("/v1/organizations/lostv"),
            sync("lost", json!({ "legalName": "Lost", "taxId": "120000000" })),
            json!({ "deliveries": true }),
            json!({ "call": { "method": "PUT", "path": "/v1/invoices/lost", "body": {
                "payee": { "externalId": "lostv", "legalName": "V" },
                "payor": { "externalId": "lost", "legalName": "Lost" }, "status": "ISSUED",
                "faceValue": 1, "issueDate": date("02"), "dueDate": date("31") } } }),
            get("/v1/organizations/lostv/invoices/lost"),
            get("/v1/organizations/lost"),
        ];
        assert_eq!(findings(profile, steps).await, []);
    }

    /// Once something is paid, an advance that the limit refuses is granted, with the amounts of the first one.
    #[derive(Default)]
    struct FreesWholeLimit {
        first: Value,
        is_paid: bool,
    }

    impl Liberty for FreesWholeLimit {
        fn outside(&mut self, _: u64, action: &str) -> Option<Response> {
            self.is_paid |= action == "payorPays";
            None
        }

        fn body(&mut self, call: &PreparedCall, body: Value) -> Value {
            if call.asked().kind == Some(OperationKind::RequestAdvance) && self.first.is_null() {
                self.first.clone_from(&body);
            }
            body
        }

        fn refusal(&mut self, _: &PreparedCall, refusal: Response) -> Response {
            let is_granted = self.is_paid && refusal.code() == Some("concentration_exceeded");
            if is_granted { Response::new(201, self.first.to_string().as_bytes()) } else { refusal }
        }
    }

    /// The limit of a case is filled before a payor pays a cent of one invoice, with this limit so far that no great amount
    /// fits.
    #[tokio::test]
    async fn a_full_limit_has_no_room_for_a_great_amount_after_a_cent() {
        let header = Header::new(1, start(), Profile::default());
        let case = |number| generate::case(&header, number, DEFAULT_STEPS);
        let asks = |step: &&Step| step.kind() == Some(OperationKind::RequestAdvance);
        let is_full = |steps: &Vec<Step>| {
            let pays = steps.iter().any(|step| step.acts() == Some(ActionKind::PayorPays));
            pays && steps.iter().filter(asks).count() > 20
        };
        let steps = (0..generate::round()).map(case).find(is_full).unwrap();
        let steps: Vec<Value> =
            steps.into_iter().map(|step| serde_json::to_value(step).unwrap()).collect();
        let other = Profile {
            per_invoice_maximum: Cents(50_000_000),
            concentration_limit: Range::exactly(Cents(120_000_000)),
            ..Profile::default()
        };
        for profile in [Profile::default(), other] {
            let found = |liberties| findings_of(liberties, profile.clone(), steps.clone());
            assert_eq!(found(Vec::new()).await, []);
            let found = found(vec![Box::new(FreesWholeLimit::default())]).await;
            let clauses: Vec<&str> = found.iter().map(|finding| finding.clause.name()).collect();
            assert!(clauses.contains(&"8.concentrationLimit"), "{found:#?}");
        }
    }

    /// The response to the request of this number is lost.
    struct LosesOne(u64);

    impl Liberty for LosesOne {
        fn loses(&mut self, sent: u64) -> bool {
            sent == self.0
        }
    }

    /// The sync of `late` is lost, and takes effect just before `v` sends the same number.
    #[tokio::test]
    async fn a_lost_sync_may_take_a_tax_id_late() {
        // By its number, it takes effect two requests later.
        const LOST: u64 = 4;
        let numbered = |business| sync(business, json!({ "legalName": "X", "taxId": "130000002" }));
        let quote = json!({ "call": { "method": "POST", "path": "/v1/quotes",
            "body": { "externalId": "late", "invoiceFaceValue": 1 } } });
        let mut steps = vec![sync("v", json!({ "legalName": "V" })); LOST as usize - 1];
        steps.extend([numbered("late"), quote, numbered("v"), get("/v1/organizations/v")]);
        // Nobody knows what the result of the tax id says.
        let lost = Box::new(LosesOne(LOST));
        let liberties = vec![begun("own-names"), begun("own-words"), lost];
        assert_eq!(findings_of(liberties, Profile::default(), steps).await, []);
    }

    /// The sync of another platform is lost, and takes effect after a read did not show it, but before an invoice names the
    /// business. Whichever came first, the answer is the same, and what is there is not.
    #[tokio::test]
    async fn a_lost_sync_may_come_before_a_write_that_shows_nothing_of_it() {
        // By its number, it takes effect two requests later.
        const LOST: u64 = 4;
        let by_other = |mut step: Value| {
            step["as"] = json!("${other.key}");
            step
        };
        let numbered = |business| sync(business, json!({ "legalName": "V", "taxId": "120000000" }));
        let party = |name: &str| json!({ "externalId": name, "legalName": name });
        let invoice = json!({ "call": { "method": "PUT", "path": "/v1/invoices/i", "body": {
            "payee": party("w"), "payor": party("p"), "status": "ISSUED", "faceValue": 1,
            "issueDate": "2026-01-02T00:00:00Z", "dueDate": "2026-01-31T00:00:00Z" } } });
        let readings = json!({ "readings": { "shared_compliance": false,
            "merged_identifiers": false, "undivided_identifiers": true } });
        let profile: Profile = serde_json::from_value(readings).unwrap();
        let mut steps = vec![numbered("v"); LOST as usize - 1];
        steps.extend([
            by_other(numbered("w")),
            by_other(get("/v1/organizations/w")),
            by_other(invoice),
            by_other(get("/v1/organizations/w")),
        ]);
        let lost: Vec<Box<dyn Liberty>> = vec![Box::new(LosesOne(LOST))];
        assert_eq!(findings_of(lost, profile, steps).await, []);
    }

    /// A sync is lost that makes the vendor its own payor. It takes effect between a read and the request for the advance,
    /// or between two reads.
    #[tokio::test]
    async fn a_lost_sync_may_make_a_read_untrue() {
        // By its number, it takes effect three requests later.
        const LOST: u64 = 8;
        let owed_by = |payor: &str| {
            json!({ "call": { "method": "PUT", "path": "/v1/invoices/own", "body": {
                "payee": { "externalId": "v", "legalName": "V" },
                "payor": { "externalId": payor, "legalName": payor }, "status": "ISSUED",
                "faceValue": 50_000, "issueDate": "2026-01-02T00:00:00Z",
                "dueDate": "2026-01-31T00:00:00Z" } } })
        };
        let act = |action: &str| json!({ "act": { "action": action, "payeeExternalId": "v" } });
        let address =
            json!({ "line1": "1 Quay", "city": "Portland", "state": "OR", "postalCode": "97201" });
        let steps = vec![
            sync(
                "v",
                json!({ "legalName": "V", "taxId": "120000000", "contact": { "address": address } }),
            ),
            json!({ "call": { "method": "PUT", "path": "/v1/organizations/v/payout-account",
                "body": { "accountNumber": "00012345", "routingNumber": "021000021" } } }),
            json!({ "call": { "method": "POST", "path": "/v1/invitations",
                "body": { "externalId": "v", "email": "ann@v.example" } } }),
            json!({ "act": { "action": "vendorAcceptsInvitation", "payeeExternalId": "v", "email": "ann@v.example" } }),
            act("vendorSignsAgreement"),
            act("collectionAccountOpens"),
            get("/v1/organizations/v"),
            owed_by("v"),
            owed_by("p"),
            get("/v1/organizations/v/invoices/own"),
        ];
        let request = json!({ "call": { "method": "POST", "path": "/v1/advances",
            "body": { "payeeExternalId": "v", "invoiceExternalId": "own" } } });
        for last in [request, get("/v1/organizations/v/invoices/own")] {
            let steps = [steps.clone(), vec![last]].concat();
            let lost: Vec<Box<dyn Liberty>> = vec![Box::new(LosesOne(LOST))];
            assert_eq!(findings_of(lost, Profile::default(), steps).await, []);
        }
    }

    /// The requests of these numbers fail.
    struct FailsSome(&'static [u64]);

    impl Liberty for FailsSome {
        fn instead(&mut self, sent: u64, _: &PreparedCall, _: &mut Inside<'_>) -> Option<Response> {
            self.0.contains(&sent).then(|| free::refused(502, "upstream_failed"))
        }
    }

    /// An invitation that failed, its acceptance and the signature have an effect together alone. Beside that, so much is
    /// undecided that nobody knows what the two responses say: how platforms share a business, and four subscriptions.
    #[tokio::test]
    async fn what_matters_only_together_is_decided_together() {
        let post = |path: &str, body: Value| json!({ "call": { "method": "POST", "path": path, "body": body } });
        let subscribe = |number: u64| {
            post(
                "/v1/webhooks",
                json!({ "url": format!("https://hooks.example.com/many/{number}") }),
            )
        };
        let mut of_other = sync("beside", json!({ "legalName": "Beside", "taxId": "120000000" }));
        of_other["as"] = json!("${other.key}");
        let mut read_by_other = get("/v1/organizations/beside");
        read_by_other["as"] = json!("${other.key}");
        let address =
            json!({ "line1": "1 Quay", "city": "Portland", "state": "OR", "postalCode": "97201" });
        let mut steps = vec![get("/v1/webhooks"); 4];
        steps.extend([1, 2, 3, 4, 4].map(subscribe));
        steps.extend([
            sync("nobody", json!({ "legalName": "V" })),
            json!({ "call": { "method": "PUT", "path": "/v1/organizations/nobody/payout-account",
                "body": { "accountNumber": "00012345", "routingNumber": "021000021" } } }),
            sync("nobody", json!({ "legalName": "V", "taxId": "120000000" })),
            of_other,
            post("/v1/invitations", json!({ "externalId": "nobody", "email": "ann@v.example" })),
            json!({ "act": { "action": "vendorAcceptsInvitation", "payeeExternalId": "nobody", "email": "ann@v.example" } }),
            read_by_other,
            json!({ "act": { "action": "vendorSignsAgreement", "payeeExternalId": "nobody", "address": address } }),
            post("/v1/quotes", json!({ "externalId": "nobody", "invoiceFaceValue": 10_000 })),
        ]);
        let fails: Box<dyn Liberty> = Box::new(FailsSome(&[5, 6, 7, 8, 14]));
        assert_eq!(findings_of(vec![fails], profile(160_552), steps).await, []);
    }

    /// Every request fails, with or without its effect.
    struct CountsFailures(Arc<Mutex<BTreeMap<OperationKind, u32>>>);

    impl Liberty for CountsFailures {
        fn instead(&mut self, _: u64, call: &PreparedCall, _: &mut Inside<'_>) -> Option<Response> {
            let kind = call.asked().kind?;
            *self.0.lock().unwrap().entry(kind).or_default() += 1;
            Some(free::refused(502, "upstream_failed"))
        }
    }

    /// What has to be refused is sent again at once, also where others may have made it valid: all but a subscription, which
    /// is asked for again only if no state makes it valid (§4 Idempotency summary).
    #[tokio::test]
    async fn what_fails_although_it_must_be_refused_is_sent_again() {
        assert_eq!(sent_where_all_fails(Sight::Operator, json!("nobody")).await, [4, 4, 1]);
        assert_eq!(sent_where_all_fails(Sight::OneKey, json!("nobody")).await, [4, 4, 1]);
        assert_eq!(sent_where_all_fails(Sight::OneKey, json!(1)).await, [4, 4, 1]);
    }

    /// How often a quote for this business, a subscription and a sync are sent.
    async fn sent_where_all_fails(sight: Sight, business: Value) -> [u32; 3] {
        let post = |path: &str, body: Value| json!({ "call": { "method": "POST", "path": path, "body": body } });
        let steps = json!([
            post("/v1/quotes", json!({ "externalId": business, "invoiceFaceValue": 1 })),
            post("/v1/webhooks", json!({ "url": "http://10.0.0.1/" })),
            sync("v", json!({ "legalName": "V" })),
        ]);
        let steps: Vec<Step> = serde_json::from_value(steps).unwrap();
        let counted = Arc::default();
        let liberties: Vec<Box<dyn Liberty>> = vec![Box::new(CountsFailures(Arc::clone(&counted)))];
        let mut strangers = sight.strangers(Profile::default(), 1);
        let mut target = Free::new(strangers.fresh().await.unwrap(), liberties);
        let header = Header::new(1, start(), Profile::default());
        play(&mut target, &header, &steps).await.unwrap();
        let counted = counted.lock().unwrap();
        [OperationKind::Quote, OperationKind::Subscribe, OperationKind::SyncBusiness]
            .map(|kind| counted[&kind])
    }
}
