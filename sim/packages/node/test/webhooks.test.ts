import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test, { after, beforeEach } from "node:test";

import { NotDelivered, startWebhooks, type Webhooks, type World } from "tideover";

import { mock } from "./support.js";

let world: World;
let webhooks: Webhooks;
beforeEach(async () => {
  await world?.delete();
  world = await mock.world();
  webhooks = await world.webhooks();
});
after(() => world.delete());

const sync = (name: string) => world.request("PUT", `/v1/organizations/${name}`, { legalName: name });

test("events are verified, and typed", async () => {
  await sync("acme");
  const added = await webhooks.waitFor("partner.organization.added");
  assert.equal(added.data.externalId, "acme");
  assert.deepEqual(webhooks.events, [added]);
  const delivery = await world.expectDelivery({ event: "partner.organization.added", payee: "acme" });
  assert.deepEqual(delivery.body, added);
  assert.equal(webhooks.deliveries[0]!.id, delivery.id);
});

test("a wait sees what comes later", async () => {
  const added = webhooks.waitFor("partner.organization.added");
  const delivered = world.expectDelivery({ event: "partner.organization.added", payee: "acme" });
  await sync("acme");
  assert.equal((await added).data.externalId, "acme");
  assert.equal((await delivered).attempts.length, 1);
});

test("a wait that is over says what came instead", async () => {
  await sync("acme");
  await world.waitForDeliveries();
  const expected = { event: "partner.loan.paid", payee: "acme", invoice: "INV-7", timeout: 50 } as const;
  await assert.rejects(world.expectDelivery(expected), (error) => {
    assert(error instanceof NotDelivered);
    assert.match(error.message, /accepted partner.loan.paid payee=acme invoice=INV-7 within 50 ms. Instead came:/);
    assert.match(error.message, /\n {2}partner.organization.added acme: accepted, answered 204$/m);
    return true;
  });
  const paid = webhooks.waitFor("partner.loan.paid", 50);
  await assert.rejects(paid, {
    name: "NotDelivered",
    message: /no partner.loan.paid within 50 ms. Instead came:\n {2}partner.organization.added acme: answered 204$/m,
  });
});

const [CREATED, ISSUED] = ["partner.loan.created", "partner.loan.issued"] as const;

test("a wait that is over says that the clock stands while something is due", async () => {
  const early = await mock.world({ scenario: "onboarded" });
  const receiver = await early.webhooks();
  const due =
    /\nThe clock of the world stands at 2026-01-01T00:00:00Z, and the next thing happens at 2026-01-01T00:00:30Z: move it with untilQuiet\(\), nextEvent\(\) or advance\(\)\.$/;
  await assert.rejects(receiver.waitFor(ISSUED, 50), (error: Error) => !due.test(error.message));
  await early.request("POST", "/v1/advances", { payeeExternalId: "acme", invoiceExternalId: "INV-1" });
  await early.waitForDeliveries();
  await assert.rejects(receiver.waitFor(ISSUED, 50), { message: due });
  await assert.rejects(early.expectDelivery({ event: ISSUED, timeout: 50 }), { message: due });
  assert.deepEqual(await early.nextEvent(), { now: "2026-01-01T00:00:30Z", moved: true });
  await early.untilQuiet();
  await receiver.waitFor(ISSUED);
  assert.equal((await early.nextEvent()).moved, false);
  await early.delete();
});

