// What the caller does of what the document asks of callers. The mock judges its whole journal for it, so it is asked only
// while this part is shown.

import { ask } from "./api.js";
import { explained } from "./clauses.js";
import { byId, el, facts, pill } from "./dom.js";
import { count, current } from "./tabs.js";
import { table } from "./tables.js";

/** Each state: where it stands in the list, and how it is shown. */
const STATES = {
  broken: { rank: 0, text: "broken", kind: "bad" },
  met: { rank: 1, text: "met", kind: "good" },
  notSeen: { rank: 2, text: "not seen", kind: "" },
};

let show = () => {};

const numbers = (all) => all.join(", ");

function details({ clause, shownBy, requests, deliveries, openRequests, openDeliveries }) {
  return el("div", { class: "details" }, facts([
    ["Clause", explained(clause)],
    ["Requests", numbers(requests)],
    ["Webhooks", numbers(deliveries)],
    ["Open", numbers([...openRequests, ...openDeliveries])],
    ["Shown by", shownBy],
  ]));
}

/** Shows the rows, if their part is shown. */
export async function showConduct() {
  if (current() !== "conduct") return;
  const { rows, counts } = await ask("GET", "/_sim/conduct");
  show(rows.toSorted((one, other) => STATES[one.state].rank - STATES[other.state].rank));
  count("conduct", counts.broken, counts.broken > 0);
}

/** `again` refreshes the page: the part is empty until it is opened. */
export function startConduct(again) {
  show = table(byId("conduct").querySelector(".table"), {
    caption: "Conduct",
    keyOf: (it) => it.id,
    label: (it) => it.words,
    details,
    columns: [
      { title: "Duty", cell: ({ place }) => el("span", { class: "second" }, place) },
      { title: "State", cell: ({ state }) => pill(STATES[state].text, STATES[state].kind) },
      { title: "Requests", kind: "minor", cell: ({ requests }) => numbers(requests) },
    ],
  });
  addEventListener("hashchange", () => {
    if (current() === "conduct") again();
  });
}
