"use strict";
{
  const filter = document.getElementById("filter");
  if (filter) {
    const status = document.getElementById("filter-status");
    const text = document.getElementById("filter-text");
    const shown = document.getElementById("shown");
    const rows = Array.from(document.querySelectorAll("#clauses tbody tr"));
    const sections = Array.from(document.querySelectorAll("#clauses .section"));
    const apply = () => {
      const wanted = text.value.trim().toLowerCase();
      const all = status.value === "" && wanted === "";
      let count = 0;
      for (const row of rows) {
        const fits =
          (status.value === "" || row.dataset.status === status.value) &&
          row.textContent.toLowerCase().includes(wanted);
        row.hidden = !fits;
        count += fits ? 1 : 0;
      }
      for (const section of sections) {
        const details = section.querySelector("details");
        details.open = !all && details.querySelector("tbody tr:not([hidden])") !== null;
        section.hidden = section.querySelector("tbody tr:not([hidden])") === null;
      }
      shown.textContent = `${count} of ${rows.length} shown`;
    };
    filter.addEventListener("input", apply);
    filter.addEventListener("submit", (event) => event.preventDefault());
    filter.hidden = false;
    apply();
  }

  const copy = async (source) => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      return true;
    } catch {
      window.getSelection().selectAllChildren(source);
      return document.execCommand("copy");
    }
  };
  for (const source of document.querySelectorAll(".copied > pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      button.textContent = (await copy(source)) ? "Copied" : "Press Ctrl-C";
    });
    source.after(button);
  }

  // A link into something folded opens it.
  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let it = target; it; it = it.parentElement) {
      if (it.tagName === "DETAILS") it.open = true;
    }
    const own = target.querySelector(":scope > details");
    if (own) own.open = true;
    target.scrollIntoView();
  };
  window.addEventListener("hashchange", open);
  open();
}
