//! Bodies that differ from the mock's, where the document doesn't show their form.

use super::*;

async fn assert_rewrite_accepted(rewrite: Rewrite) {
    assert_accepted(Liberty { rewrite, ..NONE }).await;
}

fn fields<'a>(
    body: &'a mut Value,
    name: &str,
) -> impl Iterator<Item = (&'a String, &'a mut Value)> {
    body.get_mut(name).and_then(Value::as_object_mut).into_iter().flatten()
}

#[tokio::test]
async fn undocumented_objects_may_mean_anything() {
    assert_rewrite_accepted(|_, mut body| {
        if body["taxIdResult"].is_object() {
            body["taxIdResult"] = json!({ "outcome": "accepted" });
        }
        body
    })
    .await;
    assert_rewrite_accepted(|call, mut body| {
        if call.path == "/v1/quotes" {
            for (_, met) in fields(&mut body, "onboarding") {
                *met = json!(met == false);
            }
        }
        body
    })
    .await;
}

/// The document shows neither when each variant comes, nor which four properties the smaller one has.
#[tokio::test]
async fn an_advance_may_have_either_variant() {
    let missing: [Rewrite; 2] = [
        |_, body| match body["alreadyRequested"].is_boolean() {
            true => without(without(body, "financeableAmount"), "forwardedAtPayment"),
            false => body,
        },
        |_, body| match body["alreadyRequested"] == false {
            true => without(without(body, "advanceAmount"), "feeTotal"),
            false => body,
        },
    ];
    for rewrite in missing {
        assert_rewrite_accepted(rewrite).await;
    }
    let three: Rewrite = |_, body| match body["alreadyRequested"] == false {
        true => without(without(without(body, "advanceAmount"), "feeTotal"), "financeableAmount"),
        false => body,
    };
    assert_violated(Liberty { rewrite: three, ..NONE }, "2.advance.advanceAmount").await;
}

#[tokio::test]
async fn an_assumed_media_type_may_be_accepted() {
    let takes = |call: &PreparedCall| {
        let mut taken = call.clone();
        if !call.path.contains("/imports/") {
            taken.content_type = Some("application/json".to_owned());
        }
        taken
    };
    assert_accepted(Liberty { takes, ..NONE }).await;
}

/// The service may read 1.0 as 1, and keep the last of two equal keys.
#[tokio::test]
async fn a_body_may_be_read_leniently() {
    fn whole(value: &mut Value) {
        match value {
            Value::Number(number) if number.as_f64() == Some(1.0) => *value = json!(1),
            Value::Number(number) if number.as_f64() == Some(1000.0) => *value = json!(1000),
            Value::Array(items) => items.iter_mut().for_each(whole),
            Value::Object(fields) => fields.values_mut().for_each(whole),
            _ => {}
        }
    }
    let takes = |call: &PreparedCall| match serde_json::from_slice::<Value>(call.body()) {
        Ok(mut body) => {
            whole(&mut body);
            let (method, path) = (call.method.clone(), call.path.clone());
            PreparedCall::new(method, path, call.content_type.clone(), body.to_string().into())
        }
        Err(_) => call.clone(),
    };
    assert_accepted(Liberty { takes, ..NONE }).await;
}

/// What a request changes counts although the service is the only one that takes its form.
#[tokio::test]
async fn a_lenient_write_is_a_write() {
    let takes = |call: &PreparedCall| match serde_json::from_slice::<Value>(call.body()) {
        Ok(body) if body.get("label").is_some_and(Value::is_null) => {
            call.with_body(without(body, "label").to_string().into())
        }
        _ => call.clone(),
    };
    let sets = |body: Value| put("/v1/organizations/v/payout-account", body);
    let account = |number: &str| json!({ "accountNumber": number, "routingNumber": "021000021" });
    let mut unlabelled = account("000654321");
    unlabelled["label"] = Value::Null;
    let mut steps = vec![post("/v1/webhooks", json!({ "url": "${inbox}/accepts" }))];
    steps.extend(onboard());
    steps.extend([account("000111222"), unlabelled].map(sets));
    steps.extend([Step::new(Action::Advance(3600)), read("v")]);
    assert_steps_accepted(Liberty { takes, ..NONE }, &steps).await;
}

/// By one rule the tax id matches a business; by another, someone else holds it.
#[tokio::test]
async fn one_tax_id_may_mean_two_businesses() {
    let takes = |call: &PreparedCall| match serde_json::from_slice::<Value>(call.body()) {
        Ok(body) if call.path.ends_with("/organizations/alias") => {
            let (method, path) = (call.method.clone(), call.path.clone());
            let body = without(body, "taxId").to_string();
            PreparedCall::new(method, path, call.content_type.clone(), body.into())
        }
        _ => call.clone(),
    };
    assert_accepted(Liberty { takes, ..NONE }).await;
}

#[tokio::test]
async fn a_reason_may_name_known_facts() {
    assert_rewrite_accepted(|_, mut body| {
        if body["notFundableReason"].is_string() {
            let face = &body["faceValue"];
            let reason = format!("Invoice INV-100000 of {face} cents was requested on 2026-03-01.");
            body["notFundableReason"] = reason.into();
        }
        body
    })
    .await;
    let limit: Rewrite = |_, mut body| {
        if body["notFundableReason"].is_string() {
            body["notFundableReason"] = "No more than $1,000,000 may be outstanding.".into();
        }
        body
    };
    assert_violated(Liberty { rewrite: limit, ..NONE }, "2.invoice.notFundableReason.2").await;
}

