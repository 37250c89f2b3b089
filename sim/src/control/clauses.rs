//! `GET /_sim/clauses`: what the names of clauses mean, in our own words.

use axum::response::Response;
use serde::Serialize;
use tideover_model::clause::{Clause, Kind};
use utoipa::ToSchema;

use crate::respond;

/// All clauses: what an answer, a refusal or the journal names.
#[derive(Serialize, ToSchema)]
pub(crate) struct Clauses {
    /// In document order, assumptions last.
    clauses: Vec<ClauseMeant>,
}

/// A testable sentence of the document, or an assumption where it is silent.
#[derive(Serialize, ToSchema)]
#[schema(as = Clause)]
struct ClauseMeant {
    /// Its stable name.
    name: &'static str,
    /// The place in the document that states it or, for an assumption, that is silent.
    place: &'static str,
    /// What it says, in Tideover's own words.
    wording: &'static str,
    /// For an assumption: why this value and no other.
    #[schema(required = true)]
    reason: Option<&'static str>,
    /// For an assumption that a profile can change: the key in the profile.
    #[schema(required = true)]
    profile: Option<&'static str>,
}

impl From<Clause> for ClauseMeant {
    fn from(clause: Clause) -> ClauseMeant {
        let (reason, profile) = match clause.kind() {
            Kind::Documented => (None, None),
            Kind::Assumed { profile, reason } => (Some(reason), profile),
        };
        let (name, place, wording) = (clause.name(), clause.place(), clause.wording());
        ClauseMeant { name, place, wording, reason, profile }
    }
}

/// `GET /_sim/clauses`.
pub(crate) async fn list() -> Response {
    respond::ok(&Clauses { clauses: Clause::all().map(ClauseMeant::from).collect() })
}
