// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	tideover "github.com/tideover/tideover/sim/packages/go"
)

func file(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// block is the first one of a page that begins so.
func block(t *testing.T, path, beginning string) string {
	t.Helper()
	_, rest, _ := strings.Cut(file(t, path), "```"+beginning)
	block, _, isThere := strings.Cut(rest, "\n```")
	if !isThere {
		t.Fatalf("%s has no %s", path, beginning)
	}
	return block + "\n"
}

func TestTheTestOfTheReadmeIsOne(t *testing.T) {
	source := strings.TrimPrefix(file(t, "advance_test.go"), "package tideover_test\n")
	for _, page := range []string{"README.md", "../../../docs/tests.md"} {
		equal(t, block(t, page, "go\npackage yours_test\n"), source)
	}
	_, test, _ := strings.Cut(source, "func Test")
	equal(t, strings.Count(test, "\n") < 15, true)
}

// What differs from run to run, or between the test of the page and ours.
var varying = regexp.MustCompile(`Test\w+ \(.*\)|\w+_test\.go:\d+|:\d+$`)

func TestTheStoryOfTheReadmeIsWhatIsPrinted(t *testing.T) {
	t.Parallel()
	shown := block(t, "README.md", "text\n")
	_, printed, _ := strings.Cut(failed(t, "TestOfTheReadme"), "=== RUN   TestOfTheReadme\n")
	// With -v, the line of the result is the last one.
	report, _, _ := strings.Cut(printed, "--- FAIL")
	_, wanted, _ := strings.Cut(shown, "\n")
	equal(t, lines(report), lines(wanted))
	equal(t, strings.HasPrefix(shown, "--- FAIL: "), true)
}

func lines(text string) []string {
	lines := strings.Split(text, "\n")
	for index := range lines {
		lines[index] = strings.TrimRight(varying.ReplaceAllString(lines[index], "…"), " ")
	}
	return lines
}

func TestTheReadmeNamesEachAct(t *testing.T) {
	t.Parallel()
	var document struct {
		Components struct {
			Schemas struct{ ActName struct{ Enum []string } }
		}
	}
	equal(t, read(tideover.NewWorld(t).URL, "/_sim/operator.json", &document), nil)
	for _, act := range document.Components.Schemas.ActName.Enum {
		if !strings.Contains(file(t, "README.md"), "`"+act+"`") {
			t.Errorf("the page has no %s", act)
		}
	}
}

// A copy of the folder has no other pages: they come with the program.
func TestNoLinkOfTheReadmeLeavesTheFolder(t *testing.T) {
	t.Parallel()
	page := file(t, "README.md")
	equal(t, strings.Contains(page, "](.."), false)
	url := tideover.NewWorld(t).URL
	pages := regexp.MustCompile("`([a-z-]+\\.md)`").FindAllStringSubmatch(page, -1)
	equal(t, len(pages) > 3, true)
	for _, each := range pages {
		answer, err := http.Get(url + "/_sim/guide/" + each[1])
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != 200 {
			t.Errorf("the guide has no %s", each[1])
		}
	}
}
