//! Names of businesses: in every place where a request can name one, names of which a read shows whether they were taken
//! as they were sent.

use serde_json::json;
use tideover_exchange::step::{Action, Call, Step};
use tideover_model::OperationKind;
use tideover_model::wire::schema::Role;

use crate::generate::draw::Draw;
use crate::generate::names::VENDORS;
use crate::generate::{files, requests as make};

/// A place where a request names a business.
#[derive(Clone, Copy)]
enum Place {
    Sync,
    /// A party of an invoice.
    Party(&'static str),
    /// A party of a row.
    Row(&'static str),
}

/// The steps of syncs and of rows: each place with names that show the form that a service gives to names, then with
/// longer ones, and ones with punctuation.
pub(super) fn groups(draw: &mut Draw) -> Vec<Vec<Step>> {
    let sync = OperationKind::SyncInvoice.fields().iter();
    let parties = sync.filter(|field| matches!(field.role, Role::Object(_)));
    let parties: Vec<&str> = parties.map(|field| field.name).collect();
    let of_parties =
        [Place::Party, Place::Row].map(|place| parties.iter().map(|it| place(it)).collect());
    let of_parties: [Vec<Place>; 2] = of_parties;
    of_parties.map(|of_them| steps([vec![Place::Sync], of_them].concat(), draw)).into()
}

fn steps(places: Vec<Place>, draw: &mut Draw) -> Vec<Step> {
    let mut steps = Vec::new();
    // Where one place is read wrongly, the others still show the form.
    for number in 0..2 {
        for place in &places {
            let business = place.business(number);
            steps.push(place.named(&business, &usual(draw)));
            steps.push(make::get_business(&business));
        }
    }
    for place in &places {
        for (name, number) in [long(draw), punctuated(draw)].iter().zip(2..) {
            let business = place.business(number);
            // That it is not there shows that the name is its only one.
            steps.push(make::get_business(&business));
            steps.push(place.named(&business, name));
            steps.push(make::get_business(&business));
        }
    }
    steps
}

impl Place {
    fn business(self, number: usize) -> String {
        match self {
            Place::Sync => format!("named {number}"),
            Place::Party(party) => format!("{party} {number}"),
            Place::Row(party) => format!("{party} in row {number}"),
        }
    }

    /// A request that names `business` in this place.
    fn named(self, business: &str, name: &str) -> Step {
        match self {
            Place::Sync => make::sync_business(business, name, None, None),
            Place::Party(party) => {
                let mut step = make::plain_invoice(VENDORS[0], business, 1000);
                if let Action::Call(Call { body: Some(body), .. }) = &mut step.action {
                    let named = json!({ "externalId": business, "legalName": name });
                    make::put(body, &[party], Some(named));
                }
                step
            }
            Place::Row(party) => {
                let (identifier, legal_name) =
                    (format!("{party}ExternalId"), format!("{party}LegalName"));
                let cells =
                    [("externalId", business), (&identifier, business), (&legal_name, name)];
                make::import(business, files::file_with(&cells))
            }
        }
    }
}

/// Eight characters: what is longer may be cut.
fn usual(draw: &mut Draw) -> String {
    format!("{} {}", word(4, draw), word(3, draw))
}

/// 71 characters: longer than a short column, and no longer than any column should be, whatever names a run puts before.
fn long(draw: &mut Draw) -> String {
    let words: Vec<String> = (0..9).map(|_| word(7, draw)).collect();
    words.join(" ")
}

fn punctuated(draw: &mut Draw) -> String {
    format!("{}-{} & {}, Inc.", word(4, draw), word(3, draw), word(4, draw))
}

/// A capital and small letters.
fn word(length: usize, draw: &mut Draw) -> String {
    let letter = |at: usize, draw: &mut Draw| {
        let letter = char::from(*draw.pick(b"bdfgklmnprst"));
        if at == 0 { letter.to_ascii_uppercase() } else { letter }
    };
    (0..length).map(|at| letter(at, draw)).collect()
}
