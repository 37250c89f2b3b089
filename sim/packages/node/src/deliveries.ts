import { isDeepStrictEqual } from "node:util";

import type { Api, Delivery, Event, Port, SentEventType } from "./types.js";

/** Which event of a type a test waits for, and how many milliseconds. */
export interface Waiting<Type extends SentEventType = SentEventType> {
  /** The business, or the payee of the invoice. */
  readonly payee?: string;
  readonly invoice?: string;
  /** Fields that the event's `data` has, beside others: `{ state: "FUNDED" }`. */
  readonly data?: Partial<Event<Type>["data"]>;
  readonly timeout?: number;
}

/** What a test expects of a webhook: its event, what it is about, and how many milliseconds to wait for it. */
export interface Expected<Type extends SentEventType = SentEventType> extends Waiting<Type> {
  readonly event: Type;
}

/** No receiver has accepted the expected webhook in time. The message has a line for each that came instead. */
export class NotDelivered extends Error {
  override readonly name = "NotDelivered";
}

type Subscription = Pick<Api["Subscription"], "url" | "eventTypes">;

interface Subject {
  externalId?: string;
  payeeExternalId?: string;
  invoiceExternalId?: string;
  state?: string;
}

/** The fields of {@link Waiting}. */
export const WAITING = ["payee", "invoice", "data", "timeout"];

/** Whether the body of a webhook is what a test waits for. */
export function isMetBy(type: SentEventType, { payee, invoice, data = {} }: Waiting, body: unknown): boolean {
  const subject = subjectOf(body);
  const { externalId, payeeExternalId = externalId, invoiceExternalId } = subject;
  return (
    (body as Partial<Event<SentEventType>> | null)?.type === type &&
    (payee === undefined || payee === payeeExternalId) &&
    (invoice === undefined || invoice === invoiceExternalId) &&
    Object.entries(data).every(([name, value]) => isDeepStrictEqual(subject[name as keyof Subject], value))
  );
}

/** An event in one line: its type and what it is about. */
export function nameOf(type: string, body: unknown): string {
  const { externalId, payeeExternalId, invoiceExternalId, state } = subjectOf(body);
  const { sequence } = (body ?? {}) as { sequence?: number };
  const order = sequence !== undefined && `(sequence ${sequence})`;
  return [type, externalId ?? payeeExternalId, invoiceExternalId, state, order].filter(Boolean).join(" ");
}

/** A delivery in one line: the same, and how it went. */
export function lineOf({ event, body, state, attempts, fault }: Delivery): string {
  const last = attempts.at(-1);
  const outcome = last && (last.status === null ? last.problem : `answered ${last.status}`);
  const count = attempts.length > 1 ? ` after ${attempts.length} attempts` : "";
  return `${nameOf(event, body)}: ${state}${count}${outcome ? `, ${outcome}` : ""}${fault ? `, fault: ${fault}` : ""}`;
}

export function listOf(lines: readonly string[]): string {
  return lines.length === 0 ? " nothing." : `\n  ${lines.join("\n  ")}`;
}

/** What says why an event has not come: sentences for the end of an error. */
export type Reasons = (event: SentEventType, hasCome: boolean, url?: string) => Promise<string[]>;

export const TOO_EARLY = "An event that happened before the subscription never comes.";

/** Whether a URL of the world, or this one, is subscribed to the event. */
export function subscribedTo(event: SentEventType, subscriptions: readonly Subscription[], url?: string): string {
  const isFor = ({ eventTypes }: Subscription) => !eventTypes || eventTypes.some((type) => type === event);
  const urls = subscriptions.filter(isFor).map(({ url }) => url);
  if (url !== undefined) return `${url} is ${urls.includes(url) ? "" : "not "}subscribed to ${event}. ${TOO_EARLY}`;
  if (urls.length === 0) return `No URL is subscribed to ${event}. ${TOO_EARLY}`;
  return `Subscribed to ${event}: ${urls.join(", ")}. ${TOO_EARLY}`;
}

/** That time has to pass, if the clock of the world stands and something is due. */
export function standing({ now, speed, nextDue }: Pick<Port["Overview"], "now" | "speed" | "nextDue">): string[] {
  // What is due now is on its way.
  if (speed > 0 || nextDue === null || Date.parse(nextDue) <= Date.parse(now)) return [];
  const due = `The clock of the world stands at ${now}, and the next thing happens at ${nextDue}`;
  return [`${due}: move it with untilQuiet(), nextEvent() or advance().`];
}

function subjectOf(body: unknown): Subject {
  return (body as { data?: Subject } | null)?.data ?? {};
}
