import { test } from "tideover/vitest";
import { afterAll, describe } from "vitest";

const minted: string[] = [];

describe.concurrent("200 worlds of one mock", () => {
  test.for(Array.from({ length: 200 }, (_, number) => number))("world %i", async (_, { world, webhooks, expect }) => {
    await world.request("PUT", "/v1/organizations/acme", { legalName: "Acme Ltd" });
    const { inviteId } = await world.request("POST", "/v1/invitations", {
      externalId: "acme",
      email: "ada@acme.example",
    });
    await world.vendorCompletesOnboarding({ payee: "acme" });
    const event = await webhooks.waitFor("partner.organization.optedIn", 30_000);
    const [subscription] = await world.request("GET", "/v1/webhooks");
    await world.waitForDeliveries();
    const deliveries = (await world.deliveries()).flatMap(({ id, body }) => [id, (body as { id: string }).id]);
    expect(deliveries).toContain(event.id);
    expect(webhooks.deliveries.map(({ doubt }) => doubt)).toEqual([undefined, undefined, undefined, undefined]);
    minted.push(world.id, world.key, inviteId, subscription!.reference, webhooks.secret!, ...deliveries);
  });
});

afterAll(() => {
  // No identifier of a world is one of another's: five of each world, and two of each of its four deliveries.
  if (new Set(minted).size !== 200 * (5 + 2 * 4)) throw new Error(`${new Set(minted).size} names of ${minted.length}`);
});
