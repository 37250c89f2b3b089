// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover_test

import (
	"fmt"
	"sync"
	"testing"

	tideover "github.com/tideover/tideover/sim/packages/go"
)

// Many tests at once with one mock: none disturbs another, and no name is that of another world.
func TestManyTestsAtOnceHaveWorldsForThemselves(t *testing.T) {
	const tests = 200
	var mutex sync.Mutex
	names, urls := map[string]int{}, map[string]bool{}
	t.Run("all", func(t *testing.T) {
		for number := 0; number < tests; number++ {
			t.Run(fmt.Sprint(number), func(t *testing.T) {
				t.Parallel()
				world, seen := played(t)
				mutex.Lock()
				defer mutex.Unlock()
				urls[world.URL] = true
				for _, name := range seen {
					names[name]++
				}
			})
		}
	})
	equal(t, len(names), 7*tests)
	equal(t, len(urls), 1)
}

// played is a world in which an advance was requested, with all names that were met.
func played(t *testing.T) (*tideover.World, []string) {
	world := tideover.NewWorld(t, tideover.Scenario("onboarded"))
	webhooks := tideover.NewWebhooks(t)
	reference := webhooks.Subscribe(world)
	world.Request("POST", "/v1/advances", advance, nil)
	event := webhooks.WaitFor(tideover.Expected{Event: "partner.loan.created"})
	equal(t, len(world.Journal(tideover.JournalFilter{})), 2)
	// Only its own webhooks have come.
	equal(t, len(world.WaitForDeliveries()), 0)
	equal(t, len(world.Deliveries(tideover.DeliveryFilter{})), 2)
	received := webhooks.Deliveries()
	equal(t, len(received), 2)
	secret := webhooks.Secrets()[0]
	first, second := received[0].Delivery(), received[1].Delivery()
	return world, []string{world.ID, world.Key, reference, event.ID, secret, first, second}
}
