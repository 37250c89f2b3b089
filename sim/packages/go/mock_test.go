// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	tideover "github.com/tideover/tideover/sim/packages/go"
)

// other runs one test of this program in a process of its own, and returns what it has printed.
func other(t *testing.T, test string, variables ...string) (string, error) {
	t.Helper()
	program := exec.Command(os.Args[0], "-test.run=^"+test+"$", "-test.v")
	program.Env = append(append(os.Environ(), "TIDEOVER_URL=", "RUN_ALONE="+test), variables...)
	printed, err := program.CombinedOutput()
	return string(printed), err
}

// inOther skips a test that another one runs in a process of its own.
func inOther(t *testing.T) {
	if os.Getenv("RUN_ALONE") != t.Name() {
		t.Skip("another test runs it")
	}
}

func printedURL(t *testing.T, printed string) string {
	t.Helper()
	_, rest, _ := strings.Cut(printed, "the mock is at ")
	url, _, isThere := strings.Cut(rest, "\n")
	if !isThere {
		t.Fatal(printed)
	}
	return url
}

func TestAMockIsThereUntilItIsStopped(t *testing.T) {
	t.Parallel()
	when := time.Date(2030, time.May, 1, 0, 0, 0, 0, time.UTC)
	key := tideover.Option{Name: "apiKey", Value: "my_sk_key"}
	mock, err := tideover.Start(context.Background(), key, tideover.StartAt(when), tideover.Grease(true))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, mock.Key, "my_sk_key")
	world := mock.NewWorld(nil)
	equal(t, world.Now(), when)
	mock.Stop()
	equal(t, isUp(mock.URL), false)
	mock.Stop()
	matches(t, failure(t, func() { mock.NewWorld(nil) }).Error(), "connection refused")
}

func TestAMockEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	mock, err := tideover.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, isUp(mock.URL), true)
	cancel()
	assertEnds(t, mock.URL)
}

func TestTheMockOfSomebodyElseGoesOn(t *testing.T) {
	t.Parallel()
	mock, err := tideover.Shared()
	if err != nil {
		t.Fatal(err)
	}
	same := tideover.At(mock.URL + "/")
	same.NewWorld(t).Request("GET", "/v1/webhooks", nil, nil)
	same.Stop()
	equal(t, isUp(mock.URL), true)
}

func TestAMockThatCannotStartSaysWhy(t *testing.T) {
	t.Parallel()
	_, err := tideover.Start(context.Background(), tideover.Clock("bogus"))
	matches(t, err.Error(), `(?s)serve .*--clock=bogus .*ended with exit code 2:.*running, still`)
}

func TestAMockThatIsNotThereSaysWhereItShouldBe(t *testing.T) {
	t.Parallel()
	absent := failure(t, func() { tideover.At("http://127.0.0.1:1/").NewWorld(nil) })
	matches(t, absent.Error(), "^the mock at http://127.0.0.1:1 cannot be reached: .*connection refused")
	malformed := failure(t, func() { tideover.At("127.0.0.1:4010").NewWorld(nil) })
	equal(t, malformed.Error(), `"127.0.0.1:4010" is no address such as http://127.0.0.1:4010`)
}

// What the tests below run in processes of their own.

func TestThatUsesTheMock(t *testing.T) {
	inOther(t)
	fmt.Println("the mock is at " + tideover.NewWorld(t).URL)
}

func TestThatIsKilled(t *testing.T) {
	inOther(t)
	fmt.Println("the mock is at " + tideover.NewWorld(t).URL)
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	self.Kill()
	select {}
}

func TestThatHasNoMock(t *testing.T) {
	inOther(t)
	first := failure(t, func() { tideover.NewWorld(nil) })
	equal(t, failure(t, func() { tideover.NewWorld(nil) }).Error(), first.Error())
	fmt.Println(first)
}

func TestTheMockEndsWithTheProcess(t *testing.T) {
	t.Parallel()
	printed, err := other(t, "TestThatUsesTheMock")
	equal(t, err, nil)
	assertEnds(t, printedURL(t, printed))
}

func TestTheMockEndsWithAProcessThatIsKilled(t *testing.T) {
	t.Parallel()
	printed, err := other(t, "TestThatIsKilled")
	equal(t, err != nil, true)
	assertEnds(t, printedURL(t, printed))
}

func assertEnds(t *testing.T, url string) {
	t.Helper()
	for patience := time.Now().Add(10 * time.Second); isUp(url); time.Sleep(time.Millisecond) {
		if time.Now().After(patience) {
			t.Fatal("the mock is still there")
		}
	}
}

func TestAMockThatRunsAlreadyIsShared(t *testing.T) {
	t.Parallel()
	mock, err := tideover.Shared()
	if err != nil {
		t.Fatal(err)
	}
	printed, err := other(t, "TestThatUsesTheMock", "TIDEOVER_URL="+mock.URL)
	equal(t, err, nil)
	equal(t, printedURL(t, printed), mock.URL)
	equal(t, isUp(mock.URL), true)
}

func TestAMissingProgramSaysWhatToDo(t *testing.T) {
	t.Parallel()
	absent, err := other(t, "TestThatHasNoMock", "TIDEOVER=absent/tideover")
	equal(t, err, nil)
	matches(t, absent, "the program absent/tideover cannot be started: .*let the variable TIDEOVER name its file\n")
	nobody, err := other(t, "TestThatHasNoMock", "TIDEOVER_URL=http://127.0.0.1:1/")
	equal(t, err, nil)
	matches(t, nobody, "the mock at http://127.0.0.1:1, which the variable TIDEOVER_URL names, cannot be reached: ")
	malformed, err := other(t, "TestThatHasNoMock", "TIDEOVER_URL=localhost:4010")
	equal(t, err, nil)
	matches(t, malformed, `"localhost:4010", which the variable TIDEOVER_URL names, is no address such as http://`)
	onThePath, err := other(t, "TestThatHasNoMock", "TIDEOVER=", "PATH=")
	equal(t, err, nil)
	matches(t, onThePath, "the program tideover cannot be started: .*put it on the PATH")
}
