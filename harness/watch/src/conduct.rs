//! Brings what has passed to the watch of conduct, as far as a bystander can know it: where two readings are possible, the
//! one that favours the client counts.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hyper::header::{ORIGIN, RETRY_AFTER};
use serde_json::Value;
use tideover_exchange::{PreparedCall, Response};
use tideover_model::conduct::{
    Access, Answered, Arrival, AttemptSeen, Card, Duty, Ending, Exchange, Fact, Making, Moment,
    RequestId, Trait, Traits, Watch,
};
use tideover_model::signature::{self, TOLERANCE};
use tideover_model::words::{EventKind, EventType, UnlistedEvent};
use tideover_model::{Code, Delivery, OperationKind, PlatformId, SigningKey, Timestamp, bearer};
use url::Url;

use crate::copy::Copied;
use crate::entry::{Kept, header};

/// Only browsers send it.
const FETCH_SITE: &str = "sec-fetch-site";
const ELSEWHERE: [&str; 2] = ["cross-site", "same-site"];

/// The most keys, signing secrets and deliveries that are kept apart.
const MOST: usize = 4096;

/// A client of which nobody knows whose it is.
const NOBODY: PlatformId = PlatformId(u32::MAX);

/// Watches the client and its receiver.
#[derive(Default)]
pub(crate) struct Conduct {
    watch: Watch,
    /// The number of requests that have ended.
    ended: u64,
    /// How many had ended when a request came that is under way, by its number.
    under_way: BTreeMap<u64, u64>,
    /// The accepted keys, as they are shown.
    callers: BTreeMap<String, PlatformId>,
    /// The subscriptions that the client made, the newest last.
    subscriptions: VecDeque<Subscription>,
    /// How many it made.
    made: u64,
    /// The number of each delivery, by its name.
    deliveries: BTreeMap<String, u64>,
    /// How many deliveries there were.
    named: u64,
    /// The latest time in a signature that was right.
    signed_until: Option<u64>,
    /// How far requests have moved the clock of the service, as the operator port allows. Seconds.
    moved: u64,
    /// How many breaches of each duty were reported.
    reported: BTreeMap<Duty, (usize, usize)>,
}

struct Subscription {
    number: u64,
    /// The path of its URL: what stands before it may be a tunnel's.
    path: String,
    caller: PlatformId,
    keys: Vec<SigningKey>,
}

/// A breach that was not reported before.
pub(crate) struct Breach {
    pub(crate) duty: Duty,
    /// The numbers of the requests that show it, as conduct counts them.
    pub(crate) requests: Vec<u64>,
    pub(crate) deliveries: Vec<u64>,
}

impl Conduct {
    /// A request has come.
    pub(crate) fn begin(&mut self, number: u64) {
        self.under_way.insert(number, self.ended);
    }

    /// A request of the client has ended. Returns its number, in the order in which requests ended.
    pub(crate) fn take(&mut self, copied: &Copied, kept: &Kept) -> u64 {
        let number = self.ended;
        self.ended += 1;
        let sent_after = self.under_way.remove(&copied.number).unwrap_or(number);
        let veiled = &kept.veiled;
        let seen = copied.answer.as_ref().map(|answer| {
            Response::new(answer.status, veiled.answered.as_deref().unwrap_or_default())
        });
        let caller = self.caller(veiled.authorization.as_deref(), seen.as_ref());
        let content_type = header(&copied.headers, "content-type").map(str::to_owned);
        let sent = veiled.sent.as_deref().unwrap_or_default();
        let call = PreparedCall::new(&copied.method, &veiled.path, content_type, sent.to_vec());
        let is_complete = copied.body.is_whole && !copied.body.is_cut && veiled.sent.is_some();
        let operation = call.operation().filter(|_| is_complete);
        let kind = call.asked().kind;
        if let (Some(seen), true) = (&seen, kind == Some(OperationKind::Subscribe)) {
            self.subscribe(&call, seen, caller, &veiled.secrets);
        }
        let answer = match (&copied.answer, &copied.unreached) {
            (Some(answer), _) => Some(Answered {
                status: answer.status,
                code: seen.as_ref().and_then(Response::code).and_then(Code::parse),
                body: veiled.answered.as_deref().unwrap_or_default(),
            }),
            // The client got a 502, whoever it was from.
            (None, Some(_)) => Some(Answered { status: 502, code: None, body: &[] }),
            (None, None) => None,
        };
        let is_whole = copied.answer.as_ref().is_some_and(|answer| answer.body.is_whole);
        let arrival = match is_whole || copied.unreached.is_some() {
            true => Arrival::Whole,
            false => Arrival::Lost,
        };
        let key = veiled.authorization.as_deref().unwrap_or_default().as_bytes();
        let parts = [key, copied.method.as_bytes(), veiled.path.as_bytes(), sent];
        let headers = copied.answer.as_ref().map(|answer| &answer.headers);
        self.moved += moved_by(&call, &kept.raw, seen.as_ref());
        let retry_after = headers.and_then(|headers| header(headers, RETRY_AFTER.as_str()));
        // Nobody here sees what else happens at the service.
        let changes = answer.and_then(|answer| answer.code).filter(|code| code.is_of_form());
        self.watch.take(&Fact::Exchange(Exchange {
            number,
            sent_after,
            sent: self.moment(copied.since),
            ended: self.moment(copied.now),
            changes: changes.map(|_| 0),
            caller,
            kind,
            operation,
            request: is_complete.then(|| RequestId::of(&parts)),
            access: access(copied, veiled.authorization.as_deref()),
            answer,
            arrival,
            retry_after: retry_after.and_then(|seconds| seconds.parse().ok()),
            taken: None,
        }));
        number
    }

