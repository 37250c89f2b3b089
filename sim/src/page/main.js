// Shows a world, and follows its changes.

import { ask, learn, say, watch } from "./api.js";
import { resolve } from "./address.js";
import { showBusinesses, startBusinesses } from "./businesses.js";
import { loadClauses } from "./clauses.js";
import { showClock, startClock } from "./clock.js";
import { showConduct, startConduct } from "./conduct.js";
import { byId } from "./dom.js";
import { follow, forget } from "./history.js";
import { showInvoices, showMoney, startInvoices } from "./invoices.js";
import { remember, startMaking } from "./making.js";
import { now, past, startPast } from "./past.js";
import { showRules, startRules } from "./rules.js";
import { showStart, startStart } from "./start.js";
import { count, startTabs, usually } from "./tabs.js";
import { showTimeline, startTimeline } from "./timeline.js";
import { followWorlds, open, showWorlds, startWorlds } from "./worlds.js";

let busy = false;
let stale = false;
let stop = () => {};
/** The world as the mock said it last. */
let last;
/** What the parts show of it: the same, or an earlier state. */
let seen;

async function refresh() {
  const text = byId("find-text").value.trim();
  const overview = await ask("GET", `/_sim/overview${text ? `?${new URLSearchParams({ text })}` : ""}`);
  learn(overview.key);
  if (!text) remember(overview);
  if (last === undefined) usually(showStart(overview) ? "start" : "invoices");
  if (last && last.resets !== overview.resets) now();
  last = overview;
  seen = await past(text) ?? last;
  await follow(overview);
  showOverview();
  count("faults", await showRules({ ...overview, subscriptions: seen.subscriptions }));
  await showConduct();
  await followWorlds(overview);
}

/** Shows what is known, without asking for more. */
function showOverview() {
  showClock(last);
  showStart(last);
  showBusinesses(seen);
  showInvoices(seen);
  showMoney(seen);
  byId("find-more").hidden = !seen.more;
  count("businesses", seen.businesses.length);
  count("invoices", seen.invoices.length);
  count("subscriptions", seen.subscriptions.length);
  const failures = showTimeline(last);
  count("timeline", failures, failures > 0);
  document.title = `${failures > 0 ? `(${failures}) ` : ""}Tideover · ${last.world}`;
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

/** Shows the world that the address names. */
async function restart() {
  stop();
  stop = () => {};
  forget();
  now();
  last = undefined;
  byId("gone").hidden = true;
  try {
    await Promise.all([resolve(), loadClauses()]);
  } catch (error) {
    if (isGone(error)) return showGone();
    say(`The mock does not answer: ${error.message}.`, true);
    return void setTimeout(restart, 1000);
  }
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
byId("back").addEventListener("click", () => {
  open("default");
  byId("main").focus();
});
/** The world in the address when it was last followed: a change of the tab alone is no other world. */
let search = location.search;
addEventListener("popstate", () => {
  if (location.search === search) return;
  search = location.search;
  restart();
});

startTabs();
startClock(() => last && showOverview());
startTimeline();
startBusinesses();
startInvoices();
startRules();
startConduct(changed);
startMaking();
startPast(changed);
startStart();
startWorlds(() => {
  search = location.search;
  restart();
});
restart();
