//! The examples of the partner API's document, and its words.

use serde_json::Value;
use tideover_model::wire::route::route;
use tideover_model::{Clause, Code, OperationKind};

use super::Document;
use crate::support::Caller;

/// The examples in a content, by name, with its schema.
fn examples(content: &Value) -> Vec<(&str, &Value)> {
    let named = content["examples"].as_object().into_iter().flatten();
    named.map(|(name, example)| (name.as_str(), &example["value"])).collect()
}

/// The path of an operation, with the examples of its parameters.
fn path(kind: OperationKind, operation: &Value) -> String {
    let mut path = kind.path().to_owned();
    for parameter in operation["parameters"].as_array().unwrap() {
        let example = parameter["example"].as_str().expect("an example");
        path = path.replace(&format!("{{{}}}", parameter["name"].as_str().unwrap()), example);
    }
    path
}

#[tokio::test]
async fn every_request_has_examples_that_are_read() {
    let document = Document::of(&Caller::standard()).await;
    for kind in OperationKind::ALL {
        let operation = document.operation(kind);
        let path = path(kind, operation);
        let route = route(kind.method(), &path).expect("an endpoint");
        assert_eq!(route.kind, kind);
        if !kind.endpoint().has_body() {
            assert!(route.decode(None, b"").is_ok(), "{kind:?}");
            continue;
        }
        let content = operation["requestBody"]["content"].as_object().unwrap();
        let (media_type, content) = content.iter().next().unwrap();
        let shown = examples(content);
        for (name, value) in &shown {
            let body = match value {
                Value::String(file) => file.clone(),
                value => value.to_string(),
            };
            let decoded = route.decode(Some(media_type), body.as_bytes());
            // What cannot be read is an example of just that.
            let code = decoded.err().map(|refusal| refusal.code.name());
            assert_eq!(code, (*name == "unreadable_file").then_some(*name), "{kind:?} {name}");
            assert_eq!(document.objections(&content["schema"], value), [""; 0], "{kind:?} {name}");
        }
        let has = |name: &str| shown.iter().any(|(shown, _)| *shown == name);
        assert!(shown.iter().any(|(name, _)| Code::parse(name).is_none()), "{kind:?}");
        // These need another media type, a long file, or a body that violates the schema.
        let hidden = [Code::UnsupportedMediaType, Code::TooManyRows, Code::InvalidInvitee];
        for code in kind.codes().iter().filter(|code| !hidden.contains(code)) {
            assert!(has(code.name()), "{kind:?} {code}");
        }
    }
}

#[tokio::test]
async fn every_answer_has_examples_that_satisfy_it() {
    let document = Document::of(&Caller::standard()).await;
    for kind in OperationKind::ALL {
        let responses = document.operation(kind)["responses"].as_object().unwrap();
        let mut codes = Vec::new();
        for (status, response) in responses {
            let Some(content) = response.get("content") else {
                assert_eq!(kind, OperationKind::Unsubscribe);
                continue;
            };
            let content = &content["application/json"];
            let shown = examples(content);
            assert!(!shown.is_empty(), "{kind:?} {status}");
            for (name, value) in shown {
                let objections = document.objections(&content["schema"], value);
                assert_eq!(objections, [""; 0], "{kind:?} {status} {name}");
                if !status.starts_with('2') {
                    assert_eq!(value["code"], name);
                    codes.push(Code::parse(name).expect("a code"));
                }
            }
        }
        let expected = Code::OF_ANY_OPERATION.iter().chain(kind.codes());
        assert!(expected.clone().all(|code| codes.contains(code)), "{kind:?}: {codes:?}");
        assert_eq!(codes.len(), expected.count());
    }
}

/// The words of every description and summary.
fn words(part: &Value, found: &mut Vec<String>) {
    match part {
        Value::Array(parts) => parts.iter().for_each(|part| words(part, found)),
        Value::Object(parts) => {
            for (name, part) in parts {
                match part.as_str() {
                    Some(text) if ["description", "summary"].contains(&&**name) => {
                        found.push(text.to_owned());
                    }
                    _ => words(part, found),
                }
            }
        }
        _ => {}
    }
}

#[tokio::test]
async fn descriptions_name_places_of_the_document_and_nothing_of_ours() {
    let document = Document::of(&Caller::standard()).await;
    let mut texts = Vec::new();
    words(&document.document, &mut texts);
    // Not exact: each sentence of the model is one more. There are some, so the loop below examines something.
    assert!(texts.len() > 300);
    for text in &texts {
        for word in ["gap.", "clause", "profile", "grease", "judge", "world", "Rust"] {
            assert!(!text.contains(word), "{word}: {text}");
        }
        let quoted = text.split('`').skip(1).step_by(2);
        assert!(quoted.clone().all(|word| Clause::find(word).is_none()), "{text}");
        assert!(quoted.clone().all(|word| !word.is_empty()), "{text}");
    }
    let tags: Vec<&Value> =
        document.document["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
    for kind in OperationKind::ALL {
        let operation = document.operation(kind);
        assert!(tags.contains(&&operation["tags"][0]), "{kind:?}");
        let rules = operation["description"].as_str().unwrap();
        assert!(rules.contains("(§4 "), "{kind:?}: {rules}");
        for (status, response) in operation["responses"].as_object().unwrap() {
            let about = response["description"].as_str().unwrap();
            assert!(about.contains('§'), "{kind:?} {status}: {about}");
        }
    }
}
