import { setImmediate } from "node:timers/promises";
import { type Alias, EmailAddress, err, ok, type Recipient } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { answering, before, finding } from "../faults.ts";
import { PACES } from "../plain-store/facts.ts";
import { plainStore } from "../plain-store/index.ts";
import { keyOf, storedAlias } from "../stored.ts";
import { type Broken, flaw, saying } from "./broken.ts";

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

/** Remembers values for a few turns. */
const lagging = <T>() => {
  const values = new Map<string, T>();
  return {
    get: (key: string): T | undefined => values.get(key),
    set: (key: string, value: T): void => {
      values.set(key, value);
      void turns(6).then(() => values.get(key) === value && values.delete(key));
    },
  };
};

export const brokenHistories: readonly Broken[] = saying("No order of these calls explains their outputs", [
  ...FACTS.map(
    (fact): Broken => ({
      flaw: `${fact} is read 3 turns too early, which shows in histories`,
      noticedBy: [HISTORIES],
      open: () => plainStore({ early: fact, pace: PACES["3 turns"] }),
    }),
  ),
  flaw("an alias is found by its address as it was some turns ago", [HISTORIES], (store) => {
    const old = lagging<Alias>();
    return {
      "aliases.save": before(async (from) => {
        const stored = await storedAlias(store, from);
        if (stored !== null) old.set(EmailAddress.key(stored.email), stored);
      }),
      "aliases.findByEmail": answering((alias, email) => old.get(EmailAddress.key(email)) ?? alias),
    };
  }),
  flaw(
    "a recipient shows some turns late that it was attached or detached",
    [HISTORIES],
    ({ recipients }) => {
      const old = lagging<Recipient>();
      return {
        "aliases.save": before(async (from, to) => {
          const ids = [...from.destinations, ...to.destinations].map(({ recipientId }) => recipientId);
          for (const each of valueOf(await recipients.findAll(from.account, ids))) old.set(keyOf(each), each);
        }),
        "recipients.find": finding((found) => old.get(keyOf(found)) ?? found),
      };
    },
  ),
  flaw("a save that fails can be seen for a moment", [HISTORIES], () => {
    let saves = 0;
    return {
      "aliases.save": async (save, from, to) => {
        const saved = await save(from, to);
        saves += 1;
        if (saved.isErr() || saves % 3 > 0) return saved;
        await turns(3);
        const undone = await save(to, from);
        return undone.isOk() ? err({ code: "conflict" }) : saved;
      },
    };
  }),
  flaw("an alias is erased some turns before its recipients are detached", [HISTORIES], (store, seen) => ({
    "aliases.erase": async (erase, alias) => {
      if ((await storedAlias(store, alias))?.version !== alias.version) return err({ code: "conflict" });
      seen.add(keyOf(alias));
      await turns(3);
      const erased = await erase(alias);
      seen.delete(keyOf(alias));
      return erased;
    },
    "aliases.findWithRecipients": answering(({ alias, recipients }, account, id) => ({
      alias: seen.has(keyOf({ account, id })) ? null : alias,
      recipients,
    })),
  })),
  flaw("a save applies its difference to whatever is stored", [HISTORIES], (store) => ({
    "aliases.save": async (save, from, to) => {
      const stored = await storedAlias(store, from);
      if (stored === null) return err({ code: "conflict" });
      const kept = stored.destinations.filter(
        ({ recipientId }) => !from.destinations.some((each) => each.recipientId === recipientId),
      );
      const [first, ...rest] = [...to.destinations, ...kept];
      if (first === undefined) return ok();
      return save(stored, { ...to, destinations: [first, ...rest], version: stored.version + 1 });
    },
  })),
]);
