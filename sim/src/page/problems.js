// What is wrong, before everything else: counted, with the reason.

import { byId, el, keyed } from "./dom.js";
import { explained } from "./clauses.js";
import { counted, instant } from "./shown.js";

/** The most that are shown at once. */
const MOST = 3;

let isWhole = false;

/** The failures of entries by their reason, the worst and the newest first. */
function groups(entries) {
  const found = new Map();
  for (const entry of entries) {
    if (!entry.failure) continue;
    const { group, key = group, level, isFinal = false, reason, last = reason, clause } = entry.failure;
    const before = found.get(key);
    found.delete(key);
    found.set(key, { key, group, level, isFinal, last, clause, time: entry.time, count: (before?.count ?? 0) + 1 });
  }
  // Nobody tries a webhook again that is given up: the client has lost it.
  const rank = ({ level, isFinal }) => (isFinal ? 0 : level === "bad" ? 1 : 2);
  return Array.from(found.values()).reverse().sort((one, other) => rank(one) - rank(other));
}

function row({ key, group, level, last, clause, count, time, isChosen }, choose) {
  const title = isChosen ? "Shows everything again" : "Shows only these, and the clause";
  return el("li", { class: `problem ${level}` },
    el("button", { type: "button", "aria-pressed": String(isChosen), "data-part": "choose", title, onclick: () => choose(isChosen ? undefined : key) },
      el("span", { class: "number" }, `${count}`, el("span", { class: "sr" }, count === 1 ? " time: " : " times: ")), el("span", { class: "what" }, group)),
    el("p", {}, last, " ", el("span", { class: "quiet once" }, `· last ${instant(time)}`)),
    isChosen && clause && el("p", { class: "quiet" }, explained(clause)));
}

/** Shows what is wrong among the entries. `chosen` is the group that is shown alone; `choose` chooses another one. */
export function showProblems(entries, chosen, choose) {
  const all = groups(entries);
  const bad = all.filter((it) => it.level === "bad").reduce((sum, it) => sum + it.count, 0);
  const rest = all.reduce((sum, it) => sum + it.count, 0) - bad;
  byId("problems").hidden = all.length === 0;
  byId("problems").classList.toggle("bad", bad > 0);
  byId("problems-title").textContent = [bad > 0 && counted(bad, "failure"), rest > 0 && counted(rest, "refusal")].filter(Boolean).join(", ");
  const shown = (isWhole ? all : all.slice(0, MOST)).map((it) => ({ ...it, isChosen: it.key === chosen }));
  keyed(byId("problems-list"), shown, (it) => it.key, (it) => row(it, choose));
  const more = byId("problems-more");
  more.hidden = all.length <= MOST;
  more.textContent = isWhole ? "Show fewer" : `Show ${all.length - MOST} more`;
  more.onclick = () => {
    isWhole = !isWhole;
    showProblems(entries, chosen, choose);
  };
  return bad;
}
