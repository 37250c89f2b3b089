// Businesses, their requirements, and the next step to meet them.

import { act, ask, perform } from "./api.js";
import { button, byId, el, facts, keyed, named } from "./dom.js";
import { cents, instant, words } from "./shown.js";

const ADDRESS = { line1: "1 Quay", city: "Portland", state: "OR", postalCode: "97201" };
const EMAIL = "vendor@vendor.example";

/** What is to do for a requirement: a text for the button, and what it does. */
function step(business, name) {
  const payee = { payeeExternalId: business.externalId };
  if (name === "claimed") {
    const [email] = business.invited;
    if (email === undefined) return ["Invite the vendor", () => ask("POST", "/v1/invitations", { externalId: business.externalId, email: EMAIL })];
    return ["The vendor accepts", () => act("vendorAcceptsInvitation", { ...payee, email })];
  }
  if (name === "compliance") {
    const taxId = business.taxIdOnFile ? {} : { taxId: String(900000000 + Math.floor(Math.random() * 99999999)) };
    return ["The vendor confirms the tax id", () => act("vendorConfirmsTaxId", { ...payee, route: "VENDOR_ASSERTION", ...taxId })];
  }
  if (name === "contract") return ["The vendor signs", () => act("vendorSignsAgreement", { ...payee, address: ADDRESS })];
  if (name === "bank") {
    return ["The vendor adds an account", () => act("vendorAddsBankAccount", { ...payee, accountNumber: "000123456789", routingNumber: "021000021" })];
  }
  return ["The bank opens the account", () => act("collectionAccountOpens", payee)];
}

const TITLES = {
  claimed: "Invitation accepted",
  compliance: "Compliance",
  contract: "Agreement",
  bank: "Payout account",
  collectionAccount: "Collection account",
};

function checklist(business) {
  const { compliance, contract, bank, collectionAccount } = business.onboarding;
  const met = { claimed: business.claimed, compliance, contract, bank, collectionAccount };
  const complete = compliance && contract && bank && collectionAccount;
  const next = complete ? undefined : Object.keys(met).find((name) => !met[name]);
  const rows = Object.entries(met).filter(([name]) => name !== "claimed" || !complete).map(([name, isMet]) => {
    const [text, does] = step(business, name);
    const done = () => perform([named(business.externalId), `: ${text.toLowerCase()}. Done.`], does);
    return el("li", { class: isMet ? "met" : "unmet" },
      el("span", {}, TITLES[name], el("span", { class: "sr" }, isMet ? ": met" : ": not met")),
      name === next && button(text, done, { class: "main", "data-part": "next", "aria-label": `${text} (${business.externalId})` }));
  });
  return el("ul", { class: "checklist" }, rows);
}

function card(business) {
  const { externalId, name, onboarding, remittance } = business;
  const complete = Object.values(onboarding).every(Boolean);
  const all = () => perform(({ steps }) => [named(externalId), ` is onboarded: ${steps.map(words).join(", ")}.`],
    () => act("vendorCompletesOnboarding", { payeeExternalId: externalId }));
  return el("article", { class: "card" },
    el("h3", {}, named(name || externalId), " ", el("code", {}, externalId)),
    checklist(business),
    facts([
      ["Collection account", remittance && `${remittance.accountNumber} · routing ${remittance.routingNumber}`],
      ["Account opens", business.opensAt && instant(business.opensAt)],
      ["Compliance by", business.complianceRoute && words(business.complianceRoute)],
      ["Outstanding", business.outstanding ? cents(business.outstanding) : ""],
      ["Account", business.testAccount && "test account: no money"],
    ]),
    !complete && el("div", { class: "buttons" }, button("Complete onboarding", all, { "data-part": "all", "aria-label": `Complete onboarding of ${externalId}` })));
}

export function showBusinesses({ businesses }) {
  byId("businesses").querySelector(".empty").hidden = businesses.length > 0;
  keyed(byId("businesses").querySelector(".cards"), businesses, (it) => it.externalId, card);
}
