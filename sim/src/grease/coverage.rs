//! How often a client has met each freedom.

use std::collections::BTreeMap;

use serde::Serialize;
use tideover_model::ImpossibleState;
use utoipa::ToSchema;

use crate::grease::freedom::Freedom;

/// How often a world's client has met each freedom.
///
/// A freedom of a delivery counts each time when a receiver responds with 2xx, a freedom of a hidden transition
/// once the transition is under way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    met: [u64; Freedom::ALL.len()],
}

/// What the API's document leaves a service free to do, and `serve --grease` does at random.
#[derive(Serialize, ToSchema)]
#[schema(as = Freedoms)]
pub(crate) struct CoverageView {
    /// Whether the mock takes freedoms.
    grease: bool,
    /// All of them.
    freedoms: Vec<FreedomView>,
    /// The names of those that the client has not met.
    #[schema(value_type = Vec<String>)]
    unmet: Vec<Freedom>,
}

/// Something that a service is free to do.
#[derive(Serialize, ToSchema)]
#[schema(as = Freedom)]
struct FreedomView {
    /// The name.
    #[schema(value_type = String)]
    name: Freedom,
    /// The rule that permits it: the stable name of its place.
    clause: &'static str,
    /// The place in the API's document.
    place: &'static str,
    /// What it does.
    sentence: &'static str,
    /// How often the client has met it.
    met: u64,
}

impl Coverage {
    /// How often the client has met this freedom.
    pub fn met(&self, freedom: Freedom) -> u64 {
        self.met[freedom as usize]
    }

    /// The freedoms that the client has not met.
    pub fn unmet(&self) -> Vec<Freedom> {
        Freedom::ALL.into_iter().filter(|freedom| self.met(*freedom) == 0).collect()
    }

    /// The freedoms that the client has met, by name.
    pub(super) fn counts(&self) -> BTreeMap<String, u64> {
        let met = Freedom::ALL.into_iter().filter(|freedom| self.met(*freedom) > 0);
        met.map(|freedom| (freedom.name().to_owned(), self.met(freedom))).collect()
    }

    /// The coverage with these counts. The first name that no freedom has is impossible.
    pub(super) fn of(counts: &BTreeMap<String, u64>) -> Result<Coverage, ImpossibleState> {
        let mut coverage = Coverage::default();
        for (name, count) in counts {
            let freedom = Freedom::ALL.into_iter().find(|freedom| freedom.name() == name);
            let unknown = || ImpossibleState::new(format!("there is no freedom {name:?}"));
            let freedom = freedom.ok_or_else(unknown)?;
            coverage.met[freedom as usize] = *count;
        }
        Ok(coverage)
    }

    pub(super) fn add(&mut self, met: &[Freedom]) {
        for freedom in met {
            self.met[*freedom as usize] += 1;
        }
    }

    /// The report on a world with grease, or on one without it.
    pub(crate) fn view(coverage: Option<&Coverage>) -> CoverageView {
        let none = Coverage::default();
        let counts = coverage.unwrap_or(&none);
        let view = |freedom: Freedom| FreedomView {
            name: freedom,
            clause: freedom.clause().name(),
            place: freedom.clause().place(),
            sentence: freedom.sentence(),
            met: counts.met(freedom),
        };
        CoverageView {
            grease: coverage.is_some(),
            freedoms: Freedom::ALL.map(view).into(),
            unmet: counts.unmet(),
        }
    }
}
