// How values are shown.

const money = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const ZONE = "tideover-zone";

/** The time zone of this browser. */
export const LOCAL = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time zone in which times are shown. */
export let zone = localStorage.getItem(ZONE) === LOCAL ? LOCAL : "UTC";
export function showIn(value) {
  zone = value;
  localStorage.setItem(ZONE, value);
}

const formats = new Map();
function format(name) {
  const parts = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
  if (!formats.has(name)) formats.set(name, new Intl.DateTimeFormat("sv-SE", { ...parts, timeZone: name }));
  return formats.get(name);
}

/** Amounts of the API are cents. The mock shows them as US dollars: accounts have ABA routing numbers. */
export const cents = (amount) => money.format(amount / 100);
/** The same without a currency, for an input. */
export const decimal = (amount) => (amount / 100).toFixed(2);
/** Cents in a text such as `1,000.50`; NaN if it is none. */
export const amount = (text) => Math.round(Number(text.replace(/[,$\s]/g, "")) * 100);

export const instant = (time) => zone === "UTC" ? time.replace("T", " ").replace(/(\.\d+)?Z$/, "") : format(zone).format(new Date(time));
export const clockTime = (time) => instant(time).slice(11);
export const day = (time) => instant(time).slice(0, 10);
/** A day with its name, such as `Thu 2026-01-01`. */
export const namedDay = (date) => `${["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][new Date(`${date}T00:00:00Z`).getUTCDay()]} ${date}`;

/** The time from one instant to another, in words. */
export function span(from, until) {
  const seconds = Math.round((Date.parse(until) - Date.parse(from)) / 1000);
  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  let rest = seconds;
  const parts = units.map(([name, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count && `${count} ${name}`;
  }).filter(Boolean);
  return parts.slice(0, 2).join(" ") || "0 s";
}

export const counted = (number, one, many = `${one}s`) => `${number.toLocaleString("en-US")} ${number === 1 ? one : many}`;

/** A word as `camelCase` or `UPPER_CASE`, in plain words. */
export const words = (name) => name.replace(/_/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();

export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A word for a shell. */
export const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** JSON with line breaks; undefined for anything else. */
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
}
