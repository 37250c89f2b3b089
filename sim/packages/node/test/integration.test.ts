import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import test, { after, before } from "node:test";

import type { World } from "tideover";

import { PartnerClient, Platform, Receiver } from "../examples/integration.js";
import { INVOICE, mock } from "./support.js";

const BUSINESS = {
  legalName: "Acme Ltd",
  taxId: "12-3456789",
  contact: { address: { line1: "1 Quay", city: "Portland", state: "OR", postalCode: "97201" } },
};
const ACCOUNT = { accountNumber: "000123456789", routingNumber: "021000021" };

let world: World;
let client: PartnerClient;
let secret = "";
const receiver = new Receiver(() => secret);
const server = receiver.server();
let url: string;

before(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  world = await mock.world();
  client = new PartnerClient(world.url, world.key, async () => {});
  secret = await client.subscribe(url);
});

after(async () => {
  server.close();
  server.closeAllConnections();
  await world.delete();
});

test("the platform finances an invoice until the advance is repaid", async () => {
  const platform = new Platform(client);
  // The service fails now and then.
  await world.fault({ act: "upstreamFails", when: "afterCommit", nth: 1, operation: "sync_business" });
  await world.fault({ act: "upstreamFails", when: "beforeCommit", nth: 1, operation: "request_advance" });

  await platform.addVendor("acme", BUSINESS, ACCOUNT, "ada@acme.example");
  await client.syncInvoice("INV-7", INVOICE);
  const reason = await platform.finance("acme", "INV-7", INVOICE.faceValue);
  assert.match(reason ?? "", /agreement/);
  await world.vendorCompletesOnboarding({ payee: "acme" });
  await world.expectDelivery({ event: "partner.organization.optedIn", payee: "acme" });
  assert(receiver.optedIn.has("acme"));

  assert.equal(await platform.finance("acme", "INV-7", INVOICE.faceValue), undefined);
  const { remittance } = await client.business("acme");
  assert.deepEqual(platform.remittances.get("acme"), remittance);
  await world.untilQuiet();
  await world.payorPays({ payee: "acme", invoice: "INV-7", amount: INVOICE.faceValue });
  await world.waitForDeliveries();
  assert.deepEqual(receiver.financing("acme", "INV-7"), { sequence: 4, state: "REPAID" });
  assert.deepEqual(await world.unexpected(), []);
});

test("the platform takes each delivery once, and no older state for a newer one", async () => {
  const before = receiver.financing("acme", "INV-7");
  const [first] = await world.deliveries({ type: "partner.invoice.factoredUpdated" });
  const { id, body } = await world.expectDelivery({ event: "partner.loan.issued" });
  await world.request("POST", `/_sim/deliveries/${id}/resend`);
  await world.waitForDeliveries();
  assert.equal((await world.deliveries()).find((delivery) => delivery.id === id)?.attempts.length, 2);
  assert.equal(receiver.advanced, body.data.advanceAmount);
  assert.equal(send("dlv_later", { ...(first!.body as object), sequence: 3 }), 204);
  assert.deepEqual(receiver.financing("acme", "INV-7"), before);
  assert.equal(send("dlv_newest", { ...(first!.body as object), sequence: 5 }), 204);
  assert.deepEqual(receiver.financing("acme", "INV-7"), { sequence: 5, state: "REQUESTED" });
});

test("the platform believes nobody without the secret", () => {
  assert.equal(receiver.receive({}, Buffer.from("{}")), 401);
});

test("the platform gets a new secret when it has lost the old one", async () => {
  const lost = secret;
  secret = await client.subscribe(url);
  assert.notEqual(secret, lost);
  await client.syncBusiness("initech", { legalName: "Initech Inc" });
  await world.expectDelivery({ event: "partner.organization.added", payee: "initech" });
  // The tests do without pauses.
  await world.assertGoodConduct({ ignore: ["backs-off"] });
});

/** Hands the receiver a delivery of this name, signed as the service does. */
function send(delivery: string, event: object): number {
  const body = Buffer.from(JSON.stringify(event));
  const time = Math.floor(Date.now() / 1000);
  const digest = createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex");
  return receiver.receive({ "service-signature": `t=${time},v1=${digest}`, "service-delivery": delivery }, body);
}
