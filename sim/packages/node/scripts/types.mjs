// Writes src/generated from the two OpenAPI documents of a running mock. `--check` writes nothing, and fails if the
// files are stale. The mock is that of `TIDEOVER`, the platform package or the PATH.

import { readFileSync, writeFileSync } from "node:fs";

import openapiTS, { astToString } from "openapi-typescript";

import { startMock } from "../dist/esm/index.js";

const HEADER = "// Made by scripts/types.mjs from the mock's OpenAPI documents: `npm run types` makes it anew.\n\n";

async function generated() {
  const mock = await startMock();
  const read = async (path) => (await fetch(mock.url + path)).json();
  const paths = ["/_sim/openapi.json", "/_sim/operator.json", "/_sim/actions"];
  const [api, operator, { actions, described }] = await Promise.all(paths.map(read)).finally(() => mock.stop());
  const { enum: events, "x-unlisted": unlisted } = operator.components.schemas.EventType;
  return {
    "api.ts": astToString(await openapiTS(api)),
    "operator.ts": astToString(await openapiTS(operator)),
    // The types are gone when the program runs: names that it needs are values.
    "events.ts": listed("EVENT_TYPES", events) + "\n" + listed("UNLISTED_EVENT_TYPES", unlisted),
    "actions.ts": `export const ACTIONS = ${JSON.stringify(actions, null, 2)} as const;\n\n${documented(described)}`,
    "faults.ts": faultFields(operator.components.schemas.FaultRule["x-fields"]),
  };
}

const listed = (name, values) => `export const ${name} = ${JSON.stringify(values, null, 2)} as const;\n`;

/** A type whose properties have the docs of the actions: editors show them at the methods. */
function documented(described) {
  const property = ({ action, does, fields }) => {
    const text = [does, ...fields.map(({ name, meaning }) => `- \`${shorter(name)}\`: ${meaning}`)];
    return `  /**\n${text.map((line) => `   * ${line.replaceAll("\n", " ")}\n`).join("")}   */\n  ${action}: "${action}";\n`;
  };
  return `export interface Documented {\n${described.map(property).join("")}}\n`;
}

const shorter = (name) => name.replace(/(payee|invoice)ExternalId/, "$1");

/** Which fields the rules of each act have. */
function faultFields(fields) {
  const property = ([act, names]) => `  ${act}: ${names.map((name) => `"${name}"`).join(" | ")};\n`;
  return `export interface FaultFields {\n${Object.entries(fields).map(property).join("")}}\n`;
}

const isStale = ([name, text]) => {
  const file = new URL(`../src/generated/${name}`, import.meta.url);
  const made = HEADER + text;
  if (process.argv.includes("--check")) return readFileSync(file, "utf8") !== made;
  writeFileSync(file, made);
  return false;
};

const stale = Object.entries(await generated())
  .filter(isStale)
  .map(([name]) => name);
if (stale.length > 0) {
  console.error(`stale: ${stale.join(", ")}. "npm run types" makes them anew.`);
  process.exitCode = 1;
}
