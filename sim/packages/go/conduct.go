// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

import (
	"fmt"
	"strings"
)

// Conduct is what your client did of what the document asks of callers.
type Conduct struct {
	// Counts are how many duties are met, broken, and not seen.
	Counts struct{ Met, Broken, NotSeen int }
	// Rows are the duties.
	Rows []Duty
	// DroppedRequests and DroppedDeliveries are how many are no longer kept, and so not judged.
	DroppedRequests, DroppedDeliveries int64
}

// A Duty is something that the document asks of callers, and what was seen of it.
type Duty struct {
	// ID is its name, such as backs-off.
	ID string
	// Clause and Place are where the document asks for it.
	Clause, Place string
	// Words are the duty in one sentence.
	Words string
	// State is met, broken or notSeen.
	State string
	// Requests and Deliveries are the numbers of the first that show a breach.
	Requests, Deliveries []int64
	// OpenRequests and OpenDeliveries are the numbers of those that the client has still to follow up.
	OpenRequests, OpenDeliveries []int64
	// ShownBy is what shows whether a caller keeps it.
	ShownBy string
}

// Conduct is what your client did so far: a row for each duty, with its clause.
func (w *World) Conduct() Conduct {
	w.t.Helper()
	return w.conduct("conduct")
}

// FinalConduct is the same once your client is done: what it has begun and not finished is broken then.
func (w *World) FinalConduct() Conduct {
	w.t.Helper()
	return w.conduct("conduct?final=true")
}

func (w *World) conduct(path string) Conduct {
	w.t.Helper()
	var seen Conduct
	w.port("GET", path, nil, &seen)
	return seen
}

// AssertGoodConduct fails the test if your client, which is done, broke a duty; but for the duties with these ids.
func (w *World) AssertGoodConduct(ignored ...string) {
	w.t.Helper()
	rows := w.FinalConduct().Rows
	isIgnored := map[string]bool{}
	for _, id := range ignored {
		isIgnored[id] = true
	}
	var broken []Duty
	for _, duty := range rows {
		if duty.State == "broken" && !isIgnored[duty.ID] {
			broken = append(broken, duty)
		}
		delete(isIgnored, duty.ID)
	}
	for id := range isIgnored {
		w.t.Fatal(fmt.Errorf("there is no such duty: %s", id))
	}
	if len(broken) > 0 {
		head := fmt.Sprintf("%d of %d duties broken in world %s", len(broken), len(rows), w.ID)
		w.t.Fatal(fmt.Errorf("%s\n\n%s", head, strings.Join(w.explained(broken), "\n\n")))
	}
}

// explained has for each duty the requests and deliveries that show the breach.
func (w *World) explained(broken []Duty) []string {
	w.t.Helper()
	requests, deliveries := map[int64]string{}, map[int64]string{}
	for _, each := range w.Journal(JournalFilter{}) {
		requests[each.Number] = each.String()
	}
	for _, each := range w.Deliveries(DeliveryFilter{}) {
		deliveries[each.Index] = each.String()
	}
	var texts []string
	for _, duty := range broken {
		text := fmt.Sprintf("%s (%s, %s): %s", duty.ID, duty.Clause, duty.Place, duty.Words)
		text += shown("request", duty.Requests, requests) + shown("delivery", duty.Deliveries, deliveries)
		texts = append(texts, text)
	}
	return texts
}

func shown(what string, numbers []int64, lines map[int64]string) string {
	text := ""
	for _, number := range numbers {
		line, isKept := lines[number]
		if !isKept {
			line = "no longer kept"
		}
		text += fmt.Sprintf("\n    %s %d: %s", what, number, line)
	}
	return text
}
