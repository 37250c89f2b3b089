//! Where webhooks may go: a table of URLs, their names' addresses, and the verdicts.

use std::net::IpAddr;

use serde::Deserialize;
use tideover_model::Destinations;
use tideover_model::destination::Unfit;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Row {
    url: String,
    #[serde(default)]
    resolves_to: Vec<IpAddr>,
    public: String,
    local: String,
}

fn verdict(destinations: &Destinations, row: &Row) -> &'static str {
    match destinations.judge(&row.url, &row.resolves_to) {
        Ok(_) => "fit",
        Err(Unfit::NotAUrl) => "not a URL",
        Err(Unfit::NoScheme) => "no scheme",
        Err(Unfit::Scheme(_)) => "scheme",
        Err(Unfit::Credentials) => "credentials",
        Err(Unfit::Port) => "port",
        Err(Unfit::HostName) => "host name",
        Err(Unfit::Local(_)) => "this machine",
        Err(Unfit::Address(_, kind)) => kind,
    }
}

/// `6.subscription.1`, `6.subscription.2`
#[test]
fn every_destination_gets_the_table_verdict() {
    let rows: Vec<Row> =
        serde_json::from_str(include_str!("../../../fixtures/destinations.json")).unwrap();
    assert_eq!(rows.len(), 146);
    let inbox = Destinations::PublicAnd("http://127.0.0.1:4567".into());
    for row in &rows {
        let (url, to) = (&row.url, &row.resolves_to);
        assert_eq!(verdict(&Destinations::Public, row), row.public, "{url} {to:?}");
        assert_eq!(verdict(&Destinations::Local, row), row.local, "{url} {to:?}, for local work");
        assert_eq!(verdict(&inbox, row), row.public, "{url} {to:?}, beside an inbox");
    }
}

#[test]
fn an_inbox_is_exactly_one_origin() {
    let destinations = Destinations::PublicAnd("http://127.0.0.1:4567".into());
    let is_fit = |url: &str| destinations.judge(url, &[]).is_ok();
    assert!(is_fit("http://127.0.0.1:4567/a/b?c"));
    for other in [
        "http://127.0.0.1:4568/",
        "https://127.0.0.1:4567/",
        "http://127.0.0.2:4567/",
        "http://localhost:4567/",
        "http://user@127.0.0.1:4567/",
        "http:127.0.0.1:4567/",
    ] {
        assert!(!is_fit(other), "{other}");
    }
    let by_name = Destinations::PublicAnd("http://localhost:4567".into());
    assert!(by_name.judge("http://localhost:4567/", &["::1".parse().unwrap()]).is_ok());
}

#[test]
fn a_fragment_is_dropped_and_the_error_gives_a_hint() {
    let url = Destinations::Public.judge("https://EXAMPLE.com/hooks#part", &[]).unwrap();
    assert_eq!(url.as_str(), "https://example.com/hooks");
    for url in ["http://example.com/", "https://localhost/", "https://[::1]/"] {
        let why = Destinations::Public.judge(url, &[]).unwrap_err().to_string();
        assert!(why.ends_with("start the mock with --webhooks local"), "{why}");
    }
    let why = Destinations::Public.judge("https://10.0.0.1/", &[]).unwrap_err().to_string();
    let problem =
        "the destination leads to 10.0.0.1, which is not public but private; for containers";
    assert!(why.starts_with(problem) && why.ends_with("--webhooks anywhere"), "{why}");
    let why = Destinations::Public.judge("https://192.0.2.1/", &[]).unwrap_err().to_string();
    assert!(why.ends_with("which is not public but documentation"), "{why}");
}
