// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	tideover "github.com/tideover/tideover/sim/packages/go"
)

const added = "partner.organization.added"

var loanPaid = tideover.Expected{Event: "partner.loan.paid"}

func add(world *tideover.World, business string) {
	path := "/v1/organizations/" + url.PathEscape(business)
	world.Request("PUT", path, tideover.Fields{"legalName": business}, nil)
}

func statuses(webhooks *tideover.Webhooks) []int {
	var statuses []int
	for _, each := range webhooks.Deliveries() {
		statuses = append(statuses, each.Status)
	}
	return statuses
}

// post sends as the service does; the signature has that age.
func post(t *testing.T, webhooks *tideover.Webhooks, secret, body string, age time.Duration) int {
	t.Helper()
	request, err := http.NewRequest("POST", webhooks.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = signed(secret, body, time.Now().Add(-age))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

func TestEventsAreVerified(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t), tideover.NewWebhooks(t)
	webhooks.Subscribe(world)
	add(world, "acmé")
	event := webhooks.WaitFor(tideover.Expected{Event: added, Payee: "acmé"})
	equal(t, webhooks.Events(), []tideover.Event{event})
	equal(t, statuses(webhooks), []int{204})
	received, sent := webhooks.Deliveries()[0], world.ExpectDelivery(tideover.Expected{Event: added})
	equal(t, tideover.Verify(webhooks.Secrets()[0], received.Header, received.Body), nil)
	equal(t, string(received.Body), sent.Text)
	equal(t, event, sent.Event)
	equal(t, event.OccurredAt, start)
}

func TestOnlyChosenEventsCome(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t), tideover.NewWebhooks(t)
	webhooks.Subscribe(world, "partner.organization.optedIn")
	add(world, "acme")
	world.VendorCompletesOnboarding("acme")
	equal(t, len(world.WaitForDeliveries()), 0)
	equal(t, len(webhooks.Events()), 1)
	equal(t, webhooks.Events()[0].Type, "partner.organization.optedIn")
}

func TestWhatCannotBeVerifiedIsRefused(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t), tideover.NewWebhooks(t)
	webhooks.Subscribe(world)
	webhooks.Believe("whsec_another")
	add(world, "acme")
	equal(t, world.WaitForDeliveries()[0].Attempts[0].Status, 401)
	if problem := webhooks.Deliveries()[0].Problem; !errors.Is(problem, tideover.ErrWrong) {
		t.Fatal(problem)
	}
	equal(t, len(webhooks.Events()), 0)
}

func TestAStaleSignatureIsRefused(t *testing.T) {
	t.Parallel()
	webhooks := tideover.NewWebhooks(t)
	equal(t, post(t, webhooks, "whsec_1", "{}", 0), 401)
	webhooks.Believe("whsec_1")
	equal(t, post(t, webhooks, "whsec_1", `{"type":"new"}`, 330*time.Second), 401)
	equal(t, post(t, webhooks, "whsec_1", `{"type":"new"}`, -330*time.Second), 401)
	for _, each := range webhooks.Deliveries()[1:] {
		if !errors.Is(each.Problem, tideover.ErrStale) {
			t.Fatal(each)
		}
	}
	equal(t, post(t, webhooks, "whsec_1", "no event", 0), 400)
	equal(t, post(t, webhooks, "whsec_1", `{"type":"new"}`, 250*time.Second), 204)
	equal(t, webhooks.Events(), []tideover.Event{{Type: "new"}})
}

func TestADeliveryThatComesTwiceIsOneEvent(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t), tideover.NewWebhooks(t)
	webhooks.Subscribe(world)
	add(world, "acme")
	world.Resend(world.ExpectDelivery(tideover.Expected{Event: added}))
	equal(t, len(world.WaitForDeliveries()), 0)
	received := webhooks.Deliveries()
	equal(t, len(received), 2)
	equal(t, received[0].IsDuplicate, false)
	equal(t, received[1].IsDuplicate, true)
	equal(t, received[0].Delivery(), received[1].Delivery())
	equal(t, len(webhooks.Events()), 1)
}

func TestADeliveryThatIsNotAcceptedComesAgain(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t), tideover.NewWebhooks(t)
	webhooks.Subscribe(world)
	webhooks.Answer(500, 2)
	add(world, "acme")
	equal(t, len(world.WaitForDeliveries()), 1)
	equal(t, len(webhooks.Events()), 0)
	world.Advance(6 * time.Minute)
	webhooks.WaitFor(tideover.Expected{Event: added})
	equal(t, statuses(webhooks), []int{500, 500, 204})
}

