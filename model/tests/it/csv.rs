//! Imports: parsing of files, effects of rows, resumption after an interruption.

use serde_json::{Value, json};
use tideover_model::Face;

use crate::desk::{Desk, Seen};

const HEADER: &str =
    "externalId,payeeExternalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate";
const DATES: &str = "2026-01-01T00:00:00Z,2026-02-01T00:00:00Z";

fn row(invoice: &str) -> String {
    format!("{invoice},acme,Acme,Globex,ISSUED,500,{DATES}")
}

fn outcomes(seen: &Seen) -> Vec<&str> {
    let rows = seen.body["rows"].as_array().expect("a report has rows");
    rows.iter().map(|row| row["outcome"].as_str().expect("a row has an outcome")).collect()
}

fn import(text: &str) -> Seen {
    Desk::open().import("one", text.as_bytes())
}

/// `gap.csvForm`, `4.imports.3`: line ends, a byte order mark, blank lines and quotes make no difference.
#[test]
fn csv_variants_are_the_same_table() {
    let (a, b) = (row("a"), row("b"));
    let quoted =
        format!("\"a\",\"acme\",\"Acme, \"\"the\"\"\nfirst\",Globex,ISSUED,\"500\",{DATES}");
    for text in [
        format!("{HEADER}\n{a}\n{b}\n"),
        format!("{HEADER}\n{a}\n{b}"),
        format!("{HEADER}\r\n{a}\r\n{b}\r\n"),
        format!("{HEADER}\r{a}\r{b}\r"),
        format!("\u{feff}{HEADER}\n{a}\n{b}\n"),
        format!("\n\n{HEADER}\n\n{a}\n\r\n\n{b}\n\n\n"),
        format!("{HEADER}\n{quoted}\n{b}\n"),
    ] {
        let seen = import(&text);
        assert_eq!(outcomes(&seen), ["created", "created"], "{text:?}");
        assert_eq!((&seen.body["rowCount"], &seen.body["finished"]), (&json!(2), &json!(true)));
        assert_eq!(seen.body["rows"][0]["externalId"], "a");
    }
}

/// `4.imports.9`, `7.codes.unreadable_file`
#[test]
fn an_unreadable_file_is_refused_entirely() {
    let a = row("a");
    for bytes in [
        b"".to_vec(),
        b"\n\n".to_vec(),
        b"\xef\xbb\xbf".to_vec(),
        b"\xff\xfe".to_vec(),
        b"{}".to_vec(),
        [format!("{HEADER}\n{a}\n").as_bytes(), b"\xff"].concat(),
        format!("{HEADER}\n{a}\n\"b,acme").into_bytes(),
        format!("{HEADER},\"x\n{a}\n").into_bytes(),
        format!("{HEADER}\n\u{4}\n{a}\n\"b,acme").into_bytes(),
        format!("{HEADER},faceValue\n{a},5\n").into_bytes(),
        format!("{HEADER},payeeTaxId,payeeTaxId\n{a},,\n").into_bytes(),
        format!("{}\n", HEADER.replace("dueDate", "duedate")).into_bytes(),
        format!("{}\n", HEADER.replace("dueDate", " dueDate")).into_bytes(),
        HEADER.replace(',', ";").into_bytes(),
    ] {
        let mut desk = Desk::open();
        let before = desk.service.clone();
        let seen = desk.import("one", &bytes);
        assert_eq!(seen.code(), "unreadable_file", "{:?}", String::from_utf8_lossy(&bytes));
        assert!(desk.service == before, "nothing was processed");
    }
}

/// `4.imports.6`, `gap.importExtra`
#[test]
fn a_bad_row_does_not_stop_the_others() {
    let columns = 8;
    let good = row("good");
    for bad in [
        "x".to_owned(),
        "\u{4}".to_owned(),
        "  ".to_owned(),
        ",".repeat(columns - 1),
        format!("{good},surplus"),
        format!("x,acme,Acme,Globex,ISSUED,0,{DATES}"),
        format!("x,acme,Acme,Globex,ISSUED,5.0,{DATES}"),
        format!("x,acme,Acme,Globex,ISSUED,2147483648,{DATES}"),
        format!("x,acme,Acme,Globex,DRAFT,5,{DATES}"),
        format!("x,acme,,Globex,ISSUED,5,{DATES}"),
        format!("x,acme,Acme, ,ISSUED,5,{DATES}"),
        format!(",acme,Acme,Globex,ISSUED,5,{DATES}"),
        "x,acme,Acme,Globex,ISSUED,5,2026-01-01,2026-02-01T00:00:00Z".to_owned(),
    ] {
        let seen = import(&format!("{HEADER}\n{bad}\n{good}\n"));
        assert_eq!(outcomes(&seen), ["rejected", "created"], "{bad:?}");
        let rows = &seen.body["rows"];
        assert_eq!(rows[0]["code"], "invalid_request");
        assert!(rows[0]["error"].is_string() && rows[1]["error"].is_null());
        assert_eq!((&rows[0]["row"], &rows[1]["row"]), (&json!(1), &json!(2)));
        assert_eq!(seen.body["summary"]["rejected"], 1);
    }
}

/// `4.imports.1`, `4.imports.1.2`, `8.importSize`
#[test]
fn a_file_has_at_most_a_thousand_rows() {
    let text = |count: usize| {
        let rows: Vec<_> = (0..count).map(|number| row(&number.to_string())).collect();
        format!("{HEADER}\n{}", rows.join("\n"))
    };
    let seen = import(&text(1_000));
    assert_eq!((seen.status, &seen.body["summary"]["created"]), (200, &json!(1_000)));
    assert_eq!(import(&text(1_001)).code(), "too_many_rows");
    assert_eq!(import(&format!("{}\n\n\n", text(1_000))).status, 200);
    let none = import(HEADER);
    assert_eq!((&none.body["rowCount"], &none.body["finished"]), (&json!(0), &json!(true)));
}

