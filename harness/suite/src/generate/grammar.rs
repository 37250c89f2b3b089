//! What can go wrong with a request to any endpoint: its method, its path, its media type, its key, whether its body can
//! be read, and whether the service can answer at all. Each endpoint of the table meets each kind of mistake, in a form
//! that the seed draws.

use serde_json::json;
use tideover_exchange::step::{Action, Call, Caller, Step};
use tideover_model::{ActionKind, OperationKind};

use crate::generate::draw::Draw;
use crate::generate::names::UNKNOWN;
use crate::generate::plain::{bare, identifiers, plain};
use crate::generate::requests as make;

/// The steps for each endpoint and kind of mistake. Those of a group stand together.
pub(super) fn groups(draw: &mut Draw) -> Vec<Vec<Step>> {
    let mut steps = unreadable();
    steps.extend(media_types(draw));
    steps.extend(versions(draw));
    steps.extend(untidy_paths(draw));
    steps.extend(longer_paths());
    steps.extend(emptied_paths());
    steps.extend(misspelt_paths(draw));
    steps.extend(methods(draw));
    let mut groups: Vec<Vec<Step>> = steps.into_iter().map(|step| vec![step]).collect();
    groups.extend(unauthorized(draw));
    groups
}

/// Every endpoint while the service fails, and the same request again (§7 Retrying rule 1). A subscription may exist then,
/// and is not asked for again (§4 Idempotency summary).
pub(super) fn failing() -> Vec<Vec<Step>> {
    let fails = make::act(ActionKind::UpstreamFails, json!({ "requests": 1 }));
    let requests = |kind| match kind {
        OperationKind::Subscribe => vec![make::subscribe("https://hooks.example.com/failed", None)],
        _ => vec![plain(kind); 2],
    };
    let kinds = OperationKind::ALL.into_iter();
    kinds.map(|kind| [vec![fails.clone()], requests(kind)].concat()).collect()
}

/// Every endpoint without its version, and under another one (§9 rule 1).
fn versions(draw: &mut Draw) -> Vec<Step> {
    // None that a service without regard to case serves.
    const OTHERS: [&str; 6] = ["", "/v2", "/v0", "/v10", "/v1.0", "/api/v1"];
    let first = draw.below(OTHERS.len());
    let kinds = OperationKind::ALL.into_iter().enumerate();
    kinds
        .map(|(index, kind)| {
            let version = OTHERS[(first + index) % OTHERS.len()];
            let call = bare(kind);
            let path = call.path.replacen("/v1", version, 1);
            Step::new(Action::Call(Call { path, ..call }))
        })
        .collect()
}

/// Bodies that are no JSON, or no object, for every endpoint that takes JSON.
fn unreadable() -> Vec<Step> {
    let text = |kind: OperationKind, text: &str| {
        Step::new(Action::Call(Call::text_of(kind, identifiers(kind), text.to_owned())))
    };
    let writers = || OperationKind::ALL.into_iter().filter(|kind| !kind.fields().is_empty());
    let broken = writers().map(|kind| text(kind, "{\"legalName\":"));
    broken.chain(writers().map(|kind| text(kind, "[\"v1\"]"))).collect()
}

/// Bodies under the names that JSON has, and under one that it has not: what a service reads then is open.
fn media_types(draw: &mut Draw) -> Vec<Step> {
    const OF_JSON: [&str; 4] = [
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "Application/JSON",
        "application/json; charset=\"utf-8\"",
    ];
    const OTHERS: [&str; 6] = [
        "text/plain",
        "text/plain; charset=utf-8",
        "application/x-www-form-urlencoded",
        "application/xml",
        "application/octet-stream",
        "text/csv",
    ];
    let writers = OperationKind::ALL.into_iter().filter(|kind| !kind.fields().is_empty());
    let of = |kind, media_type: &str| {
        let mut step = plain(kind);
        if let Action::Call(call) = &mut step.action {
            call.content_type = Some(media_type.to_owned());
        }
        step
    };
    // By turns, so that two seeds send both kinds to each.
    let first = draw.below(2);
    let turns = writers.zip(first..);
    turns
        .map(|(kind, turn)| {
            let media_type = if turn % 2 == 0 { *draw.pick(&OF_JSON) } else { *draw.pick(&OTHERS) };
            of(kind, media_type)
        })
        .collect()
}

/// How many kinds of wrong keys each endpoint meets in a run: often enough that an answer of its own to each is seen.
const WRONG_KEYS: usize = 5;

