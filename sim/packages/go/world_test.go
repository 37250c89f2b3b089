// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover_test

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	tideover "github.com/tideover/tideover/sim/packages/go"
)

func TestTheOutsideWorldActs(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t)
	world.Request("PUT", acmePath, acme, nil)
	email := "ada@acme.example"
	world.Request("POST", "/v1/invitations", tideover.Fields{"externalId": "acme", "email": email}, nil)
	world.VendorAcceptsInvitation("acme", email)
	world.VendorConfirmsTaxID("acme", "W9_UPLOAD", "12-3456789")
	world.VendorConfirmsTaxID("acme", "W9_UPLOAD", "")
	world.VendorAddsBankAccount("acme", "000123456789", "021000021")
	address := tideover.Address{Line1: "1 Quay", City: "Portland", State: "OR", PostalCode: "97201"}
	world.VendorSignsAgreement("acme", &address)
	world.CollectionAccountOpens("acme")
	equal(t, len(world.VendorCompletesOnboarding("acme")), 0)
	var business struct {
		ComplianceRoute string
		Onboarding      struct{ Compliance, Contract, Bank, CollectionAccount bool }
	}
	world.Request("GET", acmePath, nil, &business)
	equal(t, business.ComplianceRoute, "W9_UPLOAD")
	done := business.Onboarding
	equal(t, done.Compliance && done.Contract && done.Bank && done.CollectionAccount, true)
	world.TaxIDFoundWrong("acme")
	world.VendorConfirmsTaxID("acme", "VENDOR_ASSERTION", "98-7654321")
	world.MarkTestAccount("acme")
	var applied struct{ Applied bool }
	world.Act("markTestAccount", tideover.Fields{"externalId": "acme"}, &applied)
	equal(t, applied.Applied, true)
}

func TestWhatTheOutsideCannotDoIsRefused(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t)
	err := failure(t, func() { world.For(nil).VendorSignsAgreement("nobody", nil) })
	refused, isRefused := err.(*tideover.Refused)
	equal(t, isRefused, true)
	equal(t, refused.Code, "action_refused")
	matches(t, failure(t, func() { world.For(nil).VendorOpensSession("https://x.invalid/1") }).Error(), "-> 409 action_refused")
}

func TestThereIsAMethodForEachAction(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t)
	var listed struct{ Actions []string }
	equal(t, read(world.URL, "/_sim/actions", &listed), nil)
	methods := map[string]bool{}
	for kind, number := reflect.TypeOf(world), 0; number < kind.NumMethod(); number++ {
		methods[strings.ToLower(kind.Method(number).Name)] = true
	}
	equal(t, len(listed.Actions) > 10, true)
	for _, action := range listed.Actions {
		if !methods[strings.ToLower(action)] {
			t.Errorf("no method for %s", action)
		}
	}
}

func TestAnAdvanceHasStates(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t, tideover.Scenario("onboarded"))
	equal(t, len(world.Objections("acme", "INV-1")), 0)
	var requested struct{ AlreadyRequested bool }
	world.Request("POST", "/v1/advances", advance, &requested)
	equal(t, requested.AlreadyRequested, false)
	world.FundingStarts("acme", "INV-1")
	equal(t, state(world), "FUNDING")
	world.FundingCompletes("acme", "INV-1")
	equal(t, world.PayorPays("acme", "INV-1", 1_000_001), tideover.Paid{Applied: 1_000_000, Suspense: 1})
	equal(t, state(world), "REPAID")
	equal(t, world.Objections("acme", "INV-1")[0].Code, "invoice_not_financeable")
}

func TestTimePassesWhenTheTestSaysSo(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t, tideover.Scenario("onboarded"))
	equal(t, world.Now(), start)
	world.Request("POST", "/v1/advances", advance, nil)
	equal(t, world.Advance(29*time.Second), start.Add(29*time.Second))
	equal(t, state(world), "REQUESTED")
	equal(t, world.NextEvent(), start.Add(30*time.Second))
	equal(t, state(world), "FUNDING")
	equal(t, world.UntilQuiet().After(start.Add(time.Hour)), true)
	equal(t, state(world), "FUNDED")
	tomorrow := start.AddDate(0, 0, 1)
	equal(t, world.AdvanceTo(tomorrow), tomorrow)
	equal(t, world.Now(), tomorrow)
	err := failure(t, func() { world.For(nil).AdvanceTo(start) })
	equal(t, err.(*tideover.Refused).Status, 409)
}

