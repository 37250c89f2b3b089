// Builds elements. Text is only ever inserted as text.

export const byId = (id) => document.getElementById(id);

/** An element with attributes and children; texts among them become text nodes. */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter((it) => it != null && it !== false));
  return made;
}

/** Text of a user beside other text: neither changes the direction of the other. */
export const named = (text) => el("bdi", {}, text);

export function button(text, act, attributes = {}) {
  return el("button", { type: "button", onclick: act, ...attributes }, text);
}

/** A button whose accessible name says to what it belongs. The name begins with the text that is seen. */
export const buttonFor = (subject, text, act, attributes = {}) =>
  button(text, act, { "aria-label": `${text} (${subject})`, ...attributes });

/** A state as a word in a frame. */
export const pill = (text, kind) => el("span", { class: `pill ${kind}` }, text);

/** Puts a text into the clipboard, or says that the browser does not allow it. */
export async function copy(text, say) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    say("The browser does not allow the clipboard: select the text instead.", true);
  }
}

/**
 * Asks in the page whether to do something that cannot be undone. Each question has a dialog of its own: the event that
 * a dialog is closed comes later, and would answer the next question of the same dialog.
 */
export async function confirmed(text, yes) {
  const dialog = el("dialog", { id: "confirm", "aria-label": text },
    el("p", {}, text),
    el("form", { method: "dialog", class: "buttons end" },
      el("button", { value: "no" }, "Cancel"), el("button", { value: "yes", class: "main" }, yes)));
  document.body.append(dialog);
  dialog.showModal();
  await new Promise((done) => dialog.addEventListener("close", done, { once: true }));
  dialog.remove();
  return dialog.returnValue === "yes";
}

/** A description list of pairs of a term and what it is. */
export function facts(pairs) {
  const shown = pairs.filter(([, value]) => value != null && value !== "" && value !== false);
  return el("dl", { class: "facts" }, shown.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

/** A bar that says in words what it shows. */
export function bar(name, part, whole, text, kind = "") {
  const filled = el("span", { class: `filled ${kind}` });
  filled.style.width = `${whole > 0 ? Math.min(100, (100 * part) / whole) : 0}%`;
  return el("div", { class: "measure" }, name && el("span", { class: "label" }, name), el("span", { class: "amount" }, text),
    el("div", { class: "bar", "aria-hidden": "true" }, filled));
}

let epoch = 0;

/** What is built from now on replaces what was built before: values are shown in another way. */
export const rebuild = () => { epoch += 1; };

/** Shows items, each built once and again only when it changes. Keeps focus, opened parts and typed values. */
export function keyed(container, items, keyOf, build) {
  // Others, such as the head of a table, stay.
  const present = () => Array.from(container.children).filter((it) => it.dataset.key !== undefined);
  const old = new Map(present().map((it) => [it.dataset.key, it]));
  const wanted = items.map((item) => {
    const key = keyOf(item);
    const before = old.get(key);
    const isSame = before?.item === item && before.epoch === epoch;
    const state = isSame ? before.state : `${epoch} ${JSON.stringify(item)}`;
    if (isSame || before?.state === state) return before;
    const made = build(item);
    made.dataset.key = key;
    Object.assign(made, { item, state, epoch });
    if (before) carry(before, made);
    return made;
  });
  const kept = new Set(wanted);
  for (const it of present()) if (!kept.has(it)) swap(it, wanted);
  let place = present()[0] ?? null;
  for (const it of wanted) {
    if (it === place) place = place.nextElementSibling;
    else container.insertBefore(it, place);
  }
}

/** Removes an element; the one that follows it in its place takes the focus. */
function swap(it, wanted) {
  const part = it.contains(document.activeElement) ? document.activeElement.dataset.part : undefined;
  const next = wanted.find((made) => made.dataset.key === it.dataset.key);
  if (!next || next.isConnected) return it.remove();
  it.replaceWith(next);
  if (part === undefined) return;
  const same = next.querySelector(`[data-part="${CSS.escape(part)}"]`);
  const target = same ?? next.querySelector("button, input, summary") ?? next;
  if (target === next) next.tabIndex = -1;
  target.focus();
}

function carry(before, made) {
  for (const input of before.querySelectorAll("input[data-part], select[data-part]")) {
    const same = made.querySelector(`[data-part="${CSS.escape(input.dataset.part)}"]`);
    if (!same || input.value === input.defaultValue) continue;
    const untouched = same.value;
    same.value = input.value;
    // An option that is no more.
    if (same.value !== input.value) same.value = untouched;
  }
  const openers = made.matches("details") ? [made] : [];
  for (const details of [...openers, ...made.querySelectorAll("details[data-part]")]) {
    const part = details.dataset.part;
    const same = details === made ? before : before.querySelector(`[data-part="${CSS.escape(part)}"]`);
    if (same?.open) details.open = true;
  }
}