#[tokio::test]
async fn an_account_may_name_its_bank() {
    assert_rewrite_accepted(|call, mut body| {
        if call.method == "GET" && body["remittance"].is_object() {
            body["remittance"]["bankName"] = "First Bank".into();
        }
        body
    })
    .await;
}

/// The document shows neither where an event's fields are, nor which transitions exist.
#[tokio::test]
async fn event_fields_may_be_anywhere() {
    let event = |mut event: Value| {
        for name in ["sequence", "occurredAt"] {
            if let Some(value) = event.as_object_mut().and_then(|fields| fields.remove(name)) {
                event["data"][name] = value;
            }
        }
        event
    };
    assert_accepted(Liberty { event, ..NONE }).await;
    // An event whose type nobody can read may be any event.
    assert_accepted(Liberty { event: |event| without(event, "type"), ..NONE }).await;
    let any_number = |mut event: Value| {
        if let Some(sequence) = event["sequence"].as_i64() {
            event["sequence"] = format!("{}.5", sequence - 3).parse().unwrap();
        }
        event
    };
    assert_accepted(Liberty { event: any_number, ..NONE }).await;
    let back = |mut event: Value| {
        if event["data"]["state"] == "FUNDED" {
            event["data"]["state"] = json!("REQUESTED");
        }
        event
    };
    // An event must show the state that a read shows.
    assert_violated(Liberty { event: back, ..NONE }, "6.events.invoice.factoredUpdated").await;
    let same = |mut event: Value| {
        if event.get("sequence").is_some() {
            event["sequence"] = json!(1);
        }
        event
    };
    assert_violated(Liberty { event: same, ..NONE }, "6.delivery.5").await;
}

#[tokio::test]
async fn a_subscription_may_have_any_form() {
    let forms: [Rewrite; 4] = [
        |_, mut body| {
            if body.get("secret").is_some() {
                body["signingKey"] = body["secret"].take();
                body["secret"] = json!("the name of every one");
            }
            body
        },
        |call, mut body| {
            if call.path == "/v1/webhooks" && call.method == "POST" {
                body["url"] = json!("https://elsewhere.example/in/normal/form");
            }
            body
        },
        |_, mut body| {
            if body.get("secret").is_some() {
                body["secret"] = json!({ "name": "signing", "value": body["secret"] });
            }
            body
        },
        |_, mut body| {
            if body.get("secret").is_some() {
                body["signingKey"] = body["secret"].take();
                body["secret"] = json!(format!("name of {}", body["reference"]));
            }
            body
        },
    ];
    for rewrite in forms {
        assert_rewrite_accepted(rewrite).await;
    }
}

#[tokio::test]
async fn a_list_may_mark_secrets_as_withheld() {
    let listed: [Rewrite; 2] = [
        |_, mut body| {
            for one in body.as_array_mut().into_iter().flatten() {
                one["secret"] = Value::Null;
            }
            body
        },
        |_, mut body| {
            for one in body.as_array_mut().into_iter().flatten() {
                one["secret"] = json!("whsec_****");
            }
            body
        },
    ];
    for rewrite in listed {
        assert_rewrite_accepted(rewrite).await;
    }
}

/// The document doesn't show which rows the report of an unfinished import lists.
#[tokio::test]
async fn a_report_may_list_unprocessed_rows() {
    assert_rewrite_accepted(|_, mut body| {
        let left = body["rowCount"].as_u64().unwrap_or(0);
        if let Some(rows) = body.get_mut("rows").and_then(Value::as_array_mut) {
            rows.resize(usize::try_from(left).unwrap(), json!({ "outcome": "waiting" }));
        }
        body
    })
    .await;
    let more: Rewrite = |_, mut body| {
        if let Some(rows) = body.get_mut("rows").and_then(Value::as_array_mut) {
            rows.push(json!({ "outcome": "created" }));
        }
        body
    };
    assert_violated(Liberty { rewrite: more, ..NONE }, "2.importReport.rows").await;
}

#[tokio::test]
async fn report_rows_may_come_in_any_order() {
    assert_rewrite_accepted(|_, mut body| {
        if let Some(rows) = body.get_mut("rows").and_then(Value::as_array_mut) {
            rows.reverse();
        }
        body
    })
    .await;
    let otherwise: Rewrite = |_, mut body| {
        for row in body.get_mut("rows").and_then(Value::as_array_mut).into_iter().flatten() {
            if row["outcome"] == "created" {
                row["outcome"] = json!("updated");
            }
        }
        body
    };
    assert_violated(Liberty { rewrite: otherwise, ..NONE }, "4.imports.2").await;
}

#[tokio::test]
async fn dates_may_be_cut_to_seconds() {
    assert_rewrite_accepted(|_, mut body| {
        for name in ["issueDate", "dueDate"] {
            if let Some(Value::String(date)) = body.get_mut(name)
                && let Some((second, _)) = date.split_once('.')
            {
                *date = format!("{second}Z");
            }
        }
        body
    })
    .await;
}
