#!/usr/bin/env bash
# {{ clause }} ({{ place }}): {{ wording }}
#
# API_URL, API_KEY{% if uses_other_key %}, OTHER_KEY (a second platform's){% endif %}{% if uses_inbox %}, INBOX (a URL for webhooks that the service accepts){% endif %}: the service.
# OPERATOR_URL: its operator port, if that is elsewhere. It needs curl and jq, and exits with 1 if the clause is broken, with 2 if it could not ask.
set -euo pipefail

: "${API_URL:?set API_URL}" "${API_KEY:?set API_KEY}"{% if uses_other_key %} "${OTHER_KEY:?set OTHER_KEY}"{% endif %}{% if uses_inbox %} "${INBOX:?set INBOX}"{% endif %}

OPERATOR_URL=${OPERATOR_URL:-$API_URL}
RUN=t$(od -An -N4 -tx1 /dev/urandom | tr -d ' \n')
{% for tax_id in tax_ids %}
{{ tax_id.variable }}=$(printf '%0{{ tax_id.count }}d' "$(($(od -An -N4 -tu4 /dev/urandom) % 10 ** {{ tax_id.count }}))")
{% endfor %}

# Sends a request: the base URL, the method, the path as it stands, then more of curl's arguments.
send() {
  base=$1 method=$2 path=$3
  shift 3
  response=$(curl -sS -g --path-as-is --max-time 30 -X "$method" "${base%/}$path" -w '\n%{http_code}' "$@")
  status=${response##*$'\n'} body=${response%$'\n'*}
}
# The value at the end of a way, as JSON; nothing if there is none.
at() { jq -cn --argjson way "$1" 'try (input | select(any(paths; . == $way)) | getpath($way)) catch empty' <<<"$body"; }
fail() {
  printf '%s\nseen: %s %s\n' "$1" "$status" "$body" >&2
  exit 1
}
unprepared() {
  printf '%s only prepares, and did not succeed: %s %s\n' "$1" "$status" "$body" >&2
  exit 2
}
{% for request in requests %}

# {{ loop.index }}. {{ request.title }}
send {% if request.is_for_operator %}"$OPERATOR_URL"{% else %}"$API_URL"{% endif %} {{ request.method }} {{ request.path }}
{%- if request.authorization %} -H 'Authorization: '{{ request.authorization }}{% endif %}
{%- if request.content_type %} -H 'Content-Type: '{{ request.content_type }}{% elif request.body %} -H 'Content-Type:'{% endif %}
{%- if request.body %} --data-raw {{ request.body }}{% endif %}

{% if request.must_succeed %}
[[ $status == 2?? ]] || unprepared 'step {{ loop.index }}'
{% endif %}
{% for taken in request.takes %}
{{ taken.variable }}=$(at {{ taken.way }} | jq -r .)
{% endfor %}
{% endfor %}

{% if asserted.code %}
[[ $(at '["code"]') == "$(jq -cn --arg it {{ asserted.code }} '$it')" ]] || fail {{ message }}
{% elif asserted.status %}
[[ $status == {{ asserted.status }} ]] || fail {{ message }}
{% elif asserted.way and asserted.expected %}
[[ $(at {{ asserted.way }} | jq -cS .) == "$(jq -cS . <<<{{ asserted.expected }})" ]] || fail {{ message }}
{% elif asserted.way %}
[[ $(at {{ asserted.way }}) == '"'?* ]] || fail {{ message }}
{% else %}
[[ $status == 2?? ]] || fail {{ message }}
{% endif %}
echo {{ message }} holds
