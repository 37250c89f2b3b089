//! What is done after a run against a live endpoint that makes it hard.

use std::sync::{Arc, Mutex};

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::routing::{delete, get};
use axum::{Json, Router};
use serde_json::json;
use tideover_endpoint::client::Client;
use tideover_exchange::target::Target;
use tideover_exchange::transcript::Header;
use tideover_exchange::{Prepared, start};
use tideover_live::session::Session;
use tideover_live::settings::{ApiKey, Settings, Webhooks};
use tideover_model::Profile;
use tideover_suite::play::cases::Testbed;

use crate::support::app::serve;
use crate::support::live::{begin, endpoint, prepared, settings};

/// What comes after that says nothing of the service.
#[tokio::test]
async fn a_revoked_key_ends_the_run() {
    let answers = |statuses: &'static [u16]| {
        let asked = Arc::new(Mutex::new(statuses.iter()));
        async move || {
            let status = *asked.lock().unwrap().next().unwrap();
            let refusal = json!({ "error": "No.", "code": "unauthorized" });
            (StatusCode::from_u16(status).unwrap(), Json(refusal))
        }
    };
    for (statuses, is_over) in [(&[200, 401, 401][..], true), (&[200, 401, 200][..], false)] {
        let target = serve(Router::new().fallback(answers(statuses))).await;
        let mock = endpoint(None).await;
        let settings = Settings { target, operator: None, ..settings(&mock) };
        let mut begun = begin(settings, None).await;
        let mut target = begun.world.fresh().await.unwrap();
        let authorization = Some(format!("Bearer {}", mock.api_key()));
        let quote = json!({ "externalId": "test-v", "invoiceFaceValue": 5 });
        let quote = Prepared { authorization, ..prepared("POST", "/v1/quotes", &quote) };
        let answered = target.send(&quote).await;
        assert_eq!(answered.is_err_and(|unanswered| unanswered.is_last), is_over);
        assert_eq!(begun.session.ended().is_some(), is_over);
    }
}

#[tokio::test]
async fn a_refused_second_key_fails_before_any_play() {
    let mock = endpoint(None).await;
    let second_key = Some(ApiKey::new("rap_sk_unknown".to_owned()));
    let settings = Settings { second_key, ..settings(&mock) };
    let client = Client::new(mock.url(), settings.timeout, None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal.jsonl");
    let header = Header::new(1, start(), Profile::default());
    let operator = Some(client.clone());
    let mut session = Session::new(settings, client, operator, None, &journal, &header).unwrap();
    let refused = session.greet().await.unwrap_err();
    assert!(refused.is_last && refused.why.contains("refuses the key rap_sk_…"), "{refused}");
}

/// The list shows a page of others, and the target is busy.
#[tokio::test]
async fn an_unlisted_subscription_is_deleted_after_a_wait() {
    let deleted = Arc::new(Mutex::new(Vec::<String>::new()));
    let asked = Arc::clone(&deleted);
    let delete_one = async move |Path(reference): Path<String>| {
        let mut asked = asked.lock().unwrap();
        asked.push(reference);
        let busy = asked.len() == 1;
        let status = if busy { StatusCode::TOO_MANY_REQUESTS } else { StatusCode::NO_CONTENT };
        (status, [(RETRY_AFTER, "0")])
    };
    let list = async || Json(json!([{ "reference": "whs_9", "url": "https://a.example/" }]));
    let body = json!({ "reference": "whs_1", "secret": "whsec_0123456789abcdef" });
    let subscribe = async move || (StatusCode::CREATED, Json(body));
    let app = Router::new()
        .route("/v1/webhooks", get(list).post(subscribe))
        .route("/v1/webhooks/{reference}", delete(delete_one));
    let target = serve(app).await;
    let mock = endpoint(None).await;
    let webhooks =
        Webhooks { listen: "127.0.0.1:0".parse().unwrap(), url: "http://127.0.0.1:9".to_owned() };
    let settings = Settings { webhooks: Some(webhooks), target, operator: None, ..settings(&mock) };
    let mut begun = begin(settings, None).await;
    let mut target = begun.world.fresh().await.unwrap();
    let body = json!({ "url": format!("{}/accepts", target.inbox().unwrap()) });
    let authorization = Some(format!("Bearer {}", mock.api_key()));
    let subscribe = Prepared { authorization, ..prepared("POST", "/v1/webhooks", &body) };
    assert_eq!(target.send(&subscribe).await.unwrap().status, 201);
    assert_eq!(begun.session.clean_up().await, Vec::<String>::new());
    assert_eq!(*deleted.lock().unwrap(), ["whs_1", "whs_1"]);
}
