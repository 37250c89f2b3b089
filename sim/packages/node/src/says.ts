/** Something in one line, with its parts. */
export function says(what: string, parts: object = {}): string {
  const given = Object.entries(parts).filter(([, value]) => value !== undefined);
  const say = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : value);
  return [what, ...given.map(([name, value]) => `${name}=${say(value)}`)].join(" ");
}
