//! The mock's page, in a real browser.

use std::time::Duration;

use serde_json::{Value, json};
use tideover_sim::{Destinations, JournalLimits, Mock, Timestamp};

use crate::support::browser::{self, Browser};

const EVIL: &str = "<img src=x onerror=alert(1)>";
const PHONE: u32 = 360;
/// The parts of the page that stand beside the timeline.
const TABS: [&str; 7] =
    ["start", "invoices", "businesses", "subscriptions", "faults", "money", "worlds"];

/// A mock in which nothing has happened. Its first key is not the usual one.
async fn empty() -> Mock {
    let start = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    let mock = Mock::builder().seed(1).start_at(start).api_key("partner-key");
    let limits = JournalLimits { requests: 10_000, ..JournalLimits::default() };
    mock.webhooks(Destinations::Local).journal(limits).start().await.unwrap()
}

/// A mock with a business whose name is hostile, and an invoice of it.
async fn mock() -> Mock {
    let mock = empty().await;
    put(&mock, "organizations/acme", json!({ "legalName": EVIL, "taxId": "12-3456789" })).await;
    put(&mock, "invoices/INV-7", invoice("acme", "globex", 1_000_000)).await;
    mock
}

fn invoice(payee: &str, payor: &str, face_value: u64) -> Value {
    let party = |name: &str| json!({ "externalId": name, "legalName": name });
    json!({
        "payee": party(payee), "payor": party(payor), "status": "ISSUED", "faceValue": face_value,
        "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-03-02T00:00:00Z",
    })
}

async fn put(mock: &Mock, path: &str, body: Value) {
    send(mock, "PUT", &format!("/v1/{path}"), body).await;
}

/// Sends a request that succeeds.
async fn send(mock: &Mock, method: &str, path: &str, body: Value) -> Value {
    let client = crate::support::plain::client();
    let request = client.request(method.parse().unwrap(), format!("{}{path}", mock.url()));
    let request = request.bearer_auth(mock.api_key()).json(&body);
    request.send().await.unwrap().error_for_status().unwrap().json().await.unwrap()
}

/// A script that finds the button with this accessible name among those that are seen.
fn button(name: &str) -> String {
    format!(
        "Array.from(document.querySelectorAll('button')).find(it => it.checkVisibility() && \
            (it.getAttribute('aria-label') ?? it.textContent).trim() === {})",
        json!(name)
    )
}

/// The page, once it shows the world.
struct Page {
    browser: Browser,
}

impl Page {
    async fn open(mock: &Mock, width: u32, scheme: &str) -> Page {
        let page = Page { browser: Browser::start(width, scheme).await };
        page.browser.visit(mock.url()).await;
        page.until("document.getElementById('connect').children.length > 0").await;
        page
    }

    /// Waits until an expression is true in the page. What it reads may not stand there yet: an
    /// expression that cannot be evaluated is not true.
    async fn until(&self, expression: &str) {
        let script = format!("try {{ return Boolean({expression}) }} catch {{ return false }}");
        let seen = async { while self.browser.run(&script).await != true {} };
        let seen = tokio::time::timeout(Duration::from_secs(30), seen).await;
        if seen.is_err() {
            let text = self.browser.run("return document.body.innerText").await;
            panic!("never: {expression}: {text}");
        }
    }

    async fn tab(&self, name: &str) {
        self.browser.run(&format!("location.hash = '{name}'")).await;
        self.until(&format!("document.getElementById('{name}').checkVisibility()")).await;
    }

    /// Clicks the button with this accessible name once it is seen. The page may be drawn anew at
    /// any time, so one script finds the button and clicks it.
    async fn click(&self, name: &str) {
        self.until(&format!("({}.click(), true)", button(name))).await;
    }

    /// Fills a field of the open form.
    async fn fill(&self, label: &str, value: &str) {
        let field = format!(
            "Array.from(document.querySelectorAll('#form label')).find(it => \
                it.textContent === {})?.control",
            json!(label)
        );
        self.until(&field).await;
        let script = format!(
            "const it = {field}; it.value = {}; \
             it.dispatchEvent(new Event('change', {{ bubbles: true }}))",
            json!(value)
        );
        self.browser.run(&script).await;
    }

    async fn says(&self, text: &str) {
        let said =
            format!("document.getElementById('result').textContent.includes({})", json!(text));
        self.until(&said).await;
    }