func TestAClockCanRun(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t, tideover.Scenario("onboarded"), tideover.Clock("running"), tideover.Speed(10_000))
	webhooks := tideover.NewWebhooks(t)
	webhooks.Subscribe(world)
	world.Request("POST", "/v1/advances", advance, nil)
	// An hour passes by itself.
	webhooks.WaitFor(tideover.Expected{Event: "partner.loan.issued"})
	equal(t, world.Now().After(start), true)
}

func TestARefusalSaysWhy(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t)
	refused := world.Refused("POST", "/v1/advances", advance)
	prose := refused.Prose
	equal(t, *refused, tideover.Refused{
		Request: "POST /v1/advances", Status: 404, Code: "business_not_found", Clause: "4.advances.5", Prose: prose,
	})
	equal(t, refused.Error(), "POST /v1/advances -> 404 business_not_found [4.advances.5]: "+prose)
	payment := tideover.Fields{"action": "payorPays", "payeeExternalId": "acme", "invoiceExternalId": "INV-1", "amount": 1}
	equal(t, world.Refused("POST", "/_sim/actions", payment).Clause, "")
	err := failure(t, func() { world.For(nil).Refused("GET", "/v1/webhooks", nil) })
	equal(t, err.Error(), "GET /v1/webhooks was not refused")
}

func TestAnOptionThatIsWrongIsRefused(t *testing.T) {
	t.Parallel()
	err := failure(t, func() { tideover.NewWorld(nil, tideover.Scenario("bogus")) })
	matches(t, err.Error(), "scenario: expected fresh, onboarded")
}

func TestASpanThatIsWrongIsRefused(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t).For(nil), tideover.NewWebhooks(nil)
	defer webhooks.Close()
	for wanted, wrong := range map[string]func(){
		"advanceSeconds: expected a whole number, not negative, got -60": func() { world.Advance(-time.Minute) },
		"advanceSeconds: expected a whole number, not negative, got 0.5": func() { world.Advance(time.Second / 2) },
		"expiresAfterIdleSeconds: expected .*, got 1.5": func() {
			tideover.NewWorld(nil, tideover.ExpiresAfterIdle(3*time.Second/2))
		},
		"no such field":                        func() { tideover.NewWorld(nil, tideover.Option{Name: "sead", Value: 7}) },
		"a status from 200 to 599, and not 99": func() { webhooks.Answer(99, 1) },
		"cannot answer -1 times":               func() { webhooks.Answer(500, -1) },
		"the patience is negative: -1s": func() {
			webhooks.Patience = -time.Second
			webhooks.WaitFor(loanPaid)
		},
		"patienceSeconds: expected a whole number from 0": func() {
			world.Patience = -time.Second
			world.WaitForRequests(1, tideover.JournalFilter{})
		},
	} {
		matches(t, failure(t, wrong).Error(), wanted)
	}
	equal(t, world.Now(), start)
}

func TestAWorldBeginsAsItsOptionsSay(t *testing.T) {
	t.Parallel()
	fault := tideover.Fault{Act: "requestThrottled", Operation: "get_business", Label: "too fast", RetryAfterSeconds: 3}
	world := tideover.NewWorld(t,
		tideover.StartAt(start.AddDate(1, 0, 0)),
		tideover.Grease(false),
		tideover.Profile(tideover.Fields{"per_invoice_maximum": 5_000}),
		tideover.Faults(fault),
		tideover.ExpiresAfterIdle(time.Hour))
	equal(t, world.Now(), start.AddDate(1, 0, 0))
	equal(t, world.Faults(), []tideover.FaultCount{{Fault: fault, ID: 1}})
	add(world, "acme")
	var quote struct{ FinanceableAmount int64 }
	world.Request("POST", "/v1/quotes", tideover.Fields{"externalId": "acme", "invoiceFaceValue": 9_000}, &quote)
	equal(t, quote.FinanceableAmount, int64(5_000))
}

