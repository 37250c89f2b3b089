"""{{ clause }} ({{ place }}): {{ wording }}

API_URL, API_KEY{% if uses_other_key %}, OTHER_KEY (a second platform's){% endif %}{% if uses_inbox %}, INBOX (a URL for webhooks that the service accepts){% endif %}: the service.
OPERATOR_URL: its operator port, if that is elsewhere. Run it with pytest.
"""

import http.client
import json
import os
import secrets
from unittest import SkipTest
from urllib.parse import urlsplit

API_URL = os.environ["API_URL"]
API_KEY = os.environ["API_KEY"]
OPERATOR_URL = os.environ.get("OPERATOR_URL", API_URL)
{% if uses_other_key %}
OTHER_KEY = os.environ["OTHER_KEY"]
{% endif %}
{% if uses_inbox %}
INBOX = os.environ["INBOX"]
{% endif %}


def send(base, method, path, body="", **headers):
    """The status and the JSON of the response. The path is sent as it stands."""
    url = urlsplit(base)
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = kind(url.netloc, timeout=30)
    named = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
    connection.request(method, url.path.rstrip("/") + path, body.encode(), named)
    response = connection.getresponse()
    text = response.read()
    connection.close()
    try:
        return response.status, json.loads(text)
    except ValueError:
        return response.status, None


MISSING = object()
"""Stands where a body has no value, which null would be."""


def at(body, *way):
    """The value at the end of a way."""
    for part in way:
        if isinstance(body, list):
            body = body[int(part)] if part.isdigit() and int(part) < len(body) else MISSING
        else:
            body = body.get(part, MISSING) if isinstance(body, dict) else MISSING
    return body


def same(seen, right):
    """Whether two values are equal as JSON. Python takes true for 1."""
    return isinstance(seen, bool) == isinstance(right, bool) and seen == right


def test_{{ name }}():
    RUN = f"t{secrets.token_hex(4)}"
{% for tax_id in tax_ids %}
    {{ tax_id.variable }} = f"{secrets.randbelow(10**{{ tax_id.count }}):0{{ tax_id.count }}}"
{% endfor %}
{% for request in requests %}

    # {{ loop.index }}. {{ request.title }}
    status, body = send(
        {{ "OPERATOR_URL" if request.is_for_operator else "API_URL" }},
        {{ request.method }},
        {{ request.path }},
{% if request.body %}
        {{ request.body }},
{% endif %}
{% if request.authorization %}
        Authorization={{ request.authorization }},
{% endif %}
{% if request.content_type %}
        Content_Type={{ request.content_type }},
{% endif %}
    )
{% if request.must_succeed %}
    if not 200 <= status < 300:
        raise SkipTest(f"step {{ loop.index }} only prepares, and did not succeed: {status} {body}")
{% endif %}
{% for taken in request.takes %}
    {{ taken.variable }} = str(at(body, {{ taken.way }}))
{% endfor %}
{% endfor %}

    message = {{ message }} + f"\nseen: {status} {json.dumps(body)}"
{% if asserted.code %}
    assert at(body, "code") == {{ asserted.code }}, message
{% elif asserted.status %}
    assert status == {{ asserted.status }}, message
{% elif asserted.way and asserted.expected %}
    assert same(at(body, {{ asserted.way }}), json.loads({{ asserted.expected }})), message
{% elif asserted.way %}
    text = at(body, {{ asserted.way }})
    assert isinstance(text, str) and text, message
{% else %}
    assert 200 <= status < 300, message
{% endif %}
