import assert from "node:assert/strict";
import test, { after, beforeEach } from "node:test";

import { Refused, type World } from "tideover";

import { INVOICE, mock } from "./support.js";

let world: World;
beforeEach(async () => {
  await world?.delete();
  world = await mock.world();
});
after(() => world.delete());

test("there is a method for each action", async () => {
  const { actions } = await world.request("GET", "/_sim/actions");
  const methods = world as unknown as Record<string, unknown>;
  assert.deepEqual(
    actions.filter((action) => typeof methods[action] !== "function"),
    [],
  );
});

test("vendor, bank, payor and operator act", async () => {
  await world.request("PUT", "/v1/invoices/INV-7", INVOICE);
  await world.request("POST", "/v1/invitations", { externalId: "acme", email: "ada@acme.example" });
  await world.vendorAcceptsInvitation({ payee: "acme", email: "ada@acme.example" });
  await world.vendorConfirmsTaxId({ payee: "acme", route: "W9_UPLOAD", taxId: "12-3456789" });
  const address = { line1: "1 Quay", city: "Portland", state: "OR", postalCode: "97201" };
  await world.vendorSignsAgreement({ payee: "acme", address });
  await world.vendorAddsBankAccount({ payee: "acme", accountNumber: "000123456789", routingNumber: "021000021" });
  await world.collectionAccountOpens({ payee: "acme" });
  assert.deepEqual((await world.vendorCompletesOnboarding({ payee: "acme" })).steps, []);
  await world.request("POST", "/v1/advances", { payeeExternalId: "acme", invoiceExternalId: "INV-7" });
  await world.fundingStarts({ payee: "acme", invoice: "INV-7" });
  await world.fundingCompletes({ payee: "acme", invoice: "INV-7" });
  const paid = await world.payorPays({ payee: "acme", invoice: "INV-7", amount: 1_000_001 });
  assert.deepEqual(paid, { applied: 1_000_000, suspense: 1 });
  const { advance } = await world.request("GET", "/v1/organizations/acme/invoices/INV-7");
  assert.equal(advance?.state, "REPAID");
  await world.taxIdFoundWrong({ payee: "acme" });
  await world.markTestAccount({ externalId: "acme" });
  const { key } = await world.issueKey();
  assert.deepEqual(await world.request("GET", "/v1/webhooks", undefined, { key }), []);
  await world.revokeKey({ key });
  await assert.rejects(world.request("GET", "/v1/webhooks", undefined, { key }), { code: "unauthorized" });
  assert.deepEqual(await world.act("upstreamFails", { requests: 1 }), { applied: true });
  await assert.rejects(world.request("GET", "/v1/webhooks"), { status: 502 });
});

test("what the outside cannot do is refused", async () => {
  const action = world.vendorSignsAgreement({ payee: "nobody" });
  await assert.rejects(action, { name: "Refused", status: 409, code: "action_refused", clause: undefined });
});

test("a refusal has status, code, clause and prose", async () => {
  const quote = world.request("POST", "/v1/quotes", { externalId: "acme", invoiceFaceValue: 1 });
  const error = await quote.catch((error: unknown) => error);
  assert(error instanceof Refused);
  const { status, code, clause, prose, message } = error;
  assert.deepEqual([status, code, clause], [404, "business_not_found", "4.quotes.6"]);
  assert.equal(message, `POST /v1/quotes: 404 business_not_found: ${prose} [${clause}]`);
});

test("a file is sent as it is", async () => {
  await world.interruptNextImport({ afterRows: 1 });
  const header = "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n";
  const row = (name: string) => `${name},Acme,Globex,ISSUED,100,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\n`;
  const file = header + row("INV-1") + row("INV-2");
  const headers = { "content-type": "text/csv" };
  const upload = () => world.request("PUT", "/v1/invoices/imports/one", file, { headers });
  const first = await upload();
  assert.deepEqual([first.finished, first.rows.length], [false, 1]);
  const second = await upload();
  assert.deepEqual([second.finished, second.summary.created], [true, 2]);
});

test("time passes when the test moves it", async () => {
  assert.equal(await world.now(), "2026-01-01T00:00:00Z");
  assert.equal(await world.advance({ days: 1, hours: 1, minutes: 1, seconds: 1 }), "2026-01-02T01:01:01Z");
  assert.equal(await world.advanceTo(new Date("2026-02-01T00:00:00Z")), "2026-02-01T00:00:00Z");
  assert.equal(await world.advanceTo("2026-02-02T00:00:00Z"), "2026-02-02T00:00:00Z");
  await assert.rejects(world.advanceTo("2026-01-01T00:00:00Z"), { code: "action_refused" });
  assert.deepEqual(await world.untilQuiet(), { now: "2026-02-02T00:00:00Z", quiet: true, nextDue: null });
});

