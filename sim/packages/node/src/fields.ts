/** Refuses a misspelt field at once: it would be ignored, or end as a timeout. `call` is how the call looks. */
export function checkFields(call: string, given: unknown, known: readonly string[]): void {
  const names = known.join(", ");
  if (typeof given !== "object" || given === null) {
    throw new TypeError(`${call}: it takes an object with the fields ${names}, not ${String(given)}`);
  }
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new TypeError(`${call}: there is no field ${unknown.join(", ")}; it has ${names}`);
}
