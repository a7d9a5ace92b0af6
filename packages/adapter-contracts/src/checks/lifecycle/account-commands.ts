import { valueOf } from "@postern/core/testing";
import { expectEqual, expectMatch } from "../../expect.ts";
import { expectApiKeys, expectWebhooks } from "./agreement.ts";
import { revoke } from "./api-key-commands.ts";
import { type Command, command } from "./command.ts";
import { accountOf, eraseFrom, UNKNOWN } from "./model.ts";

const MAX_ERASURES = 100;

export const eraseAccount = (owner: number): Command =>
  command(`erase account ${owner}`, async (model, { service }) => {
    const account = accountOf(model, owner);
    const aliases = model.aliases.filter((alias) => alias.account === account);
    const recipients = model.recipients.filter((recipient) => recipient.account === account);
    const blockedSenders = model.blockedSenders.filter((blocked) => blocked.account === account);
    const webhooks = model.webhooks.filter((webhook) => webhook.account === account);
    const apiKeys = model.apiKeys.filter((apiKey) => apiKey.account === account);
    const total = { aliases: 0, recipients: 0, blockedSenders: 0, webhooks: 0, apiKeys: 0, done: false };
    for (let calls = 0; !total.done && calls < MAX_ERASURES; calls += 1) {
      const erased = valueOf(await service.eraseAccount({ account }));
      total.aliases += erased.aliases;
      total.recipients += erased.recipients;
      total.blockedSenders += erased.blockedSenders;
      total.webhooks += erased.webhooks;
      total.apiKeys += erased.apiKeys;
      total.done = erased.done;
    }
    expectEqual(total, {
      aliases: aliases.length,
      recipients: recipients.length,
      blockedSenders: blockedSenders.length,
      webhooks: webhooks.length,
      apiKeys: apiKeys.length,
      done: true,
    });
    for (const alias of aliases) eraseFrom(model, alias);
    for (const recipient of recipients) model.recipients.splice(model.recipients.indexOf(recipient), 1);
    for (const blocked of blockedSenders)
      model.blockedSenders.splice(model.blockedSenders.indexOf(blocked), 1);
    for (const webhook of webhooks) model.webhooks.splice(model.webhooks.indexOf(webhook), 1);
    for (const apiKey of apiKeys) revoke(model, apiKey);
    const others = model.creations.filter((creation) => creation.account !== account);
    model.creations.splice(0, model.creations.length, ...others);
    await expectWebhooks(model, service);
    await expectApiKeys(model, service);
  });

/** Suspends the account, tries what it could do itself, which changes nothing, and resumes it. */
export const suspendForAWhile = (owner: number): Command =>
  command(`suspend account ${owner} for a while`, async (model, { service }) => {
    const account = accountOf(model, owner);
    const aliases = model.aliases.filter((alias) => alias.account === account);
    const aliasId = aliases[0]?.id ?? UNKNOWN;
    const recipientId = model.recipients.find((recipient) => recipient.account === account)?.id ?? UNKNOWN;
    const recipientIds = [recipientId];
    const email = "suspended@recipient.example";
    const contactId = "a".repeat(26);
    const webhookId = contactId;
    const position = "0".repeat(16) + contactId;
    valueOf(await service.suspendAccount({ account }));
    for (const refused of [
      await service.createAlias({ account, recipientIds }),
      await service.hasCreatedWith({ account, idempotencyKey: "key" }),
      await service.getAlias({ account, aliasId }),
      await service.listAliases({ account }),
      await service.replaceRecipients({ account, aliasId, recipientIds }),
      await service.updateAlias({ account, aliasId, active: false }),
      await service.deleteAlias({ account, aliasId }),
      await service.restoreAlias({ account, aliasId }),
      await service.createContact({ account, aliasId, email }),
      await service.getContact({ account, aliasId, contactId }),
      await service.listContacts({ account, aliasId }),
      await service.updateContact({ account, aliasId, contactId, blocking: "reject" }),
      await service.blockSender({ account, sender: email }),
      await service.unblockSender({ account, blockedSenderId: contactId }),
      await service.listBlockedSenders({ account }),
      await service.listMessages({ account, aliasId }),
      await service.getMessage({ account, aliasId, position }),
      await service.createWebhook({ account, url: "https://service.example/", events: ["alias.created"] }),
      await service.getWebhook({ account, webhookId }),
      await service.listWebhooks({ account }),
      await service.updateWebhook({ account, webhookId, active: false }),
      await service.deleteWebhook({ account, webhookId }),
      await service.testWebhook({ account, webhookId }),
      await service.createApiKey({ account, name: "key", scopes: ["aliases:read"] }),
      await service.listApiKeys({ account }),
      await service.deleteApiKey({ account, apiKeyId: contactId }),
      await service.addRecipient({ account, email }),
      await service.adoptRecipient({ account, email }),
      await service.resendVerification({ account, recipientId }),
      await service.getRecipient({ account, recipientId }),
      await service.listRecipients({ account }),
      await service.updateRecipient({ account, recipientId, active: false }),
      await service.deleteRecipient({ account, recipientId }),
      await service.reassignRecipient({ account, recipientId, to: "other" }),
    ]) {
      expectMatch(refused, { error: { code: "account_suspended" } });
    }
    for (const { id, email: address } of aliases) {
      const resolved = await service.resolveAlias({ address });
      expectMatch(resolved, { error: { code: "account_suspended", account, aliasId: id } });
    }
    valueOf(await service.resumeAccount({ account }));
  });

/** Erases the account while it is suspended, which also ends the suspension. */
export const eraseSuspended = (owner: number): Command => {
  const { run } = eraseAccount(owner);
  return command(`erase account ${owner} while it is suspended`, async (model, real) => {
    valueOf(await real.service.suspendAccount({ account: accountOf(model, owner) }));
    await run(model, real);
  });
};