func TestRequestsFail(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t)
	once := tideover.Fault{Act: "upstreamFails", When: "afterCommit", Operation: "sync_business", Nth: 1}
	equal(t, world.Fault(once), int64(1))
	equal(t, world.Refused("PUT", acmePath, acme).Code, "upstream_failed")
	equal(t, world.Faults()[0].Fired, int64(1))
	world.Fault(tideover.Fault{Act: "connectionDrops", When: "beforeCommit"})
	err := world.Send(context.Background(), "GET", acmePath, nil, nil)
	_, isRefused := err.(*tideover.Refused)
	equal(t, err != nil && !isRefused, true)
	world.ClearFaults()
	var synced struct{ Created bool }
	world.Request("PUT", acmePath, acme, &synced)
	equal(t, synced.Created, false)
	world.UpstreamFails(1)
	equal(t, world.Refused("GET", "/v1/webhooks", nil).Status, 502)
	// What dropped was sent once.
	equal(t, world.CountRequests(tideover.JournalFilter{Fault: "connectionDrops.beforeCommit"}), 1)
}

func TestAnAmountOfAFaultMayBeNothing(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t)
	for _, act := range []string{"answerCut", "importStops", "answerDelayed", "requestThrottled"} {
		world.Fault(tideover.Fault{Act: act})
	}
	equal(t, len(world.Faults()), 4)
	text := failure(t, func() { world.For(nil).Fault(tideover.Fault{Act: "unknownField", AfterRows: 1}) }).Error()
	matches(t, text, "afterRows: unknownField has only the fields")
}

func TestAFileIsImported(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t)
	file := tideover.Raw{Type: "text/csv", Content: `externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate
INV-1,Acme,Globex,ISSUED,5000,2026-01-01T00:00:00Z,2026-03-01T00:00:00Z
INV-2,Acme,Globex,ISSUED,5000,2026-01-01T00:00:00Z,2026-03-01T00:00:00Z
`}
	type report struct {
		Finished bool
		Rows     []struct{ Outcome string }
	}
	var first, second, read report
	world.InterruptNextImport(1)
	world.Request("PUT", "/v1/invoices/imports/january", file, &first)
	equal(t, first.Finished, false)
	world.Request("PUT", "/v1/invoices/imports/january", file, &second)
	equal(t, len(second.Rows), 2)
	equal(t, second.Rows[1].Outcome, "created")
	world.Request("GET", "/v1/invoices/imports/january", nil, &read)
	equal(t, read, second)
}

func TestTheJournalHasWhatTheClientDid(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t)
	world.Refused("PUT", acmePath, tideover.Fields{"legalNam": "Acme"})
	filter := tideover.JournalFilter{Operation: "sync_business", Status: "4xx"}
	entries := world.WaitForRequests(1, filter)
	equal(t, entries[0].Code, "invalid_request")
	equal(t, world.CountRequests(filter), 1)
	equal(t, len(world.Journal(tideover.JournalFilter{Payee: "globex"})), 0)
	equal(t, world.Unexpected(), entries)
	unmet := failure(t, func() { without(t, world).WaitForRequests(2, tideover.JournalFilter{Payee: "acme"}) })
	equal(t, unmet.Error(), `only 1 came of 2 requests with {"payee":"acme"} within 0 seconds`)
}

