// The worlds of the mock: made, opened, copied, reset and deleted.

import { ask, key, perform, switchTo } from "./api.js";
import { button, byId, confirmed, el, facts, keyed, named } from "./dom.js";
import { instant } from "./shown.js";

/** The most worlds in the list: the default one and the newest. */
const MOST = 50;

let shown = "";
let reopen = () => {};

const counted = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

/** Shows the world that a key selects; without one, the default world. */
export function open(value) {
  byId("switch-key").value = value;
  switchTo(value);
  reopen();
}

const path = (id) => `/_sim/worlds/${id}`;

/** Opens the world with the key of a platform, which is chosen if there are several. */
function opener({ id, keys }) {
  if (keys.length === 0) return [el("span", { class: "quiet" }, "All its keys are revoked.")];
  const platform = el("select", { "aria-label": `Platform of world ${id}`, "data-part": "platform" },
    keys.map((it) => el("option", { value: it.key }, keys.some((other) => other !== it && other.platform === it.platform) ? `${it.platform} (${it.key})` : it.platform)));
  const opens = () => open(keys.length > 1 ? platform.value : keys[0].key);
  return [keys.length > 1 && platform, button("Open", opens, { "data-part": "open", "aria-label": `Open world ${id}` })];
}

/** The buttons that change a world, or copy it. */
function changes(id) {
  const fork = async () => {
    await perform(({ id: copy }) => `World ${copy} is a copy of world ${id}.`, () => ask("POST", `${path(id)}/fork`));
    await showWorlds();
  };
  const reset = async () => {
    if (!await confirmed(`Reset world ${id}? Its state and its requests are lost.`, "Reset")) return;
    await perform(`World ${id} is reset.`, () => ask("POST", `${path(id)}/reset`));
    await showWorlds();
  };
  const remove = async () => {
    if (!await confirmed(`Delete world ${id}? Its state, its requests and its keys are lost.`, "Delete")) return;
    const done = await perform(`World ${id} is deleted.`, () => ask("DELETE", path(id)));
    if (done && shown === id) open("");
    else await showWorlds();
    byId("worlds-title").focus();
  };
  return [
    button("Fork", fork, { "data-part": "fork", "aria-label": `Fork world ${id}` }),
    button("Reset", reset, { "data-part": "reset", "aria-label": `Reset world ${id}` }),
    id !== "default" && button("Delete", remove, { "data-part": "delete", "aria-label": `Delete world ${id}` }),
    el("a", { href: `${path(id)}/snapshot`, download: `${id}.json`, "data-part": "snapshot", "aria-label": `Snapshot of world ${id}` }, "Snapshot"),
  ];
}

function card(world) {
  const { id, now, keys, businesses, invoices, requests, isShown } = world;
  return el("article", { class: "card" },
    el("h3", {}, el("code", {}, id), " ", isShown && el("span", { class: "state funded" }, "shown here")),
    facts([
      ["Clock", instant(now)],
      ["Holds", [counted(businesses, "business", "businesses"), counted(invoices, "invoice"), counted(requests, "request")].join(", ")],
      ["Platform", keys.length === 1 && named(keys[0].platform)],
    ]),
    el("div", { class: "buttons" }, opener(world), changes(id)));
}

/** Asks for all worlds again. */
export async function showWorlds() {
  const { worlds } = await ask("GET", "/_sim/worlds");
  const [first, ...rest] = worlds;
  const others = rest.reverse();
  const newest = others.filter(({ id }, index) => index < MOST - 1 || id === shown);
  const listed = [first, ...newest].map((it) => ({ ...it, isShown: it.id === shown }));
  keyed(byId("worlds").querySelector(".cards"), listed, (it) => it.id, card);
  byId("worlds-more").hidden = listed.length === worlds.length;
  byId("worlds-more").textContent = `and ${worlds.length - listed.length} older ones`;
  return worlds.length;
}

let many = false;

/** Says which world is shown, and brings the list up to date: if it is long, only when another world is shown. */
export async function followWorlds({ world }) {
  if (many && shown === world) return;
  shown = world;
  many = await showWorlds() > MOST;
}

export function startWorlds(restart) {
  reopen = restart;
  byId("switch-key").value = key();
  byId("switch").addEventListener("submit", (event) => {
    event.preventDefault();
    open(byId("switch-key").value.trim());
  });
  byId("make").addEventListener("submit", async (event) => {
    event.preventDefault();
    const scenario = byId("make-scenario").value;
    const made = await perform(({ id }) => `World ${id} is made, and shown.`, () => ask("POST", "/_sim/worlds", { scenario }));
    if (made) open(made.keys[0].key);
  });
}
