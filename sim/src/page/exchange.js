// A request or a webhook in full.

import { ask, perform, say } from "./api.js";
import { button, el, facts } from "./dom.js";
import { instant, pretty, quoted, words } from "./shown.js";

/** The headers and the raw bytes of a message. */
function message(title, lines, body, unread) {
  const head = lines.map(([name, value]) => `${name}: ${value}`).join("\n");
  const bytes = body && (body.text ?? `(base64) ${body.base64}`);
  const none = unread ? " · the mock did not read the body" : " · no body";
  const note = body?.cut ? ` · only the beginning of ${body.length} bytes` : body ? ` · ${body.length} bytes` : none;
  return el("section", {}, el("h3", {}, title, el("span", { class: "quiet" }, note)),
    head && el("pre", { tabindex: "0", "aria-label": `${title}: headers` }, head),
    bytes && el("pre", { tabindex: "0", "aria-label": `${title}: body` }, bytes),
    bytes && pretty(bytes) !== bytes && el("details", {}, el("summary", {}, "With line breaks"),
      el("pre", { tabindex: "0", "aria-label": `${title}: body with line breaks` }, pretty(bytes))));
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say("The command is in the clipboard.");
  } catch {
    say("The browser does not allow the clipboard. The command is shown with the request.", true);
  }
}

/** Why no command would send the same request again; undefined if one would. */
function obstacle({ cut, masked, request: { headers, body, unread } }) {
  if (cut) return `the journal keeps only a part of its ${cut.join(", ")}`;
  if (masked) return "the journal masks a key or a secret in it";
  if (unread) return "the mock did not read its body";
  if (body?.cut) return `the journal keeps only the beginning of its body of ${body.length} bytes`;
  if (body && (body.text === undefined || body.text.includes("\0"))) return "its body is not text";
  if (headers.authorization && !/^bearer /i.test(headers.authorization)) return "its Authorization header has no API key";
  return undefined;
}

/** A request as a command. The key is not in it. */
function curl({ method, path, query, request: { headers, body } }) {
  const type = headers["content-type"];
  const url = `${location.origin}${path}${query === undefined ? "" : `?${query}`}`;
  const parts = [
    // Without these, curl changes some paths.
    `curl --path-as-is --globoff ${method === "HEAD" ? "--head" : `-X ${/^\w+$/.test(method) ? method : quoted(method)}`} ${quoted(url)}`,
    headers.authorization && `-H "Authorization: Bearer $TIDEOVER_KEY"`,
    // curl would send a media type of its own with a body.
    (type !== undefined || body) && `-H ${quoted(type ? `Content-Type: ${type}` : "Content-Type:")}`,
    body && `--data-raw ${quoted(body.text)}`,
  ];
  return parts.filter(Boolean).join(" \\\n  ");
}

/** The command of a request, or why there is none. */
function command(entry) {
  const why = obstacle(entry);
  if (why) return el("p", { class: "quiet" }, `There is no curl command that sends this request again: ${why}.`);
  const text = curl(entry);
  return el("div", {},
    el("details", {}, el("summary", {}, "As curl"), el("pre", { tabindex: "0", "aria-label": "The request as a curl command" }, text)),
    el("div", { class: "buttons" }, button("Copy as curl", () => copy(text))));
}

export function requestDetails(entry) {
  const { request, response, events } = entry;
  return el("div", { class: "details" },
    facts([
      ["Decided by", entry.clause],
      ["Refused with", entry.code],
      ["Kept in part", entry.cut?.join(", ")],
      ["Note", entry.note],
      ["Ignored", entry.warnings?.join(" ")],
      ["Fault", entry.fault],
      ["Freedoms", entry.grease?.join(", ")],
      ["Events", events.map((it) => `${it.type} (${it.delivery})`).join(", ")],
      ["Real time", instant(entry.realTime)],
    ]),
    message("Request", Object.entries(request.headers), request.body, request.unread),
    response ? message(`Answer ${entry.status}`, Object.entries(response.headers), response.body) : el("p", {}, "A fault kept the request from the service."),
    command(entry));
}

/** How the signature of an attempt came about. */
function signature(header, subscription) {
  const time = /^t=(\d+),/.exec(header ?? "")?.[1];
  if (!time) return null;
  return el("section", {}, el("h3", {}, "Signature"), el("pre", { tabindex: "0", "aria-label": "Signature" }, header),
    el("p", {}, "v1 is the hex of HMAC-SHA256 over ", el("code", {}, `${time}.`), " and the bytes of the body. The key is the secret that ",
      el("code", {}, "POST /v1/webhooks"), " answered once for subscription ", el("code", {}, subscription), "."));
}

function attempt({ number, at, cause, status, problem, milliseconds }) {
  const result = status ?? problem ?? "waits for its answer";
  return el("tr", {}, el("th", { scope: "row" }, String(number)), el("td", {}, instant(at)), el("td", {}, words(cause)),
    el("td", {}, String(result)), el("td", {}, milliseconds == null ? "" : `${milliseconds} ms`));
}

function attempts({ attempts: made, nextAttemptAt }) {
  const heads = ["No.", "At", "Why", "Answer", "Took"].map((name) => el("th", { scope: "col" }, name));
  return el("section", {}, el("h3", {}, "Attempts"),
    made.length > 0 && el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Attempts" },
      el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, made.map(attempt)))),
    el("p", { class: "quiet" }, nextAttemptAt ? `The next one is due at ${instant(nextAttemptAt)}.` : "No other one is due."));
}

export function deliveryDetails(entry, again) {
  const { id, index, subscription, queuedAt, grease, text } = entry;
  const headers = entry.attempts.at(-1)?.headers ?? {};
  const resend = () => perform(`${id} is sent again.`, () => {
    again(index);
    return ask("POST", `/_sim/deliveries/${encodeURIComponent(id)}/resend`);
  });
  return el("div", { class: "details" },
    facts([["Delivery", id], ["Subscription", subscription], ["Queued", instant(queuedAt)], ["Freedoms", grease?.join(", ")]]),
    message("Webhook", Object.entries(headers), { text, length: new TextEncoder().encode(text).length }),
    signature(headers["Service-Signature"], subscription),
    attempts(entry),
    el("div", { class: "buttons" }, button("Send again", resend, { "aria-label": `Send ${id} again` })));
}
