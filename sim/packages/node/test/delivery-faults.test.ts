// Each fault of deliveries: the example's receiver survives it, and one with a mistake does not.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import test from "node:test";

import { Refused, verify, type Event, type FaultRule } from "tideover";

import { Receiver, type Financing } from "../examples/integration.js";
import { mock } from "./support.js";

const STATE = "partner.invoice.factoredUpdated";
const ISSUED = "partner.loan.issued";

/** What a test looks at of a receiver. */
interface Platform {
  receive(headers: IncomingHttpHeaders, body: Buffer): number;
  financing(payee: string, invoice: string): Financing | undefined;
  readonly advanced: number;
}

/** What a receiver leaves out. */
type Mistake =
  | "verifies"
  | "verifies the raw body"
  | "checks the time"
  | "deduplicates"
  | "orders"
  | "ignores what is unknown";

/** A receiver with one mistake. */
class Wrong implements Platform {
  advanced = 0;
  readonly #financings = new Map<string, Financing>();
  readonly #processed = new Set<string>();

  constructor(
    private readonly secret: () => string,
    private readonly omits: Mistake,
  ) {}

  financing(payee: string, invoice: string): Financing | undefined {
    return this.#financings.get(`${payee} ${invoice}`);
  }

  receive(headers: IncomingHttpHeaders, body: Buffer): number {
    const tolerance = this.omits === "checks the time" ? Infinity : 300;
    const signed = this.omits === "verifies the raw body" ? JSON.stringify(JSON.parse(body.toString())) : body;
    try {
      if (this.omits !== "verifies") verify(this.secret(), headers, signed, { tolerance });
    } catch {
      return 401;
    }
    const delivery = String(headers["service-delivery"]);
    const event: Event = JSON.parse(body.toString());
    if (this.omits === "ignores what is unknown" && !isKnown(event)) return 400;
    if (this.omits !== "deduplicates" && this.#processed.has(delivery)) return 204;
    this.#processed.add(delivery);
    if (event.type === ISSUED) this.advanced += event.data.advanceAmount;
    if (event.type === STATE) {
      const { payeeExternalId, invoiceExternalId, state } = event.data;
      const held = this.omits === "orders" ? 0 : (this.financing(payeeExternalId, invoiceExternalId)?.sequence ?? 0);
      const { sequence } = event;
      if (sequence > held) this.#financings.set(`${payeeExternalId} ${invoiceExternalId}`, { sequence, state });
    }
    return 204;
  }
}

function isKnown(event: Event): boolean {
  const fields = ["id", "type", "occurredAt", "sequence", "data"];
  const kinds = ["organization", "invoice", "loan"];
  const states = ["REQUESTED", "FUNDING", "FUNDED", "REPAID"];
  const isState = event.type !== STATE || states.includes(event.data.state);
  const isKind = kinds.includes(event.type.split(".")[1]!);
  return isState && isKind && Object.keys(event).every((field) => fields.includes(field));
}

interface Played {
  readonly rule: FaultRule;
  /** What the attempts of such a delivery are answered. */
  readonly answers: readonly (number | null)[];
  /** With this mistake a receiver does not survive it. */
  readonly mistake: Mistake;
}

const PLAYED: readonly Played[] = [
  { rule: { act: "deliveryLate", event: STATE, nth: 1, seconds: 7200 }, answers: [204], mistake: "orders" },
  { rule: { act: "deliveryDuplicated", event: ISSUED }, answers: [204, 204], mistake: "deduplicates" },
  { rule: { act: "deliverySwapped", event: STATE, nth: 2 }, answers: [204], mistake: "orders" },
  {
    rule: { act: "deliveryDropped", event: STATE, nth: 1, attempts: 4 },
    answers: [null, null, null, null, 204],
    mistake: "orders",
  },
  {
    rule: { act: "unknownEventType", event: "partner.loan.created" },
    answers: [204],
    mistake: "ignores what is unknown",
  },
  { rule: { act: "unknownField", invoice: "INV-1" }, answers: [204], mistake: "ignores what is unknown" },
  { rule: { act: "unknownValue", event: STATE, nth: 1 }, answers: [204], mistake: "ignores what is unknown" },
  { rule: { act: "bodyIndented", event: ISSUED }, answers: [204], mistake: "verifies the raw body" },
  { rule: { act: "signedWithAnotherSecret", event: ISSUED }, answers: [401, 204], mistake: "verifies" },
  {
    rule: { act: "signedAnHourAgo", event: ISSUED, attempts: 2 },
    answers: [401, 401, 204],
    mistake: "checks the time",
  },
];

/** Plays an advance until it is funded, with one fault if any. Returns what the receiver got wrong. */
async function mistakes(make: (secret: () => string) => Platform, played?: Played): Promise<string[]> {
  let secret = "";
  const platform = make(() => secret);
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(platform.receive(request.headers, Buffer.concat(chunks))).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const world = await mock.world({ scenario: "onboarded" });
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
    ({ secret } = await world.request("POST", "/v1/webhooks", { url }));
    if (played) await world.fault(played.rule);
    const advance = { payeeExternalId: "acme", invoiceExternalId: "INV-1" };
    const { advanceAmount } = await world.request("POST", "/v1/advances", advance);
    await world.untilQuiet();
    const found: string[] = [];
    const { state } = platform.financing("acme", "INV-1") ?? {};
    if (state !== "FUNDED") found.push(`FUNDED, and it has ${state}`);
    if (platform.advanced !== advanceAmount) found.push(`${advanceAmount} cents, and it has ${platform.advanced}`);
    const deliveries = await world.deliveries();
    assert.equal(
      deliveries.some(({ fault }) => fault !== null),
      played !== undefined,
    );
    for (const { event, fault, attempts } of deliveries) {
      const answers = JSON.stringify(attempts.map(({ status }) => status));
      if (answers !== JSON.stringify(fault ? played?.answers : [204])) found.push(`${event}: it answers ${answers}`);
    }
    return found;
  } finally {
    await world.delete();
    server.close();
    server.closeAllConnections();
  }
}

