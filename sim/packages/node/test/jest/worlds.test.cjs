const { inWorld } = require("tideover/jest");

const minted = [];

test.concurrent.each(Array.from({ length: 200 }, (_, number) => number))(
  "world %i",
  inWorld(async (world) => {
    await world.request("PUT", "/v1/organizations/acme", { legalName: "Acme Ltd" });
    const { inviteId } = await world.request("POST", "/v1/invitations", { externalId: "acme", email: "ada@acme.example" });
    const { reference, secret } = await world.request("POST", "/v1/webhooks", { url: "http://127.0.0.1:9/" });
    minted.push(world.id, world.key, inviteId, reference, secret);
  }),
);

// No identifier of a world is one of another's.
test("each test had its own", () => expect(new Set(minted).size).toBe(200 * 5));
