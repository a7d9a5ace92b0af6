import { setImmediate } from "node:timers/promises";
import { memoryStore } from "@postern/adapter-memory";
import { type Alias, EmailAddress, err, ok, type Recipient } from "@postern/core";
import type { Aliases } from "@postern/core/store";
import { hastyStore, PACES } from "../hasty-store.ts";
import { aliases, type Broken, keyOf, storedAlias } from "./broken.ts";

const HISTORIES = "operations of several clients on several aliases take effect one after the other";

const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left -= 1) await setImmediate();
};

/** What writes depend on. Reading one of them too early lets two calls succeed that exclude each other. */
const FACTS = [
  "version in aliases.save",
  "eligibility in aliases.save",
  "eligibility in a restoring aliases.save",
  "counts in aliases.save",
  "address in aliases.create",
  "eligibility in aliases.create",
  "settings in aliases.recordOutcome",
  "version in aliases.erase",
  "attachment in recipients.save",
  "attachment in recipients.remove",
];

/** Reads that return what was stored a few turns ago, like those of a replica. */
const lagging =
  (port: "findByEmail" | "recipients.find"): Broken["open"] =>
  () => {
    const store = memoryStore();
    const { aliases: real, recipients } = store;
    if (port === "findByEmail") {
      const before = new Map<string, Alias>();
      const remember = async (alias: Pick<Alias, "account" | "id">): Promise<void> => {
        const stored = await storedAlias(real, alias);
        if (stored === null) return;
        const key = EmailAddress.key(stored.email);
        before.set(key, stored);
        void turns(6).then(() => before.get(key) === stored && before.delete(key));
      };
      return {
        ...store,
        aliases: {
          ...real,
          save: async (from, to, timeLeft) => {
            await remember(from);
            return real.save(from, to, timeLeft);
          },
          findByEmail: async (email, timeLeft) => {
            const found = await real.findByEmail(email, timeLeft);
            return found.map((alias) => before.get(EmailAddress.key(email)) ?? alias);
          },
        },
      };
    }
    const before = new Map<string, Recipient>();
    return {
      ...store,
      aliases: {
        ...real,
        save: async (from, to, timeLeft) => {
          const ids = [...from.destinations, ...to.destinations].map(({ recipientId }) => recipientId);
          const found = await recipients.findAll(from.account, ids);
          for (const recipient of found.isOk() ? found.value : []) before.set(keyOf(recipient), recipient);
          void turns(6).then(() => {
            for (const recipient of found.isOk() ? found.value : []) {
              if (before.get(keyOf(recipient)) === recipient) before.delete(keyOf(recipient));
            }
          });
          return real.save(from, to, timeLeft);
        },
      },
      recipients: {
        ...recipients,
        find: async (account, id, timeLeft) =>
          (await recipients.find(account, id, timeLeft)).map(
            (found) => found && (before.get(keyOf(found)) ?? found),
          ),
      },
    };
  };

/** A write that others can see for a moment before it fails. */
const dirty: Broken["open"] = aliases((real) => {
  let saves = 0;
  const save: Aliases["save"] = async (before, after, timeLeft) => {
    const saved = await real.save(before, after, timeLeft);
    saves += 1;
    if (saved.isErr() || saves % 3 > 0) return saved;
    await turns(3);
    const undone = await real.save(after, before);
    return undone.isOk() ? err({ code: "conflict" }) : saved;
  };
  return { save };
});

export const brokenHistories: readonly Broken[] = [
  ...FACTS.map(
    (fact): Broken => ({
      flaw: `${fact} is read 3 turns too early, which shows in histories`,
      noticedBy: [HISTORIES],
      says: "No order of these calls explains their outputs",
      open: () => hastyStore(fact, PACES["3 turns"]),
    }),
  ),
  {
    flaw: "an alias is found by its address as it was some turns ago",
    noticedBy: [HISTORIES],
    says: "No order of these calls explains their outputs",
    open: lagging("findByEmail"),
  },
  {
    flaw: "a recipient shows some turns late that it was attached or detached",
    noticedBy: [HISTORIES],
    says: "No order of these calls explains their outputs",
    open: lagging("recipients.find"),
  },
  {
    flaw: "a save that fails can be seen for a moment",
    noticedBy: [HISTORIES],
    says: "No order of these calls explains their outputs",
    open: dirty,
  },
  {
    flaw: "an alias is erased some turns before its recipients are detached",
    noticedBy: [HISTORIES],
    says: "No order of these calls explains their outputs",
    open: aliases((real) => {
      const hidden = new Set<string>();
      return {
        erase: async (alias, timeLeft) => {
          if ((await storedAlias(real, alias))?.version !== alias.version) return err({ code: "conflict" });
          hidden.add(keyOf(alias));
          await turns(3);
          const erased = await real.erase(alias, timeLeft);
          hidden.delete(keyOf(alias));
          return erased;
        },
        findWithRecipients: async (account, id, ids, timeLeft) => {
          const found = await real.findWithRecipients(account, id, ids, timeLeft);
          return hidden.has(keyOf({ account, id }))
            ? found.map(({ recipients }) => ({ alias: null, recipients }))
            : found;
        },
      };
    }),
  },
  {
    flaw: "a save applies its difference to whatever is stored",
    noticedBy: [HISTORIES],
    says: "No order of these calls explains their outputs",
    open: aliases((real) => ({
      save: async (before, after, timeLeft) => {
        const stored = await storedAlias(real, before);
        if (stored === null) return err({ code: "conflict" });
        const kept = stored.destinations.filter(
          ({ recipientId }) => !before.destinations.some((each) => each.recipientId === recipientId),
        );
        const [first, ...rest] = [...after.destinations, ...kept];
        if (first === undefined) return ok();
        return real.save(
          stored,
          { ...after, destinations: [first, ...rest], version: stored.version + 1 },
          timeLeft,
        );
      },
    })),
  },
];
