import { expect, test } from "vitest";
import { submit } from "../../server/test/support/submit.ts";
import { OPERATIONS } from "../src/generated/operations.ts";
import { throwing } from "../src/index.ts";
import { collected } from "./support/collected.ts";
import type { Arrived } from "./support/proxy.ts";
import { startService } from "./support/service.ts";

const { proxy, keysUrl, newAccount, mailPort, gone } = await startService();

/** The operations whose requests have arrived. */
const operationsOf = (requests: readonly Arrived[]): readonly string[] => {
  const arrived = new Set(requests.map(({ method, path }) => `${method} ${path.split("?")[0]}`));
  return Object.entries(OPERATIONS)
    .filter(([, { method, path }]) => {
      // As `/aliases/{alias_id}` would match others that have words there, they come without ids.
      const pattern = new RegExp(`^${method} /v1${path.replaceAll(/\{\w+\}/g, "(?!verify$)[^/]+")}$`);
      return [...arrived].some((request) => pattern.test(request));
    })
    .map(([id]) => id);
};

test("every operation works with the server, and every list lists what was made", async () => {
  const account = newAccount();
  const client = throwing(account.client);

  const { requests } = await proxy.during([], async () => {
    expect(await client.health()).toMatchObject({ data: { status: "ok" }, etag: null });
    expect((await client.getService()).data).toMatchObject({
      alias_domains: ["alias.example.com"],
      keys_url: keysUrl,
      limits: { webhooks: 5 },
    });
    const home = await account.newRecipient("home");
    const work = await account.newRecipient("work");
    const { data: later } = await client.addRecipient(account.addressOf("later"));
    // A mailbox gets one message a minute.
    expect(await account.client.resendVerification(later.recipient_id)).toMatchObject({
      ok: false,
      problem: { code: "rate_limited" },
      retryAfter: expect.any(Number),
    });
    expect((await client.getRecipient(home)).data).toMatchObject({ verified: true, active: true });
    expect((await client.listRecipients({ limit: 1 })).data).toMatchObject({
      recipients: [{ recipient_id: later.recipient_id }],
      next_cursor: expect.any(String),
    });
    expect(await collected(client.allRecipients({ limit: 1 }))).toMatchObject(
      [later.recipient_id, work, home].map((recipient_id) => ({ recipient_id })),
    );

    const {
      data: shop,
      etag,
      requestId,
    } = await client.createAlias({
      alias_email: "shop@alias.example.com",
      description: "Shops & more",
      recipient_ids: [home],
    });
    expect([etag, requestId]).toEqual(['"1"', expect.any(String)]);
    const { alias_id } = shop;
    const replaced = await client.replaceRecipients(alias_id, [work, home], { ifMatch: etag });
    expect(replaced).toMatchObject({
      etag: '"2"',
      data: { destination_emails: [account.addressOf("work"), account.addressOf("home")] },
    });
    expect(await account.client.replaceRecipients(alias_id, [home], { ifMatch: etag })).toMatchObject({
      ok: false,
      problem: { code: "precondition_failed" },
    });
    expect((await client.getAliasRecipients(alias_id)).data.recipients).toMatchObject([
      { recipient_id: work },
      { recipient_id: home },
    ]);
    expect((await client.getAlias(alias_id)).etag).toBe('"2"');
    await client.updateAlias(alias_id, { description: "Shops", active: undefined }, { ifMatch: '"2"' });
    await client.updateAliasRules(alias_id, { messages_left: 100 }, { ifMatch: '"3"' });
    expect(await client.getAliasRules(alias_id)).toMatchObject({ data: { messages_left: 100 }, etag: '"4"' });
    await client.updateAliasWebsite(alias_id, "shop.example");
    expect((await client.getAliasWebsite(alias_id)).data).toEqual({ website: "shop.example" });
    const { data: other } = await client.createAlias({ alias_format: "words", recipient_ids: [work] });
    expect((await client.listAliases({ q: "shop", active: true })).data.aliases).toMatchObject([
      { alias_id },
    ]);
    expect(await collected(client.allAliases({ limit: 1 }))).toMatchObject([
      { alias_id: other.alias_id },
      { alias_id },
    ]);

    const { data: contact, etag: added } = await client.createContact(alias_id, "bob@sender.test");
    await client.updateContact(alias_id, contact.contact_id, { blocking: "discard" }, { ifMatch: added });
    await client.updateContact(alias_id, contact.contact_id, { blocking: "none" });
    expect((await client.getContact(alias_id, contact.contact_id)).data.email).toBe("bob@sender.test");
    expect((await client.listContacts(alias_id)).data.contacts).toHaveLength(1);
    expect(await collected(client.allContacts(alias_id))).toMatchObject([{ email: "bob@sender.test" }]);
    expect((await client.listContacts(alias_id, { email: "Bob@sender.test" })).data.contacts).toHaveLength(1);
    expect((await client.listContacts(alias_id, { email: "eve@sender.test" })).data.contacts).toEqual([]);

    gone.add(account.addressOf("work"));
    const text = `From: bob@sender.test\r\nTo: ${shop.alias_email}\r\nSubject: Hello\r\n\r\nHow are you?`;
    await submit(mailPort, { from: "bob@sender.test", to: shop.alias_email, text });
    await expect
      .poll(() => collected(client.allMessages(alias_id, { limit: 1 })))
      .toMatchObject([
        {
          contact: { contact_id: contact.contact_id },
          recipients: [{ state: "bounced" }, { state: "sent" }],
        },
      ]);
    gone.clear();
    const [message] = (await client.listMessages(alias_id)).data.messages;
    const messageId = message?.message_id ?? "";
    expect((await client.resendMessage(alias_id, messageId)).data.message_id).toBe(messageId);
    expect((await client.getMessage(alias_id, messageId)).data.direction).toBe("received");

    const { data: blocked } = await client.blockSender("spam.example");
    expect((await client.listBlockedSenders()).data.blocked_senders).toEqual([blocked]);
    expect(await collected(client.allBlockedSenders())).toEqual([blocked]);
    expect(await client.unblockSender(blocked.blocked_sender_id)).toEqual({
      ok: true,
      data: undefined,
      etag: null,
      requestId: expect.any(String),
    });

    const { data: deleted } = await client.deleteAlias(alias_id);
    expect(deleted.datetime_deleted).toEqual(expect.any(Number));
    expect((await client.restoreAlias(alias_id)).data.destination_emails).toHaveLength(2);
    await client.deleteAlias(alias_id);
    await client.restoreAlias(alias_id, { recipient_ids: [work] });
    expect((await client.reassignAll(work, home)).data).toEqual({
      reassigned: expect.arrayContaining([alias_id, other.alias_id]),
      remaining: 0,
    });
    expect((await client.updateRecipient(home, { default: true })).data.datetime_default).toEqual(
      expect.any(Number),
    );
    expect((await client.updateRecipient(work, { active: false })).data.active).toBe(false);
    await client.deleteRecipient(work);
    expect(await account.client.getRecipient(work)).toMatchObject({
      problem: { code: "recipient_not_found" },
    });

    const { data: key } = await client.createApiKey({ name: "A program", scopes: ["aliases:create"] });
    expect(key.secret).toMatch(/^pk_/);
    expect((await client.listApiKeys()).data.keys).toMatchObject([
      { key_id: key.key_id, last_used_by: null },
    ]);
    await client.deleteApiKey(key.key_id);
    expect((await client.listApiKeys()).data.keys).toEqual([]);

    const url = "https://receiver.example/postern";
    const { data: webhook, etag: made } = await client.createWebhook({ url, events: ["alias.created"] });
    expect(webhook.secret).toMatch(/^whsec_/);
    await client.updateWebhook(webhook.webhook_id, { active: false }, { ifMatch: made });
    expect((await client.getWebhook(webhook.webhook_id)).data.off_reason).toBe("owner");
    expect((await client.listWebhooks()).data.webhooks).toHaveLength(1);
    expect((await client.testWebhook(webhook.webhook_id)).data.delivered).toBe(false);
    await client.deleteWebhook(webhook.webhook_id);
  });

  expect(operationsOf(requests).toSorted()).toEqual(Object.keys(OPERATIONS).toSorted());
});
