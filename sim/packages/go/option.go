// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
	"time"
)

// An Option says how a world or a mock begins. What no function below makes is named as the mock names it:
// Option{Name: "maxWorlds", Value: 5} is --max-worlds of `tideover serve`.
type Option struct {
	Name  string
	Value any
}

// Scenario is how far the story has gone: fresh, onboarded, funded, repaid or at-the-limit.
func Scenario(name string) Option { return Option{"scenario", name} }

// Seed is that of all that the service chooses. Worlds with one seed have the same names.
func Seed(seed uint64) Option { return Option{"seed", seed} }

// Grease lets the mock do at random what the document leaves a service free to do, or not.
func Grease(on bool) Option { return Option{"grease", on} }

// StartAt is when the clock starts; without it, 2026-01-01T00:00:00Z.
func StartAt(when time.Time) Option { return Option{"start", instant(when)} }

// Clock is still, until a test moves it, or running. Without it, the clock is still.
func Clock(word string) Option { return Option{"clock", word} }

// Speed is how many times as fast as the wall clock a running clock is: 1 to 1,000,000.
func Speed(times int) Option { return Option{"speed", times} }

// Platforms is how many platforms a world has: each has keys and identifiers of its own (§5 rule 4).
func Platforms(number int) Option { return Option{"platforms", number} }

// Profile has the values that a world assumes where the document is silent, by the names of a profile file.
func Profile(values Fields) Option { return Option{"profile", values} }

// Faults are the rules that a world begins with.
func Faults(faults ...Fault) Option { return Option{"faults", faults} }

// ExpiresAfterIdle deletes a world that nobody has used for so many whole seconds.
func ExpiresAfterIdle(idle time.Duration) Option {
	// The mock refuses what is not whole, and what is negative.
	return Option{"expiresAfterIdleSeconds", idle.Seconds()}
}

// fields are the options as the body of a request. The last one of a name holds.
func fields(options []Option) Fields {
	named := Fields{}
	for _, each := range options {
		named[each.Name] = each.Value
	}
	return named
}

// defaults let a test decide when time passes, read the same dates every day, and receive webhooks.
var defaults = []Option{{"webhooks", "local"}, Clock("still"), {"start", "2026-01-01T00:00:00Z"}}

var capital = regexp.MustCompile("[A-Z]")

// arguments are the options as those of `tideover serve`.
func arguments(options []Option) []string {
	var arguments []string
	for name, value := range fields(append(defaults[:len(defaults):len(defaults)], options...)) {
		name = strings.ToLower(capital.ReplaceAllString(name, "-$0"))
		arguments = append(arguments, fmt.Sprintf("--%s=%v", name, value))
	}
	sort.Strings(arguments)
	return arguments
}
