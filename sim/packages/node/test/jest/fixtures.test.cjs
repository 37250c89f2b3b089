const { verify } = require("tideover");
const { inWorld } = require("tideover/jest");

test(
  "a test has a world of its own, and a receiver if it asks for one",
  inWorld(async (world) => {
    expect(await world.journal()).toEqual([]);
    const webhooks = await world.webhooks();
    await world.request("PUT", "/v1/organizations/acme", { legalName: "Acme Ltd" });
    const event = await webhooks.waitFor("partner.organization.added");
    expect(event.data.externalId).toBe("acme");
    const [{ headers, body }] = webhooks.deliveries;
    verify(webhooks.secret, headers, body);
  }),
);

test.each([
  ["funded", "FUNDED"],
  ["repaid", "REPAID"],
])("a world begins %s", (scenario, state) =>
  inWorld({ scenario }, async (world) => {
    const { advance } = await world.request("GET", "/v1/organizations/acme/invoices/INV-1");
    expect(advance.state).toBe(state);
  })(),
);