func TestADeliveryThatIsGivenUpWasNotAccepted(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t), tideover.NewWebhooks(t)
	webhooks.Subscribe(world)
	webhooks.Answer(500, 9)
	add(world, "acme")
	world.UntilQuiet()
	add(world, "globex")
	failed := world.WaitForDeliveries()
	equal(t, len(failed), 2)
	matches(t, failed[0].String(), `^partner\.organization\.added \(acme\): givenUp after [0-9]+ attempts, 500$`)
	matches(t, failed[1].String(), `^partner\.organization\.added \(globex\): retrying after 1 attempts, 500$`)
	webhooks.Answer(410, 1)
	add(world, "initech")
	failed = world.WaitForDeliveries()
	equal(t, failed[len(failed)-1].State, "revoked")
}

func TestWhatDoesNotComeIsSaid(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t), tideover.NewWebhooks(nil)
	defer webhooks.Close()
	webhooks.Patience = 0
	nothing := failure(t, func() { webhooks.WaitFor(loanPaid) })
	matches(t, nothing.Error(), "Nothing came at all: is http://.* subscribed to this event")
	webhooks.Patience = 10 * time.Second
	webhooks.Subscribe(world)
	add(world, "acme")
	webhooks.WaitFor(tideover.Expected{Event: added})
	webhooks.Patience = 10 * time.Millisecond
	other := failure(t, func() { webhooks.WaitFor(tideover.Expected{Event: added, Payee: "globex"}) })
	equal(t, other.Error(), "partner.organization.added payee=globex did not come within 10ms. Instead came:\n"+
		"  partner.organization.added (acme): answered 204")
}

func TestAWaitSaysThatTheClockStands(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t, tideover.Scenario("onboarded")), tideover.NewWebhooks(nil)
	defer webhooks.Close()
	issued := tideover.Expected{Event: "partner.loan.issued"}
	waits := func() {
		webhooks.Patience = 0
		webhooks.WaitFor(issued)
	}
	webhooks.Subscribe(world)
	equal(t, strings.Contains(failure(t, waits).Error(), "clock"), false)
	world.Request("POST", "/v1/advances", advance, nil)
	world.WaitForDeliveries()
	sentence := "\nThe clock of the world stands at 2026-01-01T00:00:00Z, and the next thing happens at " +
		"2026-01-01T00:00:30Z: move it with UntilQuiet(), NextEvent() or Advance()."
	equal(t, strings.HasSuffix(failure(t, waits).Error(), sentence), true)
	expects := func() { without(t, world).ExpectDelivery(issued) }
	equal(t, strings.HasSuffix(failure(t, expects).Error(), sentence), true)
	world.UntilQuiet()
	equal(t, strings.Contains(failure(t, func() { without(t, world).ExpectDelivery(loanPaid) }).Error(), "clock"), false)
}

func TestAReceiverOfAClientKnowsTheWorldsOfItsTest(t *testing.T) {
	t.Parallel()
	printed := failed(t, "TestThatWaits")
	equal(t, strings.Count(printed, "The clock of the world stands at 2026-01-01T00:00:00Z"), 1)
}

func TestAnEventThatDoesNotExistIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t).For(nil), tideover.NewWebhooks(nil)
	defer webhooks.Close()
	begin := time.Now()
	for name, hint := range map[string]string{
		"partner.loan.payed": "Did you mean partner.loan.paid?",
		"loan.issued":        "Did you mean partner.loan.issued?",
		"paid":               "The document has these: partner.organization.added, ",
	} {
		expected := tideover.Expected{Event: name}
		waited := failure(t, func() { webhooks.WaitFor(expected) }).Error()
		equal(t, strings.HasPrefix(waited, "there is no event "+name+". "+hint), true)
		equal(t, failure(t, func() { world.ExpectDelivery(expected) }).Error(), waited)
	}
	equal(t, time.Since(begin) < webhooks.Patience, true)
}

func TestEachEventThatIsSentMayCome(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t)
	var document struct {
		Components struct {
			Schemas struct {
				EventType struct {
					Enum     []string
					Unlisted []string `json:"x-unlisted"`
				}
			}
		}
	}
	equal(t, read(world.URL, "/_sim/operator.json", &document), nil)
	types := document.Components.Schemas.EventType
	equal(t, len(types.Enum) > 5 && len(types.Unlisted) > 1, true)
	for _, name := range append(types.Enum, types.Unlisted...) {
		unmet := failure(t, func() { without(t, world).ExpectDelivery(tideover.Expected{Event: name}) })
		matches(t, unmet.Error(), "^"+name+" did not come")
	}
}

func TestAnEventOfAnyTypeIsExpected(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t), tideover.NewWebhooks(t)
	webhooks.Subscribe(world)
	add(world, "acme")
	equal(t, webhooks.WaitFor(tideover.Expected{Payee: "acme"}).Type, added)
	missing := failure(t, func() { without(t, world).ExpectDelivery(tideover.Expected{Payee: "globex"}) })
	matches(t, missing.Error(), "^an event payee=globex did not come")
}
