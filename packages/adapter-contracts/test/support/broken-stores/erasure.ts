import { Alias, EmailAddress, ok } from "@postern/core";
import { afterFailure, answering, before, changingFirst, failingIf, ignoringIf, isNew } from "../faults.ts";
import { keyOf, storedAlias } from "../stored.ts";
import { type Broken, flaw, miscounting } from "./broken.ts";

const FORTY = "an alias with 40 recipients is erased in one call";
const STAYS_TAKEN =
  "the address of an erased alias stays taken in every account, and nothing else is stored with it";
const UNKNOWN_EVERYWHERE = "an erased alias, whether or not it was deleted first, is unknown to every port";
const DETACHES = "erasing an alias detaches its recipients and leaves other aliases unchanged";
const CHANGES_NOTHING = "erasing an alias at an older version, or one that does not exist, changes nothing";

export const brokenErasure: readonly Broken[] = [
  flaw("findByEmail finds an erased alias", [UNKNOWN_EVERYWHERE], () => {
    const erased = new Map<string, Alias>();
    return {
      "aliases.erase": before((alias) => erased.set(EmailAddress.key(alias.email), alias)),
      "aliases.findByEmail": answering(
        (alias, email) => alias ?? erased.get(EmailAddress.key(email)) ?? null,
      ),
    };
  }),
  flaw("events of an erased alias are accepted", [UNKNOWN_EVERYWHERE], (_, seen) => ({
    "aliases.erase": before(({ email }) => seen.add(EmailAddress.key(email))),
    "aliases.recordOutcome": async (record, reference, event) =>
      "email" in reference && seen.has(EmailAddress.key(reference.email))
        ? ok("recorded")
        : record(reference, event),
  })),
  flaw("an erased alias is listed among the deleted ones", [UNKNOWN_EVERYWHERE], () => {
    const erased: Alias[] = [];
    return {
      "aliases.erase": before((alias) => erased.push(alias)),
      "aliases.list": answering(({ items, next }, _account, _page, { deleted }) => ({
        items: deleted && next === null ? [...items, ...erased] : items,
        next,
      })),
    };
  }),
  miscounting("the recipients of an erased alias stay attached", [DETACHES], (add) => ({
    "aliases.erase": before((alias) => add(Alias.attachedRecipients(alias), 1)),
  })),
  miscounting("erasing a deleted alias detaches its recipients again", [DETACHES], (add) => ({
    "aliases.erase": before(({ deletedAt, destinations }) => {
      if (deletedAt !== null)
        add(
          destinations.map(({ recipientId }) => recipientId),
          -1,
        );
    }),
  })),
  flaw("an erasing transaction fits only 25 recipients", [FORTY], {
    "aliases.erase": failingIf({ code: "unavailable" }, ({ destinations }) => destinations.length > 25),
  }),
  flaw("the address of an erased alias is free again", [STAYS_TAKEN], (_, seen) => ({
    "aliases.erase": before(({ email }) => seen.add(EmailAddress.key(email))),
    "aliases.create": ignoringIf(({ email }) => seen.has(EmailAddress.key(email))),
  })),
  flaw("erasing checks no version", [CHANGES_NOTHING], (store) => ({
    "aliases.erase": changingFirst(async (alias) => (await storedAlias(store, alias)) ?? alias),
  })),
  flaw("erasing an unknown alias retires its address", [CHANGES_NOTHING], ({ aliases }) => ({
    "aliases.erase": afterFailure((_error, { email }) => aliases.retireAddress(email)),
  })),
  flaw(
    "erasing an erased alias succeeds",
    [
      "an erased alias can be neither saved nor erased again",
      "two erasures of an alias race: exactly one succeeds",
    ],
    (_, seen) => ({ "aliases.erase": ignoringIf((alias) => !isNew(seen, keyOf(alias))) }),
  ),
];
