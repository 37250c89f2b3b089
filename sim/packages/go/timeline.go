// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"time"
)

// longest is how many lines anybody reads.
const longest = 60

// Timeline is what happened, as text: requests, actions, moves of the clock, faults and webhooks in order, and the last
// refusal with its reason.
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
	if w.stays() {
		text += fmt.Sprintf("\n\nThe world stays: %s/_sim/?world=%s", w.URL, w.ID)
	}
	return fmt.Sprintf("the timeline of %s\n%s", w, text)
}

func (w *World) timeline() (string, error) {
	var log history
	for _, part := range []string{"journal", "deliveries", "interventions", "faults"} {
		if err := (caller{w.URL, w.Key}).within(usual, "GET", "/_sim/"+part, nil, &log); err != nil {
			return "", err
		}
	}
	return log.String(), nil
}

// history is all that the mock tells of a world.
type history struct {
	Entries       []Entry
	Deliveries    []Delivery
	Interventions []intervention
	Faults        []FaultCount
}

func (h history) String() string {
	idle, older := h.idle()
	lines := h.inOrder(idle)
	if len(lines) == 0 && len(older) == 0 {
		return "Nothing: no request came with a key of this world."
	}
	if more := len(lines) - longest; more > 0 {
		lines = append([]string{fmt.Sprintf("(%d earlier lines are left out)", more)}, lines[more:]...)
	}
	for _, label := range older {
		lines = append(lines, fmt.Sprintf("from the start  fault %s (never acted)", label))
	}
	if len(h.Entries) == 0 {
		lines = append(lines, "", "No request came with a key of this world.")
	}
	for index := len(h.Entries) - 1; index >= 0; index-- {
		// What a fault answers may have a status alone.
		if entry := h.Entries[index]; entry.Status >= 400 {
			lines = append(lines, "", entry.refusal())
			break
		}
	}
	return strings.Join(lines, "\n")
}

// inOrder are the requests and what was done beside the API, each with the webhooks that came after it.
func (h history) inOrder(idle map[int64]bool) []string {
	steps := steps{causes: map[int64]int{}, resends: map[string][]int{}}
	acts := h.Interventions
	for _, request := range h.Entries {
		for ; len(acts) > 0 && acts[0].NextRequest <= request.Number; acts = acts[1:] {
			steps.act(acts[0], idle[acts[0].Number])
		}
		steps.request(request)
	}
	for _, act := range acts {
		steps.act(act, idle[act.Number])
	}
	// Those of no step stand before all.
	after := make([][]string, len(steps.all)+1)
	for _, each := range attempts(h.Deliveries) {
		place := steps.place(each) + 1
		after[place] = append(after[place], each.String())
	}
	lines := after[0]
	for place, step := range steps.all {
		lines = append(append(lines, step.text), after[place+1]...)
	}
	return lines
}

// idle are the numbers of the interventions that added a rule which never acted, and the labels of such rules that are
// older than all interventions. An intervention has the label of its rule alone, so that the newest go together.
func (h history) idle() (idle map[int64]bool, older []string) {
	added := map[string][]int64{}
	for _, act := range h.Interventions {
		same := added[act.Fault]
		switch act.Kind {
		case "faultAdded":
			added[act.Fault] = append(same, act.Number)
		case "faultRemoved":
			added[act.Fault] = same[:len(same)-least(len(same), 1)]
		case "faultsCleared":
			added = map[string][]int64{}
		}
	}
	idle = map[int64]bool{}
	for index := len(h.Faults) - 1; index >= 0; index-- {
		rule := h.Faults[index]
		same := added[rule.Label]
		if len(same) > 0 {
			idle[same[len(same)-1]] = rule.Fired == 0
			added[rule.Label] = same[:len(same)-1]
		} else if rule.Fired == 0 {
			older = append([]string{rule.Label}, older...)
		}
	}
	return idle, older
}

