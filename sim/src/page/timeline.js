// Requests and webhooks in one list, the newest first. It shows a window of them, however many there are.

import { ask } from "./api.js";
import { byId, el, keyed } from "./dom.js";
import { deliveryDetails, requestDetails } from "./exchange.js";
import { clockTime, instant } from "./shown.js";

const WINDOW = 200;
/** The most requests that are kept here. */
const KEPT = 10_000;
const DONE = new Set(["accepted", "givenUp", "revoked", "dropped"]);

let requests = [];
let deliveries = new Map();
let position = { request: 0, delivery: 0, resets: undefined };
let shown = WINDOW;
/** A finished delivery that is sent again. */
let resent = Infinity;

export function forget() {
  requests = [];
  deliveries = new Map();
  position = { request: 0, delivery: 0, resets: undefined };
  shown = WINDOW;
  resent = Infinity;
}

/** Fetches what is new since the last time. */
export async function follow({ resets, nextRequest, nextDelivery }) {
  if (position.resets !== resets) forget();
  position.resets = resets;
  if (nextRequest > position.request) {
    const from = Math.max(position.request, nextRequest - KEPT);
    const { entries, next } = await ask("GET", `/_sim/journal?after=${from}`);
    requests = requests.concat(entries.map(ofRequest)).slice(-KEPT);
    position.request = next;
  }
  const pending = Array.from(deliveries.values()).find((it) => !DONE.has(it.item.state))?.item.index ?? Infinity;
  const from = Math.min(pending, resent, position.delivery);
  resent = Infinity;
  if (nextDelivery > position.delivery || from < position.delivery) {
    const { deliveries: seen, next } = await ask("GET", `/_sim/deliveries?after=${from}`);
    for (const it of seen) deliveries.set(it.index, ofDelivery(it));
    position.delivery = next;
  }
  showTimeline();
}

const haystack = (...parts) => parts.filter(Boolean).join(" ").toLowerCase();

function ofRequest(item) {
  const { method, path, query, status, code, clause, fault, operation, request, response } = item;
  return { kind: "request", key: `r${item.number}`, item, time: item.time,
    text: haystack(method, path, query, status, code, clause, fault, operation, request.body?.text, response?.body?.text) };
}

function ofDelivery(item) {
  return { kind: "delivery", key: `d${item.index}`, item, time: item.queuedAt,
    text: haystack(item.event, item.url, item.state, item.id, JSON.stringify(item.body), ...item.attempts.map((it) => it.status ?? it.problem)) };
}

/** Both in the order in which they happened: webhooks follow the request that caused them. */
function merged() {
  const all = [];
  const waiting = Array.from(deliveries.values()).sort((one, other) => one.item.index - other.item.index);
  let at = 0;
  for (const request of requests) {
    const first = request.item.events[0]?.index ?? -1;
    while (at < waiting.length && (waiting[at].time < request.time || waiting[at].item.index < first)) all.push(waiting[at++]);
    all.push(request);
    const last = request.item.events.at(-1)?.index ?? -1;
    while (at < waiting.length && waiting[at].item.index <= last) all.push(waiting[at++]);
  }
  return all.concat(waiting.slice(at));
}

const level = (status) => (status == null ? "none" : status < 300 ? "good" : status < 500 ? "warn" : "bad");

function requestRow({ item }) {
  const { method, path, query, status, code, fault, events } = item;
  return [
    el("span", { class: `status ${level(status)}` }, String(status ?? "–")),
    el("span", { class: "what" }, el("b", {}, method), " ", path, query ? `?${query}` : ""),
    el("span", { class: "quiet" }, [code, fault && `fault ${fault}`, events.length > 0 && `${events.length} ${events.length === 1 ? "webhook" : "webhooks"}`].filter(Boolean).join(" · ")),
  ];
}

function deliveryRow({ item }) {
  const { event, url, state, attempts } = item;
  const last = attempts.at(-1);
  const kind = state === "accepted" ? "good" : DONE.has(state) ? "bad" : "none";
  return [
    el("span", { class: `status ${kind}` }, last?.status != null ? String(last.status) : "→"),
    el("span", { class: "what" }, el("b", {}, "webhook"), " ", event, " → ", url),
    el("span", { class: "quiet" }, `${state === "underWay" ? "under way" : state === "givenUp" ? "given up" : state}${attempts.length > 1 ? ` · ${attempts.length} attempts` : ""}`),
  ];
}

function row(entry) {
  const isRequest = entry.kind === "request";
  const summary = el("summary", { "data-part": "open" }, isRequest ? requestRow(entry) : deliveryRow(entry),
    el("time", { datetime: entry.time, title: instant(entry.time), class: "quiet" }, clockTime(entry.time)));
  const details = el("details", { class: `row ${entry.kind}`, "data-part": "row" }, summary);
  details.addEventListener("toggle", () => {
    if (!details.open || details.children.length > 1) return;
    details.append(isRequest ? requestDetails(entry.item) : deliveryDetails(entry.item, again));
  });
  return details;
}

/** A finished webhook is sent again: it changes once more. */
function again(index) {
  resent = Math.min(resent, index);
}

export function showTimeline() {
  const text = byId("filter-text").value.trim().toLowerCase();
  const wanted = { request: byId("filter-requests").checked, delivery: byId("filter-deliveries").checked };
  const all = merged();
  const chosen = all.filter((it) => wanted[it.kind] && (!text || it.text.includes(text)));
  const newest = chosen.slice(-shown).reverse();
  const section = byId("timeline");
  section.querySelector(".empty").hidden = all.length > 0;
  keyed(section.querySelector(".rows"), newest, (it) => it.key, row);
  byId("filter-shown").textContent = all.length ? `${newest.length} of ${all.length} shown` : "";
  byId("older").hidden = newest.length >= chosen.length;
}

export function startTimeline() {
  byId("filter").addEventListener("submit", (event) => event.preventDefault());
  byId("filter").addEventListener("input", () => {
    shown = WINDOW;
    showTimeline();
  });
  byId("older").addEventListener("click", () => {
    shown += WINDOW;
    showTimeline();
  });
}
