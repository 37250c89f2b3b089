// SPDX-License-Identifier: MIT OR Apache-2.0

package example

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"testing"
	"time"

	tideover "github.com/tideover/tideover/sim/packages/go"
)

// Each fault of deliveries: the example's receiver survives it, and one with a mistake does not.

const (
	financing = "partner.invoice.factoredUpdated"
	settled   = "partner.loan.paid"
)

// receiver is what a test looks at of one.
type receiver interface {
	http.Handler
	Believe(secret string)
	Advance(invoice Key) State
	Paid() []Key
}

// wrong is the example with a mistake: something that it omits.
type wrong struct {
	*Books
	omits string
}

func (w wrong) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err == nil {
		response.WriteHeader(w.receive(request.Header, body))
	}
}

func (w wrong) receive(header http.Header, body []byte) int {
	switch w.omits {
	case "verifies":
		return w.believe(body)
	case "verifies the raw body":
		var written bytes.Buffer
		if json.Compact(&written, body) != nil {
			return http.StatusBadRequest
		}
		body = written.Bytes()
	case "checks the time":
		if tideover.VerifyAt(w.secret, header, body, 365*24*time.Hour, time.Now()) == nil {
			return w.believe(body)
		}
	case "deduplicates":
		w.change(func() { w.done = map[string]bool{} })
	case "orders":
		if strings.Contains(string(body), financing) {
			w.change(func() { w.advances = map[Key]State{} })
		}
	case "ignores what is unknown":
		if !isKnown(body) {
			return http.StatusBadRequest
		}
	}
	return w.Receive(header, body)
}

func (w wrong) change(how func()) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	how()
}

// believe takes an event whoever has sent it.
func (w wrong) believe(body []byte) int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	var event tideover.Event
	if json.Unmarshal(body, &event) != nil {
		return http.StatusBadRequest
	}
	w.process(event)
	return http.StatusNoContent
}

var (
	kind  = regexp.MustCompile(`^partner\.(organization|invoice|loan)\.`)
	state = regexp.MustCompile(`^(|REQUESTED|FUNDING|FUNDED|REPAID)$`)
)

// isKnown is whether the event has nothing but what the document shows today.
func isKnown(body []byte) bool {
	var event map[string]any
	json.Unmarshal(body, &event)
	data, _ := event["data"].(map[string]any)
	text, _ := data["state"].(string)
	for _, field := range []string{"id", "occurredAt", "sequence", "data"} {
		delete(event, field)
	}
	name, _ := event["type"].(string)
	return len(event) == 1 && kind.MatchString(name) && state.MatchString(text)
}

// played are the faults, with how often the delivery is answered with which status, and who does not survive it.
var played = []struct {
	fault   tideover.Fault
	answers []int
	omits   string
}{
	{tideover.Fault{Act: "deliveryLate", Event: financing, Nth: 1, Seconds: 7200}, []int{204}, "orders"},
	{tideover.Fault{Act: "deliveryDuplicated", Event: settled}, []int{204, 204}, "deduplicates"},
	{tideover.Fault{Act: "deliverySwapped", Event: financing, Nth: 2}, []int{204}, "orders"},
	{tideover.Fault{Act: "deliveryDropped", Event: financing, Nth: 1, Attempts: 4}, []int{0, 0, 0, 0, 204}, "orders"},
	{tideover.Fault{Act: "unknownEventType", Event: "partner.loan.created"}, []int{204}, "ignores what is unknown"},
	{tideover.Fault{Act: "unknownField", Invoice: "INV-1"}, []int{204}, "ignores what is unknown"},
	{tideover.Fault{Act: "unknownValue", Event: financing, Nth: 1}, []int{204}, "ignores what is unknown"},
	{tideover.Fault{Act: "bodyIndented", Event: settled}, []int{204}, "verifies the raw body"},
	{tideover.Fault{Act: "signedWithAnotherSecret", Event: settled}, []int{401, 204}, "verifies"},
	{tideover.Fault{Act: "signedAnHourAgo", Event: settled, Attempts: 2}, []int{401, 401, 204}, "checks the time"},
}

// mistakes plays an advance up to its repayment, with one fault if any, and returns what the receiver got wrong.
func mistakes(t *testing.T, receiver receiver, answers []int, faults ...tideover.Fault) (found []string) {
	t.Helper()
	endpoint := listen(t, receiver)
	world := tideover.NewWorld(t, tideover.Scenario("onboarded"), tideover.Faults(faults...))
	receiver.Believe(subscribed(world, endpoint.URL, faults))
	invoice := Key{"acme", "INV-1"}
	expect := func(state State) {
		world.UntilQuiet()
		if held := receiver.Advance(invoice); held != state {
			found = append(found, fmt.Sprintf("%v, and it has %v", state, held))
		}
	}
	world.Request("POST", "/v1/advances", advance, nil)
	expect(State{3, "FUNDED"})
	world.PayorPays("acme", "INV-1", 1_000_000)
	expect(State{4, "REPAID"})
	if paid := receiver.Paid(); !reflect.DeepEqual(paid, []Key{invoice}) {
		found = append(found, fmt.Sprintf("paid once, and it has %v", paid))
	}
	return append(found, answered(t, world, answers, len(faults) > 0)...)
}

