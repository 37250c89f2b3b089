//! The control plane of deliveries: `/_sim/deliveries`.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use serde::de::{DeserializeOwned, IntoDeserializer};
use tideover_model::Seconds;
use tideover_model::wire::action::{Applied, NotApplied};
use tideover_model::wire::problem::{cut, unfit_word};

use crate::control;
use crate::control::fields::Fields;
use crate::control::{
    ControlCaller, ControlError, ControlResult, MOST_BYTES, MOST_PATIENCE, Patience, SharedWorlds,
    invalid,
};
use crate::deliveries::Filter;
use crate::extract;
use crate::pieces::{Items, List};
use crate::respond;
use crate::world::{LogPosition, World};
use crate::worlds::InUse;

/// `GET /_sim/deliveries`: the last deliveries and their attempts, from number `after` on, filtered by
/// `subscription`, `type`, `payee`, `invoice` and `state`.
pub(crate) async fn list(caller: ControlCaller, uri: Uri) -> ControlResult {
    let filter = filter(uri.query().unwrap_or_default())?;
    let ControlCaller { world, in_use, .. } = caller;
    let (end, from) = (world.log_position(), filter.after);
    Ok(respond::list(Deliveries { world, filter, end, from, _in_use: in_use }))
}

/// The deliveries in a log, up to where it stood when the client asked: a list that grows as fast as it is read would
/// never end.
struct Deliveries {
    world: World,
    filter: Filter,
    end: LogPosition,
    /// The number of the next delivery to look at.
    from: u64,
    _in_use: InUse,
}

impl List for Deliveries {
    fn opening(&self) -> String {
        r#"{"deliveries":["#.to_owned()
    }

    fn more(&mut self, items: &mut Items) -> bool {
        let LogPosition { next, resets, .. } = self.end;
        let page = self.world.deliveries_page(&self.filter, self.from..next, resets);
        page.deliveries.iter().for_each(|delivery| items.push(delivery));
        self.from = page.next.unwrap_or(next);
        page.next.is_some()
    }

    fn closing(&self) -> String {
        let LogPosition { next, dropped, .. } = self.end;
        format!(r#"],"next":{next},"dropped":{dropped}}}"#)
    }
}

fn filter(query: &str) -> Result<Filter, ControlError> {
    let mut filter = Filter::default();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        let value = value.into_owned();
        match &*name {
            "after" => filter.after = control::number("after", "a delivery", &value)?,
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

/// The value of an enumeration that has this name.
fn named<T: DeserializeOwned>(parameter: &str, value: &str) -> Result<T, ControlError> {
    T::deserialize(value.into_deserializer()).map_err(|why: serde::de::value::Error| {
        invalid(&unfit_word(parameter, &why.to_string(), value))
    })
}

/// `POST /_sim/deliveries/{id}/resend`: sends a delivery once more, at once.
pub(crate) async fn resend(caller: ControlCaller, uri: Uri) -> ControlResult {
    // Our identifiers contain no character that needs encoding.
    let id = uri.path().split('/').nth(3).unwrap_or_default();
    let resent = caller.world.resend(id).ok_or(NotApplied::UnknownDelivery)?;
    resent.map_err(NotApplied::from)?;
    Ok(respond::ok(&Applied::IT_IS))
}

/// `POST /_sim/deliveries/wait`: responds once no delivery is due or in flight. If the world is replaced, it waits
/// in the new one.
pub(crate) async fn wait(
    State(worlds): SharedWorlds,
    mut caller: ControlCaller,
    headers: HeaderMap,
    body: Body,
) -> ControlResult {
    const PATIENCE: Seconds = 30;
    let _waiting = worlds.wait()?;
    let body = extract::body(body, MOST_BYTES).await?;
    let patience = if body.is_empty() {
        PATIENCE
    } else {
        let body = control::parsed(&body)?;
        let fields = Fields::of(&body, &["patienceSeconds"])?;
        fields.number("patienceSeconds", PATIENCE, MOST_PATIENCE)?
    };
    let patience = Patience::of(patience);
    let quiet = loop {
        let waited = caller.world.quiet(patience.left()).await;
        if !caller.world.has_ended() {
            break waited;
        }
        caller = control::caller(&worlds, &headers)?;
    };
    Ok(respond::ok(&quiet))
}
