//! Requests are written as they are read, and read as they are written.

use proptest::array::uniform9;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use tideover_model::exchange::{Asked, Request};
use tideover_model::words::{EventType, InvoiceStatus};
use tideover_model::{
    Address, BusinessDetails, Contact, FaceValue, ImportFile, ImportRow, InvoiceSync, Operation,
    Party, Timestamp,
};

use crate::generate::{Sharing, Step, steps};

/// A text that is not blank, with what paths, JSON and CSV must escape.
fn text() -> impl Strategy<Value = String> {
    "[a-c/%?#. \",\r\n\u{e9}]{0,4}x"
}

fn details() -> impl Strategy<Value = BusinessDetails> {
    (text(), uniform9(of(text()))).prop_map(|(legal_name, optional)| {
        let [tax_id, name, email, phone, line1, line2, city, state, postal_code] = optional;
        let address = Address { line1, line2, city, state, postal_code };
        let contact = Contact { name, email, phone, address };
        BusinessDetails { legal_name, tax_id, contact }
    })
}

fn party() -> impl Strategy<Value = Party> {
    (text(), details()).prop_map(|(business, details)| Party { business, details })
}

fn face_value() -> impl Strategy<Value = FaceValue> {
    (1..=FaceValue::MAX).prop_map(|cents| FaceValue::new(cents).expect("a face value"))
}

fn instant() -> impl Strategy<Value = Timestamp> {
    (0_i64..10_000_000_000).prop_map(|unix| Timestamp::from_unix(unix).expect("an instant"))
}

fn sync() -> impl Strategy<Value = InvoiceSync> {
    let status = select(&InvoiceStatus::ALL[..]);
    (text(), party(), party(), status, face_value(), instant(), instant()).prop_map(
        |(invoice, payee, payor, status, face_value, issue_date, due_date)| InvoiceSync {
            invoice,
            payee,
            payor,
            status,
            face_value,
            issue_date,
            due_date,
        },
    )
}

fn file() -> impl Strategy<Value = ImportFile> {
    prop::collection::vec(sync().prop_map(ImportRow::from), 0..4)
        .prop_map(|rows| ImportFile { digest: [0; 32], rows })
}

fn operation() -> impl Strategy<Value = Operation> {
    let kinds = of(prop::sample::subsequence(EventType::ALL.to_vec(), 1..=3));
    prop_oneof![
        (text(), text()).prop_map(|(payee, invoice)| Operation::GetInvoice { payee, invoice }),
        sync().prop_map(|sync| Operation::SyncInvoice(Box::new(sync))),
        text().prop_map(|import| Operation::GetImport { import }),
        (text(), file()).prop_map(|(import, file)| Operation::ImportInvoices { import, file }),
        (text(), "[0-9]{4,17}", text(), of(text())).prop_map(
            |(business, account_number, routing_number, label)| Operation::SetPayoutAccount {
                business,
                account_number,
                routing_number,
                label,
            }
        ),
        text().prop_map(|business| Operation::GetBusiness { business }),
        (text(), details())
            .prop_map(|(business, details)| Operation::SyncBusiness { business, details }),
        (text(), text()).prop_map(|(payee, invoice)| Operation::RequestAdvance { payee, invoice }),
        (text(), face_value())
            .prop_map(|(business, face_value)| Operation::Quote { business, face_value }),
        (text(), text()).prop_map(|(business, email)| Operation::Invite { business, email }),
        text().prop_map(|business| Operation::CreateOnboardingSession { business }),
        (text(), kinds).prop_map(|(url, event_types)| Operation::Subscribe {
            url,
            event_types,
            addresses: Vec::new(),
        }),
        Just(Operation::ListSubscriptions),
        text().prop_map(|reference| Operation::Unsubscribe { reference }),
    ]
}

/// What of an operation a request can say: not the digest of another file, nor what is wrong with a row.
fn said(mut operation: Operation) -> Operation {
    if let Operation::ImportInvoices { file, .. } = &mut operation {
        file.digest = [0; 32];
        for row in &mut file.rows {
            row.sync = row.sync.clone().map_err(|_| "".into());
        }
    }
    operation
}

fn read_back(operation: &Operation) -> Operation {
    said(Asked::by(&operation.written().as_request(None)).operation.expect("a valid request"))
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(operation in operation()) {
        prop_assert_eq!(read_back(&operation), operation);
    }

    #[test]
    fn what_is_read_is_written_again(steps in steps(Sharing::Shared, 30)) {
        for step in &steps {
            let Step::Call { method, path, body, .. } = step else { continue };
            let (content_type, body) = body.sent();
            let request = Request { method, path, authorization: None, content_type, body: &body };
            let Ok(operation) = Asked::by(&request).operation else { continue };
            let written = operation.written();
            prop_assert_eq!((written.method, &written.path), (*method, path));
            prop_assert_eq!(written.content_type, content_type);
            let json = |body: &[u8]| serde_json::from_slice::<Value>(body).ok();
            prop_assert_eq!(json(&written.body), json(&body));
            prop_assert_eq!(read_back(&operation), said(operation));
        }
    }
}
