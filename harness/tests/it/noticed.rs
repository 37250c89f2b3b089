//! Findings that fail no run: the report shows them as met, not minimised. Some belong to the whole run.

use serde_json::{Value, json};
use tideover_exchange::evidence::finding::Verdict;
use tideover_exchange::start;
use tideover_exchange::step::{Action, Call, Step};
use tideover_exchange::target::{INBOX, service};
use tideover_exchange::transcript::Header;
use tideover_judge::Outside;
use tideover_model::Profile;
use tideover_prove::stranger::Strangers;
use tideover_report::document::FindingReport;
use tideover_report::{Report, html, junit};
use tideover_suite::play::case::play;
use tideover_suite::play::cases::{InProcess, Plan, Summary, Testbed, check};
use tideover_suite::play::learn::Stated;

use crate::support::reports::report;

/// The report for a terminal, as JUnit, as a page and as JSON.
fn rendered(report: &Report) -> [String; 4] {
    [report.to_string(), junit(report).unwrap(), html(report).unwrap(), json!(report).to_string()]
}

fn worlds(profile: &str) -> Strangers {
    let face = service(toml::from_str(profile).unwrap(), 5, INBOX);
    Strangers::new(InProcess::new(face, start()), Outside::Controlled)
}

fn plan() -> Plan {
    let header = Header::new(1, start(), Profile::default());
    Plan { header, first: 0, cases: 60, steps: 50, max_findings: 1 }
}

fn only(report: &Report) -> &FindingReport {
    let [finding] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    finding
}

#[tokio::test]
async fn a_stall_is_reported_with_its_first_case() {
    let mut slow = worlds("delays.collection_account = 900000");
    let plan = plan();
    let summary = check(&mut slow, &plan).await.unwrap();
    let report = report(&plan, &summary, None);
    let finding = only(&report);
    assert_eq!(finding.found.verdict, Verdict::Stalled);
    assert!(finding.cases > 1 && finding.times >= finding.cases, "{finding:#?}");
    assert_eq!((finding.steps.len() as u64, finding.runs), (finding.steps_before, 0));
    assert_eq!(finding.replay.as_deref(), Some("tideover replay it"));
    let (cases, first) = (finding.cases, finding.first_case.unwrap());
    let met = format!("in {cases} cases, first in case {first}; {} steps", finding.steps.len());
    let [terminal, junit, page, _] = rendered(&report);
    for text in [&terminal, &junit, &page] {
        assert!(text.contains(&met) && text.contains("until then, not made fewer"), "{text}");
        assert!(text.contains("say so in a profile"), "{text}");
    }
    let shown = summary.shown().next().unwrap();
    assert_eq!(shown.case, first);
    let again = &mut slow.fresh().await.unwrap();
    let played = play(again, &plan.header, &shown.transcript.steps).await.unwrap();
    let (at, found) = &played.noticed[0];
    assert!(found.is_same(shown.finding()) && at + 1 == shown.answers.len(), "{at}: {found}");
}

/// A malformed tax id may take compliance away, and the right one gives it back: the wait for the account begins anew
/// (`gap.rejectedTaxId`).
#[tokio::test]
async fn a_wait_that_may_have_begun_anew_is_no_stall() {
    let act = |action: Value| Step::new(Action::Act(action.as_object().unwrap().clone()));
    let put = |path: &str, body: Value| Step::new(Action::Call(Call::json("PUT", path, body)));
    let invitation = json!({ "externalId": "v", "email": "a@b.example" });
    let address =
        json!({ "line1": "1 Quay", "city": "Portland", "state": "OR", "postalCode": "97201" });
    let sync = |tax_id: &str| {
        let contact = json!({ "address": address });
        put("/v1/organizations/v", json!({ "legalName": "V", "taxId": tax_id, "contact": contact }))
    };
    let account = json!({ "accountNumber": "000123456789", "routingNumber": "021000021" });
    let a_day = || Step::new(Action::Advance(90_000));
    let read = || Step::new(Action::Call(Call::bare("GET", "/v1/organizations/v")));
    let steps = [
        sync("123456789"),
        Step::new(Action::Call(Call::json("POST", "/v1/invitations", invitation))),
        act(
            json!({ "action": "vendorAcceptsInvitation", "payeeExternalId": "v", "email": "a@b.example" }),
        ),
        act(
            json!({ "action": "vendorSignsAgreement", "payeeExternalId": "v", "address": address }),
        ),
        put("/v1/organizations/v/payout-account", account),
        sync("12"),
        a_day(),
        sync("123456789"),
        read(),
        a_day(),
        read(),
    ];
    let header = Header::new(1, start(), Profile::default());
    let mut world = worlds("readings = { kept_by_malformed = false }");
    let played = play(&mut world.fresh().await.unwrap(), &header, &steps).await.unwrap();
    assert!(played.findings.is_empty() && played.noticed.is_empty(), "{played:#?}");
    let is_open = |step: usize| {
        let business = played.answers[step].1.as_ref().unwrap().json().unwrap();
        business["onboarding"]["collectionAccount"] == true
    };
    assert!(!is_open(8) && is_open(10), "{:#?}", played.answers);
}

#[tokio::test]
async fn a_whole_run_finding_has_no_case() {
    let plan = plan();
    let mut summary: Summary = check(&mut worlds(""), &plan).await.unwrap();
    let file = "success.get_business = 203\n";
    summary.conclude(&Stated::new(toml::from_str(file).unwrap(), file).unwrap());
    let report = report(&plan, &summary, None);
    let finding = only(&report);
    assert_eq!(finding.found.verdict, Verdict::DiffersFromAssumption);
    assert!(finding.times > 1 && finding.first_case.is_none(), "{finding:#?}");
    let [terminal, junit, page, json] = rendered(&report);
    let met = format!("{} times, in the run as a whole", finding.times);
    for text in [&terminal, &junit, &page] {
        assert!(text.contains(&met) && text.contains("learn it anew"), "{text}");
        let empty = ["case 0", " 0 steps", "curl", "What happens", "The steps", "<svg", "replay"];
        let (_, finding) = text.split_once("success.get_business").unwrap();
        let (finding, _) = finding.split_once("whole").unwrap();
        let rest = text.split("</article>").next().unwrap_or(finding);
        for empty in empty {
            assert!(!finding.contains(empty) && !rest.contains(empty), "{empty}: {text}");
        }
    }
    let json: Value = serde_json::from_str(&json).unwrap();
    let finding = &json["findings"][0];
    assert_eq!((finding.get("firstCase"), finding.get("replay")), (None, None));
    assert_eq!((&finding["cases"], &finding["steps"]), (&json!(0), &json!([])));
}
