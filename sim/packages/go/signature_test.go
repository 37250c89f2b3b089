// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	tideover "github.com/tideover/tideover/sim/packages/go"
)

// vector is one of the repository's, for any verifier.
type vector struct {
	Name, Secret, BodyHex string
	Header, Rejection     *string
	Now                   int64
}

var reasons = map[string]error{
	"absent":            tideover.ErrMissing,
	"malformed":         tideover.ErrMalformed,
	"notHexadecimal":    tideover.ErrMalformed,
	"tooOld":            tideover.ErrStale,
	"tooFarInTheFuture": tideover.ErrStale,
	"digestDiffers":     tideover.ErrWrong,
}

func (v vector) verify() error {
	header := http.Header{}
	if v.Header != nil {
		header.Set("Service-Signature", *v.Header)
	}
	body, err := hex.DecodeString(v.BodyHex)
	if err != nil {
		return err
	}
	return tideover.VerifyAt(v.Secret, header, body, tideover.Tolerance, time.Unix(v.Now, 0))
}

func TestAReceiverBelievesWhatTheServiceSays(t *testing.T) {
	for _, file := range []string{"accept", "reject", "open"} {
		text, err := os.ReadFile("../../../fixtures/signature/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var vectors []vector
		if err := json.Unmarshal(text, &vectors); err != nil || len(vectors) <= 40 {
			t.Fatalf("%s: %d vectors, %v", file, len(vectors), err)
		}
		for _, each := range vectors {
			var wanted error
			if each.Rejection != nil {
				wanted = reasons[*each.Rejection]
			}
			if err := each.verify(); !errors.Is(err, wanted) {
				t.Errorf("%s, %s: %v", file, each.Name, err)
			}
		}
	}
}

// signed are the headers of a delivery that was signed at that time.
func signed(secret, body string, when time.Time) http.Header {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", when.Unix(), body)
	header := http.Header{}
	header.Set("Service-Signature", fmt.Sprintf("t=%d,v1=%x", when.Unix(), mac.Sum(nil)))
	header.Set("Service-Delivery", "dlv_by_hand")
	return header
}

func TestASignatureHoldsForAWhile(t *testing.T) {
	header, body := signed("whsec_1", "{}", time.Unix(1_000, 0)), []byte("{}")
	later := time.Unix(1_010, 0)
	equal(t, tideover.VerifyAt("whsec_1", header, body, 10*time.Second, later), nil)
	err := tideover.VerifyAt("whsec_1", header, body, 10*time.Second, later.Add(time.Millisecond))
	equal(t, err.Error(), "stale: signed 10 seconds ago")
	err = tideover.VerifyAt("whsec_1", header, body, 9*time.Second, time.Unix(990, 0))
	equal(t, err.Error(), "stale: signed 10 seconds ahead")
	// As a signed number it would be shortly before 1970.
	header.Set("Service-Signature", "t=18446744073709551615,v1=00")
	err = tideover.VerifyAt("whsec_1", header, body, 10*time.Second, time.Unix(0, 0))
	matches(t, err.Error(), "stale: signed [0-9]+ seconds ahead")
}

func TestHeadersAreJoinedAsHTTPJoinsThem(t *testing.T) {
	header, body := signed("whsec_1", "{}", time.Now()), []byte("{}")
	equal(t, tideover.Verify("whsec_1", header, body), nil)
	header.Add("Service-Signature", header.Get("Service-Signature"))
	if err := tideover.Verify("whsec_1", header, body); !errors.Is(err, tideover.ErrMalformed) {
		t.Fatal(err)
	}
	if err := tideover.Verify("whsec_1", http.Header{}, body); !errors.Is(err, tideover.ErrMissing) {
		t.Fatal(err)
	}
}
