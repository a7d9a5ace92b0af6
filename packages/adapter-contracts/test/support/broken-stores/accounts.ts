import { type AccountId, ok, parseAliasId, type Recipient } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { before, changingFirst, firstOf, ignoringIf, listing } from "../faults.ts";
import { type Broken, flaw, listingByRecipients } from "./broken.ts";

const ONCE = "accounts lists each account that has stored data once";
const UNTIL_GONE = "accounts lists an account until its last alias and recipient are gone";

export const brokenAccounts: readonly Broken[] = [
  flaw("a recipient is found by its id alone", ["one account cannot see another account's data"], () => {
    const accounts = new Set<AccountId>();
    return {
      "recipients.create": before(({ account }) => accounts.add(account)),
      "recipients.find": async (find, own, id) => {
        for (const account of [own, ...accounts]) {
          const found = await find(account, id);
          if (found.isErr() || found.value !== null) return found;
        }
        return ok(null);
      },
    };
  }),
  flaw("an alias is erased by its id alone", ["one account cannot change another account's data"], () => {
    const owners = new Map<string, AccountId>();
    return {
      "aliases.create": before(({ id, account }) => owners.set(id, account)),
      "aliases.erase": changingFirst((alias) => ({
        ...alias,
        account: owners.get(alias.id) ?? alias.account,
      })),
    };
  }),
  flaw("an alias id can be used by one account only", ["two accounts can use the same ids"], () => {
    const owners = new Map<string, AccountId>();
    return { "aliases.create": ignoringIf(({ id, account }) => firstOf(owners, id, account) !== account) };
  }),
  flaw("ids are normalized", ["ids that look like keys, paths, properties or code are plain ids"], {
    "aliases.create": changingFirst((alias) => ({
      ...alias,
      id: valueOf(parseAliasId(alias.id.normalize("NFC"))),
    })),
  }),
  flaw("account and id are joined into one key", ["different pairs of account and id never collide"], () => {
    const joined = new Map<string, Recipient>();
    return {
      "recipients.create": before((recipient) =>
        joined.set(`${recipient.account}#${recipient.id}`, recipient),
      ),
      "recipients.find": async (_, account, id) => ok(joined.get(`${account}#${id}`) ?? null),
    };
  }),
  flaw("an account is listed once for each item it has", [ONCE], {
    accounts: listing((items) => [...items, ...items]),
  }),
  flaw("an account stays listed after its data is gone", [UNTIL_GONE], () => {
    const known = new Set<AccountId>();
    return {
      "recipients.create": before(({ account }) => known.add(account)),
      accounts: async () => ok({ items: [...known], next: null }),
    };
  }),
  flaw("an account without recipients is not listed", [UNTIL_GONE], listingByRecipients),
];
