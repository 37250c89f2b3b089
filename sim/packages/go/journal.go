// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// An Entry is a request of your client with its answer, as the journal has it.
type Entry struct {
	// Number is how many requests came before it.
	Number int64
	// Time is when it was answered, by the world's clock, and RealTime by the wall clock.
	Time, RealTime time.Time
	// Method, Path and Query are what it asked for.
	Method, Path, Query string
	// Operation is its name, such as request_advance; empty if path and method name none.
	Operation string
	// Status is that of the service's answer, even if a fault withheld it; 0 if a fault kept the request from it.
	Status int
	// Code is that of a refusal (§7).
	Code string
	// Clause is the sentence of the document, or the assumption, that decided the answer.
	Clause string
	// Note is a hint about a successful request.
	Note string
	// Warnings are what the service ignored in the request.
	Warnings []string
	// Events are the deliveries that the request caused.
	Events []CausedEvent
	// Fault is the label of the rule that it met.
	Fault string
	// Grease are the freedoms that the answer takes.
	Grease []string
	// Request is what the client sent.
	Request Message
	// Response is what the service answered; nil if a fault kept the request from it.
	Response *Message
}

// A CausedEvent is a webhook that a request caused.
type CausedEvent struct {
	// Index is that of the delivery.
	Index int64
	// Delivery is its Service-Delivery.
	Delivery string
	// ID and Type are those of the event.
	ID, Type string
}

// A Message has the headers and the body of a request or an answer.
type Message struct {
	// Headers are by name, in lower case. Keys and secrets are masked.
	Headers map[string]string
	// Body is nil if there is none, or if nobody read it.
	Body *Payload
}

// A Payload is a body, or its beginning.
type Payload struct {
	// Length is that of the whole body, in bytes.
	Length int64
	// Text is the body if it is text, and Base64 if it is not.
	Text, Base64 string
	// Cut is true if only the beginning is kept.
	Cut bool
}

// A JournalFilter chooses requests: all of its conditions that are given must hold.
type JournalFilter struct {
	// After leaves out the requests whose number is smaller.
	After int64 `json:"after,omitempty"`
	// Operation is the name of the operation, such as request_advance.
	Operation string `json:"operation,omitempty"`
	// Status is that of the answer, or a class of them: 404 or 4xx.
	Status string `json:"status,omitempty"`
	// Code is that of a refusal (§7).
	Code string `json:"code,omitempty"`
	// Clause is the one that decided the answer.
	Clause string `json:"clause,omitempty"`
	// Path is a part of the path.
	Path string `json:"path,omitempty"`
	// Payee and Invoice are what the request is about.
	Payee   string `json:"payee,omitempty"`
	Invoice string `json:"invoice,omitempty"`
	// Fault is the label of the rule that it met.
	Fault string `json:"fault,omitempty"`
	// Text is a part of one of the bodies.
	Text string `json:"text,omitempty"`
}

// Journal has the last requests that the filter chooses, the oldest first.
func (w *World) Journal(filter JournalFilter) []Entry {
	w.t.Helper()
	return w.entries(query("journal", filter))
}

// Unexpected are requests that show a mistake of the client. At the end of a test there should be none.
func (w *World) Unexpected() []Entry {
	w.t.Helper()
	return w.entries("journal/unexpected")
}

func (w *World) entries(path string) []Entry {
	w.t.Helper()
	var listed struct{ Entries []Entry }
	w.port("GET", path, nil, &listed)
	return listed.Entries
}

// CountRequests is how many requests the filter chooses.
func (w *World) CountRequests(filter JournalFilter) int {
	w.t.Helper()
	var counted struct{ Count int }
	w.port("GET", query("journal/count", filter), nil, &counted)
	return counted.Count
}

// WaitForRequests waits until your client has sent so many requests that the filter chooses, and returns them.
func (w *World) WaitForRequests(count int, filter JournalFilter) []Entry {
	w.t.Helper()
	seconds := int64(math.Ceil(w.Patience.Seconds()))
	wanted := Fields{"filter": filter, "count": count, "patienceSeconds": seconds}
	var came struct {
		Reached bool
		Count   int
	}
	w.within(w.Patience+usual, "POST", "/_sim/journal/wait", wanted, &came)
	if !came.Reached {
		text, _ := json.Marshal(filter)
		w.t.Fatal(fmt.Errorf("only %d came of %d requests with %s within %d seconds", came.Count, count, text, seconds))
	}
	return w.Journal(filter)
}

// An Objection is a refusal that an advance would meet, if it met no other (§4 POST /v1/advances).
type Objection struct {
	// Code is that of the refusal (§7).
	Code string
	// Clause is the rule.
	Clause string
	// Sentence is what is wrong.
	Sentence string
}

// Objections are everything for which the invoice cannot be financed now.
func (w *World) Objections(payee, invoice string) []Objection {
	w.t.Helper()
	var listed struct{ Objections []Objection }
	w.port("GET", query("objections", Fields{"payee": payee, "invoice": invoice}), nil, &listed)
	return listed.Objections
}
