const { inWorld } = require("tideover/jest");

beforeEach(() => jest.useFakeTimers({ now: new Date("2020-01-01T00:00:00Z") }));
afterEach(() => jest.useRealTimers());

test(
  "a receiver verifies what comes under fake timers",
  inWorld({ scenario: "onboarded" }, async (world) => {
    const webhooks = await world.webhooks();
    await world.request("POST", "/v1/advances", { payeeExternalId: "acme", invoiceExternalId: "INV-1" });
    await world.untilQuiet();
    await webhooks.waitFor("partner.loan.issued");
    await world.expectDelivery({ event: "partner.loan.issued" });
    expect(webhooks.deliveries.map(({ doubt }) => doubt).filter(Boolean)).toEqual([]);
  }),
);

test(
  "a wait ends with its own message under fake timers",
  inWorld(async (world) => {
    const webhooks = await world.webhooks();
    await expect(webhooks.waitFor("partner.loan.paid", 50)).rejects.toThrow("no partner.loan.paid within 50 ms");
    const expected = world.expectDelivery({ event: "partner.loan.paid", timeout: 50 });
    await expect(expected).rejects.toThrow("no receiver has accepted partner.loan.paid within 50 ms");
  }),
);
