// Invoices, where their money went, and what the outside world does to them.

import { act, ask, perform } from "./api.js";
import { bar, buttonFor, byId, el, facts, named, pill } from "./dom.js";
import { amount, cents, counted, day, decimal, instant, words } from "./shown.js";
import { explained } from "./clauses.js";
import { table } from "./tables.js";
import { find } from "./timeline.js";

const ids = ({ payee, externalId }) => ({ payeeExternalId: payee, invoiceExternalId: externalId });
const name = ({ payee, externalId }) => `${payee}/${externalId}`;

const isOpen = ({ collected, faceValue }) => collected < faceValue;

const pay = (invoice, paid) =>
  perform(({ applied, suspense }) => [`The payor paid ${cents(applied)} for `, named(invoice.externalId), `${suspense ? `; ${cents(suspense)} are in suspense` : ""}.`],
    () => act("payorPays", { ...ids(invoice), amount: paid }));

function payment(invoice) {
  const { externalId, faceValue, collected } = invoice;
  if (!isOpen(invoice)) return null;
  const input = el("input", { "aria-label": `Amount that the payor pays for ${externalId}, in dollars`, inputmode: "decimal", size: 10, value: decimal(faceValue - collected), "data-part": "amount" });
  const pays = (event) => {
    event.preventDefault();
    pay(invoice, amount(input.value));
  };
  return el("form", { class: "joined", onsubmit: pays }, el("span", { class: "unit", "aria-hidden": "true" }, "$"), input,
    el("button", { type: "submit", "data-part": "pay", "aria-label": `Payor pays (${externalId})` }, "Payor pays"));
}

const STEPS = {
  REQUESTED: ["Funding starts", "fundingStarts"],
  FUNDING: ["Funding completes", "fundingCompletes"],
};

/** What usually comes next: the advance is requested, is funded, the payor pays. */
function next(invoice) {
  const { externalId, advance, status } = invoice;
  const [text, action] = (advance && STEPS[advance.state]) ?? [];
  if (text) return buttonFor(externalId, text, () => perform([named(externalId), `: ${text.toLowerCase()}.`], () => act(action, ids(invoice))), { class: "small", "data-part": "fund" });
  if (!advance && isOpen(invoice) && status === "ISSUED") {
    const request = () => perform([named(externalId), ": the advance is requested."], () => ask("POST", "/v1/advances", ids(invoice)));
    return buttonFor(externalId, "Request an advance", request, { class: "small", "data-part": "request" });
  }
  if (advance && isOpen(invoice)) {
    return buttonFor(externalId, "Payor pays the rest", () => pay(invoice, invoice.faceValue - invoice.collected), { class: "small", "data-part": "rest" });
  }
  return "";
}

function objections(invoice, answer) {
  const { externalId } = invoice;
  const why = async () => {
    const query = new URLSearchParams({ payee: invoice.payee, invoice: externalId });
    const found = await perform(({ objections }) => [named(externalId), objections.length ? ` cannot be financed: ${counted(objections.length, "objection")}.` : " can be financed."],
      () => ask("GET", `/_sim/objections?${query}`));
    if (!found) return;
    const shown = found.objections.map(({ sentence, code, clause }) => el("li", {}, sentence, " ", el("code", {}, code), el("br", {}), el("span", { class: "quiet" }, explained(clause))));
    answer.replaceChildren(...(shown.length ? [el("ol", {}, shown)] : [el("p", {}, "Nothing stands against an advance.")]));
  };
  return !invoice.advance && buttonFor(externalId, "Why not?", why, { "data-part": "why", title: "Lists everything that stands against an advance" });
}

/** Where every cent of the face value is. */
function money(invoice) {
  const { faceValue, collected, advance, money: at } = invoice;
  const rows = [
    ["Face value", faceValue],
    ["Advance to the vendor", advance?.amountSent],
    ["Back to the funder", at.recovered],
    ["Fee to the funder", at.fee],
    ["Forwarded to the vendor", at.forwarded],
    ["Held until funding", at.held],
    ["Not paid yet", faceValue - collected],
  ].filter(([, cents], index) => index === 0 || cents);
  return el("section", {}, el("h3", {}, "Where the money is"),
    el("table", { class: "plain-table money" }, el("tbody", {}, rows.map(([title, value]) => el("tr", {}, el("th", { scope: "row" }, title), el("td", {}, cents(value)))))));
}

