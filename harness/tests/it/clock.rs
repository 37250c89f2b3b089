//! The clock of a live target, which somebody else moves while a check runs: no link lives too long by that.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tideover_endpoint::Http;
use tideover_exchange::Memory;
use tideover_exchange::evidence::finding::Verdict;
use tideover_exchange::step::{Action, Call, Step};
use tideover_exchange::target::{Target, Unanswered};
use tideover_exchange::{Arrival, Prepared, PreparedAction, Response};
use tideover_live::settings::{ApiKey, Settings};
use tideover_live::target::Live;
use tideover_sim::Mock;
use tideover_suite::play::case::{Observed, Played, Standing, play};
use tideover_suite::play::cases::World;

use crate::support::hostile;
use crate::support::live::{begin, endpoint, header, settings};

const DAY: u64 = 24 * 3600;

/// A live target whose clock somebody moves by a day before the request of a number.
struct Meddled {
    live: Live,
    other: Http,
    sent: usize,
    before: usize,
}

impl Target for Meddled {
    fn api_key(&self) -> &str {
        self.live.api_key()
    }

    fn inbox(&self) -> Option<&str> {
        self.live.inbox()
    }

    fn memory(&self) -> Memory {
        self.live.memory()
    }

    async fn send(&mut self, step: &Prepared) -> Result<Response, Unanswered> {
        self.sent += 1;
        if self.sent == self.before {
            let action = PreparedAction::Advance(DAY);
            self.other.send(&Prepared { authorization: None, action }).await.unwrap();
        }
        self.live.send(step).await
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        self.live.arrivals().await
    }
}

impl Observed for Meddled {
    fn standing(&mut self) -> Standing {
        self.live.standing()
    }
}

fn sync() -> Step {
    let path = "/v1/organizations/test-v";
    Step::new(Action::Call(Call::json("PUT", path, json!({ "legalName": "V" }))))
}

fn session() -> Step {
    let body = json!({ "externalId": "test-v" });
    Step::new(Action::Call(Call::json("POST", "/v1/onboarding-sessions", body)))
}

fn invite() -> Step {
    let body = json!({ "externalId": "test-v", "email": "ann@own.example" });
    Step::new(Action::Call(Call::json("POST", "/v1/invitations", body)))
}

fn noticed(played: &Played) -> Vec<(usize, &str, Verdict)> {
    let noticed = played.noticed.iter();
    noticed.map(|(at, found)| (*at, found.clause.name(), found.verdict)).collect()
}

async fn meddled(settings: Settings, mock: &Mock) -> Played {
    let mut begun = begin(settings, None).await;
    let (other, live) = (Http::new(mock.url(), mock.api_key()), begun.world.fresh().await);
    let other = other.unwrap();
    let mut target = Meddled { live: live.unwrap(), other, sent: 0, before: 3 };
    let steps = [sync(), session(), session(), invite(), session()];
    play(&mut target, &header(), &steps).await.unwrap()
}

#[tokio::test]
async fn an_unconfirmed_leap_is_reported_once_as_inconclusive() {
    let mock = endpoint(None).await;
    let played = meddled(Settings { operator: None, ..settings(&mock) }, &mock).await;
    assert!(played.findings.is_empty(), "{:#?}", played.findings);
    assert_eq!(noticed(&played), [(2, "8.sessionLife", Verdict::Inconclusive)]);
}

#[tokio::test]
async fn a_leap_shown_by_the_operator_port_is_followed() {
    for allow_disturbance in [false, true] {
        let mock = endpoint(None).await;
        let played = meddled(Settings { allow_disturbance, ..settings(&mock) }, &mock).await;
        assert!(played.findings.is_empty(), "{:#?}", played.findings);
        assert_eq!(noticed(&played), []);
    }
}

