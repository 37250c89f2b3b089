// Tests that fail, for what they print, and one that passes.
import assert from "node:assert/strict";
import test from "node:test";

import { inWorld } from "tideover/node-test";

test(
  "an assertion fails",
  inWorld(async (world) => {
    await world.request("PUT", "/v1/organizations/acme", { legalName: "Acme Ltd" });
    assert.equal((await world.request("GET", "/v1/organizations/acme")).name, "Globex");
  }),
);

test(
  "a request is refused",
  inWorld(async (world) => {
    await world.request("POST", "/v1/advances", { payeeExternalId: "acme", invoiceExternalId: "INV-7" });
  }),
);

test(
  "a receiver is there",
  inWorld(async (world) => {
    await world.webhooks();
  }),
);