    async fn shows_world(&self, name: &str) {
        self.until(&format!(
            "document.getElementById('world').selectedOptions[0]?.textContent === '{name}'"
        ))
        .await;
    }

    async fn has_state(&self, state: &str) {
        let shown = format!("document.querySelector('#invoices .pill')?.textContent === '{state}'");
        self.until(&shown).await;
    }

    /// The lines of the timeline, the oldest first, with what they begin with and without their notes.
    async fn lines(&self) -> Vec<String> {
        let lines = "return Array.from(document.querySelectorAll('.row > summary'), it => { \
            const what = it.querySelector('.what').cloneNode(true); \
            what.querySelectorAll('.more, .reason').forEach(part => part.remove()); \
            return `${it.querySelector('.tag').textContent}: ${what.textContent.trim()}`; }).reverse()";
        serde_json::from_value(self.browser.run(lines).await).unwrap()
    }
}

#[tokio::test]
async fn an_advance_is_repaid_by_clicks_alone() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let page = Page::open(&mock, 1100, "light").await;
    page.click("INV-7").await;
    page.click("Why not? (INV-7)").await;
    page.says("3 objections").await;
    page.until("document.querySelector('.answer .clause').textContent.includes('§3')").await;
    page.tab("businesses").await;
    for step in [
        "Invite the vendor (acme)",
        "The vendor accepts (acme)",
        "The vendor signs (acme)",
        "The vendor adds an account (acme)",
        "The bank opens the account (acme)",
    ] {
        page.click(step).await;
    }
    page.tab("invoices").await;
    page.click("Request an advance (INV-7)").await;
    page.click("Funding starts (INV-7)").await;
    page.has_state("funding").await;
    page.click("Until quiet").await;
    page.has_state("funded").await;
    page.click("Payor pays (INV-7)").await;
    page.says("The payor paid $10,000.00 for INV-7.").await;
    page.has_state("repaid").await;
    mock.audit().unwrap();
    let parts = "return Array.from(document.querySelectorAll('#invoices .money tr'), \
        it => [it.cells[0].textContent, Number(it.cells[1].textContent.replace(/[$,]/g, ''))])";
    let parts = page.browser.run(parts).await;
    let cents = |name: &str| {
        let row = parts.as_array().unwrap().iter().find(|row| row[0] == name);
        row.unwrap_or_else(|| panic!("no {name}: {parts}"))[1].as_f64().unwrap()
    };
    let collected =
        cents("Back to the funder") + cents("Fee to the funder") + cents("Forwarded to the vendor");
    assert!((cents("Face value") - collected).abs() < 0.001, "{parts}");
    let pays = "return Array.from(document.querySelectorAll('#invoices button'), \
        it => it.textContent).filter(it => it.startsWith('Payor pays'))";
    assert_eq!(page.browser.run(pays).await, json!([]), "nothing is left to pay");
    let expected = [
        "request: PUT /v1/organizations/acme",
        "request: PUT /v1/invoices/INV-7 acme",
        "request: POST /v1/invitations acme",
        "action: Vendor accepts invitation acme",
        "action: Vendor signs agreement acme",
        "action: Vendor adds bank account acme",
        "action: Collection account opens acme",
        "request: POST /v1/advances acme/INV-7",
        "action: Funding starts acme/INV-7",
        "clock: +1 h → 2026-01-01 01:00:00",
        "action: Payor pays acme/INV-7 $10,000.00",
    ];
    assert_eq!(page.lines().await, expected);
}