/// Answers a business sync, and then links with the given expiry.
fn answers(expires: &'static [(&str, &str)]) -> std::net::SocketAddr {
    let made = AtomicUsize::new(0);
    hostile::endpoint(move |number, socket| {
        let created = |body: Value, date: &str| (body.to_string(), format!("date: {date}\r\n"));
        let (body, date) = match number {
            1 => {
                let body = json!({ "externalId": "test-v", "created": true, "reason": "new" });
                created(body, "Tue, 01 Jan 2036 00:00:00 GMT")
            }
            _ => {
                let (expires_at, date) = expires[made.fetch_add(1, Ordering::SeqCst)];
                let url = format!("https://onboard.example/{number}");
                created(json!({ "url": url, "expiresAt": expires_at }), date)
            }
        };
        hostile::answer(socket, "201 Created", &date, body.as_bytes())
    })
}

const FIRST: &str = "Tue, 01 Jan 2036 00:00:00 GMT";
const BEFORE: &str = "2035-12-31T00:15:00Z";
const AT: &str = "2036-01-01T00:15:00Z";
const HALF: &str = "2036-01-01T00:30:00Z";
const LATER: &str = "2036-01-02T00:15:00Z";
const SECOND: &str = "Wed, 02 Jan 2036 00:00:00 GMT";

async fn of_sessions(expires: &'static [(&str, &str)]) -> Played {
    let (key, target) = (ApiKey::new("rap_sk_x".into()), format!("http://{}", answers(expires)));
    let mock = endpoint(None).await;
    let mut begun = begin(Settings { operator: None, key, target, ..settings(&mock) }, None).await;
    let mut live = begun.world.fresh().await.unwrap();
    let steps: Vec<Step> = [sync()].into_iter().chain(expires.iter().map(|_| session())).collect();
    play(&mut live, &header(), &steps).await.unwrap()
}

#[tokio::test]
async fn a_leap_shown_by_the_date_is_followed() {
    let leapt = of_sessions(&[(AT, FIRST), (LATER, SECOND)]).await;
    assert!(leapt.findings.is_empty() && leapt.noticed.is_empty(), "{leapt:#?}");
    let steady = of_sessions(&[(AT, FIRST), (LATER, FIRST)]).await;
    assert!(steady.findings.is_empty(), "{:#?}", steady.findings);
    assert_eq!(noticed(&steady), [(2, "8.sessionLife", Verdict::Inconclusive)]);
}

/// Of two links that contradict each other, the one is wrong that our own clock contradicts as well.
#[tokio::test]
async fn a_first_link_that_lives_too_long_is_named() {
    let played = of_sessions(&[(HALF, FIRST), (AT, FIRST)]).await;
    let [found] = &played.findings[..] else { panic!("{:#?}", played.findings) };
    // Our clock may have come to the next second meanwhile.
    let longer = ["900", "901"].map(|it| format!("{it} seconds longer, by our clock"));
    assert!(longer.iter().any(|words| found.seen.contains(words)), "{found}");
}

/// A clock goes forward alone: a response with an earlier time shows that it never leapt.
#[tokio::test]
async fn times_around_a_link_show_that_it_lives_too_long() {
    let played = of_sessions(&[(AT, FIRST), (LATER, FIRST), (AT, FIRST)]).await;
    let [found] = &played.findings[..] else { panic!("{:#?}", played.findings) };
    assert_eq!((found.clause.name(), found.verdict), ("8.sessionLife", Verdict::Violated));
    assert!(found.seen.contains("86400 seconds longer"), "{found}");
}

/// A date header may come from a proxy: it is a guess while the operator port shows no time.
#[tokio::test]
async fn an_operator_port_without_a_time_proves_no_date() {
    let expires = &[(BEFORE, FIRST), (BEFORE, FIRST)];
    let (key, target) = (ApiKey::new("rap_sk_x".into()), format!("http://{}", answers(expires)));
    let operator = hostile::endpoint(|_, socket| {
        hostile::answer(socket, "200 OK", "", br#"{"actions":[],"time":"?"}"#)
    });
    let operator = Some(format!("http://{operator}"));
    let mock = endpoint(None).await;
    let settings = Settings { operator, key, target, allow_disturbance: true, ..settings(&mock) };
    let mut begun = begin(settings, None).await;
    assert!(!begun.session.abilities().moves_clock);
    let mut live = begun.world.fresh().await.unwrap();
    let played = play(&mut live, &header(), &[sync(), session(), session()]).await.unwrap();
    assert!(played.findings.is_empty(), "{:#?}", played.findings);
}
