// SPDX-License-Identifier: MIT OR Apache-2.0

// Package tideover tests software that calls the Receivables Advance Partner API, against a mock on this machine.
//
// [NewWorld] gives a test a service of its own, [NewWebhooks] a receiver. All tests of one process share one mock,
// which starts with the first test that needs it and ends with the process. The variable TIDEOVER names its program,
// which is looked for on the PATH otherwise; TIDEOVER_URL names a mock that runs already, and
// TIDEOVER_KEEP_FAILED=1 leaves the worlds of failed tests there.
//
// Methods of a world and of a receiver fail the test if what they ask for is refused, so they are for the goroutine
// of the test. [World.Send] is for any goroutine. Places such as §4 are those of the API's document.
package tideover

// Fields are a JSON object: the body of a request, or the fields of an action.
type Fields = map[string]any
