//! The state file: what it keeps, and what is refused.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tideover_model::{Profile, Seeded, Service};
use tideover_sim::{Builder, Mock, Scenario, StartError, StateError};

fn kept(file: &Path) -> Builder {
    Mock::builder().state(file).scenario(Scenario::Funded)
}

async fn post(mock: &Mock, path: &str, body: Value) -> Value {
    let url = format!("{}{path}", mock.url());
    crate::plain::client().post(url).json(&body).send().await.unwrap().json().await.unwrap()
}

#[tokio::test]
async fn worlds_survive_from_one_run_to_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    let mock = kept(&file).start().await.unwrap();
    assert!(!mock.has_loaded_state());
    let made = post(&mock, "/_sim/worlds", json!({ "scenario": "onboarded", "seed": 9 })).await;
    post(&mock, "/_sim/worlds", json!({ "expiresAfterIdleSeconds": 3600 })).await;
    mock.payor_pays("acme", "INV-1", 500).unwrap();
    mock.advance_clock(3600).await.unwrap();
    let (now, snapshot) = (mock.now(), mock.world().snapshot().unwrap());
    mock.stop_and_save().await.unwrap();
    let first = fs::read(&file).unwrap();

    // Options that describe a new world do not concern one that was kept.
    let mock = Mock::builder().state(&file).seed(77).start().await.unwrap();
    assert!(mock.has_loaded_state());
    assert_eq!((mock.now(), mock.world().snapshot().unwrap()), (now, snapshot));
    let key = made["keys"][0]["key"].as_str().unwrap();
    mock.as_platform(key).payor_pays("acme", "INV-1", 1).unwrap();
    // The names of worlds go on.
    assert_eq!(post(&mock, "/_sim/worlds", json!({})).await["id"], "w3");
    mock.save().await.unwrap();
    assert_ne!(fs::read(&file).unwrap(), first);
    let names = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name());
    assert_eq!(
        names.collect::<BTreeSet<_>>(),
        ["state.json", "state.json.lock"].map(Into::into).into()
    );
}

#[tokio::test]
async fn a_state_that_did_not_change_stays_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    kept(&file).start().await.unwrap().stop_and_save().await.unwrap();
    let first = fs::read(&file).unwrap();
    Mock::builder().state(&file).start().await.unwrap().stop_and_save().await.unwrap();
    assert_eq!(fs::read(&file).unwrap(), first);
}

#[tokio::test]
async fn a_file_that_is_no_state_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    kept(&file).start().await.unwrap().stop_and_save().await.unwrap();
    let good = fs::read_to_string(&file).unwrap();
    for (content, words) in [
        (String::new(), "not a snapshot"),
        (good[..good.len() - 9].to_owned(), "not a snapshot"),
        (good.replace("Acme Ltd", "Acme Inc"), "damaged"),
        (good.replacen("\"version\":2", "\"version\":3", 1), "newer release"),
        (good.replacen("\"version\":2", "\"version\":1", 1), "earlier release"),
        ("{\"format\":\"other\",\"version\":1}".to_owned(), "not \"tideover-state\""),
    ] {
        fs::write(&file, &content).unwrap();
        let refused = Mock::builder().state(&file).start().await;
        let Err(StartError::State(error @ StateError::Refused { .. })) = refused else {
            panic!("{refused:?}")
        };
        let error = error.to_string();
        assert!(error.contains(words) && error.contains("left as it is"), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), content);
    }
}

#[tokio::test]
async fn what_cannot_be_kept_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let start = async |builder: Builder| match builder.start().await {
        Err(StartError::State(error)) => error,
        other => panic!("{other:?}"),
    };
    let in_no_folder = folder.path().join("none/state.json");
    assert!(matches!(start(kept(&in_no_folder)).await, StateError::Unwritten { .. }));
    assert!(matches!(start(kept(folder.path())).await, StateError::Unreadable { .. }));
    let service = Service::new(Profile::default(), Seeded { seed: 1 });
    struct Other(Service);
    impl tideover_model::Altered for Other {
        type Face = Service;
        fn unaltered(&self) -> &Service {
            &self.0
        }
        fn unaltered_mut(&mut self) -> &mut Service {
            &mut self.0
        }
    }
    let file = folder.path().join("state.json");
    let own = Mock::builder().state(&file).face(Box::new(Other(service)));
    assert!(matches!(start(own).await, StateError::World(_)));
    assert!(!file.exists());
    let mock = Mock::start().await.unwrap();
    assert!(matches!(mock.save().await, Err(StateError::None)));
    assert_eq!(post(&mock, "/_sim/save", json!({})).await["code"], "action_refused");
}

