import { lineOf } from "./deliveries.js";
import type { Delivery, JournalEntry } from "./types.js";

/** Something that the test did, and how many requests and deliveries there were once it was done. */
export interface Act {
  readonly what: string;
  readonly now: string;
  readonly requests: number;
  readonly deliveries: number;
  /** The rule of faults that it added. */
  readonly fault: number | undefined;
}

/** What happened, in order: requests, what the test did, and under each the webhooks that it caused. */
export function timeline(
  entries: readonly JournalEntry[],
  acts: readonly Act[],
  deliveries: readonly Delivery[],
  neverActed: ReadonlySet<number>,
): string {
  const unlisted = new Set(deliveries);
  const list = (belongs: (delivery: Delivery) => boolean) => {
    const listed = [...unlisted].filter(belongs);
    listed.forEach((delivery) => unlisted.delete(delivery));
    return listed.map((delivery) => `    ${delivery.queuedAt}  -> ${lineOf(delivery)}`);
  };
  const caused = new Set(entries.flatMap(({ events }) => events.map(({ delivery }) => delivery)));
  const lines: string[] = [];
  const left = [...acts];
  const listActs = (requests: number) => {
    while (left[0] && left[0].requests <= requests) {
      const { now, what, deliveries, fault } = left.shift()!;
      const mark = fault !== undefined && neverActed.has(fault) ? " (never acted)" : "";
      lines.push(`${now}  ${what}${mark}`, ...list(({ id, index }) => index < deliveries && !caused.has(id)));
    }
  };
  for (const entry of entries) {
    listActs(entry.number);
    const own = new Set(entry.events.map(({ delivery }) => delivery));
    lines.push(lineOfRequest(entry), ...list(({ id }) => own.has(id)));
  }
  listActs(Infinity);
  // Of a clock that runs.
  lines.push(...list(() => true));
  return lines.join("\n");
}

/** Whether the service refused it, or a fault did. */
export function isRefused({ status }: JournalEntry): boolean {
  return status !== null && status >= 400;
}

/** A request in one line: what it asked for, what was decided, and why. */
export function lineOfRequest(entry: JournalEntry): string {
  const { time, method, path, query, status, clause, fault, note, warnings = [] } = entry;
  const asked = `${method} ${path}${query ? `?${query}` : ""}`;
  const { code, error: prose } = isRefused(entry) ? refusalOf(entry) : {};
  const decided = [status ?? "no answer", code, clause && `[${clause}]`].filter(Boolean).join(" ");
  const remarks = [prose, fault && `fault: ${fault}`, note, ...warnings].filter(Boolean);
  return `${time}  ${asked}  ${decided}${remarks.map((remark) => `\n    ${remark}`).join("")}`;
}

/** The journal has no code of an answer that a fault made. */
function refusalOf({ code, response }: JournalEntry): { code?: string | null; error?: string } {
  try {
    return { ...JSON.parse(response?.body?.text ?? ""), ...(code !== null && { code }) };
  } catch {
    return { code };
  }
}