    /// An attempt of a delivery has ended. Returns the number of the delivery.
    pub(crate) fn take_attempt(&mut self, copied: &Copied, kept: &Kept) -> u64 {
        self.under_way.remove(&copied.number);
        let id = header(&copied.headers, signature::DELIVERY_HEADER);
        let id = id.map_or_else(|| format!("without a name {}", copied.number), str::to_owned);
        let number = self.delivery(&id);
        let path = copied.path.split('?').next().unwrap_or_default();
        let event = event_of(copied, &kept.raw);
        let signed = header(&copied.headers, signature::HEADER);
        let signed_at = signed.and_then(signature::signed_at);
        let signer = self.signer(signed, &kept.raw);
        let making = self.making(path, signed_at.filter(|_| signer.is_some()));
        let platform = self.platform(path);
        let delivery = Delivery {
            number,
            id,
            platform,
            // Of two subscriptions of one URL, the receiver may have the secret of one.
            subscription: signer
                .map_or_else(|| path.to_owned(), |it| format!("{path} {it}"))
                .into(),
            url: path.into(),
            event: event.unwrap_or(EventKind::Unlisted(UnlistedEvent::ALL[0])),
            queued_at: copied.since,
            body: kept.veiled.sent.clone().unwrap_or_default().into(),
        };
        let is_unknown = event.is_some_and(|event| matches!(event, EventKind::Unlisted(_)));
        let traits = Traits::default();
        let traits = if is_unknown { traits.with(Trait::UnknownEvent) } else { traits };
        let answer = copied.answer.as_ref().filter(|answer| answer.body.is_whole);
        self.watch.take(&Fact::Attempt(AttemptSeen {
            delivery: &delivery,
            making,
            signed_at: signed_at.and_then(|at| at.try_into().ok()).unwrap_or(copied.since.unix()),
            traits,
            status: answer.map(|answer| answer.status),
            // Only the receiver itself knows.
            acted: None,
            held: None,
        }));
        number
    }

    fn moment(&self, at: Timestamp) -> Moment {
        let wall = Timestamp::from_unix(0).map_or(0, |start| start.milliseconds_until(at));
        Moment { world: at.after(self.moved), wall }
    }

    /// What is seen so far.
    pub(crate) fn card(&self, ending: Ending) -> Card {
        self.watch.card(ending)
    }

    /// The breaches that were not reported before.
    pub(crate) fn breaches(&mut self) -> Vec<Breach> {
        let card = self.card(Ending::Open);
        let mut new = Vec::new();
        for row in card.broken() {
            let (requests, deliveries) = (row.requests(), row.deliveries());
            let reported = self.reported.entry(row.duty()).or_default();
            if requests.len() > reported.0 || deliveries.len() > reported.1 {
                new.push(Breach {
                    duty: row.duty(),
                    requests: requests[reported.0.min(requests.len())..].to_vec(),
                    deliveries: deliveries[reported.1.min(deliveries.len())..].to_vec(),
                });
                *reported = (requests.len(), deliveries.len());
            }
        }
        new
    }

    /// The client that a key belongs to, once it was accepted.
    fn caller(&mut self, shown: Option<&str>, seen: Option<&Response>) -> Option<PlatformId> {
        let shown = shown.filter(|shown| bearer(shown).is_some())?;
        if let Some(caller) = self.callers.get(shown) {
            return Some(*caller);
        }
        let is_accepted = seen.is_some_and(Response::is_success);
        let next = PlatformId(u32::try_from(self.callers.len()).unwrap_or(u32::MAX));
        if is_accepted && self.callers.len() < MOST {
            self.callers.insert(shown.to_owned(), next);
            return Some(next);
        }
        None
    }