test("a wait that is over says who is subscribed", async () => {
  const none = await mock.world({ scenario: "onboarded" });
  await none.request("POST", "/v1/advances", { payeeExternalId: "acme", invoiceExternalId: "INV-1" });
  const expect = () => none.expectDelivery({ event: CREATED, timeout: 50 });
  const never = "An event that happened before the subscription never comes\\.";
  const says = (text: string) => ({ message: new RegExp(text) });
  await assert.rejects(expect(), says(`came: nothing\\.\nNo URL is subscribed to ${CREATED}\\. ${never}`));
  const other = await none.webhooks([ISSUED]);
  await assert.rejects(expect(), says(`No URL is subscribed to ${CREATED}`));
  await assert.rejects(other.waitFor(CREATED, 50), says(`${other.url} is not subscribed to ${CREATED}\\. ${never}`));
  const late = await none.webhooks();
  await assert.rejects(expect(), says(`came: nothing\\.\nSubscribed to ${CREATED}: ${late.url}\\. ${never}`));
  await assert.rejects(late.waitFor(CREATED, 50), says(`came: nothing\\.\n${late.url} is subscribed to ${CREATED}`));
  const stranger = await startWebhooks();
  await assert.rejects(
    stranger.waitFor(CREATED, 50),
    says(`nothing\\.\nIs ${stranger.url} subscribed to ${CREATED}\\?`),
  );
  await stranger.close();
  await none.delete();
});

test("a wait can be for one of several events", async () => {
  const funded = await mock.world({ scenario: "onboarded" });
  const receiver = await funded.webhooks();
  const event = "partner.invoice.factoredUpdated";
  await funded.request("POST", "/v1/advances", { payeeExternalId: "acme", invoiceExternalId: "INV-1" });
  await funded.untilQuiet();
  const newest = await receiver.waitFor(event, { payee: "acme", invoice: "INV-1", data: { state: "FUNDED" } });
  assert.equal(newest.sequence, 3);
  const { body } = await funded.expectDelivery({ event, data: { state: "FUNDING" } });
  assert.equal(body.sequence, 2);
  assert.equal((await receiver.waitFor(event)).sequence, 1);
  const message = new RegExp(
    `${event} (invoice=INV-1 )?data={"state":"REPAID"} within 50 ms. Instead came:` +
      `[^]*${event} acme INV-1 FUNDING \\(sequence 2\\): [^]*${event} acme INV-1 FUNDED \\(sequence 3\\): `,
  );
  const repaid = { data: { state: "REPAID" }, timeout: 50 } as const;
  await assert.rejects(receiver.waitFor(event, repaid), { name: "NotDelivered", message });
  await assert.rejects(funded.expectDelivery({ event, invoice: "INV-1", ...repaid }), {
    name: "NotDelivered",
    message,
  });
  await assert.rejects(receiver.waitFor(event, { payee: "globex", timeout: 50 }), { name: "NotDelivered" });
  await funded.delete();
});

test("a wait for something misspelt is refused at once", async () => {
  const expect = (expected: object) => world.expectDelivery(expected as { event: "partner.loan.paid" });
  const message = /there is no field type; it has event, payee, invoice, data, timeout/;
  await assert.rejects(expect({ type: "partner.loan.paid" }), { name: "TypeError", message });
  const wait = (options: object) => webhooks.waitFor("partner.loan.paid", options);
  await assert.rejects(wait({ state: "FUNDED" }), { name: "TypeError", message: /there is no field state/ });
});

test("an event of an unlisted type can be waited for", async () => {
  await world.fault({ act: "unknownEventType" });
  await sync("acme");
  const event = await webhooks.waitFor("partner.notice.sent", { payee: "acme" });
  assert.deepEqual([event.type, event.data.externalId], ["partner.notice.sent", "acme"]);
  const expected = { event: "partner.notice.sent", payee: "acme" } as const;
  assert.equal((await world.expectDelivery(expected)).body.data.externalId, "acme");
});

test("a wait for an event that there is not is refused at once", async () => {
  const wait = (type: string) => webhooks.waitFor(type as "partner.loan.paid");
  const expect = (event: string) => world.expectDelivery({ event: event as "partner.loan.paid" });
  for (const ask of [wait, expect]) {
    const issued = /no event "partner.loan.isued": did you mean "partner.loan.issued"\?$/;
    await assert.rejects(ask("partner.loan.isued"), { name: "TypeError", message: issued });
    await assert.rejects(ask("loan.paid"), { name: "TypeError", message: /did you mean "partner.loan.paid"\?$/ });
    const listed = /no event "webhook": there are partner.organization.added, .*, partner.loan.paid$/;
    await assert.rejects(ask("webhook"), { name: "TypeError", message: listed });
  }
});