// An intervention is something that was done to the world beside the API.
type intervention struct {
	Number                    int64
	Time                      time.Time
	Until                     *time.Time
	Kind                      string
	Action, Payee, Invoice    string
	Amount                    *int64
	Fault, Delivery, Refused  string
	NextRequest, NextDelivery int64
}

func (i intervention) text(isIdle bool) string {
	text := instant(i.Time) + "  "
	switch i.Kind {
	case "action":
		text += "action " + i.Action + i.about()
	case "clockMoved":
		text += "clock moves"
		if i.Until != nil {
			text += " to " + instant(*i.Until)
		}
	case "faultAdded":
		text += "fault " + i.Fault + " is added"
	case "faultRemoved":
		text += "fault " + i.Fault + " is removed"
	case "faultsCleared":
		text += "all faults are removed"
	case "resent":
		text += "webhook " + i.Delivery + " is sent again"
	default:
		text += i.Kind
	}
	if isIdle {
		text += " (never acted)"
	}
	if i.Refused != "" {
		text += " -> refused: " + i.Refused
	}
	return text
}

// about are the values of an action, as those of an event stand.
func (i intervention) about() string {
	values := []string{i.Payee, i.Invoice}
	if i.Amount != nil {
		values = append(values, fmt.Sprint(*i.Amount))
	}
	text := strings.TrimSpace(strings.Join(values, " "))
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// steps are what happened in order, but for the webhooks.
type steps struct {
	all []step
	// causes are the places of the requests that have caused a delivery, by its index.
	causes map[int64]int
	// acts are what was done beside the API, with the index of the first delivery after it.
	acts []struct {
		place        int
		nextDelivery int64
	}
	// resends are the places where a delivery was sent again, by its Service-Delivery.
	resends map[string][]int
}

// step lasts as long as the clock moves.
type step struct {
	begin, end time.Time
	text       string
}

func (s *steps) request(entry Entry) {
	for _, event := range entry.Events {
		s.causes[event.Index] = len(s.all)
	}
	s.all = append(s.all, step{entry.Time, entry.Time, entry.String()})
}

func (s *steps) act(act intervention, isIdle bool) {
	place, end := len(s.all), act.Time
	if act.Until != nil {
		end = *act.Until
	}
	if act.Kind == "resent" && act.Refused == "" {
		s.resends[act.Delivery] = append(s.resends[act.Delivery], place)
	} else {
		s.acts = append(s.acts, struct {
			place        int
			nextDelivery int64
		}{place, act.NextDelivery})
	}
	s.all = append(s.all, step{act.Time, end, act.text(isIdle)})
}

// place is that of the step after which an attempt came: its cause, or the move of the clock that brought it. Where a
// clock runs, it is the last step before.
func (s *steps) place(each sent) int {
	last := s.cause(each)
	for place := last; place < len(s.all); place++ {
		if place < 0 {
			continue
		}
		if s.all[place].begin.After(each.At) {
			break
		}
		last = place
		if !s.all[place].end.Before(each.At) {
			break
		}
	}
	return last
}

// cause is the place of the step before which an attempt cannot be; -1 if there is none.
func (s *steps) cause(each sent) int {
	if each.Cause == "resent" && each.resend < len(s.resends[each.ID]) {
		return s.resends[each.ID][each.resend]
	}
	if place, isCaused := s.causes[each.Index]; isCaused {
		return place
	}
	after := sort.Search(len(s.acts), func(i int) bool { return s.acts[i].nextDelivery > each.Index })
	if after == 0 {
		return -1
	}
	return s.acts[after-1].place
}

// sent is an attempt of a delivery.
type sent struct {
	Delivery
	Attempt
	// resend is how often the delivery was sent again before.
	resend int
}

// attempts are those of all deliveries, in the order of their times.
func attempts(deliveries []Delivery) []sent {
	var all []sent
	for _, delivery := range deliveries {
		resend := 0
		for _, attempt := range delivery.Attempts {
			all = append(all, sent{delivery, attempt, resend})
			if attempt.Cause == "resent" {
				resend++
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].At.Before(all[j].At) })
	return all
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
