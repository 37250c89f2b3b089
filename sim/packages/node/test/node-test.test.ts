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
