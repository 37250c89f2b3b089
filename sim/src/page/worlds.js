// The worlds of the mock: made, opened, copied, reset and deleted.

import { ask, ownKey, perform, say } from "./api.js";
import { forgetRevoked, lead, meant } from "./address.js";
import { buttonFor, byId, confirmed, el, named, pill } from "./dom.js";
import { counted, instant } from "./shown.js";
import { table } from "./tables.js";

/** The most worlds in the list: the default one and the newest. */
const MOST = 50;

let shown = "";
let reopen = () => {};
let show = () => {};

/** Shows a world, as a platform sees it. */
export function open(world, platform = null) {
  forgetRevoked();
  lead({ world, platform });
  reopen();
}

const path = (id) => `/_sim/worlds/${id}`;

/** The first platform needs no name in an address. */
const opens = ({ id, keys }, platform) => () => open(id, platform === keys[0]?.platform ? null : platform);

/** Opens the world, as one of its platforms if there are several. */
function opener(world) {
  const { id, keys } = world;
  const platforms = [...new Set(keys.map((it) => it.platform))];
  if (platforms.length === 0) return el("span", { class: "quiet" }, "All its keys are revoked.");
  if (platforms.length === 1) return buttonFor(`world ${id}`, "Open", opens(world, platforms[0]), { class: "small", "data-part": "open-world" });
  return platforms.map((it) => buttonFor(`world ${id}`, `Open as ${it}`, opens(world, it), { class: "small", "data-part": `open ${it}` }));
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
    if (done && shown === id) open("default");
    else await showWorlds();
    byId("worlds-title").focus();
  };
  const of = `world ${id}`;
  return [
    buttonFor(of, "Fork", fork, { class: "small", "data-part": "fork" }),
    buttonFor(of, "Reset", reset, { class: "small", "data-part": "reset" }),
    id !== "default" && buttonFor(of, "Delete", remove, { class: "small", "data-part": "delete" }),
    el("a", { href: `${path(id)}/snapshot`, download: `${id}.json`, "data-part": "snapshot", "aria-label": `Snapshot (${of})` }, "Snapshot"),
  ];
}

function details({ id, keys }) {
  return el("div", { class: "details" },
    el("ul", { class: "plain" }, keys.map(({ platform, key }) => el("li", {}, named(platform), ": ", el("code", {}, key)))),
    el("div", { class: "buttons" }, changes(id)));
}

/** Offers the listed worlds, and their platforms, in the header. */
function offer(worlds) {
  const select = byId("world");
  const options = worlds.flatMap(({ id, keys }) => {
    const platforms = [...new Set(keys.map((it) => it.platform))];
    return platforms.map((platform, index) => ({
      value: JSON.stringify([id, index === 0 ? null : platform]),
      text: platforms.length > 1 ? `${id} · ${platform}` : id,
      isShown: id === shown && (keys.find((it) => it.key === ownKey())?.platform ?? platforms[0]) === platform,
    }));
  });
  if (!options.some((it) => it.isShown)) options.push({ value: "", text: shown, isShown: true });
  // A list that is open is not changed under the pointer.
  const state = JSON.stringify(options);
  if (select.dataset.state === state) return;
  select.dataset.state = state;
  select.replaceChildren(...options.map(({ value, text, isShown }) => el("option", { value, selected: isShown }, text)));
}

/** Asks for all worlds again. */
export async function showWorlds() {
  const { worlds } = await ask("GET", "/_sim/worlds");
  const [first, ...rest] = worlds;
  const others = rest.reverse();
  const newest = others.filter(({ id }, index) => index < MOST - 1 || id === shown);
  const listed = [first, ...newest].map((it) => ({ ...it, isShown: it.id === shown }));
  offer(listed);
  show(listed);
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
  show = table(byId("worlds").querySelector(".table"), {
    caption: "Worlds",
    keyOf: (it) => it.id,
    label: (it) => el("code", {}, it.id),
    details,
    columns: [
      { title: "World", cell: ({ isShown }) => isShown && [" ", pill("shown here", "good")] },
      { title: "Clock", cell: ({ now }) => instant(now) },
      { title: "Holds", cell: ({ businesses, invoices, requests }) => [counted(businesses, "business", "businesses"), counted(invoices, "invoice"), counted(requests, "request")].join(", ") },
      { title: "", kind: "next", cell: opener },
    ],
  });
  byId("world").addEventListener("change", () => {
    if (byId("world").value) open(...JSON.parse(byId("world").value));
  });
  byId("switch").addEventListener("submit", async (event) => {
    event.preventDefault();
    const key = byId("switch-key").value.trim();
    try {
      lead(key ? await meant(key) : {});
    } catch (error) {
      return say(error.message, true);
    }
    reopen();
    return undefined;
  });
  byId("make").addEventListener("submit", async (event) => {
    event.preventDefault();
    const scenario = byId("make-scenario").value;
    const made = await perform(({ id }) => `World ${id} is made, and shown.`, () => ask("POST", "/_sim/worlds", { scenario }));
    if (made) open(made.id);
  });
}
