// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	tideover "github.com/tideover/tideover/sim/packages/go"
)

// What the tests below run in processes of their own: tests that fail.

func TestThatFails(t *testing.T) {
	inOther(t)
	world, webhooks := tideover.NewWorld(t, tideover.Scenario("onboarded")), tideover.NewWebhooks(t)
	webhooks.Subscribe(world)
	world.Fault(tideover.Fault{Act: "upstreamFails", When: "afterCommit", Operation: "request_advance", Nth: 2})
	world.Request("PUT", acmePath, tideover.Fields{"legalName": "Acme", "taxid": "1"}, nil)
	world.Request("POST", "/v1/advances", advance, nil)
	world.PayorPays("acme", "INV-1", 5)
	world.Advance(2 * time.Hour)
	world.Request("POST", "/v1/advances", advance, nil)
}

func TestOfTheReadme(t *testing.T) {
	inOther(t)
	world, webhooks := tideover.NewWorld(t), tideover.NewWebhooks(t)
	webhooks.Subscribe(world)
	world.Request("PUT", acmePath, acme, nil)
	world.ExpectDelivery(tideover.Expected{Event: added})
	world.Request("POST", "/v1/advances", advance, nil)
}

func TestThatFailsInItsClient(t *testing.T) {
	inOther(t)
	tideover.NewWorld(t).Request("GET", "/v1/webhooks", nil, nil)
	world := tideover.NewWorld(t)
	world.Refused("POST", "/v1/advances", advance)
	t.Run("subtest", func(t *testing.T) { world.For(t).Request("POST", "/v1/advances", advance, nil) })
}

func TestThatWaits(t *testing.T) {
	inOther(t)
	world, webhooks := tideover.NewWorld(t, tideover.Scenario("onboarded")), tideover.NewWebhooks(t)
	world.Request("POST", "/v1/advances", advance, nil)
	world.WaitForDeliveries()
	webhooks.Patience = 0
	webhooks.WaitFor(loanPaid)
}

func TestThatFailsInPart(t *testing.T) {
	inOther(t)
	t.Run("passes", func(t *testing.T) { tideover.NewWorld(t) })
	t.Run("fails", func(t *testing.T) {
		tideover.NewWorld(t).Fork()
		tideover.NewWorld(t).Close()
		t.Fail()
	})
}

func failed(t *testing.T, test string, variables ...string) string {
	t.Helper()
	printed, err := other(t, test, variables...)
	matches(t, printed, "(?m)^--- FAIL: "+test)
	equal(t, err.Error(), "exit status 1")
	return printed
}

func TestAFailedTestTellsTheStoryOfItsWorld(t *testing.T) {
	t.Parallel()
	printed := failed(t, "TestThatFails")
	rest := printed
	for _, line := range []string{
		`    story_test\.go:[0-9]+: POST /v1/advances -> 502 upstream_failed \[7\.`,
		`    story_test\.go:[0-9]+: the timeline of world w1 at http://`,
		`2026-01-01T00:00:00Z  POST /v1/webhooks -> 201  \[4\.webhooks\.2\]`,
		`2026-01-01T00:00:00Z  fault upstreamFails\.afterCommit is added$`,
		`2026-01-01T00:00:00Z  PUT /v1/organizations/acme -> 200  \[4\.businessSync\.intro\.1\]`,
		`    The field taxid is not known and was ignored\. Did you mean taxId\?`,
		`2026-01-01T00:00:00Z  POST /v1/advances -> 201  \[4\.advances\.1\]`,
		`2026-01-01T00:00:00Z    webhook partner\.invoice\.factoredUpdated \(acme INV-1 REQUESTED\) -> 204`,
		`2026-01-01T00:00:00Z    webhook partner\.loan\.created \(acme INV-1 [0-9]+\) -> 204`,
		`2026-01-01T00:00:00Z  action payorPays \(acme INV-1 5\)$`,
		`2026-01-01T00:00:00Z  clock moves to 2026-01-01T02:00:00Z$`,
		`2026-01-01T00:00:30Z    webhook partner\.invoice\.factoredUpdated \(acme INV-1 FUNDING\) -> 204`,
		`2026-01-01T02:00:00Z  POST /v1/advances -> 502 upstream_failed  \[7\..*  fault: upstreamFails\.afterCommit`,
		`The last refusal was upstream_failed, decided by clause 7\.`,
		`    The service`,
	} {
		place := regexp.MustCompile(`(?m)^ *` + line).FindStringIndex(rest)
		if place == nil {
			t.Fatalf("there is no %s in\n%s", line, printed)
		}
		rest = rest[place[1]:]
	}
	equal(t, strings.Contains(printed, "whsec_"), false)
}

