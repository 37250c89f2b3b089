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

test("the tests for vitest pass", async () => {
  writeFileSync(join(folder, "vitest.config.mts"), block("// vitest.config.mts"));
  writeFileSync(join(folder, "advance.test.ts"), block("// advance.test.ts"));
  const partner = block("// partner.test.ts");
  assert(partner.includes('"../src/partner.js"'));
  const yours = join(root, "examples/integration.ts");
  writeFileSync(join(folder, "partner.test.ts"), partner.replace("../src/partner.js", yours));
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

test("the page leads only to pages that a reader has", async () => {
  assert.deepEqual(
    [...readme.matchAll(/\]\(([^)#][^)]*)\)/g)].map(([, target]) => target),
    [],
  );
  const mock = await startMock();
  const pages = new Set([...readme.matchAll(/`(?:\/_sim\/guide\/#)?([a-z-]+\.md)`/g)].map(([, page]) => page!));
  assert(pages.size > 5);
  for (const page of pages) assert((await fetch(`${mock.url}/_sim/guide/${page}`)).ok, page);
  await mock.stop();
});

test("the page has each act of a fault, with what it needs", () => {
  const fields = readFileSync(join(root, "src/generated/faults.ts"), "utf8");
  const acts = [...fields.matchAll(/^ {2}(\w+): .*$/gm)];
  assert(acts.length > 10);
  const rows = readme.split("\n").filter((line) => line.startsWith("| `"));
  for (const [line, act] of acts) {
    const row = rows.find((row) => row.includes(`\`${act}\``)) ?? assert.fail(act);
    for (const field of ["when", "afterBytes", "afterRows", "milliseconds", "retryAfterSeconds", "seconds", "attempts"])
      assert.equal(new RegExp(`\`${field}\\??\``).test(row), line.includes(`"${field}"`), `${act} ${field}`);
  }
});

test("every test of the page is short", () => {
  for (const name of ["// advance.test.ts", "// advance.test.mjs"])
    assert(block(name).trimEnd().split("\n").length < 15);
});
