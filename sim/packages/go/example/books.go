// SPDX-License-Identifier: MIT OR Apache-2.0

package example

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"

	tideover "github.com/tideover/tideover/sim/packages/go"
)

// Books are what the platform knows. Keep yours in a database, with one transaction for each webhook.
type Books struct {
	mutex    sync.Mutex
	secret   string
	done     map[string]bool
	advances map[Key]State
	paid     []Key
	ignored  []string
}

// Key is that of an invoice: two vendors may have one of the same name (§1 rule 3).
type Key struct{ Payee, Invoice string }

// State is that of an advance, by the event of the greatest sequence.
type State struct {
	Sequence int64
	Name     string
}

// NewBooks are empty.
func NewBooks() *Books { return &Books{done: map[string]bool{}, advances: map[Key]State{}} }

// Believe sets the secret of the subscription.
func (b *Books) Believe(secret string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.secret = secret
}

// ServeHTTP receives webhooks.
func (b *Books) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	// The raw body is what is signed.
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
	if err != nil {
		http.Error(response, "unreadable", http.StatusBadRequest)
		return
	}
	response.WriteHeader(b.Receive(request.Header, body))
}

// Receive processes a webhook; it returns the status to answer with.
func (b *Books) Receive(header http.Header, body []byte) int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if tideover.Verify(b.secret, header, body) != nil {
		// Not 410, which would end the subscription (§6 Delivery rule 2).
		return http.StatusUnauthorized
	}
	delivery := header.Get("Service-Delivery")
	if b.done[delivery] {
		b.ignored = append(b.ignored, "repeated")
		return http.StatusNoContent
	}
	var event tideover.Event
	if json.Unmarshal(body, &event) != nil {
		return http.StatusBadRequest
	}
	b.process(event)
	// Not earlier: a webhook that could not be processed is to come again.
	b.done[delivery] = true
	return http.StatusNoContent
}

// process takes an event. A type that is not known yet changes nothing (§9 rule 4).
func (b *Books) process(event tideover.Event) {
	invoice := Key{event.Data.PayeeExternalID, event.Data.InvoiceExternalID}
	switch event.Type {
	case "partner.invoice.factoredUpdated":
		if event.Sequence <= b.advances[invoice].Sequence {
			b.ignored = append(b.ignored, "out of date")
		} else {
			b.advances[invoice] = State{event.Sequence, event.Data.State}
		}
	case "partner.loan.paid":
		b.paid = append(b.paid, invoice)
	}
}

// Advance is the state of an advance.
func (b *Books) Advance(invoice Key) State {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.advances[invoice]
}

// Paid are the invoices whose advance has settled, each as often as that was processed.
func (b *Books) Paid() []Key {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return append([]Key(nil), b.paid...)
}

// Ignored is why webhooks changed nothing.
func (b *Books) Ignored() []string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return append([]string(nil), b.ignored...)
}
