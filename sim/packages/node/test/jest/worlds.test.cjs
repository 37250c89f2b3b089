const { inWorld } = require("tideover/jest");

const ids = new Set();

test.concurrent.each(Array.from({ length: 20 }, (_, number) => number))(
  "world %i",
  inWorld(async (world, number) => {
    await world.request("PUT", `/v1/organizations/vendor-${number}`, { legalName: "Acme Ltd" });
    ids.add(world.id);
  }),
);

test("each test had its own", () => expect(ids.size).toBe(20));
