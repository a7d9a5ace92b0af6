// Written by `pnpm openapi` from docs/openapi.json.

export const OPERATIONS = {
  /**
   * Replace the recipients of an alias.
   *
   * Sets the complete list of an alias's recipients in one call. Any recipient not listed is detached; a repeated id counts once, at its first position. Idempotent: sending the current list succeeds and changes nothing.
   */
  replaceRecipients: { method: "PUT", path: "/aliases/{alias_id}/recipients", takes: "body", takesIfMatch: true, status: 200, hasEtag: true, isPublic: false },
  /**
   * Get the recipients of an alias, in its order.
   *
   * All of them, without pages. The `ETag` is the alias's. Of a deleted alias: those of its former recipients that still exist.
   */
  getAliasRecipients: { method: "GET", path: "/aliases/{alias_id}/recipients", takes: "nothing", takesIfMatch: false, status: 200, hasEtag: true, isPublic: false },
  /**
   * List the account's aliases, newest first.
   *
   * All filters must match. A cursor can be combined with any filters. With `q` or `recipient_id` a page can be short or empty even though `next_cursor` is not null.
   */
  listAliases: { method: "GET", path: "/aliases", takes: "query", takesIfMatch: false, status: 200, hasEtag: false, isPublic: false },
  /**
   * Create an alias.
   *
   * Pass the address as `alias_email`, or let the service generate one that cannot be guessed, in `alias_format` on `alias_domain`. The two cannot be combined.
   */
  createAlias: { method: "POST", path: "/aliases", takes: "body", takesIfMatch: false, status: 201, hasEtag: true, isPublic: false },
  /**
   * Get an alias, deleted or not.
   *
   * With its counts of mail. Its recipients, by id: `GET /aliases/{alias_id}/recipients`.
   */
  getAlias: { method: "GET", path: "/aliases/{alias_id}", takes: "nothing", takesIfMatch: false, status: 200, hasEtag: true, isPublic: false },
  /**
   * Change an alias's description, or switch it on or off.
   *
   * A JSON Merge Patch (RFC 7396): members that are absent leave their fields unchanged. Switching an alias on removes an end in its rules that it has reached.
   */
  updateAlias: { method: "PATCH", path: "/aliases/{alias_id}", takes: "body", takesIfMatch: true, status: 200, hasEtag: true, isPublic: false },
  /**
   * Delete an alias so that it can be restored.
   *
   * A deleted alias forwards nothing, and its recipients are detached; its address stays taken. Idempotent.
   */
  deleteAlias: { method: "DELETE", path: "/aliases/{alias_id}", takes: "nothing", takesIfMatch: true, status: 200, hasEtag: true, isPublic: false },
  /**
   * Restore a deleted alias.
   *
   * It forwards to its former recipients again, or to those listed instead, for example because a former one no longer exists. If the alias is not deleted, its recipients are replaced if any are listed; otherwise nothing changes.
   */
  restoreAlias: { method: "POST", path: "/aliases/{alias_id}/restore", takes: "body", takesIfMatch: true, status: 200, hasEtag: true, isPublic: false },
  /**
   * Get whose mail an alias accepts, and when it ends.
   *
   * They share the `ETag` of the alias.
   */
  getAliasRules: { method: "GET", path: "/aliases/{alias_id}/rules", takes: "nothing", takesIfMatch: false, status: 200, hasEtag: true, isPublic: false },
  /**
   * Change whose mail an alias accepts, and when it ends.
   *
   * A JSON Merge Patch (RFC 7396): members that are absent leave their rules unchanged, and null resets one. Other mail is refused, and counts in `emails_blocked`. An alias that has ended is switched off, and its recipients are told once; switching it on again removes the end that it has reached. The rules and the alias have one version, and so one `ETag`.
   */
  updateAliasRules: { method: "PATCH", path: "/aliases/{alias_id}/rules", takes: "body", takesIfMatch: true, status: 200, hasEtag: true, isPublic: false },
  /**
   * Get for which website an alias is.
   *
   * It shares the `ETag` of the alias.
   */
  getAliasWebsite: { method: "GET", path: "/aliases/{alias_id}/website", takes: "nothing", takesIfMatch: false, status: 200, hasEtag: true, isPublic: false },
  /**
   * Change for which website an alias is.
   *
   * `q` of `GET /aliases` finds it. It and the alias have one version, and so one `ETag`.
   */
  updateAliasWebsite: { method: "PUT", path: "/aliases/{alias_id}/website", takes: "body", takesIfMatch: true, status: 200, hasEtag: true, isPublic: false },
  /**
   * List those with whom an alias has exchanged mail, newest first.
   *
   * Whoever wrote to the alias, was named in Reply-To, To or Cc of mail to it, or was added. An alias keeps a limited number; the longest unused are evicted, except those that were written to, added or blocked.
   */
  listContacts: { method: "GET", path: "/aliases/{alias_id}/contacts", takes: "query", takesIfMatch: false, status: 200, hasEtag: false, isPublic: false },
  /**
   * Get the address at which an alias's recipients can write to somebody first.
   *
   * What they send to `reverse_email` reaches the contact from the alias, without their own addresses. Safe to repeat: an address that is a contact already stays the same one.
   */
  createContact: { method: "POST", path: "/aliases/{alias_id}/contacts", takes: "body", takesIfMatch: false, status: 200, hasEtag: true, isPublic: false },
  /**
   * Get a contact of an alias.
   *
   * Its `reverse_email` is where the alias's recipients write to in order to reach it.
   */
  getContact: { method: "GET", path: "/aliases/{alias_id}/contacts/{contact_id}", takes: "nothing", takesIfMatch: false, status: 200, hasEtag: true, isPublic: false },
  /**
   * Block a contact, or accept mail from it again.
   *
   * A JSON Merge Patch (RFC 7396): members that are absent leave their fields unchanged. Mail that a blocked contact sends to the alias counts in `emails_blocked`. The contact can still be written to.
   */
  updateContact: { method: "PATCH", path: "/aliases/{alias_id}/contacts/{contact_id}", takes: "body", takesIfMatch: true, status: 200, hasEtag: true, isPublic: false },
  /**
   * List an alias's messages of the last 30 days, newest first.
   *
   * Those that arrived for the alias, blocked ones included, and those that were sent from it, with what became of each. Changes appear some seconds later.
   */
  listMessages: { method: "GET", path: "/aliases/{alias_id}/messages", takes: "query", takesIfMatch: false, status: 200, hasEtag: false, isPublic: false },
  /**
   * Get a message of an alias of the last 30 days.
   *
   * What has become of it so far, for each place that it was to be sent to.
   */
  getMessage: { method: "GET", path: "/aliases/{alias_id}/messages/{message_id}", takes: "nothing", takesIfMatch: false, status: 200, hasEtag: false, isPublic: false },
  /**
   * Send a message again that did not reach everybody.
   *
   * A received message goes to those recipients that the alias has now and that it has not reached, also to ones that it did not have before; a sent one to the contacts that it has not reached. This happens some seconds later: the message shows it. To request it again changes nothing as long as the message waits to be sent.
   */
  resendMessage: { method: "POST", path: "/aliases/{alias_id}/messages/{message_id}/resend", takes: "nothing", takesIfMatch: false, status: 202, hasEtag: false, isPublic: false },
  /**
   * List the blocked senders of the account, in no particular order.
   *
   * Pass `next_cursor` as `cursor` to get the next page.
   */
  listBlockedSenders: { method: "GET", path: "/blocked-senders", takes: "query", takesIfMatch: false, status: 200, hasEtag: false, isPublic: false },
  /**
   * Block an email address or a domain.
   *
   * No alias of the account accepts mail from the sender any more: it is refused, and counts in `emails_blocked`. A domain stands for its subdomains too. Safe to repeat: a sender that is blocked already stays as it is.
   */
  blockSender: { method: "POST", path: "/blocked-senders", takes: "body", takesIfMatch: false, status: 200, hasEtag: false, isPublic: false },
  /**
   * Accept mail from a blocked sender again.
   *
   * Its mail stays refused if another blocked sender covers it. Idempotent: succeeds if nothing is blocked with this id.
   */
  unblockSender: { method: "DELETE", path: "/blocked-senders/{blocked_sender_id}", takes: "nothing", takesIfMatch: false, status: 204, hasEtag: false, isPublic: false },
  /**
   * List the account's recipients, newest first.
   *
   * Pass `next_cursor` as `cursor` to get the next page.
   */
  listRecipients: { method: "GET", path: "/recipients", takes: "query", takesIfMatch: false, status: 200, hasEtag: false, isPublic: false },
  /**
   * Add a recipient and send it a verification link.
   *
   * At most one message a minute, five in 24 hours and twenty in 30 days are sent to one mailbox, whichever accounts request them. Beyond that, nothing is stored.
   */
  addRecipient: { method: "POST", path: "/recipients", takes: "body", takesIfMatch: false, status: 201, hasEtag: false, isPublic: false },
  /**
   * Verify a recipient with the link sent to it, or stop messages to its mailbox.
   *
   * Without `confirm` or `suppress` nothing changes: a browser gets a page with a button for each, in its language if it is English or German (`Accept-Language`), any other client the path of each. Idempotent. A prefetch (`Sec-Purpose: prefetch`) with either is refused as an invalid request.
   */
  verifyRecipient: { method: "GET", path: "/recipients/verify", takes: "query", takesIfMatch: false, status: 200, hasEtag: false, isPublic: true },
  /**
   * Get a recipient.
   *
   * `verification_note` says why it cannot be verified yet, if anything is wrong.
   */
  getRecipient: { method: "GET", path: "/recipients/{recipient_id}", takes: "nothing", takesIfMatch: false, status: 200, hasEtag: false, isPublic: false },
  /**
   * Activate or deactivate a recipient, or make it the default one.
   *
   * A JSON Merge Patch (RFC 7396): members that are absent leave their fields unchanged. A recipient that is attached to an alias cannot be deactivated: reassign it first.
   */
  updateRecipient: { method: "PATCH", path: "/recipients/{recipient_id}", takes: "body", takesIfMatch: false, status: 200, hasEtag: false, isPublic: false },
  /**
   * Delete a recipient permanently.
   *
   * A recipient that is attached to an alias cannot be deleted: reassign it first.
   */
  deleteRecipient: { method: "DELETE", path: "/recipients/{recipient_id}", takes: "nothing", takesIfMatch: false, status: 204, hasEtag: false, isPublic: false },
  /**
   * Send a recipient a new verification link.
   *
   * Earlier links stop working. At most one message a minute, five in 24 hours and twenty in 30 days are sent to one mailbox, whichever accounts request them.
   */
  resendVerification: { method: "POST", path: "/recipients/{recipient_id}/verification", takes: "nothing", takesIfMatch: false, status: 200, hasEtag: false, isPublic: false },
  /**
   * Replace a recipient with another in all its aliases.
   *
   * Changes up to 25 aliases a call, each of them atomically and without changing the order of its recipients; where the other recipient is already attached, this one is only detached. Safe to repeat: finished aliases are skipped.
   */
  reassignRecipient: { method: "POST", path: "/recipients/{recipient_id}/reassign", takes: "body", takesIfMatch: false, status: 200, hasEtag: false, isPublic: false },
  /**
   * List the account's webhooks, newest first.
   *
   * All of them, without pages: an account has few.
   */
  listWebhooks: { method: "GET", path: "/webhooks", takes: "nothing", takesIfMatch: false, status: 200, hasEtag: false, isPublic: false },
  /**
   * Create a webhook: a URL that receives events.
   *
   * Events are signed with `secret`, which no other response has. Changes that were made before, or by other servers in the first ten seconds, may be missed. Without an `Idempotency-Key`, repeating the request creates another webhook.
   */
  createWebhook: { method: "POST", path: "/webhooks", takes: "body", takesIfMatch: false, status: 201, hasEtag: true, isPublic: false },
  /**
   * Get a webhook.
   *
   * Without its secret, which only the response that created it has.
   */
  getWebhook: { method: "GET", path: "/webhooks/{webhook_id}", takes: "nothing", takesIfMatch: false, status: 200, hasEtag: true, isPublic: false },
  /**
   * Change a webhook's URL or events, or switch it on or off.
   *
   * A JSON Merge Patch (RFC 7396): members that are absent leave their fields unchanged. A webhook never receives the events of the time when it was off. Its secret never changes.
   */
  updateWebhook: { method: "PATCH", path: "/webhooks/{webhook_id}", takes: "body", takesIfMatch: true, status: 200, hasEtag: true, isPublic: false },
  /**
   * Delete a webhook permanently.
   *
   * It receives nothing more, except an event that is being sent at the moment. Idempotent: succeeds if the account has no webhook with this id.
   */
  deleteWebhook: { method: "DELETE", path: "/webhooks/{webhook_id}", takes: "nothing", takesIfMatch: false, status: 204, hasEtag: false, isPublic: false },
  /**
   * Send a webhook an event of the type `webhook.test`.
   *
   * Once, even if the webhook is off. The outcome does not affect the webhook: a failure is not retried, and does not count toward switching it off.
   */
  testWebhook: { method: "POST", path: "/webhooks/{webhook_id}/test", takes: "nothing", takesIfMatch: false, status: 200, hasEtag: false, isPublic: false },
  /**
   * List the account's keys, newest first.
   *
   * All of them, expired ones too, without pages: an account has few.
   */
  listApiKeys: { method: "GET", path: "/keys", takes: "nothing", takesIfMatch: false, status: 200, hasEtag: false, isPublic: false },
  /**
   * Create a key for a program, such as a password manager.
   *
   * The secret is in this response only. Programs use it at `keys_url` of `GET /service`, within its scopes. Repeating the request creates another key.
   */
  createApiKey: { method: "POST", path: "/keys", takes: "body", takesIfMatch: false, status: 201, hasEtag: false, isPublic: false },
  /**
   * Revoke a key.
   *
   * It is refused everywhere within 10 seconds. Idempotent: succeeds if the account has no key with this id.
   */
  deleteApiKey: { method: "DELETE", path: "/keys/{key_id}", takes: "nothing", takesIfMatch: false, status: 204, hasEtag: false, isPublic: false },
  /**
   * Get what this service offers: alias domains, webhooks and limits.
   *
   * As it is configured: it changes only when the service is restarted.
   */
  getService: { method: "GET", path: "/service", takes: "nothing", takesIfMatch: false, status: 200, hasEtag: false, isPublic: false },
  /**
   * Whether the service can read and write its store.
   *
   * For load balancers and monitoring. It is not limited, and responds within a second.
   */
  health: { method: "GET", path: "/health", takes: "nothing", takesIfMatch: false, status: 200, hasEtag: false, isPublic: true },
} as const;
