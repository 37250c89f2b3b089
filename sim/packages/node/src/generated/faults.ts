// Made by scripts/types.mjs from the mock's OpenAPI documents: `npm run types` makes it anew.

export interface FaultFields {
  answerCut: "label" | "operation" | "identifier" | "nth" | "percent" | "act" | "afterBytes";
  answerDelayed: "label" | "operation" | "identifier" | "nth" | "percent" | "act" | "milliseconds";
  bodyIndented: "label" | "event" | "payee" | "invoice" | "nth" | "percent" | "act";
  connectionDrops: "label" | "operation" | "identifier" | "nth" | "percent" | "act" | "when";
  deliveryDropped: "label" | "event" | "payee" | "invoice" | "nth" | "percent" | "act" | "attempts";
  deliveryDuplicated: "label" | "event" | "payee" | "invoice" | "nth" | "percent" | "act";
  deliveryLate: "label" | "event" | "payee" | "invoice" | "nth" | "percent" | "act" | "seconds";
  deliverySwapped: "label" | "event" | "payee" | "invoice" | "nth" | "percent" | "act";
  importStops: "label" | "operation" | "identifier" | "nth" | "percent" | "act" | "afterRows";
  requestRepeated: "label" | "operation" | "identifier" | "nth" | "percent" | "act";
  requestThrottled: "label" | "operation" | "identifier" | "nth" | "percent" | "act" | "retryAfterSeconds";
  signedAnHourAgo: "label" | "event" | "payee" | "invoice" | "nth" | "percent" | "act" | "attempts";
  signedWithAnotherSecret: "label" | "event" | "payee" | "invoice" | "nth" | "percent" | "act" | "attempts";
  unknownEventType: "label" | "event" | "payee" | "invoice" | "nth" | "percent" | "act";
  unknownField: "label" | "event" | "payee" | "invoice" | "nth" | "percent" | "act";
  unknownValue: "label" | "event" | "payee" | "invoice" | "nth" | "percent" | "act";
  upstreamFails: "label" | "operation" | "identifier" | "nth" | "percent" | "act" | "when";
}
