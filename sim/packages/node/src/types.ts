// The words of the two OpenAPI documents, under names that a test can use.

import type { Documented } from "./generated/actions.js";
import type { components as api, paths as apiPaths, webhooks } from "./generated/api.js";
import type { UNLISTED_EVENT_TYPES } from "./generated/events.js";
import type { FaultFields } from "./generated/faults.js";
import type { components as port, operations, paths as portPaths } from "./generated/operator.js";

/** The schemas of the partner API: `Api["Business"]`, `Api["InvoiceSync"]`, … */
export type Api = api["schemas"];
/** The schemas of the operator port: `Port["FaultRule"]`, `Port["JournalEntry"]`, … */
export type Port = port["schemas"];

export type EventType = keyof webhooks;
/** The types that the document does not have, and the mock may send: by a fault, or greased (§9 rule 4). */
export type UnlistedEventType = (typeof UNLISTED_EVENT_TYPES)[number];
/** What a receiver may get. */
export type SentEventType = EventType | UnlistedEventType;
/** The body of a webhook. `type` tells the kinds apart. */
export type Event<Type extends SentEventType = EventType> = {
  [Each in Type]: Each extends EventType ? Listed<Each> : Unlisted<Each>;
}[Type];
type Listed<Type extends EventType> = webhooks[Type]["post"]["requestBody"]["content"]["application/json"];
type Unlisted<Type> = Omit<Event, "type" | "data"> & { type: Type; data: Record<string, unknown> };

export type WorldOptions = Port["NewWorld"];
/** A rule of faults: `act` says which fields it has, and which of them it needs. */
export type FaultRule = { [Act in keyof FaultFields]: RuleOf<Act> }[keyof FaultFields];
type RuleOf<Act extends keyof FaultFields> = { act: Act } & {
  [Field in keyof Pick<Port["FaultRule"], Choosing & FaultFields[Act]>]?: Port["FaultRule"][Field];
} & {
  [Field in keyof Pick<Port["FaultRule"], Exclude<FaultFields[Act], Choosing | "act">>]-?: NonNullable<
    Port["FaultRule"][Field]
  >;
};
/** The fields that every rule can leave out. */
type Choosing = "label" | "operation" | "identifier" | "event" | "payee" | "invoice" | "nth" | "percent" | "attempts";
export type JournalEntry = Port["JournalEntry"];
export type Delivery = Port["Delivery"];
export type JournalFilter = NonNullable<operations["read_journal"]["parameters"]["query"]>;
export type DeliveryFilter = NonNullable<operations["list_deliveries"]["parameters"]["query"]>;

type Action = Port["Action"];
export type ActionName = Action["action"];

/** The fields of an action under shorter names: `payee` is `payeeExternalId`, `invoice` is `invoiceExternalId`. */
export type Fields<Name extends ActionName> = Shorter<Omit<Extract<Action, { action: Name }>, "action">>;
type Shorter<Long> = { [Field in keyof Long as Field extends `${infer Short}ExternalId` ? Short : Field]: Long[Field] };

/** The answer of an action. */
export type Done<Name extends ActionName> = Name extends keyof Answers ? Answers[Name] : Port["Applied"];
interface Answers {
  issueKey: Port["KeyIssued"];
  payorPays: Port["PaymentCollected"];
  vendorCompletesOnboarding: Port["OnboardingCompleted"];
}

/** A method for each action. It has the docs of the action: `Pick` and `keyof` keep those. */
export type Actions = {
  [Name in keyof Pick<Documented, Exclude<ActionName, "reset">>]: (
    ...fields: {} extends Fields<Name> ? [fields?: Fields<Name>] : [fields: Fields<Name>]
  ) => Promise<Done<Name>>;
};

// What a request sends and gets, by its method and a path such as "/v1/organizations/acme".

export type Method = "GET" | "PUT" | "POST" | "DELETE";
type Paths = apiPaths & portPaths;

/** The JSON that the operation takes; `unknown` if the documents have no such operation. */
export type Sent<M extends Method, Path extends string> =
  Operation<M, Path> extends { requestBody?: infer Body } ? Json<NonNullable<Body>> : unknown;

/** The JSON that it answers if it is not refused. */
export type Answered<M extends Method, Path extends string> =
  Operation<M, Path> extends { responses: infer Responses }
    ? { [Status in keyof Responses]: Status extends 200 | 201 ? Json<Responses[Status]> : never }[keyof Responses]
    : unknown;

type Operation<M extends Method, Path extends string> =
  Template<Path> extends infer Found extends keyof Paths
    ? [Found] extends [never]
      ? unknown
      : NonNullable<Paths[Found][Lowercase<M> & keyof Paths[Found]]>
    : unknown;
type Json<Message> = Message extends { content: { "application/json": infer Body } } ? Body : unknown;

type Template<Path extends string> = {
  [Each in keyof Paths]: Fits<Split<Path>, Split<Each>> extends true ? Each : never;
}[keyof Paths];
type Split<Path extends string> = Path extends `${infer Head}/${infer Rest}`
  ? [Head, ...Split<Rest>]
  : Path extends `${infer Head}?${string}`
    ? [Head]
    : [Path];
type Fits<Parts, Pattern> = [Parts, Pattern] extends [[infer Part, ...infer Parts], [infer Piece, ...infer Pieces]]
  ? Piece extends `{${string}}`
    ? Fits<Parts, Pieces>
    : Part extends Piece
      ? Fits<Parts, Pieces>
      : false
  : [Parts, Pattern] extends [[], []]
    ? true
    : false;
