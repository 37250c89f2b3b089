// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// A Mock stands in for the service. Worlds are made in it.
type Mock struct {
	// URL is where it listens.
	URL string
	// Key is the key of the default world (§5 rule 1).
	Key string

	// end ends the process, if this Mock has started it.
	end func()
}

// Start starts a mock on a free port. It ends with [Mock.Stop], with the context, or with this process. Options are
// those of `tideover serve`. Its clock stands at 2026-01-01 and its webhooks may go to this machine, unless they say
// otherwise.
func Start(ctx context.Context, options ...Option) (*Mock, error) {
	program, err := program()
	if err != nil {
		return nil, err
	}
	// A file: nobody reads a pipe while the tests run, and a full one would stop the mock.
	said, err := os.CreateTemp("", "tideover-*.log")
	if err != nil {
		return nil, err
	}
	defer os.Remove(said.Name())
	defer said.Close()
	serve := append([]string{program, "serve", "--port=0", "--json"}, arguments(options)...)
	mock, code, err := begin(ctx, serve, said)
	if errors.Is(err, io.EOF) {
		complaint, _ := os.ReadFile(said.Name())
		line := strings.Join(serve, " ")
		err = fmt.Errorf("%s ended with exit code %d:\n%s", line, code, strings.TrimSpace(string(complaint)))
	}
	return mock, err
}

// At is a mock that somebody else has started, and will end.
func At(url string) *Mock {
	return &Mock{URL: strings.TrimRight(url, "/"), Key: "rap_sk_local", end: func() {}}
}

// Stop ends the mock, if [Start] has started it. To end it again does nothing.
func (m *Mock) Stop() { m.end() }

// NewWorld makes a world in this mock, for one test: see the function [NewWorld].
func (m *Mock) NewWorld(t testing.TB, options ...Option) *World {
	failing := of(t)
	failing.Helper()
	var made madeWorld
	if err := (caller{url: m.URL}).within(usual, "POST", "/_sim/worlds", fields(options), &made); err != nil {
		failing.Fatal(err)
	}
	return newWorld(t, m.URL, made, 0)
}

// The mock of all tests

var shared struct {
	sync.Once
	options []Option
	mock    *Mock
	err     error
}

// Shared is the mock of all tests of this process. It starts when it is asked for the first time.
func Shared() (*Mock, error) {
	shared.Do(func() {
		if url := os.Getenv("TIDEOVER_URL"); url != "" {
			shared.mock = At(url)
		} else {
			shared.mock, shared.err = Start(context.Background(), shared.options...)
		}
	})
	// Each test says why there is none, and none waits for another attempt.
	return shared.mock, shared.err
}

// Main runs the tests with these options of the shared mock, ends it, and exits:
//
//	func TestMain(m *testing.M) { tideover.Main(m, tideover.Grease(true)) }
//
// Without options only Windows needs it: there, nothing else ends the mock.
func Main(m *testing.M, options ...Option) {
	shared.options = options
	code := m.Run()
	if shared.mock != nil {
		shared.mock.Stop()
	}
	os.Exit(code)
}

// The process

// program is the file of the program: that of the variable, or that of the PATH.
func program() (string, error) {
	name := os.Getenv("TIDEOVER")
	if name == "" {
		name = "tideover"
	}
	file, err := exec.LookPath(name)
	if err != nil {
		help := "a release has it: put it on the PATH, or let the variable TIDEOVER name its file"
		return "", fmt.Errorf("the program %s cannot be started: %w; %s", name, err, help)
	}
	return file, nil
}

// begin starts the command, and reads where it listens. The error is io.EOF if it ended instead, with this code.
func begin(ctx context.Context, command []string, said *os.File) (*Mock, int, error) {
	process := kept(command)
	process.Stderr = said
	hold, err := process.StdinPipe()
	if err != nil {
		return nil, 0, err
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := process.Start(); err != nil {
		return nil, 0, err
	}
	mock := &Mock{end: ending(ctx, process, hold)}
	// All that it ever says there.
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var ready struct{ BaseURL, APIKey string }
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil {
		mock.Stop()
		return nil, process.ProcessState.ExitCode(), err
	}
	mock.URL, mock.Key = ready.BaseURL, ready.APIKey
	return mock, 0, nil
}

// keeper is a shell that ends the mock once its own standard input is closed. The system does that at any end of
// this process; a test process that is killed, or whose time is over, runs nothing at its end.
const keeper = `"$@" & trap "" INT TERM HUP; exec >&-; read -r _; kill $! 2>&-; wait $!`

// kept is the command, held by a keeper where there is a shell.
func kept(command []string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.Command(command[0], command[1:]...)
	}
	return exec.Command("sh", append([]string{"-c", keeper, "tideover"}, command...)...)
}

// ending ends the process: when it is called, or with the context.
func ending(ctx context.Context, process *exec.Cmd, hold io.Closer) func() {
	var once sync.Once
	ended := make(chan struct{})
	end := func() {
		once.Do(func() {
			hold.Close()
			if runtime.GOOS == "windows" {
				process.Process.Kill()
			}
			process.Wait()
			close(ended)
		})
	}
	go func() {
		select {
		case <-ctx.Done():
			end()
		case <-ended:
		}
	}()
	return end
}
