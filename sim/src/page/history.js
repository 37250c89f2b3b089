// Requests, webhooks and interventions of a world in the order in which they happened, fetched as they come.

import { ask } from "./api.js";
import { DONE, failureOf } from "./rows.js";

/** The most entries that are kept here. */
const KEPT = 10_000;

const START = { request: 0, delivery: 0, intervention: 0, resets: undefined };

/** Everything by its key, and the keys in the order in which it happened. */
let entries = new Map();
let order = [];
let position = { ...START };
/** The oldest delivery that may still change, and the oldest intervention. */
let unfinished = { delivery: Infinity, intervention: Infinity };

export function forget() {
  entries = new Map();
  order = [];
  position = { ...START };
  unfinished = { delivery: Infinity, intervention: Infinity };
}

/** All entries, the oldest first. */
export const history = () => order.map((key) => entries.get(key));

/** A finished webhook is sent again: it changes once more. */
export function again(index) {
  unfinished.delivery = Math.min(unfinished.delivery, index);
}

/** Fetches what is new or has changed since the last time. */
export async function follow({ resets, nextRequest, nextDelivery, nextIntervention }) {
  if (position.resets !== resets) forget();
  const at = position;
  at.resets = resets;
  const isFirst = order.length === 0;
  const deliveries = await newDeliveries(at, nextDelivery);
  const requests = nextRequest > at.request || deliveries.length > 0 ? await newRequests(at, nextRequest) : [];
  const isChanged = nextIntervention > at.intervention || unfinished.intervention < Infinity;
  const interventions = isChanged || deliveries.length + requests.length > 0 ? await newInterventions(at) : [];
  // Another world is shown by now.
  if (at !== position) return;
  for (const it of placed(requests, deliveries, interventions, isFirst)) {
    entries.set(it.key, it);
    insert(it);
  }
  for (const key of order.splice(0, Math.max(0, order.length - KEPT))) entries.delete(key);
}

const numberOf = ({ kind, item }) => (kind === "delivery" ? item.index : item.number);

/** Whether an entry comes after another one, as far as they say it. */
function isAfter(it, other) {
  if (it.kind === other.kind) return numberOf(it) > numberOf(other);
  const next = ({ kind }, intervention) => (kind === "request" ? intervention.nextRequest : intervention.nextDelivery);
  if (other.kind === "intervention") return numberOf(it) >= next(it, other.item);
  if (it.kind === "intervention") return numberOf(other) < next(other, it.item);
  if (it.kind === "delivery") return other.item.events.some(({ index }) => index === it.item.index);
  return (it.item.events[0]?.index ?? -1) > other.item.index;
}

/** Adds an entry behind all that it does not come before: it may have been fetched later than what it caused. */
function insert(entry) {
  let place = order.length;
  while (place > 0 && isAfter(entries.get(order[place - 1]), entry)) place -= 1;
  order.splice(place, 0, entry.key);
}

const haystack = (...parts) => parts.filter((it) => it != null && it !== "").join(" ").toLowerCase();

function entry(kind, number, item, time, text) {
  return { kind, key: `${kind}${number}`, item, time, text, failure: failureOf(kind, item) };
}

async function newRequests(at, nextRequest) {
  const from = Math.max(at.request, nextRequest - KEPT);
  const { entries: seen, next } = await ask("GET", `/_sim/journal?after=${from}`);
  at.request = next;
  return seen.map((item) => {
    const { method, path, query, status, code, clause, fault, operation, request, response } = item;
    const text = haystack(method, path, query, status, code, clause, fault, operation, request.body?.text, response?.body?.text);
    return entry("request", item.number, item, item.time, text);
  });
}

/** New deliveries; those that are known and not done are brought up to date. */
async function newDeliveries(at, nextDelivery) {
  const from = Math.min(unfinished.delivery, at.delivery);
  if (nextDelivery <= at.delivery && from === at.delivery) return [];
  const { deliveries: seen, next } = await ask("GET", `/_sim/deliveries?after=${from}`);
  at.delivery = next;
  const pending = seen.find((item) => !DONE.has(item.state));
  unfinished.delivery = pending?.index ?? Infinity;
  const made = seen.map((item) => {
    const { event, url, state, id, body, fault } = item;
    const { payeeExternalId: payee, invoiceExternalId: invoice } = body?.data ?? {};
    const tried = item.attempts.map((it) => it.status ?? it.problem);
    const text = haystack("webhook", event, url, state, id, fault, payee && `${payee}/${invoice}`, JSON.stringify(body), ...tried);
    return entry("delivery", item.index, item, item.queuedAt, text);
  });
  return added(made);
}

async function newInterventions(at) {
  const from = Math.min(unfinished.intervention, at.intervention);
  const { interventions: seen, next } = await ask("GET", `/_sim/interventions?after=${from}`);
  at.intervention = next;
  unfinished.intervention = seen.find((it) => it.kind === "clockMoved" && it.until === null)?.number ?? Infinity;
  const made = seen.map((item) => {
    const { kind, action, payee, invoice, fault, delivery, refused } = item;
    const text = haystack(kind, action, payee, invoice, payee && `${payee}/${invoice}`, fault, delivery, refused);
    return entry("intervention", item.number, item, item.time, text);
  });
  return added(made);
}

/** Those that are new; the others take the place of what was known of them. */
function added(made) {
  return made.filter((it) => {
    const isKnown = entries.has(it.key);
    if (isKnown) entries.set(it.key, it);
    return !isKnown;
  });
}

/** Where those end, from a place on, whose numbers are below `next`. */
function endBefore(list, from, next) {
  let end = from;
  while (end < list.length && numberOf(list[end]) < next) end += 1;
  return end;
}

/** All in the order in which they happened: an intervention knows which requests and deliveries come after it. */
function placed(requests, deliveries, interventions, isFirst) {
  const all = [];
  let [request, delivery] = [0, 0];
  for (const it of interventions) {
    const requestsEnd = endBefore(requests, request, it.item.nextRequest);
    const deliveriesEnd = endBefore(deliveries, delivery, it.item.nextDelivery);
    all.push(...merged(requests.slice(request, requestsEnd), deliveries.slice(delivery, deliveriesEnd), isFirst), it);
    [request, delivery] = [requestsEnd, deliveriesEnd];
  }
  return all.concat(merged(requests.slice(request), deliveries.slice(delivery), isFirst));
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
