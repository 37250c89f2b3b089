//! Each rule accuses a wrong caller, and lets a right one do what it may.

use std::sync::Arc;

use super::*;
use crate::delivery::Delivery;
use crate::identity::PlatformId;
use crate::refusal::Code;
use crate::timestamp::Timestamp;
use crate::wire::event::{Event, EventData};
use crate::wire::route::route;
use crate::words::{AdvanceState, EventType};

const CALLER: PlatformId = PlatformId(0);

/// A story, fact by fact.
#[derive(Default)]
struct Story {
    watch: Watch,
    number: u64,
    /// Milliseconds since the start, by both clocks.
    now: u64,
    changes: u64,
}

/// What a request got.
#[derive(Clone, Copy)]
enum Got<'a> {
    Success(u16, &'a str),
    Refusal(u16, Code),
    Failure,
    Throttled(u32),
    /// Nothing, though the service has carried it out.
    Nothing(&'a str),
    /// Nothing: the request was lost.
    Lost,
    /// An answer after so many milliseconds.
    Late(u64),
}

fn start() -> Timestamp {
    Timestamp::parse("2026-01-01T00:00:00Z").unwrap()
}

impl Story {
    fn moment(&self) -> Moment {
        Moment { world: start().after_milliseconds(self.now), wall: self.now }
    }

    /// A request that was sent when so many had ended, without a wait.
    fn sent_after(&mut self, sent_after: u64, method: &str, path: &str, body: &str, got: Got<'_>) {
        let route = route(method, path).unwrap();
        let content_type = if path.contains("imports") { "text/csv" } else { "application/json" };
        let operation = route.decode(Some(content_type), body.as_bytes()).ok();
        let sent = self.moment();
        let mut ended = sent;
        let (answer, arrival, retry_after) = match got {
            Got::Success(status, body) => (Some((status, None, body)), Arrival::Whole, None),
            Got::Refusal(status, code) => (Some((status, Some(code), "")), Arrival::Whole, None),
            Got::Failure => (Some((502, Some(Code::UpstreamFailed), "")), Arrival::Whole, None),
            Got::Throttled(seconds) => (Some((429, None, "")), Arrival::Whole, Some(seconds)),
            Got::Nothing(body) => (Some((200, None, body)), Arrival::Lost, None),
            Got::Lost => (None, Arrival::Lost, None),
            Got::Late(milliseconds) => {
                ended.wall += milliseconds;
                (Some((200, None, "")), Arrival::Late, None)
            }
        };
        let answer =
            answer.map(|(status, code, body)| Answered { status, code, body: body.as_bytes() });
        self.watch.take(&Fact::Exchange(Exchange {
            number: self.number,
            sent_after,
            sent,
            ended,
            changes: Some(self.changes),
            caller: Some(CALLER),
            kind: Some(route.kind),
            operation: operation.as_ref(),
            request: Some(RequestId::of(&[method.as_bytes(), path.as_bytes(), body.as_bytes()])),
            access: Access::Key,
            answer,
            arrival,
            retry_after,
            taken: None,
        }));
        self.number += 1;
        if matches!(got, Got::Success(..)) && !route.kind.reads() {
            self.changes += 1;
        }
    }

    /// The same, after all that came before, and with a wait.
    fn asks(&mut self, method: &str, path: &str, body: &str, got: Got<'_>) -> &mut Story {
        self.sent_after(self.number, method, path, body, got);
        self
    }

    fn waits(&mut self, milliseconds: u64) -> &mut Story {
        self.now += milliseconds;
        self
    }

    fn changes(&mut self) -> &mut Story {
        self.changes += 1;
        self
    }

    fn attempt(&mut self, attempt: AttemptSeen<'_>) -> &mut Story {
        self.watch.take(&Fact::Attempt(attempt));
        self
    }

    fn state(&self, duty: Duty, ending: Ending) -> State {
        let card = self.watch.card(ending);
        let row = card.rows().iter().find(|row| row.duty() == duty).unwrap();
        row.state()
    }

    /// What is seen of a duty while the caller goes on, and once it is done.
    fn states(&self, duty: Duty) -> (State, State) {
        (self.state(duty, Ending::Open), self.state(duty, Ending::Final))
    }
}

use State::{Broken, Met, NotSeen};

fn story(steps: impl FnOnce(&mut Story)) -> Story {
    let mut story = Story::default();
    steps(&mut story);
    story
}

const HOOK: &str = r#"{"url":"https://acme.example/hooks"}"#;

fn subscribes(story: &mut Story, got: Got<'_>) {
    story.asks("POST", "/v1/webhooks", HOOK, got);
}

#[test]
fn nothing_is_met_by_default() {
    let card = Watch::default().card(Ending::Final);
    assert_eq!(card.counts(), Counts { met: 0, broken: 0, not_seen: Duty::ALL.len() });
    assert_eq!(card.broken().next(), None);
}

#[test]
fn a_subscription_in_doubt_is_looked_up() {
    let duty = Duty::LooksBeforeResubscribing;
    for lost in [Got::Nothing("{}"), Got::Lost] {
        let blind = story(|it| {
            subscribes(it, lost);
            subscribes(it.waits(60_000), Got::Refusal(409, Code::AlreadySubscribed));
        });
        assert_eq!(blind.states(duty), (Broken, Broken));
        let row = blind.watch.card(Ending::Open);
        let row = row.broken().next().unwrap().clone();
        assert_eq!((row.duty(), row.requests()), (duty, &[0, 1][..]));
        let looks = story(|it| {
            subscribes(it, lost);
            it.asks("GET", "/v1/webhooks", "", Got::Success(200, "[]"));
            subscribes(it, Got::Success(201, "{}"));
        });
        assert_eq!(looks.states(duty), (Met, Met));
    }
    // Two processes that subscribe at once know nothing of each other.
    let at_once = story(|it| {
        subscribes(it, Got::Lost);
        it.sent_after(0, "POST", "/v1/webhooks", HOOK, Got::Refusal(409, Code::AlreadySubscribed));
    });
    assert_eq!(at_once.states(duty), (NotSeen, NotSeen));
    // §7 Retrying rule 1 permits it.
    let failed = story(|it| {
        subscribes(it, Got::Failure);
        subscribes(it.waits(1000), Got::Success(201, "{}"));
    });
    assert_eq!(failed.states(duty), (NotSeen, NotSeen));
}

#[test]
fn a_late_answer_is_in_doubt_until_it_comes() {
    let duty = Duty::LooksBeforeResubscribing;
    for (wait, expected) in [(4000, Broken), (6000, NotSeen)] {
        let late = story(|it| {
            subscribes(it, Got::Late(5000));
            subscribes(it.waits(wait), Got::Refusal(409, Code::AlreadySubscribed));
        });
        assert_eq!(late.state(duty, Ending::Final), expected, "{wait}");
    }
}

#[test]
fn a_lost_secret_is_recovered() {
    let duty = Duty::RecoversSecret;
    let lost = |then: fn(&mut Story)| {
        story(|it| {
            subscribes(it, Got::Nothing(""));
            then(it);
        })
        .states(duty)
    };
    assert_eq!(lost(|_| {}), (NotSeen, Broken));
    assert_eq!(
        lost(|it| subscribes(it, Got::Refusal(409, Code::AlreadySubscribed))),
        (NotSeen, Broken)
    );
    let gives_up = |it: &mut Story| {
        it.asks("DELETE", "/v1/webhooks/sub_1", "", Got::Success(204, ""));
    };
    assert_eq!(lost(gives_up), (NotSeen, NotSeen));
    let recovers = |it: &mut Story| {
        it.asks("DELETE", "/v1/webhooks/sub_1", "", Got::Success(204, ""));
        subscribes(it, Got::Success(201, "{}"));
    };
    assert_eq!(lost(recovers), (Met, Met));
    // The caller may have stored the secret before the watch began.
    let known = story(|it| subscribes(it, Got::Refusal(409, Code::AlreadySubscribed)));
    assert_eq!(known.states(duty), (NotSeen, NotSeen));
    // A 502, and then the subscription is there: nobody has its secret.
    let failed = story(|it| {
        subscribes(it, Got::Failure);
        subscribes(it.waits(1000), Got::Refusal(409, Code::AlreadySubscribed));
    });
    assert_eq!(failed.states(duty), (NotSeen, Broken));
}

const ACME: (&str, &str) = ("/v1/organizations/acme", r#"{"legalName":"Acme LLC"}"#);

#[test]
fn a_502_is_repeated_after_a_wait() {
    let repeated = |method: &str, waits: &[u64]| {
        let body = if method == "GET" { "" } else { ACME.1 };
        story(|it| {
            for wait in waits {
                it.asks(method, ACME.0, body, Got::Failure).waits(*wait);
            }
            it.asks(method, ACME.0, body, Got::Success(200, "{}"));
        })
        .state(Duty::BacksOff, Ending::Open)
    };
    assert_eq!(repeated("PUT", &[3]), Broken);
    assert_eq!(repeated("PUT", &[20]), Met);
    assert_eq!(repeated("PUT", &[]), NotSeen);
    // Two parts of a client may read the same thing at once; three hardly.
    assert_eq!(repeated("GET", &[3]), NotSeen);
    assert_eq!(repeated("GET", &[3, 3]), Broken);
    assert_eq!(repeated("GET", &[500, 1000]), Met);
    let at_once = story(|it| {
        it.asks("PUT", ACME.0, ACME.1, Got::Failure);
        it.sent_after(0, "PUT", ACME.0, ACME.1, Got::Success(200, "{}"));
    });
    assert_eq!(at_once.state(Duty::BacksOff, Ending::Open), NotSeen);
}

#[test]
fn either_clock_can_show_a_wait() {
    let mut story = Story::default();
    story.asks("PUT", ACME.0, ACME.1, Got::Failure);
    let moment = story.moment();
    for later in [
        Moment { wall: moment.wall + 20, ..moment },
        Moment { world: moment.world.after(1), ..moment },
    ] {
        assert!(moment.until(later) >= 20);
    }
    let back = Moment { world: start(), wall: 0 };
    assert_eq!(Moment { wall: 5, ..back }.until(back), 0);
}

const ADVANCE: &str = r#"{"payeeExternalId":"acme","invoiceExternalId":"INV-1"}"#;

#[test]
fn a_refused_write_is_not_repeated_unchanged() {
    let duty = Duty::ChangesRefusedRequest;
    let refused = Got::Refusal(409, Code::BusinessNotEligible);
    let twice = |between: fn(&mut Story), got: Got<'_>| {
        story(|it| {
            it.asks("POST", "/v1/advances", ADVANCE, refused);
            between(it);
            it.asks("POST", "/v1/advances", ADVANCE, got);
        })
        .state(duty, Ending::Final)
    };
    assert_eq!(
        twice(
            |it| {
                it.waits(1000);
            },
            refused
        ),
        Broken
    );
    // The state has changed, or may be expected to have.
    assert_eq!(
        twice(
            |it| {
                it.changes();
            },
            refused
        ),
        Met
    );
    assert_eq!(
        twice(
            |it| {
                it.waits(60_000);
            },
            refused
        ),
        Met
    );
    assert_eq!(
        twice(
            |it| {
                it.waits(1000);
            },
            Got::Success(201, "{}")
        ),
        Met
    );
    assert_eq!(
        twice(|_| {}, Got::Refusal(409, Code::InvoiceNotFinanceable)),
        Met,
        "the answer is another one"
    );
    let changed = story(|it| {
        it.asks("PUT", ACME.0, r#"{"legalName":""}"#, Got::Refusal(400, Code::InvalidRequest));
        it.asks("PUT", ACME.0, ACME.1, Got::Success(200, "{}"));
    });
    assert_eq!(changed.state(duty, Ending::Final), NotSeen, "the first was not understood");
}

#[test]
fn a_refused_read_and_an_overlapping_write_are_no_repeats() {
    let duty = Duty::ChangesRefusedRequest;
    let refused = Got::Refusal(409, Code::BusinessNotEligible);
    let reads = story(|it| {
        for _ in 0..3 {
            it.asks("GET", ACME.0, "", Got::Refusal(404, Code::BusinessNotFound));
        }
    });
    assert_eq!(reads.state(duty, Ending::Final), NotSeen);
    let at_once = story(|it| {
        it.asks("POST", "/v1/advances", ADVANCE, refused);
        it.sent_after(0, "POST", "/v1/advances", ADVANCE, refused);
    });
    assert_eq!(at_once.state(duty, Ending::Final), NotSeen);
}

/// Several instances start, a page is loaded again, a retry fails as well: nobody has done anything wrong.
#[test]
fn lawful_repeats_break_nothing() {
    let refused = Duty::ChangesRefusedRequest;
    let starts = story(|it| {
        subscribes(it, Got::Success(201, "{}"));
        for _ in 0..2 {
            subscribes(it, Got::Refusal(409, Code::AlreadySubscribed));
        }
    });
    assert_eq!(starts.state(refused, Ending::Final), NotSeen);
    let loads = story(|it| {
        for _ in 0..2 {
            let session = r#"{"externalId":"acme"}"#;
            let unknown = Got::Refusal(404, Code::BusinessNotFound);
            it.asks("POST", "/v1/onboarding-sessions", session, unknown);
        }
    });
    assert_eq!(loads.state(refused, Ending::Final), NotSeen);
    let gives_up = story(|it| {
        it.asks("PUT", ACME.0, ACME.1, Got::Failure).waits(1000);
        it.asks("PUT", ACME.0, ACME.1, Got::Failure);
    });
    assert_eq!(gives_up.state(Duty::FollowsUp, Ending::Final), Met);
    let reads = |times| {
        story(|it| {
            it.asks("GET", ACME.0, "", Got::Throttled(30));
            for _ in 0..times {
                it.waits(500).asks("GET", ACME.0, "", Got::Throttled(30));
            }
        })
    };
    assert_eq!(reads(1).state(Duty::WaitsWhenThrottled, Ending::Final), NotSeen);
    assert_eq!(reads(2).state(Duty::WaitsWhenThrottled, Ending::Final), Broken);
}

#[test]
fn a_throttled_caller_waits_as_long_as_it_is_asked_to() {
    let again = |wait| {
        story(|it| {
            it.asks("POST", "/v1/advances", ADVANCE, Got::Throttled(30)).waits(wait);
            it.asks("POST", "/v1/advances", ADVANCE, Got::Success(201, "{}"));
        })
        .state(Duty::WaitsWhenThrottled, Ending::Open)
    };
    assert_eq!([again(0), again(20_000), again(29_990), again(40_000)], [Broken, Broken, Met, Met]);
}

#[test]
fn an_unknown_outcome_is_followed_up() {
    let duty = Duty::FollowsUp;
    let unknown = |got: Got<'_>, then: fn(&mut Story)| {
        story(|it| {
            it.asks("POST", "/v1/advances", ADVANCE, got).waits(1000);
            then(it);
        })
        .states(duty)
    };
    for got in [Got::Nothing("{}"), Got::Lost, Got::Failure] {
        assert_eq!(unknown(got, |_| {}), (NotSeen, Broken));
        let other = |it: &mut Story| {
            it.asks("GET", "/v1/organizations/acme/invoices/INV-2", "", Got::Success(200, "{}"));
        };
        assert_eq!(unknown(got, other), (NotSeen, Broken));
        let reads = |it: &mut Story| {
            it.asks("GET", "/v1/organizations/acme/invoices/INV-1", "", Got::Success(200, "{}"));
        };
        assert_eq!(unknown(got, reads), (Met, Met));
        let repeats = |it: &mut Story| {
            it.asks("POST", "/v1/advances", ADVANCE, Got::Success(200, "{}"));
        };
        assert_eq!(unknown(got, repeats), (Met, Met));
        let hears = |it: &mut Story| {
            let announced = delivery(1, EventType::AdvanceCreated, None);
            it.attempt(accepted(&announced));
        };
        assert_eq!(unknown(got, hears), (NotSeen, NotSeen));
    }
    assert_eq!(unknown(Got::Late(5000), |_| {}), (NotSeen, NotSeen));
}

#[test]
fn an_import_is_resumed_with_the_same_file() {
    const COLUMNS: &str =
        "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n";
    let upload = |it: &mut Story, got: Got<'_>| {
        it.asks("PUT", "/v1/invoices/imports/jan", COLUMNS, got);
    };
    let unfinished = Got::Success(200, r#"{"finished":false,"rows":[]}"#);
    let finished = Got::Success(200, r#"{"finished":true,"rows":[]}"#);
    let left = story(|it| upload(it, unfinished));
    assert_eq!(left.states(Duty::ResumesImport), (NotSeen, Broken));
    let resumed = story(|it| {
        upload(it, unfinished);
        upload(it, finished);
    });
    assert_eq!(resumed.states(Duty::ResumesImport), (Met, Met));
    assert_eq!(resumed.states(Duty::KeepsFile), (Met, Met));
    let another = story(|it| {
        upload(it, finished);
        upload(it, Got::Refusal(409, Code::AlreadyImported));
    });
    assert_eq!(another.states(Duty::KeepsFile), (Broken, Broken));
}

fn sync(face_value: u64) -> String {
    format!(
        r#"{{"payee":{{"externalId":"acme","legalName":"Acme"}},"payor":{{"externalId":"p","legalName":"P"}},
            "status":"ISSUED","faceValue":{face_value},"issueDate":"2026-01-01T00:00:00Z","dueDate":"2026-02-01T00:00:00Z"}}"#
    )
}