#[tokio::test]
async fn one_mock_at_a_time_keeps_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    let mock = kept(&file).start().await.unwrap();
    let Err(StartError::State(error @ StateError::Taken { .. })) = kept(&file).start().await else {
        panic!("two mocks keep one file")
    };
    assert!(error.to_string().contains("another mock keeps its state in"), "{error}");
    mock.stop_and_save().await.unwrap();
    kept(&file).start().await.unwrap().stop_and_save().await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_stays_a_link_and_a_device_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("state.json"), folder.path().join("link.json"));
    std::os::unix::fs::symlink("state.json", &link).unwrap();
    kept(&link).start().await.unwrap().stop_and_save().await.unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::metadata(&file).unwrap().is_file());
    let refused = kept(Path::new("/dev/full")).start().await;
    let Err(StartError::State(StateError::Unreadable { source, .. })) = refused else {
        panic!("{refused:?}")
    };
    assert!(source.to_string().contains("no regular file"), "{source}");
}

#[tokio::test]
async fn a_version_that_cannot_be_written_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    let mock = kept(&file).start().await.unwrap();
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    mock.payor_pays("acme", "INV-1", 500).unwrap();
    assert!(matches!(mock.save().await, Err(StateError::Unwritten { .. })));
    assert!(!folder.path().join("state.json.part").exists());
    fs::remove_dir(&file).unwrap();
    mock.stop_and_save().await.unwrap();
    assert!(file.is_file());
}

#[cfg(unix)]
#[tokio::test]
async fn nothing_beside_the_state_is_reached_through_a_link() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let beside = |name: &str| folder.path().join(name);
    let (file, victim) = (beside("state.json"), beside("victim"));
    fs::write(&victim, "precious").unwrap();
    let is_whole = || assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");

    symlink("victim", beside("state.json.lock")).unwrap();
    let Err(StartError::State(error @ StateError::Unwritten { .. })) = kept(&file).start().await
    else {
        panic!("a lock that is a link is followed")
    };
    let error = error.to_string();
    assert!(error.contains("state.json.lock") && error.contains("it is a link"), "{error}");
    is_whole();
    fs::remove_file(beside("state.json.lock")).unwrap();

    symlink("victim", beside("state.json.part")).unwrap();
    kept(&file).start().await.unwrap().stop_and_save().await.unwrap();
    is_whole();
    // What somebody has left there gives the state no rights of its own.
    let part = beside("state.json.part");
    fs::write(&part, "left").unwrap();
    fs::set_permissions(&part, fs::Permissions::from_mode(0o666)).unwrap();
    let mock = kept(&file).start().await.unwrap();
    mock.payor_pays("acme", "INV-1", 500).unwrap();
    mock.stop_and_save().await.unwrap();
    for private in [file, beside("state.json.lock")] {
        let mode = fs::metadata(&private).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", private.display());
    }
    assert!(!part.exists());
}

/// A lock is opened, and no more.
#[tokio::test]
async fn a_lock_keeps_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let (file, lock) = (folder.path().join("state.json"), folder.path().join("state.json.lock"));
    fs::write(&lock, "somebody's notes").unwrap();
    kept(&file).start().await.unwrap().stop_and_save().await.unwrap();
    assert_eq!(fs::read_to_string(&lock).unwrap(), "somebody's notes");
}

/// The file is gone, and would be there again.
#[tokio::test]
async fn what_changes_nothing_is_not_saved() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    let mock = kept(&file).start().await.unwrap();
    let caller = crate::support::Caller::of_mock(&mock);
    mock.save().await.unwrap();
    fs::remove_file(&file).unwrap();
    for path in [
        "/v1/organizations/acme",
        "/v1/organizations/nobody",
        "/v1/invoices/INV-1?payeeExternalId=acme",
        "/v1/webhooks",
        "/nowhere",
        "/_sim/journal",
        "/_sim/worlds",
        "/_sim/overview",
        "/_sim/clock",
        "/_sim/worlds/default/snapshot",
    ] {
        caller.get(path).await;
    }
    caller.post("/v1/quotes", json!({ "externalId": "acme", "invoiceFaceValue": 5000 })).await;
    caller
        .post("/v1/advances", json!({ "payeeExternalId": "nobody", "invoiceExternalId": "x" }))
        .await;
    caller.put("/v1/organizations/acme", json!({ "legalName": 5 })).await;
    caller.with_key("rap_sk_guessed").get("/v1/webhooks").await;
    caller.post("/_sim/deliveries/wait", json!({ "patienceSeconds": 0 })).await;
    mock.save().await.unwrap();
    assert!(!file.exists(), "nothing has changed");
    for change in [
        caller.put("/v1/organizations/acme", json!({ "legalName": "Acme" })).await,
        caller.act(json!({ "action": "issueKey" })).await,
        caller.post("/_sim/clock", json!({ "advanceSeconds": 1 })).await,
        caller.post("/_sim/worlds", json!({})).await,
        caller
            .post(
                "/_sim/faults",
                json!({ "act": "upstreamFails", "when": "beforeCommit", "nth": 7 }),
            )
            .await,
        // This one is counted by the fault.
        caller.get("/v1/webhooks").await,
        caller.delete("/_sim/faults").await,
        caller.act(json!({ "action": "upstreamFails", "requests": 1 })).await,
        // And this one uses up the failure.
        caller.get("/v1/webhooks").await,
    ] {
        assert!([200, 502].contains(&change.status), "{change:?}");
    }
    mock.save().await.unwrap();
    assert!(file.exists());
}