func TestAllItsWorldsTellTheirStory(t *testing.T) {
	t.Parallel()
	printed := failed(t, "TestThatFailsInItsClient")
	matches(t, printed, `GET /v1/webhooks -> 200`)
	matches(t, printed, `decided by clause 4\.advances\.5:`)
	matches(t, printed, `(?m)^ +--- FAIL: TestThatFailsInItsClient/subtest`)
}

func TestTheWorldsOfAFailedTestCanStay(t *testing.T) {
	t.Parallel()
	keep := "TIDEOVER_KEEP_FAILED=1"
	equal(t, strings.Contains(failed(t, "TestThatFailsInPart", keep), "The world stays"), false)
	mock, err := tideover.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer mock.Stop()
	printed := failed(t, "TestThatFailsInPart", keep, "TIDEOVER_URL="+mock.URL+"/")
	there := []string{"default"}
	for _, named := range regexp.MustCompile(`The world stays: (.*)world=(.*)`).FindAllStringSubmatch(printed, -1) {
		equal(t, named[1], mock.URL+"/_sim/?")
		there = append(there, named[2])
	}
	equal(t, len(there), 3)
	var list struct{ Worlds []struct{ ID string } }
	equal(t, read(mock.URL, "/_sim/worlds", &list), nil)
	var worlds []string
	for _, world := range list.Worlds {
		worlds = append(worlds, world.ID)
	}
	equal(t, worlds, there)
}

func TestNothingHappened(t *testing.T) {
	t.Parallel()
	equal(t, tideover.NewWorld(t).Timeline(), "Nothing: no request came with a key of this world.")
}

func TestNoRequestCame(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t)
	world.Advance(time.Hour)
	failure(t, func() { world.For(nil).PayorPays("acme", "INV-1", 5) })
	equal(t, strings.Split(world.Timeline(), "\n"), []string{
		"2026-01-01T00:00:00Z  clock moves to 2026-01-01T01:00:00Z",
		"2026-01-01T01:00:00Z  action payorPays (acme INV-1 5) -> refused: " +
			"no business was synced under this identifier",
		"",
		"No request came with a key of this world.",
	})
}

func TestAFaultThatNeverActedIsMarked(t *testing.T) {
	t.Parallel()
	throttled := tideover.Fault{Act: "requestThrottled", Operation: "list_subscriptions"}
	world := tideover.NewWorld(t, tideover.Faults(tideover.Fault{Act: "deliveryDropped"}, throttled))
	never := throttled
	never.Nth = 9
	world.Fault(never)
	world.Fault(tideover.Fault{Act: "unknownField"})
	world.Fault(throttled)
	world.Refused("GET", "/v1/webhooks", nil)
	world.ClearFaults()
	world.Fault(never)
	world.Fault(tideover.Fault{Act: "upstreamFails", When: "beforeCommit", Nth: 1, Label: "down"})
	world.Refused("GET", "/v1/webhooks", nil)
	lines := strings.Split(world.Timeline(), "\n")
	equal(t, lines[len(lines)-6:len(lines)-3], []string{
		"2026-01-01T00:00:00Z  fault requestThrottled is added (never acted)",
		"2026-01-01T00:00:00Z  fault down is added",
		"2026-01-01T00:00:00Z  GET /v1/webhooks -> 502 upstream_failed  [7.codes.upstream_failed]  fault: down",
	})
	equal(t, strings.Count(world.Timeline(), "never acted"), 1)
	world.Reset()
	story := "\nfrom the start  fault deliveryDropped (never acted)\n" +
		"from the start  fault requestThrottled (never acted)\n"
	equal(t, strings.Contains(world.Timeline(), story), true)
	world.Fault(throttled)
	world.Refused("GET", "/v1/webhooks", nil)
	equal(t, strings.Count(world.Timeline(), "requestThrottled is added (never acted)"), 1)
}

