// Tests that fail, for what they print, and one that passes.
const assert = require("node:assert");
const { inWorld } = require("tideover/jest");

test(
  "an assertion fails",
  inWorld(async (world) => {
    await world.request("PUT", "/v1/organizations/acme", { legalName: "Acme Ltd" });
    expect((await world.request("GET", "/v1/organizations/acme")).name).toBe("Globex");
  }),
);

test(
  "an assertion of Node fails",
  inWorld(async (world) => {
    await world.request("PUT", "/v1/organizations/node", { legalName: "Acme Ltd" });
    assert.equal(1, 2);
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
