// Invoices, where their money went, and what the outside world does to them.

import { act, ask, perform } from "./api.js";
import { bar, button, byId, el, facts, keyed, named } from "./dom.js";
import { cents, instant, words } from "./shown.js";

const ids = ({ payee, externalId }) => ({ payeeExternalId: payee, invoiceExternalId: externalId });

/** Cents in a text such as `1,000.50`; NaN if it is none. */
const amount = (text) => Math.round(Number(text.replaceAll(",", "")) * 100);

function payment(invoice) {
  const { externalId, faceValue, collected } = invoice;
  const open = Math.max(0, faceValue - collected);
  const input = el("input", { "aria-label": `Amount that the payor pays for ${externalId}`, inputmode: "decimal", size: 12, value: (open / 100).toFixed(2), "data-part": "amount" });
  const pays = (event) => {
    event.preventDefault();
    perform(({ applied, suspense }) => [`The payor paid ${cents(applied)} for `, named(externalId), `${suspense ? `; ${cents(suspense)} are in suspense` : ""}.`],
      () => act("payorPays", { ...ids(invoice), amount: amount(input.value) }));
  };
  return el("form", { class: "buttons", onsubmit: pays }, input,
    el("button", { type: "submit", "data-part": "pay", "aria-label": `The payor pays for ${externalId}` }, "Payor pays"));
}

const STEPS = {
  REQUESTED: ["Funding starts", "fundingStarts"],
  FUNDING: ["Funding completes", "fundingCompletes"],
};

function buttons(invoice, answer) {
  const { externalId, advance } = invoice;
  const step = advance && STEPS[advance.state];
  const label = (text) => `${text} (${externalId})`;
  const request = () => perform([named(externalId), ": the advance is requested."], () => ask("POST", "/v1/advances", ids(invoice)));
  const why = async () => {
    const query = new URLSearchParams({ payee: invoice.payee, invoice: externalId });
    const found = await perform(({ objections }) => [named(externalId), objections.length ? ` cannot be financed: ${objections.length} objections.` : " can be financed."],
      () => ask("GET", `/_sim/objections?${query}`));
    if (!found) return;
    const shown = found.objections.map(({ sentence, code, clause }) => el("li", {}, sentence, " ", el("code", {}, code), " ", el("code", {}, clause)));
    answer.replaceChildren(...(shown.length ? [el("ol", {}, shown)] : [el("p", {}, "Nothing stands against an advance.")]));
  };
  return el("div", { class: "buttons" },
    step && button(step[0], () => perform([named(externalId), `: ${step[0].toLowerCase()}.`], () => act(step[1], ids(invoice))),
      { class: "main", "data-part": "fund", "aria-label": label(step[0]) }),
    !advance && button("Request an advance", request, { "data-part": "request", "aria-label": label("Request an advance") }),
    !advance && button("Why not?", why, { "data-part": "why", "aria-label": label("Why can it not be financed?") }));
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
  return el("details", { "data-part": "money" }, el("summary", {}, "Where the money is"),
    el("table", {}, el("tbody", {}, rows.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, cents(value)))))));
}

function card(invoice) {
  const { externalId, payee, payor, faceValue, collected, advance } = invoice;
  const answer = el("div", { class: "answer" });
  const due = advance ? advance.advanceAmount + advance.feeTotal : 0;
  return el("article", { class: "card" },
    el("h3", {}, el("code", {}, externalId), " ", el("span", { class: `state ${advance ? advance.state.toLowerCase() : ""}` }, advance ? words(advance.state) : "no advance")),
    facts([
      ["From, to", [named(payee), " → ", named(payor)]],
      ["Status", `${words(invoice.status)}, ${words(invoice.collectionState)}`],
      ["Due", instant(invoice.dueDate).slice(0, 10)],
      ["Advance, fee", advance && `${cents(advance.advanceAmount)}, ${cents(advance.feeTotal)}`],
    ]),
    bar("Collected", collected, faceValue, `${cents(collected)} of ${cents(faceValue)}`),
    advance && bar("Owed", advance.amountOwed, due, `${cents(advance.amountOwed)} of ${cents(due)}`, "owed"),
    buttons(invoice, answer), answer,
    payment(invoice),
    money(invoice));
}

export function showInvoices({ invoices }) {
  byId("invoices").querySelector(".empty").hidden = invoices.length > 0;
  keyed(byId("invoices").querySelector(".cards"), invoices, (it) => JSON.stringify([it.payee, it.externalId]), card);
}

const BOOKS = { payor: "Payors", funder: "Funder", vendor: "Vendors", fees: "Fees", held: "Held until funding", suspense: "Suspense" };

export function showMoney({ books }) {
  const rows = Object.entries(BOOKS).map(([account, name]) => el("div", {}, el("dt", {}, name), el("dd", {}, cents(books[account]))));
  byId("books").replaceChildren(...rows);
}
