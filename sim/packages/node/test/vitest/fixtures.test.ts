import { it, test, withWorld } from "tideover/vitest";
import { expect, inject } from "vitest";

test("a test has a world of its own", async ({ world }) => {
  expect(world.url).toBe(inject("tideoverUrl"));
  expect(await world.journal()).toEqual([]);
});

it("is a test by its other name", async ({ world }) => {
  expect(await world.journal()).toEqual([]);
});

test("its receiver verifies what the world sends", async ({ world, webhooks }) => {
  await world.request("PUT", "/v1/organizations/acme", { legalName: "Acme Ltd" });
  const event = await webhooks.waitFor("partner.organization.added");
  expect(event.data.externalId).toBe("acme");
});

withWorld({ scenario: "funded" })("a world can begin in the middle of the story", async ({ world }) => {
  const { advance } = await world.request("GET", "/v1/organizations/acme/invoices/INV-1");
  expect(advance?.state).toBe("FUNDED");
});
