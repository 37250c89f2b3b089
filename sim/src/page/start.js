// How to begin: the address and the key to copy, a first request, a story to look at.

import { say } from "./api.js";
import { buttonFor, byId, copy, el } from "./dom.js";
import { play } from "./story.js";

const curl = (key) => `curl -X PUT ${location.origin}/v1/organizations/acme \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"legalName":"Acme Ltd"}'`;

const line = (title, text, kind = "code") => el("div", { class: "connect" }, el("dt", {}, title),
  el("dd", {}, el(kind, kind === "pre" ? { tabindex: "0", role: "region", "aria-label": title } : {}, text), buttonFor(title, "Copy", () => copy(text, say), { class: "small" })));

let shown;

/** Shows how to reach the world. */
export function showStart({ key, businesses, invoices, nextRequest }) {
  const isEmpty = businesses.length === 0 && invoices.length === 0 && nextRequest === 0;
  byId("start").classList.toggle("is-empty", isEmpty);
  if (shown !== key) {
    shown = key;
    byId("connect").replaceChildren(line("Base URL", location.origin), line("API key", key), line("First request", curl(key), "pre"));
  }
  return isEmpty;
}

export function startStart() {
  byId("play").addEventListener("click", async () => {
    byId("play").disabled = true;
    location.hash = "invoices";
    await play();
    byId("play").disabled = false;
  });
}