#[test]
fn an_advance_fixes_amount_and_dates() {
    let after = |face_value: u64, knows: bool| {
        story(|it| {
            let path = "/v1/invoices/INV-1";
            it.asks("PUT", path, &sync(100), Got::Success(200, r#"{"outcome":"created"}"#));
            let got = if knows { Got::Success(201, "{}") } else { Got::Nothing("{}") };
            it.asks("POST", "/v1/advances", ADVANCE, got);
            let status_only = Got::Success(200, r#"{"outcome":"statusOnly"}"#);
            it.asks("PUT", path, &sync(face_value), status_only);
        })
        .state(Duty::KeepsTerms, Ending::Final)
    };
    assert_eq!(after(100, true), Met);
    assert_eq!(after(200, true), Broken);
    assert_eq!(after(200, false), NotSeen, "the caller does not know of the advance");
}

fn delivery(number: u64, event: EventType, sequence: Option<AdvanceState>) -> Delivery {
    let (payee_external_id, invoice_external_id) = ("acme", "INV-1");
    let data = match sequence {
        Some(state) => EventData::Financing { payee_external_id, invoice_external_id, state },
        None => EventData::Invoice { payee_external_id, invoice_external_id },
    };
    let body = Event::new(&format!("evt_{number}"), event, start(), data).body();
    Delivery {
        number,
        id: format!("dlv_{number}"),
        platform: CALLER,
        subscription: Arc::from("sub_1"),
        url: Arc::from("https://acme.example/hooks"),
        event: event.into(),
        queued_at: start(),
        body: body.to_vec().into(),
    }
}

fn accepted(delivery: &Delivery) -> AttemptSeen<'_> {
    AttemptSeen {
        delivery,
        making: Making::Genuine,
        signed_at: start().unix(),
        traits: Traits::default(),
        status: Some(200),
        acted: None,
        held: None,
    }
}

#[test]
fn a_receiver_verifies() {
    let plain = delivery(1, EventType::InvoiceCreated, None);
    let forged = delivery(2, EventType::InvoicePaid, None);
    let of = |status, accepts: bool| {
        story(|it| {
            let status = Some(status);
            it.attempt(AttemptSeen { making: Making::Forged, status, ..accepted(&forged) });
            if accepts {
                it.attempt(accepted(&plain));
            }
        })
        .state(Duty::Verifies, Ending::Final)
    };
    assert_eq!([of(200, true), of(202, false), of(410, true)], [Broken; 3]);
    assert_eq!(of(401, true), Met);
    assert_eq!(of(401, false), NotSeen, "it may reject everything");
}

#[test]
fn a_receiver_checks_the_age_by_some_clock() {
    let plain = delivery(1, EventType::InvoiceCreated, None);
    let old = delivery(2, EventType::InvoicePaid, None);
    let of = |plain_at: i64, status| {
        story(|it| {
            let now = start().unix();
            it.attempt(AttemptSeen { signed_at: now + plain_at, ..accepted(&plain) });
            let (making, status) = (Making::Old, Some(status));
            it.attempt(AttemptSeen { making, status, signed_at: now - 3600, ..accepted(&old) });
        })
        .state(Duty::ChecksAge, Ending::Final)
    };
    assert_eq!(of(0, 200), Broken);
    assert_eq!(of(0, 401), Met);
    // The world's clock was moved by an hour, and the receiver's was not: both are fresh to it.
    assert_eq!(of(-3600, 200), NotSeen);
}

#[test]
fn a_receiver_accepts_what_it_does_not_know() {
    let plain = delivery(1, EventType::InvoiceCreated, None);
    let special = delivery(2, EventType::InvoiceCreated, None);
    let traits = Traits::default().with(Trait::UnknownField);
    let with = |status| AttemptSeen { traits, status: Some(status), ..accepted(&special) };
    let of = |statuses: &[u16], after: bool| {
        story(|it| {
            it.attempt(accepted(&plain));
            for status in statuses {
                it.attempt(with(*status));
            }
            if after {
                it.attempt(accepted(&plain));
            }
        })
        .state(Duty::AcceptsUnknownFields, Ending::Final)
    };
    assert_eq!(of(&[200], false), Met);
    assert_eq!(of(&[400], false), Broken);
    assert_eq!(of(&[400, 200], true), Met, "it took it in the end");
    assert_eq!(of(&[503, 503], true), NotSeen, "it was down");
    // Trouble, or a lost secret, until it accepts another one and this one never.
    assert_eq!([of(&[401], false), of(&[500, 500], false), of(&[500], true)], [NotSeen; 3]);
    assert_eq!([of(&[401], true), of(&[500, 500], true)], [Broken; 2]);
    let never = story(|it| {
        it.attempt(with(400));
    });
    assert_eq!(never.state(Duty::AcceptsUnknownFields, Ending::Final), NotSeen, "it takes nothing");
    let both = Traits::default().with(Trait::UnknownField).with(Trait::Respaced);
    let two = story(|it| {
        it.attempt(accepted(&plain));
        it.attempt(AttemptSeen { traits: both, status: Some(400), ..accepted(&special) });
    });
    assert_eq!(two.state(Duty::AcceptsUnknownFields, Ending::Final), NotSeen, "either may be why");
    let ignored = story(|it| {
        it.attempt(AttemptSeen { acted: Some(false), ..with(200) });
    });
    assert_eq!(ignored.state(Duty::AcceptsUnknownFields, Ending::Final), Broken);
}

#[test]
fn a_receiver_verifies_the_bytes_that_came() {
    let plain = delivery(1, EventType::InvoiceCreated, None);
    let other = delivery(2, EventType::InvoicePaid, None);
    let special = delivery(3, EventType::InvoicePaid, None);
    let of = |special_trait: Trait, statuses: [u16; 2], between: &Delivery| {
        story(|it| {
            let traits = Traits::default().with(special_trait);
            let with = |status| AttemptSeen { traits, status: Some(status), ..accepted(&special) };
            it.attempt(with(statuses[0]));
            it.attempt(accepted(between));
            it.attempt(with(statuses[1]));
        })
        .state(Duty::VerifiesRawBody, Ending::Final)
    };
    assert_eq!(of(Trait::Respaced, [200, 200], &plain), Met);
    assert_eq!(
        of(Trait::Reordered, [200, 200], &plain),
        NotSeen,
        "a body written anew keeps the order"
    );
    // It has the secret, since it accepts another delivery between them, whatever it is about.
    assert_eq!(
        [of(Trait::Respaced, [401, 401], &plain), of(Trait::Reordered, [401, 401], &plain)],
        [Broken; 2]
    );
    assert_eq!(of(Trait::Respaced, [401, 401], &other), Broken);
    assert_eq!(of(Trait::Respaced, [401, 200], &plain), Met, "it took it in the end");
    assert_eq!(
        of(Trait::Respaced, [500, 500], &plain),
        NotSeen,
        "it may have trouble with this event"
    );
}

#[test]
fn repeats_and_stale_events_are_dropped() {
    let first = delivery(1, EventType::FactoredUpdated, Some(AdvanceState::Funded));
    let stale = delivery(2, EventType::FactoredUpdated, Some(AdvanceState::Funding));
    let again = |acted, status| {
        story(|it| {
            it.attempt(accepted(&first));
            it.attempt(AttemptSeen { acted, status: Some(status), ..accepted(&first) });
        })
    };
    let of = |acted| again(acted, 200).state(Duty::Deduplicates, Ending::Final);
    assert_eq!([of(None), of(Some(false)), of(Some(true))], [NotSeen, Met, Broken]);
    let refused = again(None, 409).state(Duty::AcceptsDeliveries, Ending::Final);
    assert_eq!(refused, Broken, "a repeat is accepted and dropped");
    let of = |held| {
        story(|it| {
            it.attempt(accepted(&first));
            it.attempt(AttemptSeen { held, ..accepted(&stale) });
        })
    };
    let (kept, taken) = (Held { before: 3, after: 3 }, Held { before: 3, after: 2 });
    let states = [None, Some(kept), Some(taken)]
        .map(|held| of(held).state(Duty::KeepsSequence, Ending::Final));
    assert_eq!(states, [NotSeen, Met, Broken]);
    let newest = of(Some(taken)).state(Duty::KeepsNewestState, Ending::Final);
    assert_eq!(newest, NotSeen, "that is a matter of the sequence");
    let read = story(|it| it.watch.take(&Fact::Read(taken)));
    assert_eq!(read.state(Duty::KeepsNewestState, Ending::Final), Broken);
}

#[test]
fn what_was_given_up_is_read() {
    let duty = Duty::ReadsAfterGap;
    let missed = delivery(1, EventType::InvoicePaid, None);
    let of = |then: fn(&mut Story)| {
        story(|it| {
            it.watch.take(&Fact::GivenUp(&missed));
            then(it.waits(1000));
        })
        .states(duty)
    };
    assert_eq!(of(|_| {}), (NotSeen, Broken));
    let reads = |it: &mut Story| {
        it.asks("GET", "/v1/organizations/acme/invoices/INV-1", "", Got::Success(200, "{}"));
    };
    assert_eq!(of(reads), (Met, Met));
    let own = delivery(1, EventType::InvoiceCreated, None);
    let known = story(|it| it.watch.take(&Fact::GivenUp(&own)));
    assert_eq!(known.states(duty), (NotSeen, NotSeen), "its own sync showed it");
}

#[test]
fn a_receiver_answers_in_place() {
    let plain = delivery(1, EventType::InvoiceCreated, None);
    let of = |status| {
        story(|it| {
            it.attempt(AttemptSeen { status: Some(status), ..accepted(&plain) });
        })
        .state(Duty::AnswersInPlace, Ending::Final)
    };
    assert_eq!([of(200), of(308), of(503)], [Met, Broken, NotSeen]);
    assert_eq!([301, 302, 303, 307].map(of), [Broken; 4]);
    assert_eq!(of(304), NotSeen, "it sends nobody anywhere");
}

#[test]
fn a_row_reads_as_a_sentence() {
    let blind = story(|it| {
        subscribes(it, Got::Lost);
        subscribes(it, Got::Success(201, "{}"));
    });
    let card = blind.watch.card(Ending::Open);
    assert_eq!(
        card.broken().map(ToString::to_string).collect::<Vec<_>>(),
        ["looks-before-resubscribing (7.retrying.3.2, §7 Retrying rule 3): After a subscription \
             request without an answer, the caller reads the list before it subscribes again. See \
             requests 0, 1."]
    );
    assert_eq!(
        card.counts().to_string(),
        format!("1 met, 1 broken, {} not seen", Duty::ALL.len() - 2)
    );
}

/// A watch takes bounded memory, whatever it sees.
#[test]
fn a_long_watch_forgets() {
    let mut story = Story::default();
    for number in 0..6000 {
        let path = format!("/v1/organizations/{number}");
        story.asks("PUT", &path, ACME.1, Got::Failure);
    }
    let card = story.watch.card(Ending::Final);
    let row = card.broken().next().unwrap();
    assert_eq!(row.duty(), Duty::FollowsUp);
    assert!(row.requests().len() <= 20);
}
