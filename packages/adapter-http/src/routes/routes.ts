import type { AnyPostern } from "@postern/core";
import { createAliasRoute } from "./aliases/create-alias.ts";
import { deleteAliasRoute } from "./aliases/delete-alias.ts";
import { getAliasRoute } from "./aliases/get-alias.ts";
import { getAliasRecipientsRoute } from "./aliases/get-alias-recipients.ts";
import { getAliasRulesRoute } from "./aliases/get-alias-rules.ts";
import { getAliasWebsiteRoute } from "./aliases/get-alias-website.ts";
import { listAliasesRoute } from "./aliases/list-aliases.ts";
import { replaceRecipientsRoute } from "./aliases/replace-recipients.ts";
import { restoreAliasRoute } from "./aliases/restore-alias.ts";
import { updateAliasRoute } from "./aliases/update-alias.ts";
import { updateAliasRulesRoute } from "./aliases/update-alias-rules.ts";
import { updateAliasWebsiteRoute } from "./aliases/update-alias-website.ts";
import { createApiKeyRoute } from "./api-keys/create-api-key.ts";
import { deleteApiKeyRoute } from "./api-keys/delete-api-key.ts";
import { listApiKeysRoute } from "./api-keys/list-api-keys.ts";
import { blockSenderRoute } from "./blocked-senders/block-sender.ts";
import { listBlockedSendersRoute } from "./blocked-senders/list-blocked-senders.ts";
import { unblockSenderRoute } from "./blocked-senders/unblock-sender.ts";
import { createContactRoute } from "./contacts/create-contact.ts";
import { getContactRoute } from "./contacts/get-contact.ts";
import { listContactsRoute } from "./contacts/list-contacts.ts";
import { updateContactRoute } from "./contacts/update-contact.ts";
import { healthRoute } from "./health.ts";
import { getMessageRoute } from "./messages/get-message.ts";
import { listMessagesRoute } from "./messages/list-messages.ts";
import { resendMessageRoute } from "./messages/resend-message.ts";
import { addRecipientRoute } from "./recipients/add-recipient.ts";
import { deleteRecipientRoute } from "./recipients/delete-recipient.ts";
import { getRecipientRoute } from "./recipients/get-recipient.ts";
import { listRecipientsRoute } from "./recipients/list-recipients.ts";
import { reassignRecipientRoute } from "./recipients/reassign-recipient.ts";
import { resendVerificationRoute } from "./recipients/resend-verification.ts";
import { updateRecipientRoute } from "./recipients/update-recipient.ts";
import { verifyRecipientRoute } from "./recipients/verify-recipient.ts";
import type { Route, ServedRoute } from "./route.ts";
import { serviceRoute } from "./service.ts";
import { createWebhookRoute } from "./webhooks/create-webhook.ts";
import { deleteWebhookRoute } from "./webhooks/delete-webhook.ts";
import { getWebhookRoute } from "./webhooks/get-webhook.ts";
import { listWebhooksRoute } from "./webhooks/list-webhooks.ts";
import { testWebhookRoute } from "./webhooks/test-webhook.ts";
import { updateWebhookRoute } from "./webhooks/update-webhook.ts";

/** Every route, in the order of the OpenAPI document. */
export const ROUTES: readonly Route[] = [
  replaceRecipientsRoute,
  getAliasRecipientsRoute,
  listAliasesRoute,
  createAliasRoute,
  getAliasRoute,
  updateAliasRoute,
  deleteAliasRoute,
  restoreAliasRoute,
  getAliasRulesRoute,
  updateAliasRulesRoute,
  getAliasWebsiteRoute,
  updateAliasWebsiteRoute,
  listContactsRoute,
  createContactRoute,
  getContactRoute,
  updateContactRoute,
  listMessagesRoute,
  getMessageRoute,
  resendMessageRoute,
  listBlockedSendersRoute,
  blockSenderRoute,
  unblockSenderRoute,
  listRecipientsRoute,
  addRecipientRoute,
  verifyRecipientRoute,
  getRecipientRoute,
  updateRecipientRoute,
  deleteRecipientRoute,
  resendVerificationRoute,
  reassignRecipientRoute,
  listWebhooksRoute,
  createWebhookRoute,
  getWebhookRoute,
  updateWebhookRoute,
  deleteWebhookRoute,
  testWebhookRoute,
  listApiKeysRoute,
  createApiKeyRoute,
  deleteApiKeyRoute,
  serviceRoute,
  healthRoute,
];

/** The routes of a service: those of the operations that it has. */
export const routesOf = (postern: AnyPostern): readonly ServedRoute[] =>
  ROUTES.flatMap(({ serve, ...description }) => {
    const handler = serve(postern);
    return handler === null ? [] : [{ ...description, handler }];
  });

/** Every route is reachable with and without the version prefix, `/v1`. */
export const PREFIXES = ["", "/v1"] as const;
