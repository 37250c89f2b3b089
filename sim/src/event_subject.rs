//! Whom an event is about.

use serde::Deserialize;

/// The business, or the invoice and its payee, that the data of an event names (`gap.eventPayload`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct EventSubject {
    external_id: Option<String>,
    payee_external_id: Option<String>,
    invoice_external_id: Option<String>,
}

impl EventSubject {
    /// Whom the event with this body is about; nobody if it is no event.
    pub(crate) fn of(body: &[u8]) -> EventSubject {
        #[derive(Deserialize)]
        struct Event {
            data: EventSubject,
        }
        serde_json::from_slice(body).map_or_else(|_| EventSubject::default(), |Event { data }| data)
    }

    /// Whether it is about this payee and this invoice. Events about a business have only its own identifier.
    pub(crate) fn is(&self, payee: Option<&str>, invoice: Option<&str>) -> bool {
        let is_payee = |wanted| {
            let named = [&self.payee_external_id, &self.external_id];
            named.into_iter().any(|name| name.as_deref() == Some(wanted))
        };
        payee.is_none_or(is_payee)
            && invoice.is_none_or(|wanted| self.invoice_external_id.as_deref() == Some(wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payee_is_a_business_or_that_of_an_invoice() {
        let of =
            |data: &str| EventSubject::of(format!(r#"{{"id":"evt_1","data":{data}}}"#).as_bytes());
        let invoice =
            of(r#"{"payeeExternalId":"acme","invoiceExternalId":"INV-1","state":"FUNDED"}"#);
        assert!(invoice.is(None, None) && invoice.is(Some("acme"), Some("INV-1")));
        assert!(!invoice.is(Some("globex"), Some("INV-1")) && !invoice.is(None, Some("INV-2")));
        let business = of(r#"{"externalId":"acme"}"#);
        assert!(business.is(Some("acme"), None) && !business.is(Some("acme"), Some("INV-1")));
        assert_eq!(EventSubject::of(b"[]"), EventSubject::default());
    }
}
