const found = [];
const shown = (it) => it.checkVisibility();
const about = (it) => `${it.tagName.toLowerCase()} ${it.id || it.className || it.textContent.slice(0, 30)}`;

if (!document.documentElement.lang) found.push("no lang");
if (document.querySelectorAll("main").length !== 1) found.push("not one main");
for (const it of document.querySelectorAll("img")) if (!it.hasAttribute("alt")) found.push("img without alt");
for (const it of document.querySelectorAll("[tabindex]")) if (it.tabIndex > 0) found.push(`tabindex: ${about(it)}`);

for (const it of document.querySelectorAll("button, input, select, textarea, a[href], summary")) {
  const labels = Array.from(it.labels ?? [], (label) => label.textContent).join("");
  const content = /^(BUTTON|A|SUMMARY)$/.test(it.tagName) ? it.textContent : "";
  if (!(it.getAttribute("aria-label") ?? (labels || content)).trim()) found.push(`no name: ${about(it)}`);
}

// Whoever speaks to the browser says what is seen.
for (const it of document.querySelectorAll("button[aria-label], a[aria-label], summary[aria-label]")) {
  const [name, seen] = [it.getAttribute("aria-label"), it.textContent].map((text) => text.trim().toLowerCase());
  if (!name.includes(seen)) found.push(`named otherwise: ${about(it)}`);
}

let level = 0;
for (const it of Array.from(document.querySelectorAll("h1, h2, h3, h4, h5, h6")).filter(shown)) {
  const next = Number(it.tagName[1]);
  if (next > level + 1) found.push(`skips to ${it.tagName}: ${about(it)}`);
  level = next;
}

const parts = (color) => color.match(/[\d.]+/g).map(Number);
const luminance = (color) => {
  const [red, green, blue] = color.slice(0, 3).map((it) => it / 255).map((it) => it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const ground = (it) => {
  for (let at = it; at; at = at.parentElement) {
    const color = parts(getComputedStyle(at).backgroundColor);
    if (color.length < 4 || color[3] === 1) return color;
  }
  return [255, 255, 255];
};
const faint = new Set();
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const it = texts.currentNode.parentElement;
  if (!texts.currentNode.textContent.trim() || !shown(it) || it.matches(".sr, script, option")) continue;
  const [text, back] = [luminance(parts(getComputedStyle(it).color)), luminance(ground(it))];
  const contrast = (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
  if (contrast < 4.5) faint.add(`contrast ${contrast.toFixed(2)}: ${about(it)}`);
}
return found.concat(...faint);
