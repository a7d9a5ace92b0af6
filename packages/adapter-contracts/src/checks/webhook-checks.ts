import {
  type AccountId,
  MAX_WEBHOOK_URL_LENGTH,
  MAX_WEBHOOKS,
  parseAccountId,
  type Store,
  type Webhook,
} from "@postern/core";
import { parseWebhook } from "@postern/core/store";
import { KEY_LIKE_IDS, valueOf } from "@postern/core/testing";
import { type Check, checkOf } from "../check.ts";
import { expectEqual, expectMatch, expectSameItems, isEqual } from "../expect.ts";
import {
  announcedTo,
  announceNew,
  beginTurns,
  CONFLICT,
  changedWebhook,
  NOW,
  newAccount,
  newWebhook,
  newWebhookId,
  storeRecipient,
  storeWebhook,
} from "../samples.ts";
import { tryToChange } from "../try-to-change.ts";
import { accountsOf, walk } from "../walk.ts";

const check = checkOf("webhooks");

const TOO_MANY = { error: { code: "too_many_webhooks", limit: MAX_WEBHOOKS } };

/** Throws unless the account has exactly these webhooks, in any order. */
const expectWebhooks = async (
  store: Store,
  account: AccountId,
  webhooks: readonly Webhook[],
): Promise<void> => expectSameItems(valueOf(await store.webhooks.list(account)), webhooks);

/** Two webhooks that differ in every field, so that no default value fits both. */
const twoWebhooks = (): readonly [Webhook, Webhook] => [
  valueOf(
    parseWebhook({
      id: newWebhookId(),
      account: newAccount(),
      url: "https://one.example/",
      events: ["alias.created", "alias.updated", "alias.deleted", "message.blocked", "message.failed"],
      secret: `whsec_${"a".repeat(42)}A=`,
      off: null,
      createdAt: 0,
      updatedAt: 0,
      version: 1,
    }),
  ),
  valueOf(
    parseWebhook({
      id: newWebhookId(),
      account: newAccount(),
      url: "https://two.example:8443/X".padEnd(MAX_WEBHOOK_URL_LENGTH, "x"),
      events: ["message.queued"],
      secret: `whsec_${"Z+/9".repeat(10)}00w=`,
      off: "failing",
      createdAt: NOW + 1,
      updatedAt: NOW + 2,
      version: 7,
    }),
  ),
];

