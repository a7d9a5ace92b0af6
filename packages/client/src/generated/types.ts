// Written by `pnpm openapi` from docs/openapi.json.

export interface paths {
    readonly "/aliases": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the account's aliases, newest first
         * @description All filters must match. A cursor can be combined with any filters. With `q` or `recipient_id` a page can be short or empty even though `next_cursor` is not null.
         */
        readonly get: operations["listAliases"];
        readonly put?: never;
        /**
         * Create an alias
         * @description Pass the address as `alias_email`, or let the service generate one that cannot be guessed, in `alias_format` on `alias_domain`. The two cannot be combined.
         */
        readonly post: operations["createAlias"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/aliases/{alias_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get an alias, deleted or not
         * @description With its counts of mail. Its recipients, by id: `GET /aliases/{alias_id}/recipients`.
         */
        readonly get: operations["getAlias"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete an alias so that it can be restored
         * @description A deleted alias forwards nothing, and its recipients are detached; its address stays taken. Idempotent.
         */
        readonly delete: operations["deleteAlias"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change an alias's description, or switch it on or off
         * @description A JSON Merge Patch (RFC 7396): members that are absent leave their fields unchanged. Switching an alias on removes an end in its rules that it has reached.
         */
        readonly patch: operations["updateAlias"];
        readonly trace?: never;
    };
    readonly "/aliases/{alias_id}/contacts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List those with whom an alias has exchanged mail, newest first
         * @description Whoever wrote to the alias, was named in Reply-To, To or Cc of mail to it, or was added. An alias keeps a limited number; the longest unused are evicted, except those that were written to, added or blocked.
         */
        readonly get: operations["listContacts"];
        readonly put?: never;
        /**
         * Get the address at which an alias's recipients can write to somebody first
         * @description What they send to `reverse_email` reaches the contact from the alias, without their own addresses. Safe to repeat: an address that is a contact already stays the same one.
         */
        readonly post: operations["createContact"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/aliases/{alias_id}/contacts/{contact_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a contact of an alias
         * @description Its `reverse_email` is where the alias's recipients write to in order to reach it.
         */
        readonly get: operations["getContact"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Block a contact, or accept mail from it again
         * @description A JSON Merge Patch (RFC 7396): members that are absent leave their fields unchanged. Mail that a blocked contact sends to the alias counts in `emails_blocked`. The contact can still be written to.
         */
        readonly patch: operations["updateContact"];
        readonly trace?: never;
    };
    readonly "/aliases/{alias_id}/messages": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List an alias's messages of the last 30 days, newest first
         * @description Those that arrived for the alias, blocked ones included, and those that were sent from it, with what became of each. Changes appear some seconds later.
         */
        readonly get: operations["listMessages"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/aliases/{alias_id}/messages/{message_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a message of an alias of the last 30 days
         * @description What has become of it so far, for each place that it was to be sent to.
         */
        readonly get: operations["getMessage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/aliases/{alias_id}/messages/{message_id}/resend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a message again that did not reach everybody
         * @description A received message goes to those recipients that the alias has now and that it has not reached, also to ones that it did not have before; a sent one to the contacts that it has not reached. This happens some seconds later: the message shows it. To request it again changes nothing as long as the message waits to be sent.
         */
        readonly post: operations["resendMessage"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/aliases/{alias_id}/recipients": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the recipients of an alias, in its order
         * @description All of them, without pages. The `ETag` is the alias's. Of a deleted alias: those of its former recipients that still exist.
         */
        readonly get: operations["getAliasRecipients"];
        /**
         * Replace the recipients of an alias
         * @description Sets the complete list of an alias's recipients in one call. Any recipient not listed is detached; a repeated id counts once, at its first position. Idempotent: sending the current list succeeds and changes nothing.
         */
        readonly put: operations["replaceRecipients"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/aliases/{alias_id}/restore": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Restore a deleted alias
         * @description It forwards to its former recipients again, or to those listed instead, for example because a former one no longer exists. If the alias is not deleted, its recipients are replaced if any are listed; otherwise nothing changes.
         */
        readonly post: operations["restoreAlias"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/aliases/{alias_id}/rules": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get whose mail an alias accepts, and when it ends
         * @description They share the `ETag` of the alias.
         */
        readonly get: operations["getAliasRules"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change whose mail an alias accepts, and when it ends
         * @description A JSON Merge Patch (RFC 7396): members that are absent leave their rules unchanged, and null resets one. Other mail is refused, and counts in `emails_blocked`. An alias that has ended is switched off, and its recipients are told once; switching it on again removes the end that it has reached. The rules and the alias have one version, and so one `ETag`.
         */
        readonly patch: operations["updateAliasRules"];
        readonly trace?: never;
    };
    readonly "/aliases/{alias_id}/website": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get for which website an alias is
         * @description It shares the `ETag` of the alias.
         */
        readonly get: operations["getAliasWebsite"];
        /**
         * Change for which website an alias is
         * @description `q` of `GET /aliases` finds it. It and the alias have one version, and so one `ETag`.
         */
        readonly put: operations["updateAliasWebsite"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/blocked-senders": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the blocked senders of the account, in no particular order
         * @description Pass `next_cursor` as `cursor` to get the next page.
         */
        readonly get: operations["listBlockedSenders"];
        readonly put?: never;
        /**
         * Block an email address or a domain
         * @description No alias of the account accepts mail from the sender any more: it is refused, and counts in `emails_blocked`. A domain stands for its subdomains too. Safe to repeat: a sender that is blocked already stays as it is.
         */
        readonly post: operations["blockSender"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/blocked-senders/{blocked_sender_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Accept mail from a blocked sender again
         * @description Its mail stays refused if another blocked sender covers it. Idempotent: succeeds if nothing is blocked with this id.
         */
        readonly delete: operations["unblockSender"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Whether the service can read and write its store
         * @description For load balancers and monitoring. It is not limited, and responds within a second.
         */
        readonly get: operations["health"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the account's keys, newest first
         * @description All of them, expired ones too, without pages: an account has few.
         */
        readonly get: operations["listApiKeys"];
        readonly put?: never;
        /**
         * Create a key for a program, such as a password manager
         * @description The secret is in this response only. Programs use it at `keys_url` of `GET /service`, within its scopes. Repeating the request creates another key.
         */
        readonly post: operations["createApiKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/keys/{key_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Revoke a key
         * @description It is refused everywhere within 10 seconds. Idempotent: succeeds if the account has no key with this id.
         */
        readonly delete: operations["deleteApiKey"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/recipients": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the account's recipients, newest first
         * @description Pass `next_cursor` as `cursor` to get the next page.
         */
        readonly get: operations["listRecipients"];
        readonly put?: never;
        /**
         * Add a recipient and send it a verification link
         * @description At most one message a minute, five in 24 hours and twenty in 30 days are sent to one mailbox, whichever accounts request them. Beyond that, nothing is stored.
         */
        readonly post: operations["addRecipient"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/recipients/{recipient_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a recipient
         * @description `verification_note` says why it cannot be verified yet, if anything is wrong.
         */
        readonly get: operations["getRecipient"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a recipient permanently
         * @description A recipient that is attached to an alias cannot be deleted: reassign it first.
         */
        readonly delete: operations["deleteRecipient"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Activate or deactivate a recipient, or make it the default one
         * @description A JSON Merge Patch (RFC 7396): members that are absent leave their fields unchanged. A recipient that is attached to an alias cannot be deactivated: reassign it first.
         */
        readonly patch: operations["updateRecipient"];
        readonly trace?: never;
    };
    readonly "/recipients/{recipient_id}/reassign": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Replace a recipient with another in all its aliases
         * @description Changes up to 25 aliases a call, each of them atomically and without changing the order of its recipients; where the other recipient is already attached, this one is only detached. Safe to repeat: finished aliases are skipped.
         */
        readonly post: operations["reassignRecipient"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/recipients/{recipient_id}/verification": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a recipient a new verification link
         * @description Earlier links stop working. At most one message a minute, five in 24 hours and twenty in 30 days are sent to one mailbox, whichever accounts request them.
         */
        readonly post: operations["resendVerification"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/recipients/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Verify a recipient with the link sent to it, or stop messages to its mailbox
         * @description Without `confirm` or `suppress` nothing changes: a browser gets a page with a button for each, in its language if it is English or German (`Accept-Language`), any other client the path of each. Idempotent. A prefetch (`Sec-Purpose: prefetch`) with either is refused as an invalid request.
         */
        readonly get: operations["verifyRecipient"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/service": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get what this service offers: alias domains, webhooks and limits
         * @description As it is configured: it changes only when the service is restarted.
         */
        readonly get: operations["getService"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the account's webhooks, newest first
         * @description All of them, without pages: an account has few.
         */
        readonly get: operations["listWebhooks"];
        readonly put?: never;
        /**
         * Create a webhook: a URL that receives events
         * @description Events are signed with `secret`, which no other response has. Changes that were made before, or by other servers in the first ten seconds, may be missed. Without an `Idempotency-Key`, repeating the request creates another webhook.
         */
        readonly post: operations["createWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks/{webhook_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a webhook
         * @description Without its secret, which only the response that created it has.
         */
        readonly get: operations["getWebhook"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a webhook permanently
         * @description It receives nothing more, except an event that is being sent at the moment. Idempotent: succeeds if the account has no webhook with this id.
         */
        readonly delete: operations["deleteWebhook"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a webhook's URL or events, or switch it on or off
         * @description A JSON Merge Patch (RFC 7396): members that are absent leave their fields unchanged. A webhook never receives the events of the time when it was off. Its secret never changes.
         */
        readonly patch: operations["updateWebhook"];
        readonly trace?: never;
    };
    readonly "/webhooks/{webhook_id}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a webhook an event of the type `webhook.test`
         * @description Once, even if the webhook is off. The outcome does not affect the webhook: a failure is not retried, and does not count toward switching it off.
         */
        readonly post: operations["testWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface webhooks {
    readonly event: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Something has happened that the webhook is told about
         * @description Events arrive at least once, in no particular order: a repeated event has the same `webhook-id`. Verify the signature first.
         */
        readonly post: operations["event"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @description Whose mail the alias accepts: `everybody`'s, that of contacts that were written to or added (`written_to`), or theirs and that of `senders` (`listed`)
         * @example everybody
         * @enum {string}
         */
        readonly AcceptFrom: "everybody" | "written_to" | "listed";
        /**
         * @description Account not allowed
         * @example {
         *       "type": "urn:postern:problem:account_not_allowed",
         *       "title": "Account not allowed",
         *       "status": 403,
         *       "detail": "You are signed in, but may not have an account here. Nothing was changed. Ask the operator of this service for access, and then sign in again.",
         *       "instance": "/v1/aliases",
         *       "code": "account_not_allowed"
         *     }
         */
        readonly account_not_allowed: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "account_not_allowed";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "account_not_allowed";
        };
        /**
         * @description Account suspended
         * @example {
         *       "type": "urn:postern:problem:account_suspended",
         *       "title": "Account suspended",
         *       "status": 403,
         *       "detail": "The operator of this service has suspended the account. Nothing was changed. Ask the operator what to do.",
         *       "instance": "/v1/aliases",
         *       "code": "account_suspended"
         *     }
         */
        readonly account_suspended: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "account_suspended";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "account_suspended";
        };
        /**
         * @description Add a recipient and send it a verification link
         * @example {
         *       "recipient_email": "me@example.com"
         *     }
         */
        readonly AddRecipient: {
            /**
             * Format: email
             * @description The mailbox
             */
            readonly recipient_email: string;
        };
        /**
         * @description Address not allowed
         * @example {
         *       "type": "urn:postern:problem:address_not_allowed",
         *       "title": "Address not allowed",
         *       "status": 422,
         *       "detail": "The name is reserved for the operators of the domain. Choose another one.",
         *       "instance": "/v1/aliases",
         *       "code": "address_not_allowed"
         *     }
         */
        readonly address_not_allowed: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "address_not_allowed";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "address_not_allowed";
        };
        /**
         * @description Address taken
         * @example {
         *       "type": "urn:postern:problem:address_taken",
         *       "title": "Address taken",
         *       "status": 409,
         *       "detail": "The address is already in use. Choose another one.",
         *       "instance": "/v1/aliases",
         *       "code": "address_taken"
         *     }
         */
        readonly address_taken: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "address_taken";
        };
        /**
         * @description An address that forwards mail
         * @example {
         *       "alias_id": "019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01",
         *       "alias_email": "shop@alias.example",
         *       "description": "Shopping",
         *       "active": true,
         *       "destination_emails": [
         *         "work@example.com",
         *         "home@example.com"
         *       ],
         *       "emails_sent": 3,
         *       "emails_delivered": 3,
         *       "emails_bounced": 0,
         *       "emails_complaint": 0,
         *       "emails_replied": 1,
         *       "emails_blocked": 0,
         *       "datetime_last_sent": 1760000000000,
         *       "datetime_last_delivered": 1760000000000,
         *       "datetime_last_bounced": null,
         *       "datetime_last_complaint": null,
         *       "datetime_last_blocked": null,
         *       "datetime_last_replied": 1760000000000,
         *       "datetime_created": 1760000000000,
         *       "datetime_updated": 1760000000000,
         *       "datetime_deleted": null
         *     }
         */
        readonly Alias: {
            /** @description Whether the alias currently accepts mail */
            readonly active: boolean;
            /**
             * Format: email
             * @description The full forwarding address
             */
            readonly alias_email: string;
            /** @description Opaque; stable for the life of the alias */
            readonly alias_id: string;
            /**
             * Format: int64
             * @description Unix epoch milliseconds
             */
            readonly datetime_created: number;
            /** @description Unix epoch milliseconds; null if it never occurred */
            readonly datetime_deleted: number | null;
            /** @description Unix epoch milliseconds; null if it never occurred */
            readonly datetime_last_blocked: number | null;
            /** @description Unix epoch milliseconds; null if it never occurred */
            readonly datetime_last_bounced: number | null;
            /** @description Unix epoch milliseconds; null if it never occurred */
            readonly datetime_last_complaint: number | null;
            /** @description Unix epoch milliseconds; null if it never occurred */
            readonly datetime_last_delivered: number | null;
            /** @description Unix epoch milliseconds; null if it never occurred */
            readonly datetime_last_replied: number | null;
            /** @description Unix epoch milliseconds; null if it never occurred */
            readonly datetime_last_sent: number | null;
            /**
             * Format: int64
             * @description Unix epoch milliseconds
             */
            readonly datetime_updated: number;
            /** @description Free-form label; empty when never set */
            readonly description: string;
            /** @description Addresses the alias forwards to, in the order listed */
            readonly destination_emails: readonly [
                string,
                ...string[]
            ];
            /**
             * Format: int64
             * @description Messages blocked
             */
            readonly emails_blocked: number;
            /**
             * Format: int64
             * @description Messages bounced
             */
            readonly emails_bounced: number;
            /**
             * Format: int64
             * @description Messages that led to a complaint
             */
            readonly emails_complaint: number;
            /**
             * Format: int64
             * @description Messages delivered
             */
            readonly emails_delivered: number;
            /**
             * Format: int64
             * @description Messages replied to
             */
            readonly emails_replied: number;
            /**
             * Format: int64
             * @description Messages accepted for forwarding, as reported by the email-sending provider
             */
            readonly emails_sent: number;
        };
        /**
         * @description Alias deleted
         * @example {
         *       "type": "urn:postern:problem:alias_deleted",
         *       "title": "Alias deleted",
         *       "status": 409,
         *       "detail": "The alias is deleted, so it cannot be changed. Restore it first.",
         *       "instance": "/v1/aliases",
         *       "code": "alias_deleted"
         *     }
         */
        readonly alias_deleted: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "alias_deleted";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "alias_deleted";
        };
        /**
         * @description Alias inactive
         * @example {
         *       "type": "urn:postern:problem:alias_inactive",
         *       "title": "Alias inactive",
         *       "status": 409,
         *       "detail": "The alias is switched off, or has ended, so nothing is sent for it. Switch it on first.",
         *       "instance": "/v1/aliases",
         *       "code": "alias_inactive"
         *     }
         */
        readonly alias_inactive: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "alias_inactive";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "alias_inactive";
        };
        /**
         * @description Alias not found
         * @example {
         *       "type": "urn:postern:problem:alias_not_found",
         *       "title": "Alias not found",
         *       "status": 404,
         *       "detail": "The account has no alias with this id.",
         *       "instance": "/v1/aliases",
         *       "code": "alias_not_found"
         *     }
         */
        readonly alias_not_found: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "alias_not_found";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "alias_not_found";
        };
        /**
         * @description An alias was created, changed or deleted. `alias.updated` stands for every change of the alias that its `ETag` shows, restoring it included, and not for the counts of its mail. The alias is as it is when the event is sent, so several changes can lead to one event
         * @example {
         *       "type": "alias.created",
         *       "timestamp": "2025-10-09T08:53:20.000Z",
         *       "data": {
         *         "alias_id": "019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01",
         *         "alias_email": "shop@alias.example",
         *         "description": "Shopping",
         *         "active": true,
         *         "destination_emails": [
         *           "work@example.com",
         *           "home@example.com"
         *         ],
         *         "emails_sent": 3,
         *         "emails_delivered": 3,
         *         "emails_bounced": 0,
         *         "emails_complaint": 0,
         *         "emails_replied": 1,
         *         "emails_blocked": 0,
         *         "datetime_last_sent": 1760000000000,
         *         "datetime_last_delivered": 1760000000000,
         *         "datetime_last_bounced": null,
         *         "datetime_last_complaint": null,
         *         "datetime_last_blocked": null,
         *         "datetime_last_replied": 1760000000000,
         *         "datetime_created": 1760000000000,
         *         "datetime_updated": 1760000000000,
         *         "datetime_deleted": null
         *       }
         *     }
         */
        readonly AliasEvent: {
            readonly data: components["schemas"]["Alias"];
            /**
             * Format: date-time
             * @description When what `data` shows came about
             */
            readonly timestamp: string;
            /**
             * @description What has happened (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "alias.created" | "alias.updated" | "alias.deleted";
        };
        /**
         * @description A page of aliases
         * @example {
         *       "aliases": [
         *         {
         *           "alias_id": "019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01",
         *           "alias_email": "shop@alias.example",
         *           "description": "Shopping",
         *           "active": true,
         *           "destination_emails": [
         *             "work@example.com",
         *             "home@example.com"
         *           ],
         *           "emails_sent": 3,
         *           "emails_delivered": 3,
         *           "emails_bounced": 0,
         *           "emails_complaint": 0,
         *           "emails_replied": 1,
         *           "emails_blocked": 0,
         *           "datetime_last_sent": 1760000000000,
         *           "datetime_last_delivered": 1760000000000,
         *           "datetime_last_bounced": null,
         *           "datetime_last_complaint": null,
         *           "datetime_last_blocked": null,
         *           "datetime_last_replied": 1760000000000,
         *           "datetime_created": 1760000000000,
         *           "datetime_updated": 1760000000000,
         *           "datetime_deleted": null
         *         }
         *       ],
         *       "next_cursor": "RrMw-v79oWdMp7cNcmVjaXBpZW50LTAwMDAwNA"
         *     }
         */
        readonly AliasPage: {
            /** @description The aliases */
            readonly aliases: readonly components["schemas"]["Alias"][];
            /** @description Where the next page starts; null on the last page */
            readonly next_cursor: string | null;
        };
        /**
         * @description The recipients
         * @example {
         *       "recipients": [
         *         {
         *           "recipient_id": "019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a",
         *           "recipient_email": "home@example.com",
         *           "verified": true,
         *           "active": true,
         *           "alias_count": 1,
         *           "datetime_default": 1760000000000,
         *           "datetime_verified": 1760000000000,
         *           "datetime_verification_sent": 1760000000000,
         *           "verification_note": null,
         *           "datetime_created": 1760000000000,
         *           "datetime_updated": 1760000000000
         *         }
         *       ]
         *     }
         */
        readonly AliasRecipients: {
            /** @description The recipients, in the order of the alias */
            readonly recipients: readonly components["schemas"]["Recipient"][];
        };
        /**
         * @description Whose mail an alias accepts, and when it ends
         * @example {
         *       "accept_from": "everybody",
         *       "senders": [
         *         "friend@sender.example",
         *         "shop.example"
         *       ],
         *       "active_until": 1760000000000,
         *       "messages_left": 10
         *     }
         */
        readonly AliasRules: {
            /** @description Whose mail the alias accepts */
            readonly accept_from: components["schemas"]["AcceptFrom"] | (string & {});
            /** @description When the alias ends, in Unix epoch milliseconds; null for never */
            readonly active_until: number | null;
            /** @description After how many more messages the alias ends; null for never. Each message that it accepts reduces it */
            readonly messages_left: number | null;
            /** @description Email addresses and domains. A domain stands for its subdomains too. They matter only where `accept_from` is `listed` */
            readonly senders: readonly string[];
        };
        /**
         * @description For which website an alias is
         * @example {
         *       "website": "shop.example"
         *     }
         */
        readonly AliasWebsite: {
            /** @description The host of the website; empty for none */
            readonly website: string;
        };
        /**
         * @description Keys disabled
         * @example {
         *       "type": "urn:postern:problem:api_keys_disabled",
         *       "title": "Keys disabled",
         *       "status": 403,
         *       "detail": "Programs cannot use keys with this service. Ask the operator whether that can change.",
         *       "instance": "/v1/aliases",
         *       "code": "api_keys_disabled"
         *     }
         */
        readonly api_keys_disabled: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "api_keys_disabled";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "api_keys_disabled";
        };
        /**
         * @description A key that a program uses instead of a token
         * @example {
         *       "key_id": "mtkuqszxt4aqwjmuqrmhai7toe",
         *       "name": "Password manager",
         *       "scopes": [
         *         "aliases:create"
         *       ],
         *       "alias_domain": null,
         *       "recipient_ids": null,
         *       "expires": null,
         *       "datetime_created": 1760000000000,
         *       "datetime_last_used": 1760000000000,
         *       "last_used_by": "browser_extension"
         *     }
         */
        readonly ApiKey: {
            /** @description The alias domain of the aliases that it creates for websites; null for the service's first one */
            readonly alias_domain: string | null;
            /**
             * Format: int64
             * @description Unix epoch milliseconds
             */
            readonly datetime_created: number;
            /** @description The hour in which it was last used, as its beginning in Unix epoch milliseconds; null if never */
            readonly datetime_last_used: number | null;
            /** @description When it stops working, in Unix epoch milliseconds; null if never */
            readonly expires: number | null;
            /** @description Opaque; stable for the life of the key */
            readonly key_id: string;
            /** @description The kind of program that used it last; null if it was never used */
            readonly last_used_by: components["schemas"]["ClientKind"] | (string & {}) | null;
            /** @description What its owner calls it */
            readonly name: string;
            /** @description The recipients of the aliases that it creates for websites; null for the account's default recipient */
            readonly recipient_ids: readonly [
                string,
                ...string[]
            ] | null;
            /** @description What a program may do with it */
            readonly scopes: readonly [
                components["schemas"]["Scope"] | (string & {}),
                ...(components["schemas"]["Scope"] | (string & {}))[]
            ];
        };
        /**
         * @description A new key, with its secret
         * @example {
         *       "key_id": "mtkuqszxt4aqwjmuqrmhai7toe",
         *       "name": "Password manager",
         *       "scopes": [
         *         "aliases:create"
         *       ],
         *       "alias_domain": null,
         *       "recipient_ids": null,
         *       "expires": null,
         *       "datetime_created": 1760000000000,
         *       "datetime_last_used": 1760000000000,
         *       "last_used_by": "browser_extension",
         *       "secret": "pk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXaBcDeF"
         *     }
         */
        readonly ApiKeyCreated: components["schemas"]["ApiKey"] & {
            /** @description What the program authenticates with. It is not stored: no other response has it */
            readonly secret: string;
        };
        /**
         * @description The keys
         * @example {
         *       "keys": [
         *         {
         *           "key_id": "mtkuqszxt4aqwjmuqrmhai7toe",
         *           "name": "Password manager",
         *           "scopes": [
         *             "aliases:create"
         *           ],
         *           "alias_domain": null,
         *           "recipient_ids": null,
         *           "expires": null,
         *           "datetime_created": 1760000000000,
         *           "datetime_last_used": 1760000000000,
         *           "last_used_by": "browser_extension"
         *         }
         *       ]
         *     }
         */
        readonly ApiKeyList: {
            /** @description The keys */
            readonly keys: readonly components["schemas"]["ApiKey"][];
        };
        /**
         * @description Why a message was not forwarded
         * @example {
         *       "code": "sender_not_authentic",
         *       "message": "The message is not from the domain in its From address, and that domain asks for such messages to be refused."
         *     }
         */
        readonly Blocked: {
            /** @description Stable: match on it */
            readonly code: components["schemas"]["BlockedReason"] | (string & {});
            /** @description The same in words, for people to read */
            readonly message: string;
        };
        /**
         * @description Why a message was not forwarded
         * @example sender_not_authentic
         * @enum {string}
         */
        readonly BlockedReason: "sender_not_authentic" | "contact_blocked" | "sender_blocked" | "not_written_to" | "not_listed" | "alias_inactive" | "account_suspended";
        /**
         * @description A sender whose mail no alias of the account accepts
         * @example {
         *       "blocked_sender_id": "3z5zv3a7563x6z7yx2446zx2w6",
         *       "sender": "spam.example",
         *       "datetime_created": 1760000000000
         *     }
         */
        readonly BlockedSender: {
            /** @description Opaque */
            readonly blocked_sender_id: string;
            /**
             * Format: int64
             * @description When it was blocked, in Unix epoch milliseconds
             */
            readonly datetime_created: number;
            /** @description An email address, or a domain, which stands for its subdomains too */
            readonly sender: string;
        };
        /**
         * @description A page of blocked senders
         * @example {
         *       "blocked_senders": [
         *         {
         *           "blocked_sender_id": "3z5zv3a7563x6z7yx2446zx2w6",
         *           "sender": "spam.example",
         *           "datetime_created": 1760000000000
         *         }
         *       ],
         *       "next_cursor": "RrMw-v79oWdMp7cNcmVjaXBpZW50LTAwMDAwNA"
         *     }
         */
        readonly BlockedSenderPage: {
            /** @description The blocked senders */
            readonly blocked_senders: readonly components["schemas"]["BlockedSender"][];
            /** @description Where the next page starts; null on the last page */
            readonly next_cursor: string | null;
        };
        /**
         * @description What happens to its mail to the alias: `none` forwards it, `reject` refuses it, and `discard` accepts and discards it
         * @example none
         * @enum {string}
         */
        readonly Blocking: "none" | "reject" | "discard";
        /**
         * @description Block an email address or a domain
         * @example {
         *       "sender": "spam.example"
         *     }
         */
        readonly BlockSender: {
            /** @description An email address, or a domain of at most 11 labels */
            readonly sender: string;
        };
        /**
         * @description The kind of program that used a key, as far as its request shows
         * @example browser_extension
         * @enum {string}
         */
        readonly ClientKind: "browser_extension" | "browser" | "mobile_app" | "desktop_app" | "program";
        /**
         * @description Somebody with whom an alias has exchanged mail
         * @example {
         *       "contact_id": "7qzx3mhl2d5nwe4kfy6tbr2acu",
         *       "email": "support@shop.example",
         *       "reverse_email": "r-7qzx3mhl2d5nwe4kfy6tbr2acu@alias.example",
         *       "blocking": "none",
         *       "datetime_added": 1760000000000,
         *       "datetime_last_received": 1760000000000,
         *       "datetime_last_sent": 1760000000000,
         *       "datetime_created": 1760000000000
         *     }
         */
        readonly Contact: {
            /** @description What happens to its mail to the alias */
            readonly blocking: components["schemas"]["Blocking"] | (string & {});
            /** @description Opaque; stable for the life of the contact */
            readonly contact_id: string;
            /** @description When it was first added in order to write to it, in Unix epoch milliseconds; null if never */
            readonly datetime_added: number | null;
            /**
             * Format: int64
             * @description Unix epoch milliseconds
             */
            readonly datetime_created: number;
            /** @description When mail from it, or mail that names it, last arrived, to within an hour; null if never */
            readonly datetime_last_received: number | null;
            /** @description When it was last written to, to within an hour; null if never */
            readonly datetime_last_sent: number | null;
            /**
             * Format: email
             * @description The contact's own address
             */
            readonly email: string;
            /**
             * Format: email
             * @description What the alias's recipients write to in order to reach the contact, which gets the message from the alias
             */
            readonly reverse_email: string;
        };
        /**
         * @description Contact not found
         * @example {
         *       "type": "urn:postern:problem:contact_not_found",
         *       "title": "Contact not found",
         *       "status": 404,
         *       "detail": "The alias has no contact with this id.",
         *       "instance": "/v1/aliases",
         *       "code": "contact_not_found"
         *     }
         */
        readonly contact_not_found: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "contact_not_found";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "contact_not_found";
        };
        /**
         * @description A page of contacts
         * @example {
         *       "contacts": [
         *         {
         *           "contact_id": "7qzx3mhl2d5nwe4kfy6tbr2acu",
         *           "email": "support@shop.example",
         *           "reverse_email": "r-7qzx3mhl2d5nwe4kfy6tbr2acu@alias.example",
         *           "blocking": "none",
         *           "datetime_added": 1760000000000,
         *           "datetime_last_received": 1760000000000,
         *           "datetime_last_sent": 1760000000000,
         *           "datetime_created": 1760000000000
         *         }
         *       ],
         *       "next_cursor": "RrMw-v79oWdMp7cNcmVjaXBpZW50LTAwMDAwNA"
         *     }
         */
        readonly ContactPage: {
            /** @description The contacts */
            readonly contacts: readonly components["schemas"]["Contact"][];
            /** @description Where the next page starts; null on the last page */
            readonly next_cursor: string | null;
        };
        /**
         * @description `queued` will be tried, or tried again; `sent` was handed over; `delivered` is known to have arrived; `bounced` was refused, at once or later; `expired` could not be sent for five days; `dropped` was given up: by the operator, because the recipient was replaced or the alias deleted, or after five days of suspension
         * @example queued
         * @enum {string}
         */
        readonly CopyState: "queued" | "sent" | "delivered" | "bounced" | "expired" | "dropped";
        /**
         * @description Create an alias
         * @example {
         *       "alias_email": "shop@alias.example",
         *       "description": "Shopping",
         *       "website": "https://shop.example/login",
         *       "recipient_ids": [
         *         "019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a",
         *         "019a2c3f-0c80-7e10-a3b4-5c6d7e8f9a0b"
         *       ]
         *     }
         */
        readonly CreateAlias: components["schemas"]["CreateAliasWithAddress"] | components["schemas"]["CreateAliasWithGeneratedAddress"];
        /**
         * @description Create an alias with an address of your choice
         * @example {
         *       "alias_email": "shop@alias.example",
         *       "description": "Shopping",
         *       "website": "https://shop.example/login",
         *       "recipient_ids": [
         *         "019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a",
         *         "019a2c3f-0c80-7e10-a3b4-5c6d7e8f9a0b"
         *       ]
         *     }
         */
        readonly CreateAliasWithAddress: {
            /**
             * Format: email
             * @description An address on one of the service's alias domains. Before the @: letters and digits, with single `.`, `_` or `-` between them
             */
            readonly alias_email: string;
            /** @description Free-form label; empty by default */
            readonly description?: string;
            /** @description The complete list of recipients, in order */
            readonly recipient_ids: readonly [
                string,
                ...string[]
            ];
            /** @description The website that the alias is for, as an address or a host: its host is kept. Empty for none */
            readonly website?: string;
        };
        /**
         * @description Create an alias with a generated address
         * @example {
         *       "alias_format": "words",
         *       "alias_domain": "alias.example",
         *       "description": "Shopping",
         *       "website": "https://shop.example/login",
         *       "recipient_ids": [
         *         "019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a",
         *         "019a2c3f-0c80-7e10-a3b4-5c6d7e8f9a0b"
         *       ]
         *     }
         */
        readonly CreateAliasWithGeneratedAddress: {
            /** @description The alias domain of the generated address; the service's first one by default */
            readonly alias_domain?: string;
            /**
             * @description How to generate the address; `random` by default
             * @enum {string}
             */
            readonly alias_format?: "random" | "words" | "uuid";
            /** @description Free-form label; empty by default */
            readonly description?: string;
            /** @description The complete list of recipients, in order */
            readonly recipient_ids: readonly [
                string,
                ...string[]
            ];
            /** @description The website that the alias is for, as an address or a host: its host is kept. Empty for none */
            readonly website?: string;
        };
        /**
         * @description Create a key for a program, such as a password manager
         * @example {
         *       "name": "Password manager",
         *       "scopes": [
         *         "aliases:create"
         *       ],
         *       "alias_domain": "alias.example",
         *       "recipient_ids": [
         *         "019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a",
         *         "019a2c3f-0c80-7e10-a3b4-5c6d7e8f9a0b"
         *       ],
         *       "expires": 4000000000000
         *     }
         */
        readonly CreateApiKey: {
            /** @description The alias domain of the aliases that it creates for websites; the service's first one by default */
            readonly alias_domain?: string;
            /**
             * Format: int64
             * @description When it stops working, in Unix epoch milliseconds, in the future; never by default
             */
            readonly expires?: number;
            /** @description What you call it */
            readonly name: string;
            /** @description The recipients of the aliases that it creates for websites; the account's default recipient by default */
            readonly recipient_ids?: readonly [
                string,
                ...string[]
            ];
            /** @description What the program may do */
            readonly scopes: readonly [
                components["schemas"]["Scope"],
                ...components["schemas"]["Scope"][]
            ];
        };
        /**
         * @description Get the address at which an alias's recipients can write to somebody first
         * @example {
         *       "email": "support@shop.example"
         *     }
         */
        readonly CreateContact: {
            /**
             * Format: email
             * @description Whom to write to
             */
            readonly email: string;
        };
        /**
         * @description Create a webhook: a URL that receives events
         * @example {
         *       "url": "https://shop.example/postern",
         *       "events": [
         *         "alias.created",
         *         "alias.deleted"
         *       ]
         *     }
         */
        readonly CreateWebhook: {
            /** @description The events that the webhook receives */
            readonly events: readonly [
                components["schemas"]["EventType"],
                ...components["schemas"]["EventType"][]
            ];
            /**
             * Format: uri
             * @description Where events are posted to: an https URL on a domain, without user, password and fragment
             */
            readonly url: string;
        };
        /**
         * @description `sent`: a recipient of the alias has written it to contacts, or has unsubscribed from a list
         * @example received
         * @enum {string}
         */
        readonly Direction: "received" | "sent";
        /**
         * @description What is posted to a webhook. More types may be added: respond 2xx to those that you do not know
         * @example {
         *       "type": "alias.created",
         *       "timestamp": "2025-10-09T08:53:20.000Z",
         *       "data": {
         *         "alias_id": "019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01",
         *         "alias_email": "shop@alias.example",
         *         "description": "Shopping",
         *         "active": true,
         *         "destination_emails": [
         *           "work@example.com",
         *           "home@example.com"
         *         ],
         *         "emails_sent": 3,
         *         "emails_delivered": 3,
         *         "emails_bounced": 0,
         *         "emails_complaint": 0,
         *         "emails_replied": 1,
         *         "emails_blocked": 0,
         *         "datetime_last_sent": 1760000000000,
         *         "datetime_last_delivered": 1760000000000,
         *         "datetime_last_bounced": null,
         *         "datetime_last_complaint": null,
         *         "datetime_last_blocked": null,
         *         "datetime_last_replied": 1760000000000,
         *         "datetime_created": 1760000000000,
         *         "datetime_updated": 1760000000000,
         *         "datetime_deleted": null
         *       }
         *     }
         */
        readonly Event: components["schemas"]["AliasEvent"] | components["schemas"]["MessageEvent"] | components["schemas"]["TestEvent"];
        /**
         * @description The type of an event that can be subscribed to
         * @example alias.created
         * @enum {string}
         */
        readonly EventType: "alias.created" | "alias.updated" | "alias.deleted" | "message.blocked" | "message.failed" | "message.sent" | "message.queued";
        /**
         * @description What went wrong
         * @example {
         *       "code": "mailbox_unknown",
         *       "message": "The mail server says that there is no such mailbox."
         *     }
         */
        readonly Failure: {
            /** @description Stable: match on it */
            readonly code: components["schemas"]["FailureReason"] | (string & {});
            /** @description The same in words, for people to read */
            readonly message: string;
        };
        /**
         * @description Why a message could not be delivered
         * @example mailbox_unknown
         * @enum {string}
         */
        readonly FailureReason: "mailbox_unknown" | "mailbox_full" | "mailbox_disabled" | "message_too_large" | "refused_by_policy" | "unreachable" | "relay_unavailable" | "other";
        /**
         * @description Headers too large
         * @example {
         *       "type": "urn:postern:problem:headers_too_large",
         *       "title": "Headers too large",
         *       "status": 431,
         *       "detail": "The request line and headers are larger than 16 KiB.",
         *       "instance": "/v1/aliases",
         *       "code": "headers_too_large"
         *     }
         */
        readonly headers_too_large: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "headers_too_large";
        };
        /**
         * @description It can
         * @example {
         *       "status": "ok"
         *     }
         */
        readonly Health: {
            /** @constant */
            readonly status: "ok";
        };
        /**
         * @description Idempotency key reused
         * @example {
         *       "type": "urn:postern:problem:idempotency_key_reused",
         *       "title": "Idempotency key reused",
         *       "status": 422,
         *       "detail": "The account has created something else with this Idempotency-Key in the last 24 hours. Nothing was changed. Use a new key.",
         *       "instance": "/v1/aliases",
         *       "code": "idempotency_key_reused"
         *     }
         */
        readonly idempotency_key_reused: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "idempotency_key_reused";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "idempotency_key_reused";
        };
        /**
         * @description Why a recipient cannot be attached to an alias
         * @example unknown
         * @enum {string}
         */
        readonly Ineligibility: "unknown" | "unverified" | "inactive";
        /**
         * @description A recipient that cannot be attached to an alias
         * @example {
         *       "id": "019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a",
         *       "reason": "unknown"
         *     }
         */
        readonly IneligibleRecipient: {
            /** @description The id as it was sent */
            readonly id: string;
            /** @description Why it cannot be attached */
            readonly reason: components["schemas"]["Ineligibility"] | (string & {});
        };
        /**
         * @description Internal error
         * @example {
         *       "type": "urn:postern:problem:internal_error",
         *       "title": "Internal error",
         *       "status": 500,
         *       "detail": "An unexpected error occurred. Try again later.",
         *       "instance": "/v1/aliases",
         *       "code": "internal_error"
         *     }
         */
        readonly internal_error: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "internal_error";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "internal_error";
        };
        /**
         * @description Invalid request
         * @example {
         *       "type": "urn:postern:problem:invalid_request",
         *       "title": "Invalid request",
         *       "status": 400,
         *       "detail": "The request is not valid. Correct what `errors` lists and send it again.",
         *       "instance": "/v1/aliases",
         *       "code": "invalid_request",
         *       "errors": [
         *         {
         *           "pointer": "/color",
         *           "reason": "is not known"
         *         }
         *       ]
         *     }
         */
        readonly invalid_request: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "invalid_request";
            /** @description What is wrong in the request */
            readonly errors: readonly [
                components["schemas"]["InvalidField"],
                ...components["schemas"]["InvalidField"][]
            ];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "invalid_request";
        };
        /**
         * @description An invalid part of a request: `pointer` or `parameter` says which
         * @example {
         *       "pointer": "/color",
         *       "reason": "is not known"
         *     }
         */
        readonly InvalidField: {
            /** @description Name of the path or query parameter or of the header */
            readonly parameter?: string;
            /** @description JSON pointer (RFC 6901) into the request body */
            readonly pointer?: string;
            /** @description What is wrong with it */
            readonly reason: string;
        };
        /**
         * @description Invalid link
         * @example {
         *       "type": "urn:postern:problem:link_invalid",
         *       "title": "Invalid link",
         *       "status": 400,
         *       "detail": "The link has expired, was replaced by a newer one, or was not issued by this service. Request a new one.",
         *       "instance": "/v1/aliases",
         *       "code": "link_invalid"
         *     }
         */
        readonly link_invalid: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "link_invalid";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "link_invalid";
        };
        /**
         * @description Mailbox suppressed
         * @example {
         *       "type": "urn:postern:problem:mailbox_suppressed",
         *       "title": "Mailbox suppressed",
         *       "status": 403,
         *       "detail": "The owner of this mailbox has asked never to be sent a verification message again. Use another address.",
         *       "instance": "/v1/aliases",
         *       "code": "mailbox_suppressed"
         *     }
         */
        readonly mailbox_suppressed: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "mailbox_suppressed";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "mailbox_suppressed";
        };
        /**
         * @description Malformed JSON
         * @example {
         *       "type": "urn:postern:problem:malformed_json",
         *       "title": "Malformed JSON",
         *       "status": 400,
         *       "detail": "The body is not valid JSON in UTF-8. Correct it and send it again.",
         *       "instance": "/v1/aliases",
         *       "code": "malformed_json"
         *     }
         */
        readonly malformed_json: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "malformed_json";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "malformed_json";
        };
        /**
         * @description A message in the log of an alias
         * @example {
         *       "message_id": "0001760000000000mtkuqszxt4aqwjmuqrmhai7toe",
         *       "datetime_received": 1760000000000,
         *       "direction": "received",
         *       "contact": {
         *         "email": "support@shop.example",
         *         "contact_id": "7qzx3mhl2d5nwe4kfy6tbr2acu"
         *       },
         *       "size": 2345,
         *       "subject": null,
         *       "blocked": null,
         *       "count": 1,
         *       "unsubscribes_from": null,
         *       "recipients": [
         *         {
         *           "email": "work@example.com",
         *           "state": "bounced",
         *           "datetime_changed": 1760000000000,
         *           "reason": {
         *             "code": "mailbox_unknown",
         *             "message": "The mail server says that there is no such mailbox."
         *           }
         *         }
         *       ],
         *       "resendable_until": 1760000000000
         *     }
         */
        readonly Message: {
            /** @description Why it was not forwarded; null if it was accepted */
            readonly blocked: components["schemas"]["Blocked"] | null;
            /** @description Whom a received message is from; null if that is not known */
            readonly contact: {
                /** @description The contact of the alias that has this address; null if there is none */
                readonly contact_id: string | null;
                /**
                 * Format: email
                 * @description Its address
                 */
                readonly email: string;
            } | null;
            /**
             * Format: int64
             * @description How many messages this stands for: 1, or more if others were blocked within a minute at this alias for the same reason, from the same domain; the rest is about the first one
             */
            readonly count: number;
            /**
             * Format: int64
             * @description When this service received it, in Unix epoch milliseconds
             */
            readonly datetime_received: number;
            /** @description Whether it came from a contact, or was sent from the alias */
            readonly direction: components["schemas"]["Direction"] | (string & {});
            /** @description Opaque; identifies the message at this alias */
            readonly message_id: string;
            /** @description Where it was to be sent, and what became of it there; empty if it was blocked */
            readonly recipients: readonly components["schemas"]["MessageRecipient"][];
            /** @description The time until which the message can be sent again, in Unix epoch milliseconds, unless the space is needed earlier; null if it cannot */
            readonly resendable_until: number | null;
            /** @description In octets; null if it was refused before it was sent */
            readonly size: number | null;
            /** @description Up to 200 characters; null unless the operator has enabled subjects */
            readonly subject: string | null;
            /** @description The `message_id` of the message from whose list this one has unsubscribed the alias; null for all other messages */
            readonly unsubscribes_from: string | null;
        };
        /**
         * @description Message not found
         * @example {
         *       "type": "urn:postern:problem:message_not_found",
         *       "title": "Message not found",
         *       "status": 404,
         *       "detail": "The log of the alias has no message with this id. Messages are removed from it after 30 days.",
         *       "instance": "/v1/aliases",
         *       "code": "message_not_found"
         *     }
         */
        readonly message_not_found: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "message_not_found";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "message_not_found";
        };
        /**
         * @description Message not kept
         * @example {
         *       "type": "urn:postern:problem:message_not_kept",
         *       "title": "Message not kept",
         *       "status": 409,
         *       "detail": "The message cannot be sent again: it did not fail, or its body is no longer kept. Look at its `resendable_until` first.",
         *       "instance": "/v1/aliases",
         *       "code": "message_not_kept"
         *     }
         */
        readonly message_not_kept: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "message_not_kept";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "message_not_kept";
        };
        /**
         * @description What has become of a message so far. `message.blocked`: it was not accepted; `message.failed`: a copy of it has bounced or expired, or all were dropped; `message.sent`: all copies have been sent that were not dropped; `message.queued`: some are still to be sent. The message is as its log shows it when the event is sent
         * @example {
         *       "type": "message.blocked",
         *       "timestamp": "2025-10-09T08:53:20.000Z",
         *       "data": {
         *         "alias_id": "019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01",
         *         "alias_email": "shop@alias.example",
         *         "message": {
         *           "message_id": "0001760000000000mtkuqszxt4aqwjmuqrmhai7toe",
         *           "datetime_received": 1760000000000,
         *           "direction": "received",
         *           "contact": {
         *             "email": "support@shop.example",
         *             "contact_id": "7qzx3mhl2d5nwe4kfy6tbr2acu"
         *           },
         *           "size": 2345,
         *           "subject": null,
         *           "blocked": null,
         *           "count": 1,
         *           "unsubscribes_from": null,
         *           "recipients": [
         *             {
         *               "email": "work@example.com",
         *               "state": "bounced",
         *               "datetime_changed": 1760000000000,
         *               "reason": {
         *                 "code": "mailbox_unknown",
         *                 "message": "The mail server says that there is no such mailbox."
         *               }
         *             }
         *           ],
         *           "resendable_until": 1760000000000
         *         }
         *       }
         *     }
         */
        readonly MessageEvent: {
            /** @description The message, and its alias */
            readonly data: {
                /**
                 * Format: email
                 * @description The address of this alias
                 */
                readonly alias_email: string;
                /** @description The alias in whose log the message is */
                readonly alias_id: string;
                readonly message: components["schemas"]["Message"];
            };
            /**
             * Format: date-time
             * @description When what `data` shows came about
             */
            readonly timestamp: string;
            /**
             * @description What has happened (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "message.blocked" | "message.failed" | "message.sent" | "message.queued";
        };
        /**
         * @description A page of messages
         * @example {
         *       "messages": [
         *         {
         *           "message_id": "0001760000000000mtkuqszxt4aqwjmuqrmhai7toe",
         *           "datetime_received": 1760000000000,
         *           "direction": "received",
         *           "contact": {
         *             "email": "support@shop.example",
         *             "contact_id": "7qzx3mhl2d5nwe4kfy6tbr2acu"
         *           },
         *           "size": 2345,
         *           "subject": null,
         *           "blocked": null,
         *           "count": 1,
         *           "unsubscribes_from": null,
         *           "recipients": [
         *             {
         *               "email": "work@example.com",
         *               "state": "bounced",
         *               "datetime_changed": 1760000000000,
         *               "reason": {
         *                 "code": "mailbox_unknown",
         *                 "message": "The mail server says that there is no such mailbox."
         *               }
         *             }
         *           ],
         *           "resendable_until": 1760000000000
         *         }
         *       ],
         *       "next_cursor": "RrMw-v79oWdMp7cNcmVjaXBpZW50LTAwMDAwNA"
         *     }
         */
        readonly MessagePage: {
            /** @description The messages */
            readonly messages: readonly components["schemas"]["Message"][];
            /** @description Where the next page starts; null on the last page */
            readonly next_cursor: string | null;
        };
        /**
         * @description Where a message was to be sent
         * @example {
         *       "email": "work@example.com",
         *       "state": "bounced",
         *       "datetime_changed": 1760000000000,
         *       "reason": {
         *         "code": "mailbox_unknown",
         *         "message": "The mail server says that there is no such mailbox."
         *       }
         *     }
         */
        readonly MessageRecipient: {
            /**
             * Format: int64
             * @description Since when it has been in this state, in Unix epoch milliseconds
             */
            readonly datetime_changed: number;
            /**
             * Format: email
             * @description Where it was to be sent
             */
            readonly email: string;
            /** @description What went wrong; null if nothing did */
            readonly reason: components["schemas"]["Failure"] | null;
            /** @description What became of it there */
            readonly state: components["schemas"]["CopyState"] | (string & {});
        };
        /**
         * @description Misconfigured
         * @example {
         *       "type": "urn:postern:problem:misconfigured",
         *       "title": "Misconfigured",
         *       "status": 500,
         *       "detail": "The application mounts the API at a path other than its basePath. Pass createApi the path that it is mounted at.",
         *       "instance": "/v1/aliases",
         *       "code": "misconfigured"
         *     }
         */
        readonly misconfigured: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "misconfigured";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "misconfigured";
        };
        /**
         * @description `owner` if it was switched off with `active`, `failing` if nothing could be delivered for three days, `gone` if it responded 410
         * @example owner
         * @enum {string}
         */
        readonly OffReason: "owner" | "failing" | "gone";
        /**
         * @description Payload too large
         * @example {
         *       "type": "urn:postern:problem:payload_too_large",
         *       "title": "Payload too large",
         *       "status": 413,
         *       "detail": "The body is larger than 64 KiB.",
         *       "instance": "/v1/aliases",
         *       "code": "payload_too_large"
         *     }
         */
        readonly payload_too_large: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "payload_too_large";
        };
        /**
         * @description Precondition failed
         * @example {
         *       "type": "urn:postern:problem:precondition_failed",
         *       "title": "Precondition failed",
         *       "status": 412,
         *       "detail": "The resource has changed since the version in If-Match. Read it again first.",
         *       "instance": "/v1/aliases",
         *       "code": "precondition_failed"
         *     }
         */
        readonly precondition_failed: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "precondition_failed";
        };
        /**
         * @description A problem document (RFC 9457). More codes and members may be added
         * @example {
         *       "type": "urn:postern:problem:alias_not_found",
         *       "title": "Alias not found",
         *       "status": 404,
         *       "detail": "The account has no alias with this id.",
         *       "instance": "/v1/aliases/019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01",
         *       "code": "alias_not_found"
         *     }
         */
        readonly Problem: {
            /** @description Stable: match on it */
            readonly code: string;
            /** @description What is wrong and what to do about it, for people to read */
            readonly detail: string;
            /** @description The path of the request */
            readonly instance: string;
            /**
             * Format: int32
             * @description That of the response
             */
            readonly status: number;
            /** @description The code in words */
            readonly title: string;
            /**
             * Format: uri
             * @description `urn:postern:problem:` followed by the code
             */
            readonly type: string;
        };
        /**
         * @description Too many requests
         * @example {
         *       "type": "urn:postern:problem:rate_limited",
         *       "title": "Too many requests",
         *       "status": 429,
         *       "detail": "Too many requests, or too many verification messages to this mailbox or for this account. Wait for the number of seconds in Retry-After.",
         *       "instance": "/v1/aliases",
         *       "code": "rate_limited"
         *     }
         */
        readonly rate_limited: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "rate_limited";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "rate_limited";
        };
        /**
         * @description What was done and what is left
         * @example {
         *       "reassigned": [
         *         "019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01"
         *       ],
         *       "remaining": 0,
         *       "next_cursor": null
         *     }
         */
        readonly Reassignment: {
            /** @description Where to continue; null when the last alias was reached */
            readonly next_cursor: string | null;
            /** @description The aliases from which this call detached the recipient */
            readonly reassigned: readonly string[];
            /**
             * Format: int64
             * @description How many aliases the recipient is still attached to
             */
            readonly remaining: number;
        };
        /**
         * @description Replace a recipient with another in all its aliases
         * @example {
         *       "recipient_id": "019a2c3f-0c80-7e10-a3b4-5c6d7e8f9a0b",
         *       "cursor": "RrMw-v79oWdMp7cNcmVjaXBpZW50LTAwMDAwNA"
         *     }
         */
        readonly ReassignRecipient: {
            /** @description `next_cursor` of the previous call */
            readonly cursor?: string;
            /** @description The recipient that replaces it */
            readonly recipient_id: string;
        };
        /**
         * @description A mailbox that aliases can forward to
         * @example {
         *       "recipient_id": "019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a",
         *       "recipient_email": "home@example.com",
         *       "verified": true,
         *       "active": true,
         *       "alias_count": 1,
         *       "datetime_default": 1760000000000,
         *       "datetime_verified": 1760000000000,
         *       "datetime_verification_sent": 1760000000000,
         *       "verification_note": null,
         *       "datetime_created": 1760000000000,
         *       "datetime_updated": 1760000000000
         *     }
         */
        readonly Recipient: {
            /** @description Whether it may be attached to aliases */
            readonly active: boolean;
            /**
             * Format: int64
             * @description How many aliases it is attached to
             */
            readonly alias_count: number;
            /**
             * Format: int64
             * @description Unix epoch milliseconds
             */
            readonly datetime_created: number;
            /** @description When it was made the default recipient, in Unix epoch milliseconds; null if it was not. Aliases that programs with keys create forward to the default recipient, unless others are named. Of those that are verified and active, it is the one with the latest time or, if none has one, the one added first */
            readonly datetime_default: number | null;
            /**
             * Format: int64
             * @description Unix epoch milliseconds
             */
            readonly datetime_updated: number;
            /** @description When the message with the newest link was handed over for sending, in Unix epoch milliseconds; null if it was not */
            readonly datetime_verification_sent: number | null;
            /** @description Unix epoch milliseconds; null while not verified */
            readonly datetime_verified: number | null;
            /**
             * Format: email
             * @description The mailbox
             */
            readonly recipient_email: string;
            /** @description Opaque; stable for the life of the recipient */
            readonly recipient_id: string;
            /** @description Why the recipient cannot be verified yet, and what to do about it; null if nothing is wrong */
            readonly verification_note: string | null;
            /** @description Whether access to the mailbox has been proved */
            readonly verified: boolean;
        };
        /**
         * @description Recipient attached
         * @example {
         *       "type": "urn:postern:problem:recipient_attached",
         *       "title": "Recipient attached",
         *       "status": 409,
         *       "detail": "Aliases still forward to the recipient. Reassign them to another recipient first.",
         *       "instance": "/v1/aliases",
         *       "code": "recipient_attached",
         *       "alias_count": 1,
         *       "alias_ids": [
         *         "019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01"
         *       ]
         *     }
         */
        readonly recipient_attached: components["schemas"]["Problem"] & {
            /**
             * Format: int64
             * @description How many aliases the recipient is attached to
             */
            readonly alias_count: number;
            /** @description Up to ten of these aliases */
            readonly alias_ids: readonly string[];
            /** @constant */
            readonly code: "recipient_attached";
        };
        /**
         * @description Recipient not found
         * @example {
         *       "type": "urn:postern:problem:recipient_not_found",
         *       "title": "Recipient not found",
         *       "status": 404,
         *       "detail": "The account has no recipient with this id.",
         *       "instance": "/v1/aliases",
         *       "code": "recipient_not_found"
         *     }
         */
        readonly recipient_not_found: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "recipient_not_found";
        };
        /**
         * @description A page of recipients
         * @example {
         *       "recipients": [
         *         {
         *           "recipient_id": "019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a",
         *           "recipient_email": "home@example.com",
         *           "verified": true,
         *           "active": true,
         *           "alias_count": 1,
         *           "datetime_default": 1760000000000,
         *           "datetime_verified": 1760000000000,
         *           "datetime_verification_sent": 1760000000000,
         *           "verification_note": null,
         *           "datetime_created": 1760000000000,
         *           "datetime_updated": 1760000000000
         *         }
         *       ],
         *       "next_cursor": "RrMw-v79oWdMp7cNcmVjaXBpZW50LTAwMDAwNA"
         *     }
         */
        readonly RecipientPage: {
            /** @description Where the next page starts; null on the last page */
            readonly next_cursor: string | null;
            /** @description The recipients */
            readonly recipients: readonly components["schemas"]["Recipient"][];
        };
        /**
         * @description Recipients ineligible
         * @example {
         *       "type": "urn:postern:problem:recipients_ineligible",
         *       "title": "Recipients ineligible",
         *       "status": 422,
         *       "detail": "Every listed recipient must belong to the account, be verified and be active. Nothing was changed.",
         *       "instance": "/v1/aliases",
         *       "code": "recipients_ineligible",
         *       "recipients": [
         *         {
         *           "id": "019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a",
         *           "reason": "unverified"
         *         }
         *       ]
         *     }
         */
        readonly recipients_ineligible: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "recipients_ineligible";
            /** @description Every ineligible recipient, in the order listed */
            readonly recipients: readonly [
                components["schemas"]["IneligibleRecipient"],
                ...components["schemas"]["IneligibleRecipient"][]
            ];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "recipients_ineligible";
        };
        /**
         * @description Replace the recipients of an alias
         * @example {
         *       "recipient_ids": [
         *         "019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a",
         *         "019a2c3f-0c80-7e10-a3b4-5c6d7e8f9a0b"
         *       ]
         *     }
         */
        readonly ReplaceRecipients: {
            /** @description The complete list of recipients, in order */
            readonly recipient_ids: readonly [
                string,
                ...string[]
            ];
        };
        /**
         * @description Request timeout
         * @example {
         *       "type": "urn:postern:problem:request_timeout",
         *       "title": "Request timeout",
         *       "status": 408,
         *       "detail": "The request did not arrive completely in time. Send it again.",
         *       "instance": "/v1/aliases",
         *       "code": "request_timeout"
         *     }
         */
        readonly request_timeout: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "request_timeout";
        };
        /**
         * @description Restore a deleted alias
         * @example {
         *       "recipient_ids": [
         *         "019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a",
         *         "019a2c3f-0c80-7e10-a3b4-5c6d7e8f9a0b"
         *       ]
         *     }
         */
        readonly RestoreAlias: {
            /** @description The complete list of recipients, in order; defaults to the former ones */
            readonly recipient_ids?: readonly [
                string,
                ...string[]
            ];
        };
        /**
         * @description What a program may do with a key
         * @example aliases:create
         * @enum {string}
         */
        readonly Scope: "aliases:create" | "aliases:read" | "aliases:write" | "recipients:read" | "messages:read";
        /**
         * @description What the service offers, and its limits
         * @example {
         *       "alias_domains": [
         *         "alias.example"
         *       ],
         *       "webhooks": true,
         *       "keys_url": "https://keys.example.com",
         *       "limits": {
         *         "requests_per_minute": 1200,
         *         "creations_per_minute": 60,
         *         "aliases": 10000,
         *         "recipients": 200,
         *         "unverified_recipients": 20,
         *         "verification_messages_per_day": 100,
         *         "blocked_senders": 1000,
         *         "keys": 20,
         *         "webhooks": 5,
         *         "contacts_per_alias": 10000,
         *         "logged_messages": 100000,
         *         "logged_messages_per_alias": 10000
         *       }
         *     }
         */
        readonly Service: {
            /** @description The domains on which aliases can be created. Generated addresses are on the first one by default */
            readonly alias_domains: readonly [
                string,
                ...string[]
            ];
            /** @description The base address at which programs use keys; null if they cannot: then creating one is `api_keys_disabled` */
            readonly keys_url: string | null;
            /** @description How much an account can have and do; null where there is no limit */
            readonly limits: {
                /** @description Deleted ones included; `too_many_aliases` beyond */
                readonly aliases: number | null;
                /** @description `too_many_blocked_senders` beyond */
                readonly blocked_senders: number | null;
                /** @description At the limit, some are evicted; `too_many_contacts` if none can be, for one that is added */
                readonly contacts_per_alias: number | null;
                /** @description Aliases, recipients, contacts, blocked senders, webhooks, keys and test events together; `too_many_creations` beyond */
                readonly creations_per_minute: number | null;
                /** @description `too_many_api_keys` beyond */
                readonly keys: number | null;
                /** @description In the logs of all aliases together. The oldest ones go */
                readonly logged_messages: number | null;
                /** @description The oldest ones go */
                readonly logged_messages_per_alias: number | null;
                /** @description `too_many_recipients` beyond */
                readonly recipients: number | null;
                /** @description Requests of the account; `rate_limited` beyond */
                readonly requests_per_minute: number | null;
                /** @description Recipients that are not verified yet; `too_many_unverified_recipients` beyond */
                readonly unverified_recipients: number | null;
                /** @description In any 24 hours; `rate_limited` beyond */
                readonly verification_messages_per_day: number | null;
                /** @description `too_many_webhooks` beyond */
                readonly webhooks: number | null;
            };
            /** @description Whether events are sent. Otherwise, creating a webhook is `webhooks_disabled` */
            readonly webhooks: boolean;
        };
        /**
         * @description Somebody has asked for a test with `POST /webhooks/{webhook_id}/test`. Sent once, whatever events the webhook receives
         * @example {
         *       "type": "webhook.test",
         *       "timestamp": "2025-10-09T08:53:20.000Z",
         *       "data": {
         *         "webhook_id": "mtkuqszxt4aqwjmuqrmhai7toe"
         *       }
         *     }
         */
        readonly TestEvent: {
            /** @description Which webhook it is a test of */
            readonly data: {
                /** @description The webhook */
                readonly webhook_id: string;
            };
            /**
             * Format: date-time
             * @description When what `data` shows came about
             */
            readonly timestamp: string;
            /**
             * @description What has happened (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly type: "webhook.test";
        };
        /**
         * @description Too many aliases
         * @example {
         *       "type": "urn:postern:problem:too_many_aliases",
         *       "title": "Too many aliases",
         *       "status": 403,
         *       "detail": "The account has reached its limit of 10000 aliases, deleted ones included. Restore or reuse one of them, or ask the operator to raise the limit.",
         *       "instance": "/v1/aliases",
         *       "code": "too_many_aliases",
         *       "limit": 10000
         *     }
         */
        readonly too_many_aliases: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "too_many_aliases";
            /**
             * Format: int64
             * @description How many of them there may be
             */
            readonly limit: number;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "too_many_aliases";
        };
        /**
         * @description Too many keys
         * @example {
         *       "type": "urn:postern:problem:too_many_api_keys",
         *       "title": "Too many keys",
         *       "status": 403,
         *       "detail": "The account has reached its limit of 20 keys. Delete one that is no longer needed.",
         *       "instance": "/v1/aliases",
         *       "code": "too_many_api_keys",
         *       "limit": 20
         *     }
         */
        readonly too_many_api_keys: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "too_many_api_keys";
            /**
             * Format: int64
             * @description How many of them there may be
             */
            readonly limit: number;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "too_many_api_keys";
        };
        /**
         * @description Too many blocked senders
         * @example {
         *       "type": "urn:postern:problem:too_many_blocked_senders",
         *       "title": "Too many blocked senders",
         *       "status": 403,
         *       "detail": "The account has reached its limit of 1000 blocked senders. Unblock one, or block a domain instead of several of its addresses.",
         *       "instance": "/v1/aliases",
         *       "code": "too_many_blocked_senders",
         *       "limit": 1000
         *     }
         */
        readonly too_many_blocked_senders: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "too_many_blocked_senders";
            /**
             * Format: int64
             * @description How many of them there may be
             */
            readonly limit: number;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "too_many_blocked_senders";
        };
        /**
         * @description Too many contacts
         * @example {
         *       "type": "urn:postern:problem:too_many_contacts",
         *       "title": "Too many contacts",
         *       "status": 403,
         *       "detail": "The alias has reached its limit of 10000 contacts that were written to, added or blocked. Use another alias.",
         *       "instance": "/v1/aliases",
         *       "code": "too_many_contacts",
         *       "limit": 10000
         *     }
         */
        readonly too_many_contacts: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "too_many_contacts";
            /**
             * Format: int64
             * @description How many of them there may be
             */
            readonly limit: number;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "too_many_contacts";
        };
        /**
         * @description Too many creations
         * @example {
         *       "type": "urn:postern:problem:too_many_creations",
         *       "title": "Too many creations",
         *       "status": 429,
         *       "detail": "The account has reached its limit of creations per minute, in which test events of webhooks count too. Wait for the number of seconds in Retry-After.",
         *       "instance": "/v1/aliases",
         *       "code": "too_many_creations"
         *     }
         */
        readonly too_many_creations: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "too_many_creations";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "too_many_creations";
        };
        /**
         * @description Too many recipients
         * @example {
         *       "type": "urn:postern:problem:too_many_recipients",
         *       "title": "Too many recipients",
         *       "status": 403,
         *       "detail": "The account has reached its limit of 200 recipients. Delete one that is no longer needed.",
         *       "instance": "/v1/aliases",
         *       "code": "too_many_recipients",
         *       "limit": 200
         *     }
         */
        readonly too_many_recipients: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "too_many_recipients";
            /**
             * Format: int64
             * @description How many of them there may be
             */
            readonly limit: number;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "too_many_recipients";
        };
        /**
         * @description Too many unverified recipients
         * @example {
         *       "type": "urn:postern:problem:too_many_unverified_recipients",
         *       "title": "Too many unverified recipients",
         *       "status": 403,
         *       "detail": "The account has reached its limit of 20 unverified recipients. Verify some of them, or delete them.",
         *       "instance": "/v1/aliases",
         *       "code": "too_many_unverified_recipients",
         *       "limit": 20
         *     }
         */
        readonly too_many_unverified_recipients: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "too_many_unverified_recipients";
            /**
             * Format: int64
             * @description How many of them there may be
             */
            readonly limit: number;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "too_many_unverified_recipients";
        };
        /**
         * @description Too many webhooks
         * @example {
         *       "type": "urn:postern:problem:too_many_webhooks",
         *       "title": "Too many webhooks",
         *       "status": 403,
         *       "detail": "The account has reached its limit of 5 webhooks. Delete one that is no longer needed.",
         *       "instance": "/v1/aliases",
         *       "code": "too_many_webhooks",
         *       "limit": 5
         *     }
         */
        readonly too_many_webhooks: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "too_many_webhooks";
            /**
             * Format: int64
             * @description How many of them there may be
             */
            readonly limit: number;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "too_many_webhooks";
        };
        /**
         * @description The token is absent, malformed or expired: sign in again
         * @example {
         *       "message": "Unauthorized"
         *     }
         */
        readonly Unauthorized: {
            /** @constant */
            readonly message: "Unauthorized";
        };
        /**
         * @description Unavailable
         * @example {
         *       "type": "urn:postern:problem:unavailable",
         *       "title": "Unavailable",
         *       "status": 503,
         *       "detail": "The service is temporarily unavailable. Send the request again.",
         *       "instance": "/v1/aliases",
         *       "code": "unavailable"
         *     }
         */
        readonly unavailable: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "unavailable";
        };
        /**
         * @description Unsupported media type
         * @example {
         *       "type": "urn:postern:problem:unsupported_media_type",
         *       "title": "Unsupported media type",
         *       "status": 415,
         *       "detail": "Send the body as application/json in UTF-8, uncompressed; a PATCH also as application/merge-patch+json.",
         *       "instance": "/v1/aliases",
         *       "code": "unsupported_media_type"
         *     }
         */
        readonly unsupported_media_type: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "unsupported_media_type";
        };
        /**
         * @description Change an alias's description, or switch it on or off
         * @example {
         *       "description": "Shopping, paused",
         *       "active": true
         *     }
         */
        readonly UpdateAlias: {
            /** @description Whether the alias is switched on */
            readonly active?: boolean;
            /** @description Free-form label; null empties it */
            readonly description?: string | null;
        };
        /**
         * @description Change whose mail an alias accepts, and when it ends
         * @example {
         *       "accept_from": "everybody",
         *       "senders": [
         *         "friend@sender.example",
         *         "shop.example"
         *       ],
         *       "active_until": 1790000000000,
         *       "messages_left": 10
         *     }
         */
        readonly UpdateAliasRules: {
            /** @description Whose mail the alias accepts */
            readonly accept_from?: components["schemas"]["AcceptFrom"] | null;
            /** @description When the alias ends, in Unix epoch milliseconds, in the future */
            readonly active_until?: number | null;
            /** @description After how many more messages the alias ends */
            readonly messages_left?: number | null;
            /** @description Email addresses and domains. A domain stands for its subdomains too. They matter only where `accept_from` is `listed` */
            readonly senders?: readonly (string)[] | null;
        };
        /**
         * @description Change for which website an alias is
         * @example {
         *       "website": "https://shop.example/login"
         *     }
         */
        readonly UpdateAliasWebsite: {
            /** @description The website that the alias is for, as an address or a host: its host is kept. Empty for none */
            readonly website: string;
        };
        /**
         * @description Block a contact, or accept mail from it again
         * @example {
         *       "blocking": "none"
         *     }
         */
        readonly UpdateContact: {
            readonly blocking?: components["schemas"]["Blocking"];
        };
        /**
         * @description Activate or deactivate a recipient, or make it the default one
         * @example {
         *       "active": true,
         *       "default": true
         *     }
         */
        readonly UpdateRecipient: {
            /** @description Whether it may be attached to aliases */
            readonly active?: boolean;
            /** @description Whether it is the account's default recipient, in place of any other */
            readonly default?: boolean;
        };
        /**
         * @description Change a webhook's URL or events, or switch it on or off
         * @example {
         *       "url": "https://shop.example/postern",
         *       "events": [
         *         "alias.created",
         *         "alias.deleted"
         *       ],
         *       "active": true
         *     }
         */
        readonly UpdateWebhook: {
            /** @description Whether it receives events */
            readonly active?: boolean;
            /** @description The events that the webhook receives */
            readonly events?: readonly [
                components["schemas"]["EventType"],
                ...components["schemas"]["EventType"][]
            ];
            /**
             * Format: uri
             * @description Where events are posted to: an https URL on a domain, without user, password and fragment
             */
            readonly url?: string;
        };
        /**
         * @description A recipient that was to be sent a verification link
         * @example {
         *       "recipient_id": "019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a",
         *       "recipient_email": "home@example.com",
         *       "verified": true,
         *       "active": true,
         *       "alias_count": 1,
         *       "datetime_default": 1760000000000,
         *       "datetime_verified": 1760000000000,
         *       "datetime_verification_sent": 1760000000000,
         *       "verification_note": null,
         *       "datetime_created": 1760000000000,
         *       "datetime_updated": 1760000000000,
         *       "verification_mail": "sent"
         *     }
         */
        readonly VerifiableRecipient: components["schemas"]["Recipient"] & {
            /** @description What became of the verification message */
            readonly verification_mail: components["schemas"]["VerificationMail"] | (string & {});
        };
        /**
         * @description What was done, or can be done; a page if text/html is requested
         * @example {
         *       "verified": false,
         *       "confirm_url": "/v1/recipients/verify?token=token-000003&confirm=true",
         *       "suppress_url": "/v1/recipients/verify?token=token-000003&suppress=true"
         *     }
         */
        readonly Verification: {
            /** @description The path that verifies, to be requested with GET */
            readonly confirm_url: string;
            /** @description The path that stops messages to the mailbox, to be requested with GET */
            readonly suppress_url: string;
            /** @constant */
            readonly verified: false;
        } | {
            /** @constant */
            readonly verified: true;
        } | {
            /** @constant */
            readonly suppressed: true;
        };
        /**
         * @description Whether the message with the verification link was handed over for sending, or waits for that: `verification_note` says what becomes of it. A verified recipient needs none
         * @example sent
         * @enum {string}
         */
        readonly VerificationMail: "sent" | "queued" | "not_sent" | "not_needed";
        /**
         * @description A URL that receives events
         * @example {
         *       "webhook_id": "mtkuqszxt4aqwjmuqrmhai7toe",
         *       "url": "https://shop.example/postern",
         *       "events": [
         *         "alias.created",
         *         "alias.deleted"
         *       ],
         *       "active": true,
         *       "off_reason": null,
         *       "datetime_created": 1760000000000,
         *       "datetime_updated": 1760000000000
         *     }
         */
        readonly Webhook: {
            /** @description Whether it receives events */
            readonly active: boolean;
            /**
             * Format: int64
             * @description Unix epoch milliseconds
             */
            readonly datetime_created: number;
            /**
             * Format: int64
             * @description Unix epoch milliseconds
             */
            readonly datetime_updated: number;
            /** @description The events that the webhook receives */
            readonly events: readonly [
                components["schemas"]["EventType"] | (string & {}),
                ...(components["schemas"]["EventType"] | (string & {}))[]
            ];
            /** @description Why it receives none; null while it is active */
            readonly off_reason: components["schemas"]["OffReason"] | (string & {}) | null;
            /** @description Where events are posted to */
            readonly url: string;
            /** @description Opaque; stable for the life of the webhook */
            readonly webhook_id: string;
        };
        /**
         * @description Webhook not found
         * @example {
         *       "type": "urn:postern:problem:webhook_not_found",
         *       "title": "Webhook not found",
         *       "status": 404,
         *       "detail": "The account has no webhook with this id.",
         *       "instance": "/v1/aliases",
         *       "code": "webhook_not_found"
         *     }
         */
        readonly webhook_not_found: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "webhook_not_found";
        };
        /**
         * @description A new webhook, with its secret
         * @example {
         *       "webhook_id": "mtkuqszxt4aqwjmuqrmhai7toe",
         *       "url": "https://shop.example/postern",
         *       "events": [
         *         "alias.created",
         *         "alias.deleted"
         *       ],
         *       "active": true,
         *       "off_reason": null,
         *       "datetime_created": 1760000000000,
         *       "datetime_updated": 1760000000000,
         *       "secret": "whsec_VBXY/onL+kOFm0FKGbShIK5cCnaeCfK2JdeRSzOIx4U="
         *     }
         */
        readonly WebhookCreated: components["schemas"]["Webhook"] & {
            /** @description What its events are signed with (Standard Webhooks); no other response has it */
            readonly secret: string;
        };
        /**
         * @description The webhooks
         * @example {
         *       "webhooks": [
         *         {
         *           "webhook_id": "mtkuqszxt4aqwjmuqrmhai7toe",
         *           "url": "https://shop.example/postern",
         *           "events": [
         *             "alias.created",
         *             "alias.deleted"
         *           ],
         *           "active": true,
         *           "off_reason": null,
         *           "datetime_created": 1760000000000,
         *           "datetime_updated": 1760000000000
         *         }
         *       ]
         *     }
         */
        readonly WebhookList: {
            /** @description The webhooks */
            readonly webhooks: readonly components["schemas"]["Webhook"][];
        };
        /**
         * @description Webhooks disabled
         * @example {
         *       "type": "urn:postern:problem:webhooks_disabled",
         *       "title": "Webhooks disabled",
         *       "status": 403,
         *       "detail": "This service sends no webhook events. Ask the operator whether that can change.",
         *       "instance": "/v1/aliases",
         *       "code": "webhooks_disabled"
         *     }
         */
        readonly webhooks_disabled: components["schemas"]["Problem"] & {
            /** @constant */
            readonly code: "webhooks_disabled";
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly code: "webhooks_disabled";
        };
        /**
         * @description What became of the event
         * @example {
         *       "delivered": true,
         *       "reason": null
         *     }
         */
        readonly WebhookTested: {
            /** @description Whether the response was 2xx */
            readonly delivered: boolean;
            /** @description Why it was not delivered, for people; null if it was */
            readonly reason: string | null;
        };
    };
    responses: {
        /** @description Address not allowed */
        readonly AddressNotAllowed: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["address_not_allowed"];
            };
        };
        /** @description Address taken */
        readonly AddressTaken: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["address_taken"];
            };
        };
        /** @description An address that forwards mail */
        readonly Alias: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly ETag: components["headers"]["ETag"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Alias"];
            };
        };
        /** @description Alias deleted */
        readonly AliasDeleted: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["alias_deleted"];
            };
        };
        /** @description Alias deleted; Alias inactive; Message not kept */
        readonly AliasDeletedOrAliasInactiveOrMessageNotKept: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["alias_deleted"] | components["schemas"]["alias_inactive"] | components["schemas"]["message_not_kept"];
            };
        };
        /** @description Alias not found */
        readonly AliasNotFound: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["alias_not_found"];
            };
        };
        /** @description Alias not found; Contact not found */
        readonly AliasNotFoundOrContactNotFound: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["alias_not_found"] | components["schemas"]["contact_not_found"];
            };
        };
        /** @description Alias not found; Message not found */
        readonly AliasNotFoundOrMessageNotFound: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["alias_not_found"] | components["schemas"]["message_not_found"];
            };
        };
        /** @description A page of aliases */
        readonly AliasPage: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["AliasPage"];
            };
        };
        /** @description The recipients */
        readonly AliasRecipients: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly ETag: components["headers"]["ETag"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["AliasRecipients"];
            };
        };
        /** @description Whose mail an alias accepts, and when it ends */
        readonly AliasRules: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly ETag: components["headers"]["ETag"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["AliasRules"];
            };
        };
        /** @description For which website an alias is */
        readonly AliasWebsite: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly ETag: components["headers"]["ETag"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["AliasWebsite"];
            };
        };
        /** @description An address that forwards mail */
        readonly AliasWithLocation: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly ETag: components["headers"]["ETag"];
                readonly Location: components["headers"]["Location"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Alias"];
            };
        };
        /** @description A new key, with its secret */
        readonly ApiKeyCreated: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiKeyCreated"];
            };
        };
        /** @description The keys */
        readonly ApiKeyList: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiKeyList"];
            };
        };
        /** @description Malformed JSON; Invalid request */
        readonly BadRequest: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["malformed_json"] | components["schemas"]["invalid_request"];
            };
        };
        /** @description A sender whose mail no alias of the account accepts */
        readonly BlockedSender: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["BlockedSender"];
            };
        };
        /** @description A page of blocked senders */
        readonly BlockedSenderPage: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["BlockedSenderPage"];
            };
        };
        /** @description Somebody with whom an alias has exchanged mail */
        readonly Contact: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly ETag: components["headers"]["ETag"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Contact"];
            };
        };
        /** @description A page of contacts */
        readonly ContactPage: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ContactPage"];
            };
        };
        /** @description Account not allowed; Account suspended */
        readonly Forbidden: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["account_not_allowed"] | components["schemas"]["account_suspended"];
            };
        };
        /** @description Headers too large */
        readonly HeadersTooLarge: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["headers_too_large"];
            };
        };
        /** @description It can */
        readonly Health: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Health"];
            };
        };
        /** @description Idempotency key reused */
        readonly IdempotencyKeyReused: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["idempotency_key_reused"];
            };
        };
        /** @description Invalid request */
        readonly InvalidRequest: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["invalid_request"];
            };
        };
        /** @description Invalid request; Invalid link */
        readonly InvalidRequestOrLinkInvalidOrPage: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["invalid_request"] | components["schemas"]["link_invalid"];
                readonly "text/html": string;
            };
        };
        /** @description Account not allowed; Account suspended; Mailbox suppressed */
        readonly MailboxSuppressedOrForbidden: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["account_not_allowed"] | components["schemas"]["account_suspended"] | components["schemas"]["mailbox_suppressed"];
            };
        };
        /** @description A message in the log of an alias */
        readonly Message: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Message"];
            };
        };
        /** @description A page of messages */
        readonly MessagePage: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagePage"];
            };
        };
        /** @description It is done */
        readonly NoContent: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description Payload too large */
        readonly PayloadTooLarge: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["payload_too_large"];
            };
        };
        /** @description Precondition failed */
        readonly PreconditionFailed: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["precondition_failed"];
            };
        };
        /** @description Too many requests */
        readonly RateLimited: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["rate_limited"];
            };
        };
        /** @description What was done and what is left */
        readonly Reassignment: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Reassignment"];
            };
        };
        /** @description A mailbox that aliases can forward to */
        readonly Recipient: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Recipient"];
            };
        };
        /** @description Recipient attached */
        readonly RecipientAttached: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["recipient_attached"];
            };
        };
        /** @description Recipient not found */
        readonly RecipientNotFound: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["recipient_not_found"];
            };
        };
        /** @description A page of recipients */
        readonly RecipientPage: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["RecipientPage"];
            };
        };
        /** @description Recipients ineligible */
        readonly RecipientsIneligible: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["recipients_ineligible"];
            };
        };
        /** @description Recipients ineligible; Address not allowed */
        readonly RecipientsIneligibleOrAddressNotAllowed: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["recipients_ineligible"] | components["schemas"]["address_not_allowed"];
            };
        };
        /** @description Recipients ineligible; Address not allowed; Idempotency key reused */
        readonly RecipientsIneligibleOrAddressNotAllowedOrIdempotencyKeyReused: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["recipients_ineligible"] | components["schemas"]["address_not_allowed"] | components["schemas"]["idempotency_key_reused"];
            };
        };
        /** @description Request timeout */
        readonly RequestTimeout: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["request_timeout"];
            };
        };
        /** @description Internal error; Misconfigured */
        readonly ServerError: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["internal_error"] | components["schemas"]["misconfigured"];
            };
        };
        /** @description What the service offers, and its limits */
        readonly Service: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Service"];
            };
        };
        /** @description Account not allowed; Account suspended; Too many aliases */
        readonly TooManyAliasesOrForbidden: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["account_not_allowed"] | components["schemas"]["account_suspended"] | components["schemas"]["too_many_aliases"];
            };
        };
        /** @description Account not allowed; Account suspended; Too many keys; Keys disabled */
        readonly TooManyApiKeysOrApiKeysDisabledOrForbidden: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["account_not_allowed"] | components["schemas"]["account_suspended"] | components["schemas"]["too_many_api_keys"] | components["schemas"]["api_keys_disabled"];
            };
        };
        /** @description Account not allowed; Account suspended; Too many blocked senders */
        readonly TooManyBlockedSendersOrForbidden: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["account_not_allowed"] | components["schemas"]["account_suspended"] | components["schemas"]["too_many_blocked_senders"];
            };
        };
        /** @description Account not allowed; Account suspended; Too many contacts */
        readonly TooManyContactsOrForbidden: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["account_not_allowed"] | components["schemas"]["account_suspended"] | components["schemas"]["too_many_contacts"];
            };
        };
        /** @description Too many creations; Too many requests */
        readonly TooManyCreationsOrRateLimited: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["too_many_creations"] | components["schemas"]["rate_limited"];
            };
        };
        /** @description Account not allowed; Account suspended; Too many recipients; Too many unverified recipients; Mailbox suppressed */
        readonly TooManyRecipientsOrTooManyUnverifiedRecipientsOrMailboxSuppressedOrForbidden: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["account_not_allowed"] | components["schemas"]["account_suspended"] | components["schemas"]["too_many_recipients"] | components["schemas"]["too_many_unverified_recipients"] | components["schemas"]["mailbox_suppressed"];
            };
        };
        /** @description Account not allowed; Account suspended; Too many webhooks; Webhooks disabled */
        readonly TooManyWebhooksOrWebhooksDisabledOrForbidden: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["account_not_allowed"] | components["schemas"]["account_suspended"] | components["schemas"]["too_many_webhooks"] | components["schemas"]["webhooks_disabled"];
            };
        };
        /** @description The token is absent, malformed or expired: sign in again */
        readonly Unauthorized: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Unauthorized"];
            };
        };
        /** @description Unavailable */
        readonly Unavailable: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["unavailable"];
            };
        };
        /** @description Unavailable */
        readonly UnavailableOrPage: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["unavailable"];
                readonly "text/html": string;
            };
        };
        /** @description Unsupported media type */
        readonly UnsupportedMediaType: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["unsupported_media_type"];
            };
        };
        /** @description Unsupported media type */
        readonly UnsupportedMediaTypeInPatch: {
            headers: {
                readonly "Accept-Patch": components["headers"]["Accept-Patch"];
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["unsupported_media_type"];
            };
        };
        /** @description A recipient that was to be sent a verification link */
        readonly VerifiableRecipient: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["VerifiableRecipient"];
            };
        };
        /** @description A recipient that was to be sent a verification link */
        readonly VerifiableRecipientWithLocation: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly Location: components["headers"]["Location"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["VerifiableRecipient"];
            };
        };
        /** @description What was done, or can be done; a page if text/html is requested */
        readonly Verification: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Verification"];
                readonly "text/html": string;
            };
        };
        /** @description A URL that receives events */
        readonly Webhook: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly ETag: components["headers"]["ETag"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Webhook"];
            };
        };
        /** @description A new webhook, with its secret */
        readonly WebhookCreatedWithLocation: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly ETag: components["headers"]["ETag"];
                readonly Location: components["headers"]["Location"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WebhookCreated"];
            };
        };
        /** @description The webhooks */
        readonly WebhookList: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WebhookList"];
            };
        };
        /** @description Webhook not found */
        readonly WebhookNotFound: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["webhook_not_found"];
            };
        };
        /** @description Account not allowed; Account suspended; Webhooks disabled */
        readonly WebhooksDisabledOrForbidden: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["account_not_allowed"] | components["schemas"]["account_suspended"] | components["schemas"]["webhooks_disabled"];
            };
        };
        /** @description What became of the event */
        readonly WebhookTested: {
            headers: {
                readonly "Cache-Control": components["headers"]["Cache-Control"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["WebhookTested"];
            };
        };
    };
    parameters: {
        /**
         * @description A new random text for each creation. For 24 hours, repeating the request with the same key creates nothing, and the response has what the first one created
         * @example 4f2c1e0a-5b7d-4a51-9f3e-2d8c6b90a7e1
         */
        readonly HeaderIdempotencyKey: string;
        /**
         * @description The versions at which the write is allowed; `*` for any
         * @example "3"
         */
        readonly HeaderIfMatch: string;
        /**
         * @description Identifies the event: the same if it is sent again
         * @example msg_2KWPBgLlAfxdpx2AI54pPJ85f4W
         */
        readonly HeaderWebhookId: string;
        /**
         * @description `v1,` and the HMAC-SHA256 of id, timestamp and body with the secret of the webhook
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        readonly HeaderWebhookSignature: string;
        /**
         * @description When it was sent, in Unix epoch seconds
         * @example 1760000000
         */
        readonly HeaderWebhookTimestamp: string;
        /**
         * @description Opaque alias id
         * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
         */
        readonly PathAliasId: string;
        /**
         * @description Opaque id of a blocked sender
         * @example mtkuqszxt4aqwjmuqrmhai7toe
         */
        readonly PathBlockedSenderId: string;
        /**
         * @description Opaque contact id
         * @example mtkuqszxt4aqwjmuqrmhai7toe
         */
        readonly PathContactId: string;
        /**
         * @description Opaque id of a key
         * @example mtkuqszxt4aqwjmuqrmhai7toe
         */
        readonly PathKeyId: string;
        /**
         * @description Opaque message id
         * @example 0001760000000000mtkuqszxt4aqwjmuqrmhai7toe
         */
        readonly PathMessageId: string;
        /**
         * @description Opaque recipient id
         * @example 019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a
         */
        readonly PathRecipientId: string;
        /**
         * @description Opaque webhook id
         * @example mtkuqszxt4aqwjmuqrmhai7toe
         */
        readonly PathWebhookId: string;
        /**
         * @description Only aliases that accept mail, or only those that do not
         * @example true
         */
        readonly QueryActive: boolean;
        /**
         * @description Verifies the recipient
         * @example true
         */
        readonly QueryConfirm: "true";
        /**
         * @description `next_cursor` of the previous page
         * @example RrMw-v79oWdMp7cNcmVjaXBpZW50LTAwMDAwNA
         */
        readonly QueryCursor: string;
        /**
         * @description Only deleted aliases, or only live ones (the default)
         * @example true
         */
        readonly QueryDeleted: boolean;
        /**
         * @description Only the contact with this address, ignoring case. Write `+` as `%2B`
         * @example support@shop.example
         */
        readonly QueryEmail: string;
        /**
         * @description The maximum number of items on the page; 50 by default
         * @example 20
         */
        readonly QueryLimit: number;
        /**
         * @description The beginning of the address, or up to 8 words of the description and the website or their beginnings; ignores case
         * @example shop
         */
        readonly QueryQ: string;
        /**
         * @description Only live aliases that this recipient is attached to
         * @example 019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a
         */
        readonly QueryRecipientId: string;
        /**
         * @description Stops verification messages to the mailbox for good, whichever account requests them; also works with expired and superseded links. Cannot be combined with `confirm`
         * @example true
         */
        readonly QuerySuppress: "true";
        /**
         * @description From the link in the message
         * @example token-000003
         */
        readonly QueryToken: string;
    };
    requestBodies: never;
    headers: {
        /** @description The media types accepted in a PATCH */
        readonly "Accept-Patch": string;
        /** @description Nothing is to be stored */
        readonly "Cache-Control": "no-store";
        /** @description The version, in quotes, for `If-Match` */
        readonly ETag: string;
        /** @description The path of the new resource */
        readonly Location: string;
        /** @description How many requests are left (`r`), for how many seconds (`t`); absent without a limit. Errors have it too, once the request is counted */
        readonly RateLimit: string;
        /** @description How many requests (`q`) are allowed in how many seconds (`w`); absent without a limit. Errors have it too, once the request is counted */
        readonly "RateLimit-Policy": string;
        /** @description The number of seconds after which to try again */
        readonly "Retry-After": number;
        /** @description How to authenticate */
        readonly "WWW-Authenticate": "Bearer";
        /** @description The client's own, if it is 1 to 64 letters, digits, `.`, `_` or `-`; otherwise a new one */
        readonly "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly listAliases: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Only aliases that accept mail, or only those that do not
                 * @example true
                 */
                readonly active?: components["parameters"]["QueryActive"];
                /**
                 * @description `next_cursor` of the previous page
                 * @example RrMw-v79oWdMp7cNcmVjaXBpZW50LTAwMDAwNA
                 */
                readonly cursor?: components["parameters"]["QueryCursor"];
                /**
                 * @description Only deleted aliases, or only live ones (the default)
                 * @example true
                 */
                readonly deleted?: components["parameters"]["QueryDeleted"];
                /**
                 * @description The maximum number of items on the page; 50 by default
                 * @example 20
                 */
                readonly limit?: components["parameters"]["QueryLimit"];
                /**
                 * @description The beginning of the address, or up to 8 words of the description and the website or their beginnings; ignores case
                 * @example shop
                 */
                readonly q?: components["parameters"]["QueryQ"];
                /**
                 * @description Only live aliases that this recipient is attached to
                 * @example 019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a
                 */
                readonly recipient_id?: components["parameters"]["QueryRecipientId"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of aliases */
            readonly 200: components["responses"]["AliasPage"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly createAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description A new random text for each creation. For 24 hours, repeating the request with the same key creates nothing, and the response has what the first one created
                 * @example 4f2c1e0a-5b7d-4a51-9f3e-2d8c6b90a7e1
                 */
                readonly "Idempotency-Key"?: components["parameters"]["HeaderIdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateAlias"];
            };
        };
        readonly responses: {
            /** @description The new alias, which is active; if the request is a repeat, the alias of the first one as it is now */
            readonly 201: components["responses"]["AliasWithLocation"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["TooManyAliasesOrForbidden"];
            readonly 404: components["responses"]["AliasNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["AddressTaken"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["RecipientsIneligibleOrAddressNotAllowedOrIdempotencyKeyReused"];
            readonly 429: components["responses"]["TooManyCreationsOrRateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The alias */
            readonly 200: components["responses"]["Alias"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["AliasNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly deleteAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The versions at which the write is allowed; `*` for any
                 * @example "3"
                 */
                readonly "If-Match"?: components["parameters"]["HeaderIfMatch"];
            };
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The alias, deleted */
            readonly 200: components["responses"]["Alias"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["AliasNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly updateAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The versions at which the write is allowed; `*` for any
                 * @example "3"
                 */
                readonly "If-Match"?: components["parameters"]["HeaderIfMatch"];
            };
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateAlias"];
                readonly "application/merge-patch+json": components["schemas"]["UpdateAlias"];
            };
        };
        readonly responses: {
            /** @description The updated alias */
            readonly 200: components["responses"]["Alias"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["AliasNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["AliasDeleted"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaTypeInPatch"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listContacts: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description `next_cursor` of the previous page
                 * @example RrMw-v79oWdMp7cNcmVjaXBpZW50LTAwMDAwNA
                 */
                readonly cursor?: components["parameters"]["QueryCursor"];
                /**
                 * @description Only the contact with this address, ignoring case. Write `+` as `%2B`
                 * @example support@shop.example
                 */
                readonly email?: components["parameters"]["QueryEmail"];
                /**
                 * @description The maximum number of items on the page; 50 by default
                 * @example 20
                 */
                readonly limit?: components["parameters"]["QueryLimit"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of contacts */
            readonly 200: components["responses"]["ContactPage"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["AliasNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly createContact: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateContact"];
            };
        };
        readonly responses: {
            /** @description The contact, new or not */
            readonly 200: components["responses"]["Contact"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["TooManyContactsOrForbidden"];
            readonly 404: components["responses"]["AliasNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["AliasDeleted"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["AddressNotAllowed"];
            readonly 429: components["responses"]["TooManyCreationsOrRateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getContact: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
                /**
                 * @description Opaque contact id
                 * @example mtkuqszxt4aqwjmuqrmhai7toe
                 */
                readonly contact_id: components["parameters"]["PathContactId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The contact */
            readonly 200: components["responses"]["Contact"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["AliasNotFoundOrContactNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly updateContact: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The versions at which the write is allowed; `*` for any
                 * @example "3"
                 */
                readonly "If-Match"?: components["parameters"]["HeaderIfMatch"];
            };
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
                /**
                 * @description Opaque contact id
                 * @example mtkuqszxt4aqwjmuqrmhai7toe
                 */
                readonly contact_id: components["parameters"]["PathContactId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateContact"];
                readonly "application/merge-patch+json": components["schemas"]["UpdateContact"];
            };
        };
        readonly responses: {
            /** @description The updated contact */
            readonly 200: components["responses"]["Contact"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["AliasNotFoundOrContactNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["AliasDeleted"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaTypeInPatch"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listMessages: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description `next_cursor` of the previous page
                 * @example RrMw-v79oWdMp7cNcmVjaXBpZW50LTAwMDAwNA
                 */
                readonly cursor?: components["parameters"]["QueryCursor"];
                /**
                 * @description The maximum number of items on the page; 50 by default
                 * @example 20
                 */
                readonly limit?: components["parameters"]["QueryLimit"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of messages */
            readonly 200: components["responses"]["MessagePage"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["AliasNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
                /**
                 * @description Opaque message id
                 * @example 0001760000000000mtkuqszxt4aqwjmuqrmhai7toe
                 */
                readonly message_id: components["parameters"]["PathMessageId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The message */
            readonly 200: components["responses"]["Message"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["AliasNotFoundOrMessageNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly resendMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
                /**
                 * @description Opaque message id
                 * @example 0001760000000000mtkuqszxt4aqwjmuqrmhai7toe
                 */
                readonly message_id: components["parameters"]["PathMessageId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The message as it is now */
            readonly 202: components["responses"]["Message"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["AliasNotFoundOrMessageNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["AliasDeletedOrAliasInactiveOrMessageNotKept"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getAliasRecipients: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The recipients */
            readonly 200: components["responses"]["AliasRecipients"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["AliasNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly replaceRecipients: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The versions at which the write is allowed; `*` for any
                 * @example "3"
                 */
                readonly "If-Match"?: components["parameters"]["HeaderIfMatch"];
            };
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ReplaceRecipients"];
            };
        };
        readonly responses: {
            /** @description The updated alias */
            readonly 200: components["responses"]["Alias"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["AliasNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["AliasDeleted"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["RecipientsIneligible"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly restoreAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The versions at which the write is allowed; `*` for any
                 * @example "3"
                 */
                readonly "If-Match"?: components["parameters"]["HeaderIfMatch"];
            };
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["RestoreAlias"];
            };
        };
        readonly responses: {
            /** @description The alias, no longer deleted */
            readonly 200: components["responses"]["Alias"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["AliasNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["RecipientsIneligible"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getAliasRules: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The rules */
            readonly 200: components["responses"]["AliasRules"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["AliasNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly updateAliasRules: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The versions at which the write is allowed; `*` for any
                 * @example "3"
                 */
                readonly "If-Match"?: components["parameters"]["HeaderIfMatch"];
            };
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateAliasRules"];
                readonly "application/merge-patch+json": components["schemas"]["UpdateAliasRules"];
            };
        };
        readonly responses: {
            /** @description The changed rules */
            readonly 200: components["responses"]["AliasRules"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["AliasNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["AliasDeleted"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaTypeInPatch"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getAliasWebsite: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The website */
            readonly 200: components["responses"]["AliasWebsite"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["AliasNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly updateAliasWebsite: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The versions at which the write is allowed; `*` for any
                 * @example "3"
                 */
                readonly "If-Match"?: components["parameters"]["HeaderIfMatch"];
            };
            readonly path: {
                /**
                 * @description Opaque alias id
                 * @example 019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01
                 */
                readonly alias_id: components["parameters"]["PathAliasId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateAliasWebsite"];
            };
        };
        readonly responses: {
            /** @description The changed website */
            readonly 200: components["responses"]["AliasWebsite"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["AliasNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["AliasDeleted"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listBlockedSenders: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description `next_cursor` of the previous page
                 * @example RrMw-v79oWdMp7cNcmVjaXBpZW50LTAwMDAwNA
                 */
                readonly cursor?: components["parameters"]["QueryCursor"];
                /**
                 * @description The maximum number of items on the page; 50 by default
                 * @example 20
                 */
                readonly limit?: components["parameters"]["QueryLimit"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of blocked senders */
            readonly 200: components["responses"]["BlockedSenderPage"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly blockSender: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["BlockSender"];
            };
        };
        readonly responses: {
            /** @description The blocked sender, new or not */
            readonly 200: components["responses"]["BlockedSender"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["TooManyBlockedSendersOrForbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyCreationsOrRateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly unblockSender: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque id of a blocked sender
                 * @example mtkuqszxt4aqwjmuqrmhai7toe
                 */
                readonly blocked_sender_id: components["parameters"]["PathBlockedSenderId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The sender is not blocked */
            readonly 204: components["responses"]["NoContent"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly health: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It can */
            readonly 200: components["responses"]["Health"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listApiKeys: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The keys */
            readonly 200: components["responses"]["ApiKeyList"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly createApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateApiKey"];
            };
        };
        readonly responses: {
            /** @description The new key */
            readonly 201: components["responses"]["ApiKeyCreated"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["TooManyApiKeysOrApiKeysDisabledOrForbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["RecipientsIneligibleOrAddressNotAllowed"];
            readonly 429: components["responses"]["TooManyCreationsOrRateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly deleteApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque id of a key
                 * @example mtkuqszxt4aqwjmuqrmhai7toe
                 */
                readonly key_id: components["parameters"]["PathKeyId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description There is no such key */
            readonly 204: components["responses"]["NoContent"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listRecipients: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description `next_cursor` of the previous page
                 * @example RrMw-v79oWdMp7cNcmVjaXBpZW50LTAwMDAwNA
                 */
                readonly cursor?: components["parameters"]["QueryCursor"];
                /**
                 * @description The maximum number of items on the page; 50 by default
                 * @example 20
                 */
                readonly limit?: components["parameters"]["QueryLimit"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of recipients */
            readonly 200: components["responses"]["RecipientPage"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly addRecipient: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AddRecipient"];
            };
        };
        readonly responses: {
            /** @description The new recipient, not verified yet */
            readonly 201: components["responses"]["VerifiableRecipientWithLocation"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["TooManyRecipientsOrTooManyUnverifiedRecipientsOrMailboxSuppressedOrForbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["AddressTaken"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["AddressNotAllowed"];
            readonly 429: components["responses"]["TooManyCreationsOrRateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getRecipient: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque recipient id
                 * @example 019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a
                 */
                readonly recipient_id: components["parameters"]["PathRecipientId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The recipient */
            readonly 200: components["responses"]["Recipient"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["RecipientNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly deleteRecipient: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque recipient id
                 * @example 019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a
                 */
                readonly recipient_id: components["parameters"]["PathRecipientId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The recipient is deleted */
            readonly 204: components["responses"]["NoContent"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["RecipientNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["RecipientAttached"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly updateRecipient: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque recipient id
                 * @example 019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a
                 */
                readonly recipient_id: components["parameters"]["PathRecipientId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateRecipient"];
                readonly "application/merge-patch+json": components["schemas"]["UpdateRecipient"];
            };
        };
        readonly responses: {
            /** @description The updated recipient */
            readonly 200: components["responses"]["Recipient"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["RecipientNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["RecipientAttached"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaTypeInPatch"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly reassignRecipient: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque recipient id
                 * @example 019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a
                 */
                readonly recipient_id: components["parameters"]["PathRecipientId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ReassignRecipient"];
            };
        };
        readonly responses: {
            /** @description What was done and what is left */
            readonly 200: components["responses"]["Reassignment"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["RecipientNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["RecipientsIneligible"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly resendVerification: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque recipient id
                 * @example 019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a
                 */
                readonly recipient_id: components["parameters"]["PathRecipientId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The recipient */
            readonly 200: components["responses"]["VerifiableRecipient"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["MailboxSuppressedOrForbidden"];
            readonly 404: components["responses"]["RecipientNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly verifyRecipient: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description Verifies the recipient
                 * @example true
                 */
                readonly confirm?: components["parameters"]["QueryConfirm"];
                /**
                 * @description Stops verification messages to the mailbox for good, whichever account requests them; also works with expired and superseded links. Cannot be combined with `confirm`
                 * @example true
                 */
                readonly suppress?: components["parameters"]["QuerySuppress"];
                /**
                 * @description From the link in the message
                 * @example token-000003
                 */
                readonly token: components["parameters"]["QueryToken"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was done, or can be done; a page if text/html is requested */
            readonly 200: components["responses"]["Verification"];
            readonly 400: components["responses"]["InvalidRequestOrLinkInvalidOrPage"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["UnavailableOrPage"];
        };
    };
    readonly getService: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The same for every account */
            readonly 200: components["responses"]["Service"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listWebhooks: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhooks */
            readonly 200: components["responses"]["WebhookList"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly createWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description A new random text for each creation. For 24 hours, repeating the request with the same key creates nothing, and the response has what the first one created
                 * @example 4f2c1e0a-5b7d-4a51-9f3e-2d8c6b90a7e1
                 */
                readonly "Idempotency-Key"?: components["parameters"]["HeaderIdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        readonly responses: {
            /** @description The new webhook, which is active; if the request is a repeat, the webhook of the first one as it is now */
            readonly 201: components["responses"]["WebhookCreatedWithLocation"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["TooManyWebhooksOrWebhooksDisabledOrForbidden"];
            readonly 404: components["responses"]["WebhookNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["IdempotencyKeyReused"];
            readonly 429: components["responses"]["TooManyCreationsOrRateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque webhook id
                 * @example mtkuqszxt4aqwjmuqrmhai7toe
                 */
                readonly webhook_id: components["parameters"]["PathWebhookId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook */
            readonly 200: components["responses"]["Webhook"];
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["WebhookNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly deleteWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque webhook id
                 * @example mtkuqszxt4aqwjmuqrmhai7toe
                 */
                readonly webhook_id: components["parameters"]["PathWebhookId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description There is no such webhook */
            readonly 204: components["responses"]["NoContent"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly updateWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The versions at which the write is allowed; `*` for any
                 * @example "3"
                 */
                readonly "If-Match"?: components["parameters"]["HeaderIfMatch"];
            };
            readonly path: {
                /**
                 * @description Opaque webhook id
                 * @example mtkuqszxt4aqwjmuqrmhai7toe
                 */
                readonly webhook_id: components["parameters"]["PathWebhookId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateWebhook"];
                readonly "application/merge-patch+json": components["schemas"]["UpdateWebhook"];
            };
        };
        readonly responses: {
            /** @description The updated webhook */
            readonly 200: components["responses"]["Webhook"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["WebhookNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaTypeInPatch"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly testWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Opaque webhook id
                 * @example mtkuqszxt4aqwjmuqrmhai7toe
                 */
                readonly webhook_id: components["parameters"]["PathWebhookId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What became of the event */
            readonly 200: components["responses"]["WebhookTested"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["WebhooksDisabledOrForbidden"];
            readonly 404: components["responses"]["WebhookNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyCreationsOrRateLimited"];
            readonly 431: components["responses"]["HeadersTooLarge"];
            readonly 500: components["responses"]["ServerError"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly event: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description Identifies the event: the same if it is sent again
                 * @example msg_2KWPBgLlAfxdpx2AI54pPJ85f4W
                 */
                readonly "webhook-id": components["parameters"]["HeaderWebhookId"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of id, timestamp and body with the secret of the webhook
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["HeaderWebhookSignature"];
                /**
                 * @description When it was sent, in Unix epoch seconds
                 * @example 1760000000
                 */
                readonly "webhook-timestamp": components["parameters"]["HeaderWebhookTimestamp"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Event"];
            };
        };
        readonly responses: {
            /** @description The event is delivered */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The webhook is switched off, unless it was a test */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is sent again later, for a day, unless it was a test */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
