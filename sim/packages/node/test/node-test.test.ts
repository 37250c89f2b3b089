import assert from "node:assert/strict";
import test from "node:test";

import { inWorld, withMock } from "tideover/node-test";

test(
  "a test has a world of its own",
  inWorld(async (world) => {
    assert.deepEqual(await world.journal(), []);
  }),
);

test(
  "a world can begin in the middle of the story",
  inWorld({ scenario: "funded" }, async (world) => {
    const { advance } = await world.request("GET", "/v1/organizations/acme/invoices/INV-1");
    assert.equal(advance?.state, "FUNDED");
  }),
);

test(
  "the body gets what the runner gives",
  inWorld(async (_, context: test.TestContext) => {
    assert.equal(context.name, "the body gets what the runner gives");
  }),
);

const later = withMock({ start: "2030-01-01T00:00:00Z" });

test(
  "a mock can have options",
  later(async (world) => {
    assert.equal(await world.now(), "2030-01-01T00:00:00Z");
  }),
);

test("200 worlds of one mock disturb nobody", { concurrency: 20 }, async (parallel) => {
  const minted: string[] = [];
  const worlds = Array.from({ length: 200 }, (_, number) =>
    parallel.test(
      `world ${number}`,
      inWorld(async (world) => {
        await world.request("PUT", "/v1/organizations/acme", { legalName: "Acme Ltd" });
        const invitation = { externalId: "acme", email: "ada@acme.example" };
        const { inviteId } = await world.request("POST", "/v1/invitations", invitation);
        const hook = await world.request("POST", "/v1/webhooks", { url: "http://127.0.0.1:9/" });
        minted.push(world.id, world.key, inviteId, hook.reference, hook.secret);
      }),
    ),
  );
  await Promise.all(worlds);
  assert.equal(new Set(minted).size, 200 * 5);
});