/// What someone sees first who opens the page of a new mock.
#[tokio::test]
async fn the_empty_page_tells_how_to_begin_and_plays_a_story() {
    if browser::is_missing() {
        return;
    }
    let mock = empty().await;
    let page = Page::open(&mock, 1100, "light").await;
    page.until("document.getElementById('start').checkVisibility()").await;
    let offered = page.browser.run("return document.getElementById('start').innerText").await;
    let offered = offered.as_str().unwrap();
    for text in [mock.url(), "partner-key", "curl -X PUT", "Play the sample story"] {
        assert!(offered.contains(text), "{text}: {offered}");
    }
    let links = "return Array.from(document.querySelectorAll('#start a'), it => it.href)";
    let client = crate::support::plain::client();
    for link in page.browser.run(links).await.as_array().unwrap() {
        assert_eq!(
            client.get(link.as_str().unwrap()).send().await.unwrap().status(),
            200,
            "{link}"
        );
    }
    page.click("Play the sample story").await;
    page.says("The story is complete").await;
    page.until("document.getElementById('invoices').checkVisibility()").await;
    page.until("document.querySelectorAll('#invoices .pill').length === 2").await;
    let lines = page.lines().await;
    let place = |line: &str| {
        let found = lines.iter().position(|it| it == line);
        found.unwrap_or_else(|| panic!("no {line}: {lines:#?}"))
    };
    // Everything in its order, whichever of the logs it comes from.
    let order = [
        "action: Vendor completes onboarding acme",
        "webhook: acme opted in",
        "clock: +1 h 30 s → 2026-01-01 01:00:30",
        "webhook: acme/INV-1 → FUNDED\u{a0}·\u{a0}seq\u{a0}3",
        "clock: +10 d → 2026-01-11 01:00:30",
        "action: Payor pays acme/INV-1 $4,000.00",
        "action: Payor pays acme/INV-1 $6,000.00",
        "webhook: acme/INV-1 → REPAID\u{a0}·\u{a0}seq\u{a0}4",
        "request: PUT /v1/invoices/INV-2 acme",
    ]
    .map(place);
    assert!(order.is_sorted(), "{order:?}: {lines:#?}");
    let days = "return Array.from(document.querySelectorAll('.day'), it => it.textContent)";
    assert_eq!(page.browser.run(days).await, json!(["Sun 2026-01-11", "Thu 2026-01-01"]));
    let refusal = page.browser.run("return document.getElementById('problems').innerText").await;
    let refusal = refusal.as_str().unwrap();
    assert!(
        refusal.contains("1 refusal") && refusal.contains("business_not_eligible"),
        "{refusal}"
    );
    // The clause comes with the choice.
    page.browser.run("document.querySelector('.problem button').click()").await;
    page.until("document.querySelector('.problem .clause')?.textContent.includes('§3')").await;
    page.until("document.querySelectorAll('.row').length === 1").await;
}

/// A webhook that nobody accepts stands first, in red, counted, with the reason.
#[tokio::test]
async fn failures_come_first() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    // Nobody listens there.
    let hook = json!({ "url": "http://127.0.0.1:9/hooks" });
    send(&mock, "POST", "/v1/webhooks", hook).await;
    put(&mock, "invoices/INV-8", invoice("acme", "globex", 100)).await;
    put(&mock, "invoices/INV-9", invoice("acme", "globex", 100)).await;
    send(&mock, "POST", "/_sim/clock", json!({ "untilQuiet": true })).await;
    let page = Page::open(&mock, 1100, "light").await;
    page.until("document.querySelectorAll('.row').length === 8").await;
    assert_eq!(page.browser.run("return document.title").await, "(2) Tideover · default");
    let first = "const it = document.querySelector('#problems li'); \
        return [it.querySelector('.number').firstChild.textContent, it.innerText, \
            it.getBoundingClientRect().top < document.querySelector('.row').getBoundingClientRect().top, \
            document.getElementById('problems-title').textContent]";
    let first = page.browser.run(first).await;
    assert_eq!(
        (&first[0], &first[2], &first[3]),
        (&json!("2"), &json!(true), &json!("2 failures"))
    );
    let said = first[1].as_str().unwrap();
    assert!(said.contains("127.0.0.1:9/hooks") && said.contains("refused"), "{said}");
    let rows = "return Array.from(document.querySelectorAll('.row.delivery'), it => [ \
        it.className, getComputedStyle(it.querySelector('.reason')).color, it.innerText])";
    for row in page.browser.run(rows).await.as_array().unwrap() {
        assert_eq!((&row[0], &row[1]), (&json!("row delivery bad"), &json!("rgb(179, 33, 27)")));
        let text = row[2].as_str().unwrap();
        assert!(text.contains("acme/INV-") && text.contains("8 times · given up"), "{text}");
        assert!(!text.contains("hooks"), "one receiver needs no name: {text}");
    }
}