// subscribed returns the secret. Other kinds of events would let one with a fault out earlier: those of one time come in
// any order, and the first that is answered ends its wait. A kind that is unknown comes only to who names none.
func subscribed(world *tideover.World, url string, faults []tideover.Fault) string {
	body := tideover.Fields{"url": url, "eventTypes": []string{financing, settled}}
	if len(faults) > 0 && faults[0].Act == "unknownEventType" {
		delete(body, "eventTypes")
	}
	var made struct{ Secret string }
	world.Request("POST", "/v1/webhooks", body, &made)
	return made.Secret
}

// answered is what deliveries were answered that should not be. One with a fault has other answers.
func answered(t *testing.T, world *tideover.World, answers []int, isFaulty bool) (found []string) {
	t.Helper()
	hasFired := false
	for _, delivery := range world.Deliveries(tideover.DeliveryFilter{}) {
		expected := []int{204}
		if delivery.Fault != "" {
			hasFired, expected = true, answers
		}
		var seen []int
		for _, attempt := range delivery.Attempts {
			seen = append(seen, attempt.Status)
		}
		if !reflect.DeepEqual(seen, expected) {
			found = append(found, fmt.Sprintf("%s: it answers %v", delivery.Type, seen))
		}
	}
	equal(t, hasFired, isFaulty)
	return found
}

func TestARightReceiverSurvives(t *testing.T) {
	for _, each := range played {
		each := each
		t.Run(each.fault.Act, func(t *testing.T) {
			t.Parallel()
			equal(t, mistakes(t, NewBooks(), each.answers, each.fault), []string(nil))
		})
	}
}

func TestAWrongReceiverDoesNot(t *testing.T) {
	for _, each := range played {
		each := each
		t.Run(each.fault.Act, func(t *testing.T) {
			t.Parallel()
			if len(mistakes(t, wrong{NewBooks(), each.omits}, each.answers, each.fault)) == 0 {
				t.Errorf("nobody notices a receiver that does it all but %q", each.omits)
			}
			// Without the fault nobody notices.
			equal(t, mistakes(t, wrong{NewBooks(), each.omits}, nil), []string(nil))
		})
	}
}

func TestEveryActOfDeliveriesIsPlayed(t *testing.T) {
	response, err := http.Get(tideover.NewWorld(t).URL + "/_sim/operator.json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var document struct {
		Components struct {
			Schemas struct{ ActName struct{ Enum []string } }
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&document); err != nil {
		t.Fatal(err)
	}
	var acts, of []string
	for _, act := range document.Components.Schemas.ActName.Enum {
		if regexp.MustCompile("^(delivery|unknown|body|signed)").MatchString(act) {
			acts = append(acts, act)
		}
	}
	for _, each := range played {
		of = append(of, each.fault.Act)
	}
	sort.Strings(acts)
	sort.Strings(of)
	equal(t, acts, of)
}

func TestAThrottledRequestSaysWhenToComeAgain(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t)
	world.Fault(tideover.Fault{Act: "requestThrottled", RetryAfterSeconds: 3, Nth: 1})
	refused := world.Refused("GET", "/v1/webhooks", nil)
	equal(t, refused.Status, 429)
	equal(t, refused.Code, "too_many_requests")
	equal(t, world.Journal(tideover.JournalFilter{})[0].Response.Headers["retry-after"], "3")
	world.Request("GET", "/v1/webhooks", nil, nil)
}

func TestTheTimelineSaysWhatAFaultDid(t *testing.T) {
	t.Parallel()
	world, webhooks := tideover.NewWorld(t), tideover.NewWebhooks(t)
	webhooks.Subscribe(world)
	world.Fault(tideover.Fault{Act: "unknownField", Label: "one more"})
	world.Request("PUT", "/v1/organizations/acme", tideover.Fields{"legalName": "Acme"}, nil)
	equal(t, len(world.WaitForDeliveries()), 0)
	equal(t, strings.Contains(world.Timeline(), "(acme new) -> 204  fault: one more"), true)
}

func TestARuleForDeliveriesSelectsNoRequests(t *testing.T) {
	t.Parallel()
	rule := tideover.Fault{Act: "deliveryDropped", Operation: "request_advance"}
	refused := tideover.NewWorld(t).Refused("POST", "/_sim/faults", rule)
	equal(t, strings.HasPrefix(refused.Prose, "operation: deliveryDropped has only the fields"), true)
}
