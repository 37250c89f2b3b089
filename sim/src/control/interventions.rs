//! The control plane of interventions: `/_sim/interventions`.

use axum::http::Uri;
use tideover_model::wire::problem::cut;

use crate::control;
use crate::control::{ControlCaller, ControlError, ControlResult, invalid};
use crate::respond;

/// `GET /_sim/interventions`: what was done to the world beside the API, the oldest first, from number `after` on.
pub(crate) async fn list(caller: ControlCaller, uri: Uri) -> ControlResult {
    Ok(respond::ok(&caller.world.interventions(after(&uri)?)))
}

fn after(uri: &Uri) -> Result<u64, ControlError> {
    let mut after = 0;
    for (name, value) in url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        if name != "after" {
            let why = format!("{}: interventions are chosen by after", cut(&name));
            return Err(invalid(&why));
        }
        after = control::number("after", "an intervention", &value)?;
    }
    Ok(after)
}
