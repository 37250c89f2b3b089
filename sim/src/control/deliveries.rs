//! The control plane of deliveries: `/_sim/deliveries`.

use axum::extract::{Request, State};
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde_json::{Value, json};
use tideover_model::Seconds;
use tideover_model::wire::action::NotApplied;
use tideover_model::wire::problem::{unfit, unfit_word};

use crate::control;
use crate::control::fields::Fields;
use crate::control::{
    ControlError, ControlResult, MOST_BYTES, MOST_PATIENCE, Patience, SharedWorlds, caller,
    invalid, unreadable,
};
use crate::deliveries::Filter;
use crate::extract;
use crate::respond;
use crate::world::Quiet;

/// `GET /_sim/deliveries`: the last deliveries and their attempts, from number `after` on. The parameters
/// `subscription`, `type`, `payee`, `invoice` and `state` filter them.
///
/// # Errors
/// `unauthorized`, `invalid_request`.
pub(crate) async fn list(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    let filter = filter(request.uri().query().unwrap_or_default())?;
    Ok(respond::ok(&caller.world.deliveries_view(&filter)))
}

fn filter(query: &str) -> Result<Filter, ControlError> {
    let mut filter = Filter::default();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        let value = value.into_owned();
        match &*name {
            "after" => {
                let expected = "the number of a delivery, such as 17";
                let unfit = |_| invalid(&unfit("after", expected, Some(&value.as_str().into())));
                filter.after = value.parse().map_err(unfit)?;
            }
            "subscription" => filter.subscription = Some(value),
            "type" => filter.event = Some(named("type", &value)?),
            "payee" => filter.payee = Some(value),
            "invoice" => filter.invoice = Some(value),
            "state" => filter.state = Some(named("state", &value)?),
            other => {
                return Err(invalid(&format!(
                    "{other}: deliveries are chosen by after, subscription, type, payee, invoice and state"
                )));
            }
        }
    }
    Ok(filter)
}

/// A value of an enumeration, by its name.
fn named<T: DeserializeOwned>(parameter: &str, value: &str) -> Result<T, ControlError> {
    T::deserialize(value.into_deserializer()).map_err(|why: serde::de::value::Error| {
        invalid(&unfit_word(parameter, &why.to_string(), value))
    })
}

/// `POST /_sim/deliveries/{id}/resend`: sends a delivery once more, at once.
///
/// # Errors
/// `unauthorized`, `unknown_delivery`, `action_refused`.
pub(crate) async fn resend(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    // Our identifiers contain no character that needs encoding.
    let id = request.uri().path().split('/').nth(3).unwrap_or_default();
    let resent = caller.world.resend(id).ok_or(NotApplied::UnknownDelivery)?;
    resent.map_err(NotApplied::from)?;
    Ok(respond::ok(&json!({ "applied": true })))
}

/// `POST /_sim/deliveries/wait`: responds once no delivery is due or in flight. If the world is replaced, it waits
/// in the new one.
///
/// # Errors
/// `unauthorized`, `payload_too_large`, `unreadable_request`, `invalid_request`.
pub(crate) async fn wait(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    const PATIENCE: Seconds = 30;
    let (head, body) = request.into_parts();
    let mut caller = caller(&worlds, &head.headers)?;
    let body = extract::body(body, MOST_BYTES).await?;
    let patience = if body.is_empty() {
        PATIENCE
    } else {
        let body: Value =
            serde_json::from_slice(&body).map_err(|why| unreadable(&why.to_string()))?;
        let fields = Fields::of(&body, &["patienceSeconds"])?;
        fields.number("patienceSeconds", PATIENCE, MOST_PATIENCE)?
    };
    let patience = Patience::of(patience);
    let Quiet { quiet, next_due, retrying } = loop {
        let waited = caller.world.quiet(patience.left()).await;
        if !caller.world.has_ended() {
            break waited;
        }
        caller = control::caller(&worlds, &head.headers)?;
    };
    Ok(respond::ok(&json!({ "quiet": quiet, "nextDue": next_due, "retrying": retrying })))
}
