//! The mock gives the same responses as the model: the same statuses, the same bytes.

use axum::body::Body;
use axum::http::{Request, header};
use proptest::prelude::*;
use tideover_model::{
    Face, Happening, OperationKind, PlatformId, Profile, Seeded, Service, exchange,
};

use crate::hostile::{Sent, block_on, sent};
use crate::support::{Answer, Caller, KEY, start, world};

fn of_the_model(service: &mut Service, sent: &Sent) -> exchange::Response {
    let request = exchange::Request {
        method: sent.kind.method(),
        path: &sent.path,
        authorization: Some(sent.authorization),
        content_type: sent.content_type,
        body: &sent.body,
    };
    exchange::answer(service, start(), &request)
}

async fn of_the_mock(caller: &Caller, sent: &Sent) -> Answer {
    let mut request = Request::builder()
        .method(sent.kind.method())
        .uri(&sent.path)
        .header(header::AUTHORIZATION, sent.authorization);
    if let Some(content_type) = sent.content_type {
        request = request.header(header::CONTENT_TYPE, content_type);
    }
    caller.send(request.body(Body::from(sent.body.clone())).unwrap()).await
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, max_shrink_time: 20_000, ..Default::default() })]

    #[test]
    fn the_mock_responds_like_the_model(requests in prop::collection::vec(sent(), 1..40)) {
        let profile = Profile { body_limit: 2000, ..Profile::default() };
        let caller = Caller::of(&world(profile.clone()));
        let mut service = Service::new(profile, Seeded { seed: 1 });
        for sent in requests {
            let expected = of_the_model(&mut service, &sent);
            let answer = block_on(of_the_mock(&caller, &sent));
            prop_assert_eq!(answer.status, expected.status);
            prop_assert_eq!(&answer.body[..], &expected.body[..]);
        }
    }
}

#[test]
fn the_comparison_sees_a_difference() {
    let caller = Caller::standard();
    let mut service = Service::new(Profile::default(), Seeded { seed: 1 });
    let fails = Happening::UpstreamFails { requests: 1 };
    service.happen(start(), PlatformId::DEFAULT, fails).unwrap();
    let sent = Sent {
        kind: OperationKind::ListSubscriptions,
        path: "/v1/webhooks".into(),
        authorization: KEY,
        content_type: None,
        body: Vec::new(),
    };
    let answer = block_on(of_the_mock(&caller, &sent));
    assert_ne!(of_the_model(&mut service, &sent).status, answer.status);
}
