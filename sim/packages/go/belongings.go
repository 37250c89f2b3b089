// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for what it expects, unless it says otherwise.
const patience = 10 * time.Second

// failing is what ends a test.
type failing interface {
	Helper()
	Fatal(...any)
}

// panicking is what stands in for a test where there is none.
type panicking struct{}

func (panicking) Helper() {}

func (panicking) Fatal(reasons ...any) {
	if err, isError := reasons[0].(error); isError {
		panic(err)
	}
	panic(fmt.Errorf("%v", reasons[0]))
}

func of(t testing.TB) failing {
	if t == nil {
		return panicking{}
	}
	return t
}

// belongings are what one test has.
type belongings struct {
	sync.Mutex
	worlds    []*World
	receivers []*Webhooks
}

// tests are the belongings of each running test.
var tests sync.Map

// own gives the test what it is to end with; where there is no test, whoever made it ends it.
func own(t testing.TB, take func(*belongings)) {
	if t == nil {
		return
	}
	t.Helper()
	loaded, isThere := tests.LoadOrStore(t, &belongings{})
	mine := loaded.(*belongings)
	mine.Lock()
	take(mine)
	mine.Unlock()
	if !isThere {
		t.Cleanup(func() {
			t.Helper()
			tests.Delete(t)
			mine.end(t)
		})
	}
}

// worldsOf are the worlds of a test that runs.
func worldsOf(t testing.TB) []*World {
	loaded, isThere := tests.Load(t)
	if t == nil || !isThere {
		return nil
	}
	mine := loaded.(*belongings)
	mine.Lock()
	defer mine.Unlock()
	return append([]*World(nil), mine.worlds...)
}

// end tells the story of a failed test, and ends what the test has. Its worlds go before its receivers: nothing is
// sent to a port that another test may have by then.
func (b *belongings) end(t testing.TB) {
	t.Helper()
	hasFailed := t.Failed()
	for _, world := range b.worlds {
		if hasFailed {
			t.Log(world.story())
		}
	}
	for _, world := range b.worlds {
		if hasFailed && world.stays() {
			continue
		}
		if err := world.delete(); err != nil {
			t.Error(err)
		}
	}
	for _, receiver := range b.receivers {
		receiver.Close()
	}
}
