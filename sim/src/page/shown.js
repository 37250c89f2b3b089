// How values are shown.

const money = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const cents = (amount) => money.format(amount / 100);
export const instant = (time) => time.replace("T", " ").replace(/(\.\d+)?Z$/, "");
export const clockTime = (time) => instant(time).slice(11);

/** A word as `camelCase` or `UPPER_CASE`, in plain words. */
export const words = (name) => name.replace(/_/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();

/** A word for a shell. */
export const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** JSON with line breaks, anything else as it is. */
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
