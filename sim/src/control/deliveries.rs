//! The control plane of deliveries: `/_sim/deliveries`.

use axum::extract::{Request, State};
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde_json::Value;
use tideover_model::Seconds;
use tideover_model::wire::action::{Applied, NotApplied};
use tideover_model::wire::problem::{cut, unfit, unfit_word};

use crate::control;
use crate::control::fields::Fields;
use crate::control::{
    ControlCaller, ControlError, ControlResult, MOST_BYTES, MOST_PATIENCE, Patience, SharedWorlds,
    caller, invalid, unreadable,
};
use crate::deliveries::Filter;
use crate::extract;
use crate::pieces::{Items, List};
use crate::respond;
use crate::world::{Logged, World};
use crate::worlds::InUse;

/// `GET /_sim/deliveries`: the last deliveries and their attempts, from number `after` on. The parameters
/// `subscription`, `type`, `payee`, `invoice` and `state` filter them.
///
/// # Errors
/// `unauthorized`, `invalid_request`.
pub(crate) async fn list(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    let filter = filter(request.uri().query().unwrap_or_default())?;
    let ControlCaller { world, in_use, .. } = caller;
    let (logged, from) = (world.logged(), filter.after);
    Ok(respond::list(Deliveries { world, filter, logged, from, _in_use: in_use }))
}

/// The deliveries of a log, up to the moment in which they were asked for.
struct Deliveries {
    world: World,
    filter: Filter,
    logged: Logged,
    /// The number of the first delivery that is not yet looked at.
    from: u64,
    _in_use: InUse,
}

impl List for Deliveries {
    fn opening(&self) -> String {
        r#"{"deliveries":["#.to_owned()
    }

    fn more(&mut self, items: &mut Items) -> bool {
        let Logged { next, resets, .. } = self.logged;
        let page = self.world.deliveries_page(&self.filter, self.from..next, resets);
        page.deliveries.iter().for_each(|delivery| items.push(delivery));
        self.from = page.next.unwrap_or(next);
        page.next.is_some()
    }

    fn closing(&self) -> String {
        let Logged { next, dropped, .. } = self.logged;
        format!(r#"],"next":{next},"dropped":{dropped}}}"#)
    }
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
                    "{}: deliveries are chosen by after, subscription, type, payee, invoice and state",
                    cut(other)
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
    Ok(respond::ok(&Applied::IT_IS))
}

/// `POST /_sim/deliveries/wait`: responds once no delivery is due or in flight. If the world is replaced, it waits
/// in the new one.
///
/// # Errors
/// `unauthorized`, `action_refused` if too many wait, `payload_too_large`, `unreadable_request`, `invalid_request`.
pub(crate) async fn wait(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    const PATIENCE: Seconds = 30;
    let (head, body) = request.into_parts();
    let mut caller = caller(&worlds, &head.headers)?;
    let _waiting = worlds.wait()?;
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
    let quiet = loop {
        let waited = caller.world.quiet(patience.left()).await;
        if !caller.world.has_ended() {
            break waited;
        }
        caller = control::caller(&worlds, &head.headers)?;
    };
    Ok(respond::ok(&quiet))
}
