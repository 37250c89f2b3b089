//! The control plane of conduct: what the caller did of what the document asks of callers.

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde::Serialize;
use tideover_model::conduct::{Counts, Ending, Row, RowShown};
use tideover_model::wire::problem::{cut, unfit_word};
use utoipa::ToSchema;

use crate::control::{ControlCaller, ControlError, ControlResult, SharedWorlds, invalid, worlds};
use crate::respond;
use crate::world::{Conduct, World};

/// What is seen of the caller's conduct.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Conduct)]
pub(crate) struct ConductView {
    /// How many duties are met, broken, and not seen.
    counts: Counts,
    /// A row for each duty, in the order of the table in the guide.
    rows: Vec<RowShown>,
    /// How many requests are not judged, because the journal no longer has them.
    dropped_requests: u64,
    /// How many deliveries are not judged, because the log no longer has them.
    dropped_deliveries: u64,
}

impl ConductView {
    fn of(conduct: &Conduct) -> ConductView {
        let Conduct { card, dropped_requests, dropped_deliveries } = conduct;
        ConductView {
            counts: card.counts(),
            rows: card.rows().iter().map(Row::shown).collect(),
            dropped_requests: *dropped_requests,
            dropped_deliveries: *dropped_deliveries,
        }
    }
}

/// `GET /_sim/conduct`: the conduct of the callers of the world.
pub(crate) async fn of_caller(caller: ControlCaller, uri: Uri) -> ControlResult {
    Ok(shown(&caller.world, ending(&uri)?))
}

/// `GET /_sim/worlds/{id}/conduct`: the same of a world by its name.
pub(crate) async fn of_world(State(worlds): SharedWorlds, uri: Uri) -> ControlResult {
    let ending = ending(&uri)?;
    Ok(shown(&worlds::world(&worlds, &uri)?.world, ending))
}

fn shown(world: &World, ending: Ending) -> Response {
    respond::ok(&ConductView::of(&world.conduct(ending)))
}

/// What the query says: `final=true` means that the caller is done.
fn ending(uri: &Uri) -> Result<Ending, ControlError> {
    let query = uri.query().unwrap_or_default();
    let mut ending = Ending::Open;
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        ending = match (&*name, &*value) {
            ("final", "true") => Ending::Final,
            ("final", "false") => Ending::Open,
            ("final", other) => {
                return Err(invalid(&unfit_word("final", "expected true or false", other)));
            }
            (other, _) => {
                return Err(invalid(&format!("{}: conduct has the parameter final", cut(other))));
            }
        };
    }
    Ok(ending)
}