/// A duty that the caller breaks stands first, with the requests that show it, also when it is broken later.
#[tokio::test]
async fn broken_duties_come_first() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let page = Page::open(&mock, 1100, "light").await;
    page.tab("conduct").await;
    page.until("document.querySelector('#conduct .pill').textContent === 'met'").await;
    let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-7" });
    for _ in 0..2 {
        let client = crate::support::plain::client();
        let request = client.post(format!("{}/v1/advances", mock.url()));
        let refused = request.bearer_auth(mock.api_key()).json(&advance).send().await.unwrap();
        assert_eq!(refused.status(), 409);
    }
    page.until("document.querySelector('#conduct .pill').textContent === 'broken'").await;
    page.until("document.querySelector('#tab-conduct .count.bad')?.textContent === '1'").await;
    let first = "return document.querySelector('#conduct tbody').innerText";
    let first = page.browser.run(first).await;
    assert!(first.as_str().unwrap().contains("refused write is not sent again"), "{first}");
    let words = "A refused write is not sent again before the request or the state has changed.";
    page.click(words).await;
    page.until("document.querySelector('#conduct .opened code')?.textContent === '7.retrying.2'")
        .await;
}

/// A business that only owes has nothing to do.
#[tokio::test]
async fn a_payor_is_not_invited() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let page = Page::open(&mock, 1100, "light").await;
    page.tab("businesses").await;
    let rows = "return Array.from(document.querySelectorAll('#businesses tbody'), it => [ \
        it.querySelector('.opener').textContent, it.rows[0].cells[1].textContent, \
        Array.from(it.querySelectorAll('.next button'), button => button.textContent)])";
    let expected = json!([["acme", "vendor", ["Invite the vendor"]], ["globex", "payor", []]]);
    assert_eq!(page.browser.run(rows).await, expected);
    page.click("globex").await;
    assert_eq!(page.browser.run("return document.querySelectorAll('.checklist').length").await, 0);
    page.click("Onboard it as a vendor (globex)").await;
    page.says("globex is onboarded").await;
    page.until("document.querySelectorAll('#businesses .checklist .met').length === 4").await;
}

#[tokio::test]
async fn a_story_is_made_by_hand() {
    if browser::is_missing() {
        return;
    }
    let mock = empty().await;
    let page = Page::open(&mock, 1100, "light").await;
    page.tab("subscriptions").await;
    page.click("New subscription").await;
    page.click("Subscribe").await;
    page.says("The secret is shown only now: whsec_").await;
    page.tab("businesses").await;
    page.click("New vendor").await;
    page.fill("Your identifier", "initech").await;
    page.click("Create the vendor").await;
    page.says("initech is created and onboarded.").await;
    page.tab("faults").await;
    page.click("New fault").await;
    page.fill("What happens", "deliveryDropped").await;
    page.fill("Event", "partner.invoice.created").await;
    page.click("Add the fault").await;
    page.says("Fault 1 is added.").await;
    page.tab("invoices").await;
    page.click("New invoice").await;
    page.fill("Face value in dollars", "none").await;
    page.click("Create the invoice").await;
    page.until("document.querySelector('.problem-text').textContent.includes('faceValue')").await;
    page.fill("Face value in dollars", "1,234.50").await;
    page.click("Create the invoice").await;
    page.says("INV-1 is created.").await;
    page.click("Request an advance (INV-1)").await;
    page.has_state("requested").await;
    let seen = send(&mock, "GET", "/_sim/overview", json!(null)).await;
    assert_eq!(seen["invoices"][0]["faceValue"], 123_450);
    assert_eq!(seen["subscriptions"][0]["url"], format!("{}/_sim/receiver", mock.url()));
    page.until("document.querySelector('#problems li')?.innerText.includes('A fault dropped it')")
        .await;
    page.tab("faults").await;
    page.click("Remove (deliveryDropped)").await;
    page.until("document.querySelectorAll('#faults tbody').length === 0").await;
}

/// However long the history is, the page shows a part of it.
#[tokio::test]
async fn a_long_history_stays_quick() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    for number in 0..3000 {
        let body = json!({ "externalId": "acme", "invoiceFaceValue": 1 + number });
        send(&mock, "POST", "/v1/quotes", body).await;
    }
    let page = Page::open(&mock, 1100, "light").await;
    page.until("document.getElementById('filter-shown').textContent === '3,002 entries'").await;
    let rows = "document.querySelectorAll('.row').length";
    assert_eq!(page.browser.run(&format!("return {rows}")).await, 100);
    page.browser.run("document.getElementById('older').scrollIntoView()").await;
    page.until(&format!("{rows} === 200")).await;
    let filter = "const it = document.getElementById('filter-text'); it.value = '2999'; \
        it.dispatchEvent(new Event('input', { bubbles: true }))";
    page.browser.run(filter).await;
    page.until("document.getElementById('filter-shown').textContent === '1 of 3,002 entries'")
        .await;
    page.click("Show all").await;
    page.until("document.getElementById('filter-shown').textContent === '3,002 entries'").await;
}

