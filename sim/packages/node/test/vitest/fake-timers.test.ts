import { startMock } from "tideover";
import { test, withWorld } from "tideover/vitest";
import { afterEach, beforeEach, describe, expect, vi } from "vitest";

beforeEach(() => void vi.useFakeTimers({ now: new Date("2020-01-01T00:00:00Z") }));
afterEach(() => void vi.useRealTimers());

describe("under fake timers", () => {
  withWorld({ scenario: "onboarded" })("a receiver verifies what comes", async ({ world, webhooks }) => {
    await world.request("POST", "/v1/advances", { payeeExternalId: "acme", invoiceExternalId: "INV-1" });
    await world.untilQuiet();
    await webhooks.waitFor("partner.loan.issued");
    await world.expectDelivery({ event: "partner.loan.issued" });
    expect(webhooks.deliveries.map(({ doubt }) => doubt).filter(Boolean)).toEqual([]);
    expect(Date.now()).toBe(Date.parse("2020-01-01T00:00:00Z"));
  });

  test("a wait ends with its own message", async ({ world, webhooks }) => {
    await expect(webhooks.waitFor("partner.loan.paid", 50)).rejects.toThrow("no partner.loan.paid within 50 ms");
    const expected = world.expectDelivery({ event: "partner.loan.paid", timeout: 50 });
    await expect(expected).rejects.toThrow("no receiver has accepted partner.loan.paid within 50 ms");
  });

  test("a receiver verifies what a mock signs with its own time", async () => {
    const mock = await startMock({ signWith: "virtual", start: "2020-01-01T00:00:00Z" });
    const world = await mock.world();
    const webhooks = await world.webhooks();
    await world.request("PUT", "/v1/organizations/acme", { legalName: "Acme Ltd" });
    await webhooks.waitFor("partner.organization.added");
    await mock.stop();
  });
});
