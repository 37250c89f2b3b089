// Tests that fail, for what they print, and one that passes.
import { test } from "tideover/vitest";
import { expect } from "vitest";

test("an assertion fails", async ({ world }) => {
  await world.request("PUT", "/v1/organizations/acme", { legalName: "Acme Ltd" });
  expect((await world.request("GET", "/v1/organizations/acme")).name).toBe("Globex");
});

test("a request is refused", async ({ world }) => {
  await world.request("POST", "/v1/advances", { payeeExternalId: "acme", invoiceExternalId: "INV-7" });
});

test("time is over", { timeout: 1000 }, async ({ world }) => {
  await world.request("PUT", "/v1/organizations/slow", { legalName: "Slow Ltd" });
  await new Promise(() => {});
});

test("a receiver is there", ({ webhooks }) => expect(webhooks.deliveries).toEqual([]));
