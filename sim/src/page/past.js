// The world as it was at an entry of the timeline: what the entry changed, and a copy from there.

import { ask, perform, say } from "./api.js";
import { address } from "./address.js";
import { buttonFor, byId, el, named } from "./dom.js";
import { instant } from "./shown.js";
import { current } from "./tabs.js";
import { open } from "./worlds.js";

/** The parts that show an earlier state. */
const PARTS = ["invoices", "businesses", "subscriptions", "money"];

/** The entry whose state is shown, that state, and the text that was looked for; undefined while it is now. */
let shown;
let changed = () => {};

const PREFIX = { request: "", intervention: "i", delivery: "d" };
/** The name of an entry, as the operator port has it. */
const nameOf = (kind, item) => `${PREFIX[kind]}${item.index ?? item.number}`;

/** The state of the entry that is shown, as far as it has a text; undefined if it is now. */
export async function past(text) {
  const asked = shown;
  if (!asked) return undefined;
  if (asked.text !== text) {
    const query = text ? `?${new URLSearchParams({ text })}` : "";
    try {
      asked.state = await ask("GET", `/_sim/at/${asked.name}${query}`);
      asked.text = text;
    } catch (error) {
      // The world was reset, or the entry is too old by now.
      if (asked === shown) now();
      say(error.message, true);
    }
  }
  return shown?.state;
}

/** Shows the world as it is now. */
export function now() {
  shown = undefined;
  showBanner();
}

function showBanner() {
  document.body.toggleAttribute("data-past", shown !== undefined);
  byId("past").hidden = shown === undefined;
  if (shown) byId("past-text").replaceChildren("The world as it was at ", el("b", {}, instant(shown.time)), ", right after ", shown.what, ".");
  markEntry();
}

/** Marks the entry whose state is shown. */
export function markEntry() {
  for (const row of byId("timeline").querySelectorAll(".rows > .row")) {
    if (row.dataset.key === shown?.key) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}

async function fork(name) {
  const { world } = address();
  const made = await perform(({ id }) => `World ${id} is world ${world} as it was then, and shown.`, () => ask("POST", `/_sim/worlds/${encodeURIComponent(world)}/fork`, { at: name }));
  if (made) open(made.id);
}

async function show(kind, item, what) {
  const [name, key] = [nameOf(kind, item), `${kind}${item.index ?? item.number}`];
  const state = await perform("", () => ask("GET", `/_sim/at/${name}`));
  if (!state) return;
  shown = { name, key, what, state, time: state.now, text: "" };
  if (!PARTS.includes(current())) location.hash = "invoices";
  showBanner();
  await changed();
}

const shownValue = (value) => value == null ? el("span", { class: "quiet" }, "–") : named(value);

function change({ subject, became, fields }) {
  const lines = fields.map(({ field, before, after }) => el("li", {}, el("code", {}, field), " ",
    became === "changed" && [shownValue(before), " → "], el("b", {}, shownValue(after))));
  const state = { new: "new", gone: "gone" }[became];
  return el("li", {}, named(subject), state && ` is ${state}`, became !== "gone" && el("ul", { class: "plain" }, lines));
}

/** What an entry changed, and what leads to the state after it. */
export function pastSection(kind, item, what) {
  const name = nameOf(kind, item);
  const title = kind === "delivery" ? "What changed with it" : "What it changed";
  const place = el("div", { class: "changes" });
  ask("GET", `/_sim/diff?to=${name}`).then(({ changes }) => {
    place.replaceChildren(
      changes.length > 0 ? el("ul", { class: "plain" }, changes.map(change)) : el("p", { class: "quiet" }, "Nothing."),
      el("div", { class: "buttons" },
        buttonFor(`entry ${name}`, "See the world as it was", () => show(kind, item, what()), { "data-part": "past" }),
        buttonFor(`entry ${name}`, "Fork from here", () => fork(name), { "data-part": "fork" })));
  }).catch((error) => place.replaceChildren(el("p", { class: "quiet" }, error.message)));
  return el("section", {}, el("h4", {}, title), place);
}

/** `refresh` shows the world again. */
export function startPast(refresh) {
  changed = refresh;
  byId("past-fork").addEventListener("click", () => fork(shown.name));
  byId("past-now").addEventListener("click", () => {
    now();
    byId("main").focus();
    changed();
  });
}