for (const played of PLAYED) {
  const { rule, mistake } = played;
  test(`${rule.act}: a right receiver survives`, async () => {
    assert.deepEqual(await mistakes((secret) => new Receiver(secret), played), []);
  });

  test(`${rule.act}: one that does it all but "${mistake}" does not`, async () => {
    const wrong = (secret: () => string) => new Wrong(secret, mistake);
    assert.notDeepEqual(await mistakes(wrong, played), []);
    assert.deepEqual(await mistakes(wrong), [], "without the fault nobody notices");
  });
}

test("a throttled request says when to come again", async () => {
  const world = await mock.world();
  await world.fault({ act: "requestThrottled", retryAfterSeconds: 3, nth: 1 });
  await assert.rejects(world.request("GET", "/v1/webhooks"), (error) => {
    assert(error instanceof Refused);
    assert.deepEqual([error.status, error.code], [429, "too_many_requests"]);
    return true;
  });
  assert.deepEqual(await world.request("GET", "/v1/webhooks"), []);
  const [throttled] = await world.journal({ fault: "requestThrottled" });
  assert.equal(throttled!.response!.headers["retry-after"], "3");
  await world.delete();
});

test("the types know what each act needs", async () => {
  const world = await mock.world();
  // @ts-expect-error: it needs `when`
  await assert.rejects(world.fault({ act: "upstreamFails" }), { code: "invalid_request" });
  // @ts-expect-error: it needs `seconds`
  await assert.rejects(world.fault({ act: "deliveryLate" }), { code: "invalid_request" });
  // The others can be left out.
  await world.fault({ act: "answerCut", afterBytes: 9 });
  await world.fault({ act: "answerDelayed", milliseconds: 9 });
  await world.fault({ act: "bodyIndented" });
  await world.fault({ act: "connectionDrops", when: "afterCommit" });
  await world.fault({ act: "deliveryDropped" });
  await world.fault({ act: "deliveryDuplicated" });
  await world.fault({ act: "deliveryLate", seconds: 9 });
  await world.fault({ act: "deliverySwapped" });
  await world.fault({ act: "importStops", afterRows: 9 });
  await world.fault({ act: "requestRepeated" });
  await world.fault({ act: "requestThrottled", retryAfterSeconds: 9 });
  await world.fault({ act: "signedAnHourAgo" });
  await world.fault({ act: "signedWithAnotherSecret" });
  await world.fault({ act: "unknownEventType" });
  await world.fault({ act: "unknownField" });
  await world.fault({ act: "unknownValue" });
  await world.fault({ act: "upstreamFails", when: "beforeCommit" });
  await world.delete();
});

test("the timeline says what a fault did to a webhook", async () => {
  const world = await mock.world();
  await world.webhooks();
  await world.fault({ act: "unknownField", label: "one more" });
  await world.request("PUT", "/v1/organizations/acme", { legalName: "Acme" });
  await world.waitForDeliveries();
  assert.match(await world.timeline(), /partner.organization.added acme: accepted, answered 204, fault: one more/);
  await world.delete();
});

test("a rule for deliveries selects no requests", async () => {
  const world = await mock.world();
  // @ts-expect-error: it has no such field
  const rule: FaultRule = { act: "deliveryDropped", operation: "request_advance" };
  await assert.rejects(world.fault(rule), /operation: deliveryDropped has only the fields/);
  await world.delete();
});
