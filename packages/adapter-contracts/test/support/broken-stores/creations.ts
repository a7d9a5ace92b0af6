import { NO_LIMITS, ok } from "@postern/core";
import { parseCreation } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { after, answering } from "../faults.ts";
import { type CreationRules, RIGHT } from "../plain-store/creations.ts";
import { plainStore } from "../plain-store/index.ts";
import { type Broken, flaw, flawOf } from "./broken.ts";

const FIELDS = "every field of a creation is read back";
const ONCE = "an alias is created with a key once";
const NONE = "an alias that is not created leaves no creation";
const AGAIN = "a key can be used again after 24 hours, and not a millisecond earlier";
const EXPIRES = "a key can be used again once its creation expires, and not a millisecond earlier";
const ACCOUNTS = "each account has keys of its own, which differ by case";
const ERASED = "the creation of an alias stays when the alias is erased";
const FORGOTTEN = "creations of an account are forgotten, as many at a time as are asked for";
const LENT = "creations are not shared with callers";
const KINDS = "a key is for an alias or for a webhook, and creates one of them once";
const WEBHOOK = "a webhook that is not created leaves no creation, and one that is removed leaves its own";
const SAME_ADDRESS =
  "two aliases with the same address are created with the same key at once: exactly one succeeds";
const AT_ONCE =
  "two aliases with different addresses are created with the same key at once: exactly one succeeds";
const LATER =
  "two aliases are created at once with a key that was used 24 hours before: exactly one succeeds";
const WEBHOOKS = "two webhooks are created with the same key at once: exactly one succeeds";
const EITHER = "an alias and a webhook are created with the same key at once: exactly one succeeds";
const MODEL = "after every step of a random sequence of operations, the store matches a plain model";

const DAY = 24 * 60 * 60 * 1000;

const plain = flawOf((creations?: Partial<CreationRules>) => plainStore({ creations }));

export const brokenCreations: readonly Broken[] = [
  plain(
    "creations are not kept",
    [FIELDS, ONCE, AGAIN, EXPIRES, ACCOUNTS, ERASED, KINDS, WEBHOOK, AT_ONCE, MODEL],
    {
      isKept: () => false,
    },
  ),
  flaw(
    "creations are not found",
    [FIELDS, ONCE, NONE, AGAIN, EXPIRES, ACCOUNTS, FORGOTTEN, LENT, SAME_ADDRESS],
    {
      "creations.find": async () => ok(null),
    },
  ),
  plain("creations have another fingerprint", [FIELDS, ONCE, SAME_ADDRESS], {
    copyOf: (creation) => ({ ...structuredClone(creation), fingerprint: creation.key }),
  }),
  plain("creations are stored with their times in seconds", [FIELDS, ONCE], {
    copyOf: (creation) => ({ ...structuredClone(creation), at: Math.floor(creation.at / 1000) * 1000 }),
  }),
  plain("whatever was created was an alias", [KINDS], {
    copyOf: (creation) => valueOf(parseCreation({ ...creation, kind: "alias" })),
  }),
  plain(
    "what was created with a key is created again",
    [ONCE, AGAIN, EXPIRES, ERASED, KINDS, WEBHOOK, AT_ONCE, MODEL],
    {
      isRepeat: () => false,
    },
  ),
  flaw("an alias that repeats another one is stored, but refused", [ONCE, AT_ONCE, MODEL], ({ aliases }) => ({
    "aliases.create": async (create, alias, limits, creation) => {
      const created = await create(alias, limits, creation);
      if (created.isErr() && created.error.code === "already_created") await aliases.create(alias, NO_LIMITS);
      return created;
    },
  })),
  flaw(
    "a webhook that repeats something is stored, but refused",
    [KINDS, WEBHOOK, WEBHOOKS],
    ({ webhooks }) => ({
      "webhooks.create": async (create, webhook, creation) => {
        const created = await create(webhook, creation);
        if (created.isErr() && created.error.code === "already_created") await webhooks.create(webhook);
        return created;
      },
    }),
  ),
  plain("what is refused uses up its key", [NONE, WEBHOOK, MODEL], { isKept: () => true }),
  plain("keys are used up for good", [AGAIN, EXPIRES, KINDS, LATER], { isRepeat: () => true }),
  plain("keys can be used again a millisecond too early", [AGAIN, EXPIRES], {
    isRepeat: (stored, { at }) => stored.expiresAt > at + 1,
  }),
  plain("keys can be used again a millisecond too late", [AGAIN, EXPIRES, KINDS, LATER], {
    isRepeat: (stored, { at }) => stored.expiresAt >= at,
  }),
  plain("every creation expires after 24 hours", [EXPIRES], {
    isRepeat: (stored, { at }) => stored.at > at - DAY,
  }),
  plain("all accounts share their keys", [ACCOUNTS], { keyOf: ({ key }) => key }),
  plain("keys are compared without case", [ACCOUNTS], {
    keyOf: ({ account, key }) => JSON.stringify([account, key.toLowerCase()]),
  }),
  plain("accounts whose ids look alike share their keys", [ACCOUNTS], {
    keyOf: ({ account, key }) => JSON.stringify([account.normalize("NFC"), key]),
  }),
  plain("webhooks and aliases have keys of their own", [KINDS, EITHER], {
    isRepeat: (stored, creation) => stored.kind === creation.kind && RIGHT.isRepeat(stored, creation),
  }),
  flaw("creations are forgotten when an alias is erased", [ERASED, MODEL], ({ creations }) => ({
    "aliases.erase": after(({ account }) => creations.forget(account, 100)),
  })),
  flaw("creations are forgotten when a webhook is removed", [WEBHOOK, MODEL], ({ creations }) => ({
    "webhooks.remove": after((account) => creations.forget(account, 100)),
  })),
  plain("nothing is forgotten", [FORGOTTEN, MODEL], { forgotten: () => [] }),
  flaw("nothing is forgotten, but something else is said", [FORGOTTEN], {
    "creations.forget": async (_, _account, limit) => ok(limit),
  }),
  flaw("all creations of an account are forgotten at once", [FORGOTTEN], {
    "creations.forget": (forget, account) => forget(account, 1000),
  }),
  plain("the creations of all accounts are forgotten", [FORGOTTEN], {
    forgotten: (_account, limit, all) => all.slice(0, limit),
  }),
  flaw("one creation fewer is said to be forgotten", [FORGOTTEN], {
    "creations.forget": answering((forgotten) => Math.max(0, forgotten - 1)),
  }),
  plain("creations are shared with the caller", [LENT], { copyOf: (creation) => creation }),
];