/// Browsers send many headers that say nothing. A body stands in lines.
#[tokio::test]
async fn a_request_shows_what_matters() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let page = Page::open(&mock, 1100, "light").await;
    page.tab("businesses").await;
    page.click("Invite the vendor (acme)").await;
    let row = "Array.from(document.querySelectorAll('.row')).find(it => it.innerText.includes('invitations'))";
    page.until(row).await;
    page.browser.run(&format!("{row}.querySelector('summary').click()")).await;
    page.until(&format!("{row}.querySelector('.details')")).await;
    let seen = format!(
        "return Array.from(Array.from({row}.querySelectorAll('section')).find(it => it.querySelector('pre')).children).filter( \
        it => it.matches('pre')).map(it => it.textContent)"
    );
    let seen = page.browser.run(&seen).await;
    assert_eq!(seen[0], "authorization: Bearer …-key\ncontent-type: application/json");
    let body = "{\n  \"externalId\": \"acme\",\n  \"email\": \"vendor@vendor.example\"\n}";
    assert_eq!(seen[1], body);
    let folded = format!(
        "return Array.from(Array.from({row}.querySelectorAll('section')).find(it => it.querySelector('pre')).querySelectorAll('summary'), it => it.textContent)"
    );
    let folded = page.browser.run(&folded).await.to_string();
    assert!(folded.contains("The bytes as sent") && folded.contains("usual headers"), "{folded}");
}

#[tokio::test]
async fn worlds_are_made_opened_copied_reset_and_deleted() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let page = Page::open(&mock, 1100, "light").await;
    page.tab("worlds").await;
    page.browser.run("document.getElementById('make-scenario').value = 'funded'").await;
    page.click("New world").await;
    page.shows_world("w1").await;
    page.has_state("funded").await;
    page.click("w1").await;
    page.click("Fork (world w1)").await;
    page.says("World w2 is a copy of world w1.").await;
    page.tab("invoices").await;
    page.click("Payor pays the rest (INV-1)").await;
    page.has_state("repaid").await;
    page.tab("worlds").await;
    page.click("Open (world w2)").await;
    page.shows_world("w2").await;
    page.has_state("funded").await;
    page.click("w2").await;
    let snapshot = "document.querySelector('a[aria-label=\"Snapshot (world w2)\"]')";
    let kept = format!("return fetch({snapshot}.href).then(it => it.json())");
    assert_eq!(page.browser.run(&kept).await["format"], "tideover-world");

    page.click("Delete (world w2)").await;
    // The answer to the first question is none to the second, however soon that is asked.
    let again = format!("{}.click(); {}.click()", button("Cancel"), button("Delete (world w2)"));
    page.browser.run(&again).await;
    let worlds = "document.querySelectorAll('#worlds tbody').length";
    assert_eq!(page.browser.run(&format!("return {worlds}")).await, 3);
    page.click("Delete").await;
    page.says("World w2 is deleted.").await;
    page.shows_world("default").await;
    page.until(&format!("{worlds} === 2")).await;
    assert_eq!(page.browser.run("return document.activeElement.id").await, "worlds-title");
    page.click("default").await;
    page.click("Reset (world default)").await;
    page.click("Reset").await;
    page.until("document.querySelectorAll('#businesses tbody').length === 0").await;
    let delete = "return Array.from(document.querySelectorAll('#worlds button'), \
        it => it.textContent).filter(it => it === 'Delete')";
    assert_eq!(page.browser.run(delete).await, json!(["Delete"]), "only w1 can be deleted");
}

