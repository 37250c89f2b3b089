// What has happened in the world, the newest first. It shows a window of it, however much there is.

import { deliveryDetails, interventionDetails, requestDetails } from "./exchange.js";
import { byId, el, keyed, rebuild } from "./dom.js";
import { again, history } from "./history.js";
import { markEntry, pastSection } from "./past.js";
import { showProblems } from "./problems.js";
import { lineOf } from "./rows.js";
import { clockTime, counted, day, instant, namedDay } from "./shown.js";

const WINDOW = 100;

let shown = WINDOW;
let severalReceivers = false;
/** The group of failures that is shown alone, if one is. */
let chosen;

const DETAILS = { request: requestDetails, delivery: (item) => deliveryDetails(item, again), intervention: interventionDetails };

function row(entry) {
  if (entry.kind === "day") return el("h3", { class: "day" }, namedDay(entry.day));
  const { tag, status, level, what, more } = lineOf(entry, severalReceivers);
  const { kind, failure, time, item } = entry;
  const summary = el("summary", { "data-part": "open" },
    el("time", { datetime: time, title: instant(time) }, clockTime(time)), " ",
    el("span", { class: `tag ${tag}` }, tag), " ",
    el("span", { class: "what" }, what, more && [" ", el("span", { class: "more" }, more)], failure && el("span", { class: `reason ${failure.level}` }, failure.reason)), " ",
    el("span", { class: `status ${level}` }, status));
  const details = el("details", { class: `row ${kind} ${failure?.level ?? ""}`, "data-part": "row" }, summary);
  details.addEventListener("toggle", () => {
    if (!details.open || details.children.length > 1) return;
    const shown = DETAILS[kind](item);
    // A clock that moves has no state after its move yet.
    if (item.kind !== "clockMoved" || item.until !== null) shown.querySelector(".facts").after(pastSection(kind, item, () => el("span", {}, `${tag} `, lineOf(entry, severalReceivers).what)));
    details.append(shown);
  });
  return details;
}

/** The entries with a line in front of each day. */
function withDays(entries) {
  const all = [];
  for (const it of entries) {
    const date = day(it.time);
    if (all.at(-1)?.date !== date) all.push({ kind: "day", key: `day ${date}`, day: date, date });
    all.push(it);
    it.date = date;
  }
  return all;
}

function matches() {
  const words = byId("filter-text").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const kind = byId("filter-kind").value;
  return (it) => (kind === "all" || it.kind === kind || (kind === "failure" && it.failure))
    && (chosen === undefined || (it.failure?.key ?? it.failure?.group) === chosen)
    && words.every((word) => it.text.includes(word));
}

/** Shows the history. Returns how many failures there are. */
export function showTimeline({ subscriptions } = {}) {
  const several = subscriptions ? subscriptions.length > 1 : severalReceivers;
  if (several !== severalReceivers) rebuild();
  severalReceivers = several;
  const all = history();
  if (chosen !== undefined && !all.some((it) => (it.failure?.key ?? it.failure?.group) === chosen)) chosen = undefined;
  const failures = showProblems(all, chosen, (group) => {
    chosen = group;
    shown = WINDOW;
    showTimeline();
  });
  const wanted = all.filter(matches());
  const newest = wanted.slice(-shown).reverse();
  byId("timeline").querySelector(".empty").hidden = all.length > 0;
  byId("filter").hidden = all.length === 0;
  keyed(byId("timeline").querySelector(".rows"), withDays(newest), (it) => it.key, row);
  markEntry();
  const isWhole = wanted.length === all.length;
  byId("filter-shown").textContent = isWhole ? counted(all.length, "entry", "entries") : `${wanted.length.toLocaleString("en-US")} of ${counted(all.length, "entry", "entries")}`;
  byId("filter-all").hidden = isWhole;
  byId("older").hidden = newest.length >= wanted.length;
  return failures;
}

/** Shows only what has this text. */
export function find(text) {
  byId("filter-text").value = text;
  byId("filter-kind").value = "all";
  chosen = undefined;
  shown = WINDOW;
  showTimeline();
}

export function startTimeline() {
  byId("filter").addEventListener("submit", (event) => event.preventDefault());
  byId("filter").addEventListener("input", () => {
    shown = WINDOW;
    showTimeline();
  });
  byId("filter-all").addEventListener("click", () => {
    find("");
    byId("filter-text").focus();
  });
  const older = byId("older");
  older.addEventListener("click", () => {
    shown += WINDOW;
    showTimeline();
  });
  // Whoever scrolls to the end wants more.
  new IntersectionObserver((seen) => {
    if (seen.some((it) => it.isIntersecting) && !older.hidden) older.click();
  }).observe(older);
}
