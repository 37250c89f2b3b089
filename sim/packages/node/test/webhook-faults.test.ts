// webhook-faults.test.ts
import assert from "node:assert/strict";

import type { Event } from "tideover";
import { inWorld } from "tideover/node-test";
import test from "node:test";

/** The state of each invoice: that with the greatest sequence. */
function newest(events: readonly Event[]): Map<string, { sequence: number; state: string }> {
  const states = new Map<string, { sequence: number; state: string }>();
  for (const event of events) {
    if (event.type !== "partner.invoice.factoredUpdated") continue;
    const { payeeExternalId, invoiceExternalId, state } = event.data;
    const invoice = JSON.stringify([payeeExternalId, invoiceExternalId]);
    if (event.sequence > (states.get(invoice)?.sequence ?? 0)) states.set(invoice, { sequence: event.sequence, state });
  }
  return states;
}

const advance = { payeeExternalId: "acme", invoiceExternalId: "INV-1" };

test("an older state never wins", inWorld({ scenario: "onboarded" }, async (world) => {
  const webhooks = await world.webhooks(["partner.invoice.factoredUpdated"]);
  await world.fault({ act: "deliverySwapped", event: "partner.invoice.factoredUpdated", nth: 2 });
  await world.request("POST", "/v1/advances", advance);
  await world.untilQuiet();
  const sequences = webhooks.events.map((event) => "sequence" in event && event.sequence);
  assert.deepEqual(sequences, [1, 3, 2]);
  assert.deepEqual([...newest(webhooks.events).values()], [{ sequence: 3, state: "FUNDED" }]);
}));

test("a repeated delivery is one event", inWorld({ scenario: "onboarded" }, async (world) => {
  const webhooks = await world.webhooks(["partner.loan.issued"]);
  await world.fault({ act: "deliveryDuplicated", event: "partner.loan.issued", nth: 1 });
  await world.request("POST", "/v1/advances", advance);
  await world.untilQuiet();
  assert.deepEqual(webhooks.deliveries.map(({ isDuplicate }) => isDuplicate), [false, true]);
  assert.equal(webhooks.events.length, 1);
}));
