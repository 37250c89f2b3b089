//! The bodies of events that a fault changes.

use std::sync::Arc;

use serde_json::Value;
use tideover_model::words::UnlistedEvent;

use crate::fault::DeliveryAct;
use crate::grease::Json;

/// A field that no event has.
const ADDED: &str = "addedField";
/// A financing state that the document does not list.
const NEW_STATE: &str = "ON_HOLD";

/// The body of an event as an act changes it. `None` if it stays as it is.
pub(super) fn rewritten(act: DeliveryAct, body: &[u8]) -> Option<Arc<[u8]>> {
    let write: fn(Json) -> Vec<u8> = match act {
        DeliveryAct::UnknownEventType => |mut event| {
            event.replace_text("type", UnlistedEvent::NoticeSent.name());
            event.compact()
        },
        DeliveryAct::UnknownField => |mut event| {
            add_field(&mut event);
            if let Some(data) = event.field("data") {
                add_field(data);
            }
            event.compact()
        },
        DeliveryAct::UnknownValue => |mut event| {
            if let Some(data) = event.field("data") {
                data.replace_text("state", NEW_STATE);
            }
            event.compact()
        },
        DeliveryAct::BodyIndented => |event| event.indented(),
        _ => return None,
    };
    Some(write(serde_json::from_slice(body).ok()?).into())
}

fn add_field(object: &mut Json) {
    if let Json::Object(fields) = object {
        fields.push((ADDED.to_owned(), Json::Leaf(Value::from("new"))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(act: DeliveryAct) -> Option<String> {
        let body =
            br#"{"id":"evt_1","type":"partner.loan.paid","data":{"payeeExternalId":"acme"}}"#;
        rewritten(act, body).map(|body| String::from_utf8_lossy(&body).into_owned())
    }

    #[test]
    fn each_act_changes_its_part() {
        let unknown =
            r#"{"id":"evt_1","type":"partner.notice.sent","data":{"payeeExternalId":"acme"}}"#;
        assert_eq!(changed(DeliveryAct::UnknownEventType).as_deref(), Some(unknown));
        let more = r#"{"id":"evt_1","type":"partner.loan.paid","data":{"payeeExternalId":"acme","addedField":"new"},"addedField":"new"}"#;
        assert_eq!(changed(DeliveryAct::UnknownField).as_deref(), Some(more));
        let indented = "{\r\n\t\"id\": \"evt_1\",\r\n\t\"type\": \"partner.loan.paid\",\r\n\t\"data\": {\r\n\t\t\"payeeExternalId\": \"acme\"\r\n\t}\r\n}";
        assert_eq!(changed(DeliveryAct::BodyIndented).as_deref(), Some(indented));
        assert_eq!(changed(DeliveryAct::Duplicated), None);
        let financing = br#"{"type":"partner.invoice.factoredUpdated","data":{"state":"FUNDED"}}"#;
        let held = rewritten(DeliveryAct::UnknownValue, financing).unwrap();
        let expected = r#"{"type":"partner.invoice.factoredUpdated","data":{"state":"ON_HOLD"}}"#;
        assert_eq!(String::from_utf8_lossy(&held), expected);
    }
}
