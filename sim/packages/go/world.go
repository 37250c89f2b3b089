// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"
)

// A World is one isolated service: state, clock, keys, journal, faults, webhooks. Its key selects it, for your client
// as for this value.
type World struct {
	// URL is where your client connects.
	URL string
	// Key is the API key of this platform (§5 rule 1).
	Key string
	// ID is the world's name in the mock.
	ID string
	// Patience is how long it waits for what a test expects; ten seconds unless a test says otherwise.
	Patience time.Duration

	keys []string
	test testing.TB
	t    failing
}

// madeWorld is what the mock says of a new world.
type madeWorld struct {
	ID   string
	Keys []struct{ Key string }
}

// NewWorld makes a world in the mock of all tests, for one test. It is deleted after the test; if that has failed,
// its log says what happened in the world.
//
// With nil in place of the test, what would fail it panics, and the caller closes the world.
func NewWorld(t testing.TB, options ...Option) *World {
	failing := of(t)
	failing.Helper()
	mock, err := Shared()
	if err != nil {
		failing.Fatal(err)
	}
	return mock.NewWorld(t, options...)
}

// newWorld is a world as one of its platforms sees it. It ends with the test.
func newWorld(t testing.TB, url string, made madeWorld, platform int) *World {
	world := &World{URL: url, ID: made.ID, Patience: patience, test: t, t: of(t)}
	for _, each := range made.Keys {
		world.keys = append(world.keys, each.Key)
	}
	world.Key = world.keys[platform]
	world.t.Helper()
	own(t, func(mine *belongings) { mine.worlds = append(mine.worlds, world) })
	return world
}

// For is the same world in a subtest, which it fails instead.
func (w *World) For(t testing.TB) *World {
	world := *w
	world.test, world.t = t, of(t)
	return &world
}

// Platforms are this world as each of its platforms sees it: each has keys and identifiers of its own (§5 rule 4).
func (w *World) Platforms() []*World {
	var platforms []*World
	for _, key := range w.keys {
		platform := *w
		platform.Key = key
		platforms = append(platforms, &platform)
	}
	return platforms
}

// Send sends a request of the API, and decodes the body of its answer unless answer is nil. The error is a [*Refused]
// if the answer is no success. It may be called from any goroutine.
func (w *World) Send(ctx context.Context, method, path string, body, answer any) error {
	return caller{w.URL, w.Key}.send(ctx, method, path, body, answer)
}

// Request sends a request of the API that must succeed, and decodes the body of its answer unless answer is nil. A
// body is anything that is JSON, a [Raw], or nil.
func (w *World) Request(method, path string, body, answer any) {
	w.t.Helper()
	w.within(usual, method, path, body, answer)
}

// Refused sends a request of the API that must be refused, and returns how.
func (w *World) Refused(method, path string, body any) *Refused {
	w.t.Helper()
	err := caller{w.URL, w.Key}.within(usual, method, path, body, nil)
	var refused *Refused
	if errors.As(err, &refused) {
		return refused
	}
	if err == nil {
		err = fmt.Errorf("%s %s was not refused", method, path)
	}
	w.t.Fatal(err)
	return nil
}

// Reset brings the world back to its start. Its names are new ones.
func (w *World) Reset() {
	w.t.Helper()
	w.port("POST", "reset", Fields{"repeat": false}, nil)
}

// ResetAndRepeat brings the world back to its start; the same requests get the same bytes again.
func (w *World) ResetAndRepeat() {
	w.t.Helper()
	w.port("POST", "reset", Fields{"repeat": true}, nil)
}

// Fork makes a copy with keys of its own, which goes its own way. It ends with the test, as this one does.
func (w *World) Fork() *World {
	w.t.Helper()
	var made madeWorld
	w.port("POST", "worlds/"+w.ID+"/fork", nil, &made)
	// The copy is seen by the same platform.
	platform := 0
	for index, key := range w.keys {
		if key == w.Key {
			platform = index
		}
	}
	return newWorld(w.test, w.URL, made, platform)
}

// Close deletes the world: nothing more of it is sent. To delete it again does nothing.
func (w *World) Close() {
	w.t.Helper()
	if err := w.delete(); err != nil {
		w.t.Fatal(err)
	}
}

// stays is whether the world outlives a test that fails: a variable asks for it, and the mock outlives the tests.
func (w *World) stays() bool {
	return os.Getenv("TIDEOVER_KEEP_FAILED") != "" && caller{url: w.URL}.isNamed()
}

func (w *World) String() string { return "world " + w.ID + " at " + w.URL }

func (w *World) delete() error {
	err := caller{w.URL, w.Key}.within(usual, "DELETE", "/_sim/worlds/"+w.ID, nil, nil)
	var refused *Refused
	if errors.As(err, &refused) && refused.Status == 404 {
		return nil
	}
	return err
}

// port asks the operator port.
func (w *World) port(method, path string, body, answer any) {
	w.t.Helper()
	w.within(usual, method, "/_sim/"+path, body, answer)
}

func (w *World) within(patience time.Duration, method, path string, body, answer any) {
	w.t.Helper()
	if err := (caller{w.URL, w.Key}).within(patience, method, path, body, answer); err != nil {
		w.t.Fatal(err)
	}
}