func TestAWebhookIsExpected(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t, tideover.Scenario("onboarded")), tideover.NewWebhooks(t)
	expected := tideover.Expected{Event: "partner.loan.created", Payee: "acme", Invoice: "INV-1"}
	unmet := failure(t, func() { without(t, world).ExpectDelivery(expected) })
	matches(t, unmet.Error(), "No webhook was sent at all")
	webhooks.Subscribe(world)
	// The client is slower than the test.
	client := make(chan error)
	go func() { client <- world.Send(context.Background(), "POST", "/v1/advances", advance, nil) }()
	created := world.ExpectDelivery(expected)
	equal(t, <-client, nil)
	equal(t, created.Attempts[0].Status, 204)
	equal(t, created.Event.Data.AdvanceAmount > 0, true)
	funded := tideover.Expected{Event: "partner.invoice.factoredUpdated", Invoice: "INV-1", State: "FUNDED"}
	missing := failure(t, func() { without(t, world).ExpectDelivery(funded) })
	matches(t, missing.Error(), `partner.loan.created \(acme INV-1 [0-9]+\): accepted after 1 attempts, 204`)
	world.UntilQuiet()
	world.ExpectDelivery(funded)
	filter := tideover.DeliveryFilter{Type: "partner.loan.issued", State: "accepted"}
	equal(t, len(world.Deliveries(filter)), 1)
}

func TestPlatformsHaveKeysOfTheirOwn(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t, tideover.Platforms(2))
	second := world.Platforms()[1]
	world.Request("PUT", acmePath, acme, nil)
	second.Refused("GET", acmePath, nil)
	second.Fork().Refused("GET", acmePath, nil)
	issued := world.IssueKey("third")
	equal(t, issued != world.Key && issued != second.Key, true)
	world.RevokeKey(issued)
	second.IssueKey("")
	second.RevokeKey("")
	equal(t, second.Refused("GET", "/v1/webhooks", nil).Code, "unauthorized")
}

func TestAWorldStartsAgain(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t), tideover.NewWebhooks(t)
	webhooks.Subscribe(world)
	world.Advance(24 * time.Hour)
	world.Reset()
	equal(t, world.Now(), start)
	webhooks.Subscribe(world)
	world.ResetAndRepeat()
	webhooks.Subscribe(world)
	secrets := webhooks.Secrets()
	equal(t, secrets[0], secrets[2])
	equal(t, secrets[0] != secrets[1], true)
}

func TestACopyGoesItsOwnWay(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t, tideover.Scenario("onboarded"))
	fork := world.Fork()
	fork.Request("POST", "/v1/advances", advance, nil)
	equal(t, state(fork), "REQUESTED")
	equal(t, state(world), "")
	fork.Close()
	equal(t, fork.Refused("GET", "/v1/webhooks", nil).Status, 401)
	fork.Close()
}

func TestASeedGivesTheSameNames(t *testing.T) {
	t.Parallel()
	webhooks := tideover.NewWebhooks(t)
	webhooks.Subscribe(tideover.NewWorld(t, tideover.Seed(7)))
	webhooks.Subscribe(tideover.NewWorld(t, tideover.Seed(7)))
	equal(t, webhooks.Secrets()[0], webhooks.Secrets()[1])
}

func TestWhatGreaseAddsIsRead(t *testing.T) {
	t.Parallel()
	for seed := uint64(0); seed < 20; seed++ {
		world := tideover.NewWorld(t, tideover.Scenario("onboarded"), tideover.Seed(seed), tideover.Grease(true))
		webhooks := tideover.NewWebhooks(t)
		webhooks.Subscribe(world)
		world.Request("POST", "/v1/advances", advance, nil)
		world.UntilQuiet()
		world.PayorPays("acme", "INV-1", 1_000_000)
		world.UntilQuiet()
		webhooks.WaitFor(tideover.Expected{Event: "partner.loan.paid"})
		equal(t, len(world.Journal(tideover.JournalFilter{})), 2)
		equal(t, len(world.Timeline()) > 0, true)
	}
}

func TestAWorldEndsWithItsTest(t *testing.T) {
	t.Parallel()
	var world *tideover.World
	var webhooks *tideover.Webhooks
	if !t.Run("test", func(t *testing.T) {
		world, webhooks = tideover.NewWorld(t), tideover.NewWebhooks(t)
	}) {
		return
	}
	equal(t, world.For(t).Refused("GET", "/v1/webhooks", nil).Status, 401)
	// The connection is refused, or reset while the listener closes.
	if _, err := http.Get(webhooks.URL); err == nil {
		t.Error("the receiver still listens")
	}
}
