"use strict";
{
  const form = document.getElementById("filter");
  if (form) {
    const faultsOnly = document.getElementById("faults-only");
    const containing = document.getElementById("containing");
    const shown = document.getElementById("shown");
    const days = Array.from(document.querySelectorAll("details.day"), (day) => ({
      day,
      entries: Array.from(day.querySelectorAll("li"), (item) => ({
        item,
        lane: item.dataset.lane,
        isHit: item.classList.contains("hit"),
        text: item.textContent.toLowerCase(),
      })),
    }));
    const total = days.reduce((sum, { entries }) => sum + entries.length, 0);
    const few = 200;
    const apply = () => {
      const lanes = new Set(Array.from(form.querySelectorAll("[name=lane]:checked"), (box) => box.value));
      const wanted = containing.value.trim().toLowerCase();
      const fits = ({ lane, isHit, text }) =>
        lanes.has(lane) && (isHit || !faultsOnly.checked) && text.includes(wanted);
      let count = 0;
      for (const { day, entries } of days) {
        let fitting = 0;
        for (const entry of entries) {
          entry.item.hidden = !fits(entry);
          fitting += entry.item.hidden ? 0 : 1;
        }
        day.hidden = fitting === 0;
        count += fitting;
      }
      // A few results are shown at once; many stay folded.
      if (count < total && count <= few) {
        for (const { day } of days) day.open = true;
      }
      shown.textContent = `${count} of ${total} shown`;
    };
    const openNamed = () => {
      const named = days.find(({ day }) => `#${day.id}` === location.hash);
      if (named) named.day.open = true;
    };
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    window.addEventListener("hashchange", openNamed);
    form.hidden = false;
    apply();
    openNamed();
  }
}
