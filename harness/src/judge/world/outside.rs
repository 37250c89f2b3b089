//! What the operator port answers is no evidence against the service: it says what has happened outside.

use tideover_model::{Destinations, clause};
use url::Url;

use crate::endpoint::Target;
use crate::evidence::Point;
use crate::exchange::{Prepared, Seen};
use crate::judge::comparison::Comparison;
use crate::judge::hidden::do_as_the_port_says;
use crate::judge::reading::Revealed;
use crate::judge::world::{Reply, World};
use tideover_model::{Code, OperationKind, Timestamp};

impl World {
    /// How it is after an action: a success means that it happened or was so already, anything else that it did not.
    pub(super) fn after_action(
        &self,
        sent: &Prepared,
        seen: &Seen,
        now: Timestamp,
    ) -> (World, Reply) {
        if !seen.is_success() {
            return (self.clone(), Reply { predicted: seen.clone(), ..Reply::default() });
        }
        let mut after = self.clone();
        let (predicted, refusal) = after.play(sent, Revealed::by(seen), now);
        if predicted.is_success() {
            // What it names, such as a key, is bound; nothing of it is held against anybody.
            let action = &sent.action;
            let comparison = Comparison {
                action,
                kind: None,
                seen,
                predicted: &predicted,
                refusal,
                freedom: None,
            };
            comparison.points(&mut after.bindings);
            return (after, Reply { predicted, refusal, ..Reply::default() });
        }
        let mut forced = self.clone();
        let platform = self.subject(sent).platform;
        let after = if do_as_the_port_says(&mut forced, sent, platform, now) {
            forced
        } else {
            self.clone()
        };
        let point = Point {
            clause: clause!("gap.operatorPort"),
            holds: false,
            field: "status".into(),
            expected: "a refusal, as the model has it".into(),
            seen: seen.status.to_string(),
        };
        (after, Reply { predicted, refusal, points: vec![point], ..Reply::default() })
    }

    /// The same world, where the target takes a destination of the kind of the run's own inbox: whoever sends to an
    /// inbox over plain http, or on this machine, has opened that door for tests, and others like it prove nothing.
    pub(super) fn with_open_door(
        &self,
        sent: &Prepared,
        predicted: &Seen,
        seen: &Seen,
    ) -> Option<World> {
        let is_refused = predicted.code() == Some(Code::DestinationRefused.name());
        if sent.kind() != Some(OperationKind::Subscribe) || !is_refused || !seen.is_success() {
            return None;
        }
        let url = sent.call()?.body().json()?.get("url")?.as_str()?;
        let (inbox, url) = (Url::parse(self.bare.inbox()?).ok()?, Url::parse(url).ok()?);
        let is_http = inbox.scheme() == "http" && url.scheme() == "http";
        let is_local = is_loopback(&inbox) && is_loopback(&url);
        (is_http || is_local).then(|| {
            let mut opened = self.clone();
            opened.service().send_to(Destinations::Local);
            opened
        })
    }

    /// Once more as it was before a door was opened for one request.
    pub(super) fn shut_door(&mut self) {
        let inbox = self.bare.inbox().map(str::to_owned).unwrap_or_default();
        self.service().send_to(Destinations::PublicAnd(inbox));
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
