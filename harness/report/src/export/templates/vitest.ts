// {{ clause }} ({{ place }}): {{ wording }}
//
// API_URL, API_KEY{% if uses_other_key %}, OTHER_KEY (a second platform's){% endif %}{% if uses_inbox %}, INBOX (a URL for webhooks that the service accepts){% endif %}: the service.
// OPERATOR_URL: its operator port, if that is elsewhere. Run it with vitest.

import { randomBytes, randomInt } from "node:crypto";
import * as http from "node:http";
import * as https from "node:https";
import { expect, test } from "vitest";

const variable = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`set ${name}`);
  return value;
};
const apiUrl = variable("API_URL");
const apiKey = variable("API_KEY");
const operatorUrl = process.env.OPERATOR_URL ?? apiUrl;
{% if uses_other_key %}
const otherKey = variable("OTHER_KEY");
{% endif %}
{% if uses_inbox %}
const inbox = variable("INBOX");
{% endif %}

type Answer = { status: number; body: any };

// The path is sent as it stands: fetch would change some.
const send = (base: string, method: string, path: string, headers: Record<string, string>, body = "") =>
  new Promise<Answer>((resolve, reject) => {
    const url = new URL(base);
    const client = url.protocol === "https:" ? https : http;
    const bytes = Buffer.from(body);
    const all = bytes.length > 0 || method !== "GET" ? { ...headers, "Content-Length": `${bytes.length}` } : headers;
    const { hostname, port } = url;
    const whole = url.pathname.replace(/\/$/, "") + path;
    const request = client.request({ hostname, port, method, path: whole, headers: all }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part) => (text += part));
      response.on("end", () => {
        let json: any;
        try {
          json = JSON.parse(text);
        } catch {}
        resolve({ status: response.statusCode ?? 0, body: json });
      });
    });
    request.on("error", reject);
    request.end(bytes);
  });

const at = (body: any, ...way: string[]): any => way.reduce((value, part) => value?.[part], body);

test({{ message }}, { timeout: 120_000 }, async ({ skip }) => {
  const run = `t${randomBytes(4).toString("hex")}`;
{% for tax_id in tax_ids %}
  const {{ tax_id.variable }} = `${randomInt(10 ** {{ tax_id.count }})}`.padStart({{ tax_id.count }}, "0");
{% endfor %}
  let answer: Answer = { status: 0, body: undefined };
{% for request in requests %}

  // {{ loop.index }}. {{ request.title }}
  answer = await send(
    {{ "operatorUrl" if request.is_for_operator else "apiUrl" }},
    {{ request.method }},
    {{ request.path }},
    { {% if request.authorization %}Authorization: {{ request.authorization }}{% if request.content_type %}, {% endif %}{% endif %}{% if request.content_type %}"Content-Type": {{ request.content_type }}{% endif %} },
{% if request.body %}
    {{ request.body }},
{% endif %}
  );
{% if request.must_succeed %}
  if (Math.floor(answer.status / 100) !== 2) {
    skip(`step {{ loop.index }} only prepares, and did not succeed: ${JSON.stringify(answer)}`);
  }
{% endif %}
{% for taken in request.takes %}
  const {{ taken.variable }} = `${at(answer.body, {{ taken.way }})}`;
{% endfor %}
{% endfor %}

{% if asserted.code %}
  expect(at(answer.body, "code"), JSON.stringify(answer)).toBe({{ asserted.code }});
{% elif asserted.status %}
  expect(answer.status, JSON.stringify(answer)).toBe({{ asserted.status }});
{% elif asserted.way and asserted.expected %}
  expect(at(answer.body, {{ asserted.way }}), JSON.stringify(answer)).toEqual(JSON.parse({{ asserted.expected }}));
{% elif asserted.way %}
  expect(at(answer.body, {{ asserted.way }}), JSON.stringify(answer)).toBeTruthy();
{% else %}
  expect(Math.floor(answer.status / 100), JSON.stringify(answer)).toBe(2);
{% endif %}
});
