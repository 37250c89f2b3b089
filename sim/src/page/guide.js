// The guide, page by page. The address has the name of the page, and perhaps of a heading in it.

import { byId, el } from "./dom.js";
import { markdown } from "./markdown.js";

const FIRST = "introduction.md";

async function read(name) {
  const answer = await fetch(name, { cache: "no-store" });
  if (!answer.ok) throw new Error(`There is no page ${name} in this guide.`);
  return answer.text();
}

/** A link: to a page of the guide within it, to anything else as it is. */
const linkFrom = (page) => (text, target) => {
  const [path, heading] = target.split("#");
  if (/^[a-z]+:/.test(target)) return el("a", { href: target }, text);
  if (path !== "" && !path.endsWith(".md")) return el("span", {}, text);
  return el("a", { href: `#${path || page}${heading ? `/${heading}` : ""}` }, text);
};

async function show() {
  const [page, heading] = (location.hash.slice(1) || FIRST).split("/");
  // The link that skips to the text.
  if (page === "text") return;
  let parts;
  try {
    parts = markdown(await read(page), linkFrom(page));
  } catch (error) {
    parts = [el("h1", {}, "Guide"), el("p", {}, error.message)];
  }
  byId("text").replaceChildren(...parts);
  document.title = `${byId("text").querySelector("h1")?.textContent ?? page} · Tideover`;
  for (const it of byId("contents").querySelectorAll("a")) {
    if (it.hash === `#${page}`) it.setAttribute("aria-current", "page");
    else it.removeAttribute("aria-current");
  }
  byId("text").scrollTop = 0;
  if (heading) byId(heading)?.scrollIntoView();
}

const contents = markdown(await read("SUMMARY.md"), linkFrom("SUMMARY.md"));
byId("contents").replaceChildren(...contents.slice(1).map((it) => (it.tagName === "H1" ? el("p", { class: "part" }, it.textContent) : it)));
addEventListener("hashchange", show);
await show();
