export { Refused } from "./call.js";
export { BadConduct } from "./conduct.js";
export { NotDelivered, type Expected, type Waiting } from "./deliveries.js";
export { connectMock, startMock, type Mock, type MockOptions } from "./mock.js";
export { NotVerified, verify, type DeliveryHeaders, type Doubt, type Verifying } from "./signature.js";
export type {
  ActionName,
  Api,
  Delivery,
  DeliveryFilter,
  Event,
  EventType,
  SentEventType,
  UnlistedEventType,
  FaultRule,
  JournalEntry,
  JournalFilter,
  Port,
  WorldOptions,
} from "./types.js";
export { startWebhooks, type Received, type Webhooks } from "./webhooks.js";
export type { Span, World } from "./world.js";
