import { EventEmitter, on, once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { isMetBy, listOf, nameOf, NotDelivered, TOO_EARLY, WAITING, type Reasons, type Waiting } from "./deliveries.js";
import { asyncDispose } from "./dispose.js";
import { checkEventType } from "./event-types.js";
import { checkFields } from "./fields.js";
import { now } from "./real.js";
import { says } from "./says.js";
import { headerOf, NotVerified, verify, type Doubt } from "./signature.js";
import type { Event, SentEventType } from "./types.js";
import { PATIENCE, until } from "./wait.js";

/** A request that came, and what the receiver made of it. */
export interface Received {
  /** The header `Service-Delivery`: the same for each attempt. */
  readonly id: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** What the receiver answered. */
  readonly status: number;
  /** Why it does not believe the request; undefined if it does. */
  readonly doubt: Doubt | undefined;
  /** Whether it had accepted this delivery already. */
  readonly isDuplicate: boolean;
}

/** A receiver of webhooks on this machine, as the document wants one. */
export class Webhooks {
  readonly url: string;
  /** The secrets of the subscriptions that it believes. */
  secrets: string[] = [];
  /** The events that it accepted: verified, and each delivery once. */
  readonly events: Event[] = [];
  /** All that came, refused or not. */
  readonly deliveries: Received[] = [];

  readonly #server: Server;
  readonly #accepted = new Set<string>();
  readonly #changed = new EventEmitter().setMaxListeners(0);
  readonly #reasons: Reasons;
  #status = 204;

  constructor(server: Server, reasons: Reasons) {
    this.#server = server;
    this.#reasons = reasons;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
    server.on("request", async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      response.writeHead(this.#receive(request.headers, Buffer.concat(chunks))).end();
    });
  }

  /** The secret of the newest subscription. Setting it forgets the others. */
  get secret(): string | undefined {
    return this.secrets.at(-1);
  }

  set secret(secret: string) {
    this.secrets = [secret];
  }

  /** From now on answers verified deliveries so. Only with 2xx does it accept them. */
  answer(status: number): void {
    this.#status = status;
  }

  /**
   * The first event of this type that it accepted, or will accept in time. `options` choose among such events, and say
   * how long to wait; a number is the timeout in milliseconds.
   */
  async waitFor<Type extends SentEventType>(type: Type, options: number | Waiting<Type> = {}): Promise<Event<Type>> {
    const waiting: Waiting<Type> = typeof options === "number" ? { timeout: options } : options;
    checkEventType(type);
    checkFields(`waitFor("${type}", { payee: "acme" })`, waiting, WAITING);
    const { timeout = PATIENCE, ...about } = waiting;
    const look = () => this.events.find((event) => isMetBy(type, about, event)) as Event<Type> | undefined;
    const found = await until(look, (signal) => on(this.#changed, "received", { signal }), timeout);
    if (found) return found;
    const head = `no ${says(type, about)} within ${timeout} ms. Instead came:${listOf(this.deliveries.map(lineOf))}`;
    const hasCome = this.events.some((event) => event.type === type);
    throw new NotDelivered([head, ...(await this.#reasons(type, hasCome, this.url))].join("\n"));
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections?.();
    await closed;
  }

  [asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The status of the answer. */
  #receive(headers: IncomingHttpHeaders, body: Buffer): number {
    const id = headerOf(headers, "service-delivery");
    const doubt = this.#doubt(headers, body);
    const status = doubt ? 401 : this.#status;
    const isDuplicate = !doubt && id !== undefined && this.#accepted.has(id);
    this.deliveries.push({ id, headers, body, status, doubt, isDuplicate });
    if (status >= 200 && status < 300 && !isDuplicate) {
      if (id !== undefined) this.#accepted.add(id);
      this.events.push(JSON.parse(body.toString()));
    }
    this.#changed.emit("received");
    return status;
  }

  #doubt(headers: IncomingHttpHeaders, body: Buffer): Doubt | undefined {
    // Signatures have the real time, or with `signWith: "virtual"` the mock's, which a test can fake.
    const [doubt, otherDoubt] = [now(), Date.now()].map((time) => this.#doubtAt(time, headers, body));
    return otherDoubt && doubt;
  }

  #doubtAt(time: number, headers: IncomingHttpHeaders, body: Buffer): Doubt | undefined {
    try {
      verify(this.secrets, headers, body, { now: Math.floor(time / 1000) });
      return undefined;
    } catch (error) {
      if (error instanceof NotVerified) return error.reason;
      throw error;
    }
  }
}

/** Starts a receiver on a free port. Give it the secret of the subscription: until then it believes nobody. */
export function startWebhooks(): Promise<Webhooks> {
  return listen(async (event, hasCome, url) => (hasCome ? [] : [`Is ${url} subscribed to ${event}? ${TOO_EARLY}`]));
}

export async function listen(reasons: Reasons): Promise<Webhooks> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A test that forgets to close it does not hang.
  server.unref();
  return new Webhooks(server, reasons);
}

function lineOf({ body, status, doubt, isDuplicate }: Received): string {
  const why = doubt ? `, its signature is ${doubt}` : isDuplicate ? ", a duplicate" : "";
  return `${describe(body)}: answered ${status}${why}`;
}

function describe(body: Buffer): string {
  try {
    const event = JSON.parse(body.toString());
    return nameOf(event.type, event);
  } catch {
    return `${body.length} bytes that are no JSON`;
  }
}