export const webhookChecks: readonly Check[] = [
  check("every field of a webhook is read back", async (store) => {
    const samples = twoWebhooks();
    const [one, two] = samples.map((webhook) => new Map<string, unknown>(Object.entries(webhook)));
    for (const [field, value] of one ?? []) {
      if (isEqual(value, two?.get(field))) throw new Error(`the samples have the same ${field}`);
    }
    for (const webhook of samples) {
      valueOf(await store.webhooks.create(webhook));
      await expectWebhooks(store, webhook.account, [webhook]);
    }
  }),

  check("saving a webhook replaces its settings and nothing else", async (store) => {
    const [before, other] = twoWebhooks();
    const bystander = await storeWebhook(store, before.account);
    valueOf(await store.webhooks.create(before));
    for (const off of ["owner", "gone", "failing", null] as const) {
      const [stored] = valueOf(await store.webhooks.list(before.account)).filter(
        ({ id }) => id === before.id,
      );
      if (stored === undefined) throw new Error("the webhook is gone");
      const { url, events, updatedAt } = other;
      const settings = { url, events, off, updatedAt, version: stored.version + 1 };
      valueOf(
        await store.webhooks.save(stored, { ...other, id: before.id, account: before.account, ...settings }),
      );
      await expectWebhooks(store, before.account, [{ ...before, ...settings }, bystander]);
    }
  }),

  check("a webhook is saved only at the stored version", async (store) => {
    const first = await storeWebhook(store, newAccount());
    const second = changedWebhook(first, { off: "owner" });
    valueOf(await store.webhooks.save(first, second));
    const third = changedWebhook(second, { off: null });
    const elsewhere = newAccount();
    const expectConflict = async (before: Webhook, stored: readonly Webhook[]) => {
      expectMatch(await store.webhooks.save(before, changedWebhook(before, { off: "gone" })), CONFLICT);
      await expectWebhooks(store, first.account, stored);
      await expectWebhooks(store, elsewhere, []);
    };
    await expectConflict(first, [second]);
    await expectConflict(third, [second]);
    await expectConflict(newWebhook(first.account), [second]);
    await expectConflict({ ...second, account: elsewhere }, [second]);
    valueOf(await store.webhooks.save(second, third));
    await expectWebhooks(store, first.account, [third]);
    valueOf(await store.webhooks.remove(first.account, first.id));
    await expectConflict(third, []);
  }),

  check("an account has as many webhooks as it can have, and no more", async (store) => {
    const [account, other] = [newAccount(), newAccount()];
    const webhooks: Webhook[] = [];
    while (webhooks.length < MAX_WEBHOOKS) webhooks.push(await storeWebhook(store, account));
    for (let times = 0; times < 2; times += 1) {
      expectMatch(await store.webhooks.create(newWebhook(account)), TOO_MANY);
      await expectWebhooks(store, account, webhooks);
    }
    const elsewhere = await storeWebhook(store, other);
    const [removed, ...kept] = webhooks;
    if (removed === undefined) throw new Error("there are no webhooks");
    // Removing one that is already gone makes no more room.
    for (let times = 0; times < 2; times += 1) {
      valueOf(await store.webhooks.remove(account, removed.id));
      await expectWebhooks(store, account, kept);
    }
    kept.push(await storeWebhook(store, account, { id: removed.id }));
    expectMatch(await store.webhooks.create(newWebhook(account)), TOO_MANY);
    await expectWebhooks(store, account, kept);
    await expectWebhooks(store, other, [elsewhere]);
  }),

  check("an id belongs to one webhook of the account", async (store) => {
    const webhook = await storeWebhook(store, newAccount());
    const others = [newWebhook(webhook.account, { id: webhook.id }), webhook];
    for (const other of others) {
      expectMatch(await store.webhooks.create(other), CONFLICT);
      await expectWebhooks(store, webhook.account, [webhook]);
    }
    // Webhooks that were not created take up no room.
    const stored = [webhook];
    while (stored.length < MAX_WEBHOOKS) stored.push(await storeWebhook(store, webhook.account));
    await expectWebhooks(store, webhook.account, stored);
  }),

  check("each account has webhooks of its own, with any ids", async (store) => {
    const accounts = [...KEY_LIKE_IDS.map((id) => valueOf(parseAccountId(id))), newAccount(), newAccount()];
    const id = newWebhookId();
    const stored = new Map<AccountId, Webhook>();
    const expectStored = async () => {
      for (const account of accounts) {
        const webhook = stored.get(account);
        await expectWebhooks(store, account, webhook === undefined ? [] : [webhook]);
      }
    };
    for (const account of accounts) stored.set(account, await storeWebhook(store, account, { id }));
    await expectStored();
    for (const [n, account] of accounts.entries()) {
      const webhook = stored.get(account);
      if (webhook === undefined) continue;
      if (n % 3 === 0) {
        valueOf(await store.webhooks.remove(account, id));
        stored.delete(account);
      } else if (n % 3 === 1) {
        const after = changedWebhook(webhook, { off: "owner" });
        valueOf(await store.webhooks.save(webhook, after));
        stored.set(account, after);
      }
    }
    await expectStored();
  }),

  check("webhooks are not shared with callers", async (store) => {
    const webhook = newWebhook(newAccount());
    const given = structuredClone(webhook);
    valueOf(await store.webhooks.create(given));
    tryToChange(given);
    tryToChange(valueOf(await store.webhooks.list(webhook.account)));
    await expectWebhooks(store, webhook.account, [webhook]);
    const after = changedWebhook(webhook, { off: "owner" });
    const saved = structuredClone(after);
    valueOf(await store.webhooks.save(structuredClone(webhook), saved));
    tryToChange(saved);
    await expectWebhooks(store, webhook.account, [after]);
  }),

  check("what is announced to a webhook stays when it is removed, and so do its turns", async (store) => {
    const webhook = await storeWebhook(store, newAccount());
    const announcement = await announceNew(store, webhook);
    valueOf(await store.webhooks.remove(webhook.account, webhook.id));
    expectEqual(await announcedTo(store, webhook), [announcement]);
    const turns = await beginTurns(store, NOW);
    expectEqual(
      turns.map(({ id }) => id),
      [webhook.id],
    );
  }),

  checkOf("webhooks", "accounts")(
    "accounts lists an account that has only webhooks, until it has none",
    async (store) => {
      const [account, other] = [newAccount(), newAccount()];
      await storeRecipient(store, other);
      await storeWebhook(store, other);
      const stored = [await storeWebhook(store, account), await storeWebhook(store, account)];
      for (const { id } of stored) {
        for (const limit of [1, 100]) expectSameItems(await walk(accountsOf(store), limit), [account, other]);
        valueOf(await store.webhooks.remove(account, id));
      }
      expectEqual(await walk(accountsOf(store)), [other]);
      // The account can start over.
      const { id } = await storeWebhook(store, account);
      expectSameItems(await walk(accountsOf(store)), [account, other]);
      valueOf(await store.webhooks.remove(account, id));
      expectEqual(await walk(accountsOf(store)), [other]);
    },
  ),
];
