// Written by `pnpm client-types` from docs/openapi.json.

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
        /** Get an alias, deleted or not */
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
        /** Get a contact of an alias */
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
        /** Get a message of an alias of the last 30 days */
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
        /** Get whose mail an alias accepts, and when it ends */
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
    readonly "/blocked-senders": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the blocked senders of the account, in no particular order */
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
        /** Whether the service can read and write its store */
        readonly get: operations["health"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
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
        /** List the account's recipients, newest first */
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
        /** Get a recipient */
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
         * Activate or deactivate a recipient
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
    readonly "/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the account's webhooks, newest first */
        readonly get: operations["listWebhooks"];
        readonly put?: never;
        /**
         * Create a webhook: a URL that receives events
         * @description Events are signed with `secret`, which no other response has. Changes that were made before, or by other servers in the first ten seconds, may be missed. Repeating the request creates another webhook.
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
        /** Get a webhook */
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
    readonly aliasEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * An alias was created, changed or deleted
         * @description `alias.updated` stands for every change of the alias that its `ETag` shows, restoring it included, and not for the counts of its mail. The alias is as it is when the event is sent, so several changes can lead to one event.
         */
        readonly post: operations["aliasEvent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly messageEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * What has become of a message so far
         * @description `message.blocked`: it was not accepted; `message.failed`: a copy of it has bounced or expired, or all were dropped; `message.sent`: all copies have been sent that were not dropped; `message.queued`: some are still to be sent. The message is as its log shows it when the event is sent.
         */
        readonly post: operations["messageEvent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly testEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Somebody has asked for a test with `POST /webhooks/{webhook_id}/test`
         * @description Sent once, whatever events the webhook receives.
         */
        readonly post: operations["testEvent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface components {
    schemas: {
        readonly AddRecipient: {
            /**
             * Format: email
             * @example me@example.com
             */
            readonly recipient_email: string;
        };
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
            /** @description Unix epoch milliseconds */
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
            /** @description Unix epoch milliseconds */
            readonly datetime_updated: number;
            /** @description Free-form label; empty when never set */
            readonly description: string;
            /** @description Addresses the alias forwards to, in the order listed */
            readonly destination_emails: readonly [
                string,
                ...string[]
            ];
            /** @description Messages blocked */
            readonly emails_blocked: number;
            /** @description Messages bounced */
            readonly emails_bounced: number;
            /** @description Messages that led to a complaint */
            readonly emails_complaint: number;
            /** @description Messages delivered */
            readonly emails_delivered: number;
            /** @description Messages replied to */
            readonly emails_replied: number;
            /** @description Messages accepted for forwarding, as reported by the email-sending provider */
            readonly emails_sent: number;
        };
        readonly AliasEvent: {
            readonly data: components["schemas"]["Alias"];
            /**
             * Format: date-time
             * @description When what `data` shows came about
             */
            readonly timestamp: string;
            /** @enum {string} */
            readonly type: "alias.created" | "alias.updated" | "alias.deleted";
        };
        readonly AliasPage: {
            readonly aliases: readonly components["schemas"]["Alias"][];
            /** @description Where the next page starts; null on the last page */
            readonly next_cursor: (string & {}) | null;
        };
        readonly AliasRecipients: {
            readonly recipients: readonly components["schemas"]["Recipient"][];
        };
        readonly AliasRules: {
            /**
             * @description Whose mail the alias accepts: `everybody`'s, that of contacts that were written to or added (`written_to`), or theirs and that of `senders` (`listed`)
             * @enum {string}
             */
            readonly accept_from: "everybody" | "written_to" | "listed";
            /** @description When the alias ends, in Unix epoch milliseconds; null for never */
            readonly active_until: number | null;
            /** @description After how many more messages the alias ends; null for never. Each message that it accepts reduces it */
            readonly messages_left: number | null;
            /**
             * @description Email addresses and domains. A domain stands for its subdomains too. They matter only where `accept_from` is `listed`
             * @example [
             *       "friend@sender.example",
             *       "shop.example"
             *     ]
             */
            readonly senders: readonly string[];
        };
        readonly BlockedSender: {
            /** @description Opaque */
            readonly blocked_sender_id: string;
            /** @description When it was blocked, in Unix epoch milliseconds */
            readonly datetime_created: number;
            /** @description An email address, or a domain, which stands for its subdomains too */
            readonly sender: string;
        };
        readonly BlockedSenderPage: {
            readonly blocked_senders: readonly components["schemas"]["BlockedSender"][];
            /** @description Where the next page starts; null on the last page */
            readonly next_cursor: (string & {}) | null;
        };
        readonly BlockSender: {
            /**
             * @description An email address, or a domain of at most 11 labels
             * @example spam.example
             * @example someone@other.example
             */
            readonly sender: string;
        };
        readonly Contact: {
            /**
             * @description What happens to its mail to the alias: `none` forwards it, `reject` refuses it, and `discard` accepts and discards it
             * @enum {string}
             */
            readonly blocking: "none" | "reject" | "discard";
            /** @description Opaque; stable for the life of the contact */
            readonly contact_id: string;
            /** @description When it was first added in order to write to it, in Unix epoch milliseconds; null if never */
            readonly datetime_added: number | null;
            /** @description Unix epoch milliseconds */
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
        readonly ContactPage: {
            readonly contacts: readonly components["schemas"]["Contact"][];
            /** @description Where the next page starts; null on the last page */
            readonly next_cursor: (string & {}) | null;
        };
        readonly CreateAlias: {
            /**
             * @description The alias domain of the generated address; the service's first one by default
             * @example alias.example
             */
            readonly alias_domain?: string;
            /**
             * Format: email
             * @description An address on one of the service's alias domains; generated by default. Before the @: letters and digits, with single `.`, `_` or `-` between them
             * @example shop@alias.example
             */
            readonly alias_email?: string;
            /**
             * @description How to generate the address; `random` by default
             * @enum {string}
             */
            readonly alias_format?: "random" | "words" | "uuid";
            /**
             * @description Free-form label
             * @default
             */
            readonly description?: string;
            /**
             * @description The complete list of recipients, in order
             * @example [
             *       "recipient-1",
             *       "recipient-2"
             *     ]
             */
            readonly recipient_ids: readonly [
                string,
                ...string[]
            ];
        };
        readonly CreateContact: {
            /**
             * Format: email
             * @description Whom to write to
             * @example support@shop.example
             */
            readonly email: string;
        };
        readonly CreateWebhook: {
            /**
             * @description The events that the webhook receives
             * @example [
             *       "alias.created",
             *       "alias.deleted"
             *     ]
             */
            readonly events: readonly [
                "alias.created" | "alias.updated" | "alias.deleted" | "message.blocked" | "message.failed" | "message.sent" | "message.queued",
                ...("alias.created" | "alias.updated" | "alias.deleted" | "message.blocked" | "message.failed" | "message.sent" | "message.queued")[]
            ];
            /**
             * @description Where events are posted to: an https URL on a domain, without user, password and fragment
             * @example https://shop.example/postern
             */
            readonly url: string;
        };
        readonly Health: {
            /** @constant */
            readonly status: "ok";
        };
        readonly Message: {
            /** @description Why it was not forwarded; null if it was accepted */
            readonly blocked: {
                /**
                 * @description Stable: match on it
                 * @enum {string}
                 */
                readonly code: "sender_not_authentic" | "contact_blocked" | "sender_blocked" | "not_written_to" | "not_listed" | "alias_inactive" | "account_suspended";
                /** @description The same in words, for people to read */
                readonly message: string;
            } | null;
            /** @description Whom a received message is from; null if that is not known */
            readonly contact: {
                /** Format: email */
                readonly email: string;
            } | null;
            /** @description How many messages this stands for: 1, or more if others were blocked within a minute at this alias for the same reason, from the same domain; the rest is about the first one */
            readonly count: number;
            /** @description When this service received it, in Unix epoch milliseconds */
            readonly datetime_received: number;
            /**
             * @description `sent`: a recipient of the alias has written it to contacts, or has unsubscribed from a list
             * @enum {string}
             */
            readonly direction: "received" | "sent";
            /** @description Opaque; identifies the message at this alias */
            readonly message_id: string;
            /** @description Where it was to be sent, and what became of it there; empty if it was blocked */
            readonly recipients: readonly {
                /** @description Since when it has been in this state, in Unix epoch milliseconds */
                readonly datetime_changed: number;
                /** Format: email */
                readonly email: string;
                /** @description What went wrong; null if nothing did */
                readonly reason: {
                    /**
                     * @description Stable: match on it
                     * @enum {string}
                     */
                    readonly code: "mailbox_unknown" | "mailbox_full" | "mailbox_disabled" | "message_too_large" | "refused_by_policy" | "unreachable" | "relay_unavailable" | "other";
                    /** @description The same in words, for people to read */
                    readonly message: string;
                } | null;
                /**
                 * @description `queued` will be tried, or tried again; `sent` was handed over; `delivered` is known to have arrived; `bounced` was refused, at once or later; `expired` could not be sent for five days; `dropped` was given up: by the operator, because the recipient was replaced or the alias deleted, or after five days of suspension
                 * @enum {string}
                 */
                readonly state: "queued" | "sent" | "delivered" | "bounced" | "expired" | "dropped";
            }[];
            /** @description The time until which the message can be sent again, in Unix epoch milliseconds, unless the space is needed earlier; null if it cannot */
            readonly resendable_until: number | null;
            /** @description In octets; null if it was refused before it was sent */
            readonly size: number | null;
            /** @description Up to 200 characters; null unless the operator has enabled subjects */
            readonly subject: (string & {}) | null;
            /** @description The `message_id` of the message from whose list this one has unsubscribed the alias; null for all other messages */
            readonly unsubscribes_from: (string & {}) | null;
        };
        readonly MessageEvent: {
            readonly data: {
                /** Format: email */
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
            /** @enum {string} */
            readonly type: "message.blocked" | "message.failed" | "message.sent" | "message.queued";
        };
        readonly MessagePage: {
            readonly messages: readonly components["schemas"]["Message"][];
            /** @description Where the next page starts; null on the last page */
            readonly next_cursor: (string & {}) | null;
        };
        readonly Problem: {
            /** @description How many aliases the recipient is attached to */
            readonly alias_count?: number;
            /** @description Up to ten of these aliases */
            readonly alias_ids?: readonly string[];
            /** @description Stable: match on it */
            readonly code: string;
            /** @description What is wrong and what to do about it */
            readonly detail: string;
            /** @description What is wrong in the request: up to 20 errors */
            readonly errors?: readonly {
                /** @description Name of the path or query parameter or of the header */
                readonly parameter?: string;
                /** @description JSON pointer (RFC 6901) into the request body */
                readonly pointer?: string;
                readonly reason: string;
            }[];
            /** @description The path of the request */
            readonly instance: string;
            /** @description How many of them the account may have */
            readonly limit?: number;
            /** @description Every ineligible recipient, in the order listed */
            readonly recipients?: readonly {
                readonly id: string;
                /** @enum {string} */
                readonly reason: "unknown" | "unverified" | "inactive";
            }[];
            readonly status: number;
            readonly title: string;
            /** @description `urn:postern:problem:` followed by the code */
            readonly type: string;
        };
        readonly Reassignment: {
            /** @description Where to continue; null when the last alias was reached */
            readonly next_cursor: (string & {}) | null;
            /** @description The aliases from which this call detached the recipient */
            readonly reassigned: readonly string[];
            /** @description How many aliases the recipient is still attached to */
            readonly remaining: number;
        };
        readonly ReassignRecipient: {
            /** @description `next_cursor` of the previous call */
            readonly cursor?: string;
            /** @description The recipient that replaces it */
            readonly recipient_id: string;
        };
        readonly Recipient: {
            /** @description Whether it may be attached to aliases */
            readonly active: boolean;
            /** @description How many aliases it is attached to */
            readonly alias_count: number;
            /** @description Unix epoch milliseconds */
            readonly datetime_created: number;
            /** @description Unix epoch milliseconds */
            readonly datetime_updated: number;
            /** @description When the message with the newest link was handed over for sending, in Unix epoch milliseconds; null if it was not */
            readonly datetime_verification_sent: number | null;
            /** @description Unix epoch milliseconds; null while not verified */
            readonly datetime_verified: number | null;
            /** Format: email */
            readonly recipient_email: string;
            /** @description Opaque; stable for the life of the recipient */
            readonly recipient_id: string;
            /** @description Why the recipient cannot be verified yet, and what to do about it; null if nothing is wrong */
            readonly verification_note: (string & {}) | null;
            /** @description Whether access to the mailbox has been proved */
            readonly verified: boolean;
        };
        readonly RecipientAdded: {
            /** @description Whether it may be attached to aliases */
            readonly active: boolean;
            /** @description How many aliases it is attached to */
            readonly alias_count: number;
            /** @description Unix epoch milliseconds */
            readonly datetime_created: number;
            /** @description Unix epoch milliseconds */
            readonly datetime_updated: number;
            /** @description When the message with the newest link was handed over for sending, in Unix epoch milliseconds; null if it was not */
            readonly datetime_verification_sent: number | null;
            /** @description Unix epoch milliseconds; null while not verified */
            readonly datetime_verified: number | null;
            /** Format: email */
            readonly recipient_email: string;
            /** @description Opaque; stable for the life of the recipient */
            readonly recipient_id: string;
            /**
             * @description Whether the message with the verification link was handed over for sending, or waits for that: `verification_note` says what becomes of it
             * @enum {string}
             */
            readonly verification_mail: "sent" | "queued" | "not_sent";
            /** @description Why the recipient cannot be verified yet, and what to do about it; null if nothing is wrong */
            readonly verification_note: (string & {}) | null;
            /** @description Whether access to the mailbox has been proved */
            readonly verified: boolean;
        };
        readonly RecipientPage: {
            /** @description Where the next page starts; null on the last page */
            readonly next_cursor: (string & {}) | null;
            readonly recipients: readonly components["schemas"]["Recipient"][];
        };
        readonly ReplaceRecipients: {
            /**
             * @description The complete list of recipients, in order
             * @example [
             *       "recipient-1",
             *       "recipient-2"
             *     ]
             */
            readonly recipient_ids: readonly [
                string,
                ...string[]
            ];
        };
        readonly RestoreAlias: {
            /**
             * @description The complete list of recipients, in order; defaults to the former ones
             * @example [
             *       "recipient-1",
             *       "recipient-2"
             *     ]
             */
            readonly recipient_ids?: readonly [
                string,
                ...string[]
            ];
        };
        readonly TestEvent: {
            readonly data: {
                readonly webhook_id: string;
            };
            /**
             * Format: date-time
             * @description When what `data` shows came about
             */
            readonly timestamp: string;
            /** @constant */
            readonly type: "webhook.test";
        };
        readonly Unauthorized: {
            /** @constant */
            readonly message: "Unauthorized";
        };
        readonly UpdateAlias: {
            /** @description Whether the alias is switched on */
            readonly active?: boolean;
            /** @description Free-form label; null empties it */
            readonly description?: (string & {}) | null;
        };
        readonly UpdateAliasRules: {
            /** @description Whose mail the alias accepts: `everybody`'s, that of contacts that were written to or added (`written_to`), or theirs and that of `senders` (`listed`) */
            readonly accept_from?: ("everybody" | "written_to" | "listed") | null;
            /** @description When the alias ends, in Unix epoch milliseconds, in the future */
            readonly active_until?: number | null;
            /** @description After how many more messages the alias ends */
            readonly messages_left?: number | null;
            /** @description Email addresses and domains. A domain stands for its subdomains too. They matter only where `accept_from` is `listed` */
            readonly senders?: readonly string[] | null;
        };
        readonly UpdateContact: {
            /**
             * @description What happens to its mail to the alias: `none` forwards it, `reject` refuses it, and `discard` accepts and discards it
             * @enum {string}
             */
            readonly blocking?: "none" | "reject" | "discard";
        };
        readonly UpdateRecipient: {
            /** @description Whether it may be attached to aliases */
            readonly active?: boolean;
        };
        readonly UpdateWebhook: {
            /** @description Whether it receives events */
            readonly active?: boolean;
            /**
             * @description The events that the webhook receives
             * @example [
             *       "alias.created",
             *       "alias.deleted"
             *     ]
             */
            readonly events?: readonly [
                "alias.created" | "alias.updated" | "alias.deleted" | "message.blocked" | "message.failed" | "message.sent" | "message.queued",
                ...("alias.created" | "alias.updated" | "alias.deleted" | "message.blocked" | "message.failed" | "message.sent" | "message.queued")[]
            ];
            /**
             * @description Where events are posted to: an https URL on a domain, without user, password and fragment
             * @example https://shop.example/postern
             */
            readonly url?: string;
        };
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
        readonly VerificationResent: {
            /** @description Whether it may be attached to aliases */
            readonly active: boolean;
            /** @description How many aliases it is attached to */
            readonly alias_count: number;
            /** @description Unix epoch milliseconds */
            readonly datetime_created: number;
            /** @description Unix epoch milliseconds */
            readonly datetime_updated: number;
            /** @description When the message with the newest link was handed over for sending, in Unix epoch milliseconds; null if it was not */
            readonly datetime_verification_sent: number | null;
            /** @description Unix epoch milliseconds; null while not verified */
            readonly datetime_verified: number | null;
            /** Format: email */
            readonly recipient_email: string;
            /** @description Opaque; stable for the life of the recipient */
            readonly recipient_id: string;
            /**
             * @description Whether the message was handed over for sending, or waits for that: `verification_note` says what becomes of it. A verified recipient needs none
             * @enum {string}
             */
            readonly verification_mail: "sent" | "queued" | "not_sent" | "not_needed";
            /** @description Why the recipient cannot be verified yet, and what to do about it; null if nothing is wrong */
            readonly verification_note: (string & {}) | null;
            /** @description Whether access to the mailbox has been proved */
            readonly verified: boolean;
        };
        readonly Webhook: {
            /** @description Whether it receives events */
            readonly active: boolean;
            /** @description Unix epoch milliseconds */
            readonly datetime_created: number;
            /** @description Unix epoch milliseconds */
            readonly datetime_updated: number;
            /**
             * @description The events that the webhook receives
             * @example [
             *       "alias.created",
             *       "alias.deleted"
             *     ]
             */
            readonly events: readonly [
                "alias.created" | "alias.updated" | "alias.deleted" | "message.blocked" | "message.failed" | "message.sent" | "message.queued",
                ...("alias.created" | "alias.updated" | "alias.deleted" | "message.blocked" | "message.failed" | "message.sent" | "message.queued")[]
            ];
            /** @description Why it is not: `owner` if it was switched off with `active`, `failing` if nothing could be delivered for three days, `gone` if it responded 410; null while it is active */
            readonly off_reason: ("owner" | "failing" | "gone") | null;
            /**
             * @description Where events are posted to: an https URL on a domain, without user, password and fragment
             * @example https://shop.example/postern
             */
            readonly url: string;
            /** @description Opaque; stable for the life of the webhook */
            readonly webhook_id: string;
        };
        readonly WebhookCreated: {
            /** @description Whether it receives events */
            readonly active: boolean;
            /** @description Unix epoch milliseconds */
            readonly datetime_created: number;
            /** @description Unix epoch milliseconds */
            readonly datetime_updated: number;
            /**
             * @description The events that the webhook receives
             * @example [
             *       "alias.created",
             *       "alias.deleted"
             *     ]
             */
            readonly events: readonly [
                "alias.created" | "alias.updated" | "alias.deleted" | "message.blocked" | "message.failed" | "message.sent" | "message.queued",
                ...("alias.created" | "alias.updated" | "alias.deleted" | "message.blocked" | "message.failed" | "message.sent" | "message.queued")[]
            ];
            /** @description Why it is not: `owner` if it was switched off with `active`, `failing` if nothing could be delivered for three days, `gone` if it responded 410; null while it is active */
            readonly off_reason: ("owner" | "failing" | "gone") | null;
            /** @description What its events are signed with (Standard Webhooks); no other response has it */
            readonly secret: string;
            /**
             * @description Where events are posted to: an https URL on a domain, without user, password and fragment
             * @example https://shop.example/postern
             */
            readonly url: string;
            /** @description Opaque; stable for the life of the webhook */
            readonly webhook_id: string;
        };
        readonly WebhookList: {
            readonly webhooks: readonly components["schemas"]["Webhook"][];
        };
        readonly WebhookTested: {
            /** @description Whether the response was 2xx */
            readonly delivered: boolean;
            /** @description Why it was not delivered, for people; null if it was */
            readonly reason: (string & {}) | null;
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
    readonly listAliases: {
        readonly parameters: {
            readonly query?: {
                /** @description Only aliases that accept mail, or only those that do not */
                readonly active?: boolean;
                /** @description `next_cursor` of the previous page */
                readonly cursor?: string;
                /** @description Only deleted aliases, or only live ones (the default) */
                readonly deleted?: boolean;
                /** @description The maximum number of items on the page */
                readonly limit?: number;
                /** @description The beginning of the address, or up to 8 words of the description or their beginnings; ignores case */
                readonly q?: string;
                /** @description Only live aliases that this recipient is attached to */
                readonly recipient_id?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of aliases */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AliasPage"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly createAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateAlias"];
            };
        };
        readonly responses: {
            /** @description The new alias, which is active */
            readonly 201: {
                headers: {
                    /** @description The version, in quotes, for If-Match */
                    readonly ETag?: string;
                    /** @description The path of the new resource */
                    readonly Location?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Alias"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Too many aliases; Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "too_many_aliases" | "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Address taken */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "address_taken";
                        /** @constant */
                        readonly status?: 409;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Address not allowed; Recipients ineligible */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "address_not_allowed" | "recipients_ineligible";
                        /** @constant */
                        readonly status?: 422;
                    };
                };
            };
            /** @description Too many creations; Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "too_many_creations" | "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly getAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Opaque alias id */
                readonly alias_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The alias */
            readonly 200: {
                headers: {
                    /** @description The version, in quotes, for If-Match */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Alias"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Alias not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly deleteAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The versions at which the write is allowed; `*` for any */
                readonly "If-Match"?: string;
            };
            readonly path: {
                /** @description Opaque alias id */
                readonly alias_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The alias, deleted */
            readonly 200: {
                headers: {
                    /** @description The version, in quotes, for If-Match */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Alias"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Alias not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Precondition failed */
            readonly 412: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "precondition_failed";
                        /** @constant */
                        readonly status?: 412;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly updateAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The versions at which the write is allowed; `*` for any */
                readonly "If-Match"?: string;
            };
            readonly path: {
                /** @description Opaque alias id */
                readonly alias_id: string;
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
            readonly 200: {
                headers: {
                    /** @description The version, in quotes, for If-Match */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Alias"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Alias not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Alias deleted */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_deleted";
                        /** @constant */
                        readonly status?: 409;
                    };
                };
            };
            /** @description Precondition failed */
            readonly 412: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "precondition_failed";
                        /** @constant */
                        readonly status?: 412;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    /** @description The media types accepted in a PATCH */
                    readonly "Accept-Patch"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly listContacts: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the previous page */
                readonly cursor?: string;
                /** @description The maximum number of items on the page */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description Opaque alias id */
                readonly alias_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of contacts */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ContactPage"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Alias not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly createContact: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Opaque alias id */
                readonly alias_id: string;
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
            readonly 200: {
                headers: {
                    /** @description The version, in quotes, for If-Match */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Contact"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Too many contacts; Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "too_many_contacts" | "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Alias not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Alias deleted */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_deleted";
                        /** @constant */
                        readonly status?: 409;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Address not allowed */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "address_not_allowed";
                        /** @constant */
                        readonly status?: 422;
                    };
                };
            };
            /** @description Too many creations; Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "too_many_creations" | "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly getContact: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Opaque alias id */
                readonly alias_id: string;
                /** @description Opaque contact id */
                readonly contact_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The contact */
            readonly 200: {
                headers: {
                    /** @description The version, in quotes, for If-Match */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Contact"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Alias not found; Contact not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_not_found" | "contact_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly updateContact: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The versions at which the write is allowed; `*` for any */
                readonly "If-Match"?: string;
            };
            readonly path: {
                /** @description Opaque alias id */
                readonly alias_id: string;
                /** @description Opaque contact id */
                readonly contact_id: string;
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
            readonly 200: {
                headers: {
                    /** @description The version, in quotes, for If-Match */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Contact"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Alias not found; Contact not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_not_found" | "contact_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Alias deleted */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_deleted";
                        /** @constant */
                        readonly status?: 409;
                    };
                };
            };
            /** @description Precondition failed */
            readonly 412: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "precondition_failed";
                        /** @constant */
                        readonly status?: 412;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    /** @description The media types accepted in a PATCH */
                    readonly "Accept-Patch"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly listMessages: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the previous page */
                readonly cursor?: string;
                /** @description The maximum number of items on the page */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description Opaque alias id */
                readonly alias_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of messages */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MessagePage"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Alias not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly getMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Opaque alias id */
                readonly alias_id: string;
                /** @description Opaque message id */
                readonly message_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The message */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Alias not found; Message not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_not_found" | "message_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly resendMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Opaque alias id */
                readonly alias_id: string;
                /** @description Opaque message id */
                readonly message_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The message as it is now */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Alias not found; Message not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_not_found" | "message_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Alias deleted; Alias inactive; Message not kept */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_deleted" | "alias_inactive" | "message_not_kept";
                        /** @constant */
                        readonly status?: 409;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly getAliasRecipients: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Opaque alias id */
                readonly alias_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The recipients */
            readonly 200: {
                headers: {
                    /** @description The version, in quotes, for If-Match */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AliasRecipients"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Alias not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly replaceRecipients: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The versions at which the write is allowed; `*` for any */
                readonly "If-Match"?: string;
            };
            readonly path: {
                /** @description Opaque alias id */
                readonly alias_id: string;
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
            readonly 200: {
                headers: {
                    /** @description The version, in quotes, for If-Match */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Alias"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Alias not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Alias deleted */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_deleted";
                        /** @constant */
                        readonly status?: 409;
                    };
                };
            };
            /** @description Precondition failed */
            readonly 412: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "precondition_failed";
                        /** @constant */
                        readonly status?: 412;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Recipients ineligible */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "recipients_ineligible";
                        /** @constant */
                        readonly status?: 422;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly restoreAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The versions at which the write is allowed; `*` for any */
                readonly "If-Match"?: string;
            };
            readonly path: {
                /** @description Opaque alias id */
                readonly alias_id: string;
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
            readonly 200: {
                headers: {
                    /** @description The version, in quotes, for If-Match */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Alias"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Alias not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Precondition failed */
            readonly 412: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "precondition_failed";
                        /** @constant */
                        readonly status?: 412;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Recipients ineligible */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "recipients_ineligible";
                        /** @constant */
                        readonly status?: 422;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly getAliasRules: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Opaque alias id */
                readonly alias_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The rules */
            readonly 200: {
                headers: {
                    /** @description The version, in quotes, for If-Match */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AliasRules"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Alias not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly updateAliasRules: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The versions at which the write is allowed; `*` for any */
                readonly "If-Match"?: string;
            };
            readonly path: {
                /** @description Opaque alias id */
                readonly alias_id: string;
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
            readonly 200: {
                headers: {
                    /** @description The version, in quotes, for If-Match */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AliasRules"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Alias not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Alias deleted */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "alias_deleted";
                        /** @constant */
                        readonly status?: 409;
                    };
                };
            };
            /** @description Precondition failed */
            readonly 412: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "precondition_failed";
                        /** @constant */
                        readonly status?: 412;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    /** @description The media types accepted in a PATCH */
                    readonly "Accept-Patch"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly listBlockedSenders: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the previous page */
                readonly cursor?: string;
                /** @description The maximum number of items on the page */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of blocked senders */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BlockedSenderPage"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
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
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BlockedSender"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Too many blocked senders; Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "too_many_blocked_senders" | "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Too many creations; Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "too_many_creations" | "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly unblockSender: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Opaque id of a blocked sender */
                readonly blocked_sender_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The sender is not blocked */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
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
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly listRecipients: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the previous page */
                readonly cursor?: string;
                /** @description The maximum number of items on the page */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of recipients */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RecipientPage"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
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
            readonly 201: {
                headers: {
                    /** @description The path of the new resource */
                    readonly Location?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RecipientAdded"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Too many recipients; Too many unverified recipients; Mailbox suppressed; Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "too_many_recipients" | "too_many_unverified_recipients" | "mailbox_suppressed" | "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Address taken */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "address_taken";
                        /** @constant */
                        readonly status?: 409;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Address not allowed */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "address_not_allowed";
                        /** @constant */
                        readonly status?: 422;
                    };
                };
            };
            /** @description Too many creations; Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "too_many_creations" | "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly getRecipient: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Opaque recipient id */
                readonly recipient_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The recipient */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Recipient"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Recipient not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "recipient_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly deleteRecipient: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Opaque recipient id */
                readonly recipient_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The recipient is deleted */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Recipient not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "recipient_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Recipient attached */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "recipient_attached";
                        /** @constant */
                        readonly status?: 409;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly updateRecipient: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Opaque recipient id */
                readonly recipient_id: string;
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
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Recipient"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Recipient not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "recipient_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Recipient attached */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "recipient_attached";
                        /** @constant */
                        readonly status?: 409;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    /** @description The media types accepted in a PATCH */
                    readonly "Accept-Patch"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly reassignRecipient: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Opaque recipient id */
                readonly recipient_id: string;
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
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Reassignment"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Recipient not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "recipient_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Recipients ineligible */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "recipients_ineligible";
                        /** @constant */
                        readonly status?: 422;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly resendVerification: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Opaque recipient id */
                readonly recipient_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The recipient */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["VerificationResent"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Mailbox suppressed; Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "mailbox_suppressed" | "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Recipient not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "recipient_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly verifyRecipient: {
        readonly parameters: {
            readonly query: {
                /** @description Verifies the recipient */
                readonly confirm?: "true";
                /** @description Stops verification messages to the mailbox for good, whichever account requests them; also works with expired and superseded links. Cannot be combined with `confirm` */
                readonly suppress?: "true";
                /** @description From the link in the message */
                readonly token: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was done, or can be done; a page if text/html is requested */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Verification"];
                    readonly "text/html": string;
                };
            };
            /** @description Invalid request; Invalid link */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "link_invalid";
                        /** @constant */
                        readonly status?: 400;
                    };
                    readonly "text/html": string;
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                    readonly "text/html": string;
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                    readonly "text/html": string;
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                    readonly "text/html": string;
                };
            };
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
            /** @description All of them: an account has few, so there are no pages */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookList"];
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly createWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        readonly responses: {
            /** @description The new webhook, which is active */
            readonly 201: {
                headers: {
                    /** @description The version, in quotes, for If-Match */
                    readonly ETag?: string;
                    /** @description The path of the new resource */
                    readonly Location?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookCreated"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Too many webhooks; Webhooks disabled; Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "too_many_webhooks" | "webhooks_disabled" | "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Too many creations; Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "too_many_creations" | "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly getWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Opaque webhook id */
                readonly webhook_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook */
            readonly 200: {
                headers: {
                    /** @description The version, in quotes, for If-Match */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Invalid request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Webhook not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "webhook_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly deleteWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Opaque webhook id */
                readonly webhook_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description There is no such webhook */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly updateWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The versions at which the write is allowed; `*` for any */
                readonly "If-Match"?: string;
            };
            readonly path: {
                /** @description Opaque webhook id */
                readonly webhook_id: string;
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
            readonly 200: {
                headers: {
                    /** @description The version, in quotes, for If-Match */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Webhook not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "webhook_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Precondition failed */
            readonly 412: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "precondition_failed";
                        /** @constant */
                        readonly status?: 412;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    /** @description The media types accepted in a PATCH */
                    readonly "Accept-Patch"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly testWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Opaque webhook id */
                readonly webhook_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What became of the event */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookTested"];
                };
            };
            /** @description Invalid request; Malformed JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "invalid_request" | "malformed_json";
                        /** @constant */
                        readonly status?: 400;
                    };
                };
            };
            /** @description The token is absent, malformed or expired: sign in again */
            readonly 401: {
                headers: {
                    /** @description Always `Bearer` */
                    readonly "WWW-Authenticate"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Unauthorized"];
                };
            };
            /** @description Webhooks disabled; Account not allowed; Account suspended */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "webhooks_disabled" | "account_not_allowed" | "account_suspended";
                        /** @constant */
                        readonly status?: 403;
                    };
                };
            };
            /** @description Webhook not found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "webhook_not_found";
                        /** @constant */
                        readonly status?: 404;
                    };
                };
            };
            /** @description Payload too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "payload_too_large";
                        /** @constant */
                        readonly status?: 413;
                    };
                };
            };
            /** @description Unsupported media type */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unsupported_media_type";
                        /** @constant */
                        readonly status?: 415;
                    };
                };
            };
            /** @description Too many creations; Too many requests */
            readonly 429: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "too_many_creations" | "rate_limited";
                        /** @constant */
                        readonly status?: 429;
                    };
                };
            };
            /** @description Internal error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "internal_error";
                        /** @constant */
                        readonly status?: 500;
                    };
                };
            };
            /** @description Unavailable */
            readonly 503: {
                headers: {
                    /** @description The number of seconds after which to try again */
                    readonly "Retry-After"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        readonly code?: "unavailable";
                        /** @constant */
                        readonly status?: 503;
                    };
                };
            };
        };
    };
    readonly aliasEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Identifies the event: the same if it is sent again */
                readonly "webhook-id": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body with the secret of the webhook */
                readonly "webhook-signature": string;
                /** @description When it was sent, in Unix epoch seconds */
                readonly "webhook-timestamp": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AliasEvent"];
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
    readonly messageEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Identifies the event: the same if it is sent again */
                readonly "webhook-id": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body with the secret of the webhook */
                readonly "webhook-signature": string;
                /** @description When it was sent, in Unix epoch seconds */
                readonly "webhook-timestamp": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["MessageEvent"];
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
    readonly testEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Identifies the event: the same if it is sent again */
                readonly "webhook-id": string;
                /** @description `v1,` and the HMAC-SHA256 of id, timestamp and body with the secret of the webhook */
                readonly "webhook-signature": string;
                /** @description When it was sent, in Unix epoch seconds */
                readonly "webhook-timestamp": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["TestEvent"];
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
