// Shows the Markdown of the guide: headings, paragraphs, lists, tables, code, and what stands in a line.

import { el } from "./dom.js";

const IN_LINE = /(`+)(.+?)\1|\*\*(.+?)\*\*|(?<![\w*])\*(.+?)\*(?!\w)|(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)]+)\)/;

/** The nodes of a line. `link` makes an element of the text and the target of a link. */
function inLine(text, link) {
  const nodes = [];
  let rest = text;
  for (let found = IN_LINE.exec(rest); found; found = IN_LINE.exec(rest)) {
    const [whole, , code, strong, em, isPicture, label, target] = found;
    nodes.push(rest.slice(0, found.index));
    if (code !== undefined) nodes.push(el("code", {}, code));
    else if (strong !== undefined) nodes.push(el("b", {}, inLine(strong, link)));
    else if (em !== undefined) nodes.push(el("em", {}, inLine(em, link)));
    else if (isPicture) nodes.push(el("em", {}, label));
    else nodes.push(link(inLine(label, link), target));
    rest = rest.slice(found.index + whole.length);
  }
  return [...nodes, rest];
}

/** The name of a heading in an address. */
const anchor = (text) => text.toLowerCase().replace(/[^\w\s-]/g, "").trim().replace(/\s+/g, "-");

const cells = (line) => line.replace(/^\s*\||\|\s*$/g, "").split(/(?<!\\)\|/).map((it) => it.trim().replaceAll("\\|", "|"));

function table([head, , ...rows], link) {
  const row = (line, tag) => el("tr", {}, cells(line).map((it) => el(tag, tag === "th" ? { scope: "col" } : {}, inLine(it, link))));
  return el("table", {}, el("thead", {}, row(head, "th")), el("tbody", {}, rows.map((it) => row(it, "td"))));
}

const ITEM = /^\s*(?:[-*]|\d+\.)\s+/;

function list(lines, link) {
  const items = [];
  for (const line of lines) {
    if (ITEM.test(line)) items.push(line.replace(ITEM, ""));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return el(/^\s*\d/.test(lines[0]) ? "ol" : "ul", {}, items.map((it) => el("li", {}, inLine(it, link))));
}

/** The elements of a text. */
export function markdown(text, link) {
  const lines = text.split("\n");
  const made = [];
  let at = 0;
  const take = (isPart) => {
    const from = at;
    do at += 1; while (at < lines.length && isPart(lines[at]));
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at];
    const heading = /^(#{1,4}) (.*)/.exec(line);
    if (line.trim() === "") at += 1;
    else if (heading) {
      made.push(el(`h${heading[1].length}`, { id: anchor(heading[2]) }, inLine(heading[2], link)));
      at += 1;
    } else if (line.startsWith("```")) {
      const [, ...code] = take((it) => !it.startsWith("```"));
      at += 1;
      made.push(el("pre", { tabindex: "0", role: "region", "aria-label": "Example" }, el("code", {}, code.join("\n"))));
    } else if (line.startsWith("|")) made.push(table(take((it) => it.startsWith("|")), link));
    else if (ITEM.test(line)) made.push(list(take((it) => it.trim() !== "" && (ITEM.test(it) || it.startsWith(" "))), link));
    else made.push(el("p", {}, inLine(take((it) => it.trim() !== "" && !/^(#|```|\|)/.test(it) && !ITEM.test(it)).join(" "), link)));
  }
  return made;
}
