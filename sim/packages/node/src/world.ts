import { call, open, query, Refused, type Caller, type More } from "./call.js";
import { BadConduct, brokenRows, explained } from "./conduct.js";
import { isMetBy, lineOf, listOf, NotDelivered, standing, subscribedTo, WAITING, type Expected } from "./deliveries.js";
import { asyncDispose } from "./dispose.js";
import { checkEventType } from "./event-types.js";
import { checkFields } from "./fields.js";
import { ACTIONS } from "./generated/actions.js";
import { says } from "./says.js";
import { isRefused, lineOfRequest, timeline, type Act } from "./timeline.js";
import type {
  ActionName,
  Actions,
  Answered,
  Api,
  Delivery,
  DeliveryFilter,
  Done,
  Event,
  EventType,
  SentEventType,
  FaultRule,
  Fields,
  JournalEntry,
  JournalFilter,
  Method,
  Port,
  Sent,
} from "./types.js";
import { PATIENCE, until } from "./wait.js";
import { listen, type Webhooks } from "./webhooks.js";

/** A part of time: at least one of these. Parts add up. */
export interface Span {
  readonly seconds?: number;
  readonly minutes?: number;
  readonly hours?: number;
  readonly days?: number;
}

const NOT_ACCEPTED = ["retrying", "givenUp", "revoked"];

const UNITS = { seconds: 1, minutes: 60, hours: 3600, days: 86400 };

/** A method for each action of the operator port: what vendor, bank, payor and operator do. */
export interface World extends Actions {}

/** A service of its own within a mock. Its key selects it: for the API, and for the operator port. */
export class World {
  readonly id: string;
  /** The key of the first platform. */
  readonly key: string;
  /** The keys of all platforms that the world was made with. */
  readonly keys: readonly Port["WorldKey"][];

  readonly #acts: Act[] = [];
  /** The rules that were removed before they ever acted. */
  readonly #removedIdle = new Set<number>();
  readonly #receivers: Webhooks[] = [];
  /** How many requests subscribed a receiver: no client sent them. */
  #subscribed = 0;
  #deleted: Promise<void> | undefined;

  constructor(
    readonly url: string,
    { id, keys }: Port["WorldMade"],
  ) {
    this.id = id;
    this.key = keys[0]!.key;
    this.keys = keys;
  }

  // As the caller of the API.

  /**
   * Sends a request as a plain caller, and throws {@link Refused} if it is refused. A string is sent as it is: for a
   * file, and for what is no JSON.
   */
  request<M extends Method, Path extends string>(
    method: M,
    path: Path,
    body?: Sent<M, Path> | string,
    { key = this.key, ...more }: More & { key?: string } = {},
  ): Promise<Answered<M, Path>> {
    return call({ url: this.url, key }, method, path, body, more);
  }