test("a delivery that comes again is no new event", async () => {
  await sync("acme");
  const { id } = await world.expectDelivery({ event: "partner.organization.added" });
  await world.request("POST", `/_sim/deliveries/${id}/resend`);
  await world.waitForDeliveries();
  assert.deepEqual(
    webhooks.deliveries.map(({ isDuplicate }) => isDuplicate),
    [false, true],
  );
  assert.equal(webhooks.events.length, 1);
});

test("what the receiver does not accept comes again", async () => {
  webhooks.answer(500);
  await sync("acme");
  assert.equal((await world.waitForDeliveries()).retrying, 1);
  assert.deepEqual(webhooks.events, []);
  webhooks.answer(204);
  await world.advance({ seconds: 5 });
  assert.equal((await world.waitForDeliveries()).retrying, 0);
  assert.equal(webhooks.events.length, 1);
  assert.deepEqual(
    webhooks.deliveries.map(({ status }) => status),
    [500, 204],
  );
});

test("what the receiver did not accept is listed, retried or given up", async () => {
  const notAccepted = async () => {
    const { notAccepted } = await world.waitForDeliveries();
    return notAccepted.map(({ event, state }) => [event, state]);
  };
  await sync("acme");
  assert.deepEqual(await notAccepted(), []);
  webhooks.answer(500);
  await sync("globex");
  assert.deepEqual(await notAccepted(), [["partner.organization.added", "retrying"]]);
  await world.untilQuiet();
  assert.deepEqual(await notAccepted(), [["partner.organization.added", "givenUp"]]);
  webhooks.answer(410);
  await sync("initech");
  const states = (await notAccepted()).map(([, state]) => state);
  assert.deepEqual(states, ["givenUp", "revoked"]);
});

test("a receiver with another secret believes nothing", async () => {
  webhooks.secret = "whsec_another";
  await sync("acme");
  await world.waitForDeliveries();
  const [{ status, doubt } = {}] = webhooks.deliveries;
  assert.deepEqual([status, doubt, webhooks.events], [401, "wrong", []]);
});

test("a receiver has the secrets of several subscriptions", async () => {
  const other = await mock.world();
  const { secret } = await other.request("POST", "/v1/webhooks", { url: webhooks.url });
  webhooks.secrets.push(secret);
  await other.request("PUT", "/v1/organizations/globex", { legalName: "Globex" });
  await sync("acme");
  await Promise.all([world.waitForDeliveries(), other.waitForDeliveries()]);
  assert.equal(webhooks.events.length, 2);
  await other.delete();
});

test("a forged, a stale and an unsigned delivery are refused", async () => {
  const receiver = await startWebhooks();
  receiver.secret = "whsec_test";
  const body = '{"type":"partner.loan.paid"}';
  const post = async (headers: Record<string, string>) =>
    (await fetch(receiver.url, { method: "POST", body, headers })).status;
  const signed = (secret: string, age: number) => {
    const time = Math.floor(Date.now() / 1000) - age;
    const digest = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
    return { "Service-Signature": `t=${time},v1=${digest}`, "Service-Delivery": `dlv_${age}` };
  };
  assert.equal(await post(signed("whsec_other", 0)), 401);
  assert.equal(await post(signed("whsec_test", 330)), 401);
  assert.equal(await post({ "Service-Signature": "t=now" }), 401);
  assert.equal(await post({}), 401);
  assert.deepEqual(receiver.events, []);
  assert.equal(await post(signed("whsec_test", 290)), 204);
  assert.equal(receiver.events.length, 1);
  assert.deepEqual(
    receiver.deliveries.map(({ doubt }) => doubt),
    ["wrong", "stale", "malformed", "missing", undefined],
  );
  await receiver.close();
});
