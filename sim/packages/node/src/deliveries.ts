import type { Delivery, EventType } from "./types.js";

/** What a test expects of a webhook: its event, what it is about, and how many milliseconds to wait for it. */
export interface Expected<Type extends EventType = EventType> {
  readonly event: Type;
  /** The business, or the payee of the invoice. */
  readonly payee?: string;
  readonly invoice?: string;
  readonly timeout?: number;
}

/** No receiver has accepted the expected webhook in time. The message has a line for each that came instead. */
export class NotDelivered extends Error {
  override readonly name = "NotDelivered";
}

interface Subject {
  externalId?: string;
  payeeExternalId?: string;
  invoiceExternalId?: string;
  state?: string;
}

export function isExpected({ event, payee, invoice }: Expected, delivery: Delivery): boolean {
  const { externalId, payeeExternalId = externalId, invoiceExternalId } = subjectOf(delivery.body);
  return (
    delivery.state === "accepted" &&
    delivery.event === event &&
    (payee === undefined || payee === payeeExternalId) &&
    (invoice === undefined || invoice === invoiceExternalId)
  );
}

/** An event in one line: its type and what it is about. */
export function nameOf(type: string, body: unknown): string {
  const { externalId, payeeExternalId, invoiceExternalId, state } = subjectOf(body);
  return [type, externalId ?? payeeExternalId, invoiceExternalId, state].filter(Boolean).join(" ");
}

/** A delivery in one line: the same, and how it went. */
export function lineOf({ event, body, state, attempts, fault }: Delivery): string {
  const last = attempts.at(-1);
  const outcome = last && (last.status === null ? last.problem : `answered ${last.status}`);
  const count = attempts.length > 1 ? ` after ${attempts.length} attempts` : "";
  return `${nameOf(event, body)}: ${state}${count}${outcome ? `, ${outcome}` : ""}${fault ? `, fault: ${fault}` : ""}`;
}

export function listOf(lines: readonly string[]): string {
  return lines.length === 0 ? " nothing. Is a URL subscribed to it?" : `\n  ${lines.join("\n  ")}`;
}

function subjectOf(body: unknown): Subject {
  return (body as { data?: Subject } | null)?.data ?? {};
}
