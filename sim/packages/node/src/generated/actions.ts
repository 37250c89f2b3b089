// Made by scripts/types.mjs from the mock's OpenAPI documents: `npm run types` makes it anew.

export const ACTIONS = [
  "vendorAcceptsInvitation",
  "vendorConfirmsTaxId",
  "vendorSignsAgreement",
  "vendorAddsBankAccount",
  "collectionAccountOpens",
  "vendorCompletesOnboarding",
  "fundingStarts",
  "fundingCompletes",
  "payorPays",
  "taxIdFoundWrong",
  "interruptNextImport",
  "vendorOpensSession",
  "markTestAccount",
  "issueKey",
  "revokeKey",
  "reset",
  "upstreamFails"
] as const;
