// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// longest is how many lines anybody reads.
const longest = 60

// Timeline is what happened, as text: requests and webhooks in order, and the last refusal with its reason.
func (w *World) Timeline() string {
	w.t.Helper()
	text, err := w.timeline()
	if err != nil {
		w.t.Fatal(err)
	}
	return text
}

// story is the timeline for the log of a failed test, which is worth more than the mock.
func (w *World) story() string {
	text, err := w.timeline()
	if err != nil {
		return fmt.Sprintf("%s cannot say what happened: %s", w, err)
	}
	return fmt.Sprintf("the timeline of %s\n%s", w, text)
}

func (w *World) timeline() (string, error) {
	var journal struct{ Entries []Entry }
	var log struct{ Deliveries []Delivery }
	caller := caller{w.URL, w.Key}
	if err := caller.within(usual, "GET", "/_sim/journal", nil, &journal); err != nil {
		return "", err
	}
	if err := caller.within(usual, "GET", "/_sim/deliveries", nil, &log); err != nil {
		return "", err
	}
	lines := inOrder(journal.Entries, log.Deliveries)
	if len(lines) == 0 {
		return "Nothing: no request came with a key of this world.", nil
	}
	if more := len(lines) - longest; more > 0 {
		lines = append([]string{fmt.Sprintf("(%d earlier lines are left out)", more)}, lines[more:]...)
	}
	for index := len(journal.Entries) - 1; index >= 0; index-- {
		// What a fault answers may have a status alone.
		if entry := journal.Entries[index]; entry.Status >= 400 {
			lines = append(lines, "", entry.refusal())
			break
		}
	}
	return strings.Join(lines, "\n"), nil
}

// sent is an attempt of a delivery.
type sent struct {
	Delivery
	Attempt
}

// line is a line of a timeline. A webhook stands before the request of its place.
type line struct {
	place     int
	isRequest bool
	text      string
}

func inOrder(requests []Entry, deliveries []Delivery) []string {
	// The requests that have caused a delivery, by its index.
	causes := map[int64]int{}
	var lines []line
	for place, request := range requests {
		lines = append(lines, line{place, true, request.String()})
		for _, event := range request.Events {
			causes[event.Index] = place
		}
	}
	for _, each := range attempts(deliveries) {
		lines = append(lines, line{each.place(requests, causes), false, each.String()})
	}
	sort.SliceStable(lines, func(i, j int) bool {
		if lines[i].place != lines[j].place {
			return lines[i].place < lines[j].place
		}
		return !lines[i].isRequest && lines[j].isRequest
	})
	var texts []string
	for _, each := range lines {
		texts = append(texts, each.text)
	}
	return texts
}

// attempts are those of all deliveries, in the order of their times.
func attempts(deliveries []Delivery) []sent {
	var all []sent
	for _, delivery := range deliveries {
		for _, attempt := range delivery.Attempts {
			all = append(all, sent{delivery, attempt})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].At.Before(all[j].At) })
	return all
}

// place is how many requests came before an attempt, as far as the clock and the numbers of deliveries tell it.
func (s sent) place(requests []Entry, causes map[int64]int) int {
	cause, isCaused := causes[s.Index]
	isFirst := s.Number == 1
	if isFirst && isCaused {
		return cause + 1
	}
	earliest := sort.Search(len(requests), func(i int) bool { return !requests[i].Time.Before(s.At) })
	latest := sort.Search(len(requests), func(i int) bool { return requests[i].Time.After(s.At) })
	hasMoved := earliest > 0
	for index, cause := range causes {
		if isFirst && index < s.Index && earliest <= cause {
			earliest = cause + 1
		}
		if isFirst && index > s.Index && latest > cause {
			latest = cause
		}
	}
	// What the clock brings comes when it moves, so before the requests of that time. Before it ever moved, it is the
	// outside world that acts, mostly after what the client has done.
	if hasMoved && s.Cause != "resent" {
		return earliest
	}
	return latest
}

func (s sent) String() string {
	again := ""
	if s.Number > 1 {
		again = fmt.Sprintf(", attempt %d", s.Number)
	}
	text := fmt.Sprintf("%s    webhook %s%s -> %s", instant(s.At), subject([]byte(s.Text)), again, s.outcome())
	if s.Fault != "" {
		text += "  fault: " + s.Fault
	}
	return text
}

// String is the request in one line: what it asked for, what was decided, and why. Hints follow.
func (e Entry) String() string {
	text := instant(e.Time) + "  " + e.Method + " " + e.Path
	if e.Query != "" {
		text += "?" + e.Query
	}
	if e.Status == 0 {
		text += " -> no answer"
	} else {
		text += fmt.Sprintf(" -> %d", e.Status)
	}
	if e.Code != "" {
		text += " " + e.Code
	}
	if e.Clause != "" {
		text += "  [" + e.Clause + "]"
	}
	if e.Fault != "" {
		text += "  fault: " + e.Fault
	}
	for _, hint := range append([]string{e.Note}, e.Warnings...) {
		if hint != "" {
			text += "\n    " + hint
		}
	}
	return text
}

// refusal is why the request was refused.
func (e Entry) refusal() string {
	failure := struct{ Error, Code string }{"its prose was not kept", fmt.Sprint(e.Status)}
	if e.Response != nil && e.Response.Body != nil {
		// A body that was cut is no JSON.
		_ = json.Unmarshal([]byte(e.Response.Body.Text), &failure)
	}
	reason := ""
	if e.Clause != "" {
		reason = ", decided by clause " + e.Clause
	}
	if e.Fault != "" {
		reason += ", made by the fault " + e.Fault
	}
	return fmt.Sprintf("The last refusal was %s%s:\n    %s", failure.Code, reason, failure.Error)
}
