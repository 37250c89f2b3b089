import assert from "node:assert/strict";
import test from "node:test";

import { root, run } from "./support.js";

const { NODE_TEST_CONTEXT: _, ...env } = process.env;
const node = (...parameters: string[]) =>
  run(process.execPath, parameters, { cwd: root, env: { ...env, NO_COLOR: "1" } });
const runs = {
  node: () => node("--test", "test/failing/node.mjs"),
  vitest: () => node("node_modules/vitest/vitest.mjs", "run", "--root", "test/failing"),
  jest: () => node("node_modules/jest/bin/jest.js", "--config", "test/failing/jest.config.cjs"),
};

for (const [runner, start] of Object.entries(runs)) {
  test(`a test that fails tells what happened: ${runner}`, async () => {
    const { code, output } = await start();
    assert.equal(code, 1, output);
    const lines = output.split("\n").map((line) => line.trim());
    const has = (line: string) => assert(lines.includes(line), `no line\n${line}\nin\n${output}`);
    has("2026-01-01T00:00:00Z  PUT /v1/organizations/acme  200 [4.businessSync.intro.1]");
    has("Last refusal:");
    has("2026-01-01T00:00:00Z  POST /v1/advances  404 business_not_found [4.advances.5]");
    has("No business was synced under this identifier.");
    if (runner === "vitest") has("2026-01-01T00:00:00Z  PUT /v1/organizations/slow  200 [4.businessSync.intro.1]");
    if (runner === "jest") has("2026-01-01T00:00:00Z  PUT /v1/organizations/node  200 [4.businessSync.intro.1]");
  });
}
