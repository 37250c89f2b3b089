// SPDX-License-Identifier: MIT OR Apache-2.0

package example

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"sync/atomic"
	"testing"
)

func equal(t *testing.T, got, wanted any) {
	t.Helper()
	if !reflect.DeepEqual(got, wanted) {
		t.Fatalf("got %+v, wanted %+v", got, wanted)
	}
}

// endpoint is where the example listens. It can be down for the next webhooks.
type endpoint struct {
	URL     string
	downFor int32
}

// listen has a port until the test ends. It comes before the world, which ends first then: nothing is sent to a port
// that another test may have by then.
func listen(t *testing.T, receiver http.Handler) *endpoint {
	endpoint := &endpoint{}
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		if atomic.AddInt32(&endpoint.downFor, -1) >= 0 {
			response.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		receiver.ServeHTTP(response, request)
	}))
	t.Cleanup(server.Close)
	endpoint.URL = server.URL + "/hooks"
	return endpoint
}

// goDown lets the next deliveries find nobody.
func (e *endpoint) goDown(deliveries int32) { atomic.StoreInt32(&e.downFor, deliveries) }