  /** Starts a receiver, and subscribes it to these events, or to all. It is closed when the world is deleted. */
  async webhooks(eventTypes?: readonly EventType[]): Promise<Webhooks> {
    const receiver = await listen((event, hasCome, url) => this.#reasons(event, hasCome, url));
    this.#receivers.push(receiver);
    const body = { url: receiver.url, ...(eventTypes && { eventTypes: [...eventTypes] }) };
    this.#subscribed += 1;
    receiver.secret = (await this.request("POST", "/v1/webhooks", body)).secret;
    return receiver;
  }

  // As everybody else.

  /** Plays an action of the operator port by its name. */
  act<Name extends ActionName>(action: Name, fields?: Fields<Name>): Promise<Done<Name>> {
    return this.#do(says(action, fields), "POST", "/_sim/actions", { action, ...longer(fields) });
  }

  /** Moves the clock forward; what is due on the way happens. Returns what the clock shows then. */
  async advance(span: Span): Promise<string> {
    const advanceSeconds = secondsOf(span);
    return (await this.#move(says("advance", span), { advanceSeconds })).now;
  }

  async advanceTo(instant: string | Date): Promise<string> {
    const advanceTo = typeof instant === "string" ? instant : instant.toISOString();
    return (await this.#move(`advance to ${advanceTo}`, { advanceTo })).now;
  }

  /** Moves the clock until nothing is due any more. */
  untilQuiet(): Promise<Port["ClockMoved"]> {
    return this.#move("advance until quiet", { untilQuiet: true });
  }

  /** Moves the clock to the next thing that is due. `moved` is false if nothing is. */
  nextEvent(): Promise<Port["ClockMoved"]> {
    return this.#move("advance to the next event", { nextEvent: true });
  }

  async now(): Promise<string> {
    return (await this.#ask("GET", "/_sim/clock")).now;
  }

  /** Adds a rule by which requests or webhooks fail, as its act says; returns its number, for `removeFault`. */
  async fault(rule: FaultRule): Promise<number> {
    return (await this.#do(says("fault", rule), "POST", "/_sim/faults", rule)).ids[0];
  }

  /** The rules: `matched` counts the requests or webhooks that each selected, `fired` how often it acted. */
  async faults(): Promise<Port["Fault"][]> {
    return (await this.#ask("GET", "/_sim/faults")).faults;
  }

  /** Removes one rule, by the number that `fault` returned. */
  async removeFault(id: number): Promise<void> {
    await this.#keepIdle((each) => each === id);
    await this.#do(`remove the fault ${id}`, "DELETE", `/_sim/faults/${id}`);
  }

  /** Removes all rules. */
  async clearFaults(): Promise<void> {
    await this.#keepIdle(() => true);
    await this.#do("clear the faults", "DELETE", "/_sim/faults");
  }

  // What happened.

  async deliveries(filter?: DeliveryFilter): Promise<Delivery[]> {
    return (await this.#ask("GET", `/_sim/deliveries${query(filter)}`)).deliveries;
  }

  /**
   * Waits until nothing is left to be sent now. `notAccepted` has the deliveries that your receiver did not accept,
   * each with its `state`: `retrying` until the clock moves, `givenUp`, or `revoked` by an answer 410.
   */
  async waitForDeliveries(timeout = 30_000): Promise<Port["Quiet"] & { notAccepted: Delivery[] }> {
    const quiet = await this.#ask("POST", "/_sim/deliveries/wait", { patienceSeconds: Math.ceil(timeout / 1000) });
    const deliveries = await this.deliveries();
    if (quiet.quiet) return { ...quiet, notAccepted: deliveries.filter(({ state }) => NOT_ACCEPTED.includes(state)) };
    const head = `deliveries are still being sent after ${timeout} ms:${listOf(deliveries.map(lineOf))}`;
    throw new NotDelivered([head, ...standing(await this.#overview())].join("\n"));
  }

  /** The first webhook of this kind that a receiver has accepted. Waits for it; the clock does not move. */
  async expectDelivery<Type extends SentEventType>(expected: Expected<Type>): Promise<Delivery & { body: Event<Type> }> {
    checkFields('expectDelivery({ event: "partner.loan.issued" })', expected, ["event", ...WAITING]);
    checkEventType(expected.event);
    const { event, timeout = PATIENCE, ...about } = expected;
    const isIt = ({ state, body }: Delivery) => state === "accepted" && isMetBy(event, about, body);
    const look = async () => (await this.deliveries()).find(isIt);
    const found = await until(look, (signal) => this.#changes(signal), timeout);
    if (found) return found as Delivery & { body: Event<Type> };
    const came = await this.deliveries();
    const head = `no receiver has accepted ${says(event, about)} within ${timeout} ms`;
    const hasCome = came.some((delivery) => delivery.event === event);
    const reasons = await this.#reasons(event, hasCome);
    throw new NotDelivered([`${head}. Instead came:${listOf(came.map(lineOf))}`, ...reasons].join("\n"));
  }

  /** The last requests to the API, with their answers. */
  async journal(filter?: JournalFilter): Promise<JournalEntry[]> {
    return (await this.#ask("GET", `/_sim/journal${query(filter)}`)).entries;
  }

  /** Those that show a mistake of the client: none, at the end of a good test. */
  async unexpected(filter?: JournalFilter): Promise<JournalEntry[]> {
    return (await this.#ask("GET", `/_sim/journal/unexpected${query(filter)}`)).entries;
  }

  /**
   * What your client did of what the document asks of callers: a row for each duty, with its clause. `final` says that
   * your client is done: what it has begun and not finished is broken then.
   */
  conduct({ final = false } = {}): Promise<Port["Conduct"]> {
    return this.#ask("GET", `/_sim/conduct?final=${final}`);
  }

  /** Fails if your client, which is done, broke a duty; `ignore` leaves duties out by their `id`. */
  async assertGoodConduct({ ignore = [] }: { ignore?: readonly string[] } = {}): Promise<void> {
    const { rows } = await this.conduct({ final: true });
    const broken = brokenRows(rows, ignore);
    if (broken.length === 0) return;
    const [entries, deliveries] = await Promise.all([this.journal(), this.deliveries()]);
    const head = `${broken.length} of ${rows.length} duties broken in world ${this.id}`;
    throw new BadConduct([head, ...broken.map((row) => explained(row, entries, deliveries))].join("\n\n"));
  }

  /** What happened, as text: requests with their clauses, actions, moves of the clock, webhooks. */
  async timeline(): Promise<string> {
    return this.#timelineOf(await this.journal());
  }

  async #timelineOf(entries: readonly JournalEntry[]): Promise<string> {
    const neverActed = new Set([...this.#removedIdle, ...(await this.#idle())]);
    return timeline(entries, this.#acts, await this.deliveries(), neverActed);
  }

  /** What a failed test shows: the timeline, and why the last refused request was refused. */
  async report(): Promise<string> {
    const [{ nextRequest }, entries] = await Promise.all([this.#overview(), this.journal()]);
    const lines = await this.#timelineOf(entries);
    const refused = entries.filter(isRefused).at(-1);
    const isUntouched = nextRequest === this.#subscribed;
    return [
      `Tideover, world ${this.id}:`,
      ...(lines ? [lines] : []),
      ...(isUntouched ? [`Your client sent nothing: no request came with this world's key, ${this.key}.`] : []),
      ...(refused ? ["", "Last refusal:", lineOfRequest(refused)] : []),
    ].join("\n");
  }

  // Its life.

  /** Brings the world back to its start. With `repeat` it also mints the same names as the first time. */
  async reset({ repeat = false } = {}): Promise<void> {
    await this.#ask("POST", `/_sim/worlds/${this.id}/reset`, { repeat });
    this.#acts.length = 0;
    this.#removedIdle.clear();
    this.#subscribed = 0;
  }

  /** Makes a copy, which goes its own way. */
  async fork(): Promise<World> {
    return new World(this.url, await this.#ask("POST", `/_sim/worlds/${this.id}/fork`, {}));
  }

  /** Deletes the world, and closes the receivers that it started. */
  delete(): Promise<void> {
    const end = async () => {
      await this.#ask("DELETE", `/_sim/worlds/${this.id}`);
      await this.closeReceivers();
    };
    return (this.#deleted ??= end());
  }

  /** Closes the receivers that it started. */
  async closeReceivers(): Promise<void> {
    await Promise.all(this.#receivers.map((receiver) => receiver.close()));
  }

  [asyncDispose](): Promise<void> {
    return this.delete();
  }

  #ask(method: string, path: string, body?: unknown): Promise<any> {
    return call(this, method, path, body);
  }

  #move(what: string, move: Port["ClockMove"]): Promise<Port["ClockMoved"]> {
    return this.#do(what, "POST", "/_sim/clock", move);
  }

  /** Asks for something that the timeline shows. */
  async #do(what: string, method: string, path: string, body?: unknown): Promise<any> {
    try {
      const answer = await this.#ask(method, path, body);
      await this.#note(what, answer?.ids?.[0]);
      return answer;
    } catch (error) {
      if (error instanceof Refused) await this.#note(`${what}: refused, ${error.prose}`);
      throw error;
    }
  }

  async #note(what: string, fault?: number): Promise<void> {
    const { now, nextRequest, nextDelivery } = await this.#overview();
    this.#acts.push({ what, now, requests: nextRequest, deliveries: nextDelivery, fault });
  }

  #overview(): Promise<Port["Overview"]> {
    // A text that no business has: only the numbers are of interest.
    return this.#ask("GET", "/_sim/overview?text=%00");
  }

  /** Why an event has not come: of the world, or to a URL. */
  async #reasons(event: SentEventType, hasCome: boolean, url?: string): Promise<string[]> {
    // What went wrong must not hide what the test waited for.
    const overview = await this.#overview().catch(() => undefined);
    if (!overview) return [];
    const subscriptions = overview.subscriptions as Api["Subscription"][];
    return [...(hasCome ? [] : [subscribedTo(event, subscriptions, url)]), ...standing(overview)];
  }

  /** The rules that have not acted yet. */
  async #idle(): Promise<number[]> {
    return (await this.faults()).filter(({ fired }) => fired === 0).map(({ id }) => id);
  }

  /** Of a rule that is gone, nobody can ask how often it acted. */
  async #keepIdle(isGoing: (id: number) => boolean): Promise<void> {
    (await this.#idle()).filter(isGoing).forEach((id) => this.#removedIdle.add(id));
  }

  /** One when nothing is being sent any more, and one after each change of the world from then on. */
  async *#changes(signal: AbortSignal): AsyncGenerator<unknown> {
    // The stream tells of changes ten times a second at most; what is on its way arrives sooner.
    yield await call(this, "POST", "/_sim/deliveries/wait", { patienceSeconds: 1 }, { signal });
    const { body } = await open(this as Caller, "GET", "/_sim/events", undefined, { signal });
    for await (const change of body!) yield change;
  }
}

for (const action of ACTIONS) {
  if (action === "reset") continue;
  Object.defineProperty(World.prototype, action, {
    value(this: World, fields?: never) {
      return this.act(action, fields);
    },
  });
}

function secondsOf(span: Span): number {
  const call = "advance({ days: 30 })";
  checkFields(call, span, Object.keys(UNITS));
  const parts = Object.entries(span).filter(([, count]) => count !== undefined) as [keyof Span, unknown][];
  const wrong = parts.find(([, count]) => typeof count !== "number" || !Number.isFinite(count));
  if (wrong) throw new TypeError(`${call}: ${wrong[0]} is a number, not ${String(wrong[1])}`);
  if (parts.length === 0) throw new TypeError(`${call}: it needs one of ${Object.keys(UNITS).join(", ")}`);
  return parts.reduce((sum, [unit, count]) => sum + UNITS[unit] * (count as number), 0);
}

/** The fields of an action under the names of the operator port. */
function longer(fields: object = {}): object {
  const long = (name: string) => (name === "payee" || name === "invoice" ? `${name}ExternalId` : name);
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [long(name), value]));
}