/// Every endpoint without a key, and with wrong ones of several kinds, each in its turn.
fn unauthorized(draw: &mut Draw) -> Vec<Vec<Step>> {
    const WRONG: [&str; 16] = [
        // Never issued.
        "Bearer rap_sk_unknown",
        // Cut, extended.
        "Bearer ${key.cut}",
        "Bearer ${key}x",
        "Bearer x${key}",
        "Bearer ${key}${key}",
        "Bearer ${key} ${key}",
        // Under another scheme, or none.
        "Basic ${key}",
        "Token ${key}",
        "ApiKey ${key}",
        "Bearer${key}",
        "${key}",
        // As the name and as the password of Basic authentication (RFC 7617).
        "Basic ${key.asName}",
        "Basic ${key.asPassword}",
        // Nothing.
        "Bearer",
        "Bearer null",
        "",
    ];
    let first = draw.below(WRONG.len());
    let kinds = OperationKind::ALL.into_iter().enumerate();
    kinds
        .map(|(index, kind)| {
            let wrong = WRONG.iter().cycle().skip(first + index * WRONG_KEYS).take(WRONG_KEYS);
            let wrong = wrong.map(|header| Caller::Header((*header).to_owned()));
            let callers = [Caller::Nobody, Caller::Nobody].into_iter().chain(wrong);
            with_its_subject(kind, |step| callers.map(|caller| step.clone().by(&caller)).collect())
        })
        .collect()
}

/// The steps that are made of the plain request. A subscription that it deletes is there before.
fn with_its_subject(kind: OperationKind, made: impl FnOnce(Step) -> Vec<Step>) -> Vec<Step> {
    if kind != OperationKind::Unsubscribe {
        return made(plain(kind));
    }
    let subscribed = make::subscribe("https://hooks.example.com/deleted", None).named("deleted");
    let unsubscribe = make::unsubscribe("${deleted.reference}");
    let refused = made(unsubscribe.clone());
    [subscribed].into_iter().chain(refused).chain([unsubscribe]).collect()
}

/// Paths with slashes that name nothing, at each endpoint that writes nothing: a service may overlook them, and nobody
/// renames what stands behind them.
fn untidy_paths(draw: &mut Draw) -> Vec<Step> {
    const SLASHES: [fn(&str) -> String; 4] = [
        |path| format!("{path}/"),
        |path| format!("{path}//"),
        |path| format!("/{path}"),
        |path| path.replacen("/v1/", "/v1//", 1),
    ];
    let harmless =
        OperationKind::ALL.into_iter().filter(|kind| kind.reads() || *kind == OperationKind::Quote);
    let untidy = |kind| {
        let mut step = plain(kind);
        if let Action::Call(call) = &mut step.action {
            call.path = draw.pick(&SLASHES)(&call.path);
        }
        step
    };
    harmless.map(untidy).collect()
}

/// The path of each endpoint with one more segment, which names nothing.
fn longer_paths() -> Vec<Step> {
    let longer = |kind: OperationKind| {
        let call = bare(kind);
        let path = format!("{}/{UNKNOWN}", call.path);
        Step::new(Action::Call(Call { path, ..call }))
    };
    OperationKind::ALL.into_iter().map(longer).collect()
}

/// The path of each endpoint with each of its identifiers empty.
fn emptied_paths() -> Vec<Step> {
    let places = OperationKind::ALL.into_iter().flat_map(places_of_names);
    places.map(|place| with_name(place, "")).collect()
}

/// The path of each endpoint that creates nothing, with an identifier whose percent-encoding spells no text: a refusal is
/// due, and no failure.
fn misspelt_paths(draw: &mut Draw) -> Vec<Step> {
    const MISSPELT: [&str; 6] = ["%", "%2", "%zz", "a%2Gb", "%C3", "%FF%FE"];
    let is_harmless = |kind: &OperationKind| kind.reads() || *kind == OperationKind::Unsubscribe;
    let kinds = OperationKind::ALL.into_iter().filter(is_harmless);
    let places = kinds.flat_map(places_of_names);
    places.map(|place| with_name(place, draw.pick::<&str>(&MISSPELT))).collect()
}

/// An endpoint, and the number of an identifier in its path.
type PlaceOfName = (OperationKind, usize);

fn places_of_names(kind: OperationKind) -> impl Iterator<Item = PlaceOfName> {
    (0..kind.parameters().count()).map(move |number| (kind, number))
}

/// The plain request with another name in this place of its path, as it is.
fn with_name((kind, number): PlaceOfName, name: &str) -> Step {
    let mut segments = identifiers(kind).to_vec();
    segments[number] = name;
    let mut step = plain(kind);
    if let Action::Call(call) = &mut step.action {
        call.path = kind.path_with(&segments);
    }
    step
}

/// The path of each endpoint under a method that nothing is served under there.
fn methods(draw: &mut Draw) -> Vec<Step> {
    const METHODS: [&str; 5] = ["GET", "PUT", "POST", "PATCH", "DELETE"];
    let of = |kind: OperationKind| {
        let path = bare(kind).path;
        let is_served = |method: &str| {
            OperationKind::ALL.iter().any(|it| it.path() == kind.path() && it.method() == method)
        };
        let others: Vec<&str> = METHODS.into_iter().filter(|method| !is_served(method)).collect();
        let method = *draw.pick(&others);
        Step::new(Action::Call(Call::bare(method, path)))
    };
    OperationKind::ALL.into_iter().map(of).collect()
}
