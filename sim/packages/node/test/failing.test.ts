import assert from "node:assert/strict";
import test from "node:test";

import { startMock } from "tideover";

import { root, run } from "./support.js";

const { NODE_TEST_CONTEXT: _, ...env } = process.env;
const runs = {
  node: ["--test", "test/failing/node.mjs"],
  vitest: ["node_modules/vitest/vitest.mjs", "run", "--root", "test/failing"],
  jest: ["node_modules/jest/bin/jest.js", "--config", "test/failing/jest.config.cjs"],
};

/** The lines of the report of tests some of which fail. */
async function report(parameters: string[], variables: NodeJS.ProcessEnv): Promise<string[]> {
  const options = { cwd: root, env: { ...env, NO_COLOR: "1", TIDEOVER_KEEP_FAILED: "1", ...variables } };
  const { code, output } = await run(process.execPath, parameters, options);
  assert.equal(code, 1, output);
  return output.split("\n").map((line) => line.trim());
}

for (const [runner, parameters] of Object.entries(runs)) {
  test(`the world of a test that fails can stay: ${runner}`, async () => {
    const mock = await startMock();
    const lines = await report(parameters, { TIDEOVER_URL: `${mock.url}/` });
    const { worlds } = (await (await fetch(`${mock.url}/_sim/worlds`)).json()) as { worlds: { id: string }[] };
    await mock.stop();
    const stays = `The world stays: ${mock.url}/_sim/?world=`;
    // Some runners show an error twice.
    const named = new Set(lines.filter((line) => line.startsWith(stays)));
    assert.deepEqual([...named].sort(), worlds.slice(1).map(({ id }) => stays + id).sort());
    assert.equal(named.size, runner === "node" ? 2 : 3);
  });

  test(`a test that fails tells what happened: ${runner}`, async () => {
    const lines = await report(parameters, {});
    assert(!lines.some((line) => line.startsWith("The world stays")));
    const has = (line: string) => assert(lines.includes(line), `no line\n${line}\nin\n${lines.join("\n")}`);
    has("2026-01-01T00:00:00Z  PUT /v1/organizations/acme  200 [4.businessSync.intro.1]");
    has("Last refusal:");
    has("2026-01-01T00:00:00Z  POST /v1/advances  404 business_not_found [4.advances.5]");
    has("No business was synced under this identifier.");
    if (runner === "vitest") has("2026-01-01T00:00:00Z  PUT /v1/organizations/slow  200 [4.businessSync.intro.1]");
    if (runner === "jest") has("2026-01-01T00:00:00Z  PUT /v1/organizations/node  200 [4.businessSync.intro.1]");
  });
}
