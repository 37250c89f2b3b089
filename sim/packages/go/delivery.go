// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

import (
	"errors"
	"fmt"
	"time"
)

// A Delivery is one event for one subscription, with every attempt (§6 Delivery rules).
type Delivery struct {
	// ID is its Service-Delivery.
	ID string
	// Index is how many deliveries came before it.
	Index int64
	// Subscription is the reference of the subscription, and URL where it goes.
	Subscription, URL string
	// State is queued, underWay, retrying, accepted, givenUp, revoked or dropped.
	State string
	// Type is that of the event.
	Type string `json:"event"`
	// Event is what it announces.
	Event Event `json:"body"`
	// Text is the raw body, as it is signed.
	Text string
	// QueuedAt is when the event happened, by the world's clock.
	QueuedAt time.Time
	// NextAttemptAt is when the next attempt is due; nil if none is.
	NextAttemptAt *time.Time
	// Attempts are the attempts so far, the oldest first.
	Attempts []Attempt
	// Fault is the label of the rule that acts on it.
	Fault string
	// Grease are the freedoms that it takes.
	Grease []string
}

// An Attempt is one request of a delivery.
type Attempt struct {
	// Number is its number among the delivery's attempts, from 1.
	Number int
	// At is when it began, by the world's clock.
	At time.Time
	// Cause is event, late, retry, duplicate or resent.
	Cause string
	// Status is that of the answer; 0 if there was none.
	Status int
	// Problem is why there was no answer.
	Problem string
	// Milliseconds are how long it took, by the wall clock.
	Milliseconds int64
	// Headers are what it was sent with.
	Headers map[string]string
}

// A DeliveryFilter chooses deliveries: all of its conditions that are given must hold.
type DeliveryFilter struct {
	// After leaves out the deliveries whose index is smaller.
	After int64 `json:"after,omitempty"`
	// Subscription is the reference of the subscription.
	Subscription string `json:"subscription,omitempty"`
	// Type is that of the event.
	Type string `json:"type,omitempty"`
	// Payee is the business, or the payee of the invoice.
	Payee string `json:"payee,omitempty"`
	// Invoice is the identifier of the invoice.
	Invoice string `json:"invoice,omitempty"`
	// State is how far they are, such as retrying.
	State string `json:"state,omitempty"`
}

// Deliveries are the webhooks that the filter chooses, the oldest first.
func (w *World) Deliveries(filter DeliveryFilter) []Delivery {
	w.t.Helper()
	var listed struct{ Deliveries []Delivery }
	w.port("GET", query("deliveries", filter), nil, &listed)
	return listed.Deliveries
}

// WaitForDeliveries waits until no webhook is left to be sent now, at most 30 seconds. It returns those that your
// receiver did not accept: those that will come again, those that were given up, and those that it revoked with a 410.
// Each shows its state.
func (w *World) WaitForDeliveries() []Delivery {
	w.t.Helper()
	var waited moved
	w.within(long, "POST", "/_sim/deliveries/wait", Fields{"patienceSeconds": 30}, &waited)
	if !waited.Quiet {
		w.t.Fatal(errors.New("after 30 seconds webhooks are still under way"))
	}
	var failed []Delivery
	for _, delivery := range w.Deliveries(DeliveryFilter{}) {
		switch delivery.State {
		case "retrying", "givenUp", "revoked":
			failed = append(failed, delivery)
		}
	}
	return failed
}

// ExpectDelivery is the first such webhook that its receiver has accepted. It waits for it, and moves no clock. If
// none comes, the test fails with all that came instead.
func (w *World) ExpectDelivery(expected Expected) Delivery {
	w.t.Helper()
	if err := expected.impossible(w.Patience); err != nil {
		w.t.Fatal(err)
	}
	deadline := time.Now().Add(w.Patience)
	for pause := 2 * time.Millisecond; ; pause = 2 * pause {
		isLast := !time.Now().Before(deadline)
		came := w.Deliveries(DeliveryFilter{})
		for _, delivery := range came {
			if delivery.State == "accepted" && expected.isMetBy(delivery.Event) {
				return delivery
			}
		}
		if isLast {
			nothing := "No webhook was sent at all: is a URL subscribed to this event?"
			w.t.Fatal(expected.unmet(w.Patience, described(came), nothing, w.waiting()))
		}
		if pause > 100*time.Millisecond {
			pause = 100 * time.Millisecond
		}
		time.Sleep(pause)
	}
}

// Resend sends a webhook once more, as the service may at any time (§6 Delivery rule 3).
func (w *World) Resend(delivery Delivery) {
	w.t.Helper()
	w.port("POST", "deliveries/"+delivery.ID+"/resend", nil, nil)
}

func described(deliveries []Delivery) []string {
	var lines []string
	for _, each := range deliveries {
		lines = append(lines, each.String())
	}
	return lines
}

// String is the delivery in one line.
func (d Delivery) String() string {
	line := fmt.Sprintf("%s: %s after %d attempts", subject([]byte(d.Text)), d.State, len(d.Attempts))
	if len(d.Attempts) > 0 {
		line += ", " + d.Attempts[len(d.Attempts)-1].outcome()
	}
	return line
}

// outcome is what the receiver answered, or why it did not.
func (a Attempt) outcome() string {
	switch {
	case a.Status != 0:
		return fmt.Sprint(a.Status)
	case a.Problem != "":
		return a.Problem
	}
	return "no answer yet"
}
