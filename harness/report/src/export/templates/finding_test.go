// {{ clause }} ({{ place }}): {{ wording }}
//
// API_URL, API_KEY{% if uses_other_key %}, OTHER_KEY (a second platform's){% endif %}{% if uses_inbox %}, INBOX (a URL for webhooks that the service accepts){% endif %}: the service.
// OPERATOR_URL: its operator port, if that is elsewhere. Run it with go test.
package finding

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
{% if uses_fmt %}
	"fmt"
{% endif %}
	"io"
{% if tax_ids %}
	"math/big"
{% endif %}
	"net/http"
	"net/url"
	"os"
{% if asserted.expected %}
	"reflect"
{% endif %}
	"strconv"
	"strings"
	"testing"
	"time"
)

func variable(t *testing.T, name string) string {
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("set %s", name)
	}
	return value
}

// send returns the status and the JSON of the response. The path is sent as it stands.
func send(t *testing.T, base, method, path string, headers map[string]string, body string) (int, any) {
	t.Helper()
	target, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(method, base, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.URL.Opaque = strings.TrimSuffix(target.Path, "/") + path
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	client := http.Client{
		Timeout: 30 * time.Second,
		// A redirect is an answer.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, parsed(string(text))
}

func parsed(text string) any {
	var value any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}

// missing stands where a body has no value, which null would be.
type missing struct{}

// at is the value at the end of a way.
func at(value any, way ...string) any {
	for _, part := range way {
		switch inner := value.(type) {
		case map[string]any:
			member, ok := inner[part]
			if !ok {
				return missing{}
			}
			value = member
		case []any:
			index, err := strconv.Atoi(part)
			if err != nil || index < 0 || index >= len(inner) {
				return missing{}
			}
			value = inner[index]
		default:
			return missing{}
		}
	}
	return value
}

{% if tax_ids %}
func digits(t *testing.T, count int) string {
	number, err := rand.Int(rand.Reader, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(count)), nil))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%0*d", count, number)
}
{% endif %}

func Test_{{ name }}(t *testing.T) {
	apiUrl, apiKey := variable(t, "API_URL"), variable(t, "API_KEY")
	operatorUrl := os.Getenv("OPERATOR_URL")
	if operatorUrl == "" {
		operatorUrl = apiUrl
	}
{% if uses_other_key %}
	otherKey := variable(t, "OTHER_KEY")
{% endif %}
{% if uses_inbox %}
	inbox := variable(t, "INBOX")
{% endif %}
	random := make([]byte, 4)
	if _, err := rand.Read(random); err != nil {
		t.Fatal(err)
	}
	run := "t" + hex.EncodeToString(random)
{% for tax_id in tax_ids %}
	{{ tax_id.variable }} := digits(t, {{ tax_id.count }})
	_ = {{ tax_id.variable }}
{% endfor %}
	_, _, _ = apiKey, run, operatorUrl // Not every test needs them.
	var status int
	var body any
{% for request in requests %}

	// {{ loop.index }}. {{ request.title }}
	status, body = send(t, {{ "operatorUrl" if request.is_for_operator else "apiUrl" }}, {{ request.method }}, {{ request.path }},
		map[string]string{ {%- if request.authorization -%} "Authorization": {{ request.authorization }}{% if request.content_type %}, {% endif %}{% endif %}{% if request.content_type %}"Content-Type": {{ request.content_type }}{% endif -%} },
		{{ request.body or '""' }})
{% if request.must_succeed %}
	if status < 200 || status > 299 {
		t.Skipf("step {{ loop.index }} only prepares, and did not succeed: %d %v", status, body)
	}
{% endif %}
{% for taken in request.takes %}
	{{ taken.variable }} := fmt.Sprint(at(body, {{ taken.way }}))
	_ = {{ taken.variable }}
{% endfor %}
{% endfor %}

	message := {{ message }}
{% if asserted.code %}
	if at(body, "code") != {{ asserted.code }} {
{% elif asserted.status %}
	if status != {{ asserted.status }} {
{% elif asserted.way and asserted.expected %}
	if !reflect.DeepEqual(at(body, {{ asserted.way }}), parsed({{ asserted.expected }})) {
{% elif asserted.way %}
	if text, _ := at(body, {{ asserted.way }}).(string); text == "" {
{% else %}
	if status < 200 || status > 299 {
{% endif %}
		t.Fatalf("%s\nseen: %d %v", message, status, body)
	}
}
