//! What is told otherwise than by the mock, where the document doesn't show how it is told.

use super::*;

async fn assert_told(told: Told) {
    assert_free(Liberty { told, ..NONE }).await;
}

fn fields<'a>(
    body: &'a mut Value,
    name: &str,
) -> impl Iterator<Item = (&'a String, &'a mut Value)> {
    body.get_mut(name).and_then(Value::as_object_mut).into_iter().flatten()
}

#[tokio::test]
async fn what_objects_mean_that_are_not_shown_is_the_services_to_say() {
    assert_told(|_, mut body| {
        if body["taxIdResult"].is_object() {
            body["taxIdResult"] = json!({ "outcome": "accepted" });
        }
        body
    })
    .await;
    assert_told(|call, mut body| {
        if call.path == "/v1/quotes" {
            for (_, met) in fields(&mut body, "onboarding") {
                *met = json!(met == false);
            }
        }
        body
    })
    .await;
}

/// Which variant is told when is not shown, nor which four properties the smaller one has.
#[tokio::test]
async fn an_advance_is_told_in_either_variant() {
    let missing: [Told; 2] = [
        |_, body| match body["alreadyRequested"].is_boolean() {
            true => without(without(body, "financeableAmount"), "forwardedAtPayment"),
            false => body,
        },
        |_, body| match body["alreadyRequested"] == false {
            true => without(without(body, "advanceAmount"), "feeTotal"),
            false => body,
        },
    ];
    for told in missing {
        assert_told(told).await;
    }
    let three: Told = |_, body| match body["alreadyRequested"] == false {
        true => without(without(without(body, "advanceAmount"), "feeTotal"), "financeableAmount"),
        false => body,
    };
    assert_violated(Liberty { told: three, ..NONE }, "2.advance.advanceAmount").await;
}

#[tokio::test]
async fn a_media_type_that_is_assumed_may_be_taken() {
    let takes = |call: &PreparedCall| {
        let mut taken = call.clone();
        if !call.path.contains("/imports/") {
            taken.content_type = Some("application/json".to_owned());
        }
        taken
    };
    assert_free(Liberty { takes, ..NONE }).await;
}

/// 1.0 is one, and of two keys the last stands.
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
    assert_free(Liberty { takes, ..NONE }).await;
}

/// By one rule a tax id matches, by another it is held by somebody else.
#[tokio::test]
async fn two_identifiers_with_one_tax_id_may_be_two_businesses() {
    let takes = |call: &PreparedCall| match serde_json::from_slice::<Value>(call.body()) {
        Ok(body) if call.path.ends_with("/organizations/alias") => {
            let (method, path) = (call.method.clone(), call.path.clone());
            let body = without(body, "taxId").to_string();
            PreparedCall::new(method, path, call.content_type.clone(), body.into())
        }
        _ => call.clone(),
    };
    assert_free(Liberty { takes, ..NONE }).await;
}

#[tokio::test]
async fn a_reason_may_tell_dates_names_and_what_is_told_anyway() {
    assert_told(|_, mut body| {
        if body["notFundableReason"].is_string() {
            let face = &body["faceValue"];
            let reason = format!("Invoice INV-100000 of {face} cents was requested on 2026-03-01.");
            body["notFundableReason"] = reason.into();
        }
        body
    })
    .await;
    let limit: Told = |_, mut body| {
        if body["notFundableReason"].is_string() {
            body["notFundableReason"] = "No more than $1,000,000 may be outstanding.".into();
        }
        body
    };
    assert_violated(Liberty { told: limit, ..NONE }, "2.invoice.notFundableReason.2").await;
}

#[tokio::test]
async fn an_account_may_be_told_with_the_name_of_its_bank() {
    assert_told(|call, mut body| {
        if call.method == "GET" && body["remittance"].is_object() {
            body["remittance"]["bankName"] = "First Bank".into();
        }
        body
    })
    .await;
}

/// Where in an event its fields stand is not shown, nor which transitions there are.
#[tokio::test]
async fn an_event_tells_its_fields_anywhere() {
    let event = |mut event: Value| {
        for name in ["sequence", "occurredAt"] {
            if let Some(value) = event.as_object_mut().and_then(|fields| fields.remove(name)) {
                event["data"][name] = value;
            }
        }
        event
    };
    assert_free(Liberty { event, ..NONE }).await;
    let back = |mut event: Value| {
        if event["data"]["state"] == "FUNDED" {
            event["data"]["state"] = json!("REQUESTED");
        }
        event
    };
    // What is read of a state is told by its event.
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
async fn a_subscription_is_told_in_any_form() {
    let forms: [Told; 4] = [
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
    for told in forms {
        assert_told(told).await;
    }
}

#[tokio::test]
async fn a_list_may_say_that_a_secret_is_withheld() {
    let listed: [Told; 2] = [
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
    for told in listed {
        assert_told(told).await;
    }
}

/// Which rows a report lists of an import that has not come to all of them is not shown.
#[tokio::test]
async fn a_report_may_list_the_rows_that_are_left() {
    assert_told(|_, mut body| {
        let left = body["rowCount"].as_u64().unwrap_or(0);
        if let Some(rows) = body.get_mut("rows").and_then(Value::as_array_mut) {
            rows.resize(usize::try_from(left).unwrap(), json!({ "outcome": "waiting" }));
        }
        body
    })
    .await;
    let more: Told = |_, mut body| {
        if let Some(rows) = body.get_mut("rows").and_then(Value::as_array_mut) {
            rows.push(json!({ "outcome": "created" }));
        }
        body
    };
    assert_violated(Liberty { told: more, ..NONE }, "2.importReport.rows").await;
}

#[tokio::test]
async fn the_rows_of_a_report_come_in_any_order() {
    assert_told(|_, mut body| {
        if let Some(rows) = body.get_mut("rows").and_then(Value::as_array_mut) {
            rows.reverse();
        }
        body
    })
    .await;
    let otherwise: Told = |_, mut body| {
        for row in body.get_mut("rows").and_then(Value::as_array_mut).into_iter().flatten() {
            if row["outcome"] == "created" {
                row["outcome"] = json!("updated");
            }
        }
        body
    };
    assert_violated(Liberty { told: otherwise, ..NONE }, "2.importReport.rows").await;
}

#[tokio::test]
async fn dates_are_told_to_the_second() {
    assert_told(|_, mut body| {
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
