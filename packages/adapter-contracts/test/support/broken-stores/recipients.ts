import { ok, type Recipient } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import {
  answering,
  before,
  changingFirst,
  denying,
  failingIf,
  finding,
  ignoringIf,
  isNew,
} from "../faults.ts";
import { keyOf, recipientsOf } from "../stored.ts";
import { type Broken, flaw } from "./broken.ts";

const UNKNOWN = "find returns null for an unknown recipient";
const FOUND = "findAll returns each recipient that exists, once";
const ID = "a recipient id is unique within its account";
const OLDER = "saving a recipient from an older version, or one that was never created, changes nothing";
const ATTACHED = "a recipient stays verified and active while it is attached to an alias";
const UNCHANGED = "attaching and detaching a recipient leaves its version and times unchanged";
const REMOVED = "a removed recipient leaves nothing behind, and its address is free again";
const LENT = "a store shares no recipients with its callers";
const UNIQUE = "a recipient address is unique within its account only, in any case";
const STAYS = "a recipient that is attached, or has changed since it was read, is not removed";

const addressOf = ({ account, email }: Pick<Recipient, "account" | "email">): string =>
  JSON.stringify([account, email]);

export const brokenRecipients: readonly Broken[] = [
  flaw("an unknown id finds the newest recipient", [UNKNOWN], (store) => ({
    "recipients.find": answering(
      async (found, account) => found ?? (await recipientsOf(store, account))[0] ?? null,
    ),
  })),
  flaw("a recipient requested twice is returned twice", [FOUND], {
    "recipients.findAll": answering((found, _account, ids) =>
      ids.flatMap((wanted) => found.find(({ id }) => id === wanted) ?? []),
    ),
  }),
  flaw("recipient addresses are compared as they are written", [UNIQUE], (_, seen) => ({
    "recipients.create": denying("address_taken", (recipient) => isNew(seen, addressOf(recipient))),
  })),
  flaw("recipient addresses are unique across all accounts", [UNIQUE], (_, seen) => ({
    "recipients.create": failingIf(
      { code: "address_taken" },
      ({ email }) => !isNew(seen, email.toLowerCase()),
    ),
  })),
  flaw("creating a recipient with an id in use is ignored", [ID], ({ recipients }) => ({
    "recipients.create": ignoringIf(
      async ({ account, id }) => valueOf(await recipients.find(account, id)) !== null,
    ),
  })),
  flaw("saving a recipient checks no version", [OLDER], ({ recipients }) => ({
    "recipients.save": changingFirst(
      async (from) => valueOf(await recipients.find(from.account, from.id)) ?? from,
    ),
  })),
  flaw("a recipient is deactivated although it is attached", [ATTACHED], (_, seen) => ({
    "recipients.find": finding((found) => ({ ...found, active: found.active && !seen.has(found.id) })),
    "recipients.save": async (save, from, to) => {
      const saved = await save(from, to);
      if (saved.isOk() || to.active) return saved;
      seen.add(to.id);
      return ok();
    },
  })),
  flaw("attaching a recipient creates a new version of it", [UNCHANGED], {
    "recipients.find": finding((found) => ({ ...found, version: found.version + found.attached })),
  }),
  flaw("the address of a removed recipient stays taken", [REMOVED], (_, seen) => ({
    "recipients.create": failingIf({ code: "address_taken" }, (recipient) => seen.has(addressOf(recipient))),
    "recipients.remove": before((recipient) => seen.add(addressOf(recipient))),
  })),
  flaw("a recipient is removed although it is attached", [STAYS], (_, seen) => ({
    "recipients.find": finding((found) => (seen.has(found.id) ? null : found)),
    "recipients.remove": ignoringIf(({ id }) => seen.add(id).has(id)),
  })),
  flaw("removing a recipient checks no version", [STAYS], ({ recipients }) => ({
    "recipients.remove": changingFirst(
      async (recipient) => valueOf(await recipients.find(recipient.account, recipient.id)) ?? recipient,
    ),
  })),
  flaw("a recipient given by the caller is stored as it is", [LENT], () => {
    const given = new Map<string, Recipient>();
    return {
      "recipients.find": finding((found) => given.get(keyOf(found)) ?? found),
      "recipients.save": before((from, to) => given.set(keyOf(from), to)),
    };
  }),
];
