//! Changes to an encoded response. A code, a value or a field that the document fixes stays as it is.

use tideover_model::exchange::Response;
use tideover_model::wire::field;
use tideover_model::wire::reply::{Business, Reply};
use tideover_model::words::{CollectionState, ComplianceRoute, SyncOutcome};
use tideover_model::{Answer, BusinessId, Clause, Refusal, Seeded, clause};

use crate::grease::draws::{Draws, occasion_of};
use crate::grease::form::{Freedoms, formed};
use crate::grease::freedom::Freedom;
use crate::grease::json::Json;

/// A response with grease.
#[derive(Debug)]
pub struct Greased {
    /// What the client gets.
    pub response: Response,
    /// The freedoms taken with it.
    pub taken: Vec<Freedom>,
}

/// The answer behind a response.
#[derive(Clone, Copy, Debug)]
pub struct Answered<'a> {
    /// The answer.
    pub answer: &'a Answer,
    /// The business that it shows, if it shows one.
    pub business: Option<BusinessId>,
}

/// The response of request number `request`, with grease.
pub fn greased(
    seeded: Seeded,
    request: u64,
    answered: Answered<'_>,
    mut response: Response,
) -> Greased {
    let mut taken = Vec::new();
    if let Ok(json) = serde_json::from_slice::<Json>(&response.body) {
        // A report stays identical at every reading (`4.import.1`).
        let is_report = matches!(answered.answer, Ok(Reply::Import(_) | Reply::Imported(_)));
        let occasion = if is_report { occasion_of(&response.body) } else { request };
        let content = Content { seeded, occasion, json, taken };
        (response.body, taken) = content.changed(answered);
    }
    if answered.answer.is_ok() {
        let draws = Draws::of(seeded, Freedom::OtherStatus, request);
        if let Some(status) = other_status(&response, draws) {
            response.status = status;
            taken.push(Freedom::OtherStatus);
        }
    }
    Greased { response, taken }
}

/// Another status of a success, with a body or without.
fn other_status(response: &Response, mut draws: Draws) -> Option<u16> {
    let statuses = if response.body.is_empty() { [200, 202, 204] } else { [200, 201, 202] };
    let others: Vec<u16> =
        statuses.into_iter().filter(|status| *status != response.status).collect();
    draws.takes().then(|| draws.one_of(&others))
}

/// The body of a response, and the freedoms taken with it.
struct Content {
    seeded: Seeded,
    occasion: u64,
    json: Json,
    taken: Vec<Freedom>,
}

impl Content {
    fn changed(mut self, answered: Answered<'_>) -> (Vec<u8>, Vec<Freedom>) {
        // The one shape of all errors has two fields (§7).
        let extra_field = answered.answer.is_ok().then_some(Freedom::ExtraField);
        match answered.answer {
            Ok(reply) => self.change_values(reply, answered.business),
            Err(refusal) => self.change_refusal(refusal),
        }
        let (key_order, white_space) = (Freedom::KeyOrder, Freedom::WhiteSpace);
        let freedoms = Freedoms { extra_field, key_order, white_space };
        formed(self.seeded, self.occasion, &freedoms, self.json, self.taken)
    }

    fn draws(&self, freedom: Freedom) -> Draws {
        Draws::of(self.seeded, freedom, self.occasion)
    }

    /// Puts one of `words` into a field at random.
    fn replace(&mut self, freedom: Freedom, name: &str, words: &[&str]) {
        let mut draws = self.draws(freedom);
        if draws.takes() && self.json.replace_text(name, draws.one_of(words)) {
            self.taken.push(freedom);
        }
    }

    fn change_refusal(&mut self, refusal: &Refusal) {
        let mut draws = self.draws(Freedom::RewordedError);
        if draws.takes() && self.json.replace_text("error", &reworded(&refusal.message, &mut draws))
        {
            self.taken.push(Freedom::RewordedError);
        }
        if let Some(code) = new_code(refusal.clause) {
            self.replace(Freedom::NewCode, field::CODE, &[code]);
        }
    }

