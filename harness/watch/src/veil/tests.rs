use std::collections::BTreeSet;

use tideover_model::Operation;

use super::*;

const BUSINESS: &str = "/v1/organizations/acme";
const ACCOUNT: &str = "/v1/organizations/acme/payout-account";
const IMPORT: &str = "/v1/invoices/imports/one";
const KEY: &str = "Bearer live_sk_q2w8r5t1zzzzcdef";

/// A request without a body, and without an answer.
const PLAIN: Bare<'_> = Bare {
    side: Side::Api,
    method: "GET",
    path: BUSINESS,
    authorization: Some(KEY),
    content_type: Some("application/json"),
    signature: None,
    sent: b"",
    answered: None,
};

fn covered(method: &str, path: &str, sent: &[u8], answered: Option<(u16, &[u8])>) -> Veiled {
    let content_type = Some(if path == IMPORT { "text/csv" } else { "application/json" });
    Veil::default().cover(&Bare { method, path, content_type, sent, answered, ..PLAIN })
}

fn text(bytes: Option<Vec<u8>>) -> String {
    String::from_utf8(bytes.unwrap_or_default()).unwrap()
}

fn sent(path: &str, body: &(impl AsRef<[u8]> + ?Sized)) -> String {
    text(covered("PUT", path, body.as_ref(), None).sent)
}

fn answered(path: &str, status: u16, body: &str) -> String {
    text(covered("PUT", path, b"{}", Some((status, body.as_bytes()))).answered)
}

fn import(body: &str) -> Option<String> {
    covered("PUT", IMPORT, body.as_bytes(), None).sent.map(|it| text(Some(it)))
}

#[track_caller]
fn lacks(shown: &str, secrets: &[&str]) {
    for secret in secrets {
        assert!(!shown.contains(secret), "{secret}: {shown}");
    }
}

fn cover(veil: &mut Veil, body: &str) -> String {
    let bare = Bare {
        method: "PUT",
        path: "/v1/organizations/acme?token=abcdefgh",
        sent: body.as_bytes(),
        ..PLAIN
    };
    let veiled = veil.cover(&bare);
    assert_eq!(veiled.authorization.as_deref(), Some("Bearer live_sk_…cdef"));
    assert_eq!(veiled.path, "/v1/organizations/acme?token=%E2%80%A6");
    text(veiled.sent)
}

