import { EVENT_TYPES, UNLISTED_EVENT_TYPES } from "./generated/events.js";

const SENT = [...EVENT_TYPES, ...UNLISTED_EVENT_TYPES];

/** Refuses an event that never comes: to wait for it would end as a timeout. */
export function checkEventType(type: unknown): void {
  if (SENT.some((known) => known === type)) return;
  const [nearest] = [...SENT].sort((one, other) => edits(one, String(type)) - edits(other, String(type)));
  const isNear = edits(nearest!, String(type)) <= 8;
  const way = isNear ? `did you mean "${nearest}"?` : `there are ${EVENT_TYPES.join(", ")}`;
  throw new TypeError(`there is no event ${JSON.stringify(type)}: ${way}`);
}

/** How many letters differ: inserted, left out, or others. */
function edits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (let column = 0; column < other.length; column++) {
      const replaced = row[column]! + (letter === other[column] ? 0 : 1);
      next.push(Math.min(replaced, row[column + 1]! + 1, next[column]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}
