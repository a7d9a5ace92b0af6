import { Alias, type Recipient, type Store } from "@postern/core";
import type { Check } from "../check.ts";
import { expectEqual } from "../expect.ts";
import {
  changed,
  createAlias,
  deactivated,
  deleted,
  findAlias,
  findRecipient,
  newAlias,
  saveAlias,
  storeAlias,
  storeRecipient,
  withRecipients,
} from "../samples.ts";
import { type Rival, raceCheck, type Setting } from "./race.ts";

/* A recipient of a live alias exists and is active, even if it is attached and leaves at the same time. */

type Attaching = { readonly alias: Alias; readonly attach: Rival };

const waysToAttach: Record<string, (setting: Setting, target: Recipient) => Promise<Attaching>> = {
  "creating an alias with a recipient": async ({ store, account }, target) => {
    const alias = newAlias(account, [target]);
    return { alias, attach: () => createAlias(store, alias) };
  },
  "saving an alias with a recipient": async ({ store, account, home }, target) => {
    const alias = await storeAlias(store, account, [home]);
    return { alias, attach: () => store.aliases.save(alias, withRecipients(alias, [home, target])) };
  },
  "restoring an alias with a recipient": async ({ store, account }, target) => {
    const before = await storeAlias(store, account, [target]);
    const alias = await saveAlias(store, before, deleted(before));
    return { alias, attach: () => store.aliases.save(alias, changed(alias, { deletedAt: null })) };
  },
};

const waysToLeave: Record<string, (store: Store, target: Recipient) => Rival> = {
  "deactivating it": (store, target) => () => store.recipients.save(target, deactivated(target)),
  "removing it": (store, target) => () => store.recipients.remove(target),
};

export const attachmentRaces: readonly Check[] = Object.entries(waysToAttach).flatMap(
  ([attaching, prepare]) =>
    Object.entries(waysToLeave).map(([leaving, leave]) =>
      raceCheck(`${attaching} races with ${leaving}: at most one succeeds`, async (setting) => {
        const { store, account } = setting;
        const target = await storeRecipient(store, account);
        const { alias, attach } = await prepare(setting, target);
        return {
          rivals: [attach, leave(store, target)],
          verify: async ([attached, left]) => {
            if (attached && left) throw new Error("both calls succeeded");
            const found = await findAlias(store, alias);
            const recipient = await findRecipient(store, target);
            expectEqual(
              {
                "the alias has the recipient attached":
                  found !== null && Alias.attachedRecipients(found).includes(target.id),
                "the recipient is active": recipient?.active ?? false,
                "the recipient's count of aliases": recipient?.attached ?? 0,
              },
              {
                "the alias has the recipient attached": attached,
                "the recipient is active": !left,
                "the recipient's count of aliases": attached ? 1 : 0,
              },
            );
          },
        };
      }),
    ),
);
