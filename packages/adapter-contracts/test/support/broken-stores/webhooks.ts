import {
  type AccountId,
  EVENT_TYPES,
  isNonEmpty,
  MAX_WEBHOOKS,
  parseAccountId,
  type Webhook,
} from "@postern/core";
import { parseWebhook } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { countingWebhooks } from "../counting-webhooks.ts";
import {
  after,
  answering,
  before,
  changingFirst,
  changingSecond,
  denying,
  failingIf,
  firstOf,
  ignoring,
  ignoringIf,
  isNew,
} from "../faults.ts";
import { plainStore } from "../plain-store/index.ts";
import { RIGHT, type WebhookRules } from "../plain-store/webhooks.ts";
import { ALL, keyOf } from "../stored.ts";
import { type Broken, type Fault, flaw, flawOf, flawsBy } from "./broken.ts";

const FIELDS = "every field of a webhook is read back";
const SETTINGS = "saving a webhook replaces its settings and nothing else";
const VERSION = "a webhook is saved only at the stored version";
const LIMIT = "an account has as many webhooks as it can have, and no more";
const ID = "an id belongs to one webhook of the account";
const ACCOUNTS = "each account has webhooks of its own, with any ids";
const LENT = "webhooks are not shared with callers";
const STAYS = "what is announced to a webhook stays when it is removed, and so do its turns";
const LISTED = "accounts lists an account that has only webhooks, until it has none";
const MODEL = "after every step of a random sequence of operations, the store matches a plain model";
const LAST_PLACE = "two creations race for the last place of a webhook: exactly one succeeds";
const SAME_ID = "creating two webhooks with the same id at once: exactly one succeeds";
const SAVES = "two saves of a webhook at once: exactly one succeeds";
const SAVE_REMOVE = "saving a webhook races with removing it: it is gone";
const SAVE_CREATE = "saving a webhook races with creating another one: both take effect";
const CREATE_REMOVE = "creating a webhook races with removing another one: both take effect";

/** The checks that notice if new webhooks are not read back as they are. */
const NEW = [SETTINGS, LIMIT, ID, ACCOUNTS, LENT, LAST_PLACE, SAME_ID, SAVE_CREATE, CREATE_REMOVE];
/** The checks that notice if some settings are not saved. */
const SAVED = [SETTINGS, VERSION, ACCOUNTS, LENT, SAVES, SAVE_CREATE, MODEL];

/** A new webhook is not stored as it is. */
const created = flawsBy((change: (webhook: Webhook) => Webhook) => ({
  "webhooks.create": changingFirst(change),
}));

/** A field is not saved. */
const saved = flawsBy(
  (field: keyof Webhook): Fault => ({
    "webhooks.save": changingSecond((to, from) => ({ ...to, [field]: from[field] })),
  }),
);

const withUrl = (webhook: Webhook, url: string): Webhook => ({
  ...webhook,
  url: valueOf(parseWebhook({ ...webhook, url })).url,
});

/** All accounts with the same `fold` are one. */
const folding = flawsBy((fold: (account: AccountId) => string): Fault => {
  const folded = (account: AccountId) => valueOf(parseAccountId(fold(account)));
  const owned = (webhook: Webhook): Webhook => ({ ...webhook, account: folded(webhook.account) });
  return {
    "webhooks.create": changingFirst(owned),
    "webhooks.list": async (list, account) =>
      (await list(folded(account))).map((all) => all.map((webhook) => ({ ...webhook, account }))),
    "webhooks.save": (save, from, to) => save(owned(from), owned(to)),
    "webhooks.remove": changingFirst(folded),
  };
});

const plain = flawOf((webhooks?: Partial<WebhookRules>) => plainStore({ webhooks }));
const counting = flawOf(countingWebhooks);

