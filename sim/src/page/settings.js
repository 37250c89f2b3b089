// Subscriptions, faults and freedoms.

import { ask, perform } from "./api.js";
import { button, byId, el, keyed, named } from "./dom.js";

const list = (id) => byId(id);
const empty = (text) => el("p", { class: "quiet" }, text);

function show(id, items, keyOf, build, none) {
  const place = list(id);
  if (items.length === 0) return place.replaceChildren(empty(none));
  if (place.firstElementChild?.tagName !== "UL") place.replaceChildren(el("ul", { class: "plain" }));
  keyed(place.firstElementChild, items, keyOf, build);
}

const subscription = ({ reference, url, eventTypes }) => el("li", {}, named(url), " ", el("code", {}, reference),
  el("span", { class: "quiet" }, eventTypes ? eventTypes.join(", ") : "every event"));

function fault(rule) {
  const { id, label, matched, fired, act, operation, event, identifier, payee, invoice, nth, percent } = rule;
  const names = [identifier, payee, invoice].filter(Boolean);
  const only = [operation ?? event, nth && `no. ${nth}`, percent && `${percent} %`].filter(Boolean).join(", ");
  const remove = () => perform(["Fault ", named(label), " is removed."], () => ask("DELETE", `/_sim/faults/${id}`));
  return el("li", {}, el("span", {}, label !== act && [named(label), ": "], act), el("span", { class: "quiet" }, names.map((name) => [named(name), " · "]), `${only ? `${only} · ` : ""}matched ${matched}, acted ${fired} times`),
    button("Remove", remove, { "aria-label": `Remove fault ${label}`, "data-part": "remove" }));
}

const freedom = ({ name, met }) => el("li", {}, el("code", {}, name), el("span", { class: "quiet" }, `${met} times`));

export async function showSettings({ subscriptions }) {
  show("subscriptions", subscriptions, (it) => it.reference, subscription, "None. POST /v1/webhooks makes one.");
  const [{ faults }, { grease, freedoms }] = await Promise.all([ask("GET", "/_sim/faults"), ask("GET", "/_sim/freedoms")]);
  show("faults", faults, (it) => String(it.id), fault, "None. POST /_sim/faults adds one.");
  show("freedoms", grease ? freedoms : [], (it) => it.name, freedom, "The mock takes no freedoms; serve --grease does.");
}
