import { lineOf } from "./deliveries.js";
import { lineOfRequest } from "./timeline.js";
import type { Delivery, JournalEntry, Port } from "./types.js";

type Row = Port["ConductRow"];

/** The client broke a duty that the document gives its callers. The message has each row, and what shows it. */
export class BadConduct extends Error {
  override readonly name = "BadConduct";
}

/** The broken rows, but for those that are to be ignored. */
export function brokenRows(rows: readonly Row[], ignore: readonly string[]): Row[] {
  const unknown = ignore.filter((duty) => !rows.some(({ id }) => id === duty));
  if (unknown.length > 0) throw new TypeError(`there is no such duty: ${unknown.join(", ")}`);
  return rows.filter(({ id, state }) => state === "broken" && !ignore.includes(id));
}

/** A row in words, and a line for each request and each delivery that shows a breach. */
export function explained(
  { id, clause, place, words, requests, deliveries }: Row,
  entries: readonly JournalEntry[],
  sent: readonly Delivery[],
): string {
  const request = (wanted: number) => {
    const entry = entries.find(({ number }) => number === wanted);
    return `    request ${wanted}: ${entry ? lineOfRequest(entry) : "no longer in the journal"}`;
  };
  const webhook = (wanted: number) => {
    const delivery = sent.find(({ index }) => index === wanted);
    return `    delivery ${wanted}: ${delivery ? lineOf(delivery) : "no longer in the log"}`;
  };
  return [`${id} (${clause}, ${place}): ${words}`, ...requests.map(request), ...deliveries.map(webhook)].join("\n");
}
