// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Webhooks is a receiver on a free port. It answers 401 to what it cannot verify (§6 Signature rule 3).
type Webhooks struct {
	// URL is what to subscribe.
	URL string
	// Patience is how long it waits for what a test expects; ten seconds unless a test says otherwise.
	Patience time.Duration

	test   testing.TB
	t      failing
	server *httptest.Server

	mutex    sync.Mutex
	secrets  []string
	worlds   []*World
	answers  []int
	received []Received
	events   []Event
	known    map[string]bool
	// changed is closed, and replaced, when something comes.
	changed chan struct{}
}

// Received is a request that reached the receiver.
type Received struct {
	// Header has its headers.
	Header http.Header
	// Body is the raw body.
	Body []byte
	// Status is what the receiver answered.
	Status int
	// Problem is why the receiver does not take it; nil if it does.
	Problem error
	// IsDuplicate is true for a verified delivery that was an event already.
	IsDuplicate bool
}

// NewWebhooks starts a receiver for one test. With nil in place of the test, what would fail it panics, and the caller
// closes the receiver.
func NewWebhooks(t testing.TB) *Webhooks {
	webhooks := &Webhooks{Patience: patience, test: t, t: of(t), known: map[string]bool{}}
	webhooks.changed = make(chan struct{})
	webhooks.t.Helper()
	webhooks.server = httptest.NewServer(http.HandlerFunc(webhooks.receive))
	webhooks.URL = webhooks.server.URL + "/webhooks"
	own(t, func(mine *belongings) { mine.receivers = append(mine.receivers, webhooks) })
	return webhooks
}

// Subscribe subscribes to these types of events of the world, to all if there are none (§6 Subscription rule 3). It
// returns the reference.
func (w *Webhooks) Subscribe(world *World, eventTypes ...string) string {
	w.t.Helper()
	body := Fields{"url": w.URL}
	if len(eventTypes) > 0 {
		body["eventTypes"] = eventTypes
	}
	var made struct{ Reference, Secret string }
	world.Request("POST", "/v1/webhooks", body, &made)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.secrets = append(w.secrets, made.Secret)
	w.worlds = append(w.worlds, world)
	return made.Reference
}

// Believe believes only whoever has this secret: for a subscription that your client has made.
func (w *Webhooks) Believe(secret string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.secrets = []string{secret}
}

// Secrets are those of the senders that it believes, the newest last.
func (w *Webhooks) Secrets() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return append([]string(nil), w.secrets...)
}

// Answer answers the next verified deliveries with this status, so many times. Without 2xx they are no events yet.
func (w *Webhooks) Answer(status, times int) {
	w.t.Helper()
	if status < 200 || status > 599 {
		w.t.Fatal(fmt.Errorf("a receiver answers a status from 200 to 599, and not %d", status))
	}
	if times < 0 {
		w.t.Fatal(fmt.Errorf("a receiver cannot answer %d times", times))
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for ; times > 0; times-- {
		w.answers = append(w.answers, status)
	}
}

// Events are what it has verified and accepted, each delivery once (§6 Delivery rule 3).
func (w *Webhooks) Events() []Event {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return append([]Event(nil), w.events...)
}

// Deliveries are all that came: also repeated, refused and forged.
func (w *Webhooks) Deliveries() []Received {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return append([]Received(nil), w.received...)
}

// WaitFor is the first such event; it waits for it. If none comes, the test fails with all that came instead.
func (w *Webhooks) WaitFor(expected Expected) Event {
	w.t.Helper()
	if err := expected.impossible(w.Patience); err != nil {
		w.t.Fatal(err)
	}
	deadline := time.After(w.Patience)
	for {
		w.mutex.Lock()
		changed := w.changed
		w.mutex.Unlock()
		for _, event := range w.Events() {
			if expected.isMetBy(event) {
				return event
			}
		}
		select {
		case <-changed:
		case <-deadline:
			var came []string
			for _, each := range w.Deliveries() {
				came = append(came, each.String())
			}
			nothing := fmt.Sprintf("Nothing came at all: is %s subscribed to this event?", w.URL)
			w.t.Fatal(expected.unmet(w.Patience, came, nothing, w.waiting()))
		}
	}
}

// waiting says for what the worlds wait that may send something.
func (w *Webhooks) waiting() string {
	w.mutex.Lock()
	worlds := w.worlds
	w.mutex.Unlock()
	if len(worlds) == 0 {
		// The client has subscribed.
		worlds = worldsOf(w.test)
	}
	text, seen := "", map[string]bool{}
	for _, world := range worlds {
		if !seen[world.ID] {
			text += world.waiting()
		}
		seen[world.ID] = true
	}
	return text
}

// Close frees the port.
func (w *Webhooks) Close() { w.server.Close() }

func (w *Webhooks) receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		// The sender has gone.
		return
	}
	response.WriteHeader(w.take(request.Header, body))
}

// take is the status that a delivery is answered with.
func (w *Webhooks) take(header http.Header, body []byte) int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	var event Event
	received := Received{Header: header, Body: body, Status: 204, Problem: w.doubt(header, body)}
	if received.Problem != nil {
		received.Status = 401
	} else if received.Problem = json.Unmarshal(body, &event); received.Problem != nil {
		received.Status = 400
	} else if len(w.answers) > 0 {
		received.Status, w.answers = w.answers[0], w.answers[1:]
	}
	delivery := received.Delivery()
	received.IsDuplicate = received.Problem == nil && w.known[delivery]
	w.received = append(w.received, received)
	if received.Status/100 == 2 && !received.IsDuplicate {
		w.known[delivery] = delivery != ""
		w.events = append(w.events, event)
	}
	close(w.changed)
	w.changed = make(chan struct{})
	return received.Status
}

// doubt is why none of those whom it believes has sent this.
func (w *Webhooks) doubt(header http.Header, body []byte) error {
	doubt := fmt.Errorf("%w: this receiver has no secret yet", ErrWrong)
	for _, secret := range w.secrets {
		if doubt = Verify(secret, header, body); doubt == nil {
			return nil
		}
	}
	return doubt
}

// Delivery is the header Service-Delivery: the same for every attempt of one delivery (§6 Delivery rule 3).
func (r Received) Delivery() string { return r.Header.Get("Service-Delivery") }

// String is the request and its answer in one line.
func (r Received) String() string {
	line := fmt.Sprintf("%s: answered %d", subject(r.Body), r.Status)
	if r.Problem != nil {
		line += ", " + r.Problem.Error()
	}
	return line
}