export const brokenWebhooks: readonly Broken[] = [
  created("the URL of a webhook is cut after 255 characters", [FIELDS], (webhook) =>
    withUrl(webhook, webhook.url.slice(0, 255)),
  ),
  created("the URL of a webhook is stored in lower case", [FIELDS, ...NEW], (webhook) =>
    withUrl(webhook, webhook.url.toLowerCase()),
  ),
  created("new webhooks receive every event", [FIELDS, ...NEW, MODEL], (webhook) => ({
    ...webhook,
    events: EVENT_TYPES,
  })),
  created("the events of a webhook are sorted by name", [FIELDS], (webhook) => {
    const sorted = webhook.events.toSorted();
    return isNonEmpty(sorted) ? { ...webhook, events: sorted } : webhook;
  }),
  plain("it is not stored why a webhook is off", [FIELDS, SETTINGS, SAVES, SAVE_CREATE], {
    copyOf: (webhook) => ({ ...structuredClone(webhook), off: webhook.off === null ? null : "owner" }),
  }),
  created("new webhooks are on", [FIELDS], (webhook) => ({ ...webhook, off: null })),
  created("new webhooks have version 1, whatever their version", [FIELDS], (webhook) => ({
    ...webhook,
    version: 1,
  })),
  created("new webhooks were changed when they were created, whatever is said", [FIELDS], (webhook) => ({
    ...webhook,
    updatedAt: webhook.createdAt,
  })),
  saved("the URL of a webhook is not saved", [SETTINGS, MODEL], "url"),
  saved("the events of a webhook are not saved", [SETTINGS, MODEL], "events"),
  saved("it is not saved that a webhook is off", SAVED, "off"),
  saved("it is not saved when a webhook was changed", SAVED, "updatedAt"),
  saved("the version of a webhook is not saved", SAVED, "version"),
  plain("a save replaces the secret of a webhook", [SETTINGS], {
    saved: (stored, to) => ({ ...RIGHT.saved(stored, to), secret: to.secret }),
  }),
  plain("a save replaces the time at which a webhook was created", [SETTINGS], {
    saved: (stored, to) => ({ ...RIGHT.saved(stored, to), createdAt: to.createdAt }),
  }),
  flaw("a save changes all webhooks of the account", [SETTINGS, SAVE_CREATE], ({ webhooks }) => ({
    "webhooks.save": after(async ({ account, id }, to) => {
      const others = valueOf(await webhooks.list(account)).filter((each) => each.id !== id);
      for (const each of others) await webhooks.save(each, { ...to, version: each.version + 1 });
    }),
  })),
  plain("a webhook is saved at any version", [VERSION, SAVES], {
    isCurrent: (stored) => stored !== undefined,
  }),
  plain("a webhook is saved over an earlier version", [VERSION], {
    isCurrent: (stored, version) => stored !== undefined && stored <= version,
  }),
  plain("saving a webhook that does not exist creates it", [VERSION, SAVE_REMOVE], {
    isCurrent: (stored, version) => stored === undefined || stored === version,
  }),
  plain("an account can have one webhook too many", [LIMIT, LAST_PLACE], { limit: MAX_WEBHOOKS + 1 }),
  plain("an account can have one webhook too few", [LIMIT, ID, LAST_PLACE], { limit: MAX_WEBHOOKS - 1 }),
  counting("a removed webhook still counts", [LIMIT], { removed: 0 }),
  counting("removing a webhook that is gone makes room for another one", [LIMIT], { "gone already": -1 }),
  counting("a webhook counts even if there was no room for it", [LIMIT], { refused: 1 }),
  counting("a webhook counts even if its id was in use", [ID], { "id in use": 1 }),
  counting(
    "the webhooks of all accounts are counted together",
    [LIMIT, ACCOUNTS, LAST_PLACE, SAME_ID, SAVES, SAVE_CREATE, CREATE_REMOVE],
    { counterOf: () => "all" },
  ),
  flaw("a webhook replaces another one with its id", [ID, SAME_ID], ({ webhooks }) => ({
    "webhooks.create": async (create, webhook, creation) => {
      const first = await create(webhook, creation);
      if (first.isOk() || first.error.code !== "conflict") return first;
      await webhooks.remove(webhook.account, webhook.id);
      return create(webhook, creation);
    },
  })),
  flaw("a webhook whose id is in use is not stored, but no conflict is returned", [ID, SAME_ID], {
    "webhooks.create": denying("conflict"),
  }),
  flaw("the same webhook can be created twice", [ID], ({ webhooks }) => ({
    "webhooks.create": ignoringIf(async ({ account, id, secret }) =>
      valueOf(await webhooks.list(account)).some((each) => each.id === id && each.secret === secret),
    ),
  })),
  flaw("the id of a removed webhook stays in use", [LIMIT], (_, seen) => ({
    "webhooks.create": failingIf({ code: "conflict" }, (webhook) => !isNew(seen, keyOf(webhook))),
  })),
  flaw("an id is that of one webhook of all accounts", [VERSION, ACCOUNTS, MODEL], () => {
    const owners = new Map<string, AccountId>();
    return {
      "webhooks.create": failingIf(
        { code: "conflict" },
        ({ id, account }) => firstOf(owners, id, account) !== account,
      ),
      "webhooks.save": changingFirst((from) => ({ ...from, account: owners.get(from.id) ?? from.account })),
      "webhooks.remove": changingFirst((account, id) => owners.get(id) ?? account),
    };
  }),
  folding("accounts whose ids look alike share their webhooks", [ACCOUNTS], (account) =>
    account.normalize("NFC"),
  ),
  folding("account ids are compared without case", [ACCOUNTS], (account) => account.toLowerCase()),
  flaw("a webhook is removed by its id alone", [ACCOUNTS], ({ webhooks }) => {
    const accounts = new Set<AccountId>();
    return {
      "webhooks.create": before(({ account }) => accounts.add(account)),
      "webhooks.remove": before(async (_account, id) => {
        for (const account of accounts) await webhooks.remove(account, id);
      }),
    };
  }),
  flaw("a removed webhook stays", [VERSION, LIMIT, ACCOUNTS, LISTED, SAVE_REMOVE, CREATE_REMOVE, MODEL], {
    "webhooks.remove": ignoring,
  }),
  flaw("removing a webhook removes all of the account", [LIMIT, LISTED, CREATE_REMOVE], ({ webhooks }) => ({
    "webhooks.remove": before(async (account) => {
      for (const { id } of valueOf(await webhooks.list(account))) await webhooks.remove(account, id);
    }),
  })),
  flaw("removing a webhook that is gone fails", [LIMIT], ({ webhooks }) => ({
    "webhooks.remove": failingIf(
      { code: "unavailable" },
      async (account, id) => !valueOf(await webhooks.list(account)).some((each) => each.id === id),
    ),
  })),
  flaw("four webhooks are listed, at most", [LIMIT, ID, LAST_PLACE], {
    "webhooks.list": answering((all) => all.slice(0, 4)),
  }),
  plain("webhooks are shared with the caller", [LENT], { copyOf: (webhook) => webhook }),
  plain("the events of webhooks are shared with the caller", [LENT], {
    copyOf: (webhook) => ({ ...webhook }),
  }),
  flaw("what is announced to a webhook is removed with it", [STAYS], ({ outbox }) => ({
    "webhooks.remove": before(async (account, id) => {
      const { items } = valueOf(await outbox.list({ account, id }, ALL));
      if (isNonEmpty(items)) await outbox.remove(items);
    }),
  })),
  flaw("a removed webhook gets no turns", [STAYS], (_, seen) => ({
    "webhooks.remove": before((_account, id) => seen.add(id)),
    "outbox.begin": answering((begun) => begun.filter(({ id }) => !seen.has(id))),
  })),
  plain("an account that has only webhooks is not listed", [LISTED], { isListed: () => false }),
  plain("an account that had webhooks stays listed", [LISTED], { isListed: () => true }),
  plain("an account that has one webhook is not listed", [LISTED], { isListed: (left) => left > 1 }),
];