test("a move of the clock that says no span is refused", async () => {
  const advance = (span: unknown) => world.advance(span as { days: number });
  const names = /advance\(\{ days: 30 \}\): .*seconds, minutes, hours, days/;
  for (const span of [30, undefined, null, "P1D", { day: 1 }, { days: 1, minute: 1 }, {}, { days: undefined }]) {
    await assert.rejects(advance(span), { name: "TypeError", message: names });
  }
  await assert.rejects(advance({ days: "1" }), { name: "TypeError", message: /days is a number, not 1/ });
  await assert.rejects(advance({ days: NaN }), { name: "TypeError", message: /days is a number, not NaN/ });
  assert.equal(await world.now(), "2026-01-01T00:00:00Z");
  assert.equal(await advance({ seconds: 0 }), "2026-01-01T00:00:00Z");
});

test("requests fail by a rule, until the rules are cleared", async () => {
  await world.fault({ act: "upstreamFails", when: "beforeCommit", operation: "list_subscriptions", label: "down" });
  await assert.rejects(world.request("GET", "/v1/webhooks"), { status: 502, code: "upstream_failed" });
  await world.clearFaults();
  assert.deepEqual(await world.request("GET", "/v1/webhooks"), []);
  const id = await world.fault({ act: "connectionDrops", when: "beforeCommit" });
  assert.equal(typeof id, "number");
  await assert.rejects(world.request("GET", "/v1/webhooks"), /no answer from/);
  assert.equal((await world.journal({ fault: "down" })).length, 1);
});

test("a rule says how often it acted, and can be removed", async () => {
  const first = await world.fault({ act: "upstreamFails", when: "beforeCommit", operation: "list_subscriptions" });
  const second = await world.fault({ act: "deliveryDuplicated", event: "partner.loan.paid" });
  await assert.rejects(world.request("GET", "/v1/webhooks"), { status: 502 });
  const fired = async () => (await world.faults()).map(({ id, fired }) => [id, fired]);
  assert.deepEqual(await fired(), [
    [first, 1],
    [second, 0],
  ]);
  await world.removeFault(first);
  assert.deepEqual(await world.request("GET", "/v1/webhooks"), []);
  assert.deepEqual(await fired(), [[second, 0]]);
  await assert.rejects(world.removeFault(first), { name: "Refused" });
});

test("the timeline marks a rule that never acted, also once it is removed", async () => {
  const marked = async () => (await world.timeline()).split("\n").filter((line) => line.endsWith("(never acted)"));
  await world.fault({ act: "upstreamFails", when: "beforeCommit", nth: 1 });
  await world.fault({ act: "deliveryDuplicated", event: "partner.loan.paid" });
  await world.fault({ act: "requestRepeated", nth: 9 });
  assert.equal((await marked()).length, 3);
  await assert.rejects(world.request("GET", "/v1/webhooks"), { status: 502 });
  const idle = [
    "2026-01-01T00:00:00Z  fault act=deliveryDuplicated event=partner.loan.paid (never acted)",
    "2026-01-01T00:00:00Z  fault act=requestRepeated nth=9 (never acted)",
  ];
  assert.deepEqual(await marked(), idle);
  await world.clearFaults();
  assert.deepEqual(await marked(), idle);
});

test("the journal tells what the client did", async () => {
  await world.request("PUT", "/v1/organizations/acme", { legalName: "Acme Ltd" });
  assert.deepEqual(await world.unexpected(), []);
  await assert.rejects(world.request("GET", "/v1/organisations/acme"), { code: "unknown_endpoint" });
  const [mistake, ...others] = await world.unexpected();
  assert.deepEqual([mistake?.path, others], ["/v1/organisations/acme", []]);
  const synced = await world.journal({ operation: "sync_business", payee: "acme" });
  assert.deepEqual(
    synced.map(({ status }) => status),
    [200],
  );
});

