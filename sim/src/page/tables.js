// Tables whose rows open.

import { el, keyed } from "./dom.js";

/**
 * A table in `place`. Each column has a title and builds a cell; the first cell opens the row. `details` builds what an
 * open row shows. Returns what shows items.
 */
export function table(place, { caption, columns, keyOf, label, details }) {
  const open = new Set();
  const heads = columns.map(({ title, kind }) => el("th", { scope: "col", class: kind }, title));
  const made = el("table", { class: "grid" }, el("caption", { class: "sr" }, caption), el("thead", {}, el("tr", {}, heads)));
  place.replaceChildren(made);

  const opened = (item) => el("tr", { class: "opened" }, el("td", { colspan: columns.length }, details(item)));

  const row = (item) => {
    const key = keyOf(item);
    const toggle = el("button", { type: "button", class: "opener", "data-part": "open", "aria-expanded": String(open.has(key)) }, label(item));
    const [first, ...rest] = columns;
    const main = el("tr", {}, el("th", { scope: "row", class: first.kind }, toggle, first.cell(item)),
      rest.map(({ cell, kind, title }) => el("td", { class: kind, "data-title": title }, cell(item))));
    const group = el("tbody", {}, main, open.has(key) && opened(item));
    const flip = () => {
      if (open.delete(key)) group.lastElementChild.remove();
      else {
        open.add(key);
        group.append(opened(item));
      }
      toggle.setAttribute("aria-expanded", String(open.has(key)));
    };
    toggle.addEventListener("click", flip);
    main.addEventListener("click", (event) => {
      if (!event.target.closest("button, a, input, select") && !getSelection().toString()) flip();
    });
    return group;
  };

  return (items) => {
    made.hidden = items.length === 0;
    keyed(made, items, keyOf, row);
  };
}
