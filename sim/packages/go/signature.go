// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Why a webhook is not to be believed. Errors of [Verify] wrap one of these.
var (
	ErrMissing   = errors.New("missing")
	ErrMalformed = errors.New("malformed")
	ErrStale     = errors.New("stale")
	ErrWrong     = errors.New("wrong")
)

// Tolerance is how old a signature may be, or how far in the future (§6 Signature rule 4).
const Tolerance = 300 * time.Second

// Verify is nil if the service has just signed exactly these bytes (§6 Signature). The body is the raw one: JSON that
// was parsed and written again is another body.
func Verify(secret string, header http.Header, body []byte) error {
	return VerifyAt(secret, header, body, Tolerance, time.Now())
}

// VerifyAt is [Verify] with another tolerance and another time.
func VerifyAt(secret string, header http.Header, body []byte, tolerance time.Duration, now time.Time) error {
	seconds, digest, err := parsed(header.Values("Service-Signature"))
	if err != nil {
		return err
	}
	if age := now.Sub(signedAt(seconds)); age.Abs() > tolerance {
		direction := "ago"
		if age < 0 {
			direction = "ahead"
		}
		return fmt.Errorf("%w: signed %d seconds %s", ErrStale, age.Abs()/time.Second, direction)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", seconds, body)
	// In constant time.
	if !hmac.Equal(mac.Sum(nil), digest) {
		return fmt.Errorf("%w: the digest is not that of this time and these bytes under this secret", ErrWrong)
	}
	return nil
}

var (
	// Visible ASCII, so that nothing is trimmed.
	field = regexp.MustCompile(`^([!-+\--<>-~]+)=([!-+\--~]+)$`)
	whole = regexp.MustCompile(`^(0|[1-9][0-9]{0,19})$`)
)

// parsed has the time and the digest. Fields that are not known may stand beside them, in any order.
func parsed(headers []string) (seconds uint64, digest []byte, err error) {
	if len(headers) == 0 {
		return 0, nil, fmt.Errorf("%w: there is no header Service-Signature", ErrMissing)
	}
	found := map[string]string{}
	// Several headers are joined as HTTP joins them.
	for _, each := range strings.Split(strings.Join(headers, ","), ",") {
		parts := field.FindStringSubmatch(each)
		if parts == nil {
			return 0, nil, malformed("Service-Signature is not of the form t=...,v1=...")
		}
		name, value := parts[1], parts[2]
		// A second value could be believed by one receiver and not by another.
		if _, isThere := found[name]; isThere && (name == "t" || name == "v1") {
			return 0, nil, malformed("Service-Signature has two values of " + name)
		}
		found[name] = value
	}
	if found["t"] == "" || found["v1"] == "" {
		return 0, nil, malformed("Service-Signature is not of the form t=...,v1=...")
	}
	seconds, err = strconv.ParseUint(found["t"], 10, 64)
	if err != nil || !whole.MatchString(found["t"]) {
		return 0, nil, malformed("t is not a number of seconds")
	}
	digest, err = hex.DecodeString(found["v1"])
	if err != nil {
		return 0, nil, malformed("v1 is not hexadecimal")
	}
	return seconds, digest, nil
}

func malformed(how string) error { return fmt.Errorf("%w: %s", ErrMalformed, how) }

// signedAt is the time of a signature. So far ahead, one time is as stale as another, and none overflows.
func signedAt(seconds uint64) time.Time {
	const farAhead = 1 << 40
	if seconds > farAhead {
		seconds = farAhead
	}
	return time.Unix(int64(seconds), 0)
}