function details(invoice) {
  const { externalId, payee, payor, faceValue, collected, advance } = invoice;
  const answer = el("div", { class: "answer" });
  const due = advance ? advance.advanceAmount + advance.feeTotal : 0;
  return el("div", { class: "details" },
    facts([
      ["Payee", named(payee)],
      ["Payor", named(payor)],
      ["Status", `${words(invoice.status)}, ${words(invoice.collectionState)}`],
      ["Due", day(invoice.dueDate)],
      ["Advance", advance && `${cents(advance.advanceAmount)}, fee ${cents(advance.feeTotal)}`],
      ["Requested", advance && instant(advance.requestedAt)],
      ["Funded", advance?.fundedAt && instant(advance.fundedAt)],
      ["Repaid", advance?.repaidAt && instant(advance.repaidAt)],
    ]),
    bar("Collected", collected, faceValue, `${cents(collected)} of ${cents(faceValue)}`),
    advance && bar("Owed", advance.amountOwed, due, `${cents(advance.amountOwed)} of ${cents(due)}`, "owed"),
    el("div", { class: "buttons" },
      payment(invoice),
      objections(invoice, answer),
      buttonFor(externalId, "Show in the timeline", () => find(name(invoice)), { "data-part": "find" })),
    answer,
    money(invoice));
}

const KINDS = { REQUESTED: "waits", FUNDING: "waits", FUNDED: "good", REPAID: "done" };

function collectedCell({ collected, faceValue }) {
  if (collected === 0) return el("span", { class: "quiet" }, "–");
  return collected === faceValue ? "in full" : bar("", collected, faceValue, cents(collected));
}

let show = () => {};

export function startInvoices() {
  show = table(byId("invoices").querySelector(".table"), {
    caption: "Invoices",
    keyOf: (it) => JSON.stringify([it.payee, it.externalId]),
    label: (it) => el("code", {}, it.externalId),
    details,
    columns: [
      { title: "Invoice", cell: ({ payee, payor }) => el("span", { class: "second parties", title: `${payee} is owed, ${payor} owes` }, named(payee), " ← ", named(payor)) },
      { title: "Face value", kind: "number bare", cell: ({ faceValue }) => cents(faceValue) },
      { title: "Collected", kind: "number", cell: collectedCell },
      { title: "Advance", cell: ({ advance, status }) => advance ? pill(words(advance.state), KINDS[advance.state] ?? "") : el("span", { class: "quiet" }, status === "ISSUED" ? "none" : words(status)) },
      { title: "Owed", kind: "number minor", cell: ({ advance }) => advance?.amountOwed ? cents(advance.amountOwed) : "" },
      { title: "Next step", kind: "next", cell: next },
    ],
  });
}

export function showInvoices({ invoices }) {
  byId("invoices").querySelector(".empty").hidden = invoices.length > 0;
  show(invoices);
}

const BOOKS = { payor: "Payors", funder: "Funder", vendor: "Vendors", fees: "Fees", held: "Held until funding", suspense: "Suspense" };
const MEANS = {
  payor: "negative: what they have paid",
  funder: "negative: what is lent and not back",
  vendor: "advances and forwarded payments",
  fees: "earned by the funder",
  held: "payments for advances that are not funded yet",
  suspense: "payments beyond a face value",
};

export function showMoney({ books }) {
  const rows = Object.entries(BOOKS).map(([account, title]) => el("tr", {}, el("th", { scope: "row" }, title, el("span", { class: "quiet second" }, MEANS[account])), el("td", { class: "number" }, cents(books[account]))));
  const sum = Object.keys(BOOKS).reduce((total, account) => total + books[account], 0);
  byId("books").replaceChildren(...rows, el("tr", { class: "sum" }, el("th", { scope: "row" }, "Sum"), el("td", { class: "number" }, cents(sum))));
}
