// The clock, its buttons, and the time zone in which times are shown.

import { ask, perform } from "./api.js";
import { button, byId, el, rebuild } from "./dom.js";
import { LOCAL, instant, showIn, span, zone } from "./shown.js";

const MOVES = [
  ["Next event", { nextEvent: true }, "to the next thing that is due"],
  ["+1 hour", { advanceSeconds: 3600 }, "forward by an hour"],
  ["+1 day", { advanceSeconds: 86400 }, "forward by a day"],
  ["Until quiet", { untilQuiet: true }, "until nothing is due any more"],
];

function result({ now, moved, quiet, nextDue }) {
  if (moved === false) return "Nothing is due. The clock stays.";
  const rest = quiet === false && nextDue ? ` Something is due at ${instant(nextDue)}.` : "";
  return `The clock shows ${instant(now)}.${rest}`;
}

/** Adds the buttons. `changed` shows everything again, in another time zone. */
export function startClock(changed) {
  const made = MOVES.map(([name, move, title]) => button(name, () => perform(result, () => ask("POST", "/_sim/clock", move)), { title: `Moves the clock ${title}` }));
  byId("moves").replaceChildren(...made);
  const zones = [...new Set(["UTC", LOCAL])];
  byId("zone").replaceChildren(...zones.map((name) => el("option", { value: name, selected: name === zone }, name)));
  byId("zone").addEventListener("change", () => {
    showIn(byId("zone").value);
    rebuild();
    changed();
  });
}

let running;

/** Shows the time; a running clock goes on by itself. */
export function showClock({ now, speed, nextDue }) {
  clearInterval(running);
  const [from, at] = [Date.parse(now), performance.now()];
  const show = () => {
    const time = speed ? new Date(from + (performance.now() - at) * speed).toISOString() : now;
    byId("now").textContent = instant(time);
    byId("now").setAttribute("datetime", time);
    const state = speed ? (speed === 1 ? "runs" : `runs ${speed} times as fast`) : "stands";
    byId("due").textContent = `${state} · ${nextDue ? `next event in ${span(time, nextDue)}` : "nothing is due"}`;
    byId("due").title = nextDue ? instant(nextDue) : "";
  };
  show();
  if (speed) running = setInterval(show, 1000);
}
