// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// Refused is an answer that is no success (§7).
type Refused struct {
	// Request is the method and the path.
	Request string
	// Status is that of HTTP.
	Status int
	// Code is the stable token by which a client decides; empty if something else than the mock has answered.
	Code string
	// Clause is the clause of the document that decided the answer; empty if the mock does not say it.
	Clause string
	// Prose is the sentence for a log. It may change at any time.
	Prose string
}

func (r *Refused) Error() string {
	clause := ""
	if r.Clause != "" {
		clause = " [" + r.Clause + "]"
	}
	return fmt.Sprintf("%s -> %d %s%s: %s", r.Request, r.Status, r.Code, clause, r.Prose)
}

// Raw is a body that is sent as it is, such as the CSV of an import (§4 PUT /v1/invoices/imports/{externalId}).
type Raw struct {
	// Type is the media type.
	Type string
	// Content is the body.
	Content string
}

const (
	usual = 60 * time.Second
	// long is how long the clock may be on its way: each receiver that hangs takes a real second of each attempt.
	long = 600 * time.Second
)

// client goes through no proxy. Each request has a connection of its own: net/http by itself repeats a request whose
// connection was kept open and drops, and a test counts requests.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// caller sends requests to one address with one API key.
type caller struct{ url, key string }

// within sends a request, and waits so long for its answer.
func (c caller) within(patience time.Duration, method, path string, body, answer any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return c.send(ctx, method, path, body, answer)
}

// send sends a request, and decodes the body of its answer unless answer is nil.
func (c caller) send(ctx context.Context, method, path string, body, answer any) error {
	if err := c.reachable(); err != nil {
		return err
	}
	request, err := c.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return c.unanswered(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if response.StatusCode >= 300 {
		return refused(method+" "+path, response, content)
	}
	if answer == nil || len(content) == 0 {
		return nil
	}
	if err := json.Unmarshal(content, answer); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// reachable is why there can be no mock at the address.
func (c caller) reachable() error {
	address, err := url.Parse(c.url)
	if err == nil && (address.Scheme == "http" || address.Scheme == "https") && address.Host != "" {
		return nil
	}
	return fmt.Errorf("%q%s is no address such as http://127.0.0.1:4010", c.url, c.named())
}

// unanswered is why no answer came. Where nobody listens, it says who has named the address.
func (c caller) unanswered(err error) error {
	var failed *net.OpError
	if errors.As(err, &failed) && failed.Op == "dial" {
		return fmt.Errorf("the mock at %s%s cannot be reached: %w", c.url, c.named(), err)
	}
	return err
}

// named says where the address comes from, if it is the variable.
func (c caller) named() string {
	if c.isNamed() {
		return ", which the variable TIDEOVER_URL names,"
	}
	return ""
}

// isNamed is whether the variable has the address: somebody else runs the mock.
func (c caller) isNamed() bool {
	named := os.Getenv("TIDEOVER_URL")
	return named != "" && At(named).URL == c.url
}

func (c caller) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	raw, isRaw := body.(Raw)
	if !isRaw && body != nil {
		content, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		raw = Raw{"application/json", string(content)}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewBufferString(raw.Content))
	if err != nil {
		return nil, err
	}
	if raw.Type != "" {
		request.Header.Set("Content-Type", raw.Type)
	}
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	return request, nil
}

func refused(request string, response *http.Response, content []byte) *Refused {
	var failure struct{ Error, Code string }
	if json.Unmarshal(content, &failure) != nil || failure.Code == "" {
		// It was not the mock that answered: its body says what did.
		failure.Error, failure.Code = string(content), ""
	}
	return &Refused{
		Request: request,
		Status:  response.StatusCode,
		Code:    failure.Code,
		Clause:  response.Header.Get("Tideover-Clause"),
		Prose:   failure.Error,
	}
}

// query is the path with those fields of the filter that have a value.
func query(path string, filter any) string {
	var given map[string]any
	content, err := json.Marshal(filter)
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(content))
		decoder.UseNumber()
		err = decoder.Decode(&given)
	}
	if err != nil {
		panic(err) // A filter has nothing but texts and numbers.
	}
	values := url.Values{}
	for name, value := range given {
		values.Set(name, fmt.Sprint(value))
	}
	return path + "?" + values.Encode()
}

// instant is a time as the mock reads it.
func instant(when time.Time) string { return when.UTC().Format(time.RFC3339Nano) }
