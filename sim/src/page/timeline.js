// Requests and webhooks in one list, the newest first. It shows a window of them, however many there are.

import { ask } from "./api.js";
import { byId, el, keyed, named } from "./dom.js";
import { deliveryDetails, requestDetails } from "./exchange.js";
import { clockTime, instant } from "./shown.js";

const WINDOW = 200;
/** The most entries that are kept here. */
const KEPT = 10_000;
const DONE = new Set(["accepted", "givenUp", "revoked", "dropped"]);

/** Everything by its key, and the keys in the order in which it happened. */
let entries = new Map();
let order = [];
let position = { request: 0, delivery: 0, resets: undefined };
let shown = WINDOW;
/** A finished delivery that is sent again. */
let resent = Infinity;

export function forget() {
  entries = new Map();
  order = [];
  position = { request: 0, delivery: 0, resets: undefined };
  shown = WINDOW;
  resent = Infinity;
}

/** Fetches what is new since the last time. */
export async function follow({ resets, nextRequest, nextDelivery }) {
  if (position.resets !== resets) forget();
  position.resets = resets;
  const isFirst = order.length === 0;
  const requests = nextRequest > position.request ? await newRequests(nextRequest) : [];
  const deliveries = await newDeliveries(nextDelivery);
  for (const it of merged(requests, deliveries, isFirst)) {
    order.push(it.key);
    entries.set(it.key, it);
  }
  while (order.length > KEPT) entries.delete(order.shift());
  showTimeline();
}

async function newRequests(nextRequest) {
  const from = Math.max(position.request, nextRequest - KEPT);
  const { entries: seen, next } = await ask("GET", `/_sim/journal?after=${from}`);
  position.request = next;
  return seen.map(ofRequest);
}

/** New deliveries; those that are known and not done are brought up to date. */
async function newDeliveries(nextDelivery) {
  const pending = order.map((key) => entries.get(key)).filter((it) => it.kind === "delivery" && !DONE.has(it.item.state));
  const from = pending.reduce((least, it) => Math.min(least, it.item.index), Math.min(resent, position.delivery));
  resent = Infinity;
  if (nextDelivery <= position.delivery && from === position.delivery) return [];
  const { deliveries: seen, next } = await ask("GET", `/_sim/deliveries?after=${from}`);
  position.delivery = next;
  const made = seen.map(ofDelivery);
  for (const it of made) if (entries.has(it.key)) entries.set(it.key, it);
  return made.filter((it) => !entries.has(it.key));
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
function merged(requests, deliveries, isFirst) {
  const caused = new Set(requests.flatMap((it) => it.item.events.map((event) => event.index)));
  // What no request here has caused may be older than all that happened at the same time.
  const isBefore = (it, request) => it.time < request.time || (isFirst && it.time === request.time && !caused.has(it.item.index));
  const all = [];
  let at = 0;
  for (const request of requests) {
    const [first, last] = [request.item.events[0]?.index ?? -1, request.item.events.at(-1)?.index ?? -1];
    while (at < deliveries.length && (isBefore(deliveries[at], request) || deliveries[at].item.index < first)) all.push(deliveries[at++]);
    all.push(request);
    while (at < deliveries.length && deliveries[at].item.index <= last) all.push(deliveries[at++]);
  }
  return all.concat(deliveries.slice(at));
}

const level = (status) => (status == null ? "none" : status < 300 ? "good" : status < 500 ? "warn" : "bad");

function requestRow({ item }) {
  const { method, path, query, status, code, fault, events } = item;
  return [
    el("span", { class: `status ${level(status)}` }, String(status ?? "–")),
    el("span", { class: "what" }, el("b", {}, method), " ", named(query ? `${path}?${query}` : path)),
    el("span", { class: "quiet" }, [code, events.length > 0 && `${events.length} ${events.length === 1 ? "webhook" : "webhooks"}`].filter(Boolean).join(" · "), fault && [code || events.length ? " · fault " : "fault ", named(fault)]),
  ];
}

function deliveryRow({ item }) {
  const { event, url, state, attempts } = item;
  const last = attempts.at(-1);
  const kind = state === "accepted" ? "good" : DONE.has(state) ? "bad" : "none";
  return [
    el("span", { class: `status ${kind}` }, last?.status != null ? String(last.status) : "→"),
    el("span", { class: "what" }, el("b", {}, "webhook"), " ", event, " → ", named(url)),
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
  const all = order.map((key) => entries.get(key));
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
