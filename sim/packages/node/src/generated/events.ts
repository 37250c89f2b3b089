// Made by scripts/types.mjs from the mock's OpenAPI documents: `npm run types` makes it anew.

export const EVENT_TYPES = [
  "partner.organization.added",
  "partner.organization.optedIn",
  "partner.organization.remittanceUpdated",
  "partner.invoice.created",
  "partner.invoice.paid",
  "partner.invoice.factoredUpdated",
  "partner.loan.created",
  "partner.loan.issued",
  "partner.loan.paid"
] as const;

export const UNLISTED_EVENT_TYPES = [
  "partner.account.reviewed",
  "partner.document.available",
  "partner.notice.sent",
  "partner.record.archived"
] as const;
