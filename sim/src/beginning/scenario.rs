//! Worlds that begin in the middle of the story, made by real operations.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tideover_model::OperationKind::{
    Invite, RequestAdvance, SetPayoutAccount, SyncBusiness, SyncInvoice,
};
use tideover_model::wire::written::Written;
use tideover_model::{
    Answer, Cents, Code, Face, Happening, Impossible, OperationKind, PlatformId, Service,
    Timestamp, VendorRoute, exchange,
};
use utoipa::ToSchema;

/// The vendor of every scenario.
const VENDOR: &str = "acme";
/// The payor of every scenario.
const PAYOR: &str = "globex";
/// Gives up after so many advances: a profile may put the limit out of reach.
const MOST_ADVANCES: u32 = 1000;
/// From the issue of an invoice to its due date. Days.
const TERM: u64 = 60;
/// The face value of the first invoice. Cents.
const FACE_VALUE: i64 = 1_000_000;

/// How far the story of a world has gone at its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scenario {
    /// Nothing has happened.
    #[default]
    Fresh,
    /// The vendor `acme` meets all four requirements, and its invoice `INV-1` can be financed.
    Onboarded,
    /// Besides, `INV-1` has an advance that is FUNDED.
    Funded,
    /// Besides, the payor has paid: the advance is REPAID.
    Repaid,
    /// As `onboarded`, with so many advances that one for the last invoice is refused.
    AtTheLimit,
}

/// A scenario stopped at a step that the world's profile does not permit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the scenario {scenario} stops at {step}: {problem}")]
pub struct ScenarioError {
    /// The scenario.
    pub scenario: Scenario,
    /// The step.
    pub step: String,
    /// Why it failed.
    pub problem: String,
}

impl Scenario {
    /// All scenarios.
    pub const ALL: [Scenario; 5] = [
        Scenario::Fresh,
        Scenario::Onboarded,
        Scenario::Funded,
        Scenario::Repaid,
        Scenario::AtTheLimit,
    ];

    /// Its stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Scenario::Fresh => "fresh",
            Scenario::Onboarded => "onboarded",
            Scenario::Funded => "funded",
            Scenario::Repaid => "repaid",
            Scenario::AtTheLimit => "at-the-limit",
        }
    }

    /// Plays the story at `now` on a fresh service.
    pub(super) fn play(self, face: &mut dyn Face, now: Timestamp) -> Result<(), ScenarioError> {
        let mut stage = Stage { face, now, scenario: self };
        match self {
            Scenario::Fresh => Ok(()),
            Scenario::Onboarded => stage.onboard(),
            Scenario::Funded => {
                stage.onboard()?;
                stage.fund(1)
            }
            Scenario::Repaid => {
                stage.onboard()?;
                stage.fund(1)?;
                let (payee, invoice) = (VENDOR.to_owned(), invoice(1));
                stage.happen(Happening::PayorPays { payee, invoice, amount: Cents(FACE_VALUE) })
            }
            Scenario::AtTheLimit => {
                stage.onboard()?;
                stage.fill_the_limit()
            }
        }
    }

    pub(super) fn stopped(self, step: &str, problem: impl fmt::Display) -> ScenarioError {
        ScenarioError { scenario: self, step: step.to_owned(), problem: problem.to_string() }
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn invoice(number: u32) -> String {
    format!("INV-{number}")
}

/// The service on which a scenario plays. No fault acts on it: the faults of a world come after its beginning.
struct Stage<'a> {
    face: &'a mut dyn Face,
    now: Timestamp,
    scenario: Scenario,
}

