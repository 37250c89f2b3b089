// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

import (
	"fmt"
	"time"
)

// moved is what the mock says of a move of the clock.
type moved struct {
	Now     time.Time
	Quiet   bool
	NextDue string
}

// Now is what the clock shows.
func (w *World) Now() time.Time {
	w.t.Helper()
	var clock moved
	w.port("GET", "clock", nil, &clock)
	return clock.Now
}

// Advance moves the clock forward by whole seconds. Everything that is due happens in order.
func (w *World) Advance(duration time.Duration) time.Time {
	w.t.Helper()
	// The mock refuses what is not whole, and what is negative.
	return w.move(Fields{"advanceSeconds": duration.Seconds()}).Now
}

// AdvanceTo moves the clock forward to this instant.
func (w *World) AdvanceTo(when time.Time) time.Time {
	w.t.Helper()
	return w.move(Fields{"advanceTo": instant(when)}).Now
}

// NextEvent moves the clock to the next thing that is due. If nothing is due, it stays.
func (w *World) NextEvent() time.Time {
	w.t.Helper()
	return w.move(Fields{"nextEvent": true}).Now
}

// UntilQuiet moves the clock until nothing is due any more: advances are funded, webhooks are settled.
func (w *World) UntilQuiet() time.Time {
	w.t.Helper()
	clock := w.move(Fields{"untilQuiet": true})
	if !clock.Quiet {
		w.t.Fatal(fmt.Errorf("at %s something is still due, at %s", instant(clock.Now), clock.NextDue))
	}
	return clock.Now
}

// waiting says that the clock stands while something is due; it is empty if that is not so.
func (w *World) waiting() string {
	var seen struct {
		Now     time.Time
		Speed   int
		NextDue *time.Time
	}
	// What failed is the test, which is worth more than this hint. No business has such a text: none is of interest.
	err := (caller{w.URL, w.Key}).within(usual, "GET", "/_sim/overview?text=%00", nil, &seen)
	// What is due now is on its way.
	if err != nil || seen.Speed != 0 || seen.NextDue == nil || !seen.NextDue.After(seen.Now) {
		return ""
	}
	return fmt.Sprintf("\nThe clock of the world stands at %s, and the next thing happens at %s: "+
		"move it with UntilQuiet(), NextEvent() or Advance().", instant(seen.Now), instant(*seen.NextDue))
}

func (w *World) move(how Fields) moved {
	w.t.Helper()
	var clock moved
	w.within(long, "POST", "/_sim/clock", how, &clock)
	return clock
}
