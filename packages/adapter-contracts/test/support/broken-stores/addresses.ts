import { type AccountId, type Alias, EmailAddress, ok, parseAccountId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import {
  answering,
  before,
  denying,
  failingIf,
  finding,
  firstOf,
  ignoringIf,
  isNew,
  listing,
} from "../faults.ts";
import { type Broken, flaw } from "./broken.ts";

const FOUND = "findByEmail finds an alias of any account by its address in any case, and by nothing else";
const NO_WILDCARD = "findByEmail treats no character of an address as a wildcard";
const NO_ALIAS = "a retired address belongs to no alias, and none can be created with it";
const NO_ACCOUNT = "a retired address does not create an account";
const IDEMPOTENT = "retiring an address is idempotent, in any case";
const LISTED = "listRetiredAddresses lists each retired or erased address once, in pages of any size";
const NOT_RETIRED = "the address of an alias, deleted or not, cannot be retired";
const LAST_WRITE = "findByEmail sees the last completed write";
const IS_RETIRED = "isRetired finds retired and erased addresses, in any case, and no others";

/** The pattern as SQL's `LIKE` interprets it. */
const like = (pattern: string): RegExp => {
  const escaped = pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("%", ".*").replaceAll("_", ".")}$`, "i");
};

export const brokenAddresses: readonly Broken[] = [
  flaw("findByEmail compares addresses as they are written", [FOUND], {
    "aliases.findByEmail": finding((alias, email) => (alias.email === email ? alias : null)),
  }),
  flaw("findByEmail treats the address as a pattern", [NO_WILDCARD], () => {
    const addresses: EmailAddress[] = [];
    return {
      "aliases.create": before(({ email }) => addresses.push(email)),
      "aliases.findByEmail": async (find, email) => {
        const match = addresses.find((address) => like(email).test(address));
        return match === undefined ? ok(null) : find(match);
      },
    };
  }),
  flaw("findByEmail finds only live aliases", [LAST_WRITE], {
    "aliases.findByEmail": finding((alias) => (alias.deletedAt === null ? alias : null)),
  }),
  flaw("findByEmail caches its results", [LAST_WRITE], () => {
    const found = new Map<string, Alias>();
    return { "aliases.findByEmail": finding((alias, email) => firstOf(found, email, alias)) };
  }),
  flaw("a retired address can be used for an alias", [NO_ALIAS], () => {
    const retired = new Set<EmailAddress>();
    return {
      "aliases.retireAddress": async (_, email) => {
        retired.add(EmailAddress.key(email));
        return ok();
      },
      "aliases.listRetiredAddresses": listing((items) => [...items, ...retired]),
    };
  }),
  flaw("an address can be retired only once", [IDEMPOTENT], (_, seen) => ({
    "aliases.retireAddress": failingIf(
      { code: "address_taken" },
      (email) => !isNew(seen, EmailAddress.key(email)),
    ),
  })),
  flaw("retired addresses are listed as they were written", [IDEMPOTENT, LISTED], () => {
    const written = new Map<string, EmailAddress>();
    return {
      "aliases.retireAddress": before((email) => written.set(EmailAddress.key(email), email)),
      "aliases.listRetiredAddresses": listing((items) => items.map((key) => written.get(key) ?? key)),
    };
  }),
  flaw("the address of an alias can be retired", [NOT_RETIRED], {
    "aliases.retireAddress": denying("address_taken"),
  }),
  flaw("the address of a deleted alias can be retired", [NOT_RETIRED], ({ aliases }) => ({
    "aliases.retireAddress": ignoringIf(async (email) => {
      const owner = valueOf(await aliases.findByEmail(email));
      return owner !== null && owner.deletedAt !== null;
    }),
  })),
  flaw("erased addresses are not listed as retired", [LISTED], (_, seen) => ({
    "aliases.erase": before(({ email }) => seen.add(EmailAddress.key(email))),
    "aliases.listRetiredAddresses": listing((items) => items.filter((email) => !seen.has(email))),
  })),
  flaw("an address is only found to be retired as it was written", [IS_RETIRED], {
    "aliases.isRetired": answering((retired, email) => retired && email === email.toLowerCase()),
  }),
  flaw("an erased address is not found to be retired", [IS_RETIRED], (_, seen) => ({
    "aliases.erase": before(({ email }) => seen.add(EmailAddress.key(email))),
    "aliases.isRetired": answering((retired, email) => retired && !seen.has(EmailAddress.key(email))),
  })),
  flaw("whatever no live alias has is retired", [IS_RETIRED], ({ aliases }) => ({
    "aliases.isRetired": async (_, email) =>
      (await aliases.findByEmail(email)).map((alias) => alias === null || alias.deletedAt !== null),
  })),
  flaw("retired addresses are stored in an account of their own, which is listed", [NO_ACCOUNT], () => {
    const owners = new Set<AccountId>();
    return {
      "aliases.retireAddress": before(() => owners.add(valueOf(parseAccountId("retired")))),
      accounts: listing((items) => [...items, ...owners]),
    };
  }),
];
