// The clock and its buttons.

import { ask, perform } from "./api.js";
import { button, byId } from "./dom.js";
import { instant } from "./shown.js";

const MOVES = [
  ["Next event", { nextEvent: true }],
  ["+1 hour", { advanceSeconds: 3600 }],
  ["+1 day", { advanceSeconds: 86400 }],
  ["Until quiet", { untilQuiet: true }],
];

function told({ now, moved, quiet, nextDue }) {
  if (moved === false) return "Nothing is due. The clock stays.";
  const rest = quiet === false && nextDue ? ` Something is due at ${instant(nextDue)}.` : "";
  return `The clock shows ${instant(now)}.${rest}`;
}

export function startClock() {
  const made = MOVES.map(([name, move]) => button(name, () => perform(told, () => ask("POST", "/_sim/clock", move))));
  byId("moves").replaceChildren(...made);
}

let running;

/** Shows the time; a running clock goes on by itself. */
export function showClock({ now, speed, nextDue }) {
  clearInterval(running);
  const [from, at] = [Date.parse(now), performance.now()];
  const show = () => {
    const time = new Date(from + (performance.now() - at) * speed).toISOString();
    byId("now").textContent = instant(speed ? time : now);
    byId("now").setAttribute("datetime", speed ? time : now);
  };
  show();
  if (speed) running = setInterval(show, 1000);
  const state = speed ? (speed === 1 ? "runs" : `runs ${speed} times as fast`) : "stands";
  byId("due").textContent = `${state} · ${nextDue ? `next event ${instant(nextDue)}` : "nothing is due"}`;
}
