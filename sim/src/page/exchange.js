// A request, a webhook or an intervention in full.

import { ask, perform, say } from "./api.js";
import { button, buttonFor, copy, el, facts } from "./dom.js";
import { explained } from "./clauses.js";
import { cents, counted, instant, pretty, quoted, span, words } from "./shown.js";

/** Headers that every client sends alike, and that no rule of the API looks at. */
const USUAL = /^(accept|accept-.*|cache-control|connection|content-length|dnt|host|origin|pragma|priority|referer|sec-.*|te|upgrade-insecure-requests|user-agent|x-content-type-options)$/;

/** JSON with its names and its texts in colours; anything else as it is. */
function coloured(text) {
  const pieces = text.split(/("(?:[^"\\]|\\.)*")(\s*:)?/);
  return pieces.map((piece, index) => {
    if (piece === undefined || index % 3 !== 1) return piece;
    return el("span", { class: pieces[index + 1] === undefined ? "text" : "name" }, piece);
  });
}

const block = (name, content) => el("pre", { tabindex: "0", role: "region", "aria-label": name }, content);

function body(title, text) {
  const lines = pretty(text);
  if (lines === undefined) return block(`${title}: body`, text);
  return [block(`${title}: body`, coloured(lines)), lines !== text && el("details", { "data-part": `${title} bytes` }, el("summary", {}, "The bytes as sent"), block(`${title}: bytes`, text))];
}

/** The headers and the body of a message. Headers that say nothing about it are folded away. */
function message(title, headers, sent, unread) {
  const lines = (pairs) => pairs.map(([name, value]) => `${name}: ${value}`).join("\n");
  const unusual = headers.filter(([name]) => !USUAL.test(name.toLowerCase()));
  const usual = headers.filter(([name]) => USUAL.test(name.toLowerCase()));
  const none = unread ? "the mock did not read the body" : "no body";
  const note = sent?.cut ? `only the beginning of ${sent.length} bytes` : sent ? `${sent.length} bytes` : none;
  return el("section", {}, el("h4", {}, title, el("span", { class: "quiet" }, ` · ${note}`)),
    unusual.length > 0 && block(`${title}: headers`, lines(unusual)),
    sent && body(title, sent.text ?? `(base64) ${sent.base64}`),
    usual.length > 0 && el("details", { "data-part": `${title} headers` }, el("summary", {}, counted(usual.length, "usual header")), block(`${title}: usual headers`, lines(usual))));
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
    el("details", { "data-part": "curl" }, el("summary", {}, "As curl"), block("The request as a curl command", text)),
    el("div", { class: "buttons" }, button("Copy as curl", () => copy(text, say), { "data-part": "copy" })));
}

export function requestDetails(entry) {
  const { request, response, events } = entry;
  return el("div", { class: "details" },
    facts([
      ["Decided by", entry.clause && explained(entry.clause)],
      ["Kept in part", entry.cut?.join(", ")],
      ["Note", entry.note],
      ["Ignored", entry.warnings?.join(" ")],
      ["Fault", entry.fault],
      ["Freedoms", entry.grease?.join(", ")],
      ["Caused", events.map((it) => `${it.type} (${it.delivery})`).join(", ")],
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
  return el("p", { class: "quiet" }, "v1 in Service-Signature is the hex of HMAC-SHA256 over ", el("code", {}, `${time}.`), " and the bytes of the body. The key is the secret that ",
    el("code", {}, "POST /v1/webhooks"), " answered once for subscription ", el("code", {}, subscription), ".");
}

function attempt({ number, at, cause, status, problem, milliseconds }) {
  const result = status ?? problem ?? "waits for its answer";
  const kind = status >= 200 && status < 300 ? "good" : status == null && problem == null ? "" : "bad";
  return el("tr", {}, el("th", { scope: "row" }, String(number)), el("td", {}, instant(at)), el("td", {}, words(cause)),
    el("td", { class: kind }, String(result)), el("td", {}, milliseconds == null ? "" : `${milliseconds} ms`));
}

function attempts({ attempts: made, nextAttemptAt }) {
  const heads = ["No.", "At", "Why", "Answer", "Took"].map((name) => el("th", { scope: "col" }, name));
  return el("section", {}, el("h4", {}, "Attempts"),
    made.length > 0 && el("div", { class: "wide attempts", tabindex: "0", role: "region", "aria-label": "Attempts" },
      el("table", { class: "plain-table" }, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, made.map(attempt)))),
    el("p", { class: "quiet" }, nextAttemptAt ? `The next one is due at ${instant(nextAttemptAt)}.` : "No other one is due."));
}

export function deliveryDetails(entry, again) {
  const { id, index, subscription, queuedAt, grease, text, url, event, fault } = entry;
  const headers = entry.attempts.at(-1)?.headers ?? {};
  const resend = () => perform(`${id} is sent again.`, () => {
    again(index);
    return ask("POST", `/_sim/deliveries/${encodeURIComponent(id)}/resend`);
  });
  return el("div", { class: "details" },
    facts([["Event", event], ["To", url], ["Delivery", id], ["Subscription", subscription], ["Queued", instant(queuedAt)], ["Fault", fault], ["Freedoms", grease?.join(", ")]]),
    attempts(entry),
    message("Webhook", Object.entries(headers), { text, length: new TextEncoder().encode(text).length }),
    signature(headers["Service-Signature"], subscription),
    el("div", { class: "buttons" }, buttonFor(id, "Send again", resend, { "data-part": "again" })));
}

export function interventionDetails(entry) {
  const { action, payee, invoice, amount, time, until, fault, delivery, refused } = entry;
  return el("div", { class: "details" }, facts([
    ["Action", action],
    ["Refused", refused],
    ["Business", payee],
    ["Invoice", invoice],
    ["Amount", amount != null && cents(amount)],
    ["Clock", until && `${instant(time)} to ${instant(until)}, ${span(time, until)} later`],
    ["At", !until && `${instant(time)}`],
    ["Fault", fault],
    ["Delivery", delivery],
  ]), el("p", { class: "quiet" }, "Through the operator port, this page or a test. The API does not show it."));
}