/// `4.imports.7`, `4.imports.7.2`, `4.imports.8`, `4.import.1`, `4.import.2`, `gap.sameFile`
#[test]
fn an_interrupted_import_resumes_where_it_stopped() {
    let file = format!("{HEADER}\n{}\nbad\n{}\n{}\n", row("a"), row("b"), row("c"));
    let mut desk = Desk::open();
    desk.act(&json!({ "action": "interruptNextImport", "afterRows": 1 }));
    let first = desk.import("one", file.as_bytes());
    assert_eq!((&first.body["finished"], outcomes(&first)), (&json!(false), vec!["created"]));
    assert_eq!(desk.get("/v1/invoices/imports/one").body, first.body);

    assert_eq!(desk.import("one", format!("{file}\n").as_bytes()).code(), "already_imported");
    desk.act(&json!({ "action": "interruptNextImport", "afterRows": 0 }));
    assert_eq!(desk.import("one", file.as_bytes()).body, first.body);

    // Resumption repeats no row: it doesn't overwrite a sync in between.
    desk.put("/v1/invoices/a", &crate::desk::invoice_body("acme", "globex", 9_999));
    let whole = desk.import("one", file.as_bytes());
    assert_eq!(outcomes(&whole), ["created", "rejected", "created", "created"]);
    assert_eq!(whole.body["finished"], true);
    assert_eq!(desk.invoice("acme", "a")["faceValue"], 9_999);
    let before = desk.service.clone();
    assert_eq!(desk.import("one", file.as_bytes()), whole);
    assert!(desk.service == before);
}

/// `4.imports.2`: a row and a sync leave the service in the same state.
#[test]
fn a_row_has_the_effect_of_a_sync() {
    let columns = format!("{HEADER},payeeTaxId,payeeAddressCity,payorContactEmail,payorExternalId");
    let cells = format!("{},12-3456789,Portland,p@globex.example,globex", row("a"));
    let (mut by_import, mut by_sync) = (Desk::open(), Desk::open());
    by_import.subscribe();
    by_sync.subscribe();
    by_import.import("one", format!("{columns}\n{cells}\n").as_bytes());
    by_sync.put("/v1/invoices/a", &json!({
        "payee": {
            "externalId": "acme", "legalName": "Acme", "taxId": "12-3456789",
            "contact": { "address": { "city": "Portland" } },
        },
        "payor": {
            "externalId": "globex", "legalName": "Globex", "contact": { "email": "p@globex.example" },
        },
        "status": "ISSUED", "faceValue": 500,
        "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-02-01T00:00:00Z",
    }));
    assert_eq!(by_import.events(), by_sync.events());
    for path in ["/v1/organizations/acme", "/v1/organizations/globex"] {
        assert_eq!(by_import.get(path), by_sync.get(path));
    }
    assert_eq!(by_import.invoice("acme", "a"), by_sync.invoice("acme", "a"));
    // `gap.partyTaxIdAndContact`: filed, but it clears nothing.
    let acme = by_sync.get("/v1/organizations/acme").body;
    assert_eq!((&acme["taxIdOnFile"], &acme["complianceRoute"]), (&json!(true), &Value::Null));
}

/// `4.imports.5`, `4.imports.5.2`, `4.imports.5.3`, `gap.derivedIdentifier`
#[test]
fn a_name_without_an_identifier_means_one_business() {
    let header = HEADER.replace("payeeExternalId,", "");
    let line = |invoice: &str, name: &str| format!("{invoice},{name},Globex,ISSUED,500,{DATES}");
    let file = format!("{header}\n{}\n{}\n", line("a", "Acme Ltd"), line("b", " Acme   Ltd "));
    let mut desk = Desk::open();
    let seen = desk.import("one", file.as_bytes());
    let payee = &seen.body["rows"][0]["payeeExternalId"];
    assert_eq!(payee, &seen.body["rows"][1]["payeeExternalId"]);
    let again = desk.import("two", format!("{header}\n{}\n", line("c", "Acme Ltd")).as_bytes());
    assert_eq!(&again.body["rows"][0]["payeeExternalId"], payee);
    let payee = payee.as_str().unwrap();
    assert_eq!(desk.invoice(payee, "c")["faceValue"], 500);
    assert!(desk.service.audit().is_ok());
}

/// `4.imports.9.2`, `7.codes.unsupported_media_type`
#[test]
fn only_csv_is_imported() {
    let file = format!("{HEADER}\n{}\n", row("a"));
    let path = "/v1/invoices/imports/one";
    for (content_type, status) in [
        (Some("text/csv"), 200),
        (Some("TEXT/CSV ; header=present; charset=utf-8"), 200),
        (None, 200),
        (Some("application/json"), 415),
        (Some("text/plain"), 415),
        (Some("text/csvx"), 415),
        (Some(""), 415),
    ] {
        let response = Desk::open().exchange("PUT", path, content_type, file.as_bytes());
        assert_eq!(response.status, status, "{content_type:?}");
    }
    let empty = Desk::open().exchange("PUT", "/v1/invoices/imports/", None, file.as_bytes());
    assert_eq!(Seen::of(&empty).code(), "invalid_request");
}
