// Made by scripts/types.mjs from the mock's OpenAPI documents: `npm run types` makes it anew.

export interface paths {
    "/_sim/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the actions
         * @description Each action with what it does, its fields, and an example.
         */
        get: operations["list_actions"];
        put?: never;
        /**
         * Play the outside world
         * @description `{"action": NAME, …}` with the fields of the action.
         */
        post: operations["act"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/at/{entry}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See a world as it was
         * @description As it was right after an entry of its logs: a request, an intervention, a webhook. The form is that of `GET /_sim/overview`.
         */
        get: operations["read_earlier_state"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/clauses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what the names of clauses mean
         * @description Each testable sentence of the document and each assumption, in Tideover's own words. Needs no key.
         */
        get: operations["list_clauses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the clock
         * @description The time that the mock believes in.
         */
        get: operations["read_clock"];
        put?: never;
        /**
         * Move the clock forward
         * @description By so many seconds, to an instant, to the next event, or until nothing is due any more. Everything that is due happens on the way, in order. Each webhook is answered or given up before the clock passes it.
         */
        post: operations["move_clock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/conduct": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how the caller behaves
         * @description A row for each duty that the API's document gives a caller or its receiver: met, broken, with the requests and deliveries that show it, or not seen. What the caller has begun and may still finish is open; with `final`, it counts as broken.
         */
        get: operations["read_conduct"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the last deliveries
         * @description The last 1000 webhook deliveries, each with its attempts: headers, answer, duration, when the next is due. Parameters choose among them.
         */
        get: operations["list_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/deliveries/wait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Wait until all webhooks are sent
         * @description Answers when nothing is left to be sent now, or after the patience: 30 seconds unless the body says otherwise.
         */
        post: operations["wait_for_deliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/deliveries/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery once more
         * @description At once. Its schedule goes on as it was.
         */
        post: operations["resend_delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what has changed
         * @description From one entry to another, in words: per business, invoice and subscription the fields that differ, before and after.
         */
        get: operations["read_difference"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Hear of changes
         * @description Server-sent events: one at once, and one after each change, at most ten a second.
         */
        get: operations["watch_world"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/faults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the rules
         * @description The rules by which requests and deliveries fail, and how often each acted.
         */
        get: operations["list_faults"];
        put?: never;
        /**
         * Add a rule, or several
         * @description For the requests or the deliveries of all platforms, as its act says. Nothing is added if any of them is impossible.
         */
        post: operations["add_faults"];
        /**
         * Remove all rules
         * @description No request and no new delivery fails on purpose any more.
         */
        delete: operations["clear_faults"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/faults/{id}": {
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
         * Remove a rule
         * @description The others keep their numbers.
         */
        delete: operations["remove_fault"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/freedoms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See which freedoms the client has met
         * @description With `serve --grease`, the mock does at random what the API's document leaves a service free to do. This counts how often the client has met each.
         */
        get: operations["read_freedoms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See whether the mock is up
         * @description Needs no key.
         */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/interventions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was done beside the API
         * @description The last 1000 interventions: actions, moves of the clock, changes of the rules of faults, webhooks sent again. `nextRequest` and `nextDelivery` say where each stands among the requests and the deliveries.
         */
        get: operations["list_interventions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/journal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the last requests
         * @description The last requests to the API, each with its answer, the rule that decided it, and the webhooks that it caused. Parameters choose among them.
         */
        get: operations["read_journal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/journal.har": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export requests as an HTTP Archive
         * @description Those that the parameters choose. Secrets are masked.
         */
        get: operations["archive_requests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/journal/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count requests
         * @description Those that the parameters choose.
         */
        get: operations["count_requests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/journal/unexpected": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the requests that show a mistake of the client
         * @description An unknown path or method, an invalid key, a body of another form than the published one, or a part of it that the mock ignores.
         */
        get: operations["list_unexpected_requests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/journal/wait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Wait for requests
         * @description Answers when so many requests have come that the filter chooses, or after the patience.
         */
        post: operations["wait_for_requests"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys
         * @description The platforms and their keys, without the middle of each key.
         */
        get: operations["list_keys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/objections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See why an invoice cannot be financed
         * @description All refusals that an advance would meet, and not only the first.
         */
        get: operations["list_objections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the OpenAPI document of the API
         * @description With its webhooks, and with examples. Its statuses are those of this mock's profile.
         */
        get: operations["read_partner_api"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/operator.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read this document
         * @description Needs no key.
         */
        get: operations["read_operator_port"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what the page shows
         * @description The clock, the businesses and invoices of the platform, the newest first and at most 200 of each, and the books.
         */
        get: operations["read_overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/receiver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept a webhook
         * @description A receiver for whoever has none yet: subscribe to this address to see deliveries. It accepts everything, and looks at nothing. Needs no key.
         */
        post: operations["receive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start again
         * @description Everything is as it was at the start of the world: scenario, clock, faults, and the platforms that it was made with, with their keys. Journal and deliveries are empty. What is minted from then on has other names, unless they are to be repeated.
         */
        post: operations["reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/save": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write the state file
         * @description Needs no key. The answer comes once the file is whole.
         */
        post: operations["save_state"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/worlds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the worlds
         * @description With their keys: whoever reaches this port may use any world. Needs no key.
         */
        get: operations["list_worlds"];
        put?: never;
        /**
         * Make a world
         * @description A service of its own: state, clock, seed, faults, journal and webhooks. The keys in the answer select it. Needs no key.
         */
        post: operations["make_world"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/worlds/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look at a world
         * @description Needs no key.
         */
        get: operations["show_world"];
        put?: never;
        post?: never;
        /**
         * Delete a world
         * @description After the answer, no webhook of it is sent. Needs no key.
         */
        delete: operations["delete_world"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/worlds/{id}/at/{entry}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See a world as it was, by its name
         * @description As `GET /_sim/at/{entry}` does for the world of a key: what its first platform saw. Needs no key.
         */
        get: operations["read_earlier_state_of_world"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/worlds/{id}/conduct": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how the callers of a world behave
         * @description As `GET /_sim/conduct` does for the world of a key. Needs no key.
         */
        get: operations["read_conduct_of_world"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/worlds/{id}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what has changed in a world
         * @description As `GET /_sim/diff` does for the world of a key. Needs no key.
         */
        get: operations["read_difference_of_world"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/worlds/{id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy a world
         * @description As it is now, or as it was at an entry. The copy goes its own way. Needs no key.
         */
        post: operations["fork_world"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/worlds/{id}/parting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See where two worlds part
         * @description A world and a copy of it, or two copies of one world: the last entry that both have, and the first of each after it. Needs no key.
         */
        get: operations["read_parting"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/worlds/{id}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a world again
         * @description As `POST /_sim/reset` does for the world of a key. Needs no key.
         */
        post: operations["reset_world"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_sim/worlds/{id}/snapshot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a world as a document
         * @description It holds every key and every secret. The journal is not in it. Needs no key.
         */
        get: operations["read_snapshot"];
        /**
         * Restore a world from a document
         * @description The world of the document takes the place of this one. A damaged or newer document is refused, and changes nothing. Needs no key.
         */
        put: operations["restore_snapshot"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description What happens: the first seven to a request, the others to a delivery.
         * @enum {string}
         */
        ActName: "upstreamFails" | "connectionDrops" | "answerCut" | "importStops" | "answerDelayed" | "requestRepeated" | "requestThrottled" | "deliveryLate" | "deliveryDuplicated" | "deliverySwapped" | "deliveryDropped" | "unknownEventType" | "unknownField" | "unknownValue" | "bodyIndented" | "signedWithAnotherSecret" | "signedAnHourAgo";
        Action: components["schemas"]["VendorAcceptsInvitation"] | components["schemas"]["VendorConfirmsTaxId"] | components["schemas"]["VendorSignsAgreement"] | components["schemas"]["VendorAddsBankAccount"] | components["schemas"]["CollectionAccountOpens"] | components["schemas"]["VendorCompletesOnboarding"] | components["schemas"]["FundingStarts"] | components["schemas"]["FundingCompletes"] | components["schemas"]["PayorPays"] | components["schemas"]["TaxIdFoundWrong"] | components["schemas"]["InterruptNextImport"] | components["schemas"]["VendorOpensSession"] | components["schemas"]["MarkTestAccount"] | components["schemas"]["IssueKey"] | components["schemas"]["RevokeKey"] | components["schemas"]["Reset"] | components["schemas"]["UpstreamFails"];
        /** @description An action: what it does, its fields, and an example. */
        ActionDescribed: {
            /** @description The name. */
            action: string;
            /** @description What it does. */
            does: string;
            /** @description The body of a request for it. */
            example: {
                [key: string]: unknown;
            };
            /** @description The fields beside `action`. */
            fields: components["schemas"]["ActionField"][];
        };
        /** @description What came of an action. */
        ActionDone: components["schemas"]["KeyIssued"] | components["schemas"]["PaymentCollected"] | components["schemas"]["OnboardingCompleted"] | components["schemas"]["Applied"];
        /** @description A field of an action. */
        ActionField: {
            /** @description What it means. */
            meaning: string;
            /** @description The name. */
            name: string;
            /** @description Whether every request needs it. */
            required: boolean;
            /** @description What it holds, in words: `string`, `integer`, `one of VENDOR_ASSERTION, W9_UPLOAD`. */
            type: string;
        };
        /** @description What `POST /_sim/actions` can do. */
        Actions: {
            /** @description The names of the actions. */
            actions: string[];
            /** @description Each action with its fields and an example. */
            described: components["schemas"]["ActionDescribed"][];
        };
        /**
         * @description A postal address (`gap.partyFields`), complete as a collection account needs it (`gap.addressKnown`). The
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
        /** @description It happened. */
        Applied: {
            /** @description True. */
            applied: boolean;
        };
        /** @description An HTTP Archive, version 1.2. */
        Archive: {
            /** @description The log. */
            log: {
                [key: string]: unknown;
            };
        };
        /** @description A webhook that a request caused. */
        CausedEvent: {
            /** @description Its `Service-Delivery`. */
            delivery: string;
            /** @description The identifier of the event. */
            id: string;
            /**
             * Format: int64
             * @description The number of the delivery in the log of deliveries.
             */
            index: number;
            /** @description The type of the event. */
            type: string;
        };
        /** @description Events without a name. Their data grows. */
        Changes: string;
        /** @description A testable sentence of the document, or an assumption where it is silent. */
        Clause: {
            /** @description Its stable name. */
            name: string;
            /** @description The place in the document that states it or, for an assumption, that is silent. */
            place: string;
            /** @description For an assumption that a profile can change: the key in the profile. */
            profile: string | null;
            /** @description For an assumption: why this value and no other. */
            reason: string | null;
            /** @description What it says, in Tideover's own words. */
            wording: string;
        };
        /** @description All clauses: what an answer, a refusal or the journal names. */
        Clauses: {
            /** @description In document order, assumptions last. */
            clauses: components["schemas"]["Clause"][];
        };
        /** @description What the clock shows. */
        Clock: {
            /**
             * Format: date-time
             * @description The time.
             */
            now: string;
        };
        /** @description How far the clock moves: exactly one of these. */
        ClockMove: {
            /**
             * Format: int64
             * @description Forward by so many seconds; 0 or more.
             */
            advanceSeconds?: number;
            /**
             * Format: date-time
             * @description Forward to this instant.
             */
            advanceTo?: string;
            /** @description True: to the next thing that is due. */
            nextEvent?: boolean;
            /** @description True: until nothing is due any more. */
            untilQuiet?: boolean;
        };
        /** @description What the clock shows after a move. */
        ClockMoved: {
            /** @description After `nextEvent`: whether anything was due. */
            moved?: boolean;
            /**
             * Format: date-time
             * @description After `untilQuiet`: what is due next; null if nothing is.
             */
            nextDue?: string | null;
            /**
             * Format: date-time
             * @description The time.
             */
            now: string;
            /** @description After `untilQuiet`: whether nothing is due any more. */
            quiet?: boolean;
        };
        /** @enum {string} */
        ClockWord: "still" | "running";
        /**
         * @description The bank opens the collection account at once, instead of after some minutes.
         * @example {
         *       "action": "collectionAccountOpens",
         *       "payeeExternalId": "acme"
         *     }
         */
        CollectionAccountOpens: {
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "collectionAccountOpens";
            /** @description The business whose other three requirements are met. */
            payeeExternalId: string;
        };
        /** @description What is seen of the caller's conduct. */
        Conduct: {
            /** @description How many duties are met, broken, and not seen. */
            counts: components["schemas"]["ConductCounts"];
            /**
             * Format: int64
             * @description How many deliveries are not judged, because the log no longer has them.
             */
            droppedDeliveries: number;
            /**
             * Format: int64
             * @description How many requests are not judged, because the journal no longer has them.
             */
            droppedRequests: number;
            /** @description A row for each duty, in the order of the table in the guide. */
            rows: components["schemas"]["ConductRow"][];
        };
        /** @description How many duties there are of each state. */
        ConductCounts: {
            /** @description Broken. */
            broken: number;
            /** @description Met. */
            met: number;
            /** @description Not seen. */
            notSeen: number;
        };
        /** @description A duty of the caller, and what was seen of it. */
        ConductRow: {
            /** @description The sentence of the document that asks for it, or an assumption: the stable name of its place. */
            clause: string;
            /** @description The numbers of the first deliveries that show a breach. */
            deliveries: number[];
            /** @description The stable name of the duty. */
            id: string;
            /** @description The numbers of deliveries that do. */
            openDeliveries: number[];
            /** @description The numbers of requests that ask for something that the caller has not done yet. Once it is done, they show a breach. */
            openRequests: number[];
            /** @description The place of the clause in the document. */
            place: string;
            /** @description The numbers of the first requests that show a breach. */
            requests: number[];
            /** @description What shows whether a caller keeps it. */
            shownBy: string;
            /**
             * @description What was seen of it. Known: `met`, `broken`, `notSeen`; others may be added.
             * @example met
             * @example broken
             * @example notSeen
             */
            state: string;
            /** @description The duty in one sentence. */
            words: string;
        };
        /** @description How many requests there are. */
        Counted: {
            /**
             * Format: int64
             * @description The number.
             */
            count: number;
        };
        /** @description It is gone. */
        Deleted: {
            /** @description True. */
            deleted: boolean;
        };
        /** @description The last webhook deliveries. */
        Deliveries: {
            /** @description The oldest first. */
            deliveries: components["schemas"]["Delivery"][];
            /**
             * Format: int64
             * @description How many older ones are no longer kept.
             */
            dropped: number;
            /**
             * Format: int64
             * @description The number of the next delivery: `?after=` waits for it.
             */
            next: number;
        };
        /** @description One event for one subscription. */
        Delivery: {
            /** @description The last attempts, the oldest first. */
            attempts: components["schemas"]["DeliveryAttempt"][];
            /** @description The event. */
            body: unknown;
            /** @description The type of its event. */
            event: string;
            /** @description The label of the fault that acts on it, if one does. */
            fault: string | null;
            /** @description The freedoms that it takes. */
            grease?: string[];
            /** @description The value of its `Service-Delivery` header. */
            id: string;
            /**
             * Format: int64
             * @description The number of deliveries before it.
             */
            index: number;
            /**
             * Format: date-time
             * @description When the next attempt is due; null if none is.
             */
            nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @description When the event happened.
             */
            queuedAt: string;
            /**
             * @description How far it is. Known: `queued`, `underWay`, `retrying`, `accepted`, `givenUp`, `revoked`, `dropped`; others may be added.
             * @example queued
             * @example underWay
             * @example retrying
             * @example accepted
             * @example givenUp
             * @example revoked
             * @example dropped
             */
            state: string;
            /** @description The reference of the subscription. */
            subscription: string;
            /** @description The body as it is sent: its bytes are signed. */
            text: string;
            /** @description Where it goes. */
            url: string;
        };
        /** @description An attempt and its result. */
        DeliveryAttempt: {
            /**
             * Format: date-time
             * @description When it began, by the world's clock.
             */
            at: string;
            /**
             * @description The reason for it: `event`, `late`, `retry`, `duplicate`, `resent`.
             * @example event
             * @example late
             * @example retry
             * @example duplicate
             * @example resent
             */
            cause: string;
            /** @description The headers that it was sent with, except those of the connection. */
            headers: {
                [key: string]: string;
            };
            /**
             * Format: int64
             * @description Its real duration in milliseconds, once it has ended.
             */
            milliseconds: number | null;
            /**
             * Format: int32
             * @description Its number among the delivery's attempts, from 1.
             */
            number: number;
            /** @description Why there was no response. */
            problem: string | null;
            /**
             * Format: int32
             * @description The HTTP status of the response.
             */
            status: number | null;
        };
        /** @description A world as it was right after an entry of its logs, as a platform saw it. */
        EarlierState: {
            /** @description The books of all platforms: amounts that add up to 0. Cents. */
            books: {
                [key: string]: unknown;
            };
            /** @description The businesses: as the API shows them, and what it does not show. */
            businesses: {
                [key: string]: unknown;
            }[];
            /** @description The entry. */
            entry: string;
            /** @description The invoices, and where the money of each is. Cents. */
            invoices: {
                [key: string]: unknown;
            }[];
            /** @description Whether there are more of either. */
            more: boolean;
            /**
             * Format: date-time
             * @description When something was due next; null if nothing was.
             */
            nextDue: string | null;
            /**
             * Format: date-time
             * @description What the clock showed.
             */
            now: string;
            /** @description The platform's subscriptions, without their secrets. */
            subscriptions: {
                [key: string]: unknown;
            }[];
            /** @description The name of the world. */
            world: string;
        };
        /** @description An entry of a world's logs. */
        EntryOfWorld: {
            /** @description Its entry. */
            entry: string;
            /** @description What it was; null if the log no longer has it. */
            what: string | null;
            /** @description The world. */
            world: string;
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
        /** @description A rule, and how often it acted. */
        Fault: {
            /**
             * @description What happens to a request or to a delivery. Known: `upstreamFails`, `connectionDrops`, `answerCut`, `importStops`, `answerDelayed`, `requestRepeated`, `requestThrottled`, `deliveryLate`, `deliveryDuplicated`, `deliverySwapped`, `deliveryDropped`, `unknownEventType`, `unknownField`, `unknownValue`, `bodyIndented`, `signedWithAnotherSecret`, `signedAnHourAgo`; others may be added.
             * @example upstreamFails
             * @example connectionDrops
             * @example answerCut
             * @example importStops
             * @example answerDelayed
             * @example requestRepeated
             * @example requestThrottled
             * @example deliveryLate
             * @example deliveryDuplicated
             * @example deliverySwapped
             * @example deliveryDropped
             * @example unknownEventType
             * @example unknownField
             * @example unknownValue
             * @example bodyIndented
             * @example signedWithAnotherSecret
             * @example signedAnHourAgo
             */
            act: string;
            /**
             * Format: int64
             * @description For `answerCut`: how many bytes of the body arrive.
             */
            afterBytes?: number;
            /**
             * Format: int64
             * @description For `importStops`: how many rows are carried out.
             */
            afterRows?: number;
            /**
             * Format: int32
             * @description For `deliveryDropped`, `signedWithAnotherSecret` and `signedAnHourAgo`: how many attempts, from the first; 1 if it
             *     is left out.
             */
            attempts?: number;
            /**
             * @description Only deliveries of events of this type. Known: `partner.organization.added`, `partner.organization.optedIn`, `partner.organization.remittanceUpdated`, `partner.invoice.created`, `partner.invoice.paid`, `partner.invoice.factoredUpdated`, `partner.loan.created`, `partner.loan.issued`, `partner.loan.paid`; others may be added.
             * @example partner.organization.added
             * @example partner.organization.optedIn
             * @example partner.organization.remittanceUpdated
             * @example partner.invoice.created
             * @example partner.invoice.paid
             * @example partner.invoice.factoredUpdated
             * @example partner.loan.created
             * @example partner.loan.issued
             * @example partner.loan.paid
             */
            event?: string;
            /**
             * Format: int64
             * @description How often it has acted.
             */
            fired: number;
            /**
             * Format: int64
             * @description Its number: `DELETE /_sim/faults/{id}` removes it.
             */
            id: number;
            /** @description Only requests that name this business, invoice, import or subscription. */
            identifier?: string;
            /** @description Only deliveries about this invoice. */
            invoice?: string;
            /** @description The name of the rule in the journal, and in the list of deliveries. */
            label: string;
            /**
             * Format: int64
             * @description How many requests or deliveries it has selected.
             */
            matched: number;
            /**
             * Format: int64
             * @description For `answerDelayed`: how late the answer is.
             */
            milliseconds?: number;
            /**
             * Format: int64
             * @description Only the request or the delivery of this number, from 1, among those that the conditions above select.
             */
            nth?: number;
            /** @description Only requests of this operation, by its `operationId`. */
            operation?: string;
            /** @description Only deliveries about this business, or about an invoice of this payee. */
            payee?: string;
            /**
             * Format: int32
             * @description Only this percentage of those that the conditions above select, at random from the seed.
             */
            percent?: number;
            /**
             * Format: int32
             * @description For `requestThrottled`: the value of `Retry-After`.
             */
            retryAfterSeconds?: number;
            /**
             * Format: int64
             * @description For `deliveryLate`: how late it is, by the world's clock.
             */
            seconds?: number;
            /**
             * @description For `upstreamFails` and `connectionDrops`: before or after the effect of the request. Known: `beforeCommit`, `afterCommit`; others may be added.
             * @example beforeCommit
             * @example afterCommit
             */
            when?: string;
        };
        /** @description The new rules. */
        FaultIds: {
            /** @description The numbers of the rules, in the order of the request. */
            ids: number[];
        };
        /**
         * @description A fault, and the requests or the deliveries that it is for: its act says which of the two. Every condition that is
         *     given must hold.
         */
        FaultRule: {
            /** @description What happens to a request or to a delivery. */
            act: components["schemas"]["ActName"];
            /**
             * Format: int64
             * @description For `answerCut`: how many bytes of the body arrive.
             */
            afterBytes?: number;
            /**
             * Format: int64
             * @description For `importStops`: how many rows are carried out.
             */
            afterRows?: number;
            /**
             * Format: int32
             * @description For `deliveryDropped`, `signedWithAnotherSecret` and `signedAnHourAgo`: how many attempts, from the first; 1 if it
             *     is left out.
             */
            attempts?: number;
            /** @description Only deliveries of events of this type. */
            event?: components["schemas"]["EventType"];
            /** @description Only requests that name this business, invoice, import or subscription. */
            identifier?: string;
            /** @description Only deliveries about this invoice. */
            invoice?: string;
            /** @description The label of the fault in a journal or a trace; the name of its act, unless given. */
            label?: string;
            /**
             * Format: int64
             * @description For `answerDelayed`: how late the answer is.
             */
            milliseconds?: number;
            /**
             * Format: int64
             * @description Only the request or the delivery of this number, from 1, among those that the conditions above select.
             */
            nth?: number;
            /** @description Only requests of this operation, by its `operationId`. */
            operation?: string;
            /** @description Only deliveries about this business, or about an invoice of this payee. */
            payee?: string;
            /**
             * Format: int32
             * @description Only this percentage of those that the conditions above select, at random from the seed.
             */
            percent?: number;
            /**
             * Format: int32
             * @description For `requestThrottled`: the value of `Retry-After`.
             */
            retryAfterSeconds?: number;
            /**
             * Format: int64
             * @description For `deliveryLate`: how late it is, by the world's clock.
             */
            seconds?: number;
            /** @description For `upstreamFails` and `connectionDrops`: before or after the effect of the request. */
            when?: components["schemas"]["When"];
        };
        /** @description Several rules: all of them are added, or none. */
        FaultRules: {
            /** @description The rules, in order of precedence. */
            rules: components["schemas"]["FaultRule"][];
        };
        /** @description The rules by which requests and deliveries fail. */
        Faults: {
            /** @description In order of precedence. */
            faults: components["schemas"]["Fault"][];
        };
        /** @description A rule, or several. */
        FaultsAdded: components["schemas"]["FaultRules"] | components["schemas"]["FaultRule"];
        /** @description A field that has changed. */
        FieldChange: {
            /** @description The value after; null if it does not exist. */
            after: string | null;
            /** @description The value before; null if it did not exist. */
            before: string | null;
            /** @description The field, dotted. */
            field: string;
        };
        /** @description A copy to make: the body of `POST /_sim/worlds/{id}/fork`. What is missing is as in the original. */
        Fork: {
            /**
             * @description It is as its original was right after this entry: the number of a request, `i3` for an intervention, `d5` for a
             *     webhook, or `start`. As its original is now, if this is left out.
             */
            at?: string | null;
            /**
             * Format: int64
             * @description It is deleted once nobody has used it for so many seconds; as its original, if this is left out.
             */
            expiresAfterIdleSeconds?: number | null;
        };
        /** @description Something that a service is free to do. */
        Freedom: {
            /** @description The rule that permits it: the stable name of its place. */
            clause: string;
            /**
             * Format: int64
             * @description How often the client has met it.
             */
            met: number;
            /** @description The name. */
            name: string;
            /** @description The place in the API's document. */
            place: string;
            /** @description What it does. */
            sentence: string;
        };
        /** @description What the API's document leaves a service free to do, and `serve --grease` does at random. */
        Freedoms: {
            /** @description All of them. */
            freedoms: components["schemas"]["Freedom"][];
            /** @description Whether the mock takes freedoms. */
            grease: boolean;
            /** @description The names of those that the client has not met. */
            unmet: string[];
        };
        /**
         * @description The money reaches the vendor at once, instead of after an hour.
         * @example {
         *       "action": "fundingCompletes",
         *       "invoiceExternalId": "INV-7",
         *       "payeeExternalId": "acme"
         *     }
         */
        FundingCompletes: {
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "fundingCompletes";
            /** @description The invoice. */
            invoiceExternalId: string;
            /** @description The payee of the invoice. */
            payeeExternalId: string;
        };
        /**
         * @description The money of a requested advance is on its way at once, instead of after some seconds.
         * @example {
         *       "action": "fundingStarts",
         *       "invoiceExternalId": "INV-7",
         *       "payeeExternalId": "acme"
         *     }
         */
        FundingStarts: {
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "fundingStarts";
            /** @description The invoice. */
            invoiceExternalId: string;
            /** @description The payee of the invoice. */
            payeeExternalId: string;
        };
        /** @description The mock is up. */
        Health: {
            /** @description The deliberate error that the mock was started with, if any. */
            defect?: string;
            /** @description `tideover`. */
            mock: string;
            /**
             * Format: date-time
             * @description What the clock shows.
             */
            now: string;
            /** @description `ok`. */
            status: string;
        };
        /** @description How a world starts again: the body of a reset. */
        HowToStartAgain: {
            /** @description Whether secrets, references and the identifiers of events and deliveries are those of the first time again. */
            repeat?: boolean | null;
        };
        /**
         * @description The next import stops in the middle; the same file sent again resumes it.
         * @example {
         *       "action": "interruptNextImport",
         *       "afterRows": 1
         *     }
         */
        InterruptNextImport: {
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "interruptNextImport";
            /** @description How many rows it carries out before it stops. */
            afterRows: number;
        };
        /** @description Something that was done to a world beside the API: through the operator port, by the page or by a test. */
        Intervention: {
            /** @description The name of the action. */
            action: string | null;
            /**
             * Format: int64
             * @description What the payor pays. Cents.
             */
            amount: number | null;
            /** @description The `Service-Delivery` of the webhook that was sent again. */
            delivery: string | null;
            /** @description The label of the rule of faults. */
            fault: string | null;
            /** @description The invoice that the action is about. */
            invoice: string | null;
            /**
             * @description What was done. Known: `action`, `clockMoved`, `faultAdded`, `faultRemoved`, `faultsCleared`, `resent`; others may be added.
             * @example action
             * @example clockMoved
             * @example faultAdded
             * @example faultRemoved
             * @example faultsCleared
             * @example resent
             */
            kind: string;
            /**
             * Format: int64
             * @description The number of the first delivery after it. Those that it caused are among them.
             */
            nextDelivery: number;
            /**
             * Format: int64
             * @description The number of the first request after it.
             */
            nextRequest: number;
            /**
             * Format: int64
             * @description The number of interventions before it.
             */
            number: number;
            /** @description The business that the action is about: the payee of the invoice, if it is about one. */
            payee: string | null;
            /** @description Why it did not happen: the outside world could not do that. */
            refused: string | null;
            /**
             * Format: date-time
             * @description What the clock showed when it began.
             */
            time: string;
            /**
             * Format: date-time
             * @description What the clock shows after its move; null while it moves.
             */
            until: string | null;
        };
        /** @description The last interventions. */
        Interventions: {
            /**
             * Format: int64
             * @description How many older ones are no longer kept.
             */
            dropped: number;
            /** @description The oldest first. */
            interventions: components["schemas"]["Intervention"][];
            /**
             * Format: int64
             * @description The number of the next one: `?after=` waits for it.
             */
            next: number;
        };
        /**
         * @description The operator issues an API key, which the answer shows.
         * @example {
         *       "action": "issueKey",
         *       "platform": "second"
         *     }
         */
        IssueKey: {
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "issueKey";
            /** @description The platform that gets it; a new name makes a new platform. The caller's own if it is left out. */
            platform?: string;
        };
        /** @description The last requests to the API. */
        Journal: {
            /**
             * Format: int64
             * @description How many older ones are no longer kept.
             */
            dropped: number;
            /** @description The oldest first. */
            entries: components["schemas"]["JournalEntry"][];
            /**
             * Format: int64
             * @description The number of the next request: `?after=` waits for it.
             */
            next: number;
        };
        /** @description A request to the partner API, and its response. */
        JournalEntry: {
            /** @description The sentence of the document, or the assumption, that decided the answer: the stable name of its place. */
            clause: string | null;
            /** @description The code of the refusal, if the service refused it. */
            code: string | null;
            /** @description Of what the journal keeps only the beginning, besides bodies. */
            cut?: string[];
            /** @description The deliveries that the request caused, as far as the log of deliveries still has them. */
            events: components["schemas"]["CausedEvent"][];
            /** @description The label of the fault that the request met, if it met one. */
            fault: string | null;
            /**
             * @description The freedoms that the response takes, if the world has grease. The client may have got another code than
             *     `code`.
             */
            grease?: string[];
            /**
             * @description Whether a key or a signing secret in path, query, headers or body of the request is masked, besides those in the
             *     headers `Authorization`, `Proxy-Authorization` and `Cookie`, which always are.
             */
            masked?: boolean;
            /** @description The first 32 bytes of the method. */
            method: string;
            /** @description A hint about a successful request: that an address is incomplete. */
            note: string | null;
            /**
             * Format: int64
             * @description The number of requests before it.
             */
            number: number;
            /** @description The `operationId`, if path and method name an operation. */
            operation: string | null;
            /** @description The first 256 bytes of the path as sent, without the query. */
            path: string;
            /** @description The first 256 bytes of the query, if there is one. */
            query?: string;
            /**
             * Format: date-time
             * @description When that was by the wall clock.
             */
            realTime: string;
            /** @description What the client sent. */
            request: components["schemas"]["Message"];
            response: components["schemas"]["Message"] | null;
            /**
             * Format: int32
             * @description The HTTP status of the service's answer, even of one that a fault withheld from the client; none if a fault
             *     kept the request from the service.
             */
            status: number | null;
            /**
             * Format: date-time
             * @description When the service answered it, by the world's clock.
             */
            time: string;
            /** @description What the service ignored in the request, one sentence each. */
            warnings?: string[];
        };
        /** @description An API key. */
        Key: {
            /** @description The key, without its middle. */
            key: string;
            /** @description The platform that it belongs to. */
            platform: string;
            /** @description Whether it was revoked. */
            revoked: boolean;
        };
        /** @description A new API key. */
        KeyIssued: {
            /** @description True. */
            applied: boolean;
            /** @description The key. */
            key: string;
            /** @description The platform that it belongs to. */
            platform: string;
        };
        /** @description The API keys. */
        Keys: {
            /** @description Every key ever issued. */
            keys: components["schemas"]["Key"][];
        };
        /**
         * @description The operator marks a business as a test account: no money of it moves.
         * @example {
         *       "action": "markTestAccount",
         *       "externalId": "acme"
         *     }
         */
        MarkTestAccount: {
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "markTestAccount";
            /** @description The business. */
            externalId: string;
        };
        /** @description Headers and body of a request or a response. */
        Message: {
            body: components["schemas"]["Payload"] | null;
            /**
             * @description The headers by name, in lower case. Values of one name are joined by commas, and secrets are masked. Of a response, those
             *     that the service itself sets.
             */
            headers: {
                [key: string]: string;
            };
            /** @description Whether there is a body that nobody read: the request was refused for its path, its key or its size. */
            unread?: boolean;
        };
        /** @description A world to make: the body of `POST /_sim/worlds`. What is missing is as in the default world at its start. */
        NewWorld: {
            clock?: components["schemas"]["ClockWord"] | null;
            /**
             * Format: int64
             * @description It is deleted once nobody has used it for so many seconds: no request, and no stream of events.
             */
            expiresAfterIdleSeconds?: number | null;
            /** @description Rules of faults. */
            faults?: components["schemas"]["FaultRule"][] | null;
            /** @description Whether it takes freedoms. */
            grease?: boolean | null;
            /** @description The number of platforms, or the names of those beside the first. */
            platforms?: (number | string[]) | null;
            /** @description The fields of a profile. Those that are missing have their values of the standard profile. */
            profile?: {
                [key: string]: unknown;
            } | null;
            scenario?: components["schemas"]["Scenario"] | null;
            /**
             * Format: int64
             * @description The seed of all that the service chooses.
             */
            seed?: number | null;
            /**
             * Format: int32
             * @description How many times as fast as the wall clock it runs.
             */
            speed?: number | null;
            /**
             * Format: date-time
             * @description When its clock starts. If neither this nor the mock says it, and the mock's clock runs: now.
             */
            start?: string | null;
        };
        /** @description A refusal that an advance would meet, if it met no other. */
        Objection: {
            /** @description The rule: the stable name of its place. */
            clause: string;
            /** @description The code. */
            code: string;
            /** @description What is wrong. */
            sentence: string;
        };
        /** @description Why an invoice cannot be financed. */
        Objections: {
            /** @description In order of precedence; empty if the invoice can be financed. */
            objections: components["schemas"]["Objection"][];
        };
        /** @description A business meets all four requirements. */
        OnboardingCompleted: {
            /** @description True. */
            applied: boolean;
            /** @description What was left to do, in order: names of actions. */
            steps: string[];
        };
        /** @description A document in OpenAPI 3.1. */
        OpenApi: Record<string, never>;
        /** @description A world, as a platform sees it from inside. */
        Overview: {
            /** @description The books of all platforms: amounts that add up to 0. Cents. */
            books: {
                [key: string]: unknown;
            };
            /** @description The businesses: as the API shows them, and what it does not show. */
            businesses: {
                [key: string]: unknown;
            }[];
            /** @description The invoices, and where the money of each is. Cents. */
            invoices: {
                [key: string]: unknown;
            }[];
            /** @description The key whose part of the world this is. It is whole: the port gives keys to whoever asks. */
            key: string;
            /** @description Whether there are more of either. */
            more: boolean;
            /**
             * Format: int64
             * @description The number of the next delivery.
             */
            nextDelivery: number;
            /**
             * Format: date-time
             * @description When something is due next; null if nothing is.
             */
            nextDue: string | null;
            /**
             * Format: int64
             * @description The number of the next intervention.
             */
            nextIntervention: number;
            /**
             * Format: int64
             * @description The number of the next request.
             */
            nextRequest: number;
            /**
             * Format: date-time
             * @description What the clock shows.
             */
            now: string;
            /**
             * Format: int64
             * @description How often the world was reset.
             */
            resets: number;
            /**
             * Format: int32
             * @description How many times as fast as the wall clock it runs; 0 if it stands.
             */
            speed: number;
            /** @description The platform's subscriptions, without their secrets. */
            subscriptions: {
                [key: string]: unknown;
            }[];
            /** @description The name of the world. */
            world: string;
        };
        /** @description Where two worlds part. */
        Parting: {
            here: components["schemas"]["EntryOfWorld"] | null;
            lastCommon: components["schemas"]["EntryOfWorld"] | null;
            /** @description Whether they have anything in common: one is a copy of the other, or both are copies of a third. */
            shared: boolean;
            there: components["schemas"]["EntryOfWorld"] | null;
        };
        /** @description How long to wait. */
        Patience: {
            /**
             * Format: int64
             * @description Real seconds, 0 to 3600; 30 if it is left out.
             */
            patienceSeconds?: number;
        };
        /** @description A body, or its beginning. */
        Payload: {
            /** @description The body in base64, if it is not text. */
            base64?: string;
            /** @description True if only the beginning of the body is kept. */
            cut?: boolean;
            /**
             * Format: int64
             * @description The length of the whole body. Bytes.
             */
            length: number;
            /** @description The body, if it is text. */
            text?: string;
        };
        /** @description What became of a payment. */
        PaymentCollected: {
            /**
             * Format: int64
             * @description Cents collected on the invoice.
             */
            applied: number;
            /**
             * Format: int64
             * @description Cents beyond its face value, kept in suspense.
             */
            suspense: number;
        };
        /**
         * @description The payor pays an invoice into the collection account; what exceeds the face value stays in suspense.
         * @example {
         *       "action": "payorPays",
         *       "amount": 1000000,
         *       "invoiceExternalId": "INV-7",
         *       "payeeExternalId": "acme"
         *     }
         */
        PayorPays: {
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "payorPays";
            /**
             * Format: int64
             * @description Cents.
             */
            amount: number;
            /** @description The invoice. */
            invoiceExternalId: string;
            /** @description The payee of the invoice. */
            payeeExternalId: string;
        };
        /** @description The result of waiting for deliveries. */
        Quiet: {
            /**
             * Format: date-time
             * @description When the next hidden transition or attempt is due, if one is.
             */
            nextDue: string | null;
            /** @description Whether nothing is due or in flight. False if the patience ended first. */
            quiet: boolean;
            /** @description How many deliveries failed and will be tried again. */
            retrying: number;
        };
        /** @description The result of waiting for requests. */
        RequestsCame: {
            /**
             * Format: int64
             * @description How many came.
             */
            count: number;
            /** @description Whether as many came as were wanted. */
            reached: boolean;
        };
        /** @description The requests to wait for. */
        RequestsWanted: {
            /**
             * Format: int64
             * @description How many are wanted; 1 if it is left out.
             */
            count?: number;
            /** @description The parameters of `GET /_sim/journal`, as fields. */
            filter?: {
                [key: string]: unknown;
            };
            /**
             * Format: int64
             * @description Real seconds, 0 to 3600; 30 if it is left out.
             */
            patienceSeconds?: number;
        };
        /**
         * @description Everything is as it was at the start, with the same keys. What is minted from then on (secrets, references,
         *     identifiers of events and deliveries) has other names.
         * @example {
         *       "action": "reset",
         *       "repeat": true
         *     }
         */
        Reset: {
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "reset";
            /** @description Whether what is minted has the same names again, too. */
            repeat?: boolean;
        };
        /**
         * @description The operator revokes an API key.
         * @example {
         *       "action": "revokeKey",
         *       "key": "rap_sk_local"
         *     }
         */
        RevokeKey: {
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "revokeKey";
            /** @description The key; the caller's own if it is left out. */
            key?: string;
        };
        /** @description The state file is written. */
        Saved: {
            /** @description True. */
            saved: boolean;
        };
        /**
         * @description How far the story of a world has gone at its start.
         * @enum {string}
         */
        Scenario: "fresh" | "onboarded" | "funded" | "repaid" | "at-the-limit";
        /** @description A world as a document. */
        Snapshot: {
            /** @description SHA-256 of the state, in hex. */
            checksum: string;
            /** @description `tideover-world`. */
            format: string;
            /** @description The state. */
            state: unknown;
            /**
             * Format: int64
             * @description The version of the form.
             */
            version: number;
        };
        /** @description The difference between two states of a world, in words. */
        StateDifference: {
            /** @description The businesses, invoices, subscriptions and books that have changed, of all platforms. */
            changes: components["schemas"]["SubjectChange"][];
            /**
             * Format: date-time
             * @description What the clock showed first.
             */
            from: string;
            /**
             * Format: date-time
             * @description What it showed then.
             */
            to: string;
        };
        /** @description A business, an invoice, a subscription or the books, as far as they have changed. */
        SubjectChange: {
            /**
             * @description What it has come to. Known: `new`, `changed`, `gone`; others may be added.
             * @example new
             * @example changed
             * @example gone
             */
            became: string;
            /** @description The fields that differ. */
            fields: components["schemas"]["FieldChange"][];
            /** @description All of it in a sentence. */
            sentence: string;
            /** @description What has changed, such as `invoice INV-1 of acme`. */
            subject: string;
        };
        /**
         * @description The tax id on file turns out to be wrong: compliance is no longer cleared.
         * @example {
         *       "action": "taxIdFoundWrong",
         *       "payeeExternalId": "acme"
         *     }
         */
        TaxIdFoundWrong: {
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "taxIdFoundWrong";
            /** @description The vendor. */
            payeeExternalId: string;
        };
        /**
         * @description The next requests of any caller fail with 502.
         * @example {
         *       "action": "upstreamFails",
         *       "requests": 2
         *     }
         */
        UpstreamFails: {
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "upstreamFails";
            /**
             * Format: int32
             * @description How many.
             */
            requests: number;
        };
        /**
         * @description The invited person follows the link of an invitation, which works once.
         * @example {
         *       "action": "vendorAcceptsInvitation",
         *       "email": "ada@acme.example",
         *       "payeeExternalId": "acme"
         *     }
         */
        VendorAcceptsInvitation: {
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "vendorAcceptsInvitation";
            /** @description The address that was invited. */
            email: string;
            /** @description The business of the invitation. */
            payeeExternalId: string;
        };
        /**
         * @description The vendor adds a bank account for its advances, unless the platform has set one.
         * @example {
         *       "accountNumber": "000123456789",
         *       "action": "vendorAddsBankAccount",
         *       "payeeExternalId": "acme",
         *       "routingNumber": "021000021"
         *     }
         */
        VendorAddsBankAccount: {
            /** @description 4 to 17 digits. */
            accountNumber: string;
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "vendorAddsBankAccount";
            /** @description The vendor. */
            payeeExternalId: string;
            /** @description Nine digits, the last of them a check digit. */
            routingNumber: string;
        };
        /**
         * @description The vendor and the bank do all that is left, so that the business meets all four requirements.
         * @example {
         *       "action": "vendorCompletesOnboarding",
         *       "payeeExternalId": "acme",
         *       "route": "VENDOR_ASSERTION",
         *       "taxId": "12-3456789"
         *     }
         */
        VendorCompletesOnboarding: {
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "vendorCompletesOnboarding";
            /** @description The vendor. */
            payeeExternalId: string;
            /** @description How it confirms its tax id, if that is left to do; by its own word if this is left out. */
            route?: components["schemas"]["VendorRoute"];
            /** @description The number that it confirms; the one on file, or one of its own, if this is left out. */
            taxId?: string;
        };
        /**
         * @description The vendor confirms its tax id, which clears compliance.
         * @example {
         *       "action": "vendorConfirmsTaxId",
         *       "payeeExternalId": "acme",
         *       "route": "W9_UPLOAD",
         *       "taxId": "12-3456789"
         *     }
         */
        VendorConfirmsTaxId: {
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "vendorConfirmsTaxId";
            /** @description The vendor. */
            payeeExternalId: string;
            /** @description How it does that; `complianceRoute` shows it afterwards. */
            route: components["schemas"]["VendorRoute"];
            /** @description The number; the one on file if it is left out. */
            taxId?: string;
        };
        /**
         * @description The vendor opens the link of an onboarding session, which works once; refused while such links lead nowhere.
         * @example {
         *       "action": "vendorOpensSession",
         *       "url": "https://onboarding.tideover.invalid/sessions/cf5ee9a0494aa9613e05d5ed725b804b12f4a465ee635acc"
         *     }
         */
        VendorOpensSession: {
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "vendorOpensSession";
            /** @description The link, as the creation of the session returned it. */
            url: string;
        };
        /**
         * @description How a vendor clears compliance.
         * @enum {string}
         */
        VendorRoute: "VENDOR_ASSERTION" | "W9_UPLOAD";
        /**
         * @description The vendor signs the agreement. It must have accepted an invitation before.
         * @example {
         *       "action": "vendorSignsAgreement",
         *       "address": {
         *         "city": "Portland",
         *         "line1": "1 Quay",
         *         "postalCode": "97201",
         *         "state": "OR"
         *       },
         *       "payeeExternalId": "acme"
         *     }
         */
        VendorSignsAgreement: {
            /**
             * @description The action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            action: "vendorSignsAgreement";
            /** @description The address on the agreement, with which a collection account can open. */
            address?: components["schemas"]["Address"];
            /** @description The vendor. */
            payeeExternalId: string;
        };
        /**
         * @description Whether a fault comes before or after the service carries the request out.
         * @enum {string}
         */
        When: "beforeCommit" | "afterCommit";
        /** @description A service of its own. */
        World: {
            /** @description How many identifiers of businesses its platforms have synced. */
            businesses: number;
            /** @description Its name. */
            id: string;
            /** @description How many invoices it has. */
            invoices: number;
            /** @description Its keys that are not revoked, whole: whoever reaches the port may use any world. */
            keys: components["schemas"]["WorldKey"][];
            /**
             * Format: date-time
             * @description What its clock shows.
             */
            now: string;
            /** @description The names of its platforms. */
            platforms: string[];
            /**
             * Format: int64
             * @description How many requests to the API it has had since its start.
             */
            requests: number;
        };
        /** @description A key of a world. */
        WorldKey: {
            /** @description The key. */
            key: string;
            /** @description The platform's name. */
            platform: string;
        };
        /** @description A world and the keys that select it. */
        WorldMade: {
            /** @description Its name. */
            id: string;
            /** @description Every key that is not revoked, by platform. */
            keys: components["schemas"]["WorldKey"][];
            /**
             * Format: date-time
             * @description What its clock shows.
             */
            now: string;
        };
        /** @description All worlds. */
        Worlds: {
            /** @description The worlds. */
            worlds: components["schemas"]["World"][];
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
    list_actions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The actions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Actions"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    act: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Action"];
            };
        };
        responses: {
            /** @description It happened. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActionDone"];
                };
            };
            /**
             * @description - `unreadable_request`: the body is not JSON
             *     - `invalid_request`: a field or a parameter does not fit; the sentence names it
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unknown_action`: no action has this name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `action_refused`: that cannot happen now; nothing has changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: the body has more than 1048576 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    read_earlier_state: {
        parameters: {
            query?: {
                /** @description Only those with this text in their identifiers or names. */
                text?: string;
            };
            header?: never;
            path: {
                /** @description The number of a request, such as `17`, `i3` for an intervention, `d5` for a webhook, or `start`. */
                entry: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The world, as the platform of the key saw it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EarlierState"];
                };
            };
            /** @description - `invalid_request`: a field or a parameter does not fit; the sentence names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unknown_entry`: no state is kept at this entry; the sentence says which are */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `action_refused`: that cannot happen now; nothing has changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    list_clauses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The clauses. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Clauses"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    read_clock: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the clock shows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Clock"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    move_clock: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClockMove"];
            };
        };
        responses: {
            /** @description What the clock shows afterwards. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClockMoved"];
                };
            };
            /**
             * @description - `unreadable_request`: the body is not JSON
             *     - `invalid_request`: a field or a parameter does not fit; the sentence names it
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `action_refused`: that cannot happen now; nothing has changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: the body has more than 1048576 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    read_conduct: {
        parameters: {
            query?: {
                /** @description Whether the caller is done. */
                final?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conduct"];
                };
            };
            /** @description - `invalid_request`: a field or a parameter does not fit; the sentence names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    list_deliveries: {
        parameters: {
            query?: {
                /** @description Only from this number on. */
                after?: number;
                /** @description Only of the subscription with this reference. */
                subscription?: string;
                /** @description Only events of this type, such as `partner.loan.paid`. */
                type?: string;
                /** @description Only about invoices of this payee. */
                payee?: string;
                /** @description Only about this invoice. */
                invoice?: string;
                /** @description Only in this state. */
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            /** @description - `invalid_request`: a field or a parameter does not fit; the sentence names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    wait_for_deliveries: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Patience"];
            };
        };
        responses: {
            /** @description Whether it is quiet. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quiet"];
                };
            };
            /**
             * @description - `unreadable_request`: the body is not JSON
             *     - `invalid_request`: a field or a parameter does not fit; the sentence names it
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `action_refused`: that cannot happen now; nothing has changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: the body has more than 1048576 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    resend_delivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The delivery: the value of its `Service-Delivery` header. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It will be sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Applied"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unknown_delivery`: no delivery that is kept has this identifier */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `action_refused`: that cannot happen now; nothing has changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    read_difference: {
        parameters: {
            query?: {
                /** @description The entry to begin with; right before `to` if it is left out. */
                from?: string;
                /** @description The entry to end with; now if it is left out. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateDifference"];
                };
            };
            /** @description - `invalid_request`: a field or a parameter does not fit; the sentence names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unknown_entry`: no state is kept at this entry; the sentence says which are */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `action_refused`: that cannot happen now; nothing has changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    watch_world: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The count of changes as `data`, again and again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Changes"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `action_refused`: that cannot happen now; nothing has changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    list_faults: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Faults"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    add_faults: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FaultsAdded"];
            };
        };
        responses: {
            /** @description The rules are added. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FaultIds"];
                };
            };
            /**
             * @description - `unreadable_request`: the body is not JSON
             *     - `invalid_request`: a field or a parameter does not fit; the sentence names it
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `action_refused`: that cannot happen now; nothing has changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: the body has more than 1048576 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    clear_faults: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They are removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Applied"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    remove_fault: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The number of the rule. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Applied"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unknown_fault`: no rule has this number */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    read_freedoms: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The freedoms. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Freedoms"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is up. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    list_interventions: {
        parameters: {
            query?: {
                /** @description Only from this number on. */
                after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The interventions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interventions"];
                };
            };
            /** @description - `invalid_request`: a field or a parameter does not fit; the sentence names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    read_journal: {
        parameters: {
            query?: {
                /** @description Only from this number on. */
                after?: number;
                /** @description Only of this operation, by its `operationId`. */
                operation?: string;
                /** @description Only answers with this status, such as `404` or `4xx`. */
                status?: string;
                /** @description Only refusals with this code. */
                code?: string;
                /** @description Only those that this rule decided. */
                clause?: string;
                /** @description Only paths that contain this. */
                path?: string;
                /** @description Only about this business. */
                payee?: string;
                /** @description Only about this invoice. */
                invoice?: string;
                /** @description Only those that met the fault with this label. */
                fault?: string;
                /** @description Only those whose bodies contain this. */
                text?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requests. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Journal"];
                };
            };
            /** @description - `invalid_request`: a field or a parameter does not fit; the sentence names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    archive_requests: {
        parameters: {
            query?: {
                /** @description Only from this number on. */
                after?: number;
                /** @description Only of this operation, by its `operationId`. */
                operation?: string;
                /** @description Only answers with this status, such as `404` or `4xx`. */
                status?: string;
                /** @description Only refusals with this code. */
                code?: string;
                /** @description Only those that this rule decided. */
                clause?: string;
                /** @description Only paths that contain this. */
                path?: string;
                /** @description Only about this business. */
                payee?: string;
                /** @description Only about this invoice. */
                invoice?: string;
                /** @description Only those that met the fault with this label. */
                fault?: string;
                /** @description Only those whose bodies contain this. */
                text?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Archive"];
                };
            };
            /** @description - `invalid_request`: a field or a parameter does not fit; the sentence names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    count_requests: {
        parameters: {
            query?: {
                /** @description Only from this number on. */
                after?: number;
                /** @description Only of this operation, by its `operationId`. */
                operation?: string;
                /** @description Only answers with this status, such as `404` or `4xx`. */
                status?: string;
                /** @description Only refusals with this code. */
                code?: string;
                /** @description Only those that this rule decided. */
                clause?: string;
                /** @description Only paths that contain this. */
                path?: string;
                /** @description Only about this business. */
                payee?: string;
                /** @description Only about this invoice. */
                invoice?: string;
                /** @description Only those that met the fault with this label. */
                fault?: string;
                /** @description Only those whose bodies contain this. */
                text?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Counted"];
                };
            };
            /** @description - `invalid_request`: a field or a parameter does not fit; the sentence names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    list_unexpected_requests: {
        parameters: {
            query?: {
                /** @description Only from this number on. */
                after?: number;
                /** @description Only of this operation, by its `operationId`. */
                operation?: string;
                /** @description Only answers with this status, such as `404` or `4xx`. */
                status?: string;
                /** @description Only refusals with this code. */
                code?: string;
                /** @description Only those that this rule decided. */
                clause?: string;
                /** @description Only paths that contain this. */
                path?: string;
                /** @description Only about this business. */
                payee?: string;
                /** @description Only about this invoice. */
                invoice?: string;
                /** @description Only those that met the fault with this label. */
                fault?: string;
                /** @description Only those whose bodies contain this. */
                text?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requests. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Journal"];
                };
            };
            /** @description - `invalid_request`: a field or a parameter does not fit; the sentence names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    wait_for_requests: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestsWanted"];
            };
        };
        responses: {
            /** @description What the wait came to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestsCame"];
                };
            };
            /**
             * @description - `unreadable_request`: the body is not JSON
             *     - `invalid_request`: a field or a parameter does not fit; the sentence names it
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `action_refused`: that cannot happen now; nothing has changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: the body has more than 1048576 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    list_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Keys"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    list_objections: {
        parameters: {
            query: {
                /** @description The payee of the invoice. */
                payee: string;
                /** @description The invoice. */
                invoice: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The objections. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Objections"];
                };
            };
            /** @description - `invalid_request`: a field or a parameter does not fit; the sentence names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `business_not_found`: the caller has not synced this business
             *     - `invoice_not_found`: the caller has not synced this invoice
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    read_partner_api: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenApi"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    read_operator_port: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenApi"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    read_overview: {
        parameters: {
            query?: {
                /** @description Only those with this text in their identifiers or names. */
                text?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The world, as the platform of the key sees it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    receive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is accepted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Applied"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    reset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["HowToStartAgain"];
            };
        };
        responses: {
            /** @description It is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Applied"];
                };
            };
            /**
             * @description - `unreadable_request`: the body is not JSON
             *     - `invalid_request`: a field or a parameter does not fit; the sentence names it
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unauthorized`: the API key was never issued */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: the body has more than 1048576 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    save_state: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is written. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Saved"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `action_refused`: that cannot happen now; nothing has changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    list_worlds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The worlds, the default one first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Worlds"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    make_world: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewWorld"];
            };
        };
        responses: {
            /** @description Its name and its keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorldMade"];
                };
            };
            /**
             * @description - `unreadable_request`: the body is not JSON
             *     - `invalid_request`: a field or a parameter does not fit; the sentence names it
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `action_refused`: that cannot happen now; nothing has changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: the body has more than 1048576 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    show_world: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the world: `default`, `w1`, … */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The world. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["World"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unknown_world`: no world has this name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    delete_world: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the world: `default`, `w1`, … */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unknown_world`: no world has this name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `action_refused`: that cannot happen now; nothing has changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    read_earlier_state_of_world: {
        parameters: {
            query?: {
                /** @description Only those with this text in their identifiers or names. */
                text?: string;
            };
            header?: never;
            path: {
                /** @description The name of the world: `default`, `w1`, … */
                id: string;
                /** @description The number of a request, such as `17`, `i3` for an intervention, `d5` for a webhook, or `start`. */
                entry: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The world, as its first platform saw it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EarlierState"];
                };
            };
            /** @description - `invalid_request`: a field or a parameter does not fit; the sentence names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `unknown_world`: no world has this name
             *     - `unknown_entry`: no state is kept at this entry; the sentence says which are
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `action_refused`: that cannot happen now; nothing has changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    read_conduct_of_world: {
        parameters: {
            query?: {
                /** @description Whether the caller is done. */
                final?: boolean;
            };
            header?: never;
            path: {
                /** @description The name of the world: `default`, `w1`, … */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conduct"];
                };
            };
            /** @description - `invalid_request`: a field or a parameter does not fit; the sentence names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unknown_world`: no world has this name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    read_difference_of_world: {
        parameters: {
            query?: {
                /** @description The entry to begin with; right before `to` if it is left out. */
                from?: string;
                /** @description The entry to end with; now if it is left out. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The name of the world: `default`, `w1`, … */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateDifference"];
                };
            };
            /** @description - `invalid_request`: a field or a parameter does not fit; the sentence names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `unknown_world`: no world has this name
             *     - `unknown_entry`: no state is kept at this entry; the sentence says which are
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `action_refused`: that cannot happen now; nothing has changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    fork_world: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the world: `default`, `w1`, … */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Fork"];
            };
        };
        responses: {
            /** @description The name of the copy, and its keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorldMade"];
                };
            };
            /**
             * @description - `unreadable_request`: the body is not JSON
             *     - `invalid_request`: a field or a parameter does not fit; the sentence names it
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `unknown_world`: no world has this name
             *     - `unknown_entry`: no state is kept at this entry; the sentence says which are
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `action_refused`: that cannot happen now; nothing has changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: the body has more than 1048576 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    read_parting: {
        parameters: {
            query: {
                /** @description The name of the other world. */
                with: string;
            };
            header?: never;
            path: {
                /** @description The name of the world: `default`, `w1`, … */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where they part, if they share anything. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Parting"];
                };
            };
            /** @description - `invalid_request`: a field or a parameter does not fit; the sentence names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unknown_world`: no world has this name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    reset_world: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the world: `default`, `w1`, … */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["HowToStartAgain"];
            };
        };
        responses: {
            /** @description It is as it was at its start. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Applied"];
                };
            };
            /**
             * @description - `unreadable_request`: the body is not JSON
             *     - `invalid_request`: a field or a parameter does not fit; the sentence names it
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unknown_world`: no world has this name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `payload_too_large`: the body has more than 1048576 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    read_snapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the world: `default`, `w1`, … */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Snapshot"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unknown_world`: no world has this name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `action_refused`: that cannot happen now; nothing has changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    restore_snapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the world: `default`, `w1`, … */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Snapshot"];
            };
        };
        responses: {
            /** @description The name of the world, and its keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorldMade"];
                };
            };
            /**
             * @description - `unreadable_request`: the body is not JSON
             *     - `invalid_request`: a field or a parameter does not fit; the sentence names it
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /**
             * @description - `foreign_host`: the `Host` header is no address, not `localhost`, no name without a dot, and none that `--host` or `--cors` gives
             *     - `foreign_origin`: the `Origin` header names another host or port than `Host`, and `--cors` does not allow it
             */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description - `unknown_world`: no world has this name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
}
