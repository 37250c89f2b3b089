// The sample story: a vendor from its first sync to an advance that is repaid, and an advance that is refused.

import { act, ask, say } from "./api.js";
import { ADDRESS } from "./samples.js";

const PAYEE = { externalId: "acme", legalName: "Acme Ltd" };
const PAYOR = { externalId: "globex", legalName: "Globex Inc" };

const ids = (invoice) => ({ payeeExternalId: PAYEE.externalId, invoiceExternalId: invoice });

/** An invoice that is due so many days from now. */
async function sync(invoice, faceValue, days) {
  const { now } = await ask("GET", "/_sim/clock");
  const dueDate = new Date(Date.parse(now) + days * 86_400_000).toISOString().replace(/\.\d+Z$/, "Z");
  await ask("PUT", `/v1/invoices/${invoice}`, { payee: PAYEE, payor: PAYOR, status: "ISSUED", faceValue, issueDate: now, dueDate });
}

/** Does what the service may refuse. The refusal is a part of the story. */
const attempt = (asked) => asked().catch(() => {});

const quiet = () => ask("POST", "/_sim/clock", { untilQuiet: true });

const STEPS = [
  ["The platform subscribes to webhooks.", () => attempt(() => ask("POST", "/v1/webhooks", { url: `${location.origin}/_sim/receiver` }))],
  ["It syncs the vendor acme.", () => ask("PUT", `/v1/organizations/${PAYEE.externalId}`, { legalName: PAYEE.legalName, taxId: "12-3456789", contact: { address: ADDRESS } })],
  ["It syncs an invoice of 10,000 dollars, which globex owes.", () => sync("INV-1", 1_000_000, 60)],
  ["It asks for an advance too early: acme is not onboarded, and the service refuses.", () => attempt(() => ask("POST", "/v1/advances", ids("INV-1")))],
  ["The vendor and the bank complete onboarding.", () => act("vendorCompletesOnboarding", { payeeExternalId: PAYEE.externalId })],
  ["The platform asks for a quote.", () => ask("POST", "/v1/quotes", { externalId: PAYEE.externalId, invoiceFaceValue: 1_000_000 })],
  ["It asks for the advance again, and gets it.", () => ask("POST", "/v1/advances", ids("INV-1"))],
  ["Time passes until the vendor has the money.", quiet],
  ["Ten days later globex pays a part.", async () => {
    await ask("POST", "/_sim/clock", { advanceSeconds: 10 * 86_400 });
    await act("payorPays", { ...ids("INV-1"), amount: 400_000 });
  }],
  ["Globex pays the rest: the advance is repaid.", () => act("payorPays", { ...ids("INV-1"), amount: 600_000 })],
  ["A second invoice is financed, and waits for its payor.", async () => {
    await sync("INV-2", 2_500_000, 45);
    await ask("POST", "/v1/advances", ids("INV-2"));
    await quiet();
  }],
];

/** Plays it, and says each step. Returns whether it came to its end. */
export async function play() {
  for (const [index, [text, does]] of STEPS.entries()) {
    say(`${index + 1} of ${STEPS.length}: ${text}`);
    try {
      await does();
    } catch (error) {
      say(`The story ends at step ${index + 1}. ${error.message}`, true);
      return false;
    }
  }
  say("The story is complete: INV-1 is repaid, INV-2 is funded. The timeline has every step.");
  return true;
}
