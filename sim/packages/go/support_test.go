// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover_test

import (
	"encoding/json"
	"errors"
	"flag"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"testing"
	"time"

	tideover "github.com/tideover/tideover/sim/packages/go"
)

// Many tests at once, whatever the machine has.
func TestMain(m *testing.M) {
	flag.Set("test.parallel", "200")
	os.Exit(m.Run())
}

var (
	acme    = tideover.Fields{"legalName": "Acme"}
	advance = tideover.Fields{"payeeExternalId": "acme", "invoiceExternalId": "INV-1"}
	start   = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
)

const acmePath = "/v1/organizations/acme"

func equal(t *testing.T, got, wanted any) {
	t.Helper()
	if !reflect.DeepEqual(got, wanted) {
		t.Fatalf("got %+v, wanted %+v", got, wanted)
	}
}

func matches(t *testing.T, got, pattern string) {
	t.Helper()
	if !regexp.MustCompile(pattern).MatchString(got) {
		t.Fatalf("got %q, wanted %q", got, pattern)
	}
}

// failure is what fails a test without a test.
func failure(t *testing.T, fails func()) (problem error) {
	t.Helper()
	defer func() {
		err, isError := recover().(error)
		if !isError {
			t.Fatal("nothing failed")
		}
		problem = err
	}()
	fails()
	return nil
}

// invoice is what the tests read of INV-1.
type invoice struct {
	Advance *struct{ State string }
}

func state(world *tideover.World) string {
	var read invoice
	world.Request("GET", acmePath+"/invoices/INV-1", nil, &read)
	if read.Advance == nil {
		return ""
	}
	return read.Advance.State
}

// read reads the operator port without a key.
func read(url, path string, into any) error {
	answer, err := http.Get(url + path)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != 200 {
		return errors.New(answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

func isUp(url string) bool { return read(url, "/_sim/health", &tideover.Fields{}) == nil }

// without is a world that panics in place of failing the test.
func without(t *testing.T, world *tideover.World) *tideover.World {
	t.Helper()
	panicking := world.For(nil)
	panicking.Patience = 0
	return panicking
}
