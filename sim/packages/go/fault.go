// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

import "encoding/json"

// A Fault is a rule by which requests or deliveries fail. The act says which of the two; every condition that is given
// must hold.
type Fault struct {
	// Act is what happens: upstreamFails, connectionDrops, answerCut, importStops, answerDelayed, requestRepeated or
	// requestThrottled to a request; deliveryLate, deliveryDuplicated, deliverySwapped, deliveryDropped,
	// unknownEventType, unknownField, unknownValue, bodyIndented, signedWithAnotherSecret or signedAnHourAgo to a
	// delivery.
	Act string `json:"act"`
	// Label is its name in the journal and in the list of deliveries; the act, unless given.
	Label string `json:"label,omitempty"`

	// Operation chooses requests, such as request_advance.
	Operation string `json:"operation,omitempty"`
	// Identifier chooses requests that name this business, invoice, import or subscription.
	Identifier string `json:"identifier,omitempty"`

	// Event chooses deliveries by the type of their event (§6).
	Event string `json:"event,omitempty"`
	// Payee chooses deliveries about this business, or about an invoice of it.
	Payee string `json:"payee,omitempty"`
	// Invoice chooses deliveries about this invoice.
	Invoice string `json:"invoice,omitempty"`

	// Nth chooses the one of this number, from 1, of those that the conditions above choose.
	Nth int `json:"nth,omitempty"`
	// Percent chooses so many of a hundred, at random from the seed.
	Percent int `json:"percent,omitempty"`

	// When is beforeCommit or afterCommit, for upstreamFails and connectionDrops.
	When string `json:"when,omitempty"`
	// AfterBytes of the body, answerCut closes the connection.
	AfterBytes int64 `json:"afterBytes,omitempty"`
	// AfterRows of the file, importStops stops.
	AfterRows int64 `json:"afterRows,omitempty"`
	// Milliseconds are how late answerDelayed is, by the wall clock.
	Milliseconds int64 `json:"milliseconds,omitempty"`
	// RetryAfterSeconds are what requestThrottled says in Retry-After.
	RetryAfterSeconds int64 `json:"retryAfterSeconds,omitempty"`
	// Seconds are how late deliveryLate is, by the world's clock.
	Seconds int64 `json:"seconds,omitempty"`
	// Attempts from the first are dropped or signed wrongly; 1, unless given.
	Attempts int `json:"attempts,omitempty"`
}

// MarshalJSON has also an amount of 0 where the act needs one.
func (f Fault) MarshalJSON() ([]byte, error) {
	type fault Fault
	return json.Marshal(struct {
		fault
		AfterBytes        *int64 `json:"afterBytes,omitempty"`
		AfterRows         *int64 `json:"afterRows,omitempty"`
		Milliseconds      *int64 `json:"milliseconds,omitempty"`
		RetryAfterSeconds *int64 `json:"retryAfterSeconds,omitempty"`
	}{
		fault(f),
		amount(f.AfterBytes, f.Act == "answerCut"),
		amount(f.AfterRows, f.Act == "importStops"),
		amount(f.Milliseconds, f.Act == "answerDelayed"),
		amount(f.RetryAfterSeconds, f.Act == "requestThrottled"),
	})
}

func amount(value int64, isNeeded bool) *int64 {
	if value == 0 && !isNeeded {
		return nil
	}
	return &value
}

// A FaultCount is a rule with how often it was met.
type FaultCount struct {
	Fault
	// ID is the number of the rule.
	ID int64
	// Matched is how many requests or deliveries its conditions have chosen.
	Matched int64
	// Fired is how often it has acted.
	Fired int64
}

// Fault lets chosen requests or webhooks fail. It returns the number of the rule.
func (w *World) Fault(fault Fault) int64 {
	w.t.Helper()
	var added struct{ IDs []int64 }
	w.port("POST", "faults", fault, &added)
	return added.IDs[0]
}

// Faults are the rules, with how often each has acted.
func (w *World) Faults() []FaultCount {
	w.t.Helper()
	var listed struct{ Faults []FaultCount }
	w.port("GET", "faults", nil, &listed)
	return listed.Faults
}

// ClearFaults removes all rules.
func (w *World) ClearFaults() {
	w.t.Helper()
	w.port("DELETE", "faults", nil, nil)
}
