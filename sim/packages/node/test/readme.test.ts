import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";

import { startMock } from "tideover";

import { root, run } from "./support.js";

const readme = readFileSync(join(root, "README.md"), "utf8");
const blocks = [...readme.matchAll(/```(?:ts|js|text)\n(.*?)```/gs)].map(([, block]) => block!);
const block = (text: string) => blocks.find((block) => block.includes(text))!;

// Within the package, which finds itself by its name.
const folder = mkdtempSync(join(root, "test/dist/readme-"));
after(() => rmSync(folder, { recursive: true }));

const { NODE_TEST_CONTEXT: _, ...env } = process.env;

async function passes(parameters: string[]) {
  const { code, output } = await run(process.execPath, parameters, { cwd: root, env });
  assert.equal(code, 0, output);
}

test("the test for vitest passes", async () => {
  writeFileSync(join(folder, "vitest.config.ts"), block("// vitest.config.ts"));
  writeFileSync(join(folder, "advance.test.ts"), block("// advance.test.ts"));
  await passes(["node_modules/vitest/vitest.mjs", "run", "--root", folder]);
});

test("the test for node:test passes", async () => {
  const file = join(folder, "advance.test.mjs");
  writeFileSync(file, block("// advance.test.mjs"));
  await passes(["--test", file]);
});

test("a failed test tells what the page shows", async () => {
  const mock = await startMock();
  const world = await mock.world({ scenario: "onboarded" });
  await world.webhooks(["partner.loan.created"]);
  const request = (invoiceExternalId: string) =>
    world.request("POST", "/v1/advances", { payeeExternalId: "acme", invoiceExternalId });
  await assert.rejects(request("INV-2"));
  await request("INV-1");
  await world.waitForDeliveries();
  await world.advance({ seconds: 20 });
  const [, ...report] = block("Tideover, world w1:").split("\n\n");
  assert.equal(await world.report(), report.join("\n\n").trimEnd());
  await mock.stop();
});

test("every test of the page is short", () => {
  for (const name of ["// advance.test.ts", "// advance.test.mjs"])
    assert(block(name).trimEnd().split("\n").length < 15);
});
