// Made by scripts/types.mjs from the mock's OpenAPI documents: `npm run types` makes it anew.

export interface paths {
    "/v1/advances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request an advance on an invoice
         * @description - The body names payee and invoice; both are required, and the payee is not empty. (§4 POST /v1/advances sentence 1)
         *     - The response is an advance response. (§4 POST /v1/advances sentence 2)
         *     - The service creates an advance if the invoice is synced, eligible and within the business's limit. (§4 POST /v1/advances rule 1)
         *     - An invoice has one advance, however often a caller requests it. (§4 POST /v1/advances rule 2)
         *     - A repeated request returns the first advance, unchanged. (§4 POST /v1/advances rule 2)
         *     - invoice_not_financeable, business_not_eligible and concentration_exceeded have the status 409. (§4 POST /v1/advances rule 3)
         *     - The service refuses an advance on an invoice that a business owes to itself with self_dealing. (§4 POST /v1/advances rule 4)
         *     - An unknown business gets 404 business_not_found, an unknown invoice 404 invoice_not_found. (§4 POST /v1/advances rule 5)
         *     - The payor of an advanced invoice pays the remittance account, not the vendor's bank. (§4 POST /v1/advances rule 6)
         */
        post: operations["request_advance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite a person at a business
         * @description - The service sends someone at the business a link that works once, to claim its account. (§4 POST /v1/invitations sentence 1)
         *     - The body names a business and an email address. (§4 POST /v1/invitations sentence 2)
         *     - The response has inviteId and expiresAt. (§4 POST /v1/invitations sentence 3)
         *     - The service asks for no more than a name of the invited person. (§4 POST /v1/invitations sentence 4)
         *     - The claimed account starts with the data that the caller synced. (§4 POST /v1/invitations sentence 5)
         *     - An invitation to a business that isn't synced gets 404 business_not_found. (§4 POST /v1/invitations sentence 6)
         *     - The service refuses an invalid address with invalid_invitee. (§4 POST /v1/invitations sentence 7)
         *     - An invitation opens the caller's relationship with the business, and no other. (§4 POST /v1/invitations sentence 8)
         *     - A person who already has an account joins the vendor under that account. (§4 POST /v1/invitations sentence 9)
         *     - A repeated invitation issues a new link, and the link before it stops working. (§4 POST /v1/invitations sentence 10)
         *     - An invitation link works once, within 30 days. (§4 POST /v1/invitations sentence 11)
         */
        post: operations["invite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invoices/imports/{externalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an import's report
         * @description - A later read returns the same report as the upload. (§4 GET /v1/invoices/imports/{externalId} sentence 1)
         *     - After a dropped upload, the report shows which rows were imported, without a second upload. (§4 GET /v1/invoices/imports/{externalId} sentence 2)
         *     - Reading an import that nobody uploaded gets import_not_found. (§4 GET /v1/invoices/imports/{externalId} sentence 3)
         */
        get: operations["get_import"];
        /**
         * Import invoices from CSV
         * @description - The body of an import is CSV; its rows become invoices. (§4 PUT /v1/invoices/imports/{externalId} sentence 1)
         *     - The path of an upload has its identifier. (§4 PUT /v1/invoices/imports/{externalId} sentence 2)
         *     - The service imports a file of 1000 rows. (§4 PUT /v1/invoices/imports/{externalId} rule 1)
         *     - The service refuses a file of 1001 rows with too_many_rows. (§4 PUT /v1/invoices/imports/{externalId} rule 1)
         *     - A row has the effect of an invoice sync; uploading it again unchanged has none. (§4 PUT /v1/invoices/imports/{externalId} rule 2)
         *     - Seven columns are required; the service finds them by name, in any order. (§4 PUT /v1/invoices/imports/{externalId} rule 3)
         *     - Identifier, tax id and contact columns of either party are optional. (§4 PUT /v1/invoices/imports/{externalId} rule 4)
         *     - A party without an identifier gets one that the service derives from its legal name. (§4 PUT /v1/invoices/imports/{externalId} rule 5)
         *     - A legal name always gives the same derived identifier, in this upload and in any other. (§4 PUT /v1/invoices/imports/{externalId} rule 5)
         *     - Vendors that share a legal name and have no identifiers are one business. (§4 PUT /v1/invoices/imports/{externalId} rule 5)
         *     - A supplied identifier takes precedence over the name, and addresses the business afterwards. (§4 PUT /v1/invoices/imports/{externalId} rule 5)
         *     - A bad row gets its own outcome, and the service imports the other rows. (§4 PUT /v1/invoices/imports/{externalId} rule 6)
         *     - Uploading the same file under the same identifier resumes an interrupted import. (§4 PUT /v1/invoices/imports/{externalId} rule 7)
         *     - A resumed import processes no row twice. (§4 PUT /v1/invoices/imports/{externalId} rule 7)
         *     - The service refuses another file under a used identifier with already_imported. (§4 PUT /v1/invoices/imports/{externalId} rule 8)
         *     - The service refuses a file that it can't read with unreadable_file. (§4 PUT /v1/invoices/imports/{externalId} rule 9)
         *     - The service refuses an upload of another media type with unsupported_media_type. (§4 PUT /v1/invoices/imports/{externalId} rule 9)
         *     - The response is an import report. (§4 PUT /v1/invoices/imports/{externalId}, after the rules)
         */
        put: operations["import_invoices"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invoices/{externalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or update an invoice
         * @description - A sync creates an invoice that doesn't exist, and updates one that does. (§4 PUT /v1/invoices/{externalId} sentence 1)
         *     - Syncing the same invoice of the same payee again has the effect of syncing it once. (§4 PUT /v1/invoices/{externalId} sentence 2)
         *     - A sync also creates a payee or payor that the caller hasn't synced yet. (§4 PUT /v1/invoices/{externalId} sentence 3)
         *     - The body is an invoice sync request. (§4 PUT /v1/invoices/{externalId} sentence 4)
         *     - The response is an invoice sync response. (§4 PUT /v1/invoices/{externalId} sentence 5)
         *     - A sync of an invoice with an advance can change status and nothing else. (§4 PUT /v1/invoices/{externalId} sentence 6)
         */
        put: operations["sync_invoice"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/onboarding-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an onboarding link
         * @description - The body names a business. (§4 POST /v1/onboarding-sessions sentence 1)
         *     - The response has url and expiresAt. (§4 POST /v1/onboarding-sessions sentence 2)
         *     - One session settles the business's tax id, bank account and signature. (§4 POST /v1/onboarding-sessions sentence 3)
         *     - A session link works once, within 15 minutes. (§4 POST /v1/onboarding-sessions sentence 5)
         *     - Every request creates its own link. (§4 POST /v1/onboarding-sessions sentence 6)
         *     - Until the operation is live, its links lead nowhere. (§4 POST /v1/onboarding-sessions sentence 7)
         */
        post: operations["create_onboarding_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{externalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a business and its onboarding
         * @description - The response shows a business together with its onboarding and its remittance. (§4 GET /v1/organizations/{externalId} sentence 1)
         *     - The response has the shape of a Business. (§4 GET /v1/organizations/{externalId} sentence 2)
         */
        get: operations["get_business"];
        /**
         * Create or update a business
         * @description - A sync creates a business that doesn't exist, and updates one that does. (§4 PUT /v1/organizations/{externalId} sentence 1)
         *     - A business synced twice is one business, updated with the values that each sync sends. (§4 PUT /v1/organizations/{externalId} sentence 2)
         *     - The body is a business sync request. (§4 PUT /v1/organizations/{externalId} sentence 3)
         *     - The response is a business sync response. (§4 PUT /v1/organizations/{externalId} sentence 4)
         *     - A valid taxId clears compliance, and the service asks the vendor for nothing. (§4 PUT /v1/organizations/{externalId} rule 1)
         *     - The service asks for a correction of a wrong tax id. (§4 PUT /v1/organizations/{externalId} rule 1)
         *     - A taxId clears nothing if it is malformed, differs from the one on file, or is another business's. (§4 PUT /v1/organizations/{externalId} rule 2)
         *     - onboarding on the business shows whether a taxId cleared compliance. (§4 PUT /v1/organizations/{externalId} rule 2)
         *     - The service matches a business by its taxId with one that another platform serves. (§4 PUT /v1/organizations/{externalId} rule 3)
         *     - The service matches a business without a taxId with none. (§4 PUT /v1/organizations/{externalId} rule 3)
         */
        put: operations["sync_business"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{externalId}/payout-account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the account that receives the advances
         * @description - The service pays advances to the account that this operation sets. (§4 PUT /v1/organizations/{externalId}/payout-account sentence 1)
         *     - The body is a payout account request. (§4 PUT /v1/organizations/{externalId}/payout-account sentence 2)
         *     - The response is a payout account response. (§4 PUT /v1/organizations/{externalId}/payout-account sentence 3)
         *     - A new payout account replaces the one before it. (§4 PUT /v1/organizations/{externalId}/payout-account rule 1)
         *     - Sending the same details again changes nothing. (§4 PUT /v1/organizations/{externalId}/payout-account rule 1)
         *     - A label stays as it was if the request sends none. (§4 PUT /v1/organizations/{externalId}/payout-account rule 2)
         *     - The vendor can't change an account that the caller set; only this endpoint changes it. (§4 PUT /v1/organizations/{externalId}/payout-account rule 3)
         *     - The service accepts any nine digits with a right check digit as a routing number. (§4 PUT /v1/organizations/{externalId}/payout-account rule 4)
         *     - Nobody verifies who owns the account. (§4 PUT /v1/organizations/{externalId}/payout-account rule 4)
         *     - The service refuses a bad routing number with invalid_routing_number. (§4 PUT /v1/organizations/{externalId}/payout-account rule 4)
         */
        put: operations["set_payout_account"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{payeeExternalId}/invoices/{externalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an invoice and the advance against it
         * @description - The response shows an invoice together with its advance. (§4 GET /v1/organizations/{payeeExternalId}/invoices/{externalId} sentence 1)
         *     - The path names payee and invoice, and neither is empty. (§4 GET /v1/organizations/{payeeExternalId}/invoices/{externalId} sentence 2)
         *     - The response has the shape of an Invoice. (§4 GET /v1/organizations/{payeeExternalId}/invoices/{externalId} sentence 3)
         */
        get: operations["get_invoice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quotes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Price an advance without requesting it
         * @description - A quote is a price, and creates no advance. (§4 POST /v1/quotes sentence 1)
         *     - A quote changes nothing. (§4 POST /v1/quotes sentence 2)
         *     - The body has a business identifier, which isn't empty, and an amount of 1 to 2147483647 whole cents. (§4 POST /v1/quotes sentence 3)
         *     - The response is a quote response. (§4 POST /v1/quotes sentence 4)
         *     - Two vendors may get quotes at different rates. (§4 POST /v1/quotes sentence 5)
         *     - A quote for a business that isn't synced gets 404 business_not_found. (§4 POST /v1/quotes sentence 6)
         *     - Only business and amount decide whether a quote is fundable. (§4 POST /v1/quotes sentence 7)
         *     - After a fundable quote, the service may still refuse the advance because of its invoice. (§4 POST /v1/quotes sentence 8)
         */
        post: operations["quote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the live subscriptions
         * @description - The list has the caller's live subscriptions, each with its reference and none with its secret. (§4 GET /v1/webhooks)
         */
        get: operations["list_subscriptions"];
        put?: never;
        /**
         * Subscribe to events
         * @description - The body has url and, optionally, eventTypes. (§4 POST /v1/webhooks sentence 1)
         *     - The response to a new subscription shows the signing secret, this one time. (§4 POST /v1/webhooks sentence 2)
         *     - A repeated subscription gets 409 already_subscribed, and no secret. (§4 POST /v1/webhooks sentence 3)
         *     - The service refuses a URL that it may not send to with destination_refused. (§4 POST /v1/webhooks sentence 4)
         */
        post: operations["subscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{reference}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Stop deliveries to a subscription
         * @description - A deleted subscription gets no more deliveries; the others still get theirs. (§4 DELETE /v1/webhooks/{reference} sentence 1)
         *     - The service refuses an unknown reference with subscription_not_found. (§4 DELETE /v1/webhooks/{reference} sentence 2)
         */
        delete: operations["unsubscribe"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "partner.invoice.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * partner.invoice.created
         * @description The service sends this event when a synced invoice exists. (§6 Events, partner.invoice.created)
         */
        post: operations["receiveInvoiceCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "partner.invoice.factoredUpdated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * partner.invoice.factoredUpdated
         * @description The service sends this event for each new financing state of an advance; the event names the state. (§6 Events, partner.invoice.factoredUpdated)
         */
        post: operations["receiveInvoiceFactoredUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "partner.invoice.paid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * partner.invoice.paid
         * @description The service sends this event when the payor has paid. (§6 Events, partner.invoice.paid)
         */
        post: operations["receiveInvoicePaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "partner.loan.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * partner.loan.created
         * @description The service sends this event when it creates an advance. (§6 Events, partner.loan.created)
         */
        post: operations["receiveLoanCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "partner.loan.issued": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * partner.loan.issued
         * @description The service sends this event when the advance has reached the vendor. (§6 Events, partner.loan.issued)
         */
        post: operations["receiveLoanIssued"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "partner.loan.paid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * partner.loan.paid
         * @description The service sends this event when an advance is settled. (§6 Events, partner.loan.paid)
         */
        post: operations["receiveLoanPaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "partner.organization.added": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * partner.organization.added
         * @description The service sends this event when a synced business exists. (§6 Events, partner.organization.added)
         */
        post: operations["receiveOrganizationAdded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "partner.organization.optedIn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * partner.organization.optedIn
         * @description The service sends this event when a business completes onboarding. (§6 Events, partner.organization.optedIn)
         */
        post: operations["receiveOrganizationOptedIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "partner.organization.remittanceUpdated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * partner.organization.remittanceUpdated
         * @description The service sends this event when the destination of a business's funds changes. (§6 Events, partner.organization.remittanceUpdated)
         */
        post: operations["receiveOrganizationRemittanceUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @description A postal address (assumed, because the document is silent: §2 Gaps), complete as a collection account needs it (assumed, because the document is silent: §3 Requirement collectionAccount). The
         *     service does not refuse an incomplete one.
         */
        Address: {
            /** @description The city. */
            city: string;
            /** @description Street and number. */
            line1: string;
            /** @description A second line, if needed. */
            line2?: string;
            /** @description The postal code. */
            postalCode: string;
            /** @description The state. */
            state: string;
        };
        /** @description The second of the two advance responses (assumed, because the document is silent: §2 Gaps). */
        AdvanceRepeated: {
            /**
             * Format: int64
             * @description Cents that the vendor gets.
             */
            advanceAmount: number;
            /**
             * @description True: an earlier request created the advance.
             * @constant
             */
            alreadyRequested: true;
            /**
             * Format: int64
             * @description Cents that the service keeps.
             */
            feeTotal: number;
            /** @description The account that the payor must pay this invoice into. */
            remittance: components["schemas"]["Remittance"];
        };
        /** @description The body of `POST /v1/advances` (§4 POST /v1/advances). */
        AdvanceRequest: {
            /** @description The invoice's identifier. */
            invoiceExternalId: string;
            /** @description The payee's identifier. */
            payeeExternalId: string;
        };
        /** @description The first of the two advance responses (assumed, because the document is silent: §2 Gaps). */
        AdvanceRequested: {
            /**
             * Format: int64
             * @description The amount that the business gets at once.
             */
            advanceAmount: number;
            /**
             * @description False: this request created the advance.
             * @constant
             */
            alreadyRequested: false;
            /**
             * Format: int64
             * @description The part of the payor's payment that the service keeps.
             */
            feeTotal: number;
            /**
             * Format: int64
             * @description The eligible part of the face value.
             */
            financeableAmount: number;
            /**
             * Format: int64
             * @description The part of the payor's payment that the business gets.
             */
            forwardedAtPayment: number;
            /** @description The account that the payor must pay this invoice into. */
            remittance: components["schemas"]["Remittance"];
        };
        AdvanceResponse: components["schemas"]["AdvanceRequested"] | components["schemas"]["AdvanceRepeated"];
        /** @description A business with its onboarding and its collection account (§2 Business). */
        Business: {
            complianceRoute: string | null;
            /** @description The caller's business identifier. */
            externalId: string;
            /** @description Its name, as the caller sent it. */
            name: string | null;
            /** @description The four requirements. */
            onboarding: components["schemas"]["Onboarding"];
            remittance: components["schemas"]["Remittance"] | null;
            /** @description Whether a tax id is on file. */
            taxIdOnFile: boolean;
        };
        /** @description The body of `PUT /v1/organizations/{externalId}` (§2 Business sync request). */
        BusinessSync: {
            /** @description The contact at the business. A field that is left out keeps its value. */
            contact?: components["schemas"]["Contact"];
            /** @description Its legal name. */
            legalName: string;
            /** @description Punctuation is optional. Left out if unknown. */
            taxId?: string;
        };
        /** @description The effect of a business sync (§2 Business sync response). */
        BusinessSynced: {
            /** @description Whether the business is new to the service. */
            created: boolean;
            /** @description The caller's business identifier. */
            externalId: string;
            /** @description What happened, for support requests. */
            reason: string;
            /** @description Only if the sync sent a tax id for a business that the caller already synced. */
            taxIdResult?: components["schemas"]["TaxIdResult"];
        };
        /** @description The contact at a business (assumed, because the document is silent: §2 Gaps). */
        Contact: {
            /** @description A postal address. */
            address?: components["schemas"]["Address"];
            /** @description An e-mail address. */
            email?: string;
            /** @description A person. */
            name?: string;
            /** @description A telephone number. */
            phone?: string;
        };
        /**
         * EventAdvance
         * @description The amount that an invoice's advance paid out.
         */
        EventAdvance: {
            /**
             * Format: int64
             * @description Cents that the vendor gets.
             */
            advanceAmount: number;
            /** @description The invoice's identifier. */
            invoiceExternalId: string;
            /** @description The payee's identifier. */
            payeeExternalId: string;
        };
        /**
         * EventBusiness
         * @description A business.
         */
        EventBusiness: {
            /** @description The caller's business identifier. */
            externalId: string;
        };
        /**
         * EventCollection
         * @description The collected amount of an invoice.
         */
        EventCollection: {
            /**
             * Format: int64
             * @description Cents that the payor has paid.
             */
            collected: number;
            /** @description The invoice's identifier. */
            invoiceExternalId: string;
            /** @description The payee's identifier. */
            payeeExternalId: string;
        };
        /**
         * EventFinancing
         * @description The state of an invoice's advance.
         */
        EventFinancing: {
            /** @description The invoice's identifier. */
            invoiceExternalId: string;
            /** @description The payee's identifier. */
            payeeExternalId: string;
            /**
             * @description The financing state. Known: `REQUESTED`, `FUNDING`, `FUNDED`, `REPAID`; others may be added.
             * @example REQUESTED
             * @example FUNDING
             * @example FUNDED
             * @example REPAID
             */
            state: string;
        };
        /**
         * EventInvoice
         * @description An invoice.
         */
        EventInvoice: {
            /** @description The invoice's identifier. */
            invoiceExternalId: string;
            /** @description The payee's identifier. */
            payeeExternalId: string;
        };
        /**
         * @description The kinds of event, in the document's order (§6).
         * @enum {string}
         */
        EventType: "partner.organization.added" | "partner.organization.optedIn" | "partner.organization.remittanceUpdated" | "partner.invoice.created" | "partner.invoice.paid" | "partner.invoice.factoredUpdated" | "partner.loan.created" | "partner.loan.issued" | "partner.loan.paid";
        /** @description The one shape of every failure (§7). */
        Failure: {
            /** @description What callers branch on. Codes may be added: keep a default branch. */
            code: string;
            /** @description Prose for a log. */
            error: string;
        };
        /** @description The effect of an import (§2 Import report). */
        ImportReport: {
            /** @description The caller's import identifier. */
            externalId: string;
            /** @description False if the import was interrupted. */
            finished: boolean;
            /** @description Rows of the file. */
            rowCount: number;
            /** @description The rows reported so far, in the file's order. */
            rows: components["schemas"]["RowReport"][];
            /** @description The rows reported so far, counted by outcome (assumed, because the document is silent: §2 Gaps). */
            summary: components["schemas"]["ImportSummary"];
        };
        /** @description Rows counted by outcome. */
        ImportSummary: {
            /** @description Rows that created an invoice. */
            created: number;
            /** @description Bad rows. */
            rejected: number;
            /** @description Rows that changed only a status. */
            statusOnly: number;
            /** @description Rows that changed one. */
            updated: number;
        };
        /** @description The body of `POST /v1/invitations` (§2 Invitation). */
        InvitationRequest: {
            /**
             * Format: email
             * @description The invited person's email address.
             */
            email: string;
            /** @description The business. */
            externalId: string;
        };
        /** @description An invitation (§2 Invitation). */
        Invited: {
            /**
             * Format: date-time
             * @description When its link stops working.
             */
            expiresAt: string;
            /** @description Identifies the invitation. */
            inviteId: string;
        };
        /** @description An invoice as read (§2 Invoice). */
        Invoice: {
            advance: components["schemas"]["InvoiceAdvance"] | null;
            /**
             * Format: int64
             * @description Cents that the payor has paid, at most `faceValue`.
             */
            collected: number;
            /**
             * @description Derived from `collected` and `faceValue`. Known: `UNCOLLECTED`, `PARTIALLY_COLLECTED`, `COLLECTED`; others may be added.
             * @example UNCOLLECTED
             * @example PARTIALLY_COLLECTED
             * @example COLLECTED
             */
            collectionState: string;
            /**
             * Format: date-time
             * @description When it is due.
             */
            dueDate: string;
            /** @description The caller's invoice identifier. */
            externalId: string;
            /**
             * Format: int64
             * @description Cents.
             */
            faceValue: number;
            /** @description Whether an advance could be requested now. */
            fundable: boolean;
            /**
             * Format: date-time
             * @description When it was issued.
             */
            issueDate: string;
            /** @description Why not; null if `fundable` is true. */
            notFundableReason: string | null;
            /**
             * @description As the caller last synced it. Known: `ISSUED`, `PARTIALLY_PAID`, `PAID`, `VOIDED`; others may be added.
             * @example ISSUED
             * @example PARTIALLY_PAID
             * @example PAID
             * @example VOIDED
             */
            status: string;
        };
        /** @description The advance against an invoice (assumed, because the document is silent: §2 Gaps). */
        InvoiceAdvance: {
            /**
             * Format: int64
             * @description Cents that the vendor gets.
             */
            advanceAmount: number;
            /**
             * Format: int64
             * @description Cents of advance and fee that are not yet recovered.
             */
            amountOwed: number;
            /**
             * Format: int64
             * @description Cents of the advance that the vendor has been paid.
             */
            amountSent: number;
            /**
             * Format: int64
             * @description Cents that the service keeps.
             */
            feeTotal: number;
            /**
             * Format: date-time
             * @description When the vendor was paid; null before.
             */
            fundedAt: string | null;
            /**
             * Format: date-time
             * @description When it was recovered; null before.
             */
            repaidAt: string | null;
            /**
             * Format: date-time
             * @description When it was requested.
             */
            requestedAt: string;
            /**
             * @description The financing state. Known: `REQUESTED`, `FUNDING`, `FUNDED`, `REPAID`; others may be added.
             * @example REQUESTED
             * @example FUNDING
             * @example FUNDED
             * @example REPAID
             */
            state: string;
        };
        /** @description The event in a delivery's body. */
        InvoiceCreatedEvent: {
            data: components["schemas"]["EventInvoice"];
            /** @description Identifies the event across its deliveries. */
            id: string;
            /**
             * Format: date-time
             * @description When the transaction began (§6 delivery rule 6).
             */
            occurredAt: string;
            /**
             * @description What kind of event it is.
             * @constant
             */
            type: "partner.invoice.created";
        };
        /** @description The event in a delivery's body. */
        InvoiceFactoredUpdatedEvent: {
            data: components["schemas"]["EventFinancing"];
            /** @description Identifies the event across its deliveries. */
            id: string;
            /**
             * Format: date-time
             * @description When the transaction began (§6 delivery rule 6).
             */
            occurredAt: string;
            /**
             * Format: int32
             * @description The number of the financing state (§6 delivery rule 5).
             */
            sequence: number;
            /**
             * @description What kind of event it is.
             * @constant
             */
            type: "partner.invoice.factoredUpdated";
        };
        /** @description The event in a delivery's body. */
        InvoicePaidEvent: {
            data: components["schemas"]["EventCollection"];
            /** @description Identifies the event across its deliveries. */
            id: string;
            /**
             * Format: date-time
             * @description When the transaction began (§6 delivery rule 6).
             */
            occurredAt: string;
            /**
             * @description What kind of event it is.
             * @constant
             */
            type: "partner.invoice.paid";
        };
        /**
         * @description An invoice's status, as the caller last synced it (§2 Invoice, `status`). The service never changes it.
         * @enum {string}
         */
        InvoiceStatus: "ISSUED" | "PARTIALLY_PAID" | "PAID" | "VOIDED";
        /** @description The body of `PUT /v1/invoices/{externalId}` (§2 Invoice sync request). */
        InvoiceSync: {
            /**
             * Format: date-time
             * @description When it is due.
             */
            dueDate: string;
            /**
             * Format: int64
             * @description Cents.
             */
            faceValue: number;
            /**
             * Format: date-time
             * @description When it was issued.
             */
            issueDate: string;
            /** @description The business that the money is owed to. */
            payee: components["schemas"]["Party"];
            /** @description The party that owes it. */
            payor: components["schemas"]["Party"];
            /** @description Only ISSUED invoices can receive an advance. */
            status: components["schemas"]["InvoiceStatus"];
        };
        /** @description The effect of an invoice sync (§2 Invoice sync response). */
        InvoiceSynced: {
            /** @description The caller's invoice identifier. */
            externalId: string;
            /**
             * @description What the sync did. Known: `created`, `updated`, `statusOnly`; others may be added.
             * @example created
             * @example updated
             * @example statusOnly
             */
            outcome: string;
            /** @description Why, if that needs an explanation. */
            reason: string | null;
        };
        /** @description The event in a delivery's body. */
        LoanCreatedEvent: {
            data: components["schemas"]["EventAdvance"];
            /** @description Identifies the event across its deliveries. */
            id: string;
            /**
             * Format: date-time
             * @description When the transaction began (§6 delivery rule 6).
             */
            occurredAt: string;
            /**
             * @description What kind of event it is.
             * @constant
             */
            type: "partner.loan.created";
        };
        /** @description The event in a delivery's body. */
        LoanIssuedEvent: {
            data: components["schemas"]["EventAdvance"];
            /** @description Identifies the event across its deliveries. */
            id: string;
            /**
             * Format: date-time
             * @description When the transaction began (§6 delivery rule 6).
             */
            occurredAt: string;
            /**
             * @description What kind of event it is.
             * @constant
             */
            type: "partner.loan.issued";
        };
        /** @description The event in a delivery's body. */
        LoanPaidEvent: {
            data: components["schemas"]["EventAdvance"];
            /** @description Identifies the event across its deliveries. */
            id: string;
            /**
             * Format: date-time
             * @description When the transaction began (§6 delivery rule 6).
             */
            occurredAt: string;
            /**
             * @description What kind of event it is.
             * @constant
             */
            type: "partner.loan.paid";
        };
        /** @description The four requirements of an advance (§3 Onboarding requirements). */
        Onboarding: {
            /** @description A payout account is on file. */
            bank: boolean;
            /** @description The collection account is open. */
            collectionAccount: boolean;
            /** @description Compliance is cleared. */
            compliance: boolean;
            /** @description The agreement is signed. */
            contract: boolean;
        };
        /** @description The event in a delivery's body. */
        OrganizationAddedEvent: {
            data: components["schemas"]["EventBusiness"];
            /** @description Identifies the event across its deliveries. */
            id: string;
            /**
             * Format: date-time
             * @description When the transaction began (§6 delivery rule 6).
             */
            occurredAt: string;
            /**
             * @description What kind of event it is.
             * @constant
             */
            type: "partner.organization.added";
        };
        /** @description The event in a delivery's body. */
        OrganizationOptedInEvent: {
            data: components["schemas"]["EventBusiness"];
            /** @description Identifies the event across its deliveries. */
            id: string;
            /**
             * Format: date-time
             * @description When the transaction began (§6 delivery rule 6).
             */
            occurredAt: string;
            /**
             * @description What kind of event it is.
             * @constant
             */
            type: "partner.organization.optedIn";
        };
        /** @description The event in a delivery's body. */
        OrganizationRemittanceUpdatedEvent: {
            data: components["schemas"]["EventBusiness"];
            /** @description Identifies the event across its deliveries. */
            id: string;
            /**
             * Format: date-time
             * @description When the transaction began (§6 delivery rule 6).
             */
            occurredAt: string;
            /**
             * @description What kind of event it is.
             * @constant
             */
            type: "partner.organization.remittanceUpdated";
        };
        /** @description A party of an invoice (assumed, because the document is silent: §2 Gaps). */
        Party: {
            /** @description The contact at the party. */
            contact?: components["schemas"]["Contact"];
            /** @description The caller's business identifier. */
            externalId: string;
            /** @description Its legal name. */
            legalName: string;
            /** @description Punctuation is optional. */
            taxId?: string;
        };
        /** @description The body of `PUT /v1/organizations/{externalId}/payout-account` (§2 Payout account request). */
        PayoutAccount: {
            /** @description 4 to 17 digits. */
            accountNumber: string;
            /** @description A nickname. */
            label?: string;
            /** @description Nine digits, the last of them a check digit. */
            routingNumber: string;
        };
        /** @description The response about the bank account that advances go to (§2 Payout account). */
        PayoutAccountSet: {
            /** @description The caller's business identifier. */
            externalId: string;
            /** @description The last four digits (assumed, because the document is silent: §2 Payout account, mask). */
            mask: string;
        };
        /** @description The body of `POST /v1/quotes` (§4 POST /v1/quotes). */
        QuoteRequest: {
            /** @description The business. */
            externalId: string;
            /**
             * Format: int64
             * @description Cents.
             */
            invoiceFaceValue: number;
        };
        /** @description A price (§2 Quote response). */
        Quoted: {
            /**
             * Format: int64
             * @description The amount that the business gets at once.
             */
            advanceAmount: number;
            /**
             * Format: int64
             * @description The part of the payor's payment that the service keeps.
             */
            feeTotal: number;
            /**
             * Format: int64
             * @description The eligible part of the face value.
             */
            financeableAmount: number;
            /**
             * Format: int64
             * @description The part of the payor's payment that the business gets.
             */
            forwardedAtPayment: number;
            /** @description Whether the business could get an advance of this amount today. */
            fundable: boolean;
            /** @description Why not; null if `fundable` is true. */
            notFundableReason: string | null;
            /** @description The four requirements (assumed, because the document is silent: §2 Gaps). */
            onboarding: components["schemas"]["Onboarding"];
        };
        /** @description A collection account (§2 Remittance). */
        Remittance: {
            /** @description Digits. */
            accountNumber: string;
            /** @description Nine digits. */
            routingNumber: string;
        };
        /** @description The outcome of a row of an import (assumed, because the document is silent: §2 Gaps). */
        RowReport: {
            /** @description The code with which the service would refuse a single sync; null for a good row. */
            code: string | null;
            /** @description The error in the row; null for a good one. */
            error: string | null;
            /** @description The invoice's identifier; null if the row has none. */
            externalId: string | null;
            /**
             * @description The row's outcome. Known: `created`, `updated`, `statusOnly`, `rejected`; others may be added.
             * @example created
             * @example updated
             * @example statusOnly
             * @example rejected
             */
            outcome: string;
            /** @description The payee's identifier, given or derived; null if the row has none. */
            payeeExternalId: string | null;
            /** @description The row's number in the file, from 1, without the line of column names. */
            row: number;
        };
        /** @description An onboarding session (§2 Onboarding session). */
        SessionCreated: {
            /**
             * Format: date-time
             * @description When it stops working.
             */
            expiresAt: string;
            /** @description A single-use link. */
            url: string;
        };
        /** @description The body of `POST /v1/onboarding-sessions` (§2 Onboarding session). */
        SessionRequest: {
            /** @description The business. */
            externalId: string;
        };
        /** @description A new subscription, with its secret (§2 Webhook subscription). */
        Subscribed: {
            /**
             * Format: date-time
             * @description When the caller created it.
             */
            createdAt: string;
            /** @description The delivered event types; null for all, even future ones. */
            eventTypes: string[] | null;
            /** @description Identifies the subscription. */
            reference: string;
            /** @description The key of the signatures. Only this response shows it. */
            secret: string;
            /** @description Where deliveries go. */
            url: string;
        };
        /** @description A live subscription (assumed, because the document is silent: §2 Gaps). */
        Subscription: {
            /**
             * Format: date-time
             * @description When the caller created it.
             */
            createdAt: string;
            /** @description The delivered event types; null for all, even future ones. */
            eventTypes: string[] | null;
            /** @description Identifies the subscription. */
            reference: string;
            /** @description Where deliveries go. */
            url: string;
        };
        /** @description The body of `POST /v1/webhooks` (§2 Webhook subscription). */
        SubscriptionRequest: {
            /** @description The wanted event types; if left out, all of them, even future ones. */
            eventTypes?: components["schemas"]["EventType"][];
            /** @description Where deliveries go: a public https URL. */
            url: string;
        };
        /** @description The outcome of the tax id in a sync (assumed, because the document is silent: §2 Gaps). */
        TaxIdResult: {
            /**
             * @description The tax id's outcome. Known: `accepted`, `unchanged`, `malformed`, `differs`, `heldByAnother`; others may be added.
             * @example accepted
             * @example unchanged
             * @example malformed
             * @example differs
             * @example heldByAnother
             */
            outcome: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    request_advance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdvanceRequest"];
            };
        };
        responses: {
            /** @description The response is an advance response. (§4 POST /v1/advances sentence 2) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdvanceResponse"];
                };
            };
            /** @description The response is an advance response. (§4 POST /v1/advances sentence 2) */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdvanceResponse"];
                };
            };
            /**
             * @description - `invalid_request`: The request does not have the published form. (§4 POST /v1/advances sentence 1)
             *     - `unreadable_request`: The body is not of the media type that it claims. (§7 Codes any operation can answer, unreadable_request)
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: The API key is missing, malformed or revoked. (§5 Authentication rule 3) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `business_not_found`: No business was synced under this identifier. (§4 POST /v1/advances rule 5)
             *     - `invoice_not_found`: No invoice of this payee was synced under this identifier. (§4 POST /v1/advances rule 5)
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `invoice_not_financeable`: The invoice cannot be financed. (§3 Invoice status rule 1)
             *     - `business_not_eligible`: The business has not completed onboarding. (§3 Onboarding rule 2)
             *     - `concentration_exceeded`: Too much would be outstanding with this business. (§4 POST /v1/advances rule 1)
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: The body is larger than is accepted. (§8 Limits, Request body size) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `self_dealing`: A business cannot finance an invoice that it owes itself. (§4 POST /v1/advances rule 4) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `upstream_failed`: The service, or a provider that it needs, failed; try again later. (§7 Codes any operation can answer, upstream_failed) */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    invite: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationRequest"];
            };
        };
        responses: {
            /** @description The response has inviteId and expiresAt. (§4 POST /v1/invitations sentence 3) */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invited"];
                };
            };
            /**
             * @description - `invalid_request`: The request does not have the published form. (§2 Invitation, externalId)
             *     - `unreadable_request`: The body is not of the media type that it claims. (§7 Codes any operation can answer, unreadable_request)
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: The API key is missing, malformed or revoked. (§5 Authentication rule 3) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `business_not_found`: No business was synced under this identifier. (§4 POST /v1/invitations sentence 6) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: The body is larger than is accepted. (§8 Limits, Request body size) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `invalid_invitee`: The invitee is not an e-mail address. (§4 POST /v1/invitations sentence 7) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `upstream_failed`: The service, or a provider that it needs, failed; try again later. (§7 Codes any operation can answer, upstream_failed) */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    get_import: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The caller's identifier of the import.
                 * @example january
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A later read returns the same report as the upload. (§4 GET /v1/invoices/imports/{externalId} sentence 1) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportReport"];
                };
            };
            /**
             * @description - `invalid_request`: The request does not have the published form. (§7 Codes any operation can answer, invalid_request)
             *     - `unreadable_request`: The body is not of the media type that it claims. (§7 Codes any operation can answer, unreadable_request)
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: The API key is missing, malformed or revoked. (§5 Authentication rule 3) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `import_not_found`: No import was made under this identifier. (§7 Other codes, import_not_found) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: The body is larger than is accepted. (§8 Limits, Request body size) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `upstream_failed`: The service, or a provider that it needs, failed; try again later. (§7 Codes any operation can answer, upstream_failed) */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    import_invoices: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The caller's identifier of the import.
                 * @example january
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/csv": string;
            };
        };
        responses: {
            /** @description The response is an import report. (§4 PUT /v1/invoices/imports/{externalId}, after the rules) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportReport"];
                };
            };
            /**
             * @description - `invalid_request`: The request does not have the published form. (§7 Codes any operation can answer, invalid_request)
             *     - `unreadable_request`: The body is not of the media type that it claims. (§7 Codes any operation can answer, unreadable_request)
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: The API key is missing, malformed or revoked. (§5 Authentication rule 3) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `already_imported`: Another file was imported under this identifier. (§4 PUT /v1/invoices/imports/{externalId} rule 8) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: The body is larger than is accepted. (§8 Limits, Request body size) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unsupported_media_type`: An import must be sent as text/csv. (§4 PUT /v1/invoices/imports/{externalId} rule 9) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `unreadable_file`: The import file cannot be read. (§4 PUT /v1/invoices/imports/{externalId} rule 9)
             *     - `too_many_rows`: The import file has too many rows. (§4 PUT /v1/invoices/imports/{externalId} rule 1)
             */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `upstream_failed`: The service, or a provider that it needs, failed; try again later. (§7 Codes any operation can answer, upstream_failed) */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    sync_invoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The caller's identifier of the invoice.
                 * @example INV-7
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvoiceSync"];
            };
        };
        responses: {
            /** @description The response is an invoice sync response. (§4 PUT /v1/invoices/{externalId} sentence 5) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvoiceSynced"];
                };
            };
            /**
             * @description - `invalid_request`: The request does not have the published form. (§2 Invoice sync request, payee)
             *     - `unreadable_request`: The body is not of the media type that it claims. (§7 Codes any operation can answer, unreadable_request)
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: The API key is missing, malformed or revoked. (§5 Authentication rule 3) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: The body is larger than is accepted. (§8 Limits, Request body size) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `upstream_failed`: The service, or a provider that it needs, failed; try again later. (§7 Codes any operation can answer, upstream_failed) */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    create_onboarding_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionRequest"];
            };
        };
        responses: {
            /** @description The response has url and expiresAt. (§4 POST /v1/onboarding-sessions sentence 2) */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionCreated"];
                };
            };
            /**
             * @description - `invalid_request`: The request does not have the published form. (§2 Onboarding session, externalId)
             *     - `unreadable_request`: The body is not of the media type that it claims. (§7 Codes any operation can answer, unreadable_request)
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: The API key is missing, malformed or revoked. (§5 Authentication rule 3) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `business_not_found`: No business was synced under this identifier. (§7 Other codes, business_not_found) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: The body is larger than is accepted. (§8 Limits, Request body size) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `upstream_failed`: The service, or a provider that it needs, failed; try again later. (§7 Codes any operation can answer, upstream_failed) */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    get_business: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The caller's identifier of the business.
                 * @example acme
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The response has the shape of a Business. (§4 GET /v1/organizations/{externalId} sentence 2) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Business"];
                };
            };
            /**
             * @description - `invalid_request`: The request does not have the published form. (§7 Codes any operation can answer, invalid_request)
             *     - `unreadable_request`: The body is not of the media type that it claims. (§7 Codes any operation can answer, unreadable_request)
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: The API key is missing, malformed or revoked. (§5 Authentication rule 3) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `business_not_found`: No business was synced under this identifier. (§7 Other codes, business_not_found) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: The body is larger than is accepted. (§8 Limits, Request body size) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `upstream_failed`: The service, or a provider that it needs, failed; try again later. (§7 Codes any operation can answer, upstream_failed) */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    sync_business: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The caller's identifier of the business.
                 * @example acme
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BusinessSync"];
            };
        };
        responses: {
            /** @description The response is a business sync response. (§4 PUT /v1/organizations/{externalId} sentence 4) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BusinessSynced"];
                };
            };
            /**
             * @description - `invalid_request`: The request does not have the published form. (§2 Business sync request, legalName)
             *     - `unreadable_request`: The body is not of the media type that it claims. (§7 Codes any operation can answer, unreadable_request)
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: The API key is missing, malformed or revoked. (§5 Authentication rule 3) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: The body is larger than is accepted. (§8 Limits, Request body size) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `upstream_failed`: The service, or a provider that it needs, failed; try again later. (§7 Codes any operation can answer, upstream_failed) */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    set_payout_account: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The caller's identifier of the business.
                 * @example acme
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PayoutAccount"];
            };
        };
        responses: {
            /** @description The response is a payout account response. (§4 PUT /v1/organizations/{externalId}/payout-account sentence 3) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayoutAccountSet"];
                };
            };
            /**
             * @description - `invalid_request`: The request does not have the published form. (§2 Payout account, accountNumber)
             *     - `unreadable_request`: The body is not of the media type that it claims. (§7 Codes any operation can answer, unreadable_request)
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: The API key is missing, malformed or revoked. (§5 Authentication rule 3) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `business_not_found`: No business was synced under this identifier. (§7 Other codes, business_not_found) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: The body is larger than is accepted. (§8 Limits, Request body size) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `invalid_routing_number`: The routing number is not a valid ABA number. (§4 PUT /v1/organizations/{externalId}/payout-account rule 4) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `upstream_failed`: The service, or a provider that it needs, failed; try again later. (§7 Codes any operation can answer, upstream_failed) */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    get_invoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The caller's identifier of the payee.
                 * @example acme
                 */
                payeeExternalId: string;
                /**
                 * @description The caller's identifier of the invoice.
                 * @example INV-7
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The response has the shape of an Invoice. (§4 GET /v1/organizations/{payeeExternalId}/invoices/{externalId} sentence 3) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            /**
             * @description - `invalid_request`: The request does not have the published form. (§7 Codes any operation can answer, invalid_request)
             *     - `unreadable_request`: The body is not of the media type that it claims. (§7 Codes any operation can answer, unreadable_request)
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: The API key is missing, malformed or revoked. (§5 Authentication rule 3) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `business_not_found`: No business was synced under this identifier. (§7 Other codes, business_not_found)
             *     - `invoice_not_found`: No invoice of this payee was synced under this identifier. (§7 Other codes, invoice_not_found)
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: The body is larger than is accepted. (§8 Limits, Request body size) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `upstream_failed`: The service, or a provider that it needs, failed; try again later. (§7 Codes any operation can answer, upstream_failed) */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    quote: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuoteRequest"];
            };
        };
        responses: {
            /** @description The response is a quote response. (§4 POST /v1/quotes sentence 4) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quoted"];
                };
            };
            /**
             * @description - `invalid_request`: The request does not have the published form. (§4 POST /v1/quotes sentence 3)
             *     - `unreadable_request`: The body is not of the media type that it claims. (§7 Codes any operation can answer, unreadable_request)
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: The API key is missing, malformed or revoked. (§5 Authentication rule 3) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `business_not_found`: No business was synced under this identifier. (§4 POST /v1/quotes sentence 6) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: The body is larger than is accepted. (§8 Limits, Request body size) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `upstream_failed`: The service, or a provider that it needs, failed; try again later. (§7 Codes any operation can answer, upstream_failed) */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    list_subscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list has the caller's live subscriptions, each with its reference and none with its secret. (§4 GET /v1/webhooks) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"][];
                };
            };
            /**
             * @description - `invalid_request`: The request does not have the published form. (§7 Codes any operation can answer, invalid_request)
             *     - `unreadable_request`: The body is not of the media type that it claims. (§7 Codes any operation can answer, unreadable_request)
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: The API key is missing, malformed or revoked. (§5 Authentication rule 3) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: The body is larger than is accepted. (§8 Limits, Request body size) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `upstream_failed`: The service, or a provider that it needs, failed; try again later. (§7 Codes any operation can answer, upstream_failed) */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    subscribe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionRequest"];
            };
        };
        responses: {
            /** @description The response to a new subscription shows the signing secret, this one time. (§4 POST /v1/webhooks sentence 2) */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscribed"];
                };
            };
            /**
             * @description - `invalid_request`: The request does not have the published form. (§2 Webhook subscription, url)
             *     - `unreadable_request`: The body is not of the media type that it claims. (§7 Codes any operation can answer, unreadable_request)
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: The API key is missing, malformed or revoked. (§5 Authentication rule 3) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `already_subscribed`: This destination is subscribed already. (§4 POST /v1/webhooks sentence 3) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: The body is larger than is accepted. (§8 Limits, Request body size) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `destination_refused`: Webhooks are not sent to this destination. (§4 POST /v1/webhooks sentence 4) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `upstream_failed`: The service, or a provider that it needs, failed; try again later. (§7 Codes any operation can answer, upstream_failed) */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    unsubscribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The subscription's reference.
                 * @example whs_0067b3de7831682fff25ffcf
                 */
                reference: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A deleted subscription gets no more deliveries; the others still get theirs. (§4 DELETE /v1/webhooks/{reference} sentence 1) */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description - `invalid_request`: The request does not have the published form. (§7 Codes any operation can answer, invalid_request)
             *     - `unreadable_request`: The body is not of the media type that it claims. (§7 Codes any operation can answer, unreadable_request)
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: The API key is missing, malformed or revoked. (§5 Authentication rule 3) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `subscription_not_found`: No subscription has this reference. (§4 DELETE /v1/webhooks/{reference} sentence 2) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: The body is larger than is accepted. (§8 Limits, Request body size) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `upstream_failed`: The service, or a provider that it needs, failed; try again later. (§7 Codes any operation can answer, upstream_failed) */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    receiveInvoiceCreated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description `t=<unix seconds>,v1=<hex>`. To verify it: take the bytes of the body as they arrived; compute HMAC-SHA256 over the digits of `t`, a dot and these bytes, with the secret of the subscription as key; compare the result with `v1`; reject a `t` more than 300 seconds from now.
                 *
                 *     - Every delivery carries Service-Signature, with a time in seconds and a digest in hex. (§6 Signature)
                 *     - v1 is the hex HMAC-SHA256 of timestamp, dot and body under the subscription's secret. (§6 Signature rule 1)
                 *     - The signature covers the bytes of the body as sent, not what they parse to. (§6 Signature rule 2)
                 *     - A receiver rejects a missing or malformed header, a v1 that isn't hex, and a digest that differs. (§6 Signature rule 3)
                 *     - A receiver compares digests of the same length in constant time. (§6 Signature rule 3)
                 *     - A receiver rejects a timestamp that is more than 300 seconds early or late. (§6 Signature rule 4)
                 * @example t=1767225600,v1=c5b23710f10eb0799f6d851d579ec699b5a5ee23f6929579bff5130daef285ff
                 */
                "Service-Signature": string;
                /**
                 * @description The same for each attempt of one delivery: a receiver that has seen it accepts the repeat and does nothing (§6 Delivery rule 3).
                 * @example dlv_55c5a70ccd876f837ad66fbc
                 */
                "Service-Delivery": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvoiceCreatedEvent"];
            };
        };
        responses: {
            /** @description Deliveries stop, and the subscription ends (§6 Delivery rule 2). */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is done (§6 Delivery rule 1). */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The service repeats the delivery, over about 28 hours (§6 Delivery rule 1). It follows no redirect (§6 Subscription rule 2). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveInvoiceFactoredUpdated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description `t=<unix seconds>,v1=<hex>`. To verify it: take the bytes of the body as they arrived; compute HMAC-SHA256 over the digits of `t`, a dot and these bytes, with the secret of the subscription as key; compare the result with `v1`; reject a `t` more than 300 seconds from now.
                 *
                 *     - Every delivery carries Service-Signature, with a time in seconds and a digest in hex. (§6 Signature)
                 *     - v1 is the hex HMAC-SHA256 of timestamp, dot and body under the subscription's secret. (§6 Signature rule 1)
                 *     - The signature covers the bytes of the body as sent, not what they parse to. (§6 Signature rule 2)
                 *     - A receiver rejects a missing or malformed header, a v1 that isn't hex, and a digest that differs. (§6 Signature rule 3)
                 *     - A receiver compares digests of the same length in constant time. (§6 Signature rule 3)
                 *     - A receiver rejects a timestamp that is more than 300 seconds early or late. (§6 Signature rule 4)
                 * @example t=1767225900,v1=0ea85f2bc4b9453ace542881ba0bea36fec8921c5d56db999b0a810e06751de7
                 */
                "Service-Signature": string;
                /**
                 * @description The same for each attempt of one delivery: a receiver that has seen it accepts the repeat and does nothing (§6 Delivery rule 3).
                 * @example dlv_9449f07ad16c76a5becf4214
                 */
                "Service-Delivery": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvoiceFactoredUpdatedEvent"];
            };
        };
        responses: {
            /** @description Deliveries stop, and the subscription ends (§6 Delivery rule 2). */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is done (§6 Delivery rule 1). */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The service repeats the delivery, over about 28 hours (§6 Delivery rule 1). It follows no redirect (§6 Subscription rule 2). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveInvoicePaid: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description `t=<unix seconds>,v1=<hex>`. To verify it: take the bytes of the body as they arrived; compute HMAC-SHA256 over the digits of `t`, a dot and these bytes, with the secret of the subscription as key; compare the result with `v1`; reject a `t` more than 300 seconds from now.
                 *
                 *     - Every delivery carries Service-Signature, with a time in seconds and a digest in hex. (§6 Signature)
                 *     - v1 is the hex HMAC-SHA256 of timestamp, dot and body under the subscription's secret. (§6 Signature rule 1)
                 *     - The signature covers the bytes of the body as sent, not what they parse to. (§6 Signature rule 2)
                 *     - A receiver rejects a missing or malformed header, a v1 that isn't hex, and a digest that differs. (§6 Signature rule 3)
                 *     - A receiver compares digests of the same length in constant time. (§6 Signature rule 3)
                 *     - A receiver rejects a timestamp that is more than 300 seconds early or late. (§6 Signature rule 4)
                 * @example t=1767229530,v1=034c8f9cfc830dd46453f8f4126c63621fca1fa2120bb2d15a42719572df0fda
                 */
                "Service-Signature": string;
                /**
                 * @description The same for each attempt of one delivery: a receiver that has seen it accepts the repeat and does nothing (§6 Delivery rule 3).
                 * @example dlv_f6543739b3790d7419c9dbe8
                 */
                "Service-Delivery": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvoicePaidEvent"];
            };
        };
        responses: {
            /** @description Deliveries stop, and the subscription ends (§6 Delivery rule 2). */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is done (§6 Delivery rule 1). */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The service repeats the delivery, over about 28 hours (§6 Delivery rule 1). It follows no redirect (§6 Subscription rule 2). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveLoanCreated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description `t=<unix seconds>,v1=<hex>`. To verify it: take the bytes of the body as they arrived; compute HMAC-SHA256 over the digits of `t`, a dot and these bytes, with the secret of the subscription as key; compare the result with `v1`; reject a `t` more than 300 seconds from now.
                 *
                 *     - Every delivery carries Service-Signature, with a time in seconds and a digest in hex. (§6 Signature)
                 *     - v1 is the hex HMAC-SHA256 of timestamp, dot and body under the subscription's secret. (§6 Signature rule 1)
                 *     - The signature covers the bytes of the body as sent, not what they parse to. (§6 Signature rule 2)
                 *     - A receiver rejects a missing or malformed header, a v1 that isn't hex, and a digest that differs. (§6 Signature rule 3)
                 *     - A receiver compares digests of the same length in constant time. (§6 Signature rule 3)
                 *     - A receiver rejects a timestamp that is more than 300 seconds early or late. (§6 Signature rule 4)
                 * @example t=1767225900,v1=a9f1138716ca7861225c58f9eff4d808472fbaca387f35aec11d2613b4a2bfc8
                 */
                "Service-Signature": string;
                /**
                 * @description The same for each attempt of one delivery: a receiver that has seen it accepts the repeat and does nothing (§6 Delivery rule 3).
                 * @example dlv_3d191ca77804ccb4c011bf9e
                 */
                "Service-Delivery": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoanCreatedEvent"];
            };
        };
        responses: {
            /** @description Deliveries stop, and the subscription ends (§6 Delivery rule 2). */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is done (§6 Delivery rule 1). */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The service repeats the delivery, over about 28 hours (§6 Delivery rule 1). It follows no redirect (§6 Subscription rule 2). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveLoanIssued: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description `t=<unix seconds>,v1=<hex>`. To verify it: take the bytes of the body as they arrived; compute HMAC-SHA256 over the digits of `t`, a dot and these bytes, with the secret of the subscription as key; compare the result with `v1`; reject a `t` more than 300 seconds from now.
                 *
                 *     - Every delivery carries Service-Signature, with a time in seconds and a digest in hex. (§6 Signature)
                 *     - v1 is the hex HMAC-SHA256 of timestamp, dot and body under the subscription's secret. (§6 Signature rule 1)
                 *     - The signature covers the bytes of the body as sent, not what they parse to. (§6 Signature rule 2)
                 *     - A receiver rejects a missing or malformed header, a v1 that isn't hex, and a digest that differs. (§6 Signature rule 3)
                 *     - A receiver compares digests of the same length in constant time. (§6 Signature rule 3)
                 *     - A receiver rejects a timestamp that is more than 300 seconds early or late. (§6 Signature rule 4)
                 * @example t=1767229530,v1=0bab8d60a345f148834e594bcd5435f4d4a3490c93ab58e32993b134b71e9cc8
                 */
                "Service-Signature": string;
                /**
                 * @description The same for each attempt of one delivery: a receiver that has seen it accepts the repeat and does nothing (§6 Delivery rule 3).
                 * @example dlv_faf2de610979f2510e7fb94c
                 */
                "Service-Delivery": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoanIssuedEvent"];
            };
        };
        responses: {
            /** @description Deliveries stop, and the subscription ends (§6 Delivery rule 2). */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is done (§6 Delivery rule 1). */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The service repeats the delivery, over about 28 hours (§6 Delivery rule 1). It follows no redirect (§6 Subscription rule 2). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveLoanPaid: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description `t=<unix seconds>,v1=<hex>`. To verify it: take the bytes of the body as they arrived; compute HMAC-SHA256 over the digits of `t`, a dot and these bytes, with the secret of the subscription as key; compare the result with `v1`; reject a `t` more than 300 seconds from now.
                 *
                 *     - Every delivery carries Service-Signature, with a time in seconds and a digest in hex. (§6 Signature)
                 *     - v1 is the hex HMAC-SHA256 of timestamp, dot and body under the subscription's secret. (§6 Signature rule 1)
                 *     - The signature covers the bytes of the body as sent, not what they parse to. (§6 Signature rule 2)
                 *     - A receiver rejects a missing or malformed header, a v1 that isn't hex, and a digest that differs. (§6 Signature rule 3)
                 *     - A receiver compares digests of the same length in constant time. (§6 Signature rule 3)
                 *     - A receiver rejects a timestamp that is more than 300 seconds early or late. (§6 Signature rule 4)
                 * @example t=1767229530,v1=a588ba4a61fd69215b7ff371c5d69c422f0d7f85829c46032f9c12447cce6a5d
                 */
                "Service-Signature": string;
                /**
                 * @description The same for each attempt of one delivery: a receiver that has seen it accepts the repeat and does nothing (§6 Delivery rule 3).
                 * @example dlv_c8575bc94241fdfc83a4b05a
                 */
                "Service-Delivery": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoanPaidEvent"];
            };
        };
        responses: {
            /** @description Deliveries stop, and the subscription ends (§6 Delivery rule 2). */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is done (§6 Delivery rule 1). */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The service repeats the delivery, over about 28 hours (§6 Delivery rule 1). It follows no redirect (§6 Subscription rule 2). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveOrganizationAdded: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description `t=<unix seconds>,v1=<hex>`. To verify it: take the bytes of the body as they arrived; compute HMAC-SHA256 over the digits of `t`, a dot and these bytes, with the secret of the subscription as key; compare the result with `v1`; reject a `t` more than 300 seconds from now.
                 *
                 *     - Every delivery carries Service-Signature, with a time in seconds and a digest in hex. (§6 Signature)
                 *     - v1 is the hex HMAC-SHA256 of timestamp, dot and body under the subscription's secret. (§6 Signature rule 1)
                 *     - The signature covers the bytes of the body as sent, not what they parse to. (§6 Signature rule 2)
                 *     - A receiver rejects a missing or malformed header, a v1 that isn't hex, and a digest that differs. (§6 Signature rule 3)
                 *     - A receiver compares digests of the same length in constant time. (§6 Signature rule 3)
                 *     - A receiver rejects a timestamp that is more than 300 seconds early or late. (§6 Signature rule 4)
                 * @example t=1767225600,v1=5b7762c0512452c177ec84d219fade58337404a39a8524a9bcdc87d2a4b0b9fb
                 */
                "Service-Signature": string;
                /**
                 * @description The same for each attempt of one delivery: a receiver that has seen it accepts the repeat and does nothing (§6 Delivery rule 3).
                 * @example dlv_433b84b7af0480e601afa054
                 */
                "Service-Delivery": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationAddedEvent"];
            };
        };
        responses: {
            /** @description Deliveries stop, and the subscription ends (§6 Delivery rule 2). */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is done (§6 Delivery rule 1). */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The service repeats the delivery, over about 28 hours (§6 Delivery rule 1). It follows no redirect (§6 Subscription rule 2). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveOrganizationOptedIn: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description `t=<unix seconds>,v1=<hex>`. To verify it: take the bytes of the body as they arrived; compute HMAC-SHA256 over the digits of `t`, a dot and these bytes, with the secret of the subscription as key; compare the result with `v1`; reject a `t` more than 300 seconds from now.
                 *
                 *     - Every delivery carries Service-Signature, with a time in seconds and a digest in hex. (§6 Signature)
                 *     - v1 is the hex HMAC-SHA256 of timestamp, dot and body under the subscription's secret. (§6 Signature rule 1)
                 *     - The signature covers the bytes of the body as sent, not what they parse to. (§6 Signature rule 2)
                 *     - A receiver rejects a missing or malformed header, a v1 that isn't hex, and a digest that differs. (§6 Signature rule 3)
                 *     - A receiver compares digests of the same length in constant time. (§6 Signature rule 3)
                 *     - A receiver rejects a timestamp that is more than 300 seconds early or late. (§6 Signature rule 4)
                 * @example t=1767225900,v1=74b162cbe58bb6d001144782ac5d6ea1537b3646ecf484ff398aa4338b705f28
                 */
                "Service-Signature": string;
                /**
                 * @description The same for each attempt of one delivery: a receiver that has seen it accepts the repeat and does nothing (§6 Delivery rule 3).
                 * @example dlv_2f6fd8d87c3da8c5b0d454c3
                 */
                "Service-Delivery": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationOptedInEvent"];
            };
        };
        responses: {
            /** @description Deliveries stop, and the subscription ends (§6 Delivery rule 2). */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is done (§6 Delivery rule 1). */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The service repeats the delivery, over about 28 hours (§6 Delivery rule 1). It follows no redirect (§6 Subscription rule 2). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveOrganizationRemittanceUpdated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description `t=<unix seconds>,v1=<hex>`. To verify it: take the bytes of the body as they arrived; compute HMAC-SHA256 over the digits of `t`, a dot and these bytes, with the secret of the subscription as key; compare the result with `v1`; reject a `t` more than 300 seconds from now.
                 *
                 *     - Every delivery carries Service-Signature, with a time in seconds and a digest in hex. (§6 Signature)
                 *     - v1 is the hex HMAC-SHA256 of timestamp, dot and body under the subscription's secret. (§6 Signature rule 1)
                 *     - The signature covers the bytes of the body as sent, not what they parse to. (§6 Signature rule 2)
                 *     - A receiver rejects a missing or malformed header, a v1 that isn't hex, and a digest that differs. (§6 Signature rule 3)
                 *     - A receiver compares digests of the same length in constant time. (§6 Signature rule 3)
                 *     - A receiver rejects a timestamp that is more than 300 seconds early or late. (§6 Signature rule 4)
                 * @example t=1767225600,v1=46fac2d700bfc32e5bbf5307e0855d4f90d0eac0fd88703015b784d4a34d4d1b
                 */
                "Service-Signature": string;
                /**
                 * @description The same for each attempt of one delivery: a receiver that has seen it accepts the repeat and does nothing (§6 Delivery rule 3).
                 * @example dlv_cef607c9000010a8bc14f72f
                 */
                "Service-Delivery": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationRemittanceUpdatedEvent"];
            };
        };
        responses: {
            /** @description Deliveries stop, and the subscription ends (§6 Delivery rule 2). */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is done (§6 Delivery rule 1). */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The service repeats the delivery, over about 28 hours (§6 Delivery rule 1). It follows no redirect (§6 Subscription rule 2). */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
