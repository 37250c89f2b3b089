// Shows a world, and follows its changes.

import { ask, learn, say, watch } from "./api.js";
import { showBusinesses } from "./businesses.js";
import { showClock, startClock } from "./clock.js";
import { byId, el } from "./dom.js";
import { showInvoices, showMoney } from "./invoices.js";
import { showSettings } from "./settings.js";
import { follow, forget, startTimeline } from "./timeline.js";
import { followWorlds, open, showWorlds, startWorlds } from "./worlds.js";

let busy = false;
let stale = false;
let stop = () => {};

async function refresh() {
  const text = byId("find-text").value.trim();
  const overview = await ask("GET", `/_sim/overview${text ? `?${new URLSearchParams({ text })}` : ""}`);
  learn(overview.key);
  byId("where").replaceChildren(`World ${overview.world} · API key `, el("code", {}, overview.key), " · no money moves");
  byId("find-more").hidden = !overview.more;
  showClock(overview);
  showBusinesses(overview);
  showInvoices(overview);
  showMoney(overview);
  await Promise.all([follow(overview), showSettings(overview), followWorlds(overview)]);
}

/** Whether the mock knows no world of the key any more. */
const isGone = (error) => error.status === 401;

/** Says so, and offers what is left. */
function showGone() {
  if (!byId("gone").hidden) return;
  byId("gone").hidden = false;
  say("");
  showWorlds().catch(() => {});
}

/** Refreshes once more if something changes meanwhile. */
async function changed() {
  stale = true;
  if (busy) return;
  busy = true;
  while (stale) {
    stale = false;
    try {
      await refresh();
    } catch (error) {
      if (isGone(error)) showGone();
      else say(error.message, true);
    }
  }
  busy = false;
}

function restart() {
  stop();
  forget();
  byId("gone").hidden = true;
  let lost = false;
  const again = () => {
    if (lost) say("Connected again.");
    lost = false;
    byId("gone").hidden = true;
    changed();
  };
  stop = watch(again, (error) => {
    if (isGone(error)) return showGone();
    lost = true;
    say(`The mock does not answer: ${error.message}.`, true);
  });
}

byId("find").addEventListener("submit", (event) => event.preventDefault());
byId("find").addEventListener("input", changed);
startClock();
startTimeline();
byId("back").addEventListener("click", () => {
  open("");
  byId("main").focus();
});
startWorlds(restart);
restart();