/// An address leads to a world, as a platform, and to a part of the page; the way back leads back.
#[tokio::test]
async fn an_address_names_the_world() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let options = json!({ "scenario": "funded", "platforms": ["second"] });
    send(&mock, "POST", "/_sim/worlds", options).await;
    let page = Page::open(&mock, 1100, "light").await;
    page.browser.visit(&format!("{}/_sim/?world=w1#businesses", mock.url())).await;
    page.until("document.getElementById('businesses').checkVisibility()").await;
    page.until("document.querySelectorAll('#businesses tbody').length === 2").await;
    let choose = "const it = document.getElementById('world'); it.value = JSON.stringify(['w1', 'second']); \
        it.dispatchEvent(new Event('change'))";
    page.until("document.getElementById('world').options.length === 3").await;
    page.browser.run(choose).await;
    page.until(
        "location.search === '?world=w1&platform=second' && location.hash === '#businesses'",
    )
    .await;
    page.until("document.querySelectorAll('#businesses tbody').length === 0").await;
    page.browser.run("history.back()").await;
    page.until("document.querySelectorAll('#businesses tbody').length === 2").await;
    page.tab("worlds").await;
    page.browser.run("document.getElementById('switch-key').value = 'never issued'").await;
    page.click("Show its world").await;
    page.says("not one that was issued").await;
    page.browser.run("document.getElementById('switch-key').value = 'partner-key'").await;
    page.click("Show its world").await;
    page.shows_world("default").await;
    page.until("location.search === ''").await;
}

/// A mark for text from right to left stays in the name that has it.
#[tokio::test]
async fn names_do_not_turn_what_stands_beside_them() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    put(&mock, "invoices/INV-8", invoice("v\u{202e}4", "p\u{202e}5", 100)).await;
    let page = Page::open(&mock, 1100, "light").await;
    page.until("document.querySelectorAll('#invoices tbody').length === 2").await;
    let places = "const place = node => { const it = document.createRange(); \
        it.selectNodeContents(node); return it.getBoundingClientRect(); }; \
        const whole = document.querySelector('#invoices .parties'); \
        const [payee, arrow, payor] = Array.from(whole.childNodes, place); \
        return [whole.textContent, payee.right <= arrow.left + 1, arrow.right <= payor.left + 1]";
    let expected = json!(["v\u{202e}4 ← p\u{202e}5", true, true]);
    assert_eq!(page.browser.run(places).await, expected);
    page.tab("businesses").await;
    // A long name goes on in the next line: its beginning counts.
    let name = "const [id, name] = Array.from(document.querySelectorAll('#businesses th')).find(it => \
        it.textContent.includes('onerror')).children; \
        return id.getBoundingClientRect().right <= name.getClientRects()[0].left + 1";
    assert_eq!(page.browser.run(name).await, true);
}

/// What the page offers as a command for each request, run by a shell, arrives as the same request again.
#[tokio::test]
async fn a_copied_command_sends_the_same_request() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let client = crate::support::plain::client();
    let send = async |path: &str, body: Vec<u8>| {
        let request = client.post(format!("{}/v1/{path}", mock.url())).body(body);
        request.bearer_auth(mock.api_key()).send().await.unwrap();
    };
    send("quotes?a=[1-2]&b={x,y}", b"@/etc/passwd".to_vec()).await;
    send("quotes?", "{\"externalId\":\"it's \\\"€\\\"\"}".into()).await;
    let page = Page::open(&mock, 1100, "light").await;
    page.until("document.querySelectorAll('.row').length === 4").await;
    page.browser.run("document.querySelectorAll('.row').forEach(it => it.open = true)").await;
    page.until("document.querySelectorAll('.row .details').length === 4").await;
    let commands = "return Array.from(document.querySelectorAll( \
        'pre[aria-label=\"The request as a curl command\"]'), it => it.textContent).reverse()";
    let commands = page.browser.run(commands).await;
    for command in commands.as_array().unwrap() {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", command.as_str().unwrap()]).env("TIDEOVER_KEY", mock.api_key());
        // The mock answers in this thread.
        let ended = tokio::task::spawn_blocking(move || shell.output()).await.unwrap().unwrap();
        assert!(ended.status.success(), "{command}: {ended:?}");
    }
    let sent = mock.journal().into_iter().map(|it| {
        let media_type = it.request.headers.get("content-type").cloned();
        (it.method, it.path, it.query, media_type, it.request.body)
    });
    let sent: Vec<_> = sent.collect();
    assert_eq!((sent.len(), &sent[..4]), (8, &sent[4..]));
}

