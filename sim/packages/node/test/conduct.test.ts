import assert from "node:assert/strict";
import test, { after, beforeEach } from "node:test";

import { BadConduct, type World } from "tideover";

import { mock } from "./support.js";

const ACME = { legalName: "Acme" };

let world: World;
beforeEach(async () => {
  await world?.delete();
  world = await mock.world();
});
after(() => world.delete());

const failsOnce = async (when: "beforeCommit" | "afterCommit") => {
  await world.fault({ act: "upstreamFails", when, operation: "sync_business", nth: 1 });
  await assert.rejects(world.request("PUT", "/v1/organizations/acme", ACME), { status: 502 });
};

const state = async (duty: string, final = false) =>
  (await world.conduct({ final })).rows.find(({ id }) => id === duty)?.state;

test("a right client passes", async () => {
  assert.equal((await world.conduct()).counts.met, 0);
  await failsOnce("beforeCommit");
  await world.advance({ seconds: 1 });
  await world.request("PUT", "/v1/organizations/acme", ACME);
  assert.equal(await state("backs-off"), "met");
  await world.assertGoodConduct();
});

test("a wrong client fails with the row and its requests", async () => {
  const advance = { payeeExternalId: "acme", invoiceExternalId: "INV-1" };
  for (let times = 0; times < 2; times++) {
    await assert.rejects(world.request("POST", "/v1/advances", advance), { code: "business_not_found" });
  }
  const error = await world.assertGoodConduct().catch((error: unknown) => error);
  assert(error instanceof BadConduct);
  const [head, row] = error.message.split("\n\n");
  assert.match(head!, new RegExp(`^1 of \\d+ duties broken in world ${world.id}$`));
  assert.match(row!, /^changes-refused-request \(7\.retrying\.2, §7 Retrying rule 2\): A refused write /);
  assert.match(row!, /request 0: .*POST \/v1\/advances {2}404 business_not_found/);
  assert.match(row!, /request 1: .*POST \/v1\/advances {2}404 business_not_found/);
  await world.assertGoodConduct({ ignore: ["changes-refused-request"] });
  await assert.rejects(world.assertGoodConduct({ ignore: ["sleeps"] }), /no such duty: sleeps/);
});

test("a client that is done has nothing open", async () => {
  await failsOnce("afterCommit");
  assert.equal(await state("follows-up"), "notSeen");
  assert.equal(await state("follows-up", true), "broken");
  await assert.rejects(world.assertGoodConduct(), { name: "BadConduct", message: /follows-up/ });
  await world.request("GET", "/v1/organizations/acme");
  await world.assertGoodConduct();
});

test("a receiver that verifies is seen to", async () => {
  await world.webhooks();
  await world.fault({ act: "signedWithAnotherSecret", event: "partner.organization.added", nth: 1 });
  await world.request("PUT", "/v1/organizations/acme", ACME);
  await world.request("PUT", "/v1/organizations/globex", ACME);
  await world.waitForDeliveries();
  assert.equal(await state("verifies"), "met");
  await world.assertGoodConduct();
});
