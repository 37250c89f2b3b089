// A client of the Receivables Advance Partner API, and its receiver of webhooks, as a platform would write them. In
// production the state is in a database. Places in brackets are those of the API's document.

import { createServer, type Server } from "node:http";

import { NotVerified, verify, type Api, type Event } from "tideover";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    prose: string,
  ) {
    super(`${status} ${code}: ${prose}`);
  }
}

/** Who calls the API. */
export class PartnerClient {
  constructor(
    private readonly baseUrl: string,
    private readonly key: string,
    private readonly pause = (attempt: number) => new Promise((resolve) => setTimeout(resolve, 200 * 2 ** attempt)),
  ) {}

  syncBusiness(externalId: string, body: Api["BusinessSync"]): Promise<Api["BusinessSynced"]> {
    return this.#send("PUT", path`/v1/organizations/${externalId}`, body);
  }

  setPayoutAccount(externalId: string, body: Api["PayoutAccount"]): Promise<Api["PayoutAccountSet"]> {
    return this.#send("PUT", path`/v1/organizations/${externalId}/payout-account`, body);
  }

  business(externalId: string): Promise<Api["Business"]> {
    return this.#send("GET", path`/v1/organizations/${externalId}`);
  }

  syncInvoice(externalId: string, body: Api["InvoiceSync"]): Promise<Api["InvoiceSynced"]> {
    return this.#send("PUT", path`/v1/invoices/${externalId}`, body);
  }

  invite(externalId: string, email: string): Promise<Api["Invited"]> {
    return this.#send("POST", "/v1/invitations", { externalId, email });
  }

  quote(externalId: string, invoiceFaceValue: number): Promise<Api["Quoted"]> {
    return this.#send("POST", "/v1/quotes", { externalId, invoiceFaceValue });
  }

  requestAdvance(payeeExternalId: string, invoiceExternalId: string): Promise<Api["AdvanceResponse"]> {
    return this.#send("POST", "/v1/advances", { payeeExternalId, invoiceExternalId });
  }

  /** Subscribes a URL; returns the secret. A subscription whose secret is lost is replaced (§4 Recovering). */
  async subscribe(url: string): Promise<string> {
    try {
      return (await this.#once<Api["Subscribed"]>("POST", "/v1/webhooks", { url })).secret;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "already_subscribed") throw error;
    }
    const subscriptions = await this.#send<Api["Subscription"][]>("GET", "/v1/webhooks");
    for (const { reference } of subscriptions.filter((subscription) => subscription.url === url)) {
      await this.#send("DELETE", path`/v1/webhooks/${reference}`);
    }
    return (await this.#once<Api["Subscribed"]>("POST", "/v1/webhooks", { url })).secret;
  }

  /** Only 502 is worth another try (§7 Retrying). */
  async #send<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#once(method, path, body);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 502 || attempt === 4) throw error;
        await this.pause(attempt);
      }
    }
  }

  async #once<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.key}`, ...(body && { "content-type": "application/json" }) };
    const response = await fetch(this.baseUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    const answer = text === "" ? undefined : JSON.parse(text);
    if (!response.ok) throw new ApiError(response.status, answer.code, answer.error);
    return answer as Answer;
  }
}

/** Identifiers are the platform's own: they may have any character. */
function path(parts: TemplateStringsArray, ...identifiers: string[]): string {
  return String.raw({ raw: parts }, ...identifiers.map(encodeURIComponent));
}

/** What the platform knows of an advance. */
export interface Financing {
  readonly sequence: number;
  readonly state: string;
}

/** Who receives the webhooks. */
export class Receiver {
  readonly financings = new Map<string, Financing>();
  readonly optedIn = new Set<string>();
  /** What the vendors have been advanced, in cents. */
  advanced = 0;
  readonly #processed = new Set<string>();

  constructor(private readonly secret: () => string) {}

  /** The status that a delivery is answered with. */
  receive(headers: { [name: string]: string | string[] | undefined }, body: Buffer): number {
    try {
      verify(this.secret(), headers, body);
    } catch (error) {
      if (error instanceof NotVerified) return 401;
      throw error;
    }
    // The same for each attempt of a delivery (§6 Delivery rule 3).
    const delivery = String(headers["service-delivery"]);
    if (!this.#processed.has(delivery)) {
      this.#process(JSON.parse(body.toString()));
      this.#processed.add(delivery);
    }
    return 204;
  }

  #process(event: Event): void {
    switch (event.type) {
      case "partner.organization.optedIn":
        this.optedIn.add(event.data.externalId);
        break;
      case "partner.loan.issued":
        this.advanced += event.data.advanceAmount;
        break;
      case "partner.invoice.factoredUpdated": {
        const { payeeExternalId, invoiceExternalId, state } = event.data;
        // An invoice's identifier is unique per payee (§1 rule 3).
        const key = JSON.stringify([payeeExternalId, invoiceExternalId]);
        // Deliveries come in any order (§6 Delivery rules 4 and 5).
        const { sequence } = this.financings.get(key) ?? { sequence: 0 };
        if (event.sequence > sequence) this.financings.set(key, { sequence: event.sequence, state });
        break;
      }
      default:
      // Kinds of events are added over time.
    }
  }

  financing(payee: string, invoice: string): Financing | undefined {
    return this.financings.get(JSON.stringify([payee, invoice]));
  }

  /** The receiver as a server. */
  server(): Server {
    return createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      response.writeHead(this.receive(request.headers, Buffer.concat(chunks))).end();
    });
  }
}

/** What the platform does for its vendors. */
export class Platform {
  /** Where the payors of each vendor pay. */
  readonly remittances = new Map<string, Api["Remittance"]>();

  constructor(private readonly client: PartnerClient) {}

  async addVendor(vendor: string, business: Api["BusinessSync"], account: Api["PayoutAccount"], email: string) {
    await this.client.syncBusiness(vendor, business);
    await this.client.setPayoutAccount(vendor, account);
    await this.client.invite(vendor, email);
  }

  /** Finances an invoice if it can be; else says why not. */
  async finance(vendor: string, invoice: string, faceValue: number): Promise<string | undefined> {
    const quote = await this.client.quote(vendor, faceValue);
    if (!quote.fundable) return quote.notFundableReason ?? "not fundable";
    const { remittance } = await this.client.requestAdvance(vendor, invoice);
    // From now on the payor pays into this account (§4 POST /v1/advances, rule 6).
    this.remittances.set(vendor, remittance);
    return undefined;
  }
}