    fn subscribe(
        &mut self,
        call: &PreparedCall,
        seen: &Response,
        caller: Option<PlatformId>,
        secrets: &[String],
    ) {
        let url =
            call.body().json().and_then(|body| body.get("url")?.as_str()?.parse::<Url>().ok());
        let Some(url) = url.filter(|_| seen.is_success()) else { return };
        let keys = secrets.iter().map(|secret| SigningKey::new(secret)).collect();
        let (path, caller) = (url.path().to_owned(), caller.unwrap_or(NOBODY));
        self.made += 1;
        self.subscriptions.push_back(Subscription { number: self.made, path, caller, keys });
        if self.subscriptions.len() > MOST {
            self.subscriptions.pop_front();
        }
    }

    /// Whose subscription a delivery is for, if only one can be meant.
    fn platform(&self, path: &str) -> PlatformId {
        let of_path = self.subscriptions.iter().filter(|one| one.path == path);
        let callers: BTreeSet<PlatformId> = of_path.map(|one| one.caller).collect();
        match (callers.len(), self.callers.len()) {
            (1, _) => callers.first().copied().unwrap_or(NOBODY),
            (0, 1) => self.callers.values().next().copied().unwrap_or(NOBODY),
            _ => NOBODY,
        }
    }

    /// The number of the subscription whose secret signs this, if the client made it.
    fn signer(&self, signed: Option<&str>, body: &[u8]) -> Option<u64> {
        let at = signed.and_then(signature::signed_at)?;
        let signs = |key: &SigningKey| key.verify(signed.map(str::as_bytes), body, at).is_ok();
        let signer = self.subscriptions.iter().find(|one| one.keys.iter().any(signs));
        signer.map(|one| one.number)
    }

    /// How an attempt was made that is signed at this time, if a known secret signs it. It accuses a receiver only of what
    /// it takes although the secret of its own subscription, which passed here, says otherwise.
    fn making(&mut self, path: &str, signed_at: Option<u64>) -> Making {
        let mut of_path = self.subscriptions.iter().filter(|one| one.path == path);
        if of_path.all(|one| one.keys.is_empty()) {
            return Making::Genuine;
        }
        let Some(at) = signed_at else { return Making::Forged };
        // The service's clock may be another one than ours, but it does not go back.
        let until = self.signed_until.unwrap_or(at);
        self.signed_until = Some(until.max(at));
        if at + TOLERANCE < until { Making::Old } else { Making::Genuine }
    }

    fn delivery(&mut self, id: &str) -> u64 {
        if let Some(number) = self.deliveries.get(id) {
            return *number;
        }
        if self.deliveries.len() >= MOST
            && let Some(oldest) = self.deliveries.iter().min_by_key(|(_, number)| **number)
        {
            let oldest = oldest.0.clone();
            self.deliveries.remove(&oldest);
        }
        self.named += 1;
        self.deliveries.insert(id.to_owned(), self.named);
        self.named
    }
}

/// How far a request has moved the clock of the service, if it is one to do that. Seconds.
/// Nothing of `raw`, the body as it passed, is kept but this.
fn moved_by(call: &PreparedCall, raw: &[u8], seen: Option<&Response>) -> u64 {
    let moves = call.method == "POST" && call.plain_path().ends_with("/_sim/clock");
    let is_done = seen.is_some_and(Response::is_success);
    if !(moves && is_done) {
        return 0;
    }
    let body = serde_json::from_slice::<Value>(raw).ok();
    body.and_then(|body| body.get("advanceSeconds")?.as_u64()).unwrap_or(0)
}

fn access(copied: &Copied, authorization: Option<&str>) -> Access {
    let site = header(&copied.headers, FETCH_SITE);
    let is_elsewhere = site.is_some_and(|site| ELSEWHERE.contains(&site));
    match authorization.map(bearer) {
        Some(Some(_)) if is_elsewhere && copied.headers.contains_key(ORIGIN) => Access::Browser,
        Some(Some(_)) => Access::Key,
        Some(None) | None => Access::None,
    }
}

/// The kind of an event; `None` if nothing in its body and headers looks like one. The document does not show where it
/// stands.
fn event_of(copied: &Copied, raw: &[u8]) -> Option<EventKind> {
    let body = serde_json::from_slice::<Value>(raw).unwrap_or_default();
    let fields = body.as_object().into_iter().flat_map(|body| body.values());
    let headers = copied.headers.values().filter_map(|value| value.to_str().ok());
    let texts: Vec<&str> = fields.filter_map(Value::as_str).chain(headers).collect();
    let listed = texts.iter().find_map(|text| EventType::parse(text)).map(EventKind::Listed);
    let is_event = |text: &&&str| {
        text.starts_with("partner.")
            && text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'.')
    };
    let unlisted =
        || texts.iter().find(is_event).map(|_| EventKind::Unlisted(UnlistedEvent::ALL[0]));
    listed.or_else(unlisted)
}
