// Subscriptions, faults and freedoms.

import { ask, perform } from "./api.js";
import { buttonFor, byId, el, named, pill } from "./dom.js";
import { counted, instant, words } from "./shown.js";
import { history } from "./history.js";
import { table } from "./tables.js";
import { find } from "./timeline.js";

const shows = {};

function end(reference) {
  return perform(`Subscription ${reference} has ended.`, () => ask("DELETE", `/v1/webhooks/${encodeURIComponent(reference)}`));
}

/** How the webhooks of a subscription fare. */
function tally({ failing, sent }) {
  if (failing > 0) return el("span", { class: "bad" }, `${failing} of ${counted(sent, "webhook")} not accepted`);
  return sent > 0 ? counted(sent, "webhook") : el("span", { class: "quiet" }, "none yet");
}

function startSubscriptions() {
  shows.subscriptions = table(byId("subscriptions").querySelector(".table"), {
    caption: "Subscriptions",
    keyOf: (it) => it.reference,
    label: (it) => el("code", {}, it.url),
    details: (it) => el("div", { class: "details" },
      el("p", {}, "Reference ", el("code", {}, it.reference), `, since ${instant(it.createdAt)}. The secret was shown once: whoever lost it ends this subscription and makes another one.`),
      el("div", { class: "buttons" }, buttonFor(it.reference, "End it", () => end(it.reference), { "data-part": "end" }),
        buttonFor(it.reference, "Show in the timeline", () => find(it.url), { "data-part": "find" }))),
    columns: [
      { title: "URL", cell: () => "" },
      { title: "Events", cell: ({ eventTypes }) => eventTypes ? eventTypes.join(", ") : "every event" },
      { title: "Sent", cell: tally },
    ],
  });
}

function startFaults() {
  shows.faults = table(byId("faults").querySelector(".table"), {
    caption: "Faults",
    keyOf: (it) => String(it.id),
    label: (it) => named(it.label),
    details: ({ id, label, act, matched, fired, ...rule }) => el("div", { class: "details" },
      el("pre", { tabindex: "0", role: "region", "aria-label": `Fault ${label}` }, JSON.stringify({ act, ...rule }, null, 2)),
      el("div", { class: "buttons" }, buttonFor(label, "Show in the timeline", () => find(label), { "data-part": "find" }))),
    columns: [
      { title: "Fault", cell: ({ label, act }) => label !== act && el("span", { class: "second" }, words(act)) },
      { title: "Of", cell: ({ operation, event, identifier, payee, invoice }) => {
        const names = [identifier, payee, invoice].filter(Boolean);
        return [operation ?? event ?? (names.length ? "" : "all"), names.map((name) => [" ", named(name)])];
      } },
      { title: "Which", cell: ({ nth, percent }) => nth ? `no. ${nth}` : percent ? `${percent} %` : "every one" },
      { title: "Acted", kind: "number", cell: ({ matched, fired }) => el("span", { title: `It has selected ${matched}, and acted on ${fired}` }, `${fired} of ${matched}`) },
      { title: "", kind: "next", cell: ({ id, label }) => buttonFor(label, "Remove", () => perform(["Fault ", named(label), " is removed."], () => ask("DELETE", `/_sim/faults/${id}`)), { class: "small", "data-part": "remove" }) },
    ],
  });
}

export function startRules() {
  startSubscriptions();
  startFaults();
}

/** Each subscription with how many webhooks it has got, and how many it has not accepted. */
function counts(subscriptions) {
  const all = history().filter((it) => it.kind === "delivery");
  return subscriptions.map((it) => {
    const own = all.filter(({ item }) => item.subscription === it.reference);
    return { ...it, sent: own.length, failing: own.filter(({ failure }) => failure).length };
  });
}

/** Shows both. Returns how many rules of faults there are. */
export async function showRules({ subscriptions }) {
  const [{ faults }, { grease, freedoms }] = await Promise.all([ask("GET", "/_sim/faults"), ask("GET", "/_sim/freedoms")]);
  shows.subscriptions(counts(subscriptions));
  shows.faults(faults);
  byId("subscriptions").querySelector(".empty").hidden = subscriptions.length > 0;
  byId("faults").querySelector(".empty").hidden = faults.length > 0;
  byId("freedoms").hidden = !grease;
  const met = grease ? freedoms.map(({ name, met }) => el("li", {}, el("code", {}, name), " ", met > 0 ? pill(`${met} times`, "good") : el("span", { class: "quiet" }, "not met"))) : [];
  byId("freedoms-list").replaceChildren(...met);
  return faults.length;
}