impl Stage<'_> {
    fn send(&mut self, kind: OperationKind, identifiers: &[&str], body: &Value) -> Answer {
        let authorization = format!("Bearer {}", Service::FIRST_KEY);
        let authorization = Some(authorization.as_str());
        let written = Written::new(kind, identifiers, body.to_string().into_bytes());
        let asked = exchange::Asked::by(&written.as_request(authorization));
        exchange::attempt(self.face, self.now, authorization, asked)
    }

    fn request(
        &mut self,
        kind: OperationKind,
        identifiers: &[&str],
        body: &Value,
    ) -> Result<(), ScenarioError> {
        let step = || format!("{} {}", kind.method(), kind.path_of(identifiers));
        let answer = self.send(kind, identifiers, body);
        answer.map(drop).map_err(|refusal| self.scenario.stopped(&step(), refusal.message))
    }

    fn try_to(&mut self, happening: Happening) -> Result<(), Impossible> {
        self.face.handle_timeout(self.now);
        self.face.happen(self.now, PlatformId::DEFAULT, happening).map(|_| ())
    }

    fn happen(&mut self, happening: Happening) -> Result<(), ScenarioError> {
        let step = format!("{happening:?}");
        let step = step.split([' ', '{']).next().unwrap_or_default().to_owned();
        self.try_to(happening).map_err(|impossible| self.scenario.stopped(&step, impossible))
    }

    /// Syncs the vendor and an invoice, and lets the vendor and the bank do the rest.
    fn onboard(&mut self) -> Result<(), ScenarioError> {
        let business = json!({
            "legalName": "Acme Ltd",
            "taxId": "123456789",
            "contact": { "email": "owner@acme.example", "address": {
                "line1": "1 Quay Street", "city": "Portland", "state": "OR", "postalCode": "97201",
            } },
        });
        self.request(SyncBusiness, &[VENDOR], &business)?;
        let account = json!({ "accountNumber": "000123456789", "routingNumber": "021000021" });
        self.request(SetPayoutAccount, &[VENDOR], &account)?;
        let invitation = json!({ "externalId": VENDOR, "email": "owner@acme.example" });
        self.request(Invite, &[], &invitation)?;
        let payee = || VENDOR.to_owned();
        let email = "owner@acme.example".to_owned();
        self.happen(Happening::VendorAcceptsInvitation { payee: payee(), email })?;
        let (route, tax_id) = (VendorRoute::VendorAssertion, None);
        self.happen(Happening::VendorConfirmsTaxId { payee: payee(), route, tax_id })?;
        let address = tideover_model::Address::default();
        self.happen(Happening::VendorSignsAgreement { payee: payee(), address })?;
        // With a profile that opens accounts at once, it is open already.
        let opened = Happening::CollectionAccountOpens { payee: payee() };
        let _ = self.try_to(opened);
        self.sync(1, FACE_VALUE)
    }

    fn sync(&mut self, number: u32, face_value: i64) -> Result<(), ScenarioError> {
        let now = self.now;
        let body = json!({
            "payee": { "externalId": VENDOR, "legalName": "Acme Ltd" },
            "payor": { "externalId": PAYOR, "legalName": "Globex Inc" },
            "status": "ISSUED",
            "faceValue": face_value,
            "issueDate": now,
            "dueDate": now.after(TERM * 24 * 3600),
        });
        self.request(SyncInvoice, &[&invoice(number)], &body)
    }

    /// Requests an advance for an invoice, and sends the money.
    fn fund(&mut self, number: u32) -> Result<(), ScenarioError> {
        self.request(RequestAdvance, &[], &advance(number))?;
        for happening in [
            Happening::FundingStarts { payee: VENDOR.to_owned(), invoice: invoice(number) },
            Happening::FundingCompletes { payee: VENDOR.to_owned(), invoice: invoice(number) },
        ] {
            // With a profile that funds at once, this has happened already.
            let _ = self.try_to(happening);
        }
        Ok(())
    }

    /// Finances invoices of the largest value until one is refused.
    fn fill_the_limit(&mut self) -> Result<(), ScenarioError> {
        let largest = self.face.profile().per_invoice_maximum.0;
        for number in 1..=MOST_ADVANCES {
            if number > 1 {
                self.sync(number, largest)?;
            }
            match self.send(RequestAdvance, &[], &advance(number)) {
                Ok(_) => {}
                Err(refusal) if refusal.code == Code::ConcentrationExceeded => return Ok(()),
                Err(refusal) => return Err(self.no_advance(refusal.message)),
            }
        }
        Err(self.no_advance(format!("{MOST_ADVANCES} advances do not reach the limit")))
    }

    fn no_advance(&self, problem: impl fmt::Display) -> ScenarioError {
        self.scenario.stopped(&RequestAdvance.to_string(), problem)
    }
}

fn advance(number: u32) -> Value {
    json!({ "payeeExternalId": VENDOR, "invoiceExternalId": invoice(number) })
}
