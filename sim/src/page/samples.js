// What the page makes up where nobody says it: the vendor of a story has an address and an inbox.

export const ADDRESS = { line1: "1 Quay", city: "Portland", state: "OR", postalCode: "97201" };
export const EMAIL = "vendor@vendor.example";
export const BANK_ACCOUNT = { accountNumber: "000123456789", routingNumber: "021000021" };

/** A number that no other business is likely to have. */
export const taxId = () => String(900_000_000 + Math.floor(Math.random() * 99_999_999));
