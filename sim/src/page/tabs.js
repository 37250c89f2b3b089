// The parts of the page, of which one is shown. The address has its name. On a wide screen the timeline stands beside
// them.

import { byId, el } from "./dom.js";

/** A part: the identifier of its section, and the text of its link. Another one is a row here and a section in the page. */
const TABS = [
  ["start", "Start"],
  ["timeline", "Timeline"],
  ["invoices", "Invoices"],
  ["businesses", "Businesses"],
  ["subscriptions", "Subscriptions"],
  ["faults", "Faults"],
  ["conduct", "Conduct"],
  ["money", "Money"],
  ["worlds", "Worlds"],
];

/** The parts that a search for names concerns. */
const SEARCHED = ["invoices", "businesses"];

const wide = matchMedia("(min-width: 60rem)");

/** What is shown if the address does not say it. */
let usual = "start";

export const current = () => {
  const name = location.hash.slice(1);
  const isKnown = TABS.some(([id]) => id === name) && !(name === "timeline" && wide.matches);
  return isKnown ? name : usual;
};

function showTab() {
  const name = current();
  for (const [id] of TABS) {
    const isShown = id === name || (id === "timeline" && wide.matches);
    byId(id).hidden = !isShown;
    const link = byId(`tab-${id}`);
    if (id === name) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    if (id !== name) link.removeAttribute("aria-current");
  }
  // One search for both lists.
  if (SEARCHED.includes(name)) byId(name).querySelector("h2").after(byId("find"));
  byId("tab-timeline").hidden = wide.matches;
  document.body.dataset.tab = name;
}

/** Says beside a link how much its part has, and whether that is bad. */
export function count(id, number, isBad = false) {
  const place = byId(`tab-${id}`).querySelector(".count");
  place.textContent = number > 0 ? number.toLocaleString("en-US") : "";
  place.classList.toggle("bad", isBad);
}

/** Changes what is shown where the address does not say it. */
export function usually(name) {
  if (usual === name) return;
  usual = name;
  showTab();
}

export function startTabs() {
  byId("tabs").replaceChildren(...TABS.map(([id, text]) => el("a", { href: `#${id}`, id: `tab-${id}` }, text, " ", el("span", { class: "count" }))));
  addEventListener("hashchange", () => {
    showTab();
    byId(current()).scrollTop = 0;
  });
  wide.addEventListener("change", showTab);
  showTab();
}