/// A wrong command would be worse than none.
#[tokio::test]
async fn no_command_is_offered_for_what_is_not_known() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let client = crate::support::plain::client();
    let send = async |key: &str, path: &str, body: Vec<u8>| {
        let request = client.put(format!("{}/v1/organizations/{path}", mock.url())).body(body);
        request.bearer_auth(key).send().await.unwrap();
    };
    send(mock.api_key(), "large", vec![b' '; 70_000]).await;
    send(mock.api_key(), &"x".repeat(300), Vec::new()).await;
    send("rap_sk_guessed", "unread", b"{}".to_vec()).await;
    send(mock.api_key(), "bytes", vec![255]).await;
    let page = Page::open(&mock, 1100, "light").await;
    page.until("document.querySelectorAll('.row').length === 6").await;
    page.browser.run("document.querySelectorAll('.row').forEach(it => it.open = true)").await;
    page.until("document.querySelectorAll('.row .details').length === 6").await;
    let said = "return Array.from(document.querySelectorAll('.row'), it => [ \
        /There is no curl command .*: (.*)\\./.exec(it.textContent)?.[1] ?? null, \
        it.textContent.includes('Copy as curl')]).reverse()";
    let why = [
        json!([null, true]),
        json!([null, true]),
        json!(["the journal keeps only the beginning of its body of 70000 bytes", false]),
        json!(["the journal keeps only a part of its path", false]),
        json!(["the mock did not read its body", false]),
        json!(["its body is not text", false]),
    ];
    assert_eq!(page.browser.run(said).await, json!(why));
}

#[tokio::test]
async fn a_page_whose_world_is_gone_leads_back() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let page = Page::open(&mock, 1100, "light").await;
    page.tab("worlds").await;
    page.click("New world").await;
    page.shows_world("w1").await;
    assert_eq!(page.browser.run("return document.getElementById('gone').hidden").await, true);
    let client = crate::support::plain::client();
    let deleted = client.delete(format!("{}/_sim/worlds/w1", mock.url())).send().await.unwrap();
    assert_eq!(deleted.status(), 200);
    let address = page.browser.run("return location.href").await;
    page.browser.visit(address.as_str().unwrap()).await;
    let says = "document.getElementById('gone').checkVisibility() && \
        document.getElementById('gone').textContent.includes('is gone')";
    page.until(says).await;
    page.until("document.querySelectorAll('#worlds tbody').length === 1").await;
    page.click("Back to the default world").await;
    page.shows_world("default").await;
    page.until("document.getElementById('gone').hidden").await;
    page.until("document.querySelectorAll('#businesses tbody').length > 0").await;
}

#[tokio::test]
async fn what_a_client_sends_is_shown_as_text() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let page = Page::open(&mock, 1100, "light").await;
    page.until("document.querySelectorAll('.row').length === 2").await;
    page.browser.run("document.querySelectorAll('.row').forEach(it => it.open = true)").await;
    page.until("document.querySelectorAll('.row .details').length === 2").await;
    // The only picture is that of the page itself.
    let seen = "return [document.images.length, document.querySelectorAll('[onerror]').length, \
        document.querySelector('#businesses th:not([scope=col])').textContent.trim(), \
        Array.from(document.querySelectorAll('.row pre')).some(it => it.textContent.includes('onerror'))]";
    assert_eq!(page.browser.run(seen).await, json!([1, 0, format!("acme {EVIL}"), true]));
    assert_eq!(page.browser.log("browser").await, Vec::<Value>::new());
}

/// What is wrong with the page for a keyboard, a screen reader, or weak eyes.
const BARRIERS: &str = include_str!("support/barriers.js");

