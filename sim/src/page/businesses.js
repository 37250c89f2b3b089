// Businesses, their requirements, and the next step to meet them.

import { act, ask, perform } from "./api.js";
import { buttonFor, byId, el, facts, named } from "./dom.js";
import { cents, instant, sentence, words } from "./shown.js";
import { ADDRESS, BANK_ACCOUNT, EMAIL, taxId } from "./samples.js";
import { table } from "./tables.js";
import { find } from "./timeline.js";

/** What is to do for a requirement: a text for the button, and what it does. */
function step(business, name) {
  const payee = { payeeExternalId: business.externalId };
  if (name === "claimed") {
    const [email] = business.invited;
    if (email === undefined) return ["Invite the vendor", () => ask("POST", "/v1/invitations", { externalId: business.externalId, email: EMAIL })];
    return ["The vendor accepts", () => act("vendorAcceptsInvitation", { ...payee, email })];
  }
  if (name === "compliance") {
    const number = business.taxIdOnFile ? {} : { taxId: taxId() };
    return ["The vendor confirms the tax id", () => act("vendorConfirmsTaxId", { ...payee, route: "VENDOR_ASSERTION", ...number })];
  }
  if (name === "contract") return ["The vendor signs", () => act("vendorSignsAgreement", { ...payee, address: ADDRESS })];
  if (name === "bank") {
    return ["The vendor adds an account", () => act("vendorAddsBankAccount", { ...payee, ...BANK_ACCOUNT })];
  }
  return ["The bank opens the account", () => act("collectionAccountOpens", payee)];
}

const TITLES = {
  compliance: "Compliance",
  contract: "Agreement",
  bank: "Payout account",
  collectionAccount: "Collection account",
};

const isComplete = ({ onboarding }) => Object.values(onboarding).every(Boolean);

/** Whether it only owes invoices, and nobody has begun to onboard it: a payor needs none of that. */
export const isPayor = (it) => it.payor && !it.payee && !it.claimed && it.invited.length === 0 && !Object.values(it.onboarding).some(Boolean);

function role({ payee, payor }) {
  if (payee && payor) return "vendor, payor";
  return payor ? "payor" : "vendor";
}

/** What comes next for a vendor; undefined if it is onboarded. */
function next(business) {
  if (isComplete(business)) return undefined;
  if (!business.claimed) return "claimed";
  return Object.keys(TITLES).find((name) => !business.onboarding[name]);
}

/** The four requirements as marks, and in words. */
function progress(business) {
  if (isPayor(business)) return el("span", { class: "quiet" }, "needs none");
  const met = Object.keys(TITLES).filter((name) => business.onboarding[name]);
  const marks = Object.keys(TITLES).map((name) => el("span", { class: business.onboarding[name] ? "met" : "unmet", title: `${TITLES[name]}: ${business.onboarding[name] ? "met" : "not met"}`, "aria-hidden": "true" }));
  const said = met.length === 4 ? "all met" : met.length === 0 ? "none met" : `met: ${met.map((name) => TITLES[name]).join(", ")}`;
  return el("span", { class: "progress" }, marks, el("span", { class: "sr" }, said), el("span", { class: "quiet", "aria-hidden": "true" }, `${met.length}/4`));
}

function stepButton(business) {
  const name = isPayor(business) ? undefined : next(business);
  if (name === undefined) return "";
  const [text, does] = step(business, name);
  const done = () => perform([named(business.externalId), `: ${text.charAt(0).toLowerCase()}${text.slice(1)}. Done.`], does);
  return buttonFor(business.externalId, text, done, { class: "small", "data-part": "next" });
}

function complete(business) {
  const { externalId } = business;
  const all = () => perform(({ steps }) => [named(externalId), ` is onboarded: ${steps.map(words).join(", ")}.`],
    () => act("vendorCompletesOnboarding", { payeeExternalId: externalId }));
  const text = isPayor(business) ? "Onboard it as a vendor" : "Complete onboarding";
  return !isComplete(business) && buttonFor(externalId, text, all, { "data-part": "all" });
}

function checklist(business) {
  const rows = Object.entries(TITLES).map(([name, title]) => {
    const isMet = business.onboarding[name];
    return el("li", { class: isMet ? "met" : "unmet" }, title, el("span", { class: "sr" }, isMet ? ": met" : ": not met"));
  });
  return !isPayor(business) && el("ul", { class: "checklist" }, rows);
}

function details(business) {
  const { externalId, remittance, opensAt, complianceRoute, outstanding, testAccount, invited, claimed } = business;
  return el("div", { class: "details" },
    checklist(business),
    facts([
      ["Role", sentence(role(business))],
      ["Invitation", !isPayor(business) && (claimed ? "accepted" : invited.length > 0 ? `sent to ${invited.join(", ")}` : "none yet")],
      ["Collection account", remittance && `${remittance.accountNumber} · routing ${remittance.routingNumber}`],
      ["Account opens", opensAt && instant(opensAt)],
      ["Compliance by", complianceRoute && words(complianceRoute)],
      ["Outstanding", outstanding ? cents(outstanding) : ""],
      ["Account", testAccount && "test account: no money"],
    ]),
    el("div", { class: "buttons" },
      complete(business),
      buttonFor(externalId, "Show in the timeline", () => find(externalId), { "data-part": "find" })));
}

let show = () => {};

export function startBusinesses() {
  show = table(byId("businesses").querySelector(".table"), {
    caption: "Businesses",
    keyOf: (it) => it.externalId,
    label: (it) => el("code", {}, it.externalId),
    details,
    columns: [
      { title: "Business", cell: ({ name, externalId }) => name && name !== externalId && [" ", el("span", { class: "quiet" }, named(name))] },
      { title: "Role", cell: (it) => role(it) },
      { title: "Onboarding", cell: progress },
      { title: "Outstanding", kind: "number", cell: ({ outstanding }) => outstanding ? cents(outstanding) : "" },
      { title: "Next step", kind: "next", cell: (it) => [stepButton(it), next(it) === "collectionAccount" && it.opensAt && el("span", { class: "quiet second" }, `opens at ${instant(it.opensAt)}`)] },
    ],
  });
}

export function showBusinesses({ businesses }) {
  byId("businesses").querySelector(".empty").hidden = businesses.length > 0;
  // Vendors first: payors need nothing.
  show([...businesses].sort((one, other) => isPayor(one) - isPayor(other)));
}
