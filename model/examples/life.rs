//! The life of an advance in the pure model: no server, no clock, no waiting.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;

use tideover_model::exchange::{self, Request};
use tideover_model::{Address, VendorRoute};
use tideover_model::{Cents, Face, Happening, PlatformId, Profile, Seeded, Service, Timestamp};

#[expect(clippy::too_many_lines, reason = "a story reads best in one piece")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut service = Service::new(Profile::default(), Seeded { seed: 1 });
    let mut now = Timestamp::parse("2026-01-01T00:00:00Z").ok_or("not a date-time")?;

    // A platform syncs a vendor and an invoice, and invites the vendor.
    call(
        &mut service,
        now,
        "PUT",
        "/v1/organizations/acme",
        r#"{"legalName":"Acme LLC","taxId":"123456789"}"#,
    );
    call(
        &mut service,
        now,
        "PUT",
        "/v1/invoices/INV-1",
        r#"{"payee":{"externalId":"acme","legalName":"Acme LLC"},
            "payor":{"externalId":"globex","legalName":"Globex Inc"},
            "status":"ISSUED","faceValue":100000,
            "issueDate":"2026-01-01T00:00:00Z","dueDate":"2026-01-31T00:00:00Z"}"#,
    );
    call(
        &mut service,
        now,
        "POST",
        "/v1/invitations",
        r#"{"externalId":"acme","email":"ada@acme.example"}"#,
    );

    // The vendor and the bank do their part.
    let address = Address {
        line1: Some("1 Main St".into()),
        city: Some("Springfield".into()),
        state: Some("IL".into()),
        postal_code: Some("62701".into()),
        ..Address::default()
    };
    for happening in [
        Happening::VendorAcceptsInvitation {
            payee: "acme".into(),
            email: "ada@acme.example".into(),
        },
        Happening::VendorConfirmsTaxId {
            payee: "acme".into(),
            route: VendorRoute::W9Upload,
            tax_id: None,
        },
        Happening::VendorSignsAgreement { payee: "acme".into(), address },
        Happening::VendorAddsBankAccount {
            payee: "acme".into(),
            account_number: "00012345".into(),
            routing_number: "021000021".into(),
        },
        Happening::CollectionAccountOpens { payee: "acme".into() },
    ] {
        service.happen(now, PlatformId::DEFAULT, happening)?;
    }

    // The advance is requested, and funded once enough time has passed.
    call(
        &mut service,
        now,
        "POST",
        "/v1/advances",
        r#"{"payeeExternalId":"acme","invoiceExternalId":"INV-1"}"#,
    );
    while let Some(next) = service.poll_timeout() {
        now = next;
        service.handle_timeout(now);
    }

    // The payor pays in full.
    service.happen(
        now,
        PlatformId::DEFAULT,
        Happening::PayorPays {
            payee: "acme".into(),
            invoice: "INV-1".into(),
            amount: Cents(100_000),
        },
    )?;
    call(&mut service, now, "GET", "/v1/organizations/acme/invoices/INV-1", "");
    Ok(())
}

fn call(service: &mut Service, now: Timestamp, method: &str, path: &str, body: &str) {
    let key = format!("Bearer {}", Service::<Seeded>::FIRST_KEY);
    let request = Request {
        method,
        path,
        authorization: Some(&key),
        content_type: Some("application/json"),
        body: body.as_bytes(),
    };
    let response = exchange::answer(service, now, &request);
    println!("{method} {path}: {} {}", response.status, String::from_utf8_lossy(&response.body));
    assert!(response.status < 300);
}
