// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// An Event is the body of a webhook (§6). Kinds and fields may be added: the raw body has all of them.
type Event struct {
	// ID is the same in every delivery of the event.
	ID string
	// Type is its kind, such as partner.loan.paid.
	Type string
	// OccurredAt is when the transaction began. It is for logs, and orders nothing (§6 Delivery rule 6).
	OccurredAt time.Time
	// Sequence grows with the states of one advance; 0 where the kind has none (§6 Delivery rule 5).
	Sequence int64
	// Data is what it is about.
	Data Data
}

// Data is what an event is about. What its kind does not have is empty.
type Data struct {
	// ExternalID is the business of an event of organizations.
	ExternalID string
	// PayeeExternalID is the payee of the invoice; with its identifier it is the key (§1 rule 3).
	PayeeExternalID string
	// InvoiceExternalID is the identifier of the invoice.
	InvoiceExternalID string
	// State is that of the advance: REQUESTED, FUNDING, FUNDED, REPAID (§3 Financing state).
	State string
	// Collected are the cents that the payor has paid.
	Collected int64
	// AdvanceAmount are the cents that the vendor gets.
	AdvanceAmount int64
}

// Expected is an event that a test waits for. What is empty may be anything.
type Expected struct {
	// Event is its type, such as partner.loan.paid. One that the document does not have fails the test at once.
	Event string
	// Payee is the business, or the payee of the invoice.
	Payee string
	// Invoice is the identifier of the invoice.
	Invoice string
	// State is that of the advance.
	State string
}

// impossible is why nobody can wait for it; nil if one can.
func (e Expected) impossible(patience time.Duration) error {
	if patience < 0 {
		return fmt.Errorf("the patience is negative: %s", patience)
	}
	return unknown(e.Event)
}

func (e Expected) isMetBy(event Event) bool {
	// Events of organizations name the business itself, all others the payee of an invoice.
	payee := event.Data.PayeeExternalID
	if payee == "" {
		payee = event.Data.ExternalID
	}
	return (e.Event == "" || e.Event == event.Type) &&
		(e.Payee == "" || e.Payee == payee) &&
		(e.Invoice == "" || e.Invoice == event.Data.InvoiceExternalID) &&
		(e.State == "" || e.State == event.Data.State)
}

// unmet says what came instead, and for what the clock waits.
func (e Expected) unmet(patience time.Duration, came []string, nothing, waiting string) error {
	if len(came) > 0 {
		nothing = "Instead came:\n  " + strings.Join(came, "\n  ")
	}
	return fmt.Errorf("%s did not come within %s. %s%s", e, patience, nothing, waiting)
}

func (e Expected) String() string {
	text := e.Event
	if text == "" {
		text = "an event"
	}
	for _, each := range [][2]string{{"payee", e.Payee}, {"invoice", e.Invoice}, {"state", e.State}} {
		if each[1] != "" {
			text += " " + each[0] + "=" + each[1]
		}
	}
	return text
}

// subject is an event and its data in few words. Data stand as they came, also those that are not known.
func subject(body []byte) string {
	var event struct {
		Type string
		Data json.RawMessage
	}
	if json.Unmarshal(body, &event) != nil || event.Type == "" {
		return fmt.Sprintf("%d bytes that are no event", len(body))
	}
	return fmt.Sprintf("%s (%s)", event.Type, strings.Join(values(event.Data), " "))
}

// values are those of an object, in their order.
func values(object json.RawMessage) []string {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	var values []string
	// First comes the brace, and before each value its name.
	for _, err := decoder.Token(); err == nil && decoder.More(); {
		var value any
		if _, err = decoder.Token(); err == nil {
			err = decoder.Decode(&value)
		}
		values = append(values, fmt.Sprint(value))
	}
	return values
}