/// An entry says what it changed, and leads to the world as it was, back to now, and to a copy from there.
#[tokio::test]
async fn an_entry_leads_to_the_world_as_it_was() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let complete = json!({ "action": "vendorCompletesOnboarding", "payeeExternalId": "acme" });
    send(&mock, "POST", "/_sim/actions", complete).await;
    let names = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-7" });
    send(&mock, "POST", "/v1/advances", names).await;
    send(&mock, "POST", "/_sim/clock", json!({ "untilQuiet": true })).await;
    for (width, scheme) in [(1100, "light"), (PHONE, "dark")] {
        let page = Page::open(&mock, width, scheme).await;
        page.tab("invoices").await;
        page.has_state("funded").await;
        if width == PHONE {
            page.tab("timeline").await;
        }
        let entry = "Array.from(document.querySelectorAll('.row.request')).find(it => it.textContent.includes('/v1/advances'))";
        page.until(entry).await;
        page.browser.run(&format!("{entry}.open = true")).await;
        page.until(&format!(
            "{entry}.querySelector('.changes').textContent.includes('advance.state – → REQUESTED')"
        ))
        .await;
        page.click("See the world as it was (entry 2)").await;
        page.has_state("requested").await;
        page.until("document.getElementById('past').textContent.includes('right after request POST /v1/advances')").await;
        page.until(
            "document.querySelector('.row[aria-current]')?.textContent.includes('/v1/advances')",
        )
        .await;
        page.tab("businesses").await;
        page.tab("invoices").await;
        page.browser.run(OPEN).await;
        let offered = "return Array.from(document.querySelectorAll('#invoices button'), \
            it => it.checkVisibility() && !it.matches('.opener') && it.textContent).filter(Boolean)";
        assert_eq!(page.browser.run(offered).await, json!(["Show in the timeline"]));
        assert_eq!(page.browser.run(BARRIERS).await, json!([]), "{scheme}, {width}");
        page.click("Back to now").await;
        page.has_state("funded").await;
        page.until("!document.getElementById('past').checkVisibility()").await;
    }
    let page = Page::open(&mock, 1100, "light").await;
    page.until("document.querySelectorAll('.row').length > 0").await;
    page.browser.run("document.querySelectorAll('.row.request')[0].open = true").await;
    page.click("Fork from here (entry 2)").await;
    page.shows_world("w1").await;
    page.has_state("requested").await;
}

/// Opens all that can be opened.
const OPEN: &str = "document.querySelectorAll('.opener[aria-expanded=false]').forEach(it => it.click()); \
    document.querySelectorAll('details').forEach(it => it.open = true)";

#[tokio::test]
async fn the_page_has_no_barriers_at_any_width() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    send(&mock, "POST", "/v1/webhooks", json!({ "url": "http://127.0.0.1:9/hooks" })).await;
    put(&mock, "invoices/INV-8", invoice("acme", "globex", 100)).await;
    send(&mock, "POST", "/_sim/faults", json!({ "act": "requestRepeated" })).await;
    send(&mock, "POST", "/_sim/clock", json!({ "untilQuiet": true })).await;
    for scheme in ["light", "dark"] {
        for width in [PHONE, 1100] {
            let page = Page::open(&mock, width, scheme).await;
            page.until("document.querySelectorAll('.row').length === 7").await;
            for tab in TABS.into_iter().chain((width == PHONE).then_some("timeline")) {
                page.tab(tab).await;
                page.browser.run(OPEN).await;
                page.until("Array.from(document.querySelectorAll('.row')).every(it => it.children.length === 2)").await;
                page.browser.run(OPEN).await;
                if tab == "invoices" {
                    page.click("Why not? (INV-7)").await;
                    page.until("document.querySelector('.answer li')").await;
                }
                assert_eq!(page.browser.run(BARRIERS).await, json!([]), "{tab}, {scheme}, {width}");
                let sideways = "return document.documentElement.scrollWidth";
                assert_eq!(page.browser.run(sideways).await, width, "{tab}, {scheme}");
            }
            page.browser.visit(&format!("{}/_sim/guide/#page.md", mock.url())).await;
            page.until("document.querySelector('h1')?.textContent === 'The page'").await;
            assert_eq!(page.browser.run(BARRIERS).await, json!([]), "guide, {scheme}, {width}");
            let sideways = "return document.documentElement.scrollWidth";
            assert_eq!(page.browser.run(sideways).await, width, "guide, {scheme}");
        }
    }
}

/// The check itself finds what it is for.
#[tokio::test]
async fn barriers_are_found() {
    if browser::is_missing() {
        return;
    }
    let mock = mock().await;
    let page = Page::open(&mock, 1100, "light").await;
    let spoil = "const main = document.querySelector('main'); \
        document.getElementById('play').setAttribute('aria-label', 'Begin'); \
        main.append(document.createElement('button'), document.createElement('h5'), \
            document.createElement('main'), document.createElement('img')); \
        main.append(Object.assign(document.createElement('p'), { textContent: 'faint', tabIndex: 3 })); \
        main.lastChild.style.color = '#999'; document.documentElement.lang = ''";
    page.browser.run(spoil).await;
    let found = page.browser.run(BARRIERS).await;
    for barrier in
        ["no name", "named otherwise", "skips", "main", "alt", "tabindex", "contrast", "lang"]
    {
        assert!(found.to_string().contains(barrier), "{barrier}: {found}");
    }
}
