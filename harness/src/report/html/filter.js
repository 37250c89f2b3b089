"use strict";
{
  const filter = document.getElementById("filter");
  const status = document.getElementById("filter-status");
  const text = document.getElementById("filter-text");
  const shown = document.getElementById("shown");
  const rows = Array.from(document.querySelectorAll("#clauses tbody tr"));
  const apply = () => {
    const wanted = text.value.trim().toLowerCase();
    let count = 0;
    for (const row of rows) {
      const fits =
        (status.value === "" || row.dataset.status === status.value) &&
        row.textContent.toLowerCase().includes(wanted);
      row.hidden = !fits;
      count += fits ? 1 : 0;
    }
    shown.textContent = `${count} of ${rows.length} shown`;
  };
  filter.addEventListener("input", apply);
  filter.addEventListener("submit", (event) => event.preventDefault());
  filter.hidden = false;
  apply();
}
