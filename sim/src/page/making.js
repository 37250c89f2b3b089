// What can be made by hand: a vendor, an invoice, a subscription, a fault.

import { act, ask, fixed, say } from "./api.js";
import { button, byId, copy, el, named } from "./dom.js";
import { fill } from "./forms.js";
import { ADDRESS } from "./samples.js";
import { amount, sentence, words } from "./shown.js";

/** The overview of the world that is shown: what forms offer comes from it. */
let seen = { businesses: [], invoices: [], now: "" };
export const remember = (overview) => { seen = overview; };

const path = (id) => encodeURIComponent(id);

/** The first name of this kind that is free. */
function free(prefix, taken) {
  let number = 1;
  while (taken.includes(`${prefix}${number}`)) number += 1;
  return `${prefix}${number}`;
}

const later = (days) => new Date(Date.parse(seen.now) + days * 86_400_000).toISOString().slice(0, 10);

function vendor() {
  fill({
    title: "New vendor",
    about: "PUT /v1/organizations/{externalId}, with your key.",
    submit: "Create the vendor",
    fields: [
      { name: "externalId", label: "Your identifier", required: true, value: free("vendor-", seen.businesses.map((it) => it.externalId)) },
      { name: "legalName", label: "Legal name", required: true, value: "Acme Ltd" },
      { name: "taxId", label: "Tax id", hint: "A valid one clears compliance at once." },
      { name: "onboard", label: "Complete its onboarding at once", kind: "checkbox", value: true },
    ],
    send: async ({ externalId, legalName, taxId, onboard }) => {
      const { created, reason } = await ask("PUT", `/v1/organizations/${path(externalId)}`, { legalName, ...(taxId && { taxId }), contact: { address: ADDRESS } });
      if (onboard) await act("vendorCompletesOnboarding", { payeeExternalId: externalId });
      say([named(externalId), created ? " is created" : " is updated", onboard ? " and onboarded. " : ". ", reason ?? ""]);
    },
  });
}

function invoice() {
  const names = seen.businesses.map((it) => it.externalId);
  const payee = seen.businesses.find((it) => it.payee || Object.values(it.onboarding).some(Boolean))?.externalId ?? names[0] ?? "acme";
  fill({
    title: "New invoice",
    about: "PUT /v1/invoices/{externalId}, with your key. Businesses that are not there yet are created.",
    submit: "Create the invoice",
    fields: [
      { name: "payee", label: "Payee: the vendor", required: true, value: payee, list: names },
      { name: "payor", label: "Payor", required: true, value: "globex", list: names },
      { name: "externalId", label: "Your identifier", required: true, value: free("INV-", seen.invoices.filter((it) => it.payee === payee).map((it) => it.externalId)) },
      { name: "faceValue", label: "Face value in dollars", required: true, value: "10000.00" },
      { name: "dueDate", label: "Due", kind: "date", required: true, value: later(60) },
    ],
    send: async (given) => {
      const party = (id) => ({ externalId: id, legalName: seen.businesses.find((it) => it.externalId === id)?.name || id });
      const { outcome } = await ask("PUT", `/v1/invoices/${path(given.externalId)}`, {
        payee: party(given.payee), payor: party(given.payor), status: "ISSUED", faceValue: amount(given.faceValue),
        issueDate: seen.now, dueDate: `${given.dueDate}T00:00:00Z`,
      });
      say([named(given.externalId), ` is ${words(outcome)}.`]);
    },
  });
}

async function subscription() {
  const { components } = await fixed("/_sim/operator.json");
  fill({
    title: "New subscription",
    about: "POST /v1/webhooks, with your key. Unless the mock was started with --webhooks local, it sends to public https URLs alone.",
    submit: "Subscribe",
    fields: [
      { name: "url", label: "URL", kind: "url", required: true, value: `${location.origin}/_sim/receiver`, hint: "Suggested: a receiver in this mock, which accepts everything." },
      { name: "event", label: "Events", value: "", options: [{ value: "", text: "every event, future ones too" }, ...components.schemas.EventType.enum] },
    ],
    send: async ({ url, event }) => {
      const { reference, secret } = await ask("POST", "/v1/webhooks", { url, ...(event && { eventTypes: [event] }) });
      const saved = button("Copy the secret", () => copy(secret, say), { class: "small" });
      say(["Subscribed as ", el("code", {}, reference), ". The secret is shown only now: ", el("code", {}, secret), " ", saved]);
    },
  });
}

/** The identifiers of the operations of the API, in its own document. */
async function operations() {
  const { paths } = await fixed("/_sim/openapi.json");
  return Object.values(paths).flatMap((methods) => Object.values(methods)).map((it) => it.operationId).filter(Boolean);
}

/** How the value of a field of a rule is asked for. */
function ofRule(name, { type, description = "", minimum }, choices) {
  const isNumber = type === "integer";
  const any = name === "when" ? [] : [{ value: "", text: "any" }];
  const given = { nth: "1", percent: "", when: choices.when[0] };
  return {
    name,
    label: name === "nth" ? "Which one" : sentence(words(name)),
    kind: isNumber ? "number" : "text",
    options: choices[name] && [...any, ...choices[name]],
    // The act is chosen already.
    hint: sentence(description.replace(/^For [^:]*: /, "").replaceAll("`", "")),
    value: given[name] ?? (isNumber ? String(minimum ?? 1) : ""),
  };
}

async function fault() {
  const [{ components: { schemas } }, names] = await Promise.all([fixed("/_sim/operator.json"), operations()]);
  const { properties, "x-fields": fields } = schemas.FaultRule;
  const choices = { operation: names, event: schemas.EventType.enum, when: schemas.When.enum };
  const acts = schemas.ActName.enum;
  const named = (isOf) => acts.filter((act) => fields[act].includes("operation") === isOf).map((value) => ({ value, text: words(value) }));
  fill({
    title: "New fault",
    about: "It acts once, on the request or the webhook of this number among those that it selects. Without a number it acts on all of them.",
    submit: "Add the fault",
    fields: ({ act = acts[0] }) => {
      // What belongs to this act alone stands last in the list, and matters most.
      const own = fields[act].slice(fields[act].indexOf("act") + 1);
      const others = fields[act].filter((name) => name !== "act" && name !== "label" && !own.includes(name));
      return [
        { name: "act", label: "What happens", value: act, options: [{ group: "To a request", options: named(true) }, { group: "To a webhook", options: named(false) }] },
        ...[...own, ...others, "label"].map((name) => ofRule(name, properties[name], choices)),
      ];
    },
    send: async (given) => {
      const typed = ([name, value]) => [name, properties[name].type === "integer" ? Number(value) : value];
      const { ids } = await ask("POST", "/_sim/faults", Object.fromEntries(Object.entries(given).map(typed)));
      say(`Fault ${ids[0]} is added.`);
    },
  });
}

const MAKERS = { "make-vendor": vendor, "make-vendor-first": vendor, "make-invoice": invoice, "make-subscription": subscription, "make-fault": fault };

export function startMaking() {
  for (const [id, make] of Object.entries(MAKERS)) {
    byId(id).addEventListener("click", () => Promise.resolve(make()).catch((error) => say(error.message, true)));
  }
}
