// What the names of clauses mean: the mock's own words, from its own table.

import { fixed } from "./api.js";
import { el } from "./dom.js";

let known = new Map();

/** Loads the table. */
export async function loadClauses() {
  const { clauses } = await fixed("/_sim/clauses");
  known = new Map(clauses.map((it) => [it.name, it]));
}

/** One line about a clause; empty for one that is not known. */
export const wording = (name) => known.get(name)?.wording ?? "";

/** The clause that decided something: its name, what it says, and where that stands. */
export function explained(name) {
  const clause = known.get(name);
  if (!clause) return el("code", {}, name);
  const { wording, place, reason, profile } = clause;
  return el("span", { class: "clause" }, el("code", {}, name), " ", wording,
    el("span", { class: "quiet" }, reason === null ? ` (${place})` : ` Assumed, because ${place} does not say it: ${reason}${profile ? ` A profile changes ${profile}.` : ""}`));
}