/// Whoever has the file can verify what it shows, and learns no secret.
#[test]
fn a_delivery_is_signed_anew() {
    let mut veil = Veil::default();
    let bare = Bare {
        method: "POST",
        path: "/v1/webhooks",
        sent: br#"{"url":"https://a.example/hooks"}"#,
        // Where the secret stands is not shown.
        answered: Some((
            201,
            br#"{"reference":"sub_1","signing":{"secret":"whsec_0123456789abcdef"}}"#,
        )),
        ..PLAIN
    };
    let shown = text(veil.cover(&bare).answered);
    lacks(&shown, &["whsec_0123456789abcdef", "0123456789"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    let other = SigningKey::new(shown["signing"]["secret"].as_str().unwrap());
    let body = br#"{"type":"partner.loan.paid","occurredAt":"2026-01-01T00:00:00Z","data":{"note":"12-3456789"}}"#;
    for (secret, is_genuine) in [("whsec_0123456789abcdef", true), ("whsec_of_somebody", false)] {
        let header = SigningKey::new(secret).sign(1_800_000_000, body).to_string();
        let signature = Some(&*header);
        let (side, sent, answered) = (Side::Webhooks, &body[..], None);
        let delivery = Bare { side, path: "/hooks", signature, sent, answered, ..bare };
        let veiled = veil.cover(&delivery);
        let (signature, sent) = (veiled.signature.unwrap(), veiled.sent.unwrap());
        lacks(&text(Some(sent.clone())), &["12-3456789"]);
        let verified = other.verify(Some(signature.as_bytes()), &sent, 1_800_000_000);
        assert_eq!(verified.is_ok(), is_genuine, "{signature}");
        assert_eq!(signature::signed_at(&signature), Some(1_800_000_000));
    }
}

/// A later read returns the same report as the upload (§4).
#[test]
fn a_report_is_shown_alike_to_whoever_asks() {
    let mut veil = Veil::default();
    let report =
        br#"{"externalId":"one","rows":[{"outcome":"rejected","error":"hunter2 is no amount"}]}"#;
    let bare = Bare {
        path: IMPORT,
        content_type: Some("text/csv"),
        answered: Some((200, report)),
        ..PLAIN
    };
    let file = format!("{HEAD}\n{}", ROW.replace("100000", "hunter2"));
    let upload = Bare { method: "PUT", sent: file.as_bytes(), ..bare };
    let shown = [upload, bare].map(|bare| text(veil.cover(&bare).answered));
    assert_eq!(shown[0], shown[1]);
    lacks(&shown[0], &["hunter2"]);
}

/// A service may call amounts and states by other names than the document: the judge needs what it has computed.
#[test]
fn what_a_service_has_computed_is_shown_under_any_name() {
    let mut veil = Veil::default();
    let bare = Bare {
        method: "PUT",
        path: ACCOUNT,
        sent: br#"{"accountNumber":"0012345678","routingNumber":"021000021"}"#,
        answered: Some((
            200,
            br#"{"externalId":"acme","mask":"5678","limit":229140,"number":12345678}"#,
        )),
        ..PLAIN
    };
    let short = br#"{"accountNumber":"0004","routingNumber":"021000021"}"#;
    let row = br#"{"rows":[{"line":4}]}"#;
    let shown =
        text(veil.cover(&Bare { sent: short, answered: Some((200, row)), ..bare }).answered);
    assert_eq!(shown.as_bytes(), row);
    let shown = text(veil.cover(&bare).answered);
    assert!(shown.contains(r#""limit":229140"#), "{shown}");
    lacks(&shown, &["12345678"]);
    let advance =
        br#"{"externalId":"i","advance":{"phase":"FUNDED","principal":229140,"note":"acme"}}"#;
    let read = Bare { method: "GET", path: "/v1/organizations/a/invoices/i", sent: b"", ..bare };
    let shown = text(veil.cover(&Bare { answered: Some((200, advance)), ..read }).answered);
    assert!(shown.contains(r#""phase":"FUNDED","principal":229140,"note":"masked-"#), "{shown}");
    // A refusal may repeat whatever the request had.
    let refused = text(veil.cover(&Bare { answered: Some((400, advance)), ..read }).answered);
    lacks(&refused, &["FUNDED", "229140"]);
}

#[test]
fn numbers_get_others_in_their_place_and_the_rest_stays() {
    let mut veil = Veil::default();
    let body =
        r#"{ "taxId":"12-3456789",  "legalName": "A", "legalName" : "\u0042" , "contact": null }"#;
    let shown = cover(&mut veil, body);
    lacks(&shown, &["3456789"]);
    assert_eq!(shown.len(), body.len());
    let rest = r#",  "legalName": "A", "legalName" : "\u0042" , "contact": null }"#;
    assert!(shown.ends_with(rest), "{shown}");
    assert_eq!(shown, cover(&mut veil, body), "the same for the same");
    assert_ne!(shown, cover(&mut veil, &body.replace("6789", "6780")), "two for two");
}

#[test]
fn the_last_four_of_an_account_stay() {
    let body = r#"{"accountNumber":"000123456789","routingNumber":"021000021"}"#;
    let shown = sent(ACCOUNT, body);
    lacks(&shown, &["00012345"]);
    assert!(shown.contains(r#"6789","routingNumber":"021000021"}"#), "{shown}");
}

#[test]
fn a_body_that_is_not_utf_8_keeps_nothing() {
    let json = b"{\"taxId\":\"12-3456789\",\"legalName\":\"Caf\xe9\"}";
    let shown = sent(BUSINESS, json);
    lacks(&shown, &["3456789", "Caf"]);
    assert!(shown.len() >= json.len(), "the limit of a body counts its bytes");
    let file = b"externalId,payeeTaxId\nCaf\xe9,12-3456789\n";
    assert!(covered("PUT", IMPORT, file, None).sent.is_none());
    let veiled = covered("PUT", BUSINESS, b"{}", Some((400, json)));
    lacks(&text(veiled.answered), &["3456789", "Caf"]);
}

#[test]
fn each_of_two_equal_keys_is_masked() {
    let shown = sent(BUSINESS, r#"{"taxId":"12-3456789","taxId":"98-7654321"}"#);
    lacks(&shown, &["3456789", "7654321"]);
    assert_eq!(shown.matches("\"taxId\":").count(), 2, "{shown}");
}

#[test]
fn a_tax_id_in_a_list_or_an_object_is_masked() {
    for value in [
        r#"["12-3456789",123456789]"#,
        r#"{"value":"12-3456789","n":123456789}"#,
        r#"[{"a":["12-3456789"]}]"#,
        "123456789",
    ] {
        lacks(&sent(BUSINESS, &format!("{{\"taxId\":{value}}}")), &["3456789"]);
    }
}

#[test]
fn fields_of_other_names_are_masked() {
    for name in ["ein", "taxIdNumber", "tax_id", "TaxId", "123456789"] {
        for value in ["\"12-3456789\"", "123456789", "{\"taxId\":\"12-3456789\"}"] {
            lacks(&sent(BUSINESS, &format!("{{\"{name}\":{value}}}")), &["3456789"]);
        }
    }
    let party = r#"{"payee":{"externalId":"acme","ein":"12-3456789","contact":{"ssn":"hidden"}}}"#;
    let shown = sent("/v1/invoices/one", party);
    lacks(&shown, &["3456789", "hidden"]);
    assert!(shown.contains(r#""externalId":"acme""#), "{shown}");
    lacks(&answered(BUSINESS, 200, r#"{"externalId":"acme","ein":"12-3456789"}"#), &["3456789"]);
}

#[test]
fn broken_json_keeps_nothing_and_stays_broken() {
    for body in [
        r#"{"accountNumber": "12345678""#,
        r#"{"accountNumber": "123456", "label": "x",}"#,
        r#"{"accountNumber": "12345678"} {"#,
    ] {
        let shown = sent(ACCOUNT, body);
        lacks(&shown, &["12345", "label"]);
        assert!(serde_json::from_str::<Value>(&shown).is_err(), "{shown}");
    }
    let [one, other] = ["{\"a\":1", "{\"a\":2"].map(|body| sent(ACCOUNT, body));
    assert_ne!(one, other, "two requests are not one");
}

#[test]
fn a_label_that_equals_the_account_is_masked() {
    for account in ["12345678", "000123456789"] {
        let body = format!(r#"{{"accountNumber":"{account}","label":"My {account}"}}"#);
        lacks(&sent(ACCOUNT, &body), &[account, &account[..account.len() - 4]]);
    }
    assert!(sent(ACCOUNT, r#"{"label":"No. 6789"}"#).contains("No. 6789"));
}

#[test]
fn prose_that_repeats_a_body_keeps_no_number() {
    let echo = r#"{"error":"Invalid: {\"taxId\":\"12-3456789\"}, account 12345678","code":"invalid_request"}"#;
    for path in [BUSINESS, "/v1/nothing"] {
        let shown = answered(path, 400, echo);
        lacks(&shown, &["3456789", "1234567"]);
        assert!(shown.contains(r#""code":"invalid_request""#), "{shown}");
    }
    let many = format!("{{\"error\":\"{}\"}}", ["12-3456789"; 20].join(", "));
    lacks(&answered(BUSINESS, 400, &many), &["3456789", "12-345"]);
    lacks(&answered(BUSINESS, 500, "<p>12-3456789, password: hunter2"), &["3456789", "hunter2"]);
}

#[test]
fn prose_after_a_doubtful_request_is_no_longer_shown() {
    let answer = r#"{"error":"Unknown: hunter2","code":"invalid_request"}"#;
    for body in [r#"{"password":"hunter2"}"#, r#"{"password":"hunter2""#] {
        let veiled = covered("PUT", BUSINESS, body.as_bytes(), Some((400, answer.as_bytes())));
        lacks(&text(veiled.sent), &["hunter2"]);
        lacks(&text(veiled.answered), &["hunter2"]);
    }
    assert!(answered(BUSINESS, 400, answer).contains("Unknown: hunter2"));
    let accepted = br#"{"externalId":"acme","created":true,"reason":"Unknown: hunter2"}"#;
    let veiled = covered("PUT", BUSINESS, br#"{"password":"hunter2"}"#, Some((200, accepted)));
    lacks(&text(veiled.answered), &["hunter2"]);
}

#[test]
fn a_body_that_nobody_can_read_keeps_its_length_whatever_it_is() {
    for length in [1 << 16, 3 << 20] {
        assert_eq!(sent(BUSINESS, &vec![b'{'; length]).len(), length);
    }
}

#[test]
fn digits_of_other_scripts_are_masked() {
    let shown = sent(
        BUSINESS,
        r#"{"taxId":"１２-３４５６７８９","contact":{"name":"１２-３４５６７８９"}}"#,
    );
    lacks(&shown, &["３４５"]);
}

#[test]
fn bodies_of_no_operation_keep_no_value() {
    let body = r#"{"client_secret":"s3cr3t-word","password":"hunter2","pin":4711,"code":"abcd","url":"https://a/?hunter2"}"#;
    for path in ["/oauth/token", "/v1/token"] {
        let veiled = covered("POST", path, body.as_bytes(), Some((200, body.as_bytes())));
        for shown in [text(veiled.sent), text(veiled.answered)] {
            lacks(&shown, &["s3cr3t", "hunter2", "4711", "abcd"]);
            assert!(shown.contains("\"client_secret\":"), "{shown}");
        }
    }
    lacks(&sent("/oauth/token", "client_secret=s3cr3t-word&password=hunter2"), &["s3cr", "hunter"]);
}

const HEAD: &str = "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate";
const ROW: &str = "INV-20260001,A,B,ISSUED,100000,2026-01-01T00:00:00Z,\"2026-02-01T00:00:00Z\"";

#[test]
fn a_file_keeps_what_its_known_columns_may_show() {
    let file =
        format!("{HEAD},payeeTaxId,ein,note\r\n{ROW},12-3456789,98-7654321,\"a \"\"b\"\"\"\r\n");
    let shown = import(&file).unwrap();
    lacks(&shown, &["3456789", "7654321", "\"b\""]);
    assert!(shown.starts_with(&format!("{HEAD},payeeTaxId,ein,note\r\n{ROW},")), "{shown}");
}

/// The identifiers of a row, and whether it is good.
type Row = (Option<String>, Option<String>, bool);

/// What the service says to it, as far as a judge knows: the code of a refusal, and of an import which rows are good.
fn verdict(path: &str, body: &[u8]) -> Result<Vec<Row>, Code> {
    let content_type = Some(if path == IMPORT { "text/csv" } else { "application/json" });
    let call = PreparedCall::new("PUT", path, content_type.map(str::to_owned), body.to_vec());
    match &call.asked().operation {
        Ok(Operation::ImportInvoices { file, .. }) => {
            let rows = file.rows.iter();
            Ok(rows.map(|row| (row.invoice.clone(), row.payee.clone(), row.sync.is_ok())).collect())
        }
        Ok(_) => Ok(Vec::new()),
        Err(refusal) => Err(refusal.code),
    }
}

#[test]
fn a_masked_file_is_judged_as_the_file_itself() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/imports");
    let mut left_out = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let file = std::fs::read(entry.path()).unwrap();
        match covered("PUT", IMPORT, &file, None).sent {
            Some(sent) => assert_eq!(verdict(IMPORT, &sent), verdict(IMPORT, &file), "{name}"),
            None => _ = left_out.insert(name),
        }
    }
    assert_eq!(left_out, ["not-utf8.csv", "ragged.csv"].map(str::to_owned).into());
}

#[test]
fn a_masked_body_is_judged_as_the_body_itself() {
    for (path, body) in [
        (
            BUSINESS,
            r#"{"legalName":"A","taxId":"12-3456789","contact":{"phone":"+1 555 010 0199"}}"#,
        ),
        (BUSINESS, r#"{"legalName":"A","taxId":"12-345678"}"#),
        (BUSINESS, r#"{"legalName":"A","taxId":"EIN 12-3456789"}"#),
        (BUSINESS, r#"{"legalName":"A","legalName":"B"}"#),
        (BUSINESS, r#"{"legalName":"A","more":[1,{"a":null}],"contact":{"email":"a@b.example"}}"#),
        (BUSINESS, r#"{"legalName":1234567}"#),
        (BUSINESS, r#"["legalName"]"#),
        (BUSINESS, r#""A""#),
        (BUSINESS, "{"),
        (BUSINESS, ""),
        (BUSINESS, " "),
        (ACCOUNT, r#"{"accountNumber":"12345678","routingNumber":"021000021"}"#),
        (ACCOUNT, r#"{"accountNumber":"12345678","routingNumber":"021000022"}"#),
        (ACCOUNT, r#"{"accountNumber":12345678,"routingNumber":"021000021"}"#),
        (ACCOUNT, r#"{"accountNumber":"1234 5678","routingNumber":"021000021"}"#),
        (ACCOUNT, r#"{"accountNumber":"","routingNumber":"021000021","label":""}"#),
    ] {
        let shown = sent(path, body);
        assert_eq!(verdict(path, shown.as_bytes()), verdict(path, body.as_bytes()), "{shown}");
    }
}

#[test]
fn a_bad_row_hides_its_tax_id_too() {
    let row = ROW.replace("ISSUED", "LOST").replace("100000", "123456789012");
    let shown = import(&format!("{HEAD},payeeTaxId\n{row},12345678\n")).unwrap();
    lacks(&shown, &["12345678"]);
    assert!(shown.contains("INV-20260001,A,B,LOST,"), "{shown}");
}

#[test]
fn a_file_whose_cells_have_no_certain_column_is_left_out() {
    for rows in [
        format!("{ROW},12-3456789,more"),
        ROW.to_owned(),
        format!("{ROW},\"12-3456789"),
        format!("{ROW},12-3456789\n12-3456789"),
    ] {
        assert_eq!(import(&format!("{HEAD},payeeTaxId\n{rows}\n")), None, "{rows}");
    }
}

#[test]
fn two_numbers_never_become_one() {
    let veil = Veil::default();
    let all: BTreeSet<String> =
        (0..1000).map(|number| veil.number(&format!("{number:03}"), 0)).collect();
    assert_eq!(all.len(), 1000);
    let all: BTreeSet<String> = (0..1000).map(|number| veil.numeral(&number.to_string())).collect();
    assert_eq!(all.len(), 1000);
}

#[test]
fn all_digits_of_a_long_number_change() {
    let shown = Veil::default().numbers(&"123456789".repeat(100_000));
    lacks(&shown, &["123456789123456789"]);
}

#[test]
fn two_keys_are_kept_apart() {
    let mut veil = Veil::default();
    let shown = ["Bearer a_sk_111111cdef", "Bearer a_sk_222222cdef", "Bearer a_sk_111111cdef"]
        .map(|header| veil.header(header));
    assert_eq!(shown[0], shown[2]);
    assert_ne!(shown[0], shown[1]);
    assert_eq!(veil.header("Basic dXNlcjpwYXNz"), "Basic …");
}
