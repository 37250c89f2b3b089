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

export interface Documented {
  /**
   * The invited person follows the link of an invitation, which works once.
   * - `email`: The address that was invited.
   * - `payee`: The business of the invitation.
   */
  vendorAcceptsInvitation: "vendorAcceptsInvitation";
  /**
   * The vendor confirms its tax id, which clears compliance.
   * - `payee`: The vendor.
   * - `route`: How it does that; `complianceRoute` shows it afterwards.
   * - `taxId`: The number; the one on file if it is left out.
   */
  vendorConfirmsTaxId: "vendorConfirmsTaxId";
  /**
   * The vendor signs the agreement. It must have accepted an invitation before.
   * - `address`: The address on the agreement, with which a collection account can open.
   * - `payee`: The vendor.
   */
  vendorSignsAgreement: "vendorSignsAgreement";
  /**
   * The vendor adds a bank account for its advances, unless the platform has set one.
   * - `accountNumber`: 4 to 17 digits.
   * - `payee`: The vendor.
   * - `routingNumber`: Nine digits, the last of them a check digit.
   */
  vendorAddsBankAccount: "vendorAddsBankAccount";
  /**
   * The bank opens the collection account at once, instead of after some minutes.
   * - `payee`: The business whose other three requirements are met.
   */
  collectionAccountOpens: "collectionAccountOpens";
  /**
   * The vendor and the bank do all that is left, so that the business meets all four requirements.
   * - `payee`: The vendor.
   * - `route`: How it confirms its tax id, if that is left to do; by its own word if this is left out.
   * - `taxId`: The number that it confirms; the one on file, or one of its own, if this is left out.
   */
  vendorCompletesOnboarding: "vendorCompletesOnboarding";
  /**
   * The money of a requested advance is on its way at once, instead of after some seconds.
   * - `invoice`: The invoice.
   * - `payee`: The payee of the invoice.
   */
  fundingStarts: "fundingStarts";
  /**
   * The money reaches the vendor at once, instead of after an hour.
   * - `invoice`: The invoice.
   * - `payee`: The payee of the invoice.
   */
  fundingCompletes: "fundingCompletes";
  /**
   * The payor pays an invoice into the collection account; what exceeds the face value stays in suspense.
   * - `amount`: Cents.
   * - `invoice`: The invoice.
   * - `payee`: The payee of the invoice.
   */
  payorPays: "payorPays";
  /**
   * The tax id on file turns out to be wrong: compliance is no longer cleared.
   * - `payee`: The vendor.
   */
  taxIdFoundWrong: "taxIdFoundWrong";
  /**
   * The next import stops in the middle; the same file sent again resumes it.
   * - `afterRows`: How many rows it carries out before it stops.
   */
  interruptNextImport: "interruptNextImport";
  /**
   * The vendor opens the link of an onboarding session, which works once; refused while such links lead nowhere.
   * - `url`: The link, as the creation of the session returned it.
   */
  vendorOpensSession: "vendorOpensSession";
  /**
   * The operator marks a business as a test account: no money of it moves.
   * - `externalId`: The business.
   */
  markTestAccount: "markTestAccount";
  /**
   * The operator issues an API key, which the answer shows.
   * - `platform`: The platform that gets it; a new name makes a new platform. The caller's own if it is left out.
   */
  issueKey: "issueKey";
  /**
   * The operator revokes an API key.
   * - `key`: The key; the caller's own if it is left out.
   */
  revokeKey: "revokeKey";
  /**
   * Everything is as it was at the start, with the same keys. What is minted from then on (secrets, references, identifiers of events and deliveries) has other names.
   * - `repeat`: Whether what is minted has the same names again, too.
   */
  reset: "reset";
  /**
   * The next requests of any caller fail with 502.
   * - `requests`: How many.
   */
  upstreamFails: "upstreamFails";
}
