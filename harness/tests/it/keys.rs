//! Several keys of one platform speak for the same platform.

use serde_json::json;
use tideover_exchange::start;
use tideover_exchange::step::{Action, Call, Caller, Step};
use tideover_exchange::target::ModelTarget;
use tideover_exchange::transcript::{Header, Transcript};
use tideover_model::Profile;
use tideover_suite::play::case::play;

fn act(action: serde_json::Value) -> Step {
    Step::new(Action::Act(action.as_object().unwrap().clone()))
}

fn call(call: Call) -> Step {
    Step::new(Action::Call(call))
}

async fn assert_held(steps: &[Step]) {
    let header = Header::new(1, start(), Profile::default());
    let mut target = ModelTarget::new(header.profile.clone(), header.seed, header.start);
    let played = play(&mut target, &header, steps).await.unwrap();
    assert!(played.held(), "{:#?}", played.findings);
    assert_eq!(played.answers.len(), steps.len());
}

/// `4.import.1`
#[tokio::test]
async fn an_import_resumed_with_another_key_is_no_violation() {
    let other = Caller::Key("${other.key}".into());
    let csv = "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n\
        a,V,P,ISSUED,5,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\n\
        b,V,P,ISSUED,5,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\n";
    let path = "/v1/invoices/imports/m";
    let upload = || call(Call::text("PUT", path, csv.into(), "text/csv"));
    assert_held(&[
        act(json!({ "action": "issueKey" })).named("other"),
        act(json!({ "action": "interruptNextImport", "afterRows": 1 })),
        upload(),
        upload().by(&other),
        call(Call::bare("GET", path)),
    ])
    .await;
}

/// `4.advances.2`
#[tokio::test]
async fn an_advance_repeated_with_another_key_is_no_violation() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../fixtures/stories/onboard-quote-advance-repay.jsonl"
    );
    let mut steps = Transcript::read(path.as_ref()).unwrap().steps;
    for step in &mut steps {
        // The story's own profile is not played here.
        step.expect = None;
    }
    let asks =
        |step: &Step| matches!(&step.action, Action::Call(call) if call.path == "/v1/advances");
    let repeated = steps.iter().rposition(asks).unwrap();
    steps[repeated].caller = Caller::Key("${second.key}".into());
    steps.insert(0, act(json!({ "action": "issueKey" })).named("second"));
    assert_held(&steps).await;
}