test("the timeline has requests, acts and webhooks, each under its cause", async () => {
  await world.webhooks(["partner.organization.optedIn", "partner.organization.added"]);
  await world.request("PUT", "/v1/organizations/acme", { legalName: "Acme Ltd" });
  await world.request("PUT", "/v1/organizations/globex", { legalName: "Globex Inc" });
  await world.vendorCompletesOnboarding({ payee: "acme" });
  await assert.rejects(world.vendorSignsAgreement({ payee: "nobody" }));
  await world.vendorCompletesOnboarding({ payee: "globex" });
  await world.advance({ hours: 1 });
  await assert.rejects(world.request("POST", "/v1/advances", { payeeExternalId: "acme", invoiceExternalId: "INV-7" }));
  await world.waitForDeliveries();
  const lines = (await world.timeline()).replaceAll("2026-01-01T", "").split("\n");
  assert.deepEqual(lines, [
    "00:00:00Z  POST /v1/webhooks  201 [4.webhooks.2]",
    "00:00:00Z  PUT /v1/organizations/acme  200 [4.businessSync.intro.1]",
    "    00:00:00Z  -> partner.organization.added acme: accepted, answered 204",
    "00:00:00Z  PUT /v1/organizations/globex  200 [4.businessSync.intro.1]",
    "    00:00:00Z  -> partner.organization.added globex: accepted, answered 204",
    "00:00:00Z  vendorCompletesOnboarding payee=acme",
    "    00:00:00Z  -> partner.organization.optedIn acme: accepted, answered 204",
    "00:00:00Z  vendorSignsAgreement payee=nobody: refused, no business was synced under this identifier",
    "00:00:00Z  vendorCompletesOnboarding payee=globex",
    "    00:00:00Z  -> partner.organization.optedIn globex: accepted, answered 204",
    "01:00:00Z  advance hours=1",
    "01:00:00Z  POST /v1/advances  404 invoice_not_found [4.advances.5]",
    "    No invoice of this payee was synced under this identifier.",
  ]);
});

test("a report says that no request came", async () => {
  const nothing = `Your client sent nothing: no request came with this world's key, ${world.key}.`;
  assert.equal(await world.report(), `Tideover, world ${world.id}:\n${nothing}`);
  await world.webhooks();
  await world.advance({ days: 1 });
  const lines = (await world.report()).split("\n");
  assert.deepEqual([lines.length, lines.at(-1)], [4, nothing]);
  await world.request("GET", "/v1/webhooks");
  assert(!(await world.report()).includes(nothing));
  await world.reset();
  assert((await world.report()).includes(nothing));
});

test("the last refusal of a report may be a fault's", async () => {
  await assert.rejects(world.request("GET", "/v1/organizations/acme"), { status: 404 });
  const last = async () => (await world.report()).split("\nLast refusal:\n")[1];
  assert.match((await last())!, /404 business_not_found/);
  await world.fault({ act: "requestThrottled", retryAfterSeconds: 3, nth: 1 });
  await assert.rejects(world.request("GET", "/v1/webhooks"), { status: 429 });
  assert.equal(
    await last(),
    "2026-01-01T00:00:00Z  GET /v1/webhooks  429 too_many_requests\n" +
      "    Too many requests; try again later.\n    fault: requestThrottled",
  );
  await world.fault({ act: "upstreamFails", when: "beforeCommit", nth: 1 });
  await assert.rejects(world.request("PUT", "/v1/organizations/acme", { legalName: "Acme" }), { status: 502 });
  assert.match((await last())!, /PUT \/v1\/organizations\/acme {2}502 upstream_failed \[7.codes.upstream_failed\]/);
});

test("a world starts again, with new names or with the same", async () => {
  const invite = async () => {
    await world.request("PUT", "/v1/organizations/acme", { legalName: "Acme Ltd" });
    return (await world.request("POST", "/v1/invitations", { externalId: "acme", email: "ada@acme.example" })).inviteId;
  };
  const first = await invite();
  await world.reset();
  assert.equal(await world.timeline(), "");
  assert.notEqual(await invite(), first);
  await world.reset({ repeat: true });
  assert.equal(await invite(), first);
});

test("a copy goes its own way", async () => {
  await world.request("PUT", "/v1/organizations/acme", { legalName: "Acme Ltd" });
  const copy = await world.fork();
  await copy.request("PUT", "/v1/organizations/acme", { legalName: "Acme of the copy" });
  assert.equal((await copy.request("GET", "/v1/organizations/acme")).name, "Acme of the copy");
  assert.equal((await world.request("GET", "/v1/organizations/acme")).name, "Acme Ltd");
  await copy.delete();
  const gone = new RegExp(`the world ${copy.id} is gone`);
  await assert.rejects(copy.request("GET", "/v1/webhooks"), { status: 401, code: "unauthorized", message: gone });
  await assert.rejects(copy.advance({ days: 1 }), { name: "Refused", message: gone });
});

test("a world has as many platforms as it is made with", async () => {
  const both = await mock.world({ platforms: ["other"], scenario: "onboarded" });
  assert.deepEqual(
    both.keys.map(({ platform }) => platform),
    ["local", "other"],
  );
  assert.equal(both.keys[0]!.key, both.key);
  await both.delete();
});
