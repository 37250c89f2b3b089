// A form in a dialog: what is to be made, and what the mock says to it.

import { button, byId, el } from "./dom.js";

let counter = 0;

/** A field with its label. A field without a value is left out of what is sent. */
function field({ name, label, kind = "text", value = "", options, required = false, hint, list }) {
  counter += 1;
  const id = `field-${counter}`;
  const common = { id, name, required, "aria-describedby": hint && `${id}-hint` };
  const option = (it) => (it.options
    ? el("optgroup", { label: it.group }, it.options.map(option))
    : el("option", { value: it.value ?? it, selected: (it.value ?? it) === value }, it.text ?? it));
  const input = options
    ? el("select", common, options.map(option))
    : el("input", { ...common, type: kind, value: kind === "checkbox" ? null : value, checked: kind === "checkbox" && value === true, autocomplete: "off", spellcheck: "false", list: list && `${id}-list`, inputmode: kind === "number" ? "numeric" : null });
  return el("div", { class: `field of-${kind}` }, el("label", { for: id }, label), input,
    list && el("datalist", { id: `${id}-list` }, list.map((value) => el("option", { value }))),
    hint && el("p", { id: `${id}-hint`, class: "quiet" }, hint));
}

/** The values of a form: texts without those that are empty, boxes as true or false. */
function values(form) {
  const all = {};
  for (const it of form.elements) {
    if (!it.name) continue;
    if (it.type === "checkbox") all[it.name] = it.checked;
    else if (it.value.trim() !== "") all[it.name] = it.value.trim();
  }
  return all;
}

/**
 * Asks for fields, and does something with their values until that succeeds. `fields` is a list, or makes one from the
 * values so far. `send` throws what the mock answers.
 */
export function fill({ title, about, fields, submit, send }) {
  const dialog = byId("form");
  const problem = el("p", { class: "problem-text", role: "alert" });
  const place = el("div", { class: "fields" });
  const listed = (chosen) => (typeof fields === "function" ? fields(chosen) : fields);
  const form = el("form", { novalidate: false }, el("h2", { id: "form-title" }, title), about && el("p", { class: "quiet" }, about), place, problem,
    el("div", { class: "buttons end" }, button("Cancel", () => dialog.close()), el("button", { type: "submit", class: "main" }, submit)));
  const draw = (chosen) => {
    const focus = document.activeElement?.name;
    place.replaceChildren(...listed(chosen).map((it) => field({ ...it, value: chosen[it.name] ?? it.value })));
    if (focus) form.elements[focus]?.focus();
  };
  draw({});
  // A choice may ask for other fields.
  if (typeof fields === "function") place.addEventListener("change", (event) => event.target.matches("select") && draw(values(form)));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.textContent = "";
    try {
      await send(values(form));
      // Another form may be open by now.
      if (form.isConnected) dialog.close();
    } catch (error) {
      problem.textContent = error.message;
    }
  });
  dialog.replaceChildren(form);
  dialog.showModal();
  form.querySelector(".field input, .field select")?.focus();
}