func TestAWebhookThatIsSentAgainStandsUnderIt(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t), tideover.NewWebhooks(t)
	webhooks.Subscribe(world)
	add(world, "acme")
	delivery := world.ExpectDelivery(tideover.Expected{Event: added})
	world.Resend(delivery)
	equal(t, len(world.WaitForDeliveries()), 0)
	world.Request("GET", acmePath, nil, nil)
	world.Resend(delivery)
	equal(t, len(world.WaitForDeliveries()), 0)
	lines := strings.Split(world.Timeline(), "\n")
	for place, attempt := range map[int]string{3: "attempt 2", 6: "attempt 3"} {
		equal(t, lines[place], "2026-01-01T00:00:00Z  webhook "+delivery.ID+" is sent again")
		equal(t, strings.Contains(lines[place+1], "(acme), "+attempt+" -> 204"), true)
	}
}

func TestARefusalByAFaultIsTheLastOne(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t)
	world.Refused("POST", "/v1/advances", advance)
	world.Fault(tideover.Fault{Act: "requestThrottled", Nth: 1})
	world.Refused("GET", "/v1/webhooks", nil)
	end := "\n\nThe last refusal was too_many_requests, made by the fault requestThrottled:\n" +
		"    Too many requests; try again later."
	equal(t, strings.HasSuffix(world.Timeline(), end), true)
	world.Fault(tideover.Fault{Act: "upstreamFails", When: "beforeCommit", Label: "down"})
	world.Refused("GET", "/v1/webhooks", nil)
	matches(t, world.Timeline(), "\nThe last refusal was upstream_failed, decided by clause 7.*, made by the fault down:")
}

func TestWebhooksStandWhereTheyWereSent(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t), tideover.NewWebhooks(t)
	webhooks.Subscribe(world, added, "partner.organization.optedIn")
	webhooks.Answer(500, 1)
	add(world, "acme")
	// The first delivery is the one that fails: the next ones must not overtake it.
	for patience := time.Now().Add(10 * time.Second); !strings.Contains(world.Timeline(), added+" (acme) -> 500"); {
		if time.Now().After(patience) {
			t.Fatal(world.Timeline())
		}
	}
	world.Request("GET", acmePath, nil, nil)
	world.VendorCompletesOnboarding("acme")
	add(world, "globex")
	world.Advance(5 * time.Second)
	world.Request("GET", "/v1/organizations/globex", nil, nil)
	var lines []string
	for _, line := range strings.Split(world.Timeline(), "\n") {
		lines = append(lines, regexp.MustCompile(`^\S+ +| -> .*`).ReplaceAllString(line, ""))
	}
	equal(t, lines, []string{
		"POST /v1/webhooks",
		"PUT /v1/organizations/acme",
		"webhook partner.organization.added (acme)",
		"GET /v1/organizations/acme",
		"action vendorCompletesOnboarding (acme)",
		"webhook partner.organization.optedIn (acme)",
		"PUT /v1/organizations/globex",
		"webhook partner.organization.added (globex)",
		"clock moves to 2026-01-01T00:00:05Z",
		"webhook partner.organization.added (acme), attempt 2",
		"GET /v1/organizations/globex",
	})
}

func TestALongStoryIsCut(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t)
	for request := 0; request < 70; request++ {
		world.Request("GET", "/v1/webhooks", nil, nil)
	}
	lines := strings.Split(world.Timeline(), "\n")
	equal(t, lines[0], "(10 earlier lines are left out)")
	equal(t, len(lines), 61)
}