    fn change_values(&mut self, reply: &Reply, business: Option<BusinessId>) {
        match reply {
            Reply::Business(shown) => self.change_route(shown, business),
            Reply::Invoice(invoice)
                if invoice.collection_state == CollectionState::PartiallyCollected =>
            {
                self.change_collection_state(invoice.collected.0, invoice.face_value.0);
            }
            Reply::InvoiceSynced(synced) if synced.outcome == SyncOutcome::Updated => {
                let words = ["amended", "merged"];
                self.replace(Freedom::NewSyncOutcome, field::OUTCOME, &words);
            }
            Reply::BusinessSynced(synced) if synced.tax_id_result.is_some() => {
                let mut draws = self.draws(Freedom::NewTaxIdOutcome);
                let word = ["checked", "filed"][draws.index(2)];
                let result = self.json.field(field::TAX_ID_RESULT);
                let taken = draws.takes()
                    && result.is_some_and(|result| result.replace_text(field::OUTCOME, word));
                self.taken.extend(taken.then_some(Freedom::NewTaxIdOutcome));
            }
            Reply::Import(_) | Reply::Imported(_) => {
                let (outcomes, codes) = (["deferred", "quarantined"], ["row_invalid", "row_held"]);
                self.change_rejected_rows(Freedom::NewRowOutcome, field::OUTCOME, &outcomes);
                self.change_rejected_rows(Freedom::NewRowCode, field::CODE, &codes);
            }
            _ => {}
        }
    }

    /// A business keeps its route, and `PARTNER_SUPPLIED` keeps its meaning (§2 Business).
    fn change_route(&mut self, shown: &Business, business: Option<BusinessId>) {
        let words = match shown.compliance_route {
            Some(ComplianceRoute::VendorAssertion) => ["VENDOR_CALL", "VENDOR_PORTAL"],
            Some(ComplianceRoute::W9Upload) => ["W9_MAILED", "W9_SIGNED_ONLINE"],
            Some(ComplianceRoute::PartnerSupplied) | None => return,
        };
        let Some(BusinessId(number)) = business else { return };
        let mut draws = Draws::of(self.seeded, Freedom::NewRoute, number.into());
        if draws.takes() && self.json.replace_text(field::COMPLIANCE_ROUTE, draws.one_of(&words)) {
            self.taken.push(Freedom::NewRoute);
        }
    }

    /// From a share of the face value that the seed fixes, the state has a name of its own: so it follows from the
    /// amounts, as the document says.
    fn change_collection_state(&mut self, collected: i64, face_value: i64) {
        let percent = 50 + Draws::of(self.seeded, Freedom::NewCollectionState, 0).below(41);
        let share = i128::from(collected) * 100;
        if share >= i128::from(face_value) * i128::from(percent)
            && self.json.replace_text(field::COLLECTION_STATE, "MOSTLY_COLLECTED")
        {
            self.taken.push(Freedom::NewCollectionState);
        }
    }

    fn change_rejected_rows(&mut self, freedom: Freedom, name: &str, words: &[&str]) {
        let mut draws = self.draws(freedom);
        let mut changed = false;
        for row in self.json.items(field::ROWS) {
            // Only a rejected row has a code.
            let is_rejected =
                matches!(row.field(field::CODE), Some(Json::Leaf(code)) if code.is_string());
            changed |= is_rejected && draws.takes() && row.replace_text(name, draws.one_of(words));
        }
        self.taken.extend(changed.then_some(freedom));
    }
}

/// Other words for an error.
fn reworded(message: &str, draws: &mut Draws) -> String {
    match draws.below(4) {
        0 => "The request was not accepted.".to_owned(),
        1 => format!("{message} (reference {:08x})", draws.below(1 << 32)),
        2 => format!("La demande a été refusée : {message}"),
        _ => format!("Sorry!\n\t\"{message}\""),
    }
}

/// A new code for a refusal that no sentence of the document asks for: a more lenient service accepts such a
/// request. Every other refusal has its documented code.
fn new_code(clause: Clause) -> Option<&'static str> {
    const CODES: [(Clause, &str); 4] = [
        (clause!("gap.duplicateKeys"), "repeated_key"),
        (clause!("gap.integerForm"), "not_an_integer"),
        (clause!("gap.nullOptional"), "unexpected_null"),
        (clause!("gap.emptyIdentifier"), "empty_identifier"),
    ];
    CODES.into_iter().find(|(permits, _)| *permits == clause).map(|(_, code)| code)
}
