// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover_test

import (
	"strings"
	"testing"
	"time"

	tideover "github.com/tideover/tideover/sim/packages/go"
)

func failsOnce(world *tideover.World, when string) {
	world.Fault(tideover.Fault{Act: "upstreamFails", When: when, Operation: "sync_business", Nth: 1})
	world.Refused("PUT", acmePath, acme)
}

func seen(conduct tideover.Conduct, duty string) string {
	for _, row := range conduct.Rows {
		if row.ID == duty {
			return row.State
		}
	}
	return "no such duty"
}

func TestARightClientPasses(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t)
	equal(t, world.Conduct().Counts.Met, 0)
	failsOnce(world, "beforeCommit")
	world.Advance(time.Second)
	world.Request("PUT", acmePath, acme, nil)
	equal(t, seen(world.Conduct(), "backs-off"), "met")
	world.AssertGoodConduct()
}

func TestAWrongClientFailsWithTheRowAndItsRequests(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t)
	world.Refused("POST", "/v1/advances", advance)
	world.Refused("POST", "/v1/advances", advance)
	text := failure(t, func() { world.For(nil).AssertGoodConduct() }).Error()
	parts := strings.Split(text, "\n\n")
	equal(t, len(parts), 2)
	matches(t, parts[0], "^1 of [0-9]+ duties broken in world "+world.ID+"$")
	lines := strings.Split(parts[1], "\n")
	matches(t, lines[0], `^changes-refused-request \(7\.retrying\.2, §7 Retrying rule 2\): `)
	matches(t, lines[1], "^    request 0: .*POST /v1/advances -> 404 business_not_found")
	matches(t, lines[2], "^    request 1: ")
	world.AssertGoodConduct("changes-refused-request")
	unknown := failure(t, func() { world.For(nil).AssertGoodConduct("sleeps") })
	equal(t, unknown.Error(), "there is no such duty: sleeps")
}

func TestAClientThatIsDoneHasNothingOpen(t *testing.T) {
	t.Parallel()
	world := tideover.NewWorld(t)
	failsOnce(world, "afterCommit")
	equal(t, seen(world.Conduct(), "follows-up"), "notSeen")
	equal(t, seen(world.FinalConduct(), "follows-up"), "broken")
	matches(t, failure(t, func() { world.For(nil).AssertGoodConduct() }).Error(), "follows-up")
	world.Request("GET", acmePath, nil, nil)
	world.AssertGoodConduct()
}
