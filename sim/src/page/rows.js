// What the timeline says of each thing, in a line.

import { el, named } from "./dom.js";
import { cents, clockTime, instant, sentence, span, words } from "./shown.js";
import { wording } from "./clauses.js";

/** The states of a delivery that will not change by themselves. */
export const DONE = new Set(["accepted", "givenUp", "revoked", "dropped"]);

const STATES = { underWay: "under way", givenUp: "given up" };

/** An invoice as `payee/invoice`, a business by its name; empty if neither is known. */
function subject({ payeeExternalId, invoiceExternalId, externalId, payee }) {
  const business = payeeExternalId ?? payee?.externalId ?? externalId ?? "";
  return invoiceExternalId === undefined ? business : `${business}/${invoiceExternalId}`;
}

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" ? value : {};
  } catch {
    return {};
  }
}

/** Why a request did not do what it asked for: how bad that is, and the reason; undefined if it did. */
function failureOfRequest({ status, code, clause, fault, response }) {
  if (status == null) return { level: "bad", reason: `No answer: the fault ${fault} kept the request from the service`, group: `No answer: fault ${fault}` };
  if (status < 400) return undefined;
  // The caller, not the state of the world, is to blame.
  const isWrong = status < 404 || status === 413 || status === 415 || code === "unknown_endpoint";
  const prose = parsed(response?.body?.text).error ?? wording(clause);
  return { level: status >= 500 || isWrong ? "bad" : "warn", reason: prose, group: `${status} ${code ?? ""}`, clause };
}

/** Why a webhook has not arrived; undefined if it has, or if nobody has tried yet. */
function failureOfDelivery({ state, attempts, url, nextAttemptAt }) {
  const failed = attempts.filter(({ status, problem }) => problem != null || (status != null && (status < 200 || status > 299)));
  if (state === "accepted" || failed.length === 0) return undefined;
  const { status, problem } = failed.at(-1);
  const answer = problem ?? `it answered ${status}`;
  const isFinal = DONE.has(state);
  const receiver = url.replace(/^https?:\/\//, "");
  const times = failed.length > 1 ? `${failed.length} times · ` : "";
  return {
    level: "bad",
    // The time zone may change meanwhile.
    get reason() {
      return `${sentence(answer)} · ${times}${nextAttemptAt ? `next try ${clockTime(nextAttemptAt)}` : STATES[state] ?? state}`;
    },
    isFinal,
    group: isFinal ? `Webhooks ${STATES[state] ?? state}, to ${receiver}` : `Webhooks to ${receiver}`,
    key: `${url} ${isFinal} ${answer}`,
    last: sentence(answer),
  };
}

/** Why the outside world did not do something; undefined if it did. */
const failureOfIntervention = ({ refused, action, kind }) =>
  refused ? { level: "warn", reason: sentence(refused), group: `Refused action: ${words(action ?? (kind === "clockMoved" ? "moveClock" : "resend"))}` } : undefined;

const FAILURES = { request: failureOfRequest, delivery: failureOfDelivery, intervention: failureOfIntervention };

/** What is wrong with an entry, if something is. */
export const failureOf = (kind, item) => FAILURES[kind](item);

const level = (status) => (status == null ? "bad" : status < 300 ? "good" : status < 500 ? "warn" : "bad");

function ofRequest({ item, failure }) {
  const { method, path, query, status, code, fault, warnings, request } = item;
  const about = method === "POST" || path.startsWith("/v1/invoices/") ? subject(parsed(request.body?.text)) : "";
  const notes = [code, fault && `fault ${fault}`, warnings?.join(" ")];
  return {
    tag: "request",
    status: String(status ?? "–"),
    level: failure?.level ?? level(status),
    what: [el("b", {}, method), " ", named(query ? `${path}?${query}` : path), about && [" ", el("span", { class: "about" }, named(about))]],
    more: notes.filter(Boolean).join(" · "),
  };
}

/** The content of an event: `acme/INV-1 → FUNDED · seq 3`. */
function announced({ event, body }) {
  const about = subject(body?.data ?? {});
  const state = body?.data?.state;
  const happened = state === undefined ? [" ", words(event.split(".").at(-1))] : [" → ", el("b", {}, state)];
  return [named(about || event), about && happened, body?.sequence !== undefined && `\u00a0·\u00a0seq\u00a0${body.sequence}`];
}

function ofDelivery({ item, failure }, severalReceivers) {
  const { event, url, state, attempts, fault } = item;
  const last = attempts.at(-1);
  const waits = state === "queued" || state === "underWay";
  const notes = [
    // What stands there already need not stand there twice.
    event.replace(item.body?.data?.state === undefined ? /^partner\./ : /^partner\.invoice\./, ""),
    severalReceivers && new URL(url).host,
    !failure && (state !== "accepted" || attempts.length > 1) && `${STATES[state] ?? state}${attempts.length > 1 ? ` after ${attempts.length} attempts` : ""}`,
    fault && `fault ${fault}`,
  ];
  return {
    tag: "webhook",
    status: last?.status != null ? String(last.status) : waits ? "…" : "–",
    level: failure ? "bad" : state === "accepted" ? "good" : "none",
    what: announced(item),
    more: notes.filter(Boolean).join(" · "),
  };
}

function ofIntervention({ item }) {
  const { kind, action, payee, invoice, amount, time, until, fault, delivery, refused } = item;
  const about = invoice != null ? `${payee}/${invoice}` : payee;
  const did = {
    action: () => [el("b", {}, sentence(words(action ?? ""))), about != null && [" ", el("span", { class: "about" }, named(about))], amount != null && ` ${cents(amount)}`],
    clockMoved: () => refused ? "The clock stays: it was to go back" : until == null ? "The clock moves" : until === time ? "The clock stays: nothing was due" : [el("b", {}, `+${span(time, until)}`), " → ", instant(until)],
    faultAdded: () => ["Fault ", el("b", {}, named(fault)), " added"],
    faultRemoved: () => ["Fault ", el("b", {}, named(fault)), " removed"],
    faultsCleared: () => "All faults removed",
    resent: () => ["Webhook sent again ", el("span", { class: "about" }, named(delivery))],
  };
  return {
    tag: kind === "clockMoved" ? "clock" : kind.startsWith("fault") ? "fault" : "action",
    status: "",
    level: refused ? "warn" : "none",
    what: did[kind]?.() ?? words(kind),
    more: "",
  };
}

const OF = { request: ofRequest, delivery: ofDelivery, intervention: ofIntervention };

/** The line of an entry. */
export const lineOf = (entry, severalReceivers) => OF[entry.kind](entry, severalReceivers);
