import type { Alias, Recipient } from "@postern/core";
import { type LedgerEntry, Tallies } from "@postern/core/store";
import { answering, before, changingFirst, changingSecond, finding, listing } from "../faults.ts";
import { keyOf } from "../stored.ts";
import { type Broken, flaw, miscounting, readingAliases } from "./broken.ts";

const ONLY_SETTINGS = "saving an alias writes neither its tallies nor the fields that never change";
const ONLY_RECIPIENT_SETTINGS =
  "saving a recipient writes neither its alias count nor the fields that never change";
const CREATED_ALIAS = "every field of a created alias is read back";
const CREATED_RECIPIENT = "every field of a created recipient is read back, attached to no alias";
const SAVED_ALIAS = "every setting of an alias is saved, alone and together with the others";
const SAVED_RECIPIENT = "every setting of a recipient is saved, alone and together with the others";
const NEW_ENTRY = "every field of a new entry of the mail ledger is read back";
const SAVED_ENTRY = "every field of an entry of the mail ledger is saved, alone and together with the others";

/** How a new item loses a field, by what is lost. */
type Lost<Item> = { readonly [what: string]: (item: Item) => Item };

const aliasFields: Lost<Alias> = {
  description: (alias) => ({ ...alias, description: "" }),
  website: (alias) => ({ ...alias, website: "" }),
  active: (alias) => ({ ...alias, active: true }),
  tallies: (alias) => ({ ...alias, tallies: Tallies.none }),
  createdAt: (alias) => ({ ...alias, createdAt: alias.updatedAt }),
  updatedAt: (alias) => ({ ...alias, updatedAt: alias.createdAt }),
  deletedAt: (alias) => ({ ...alias, deletedAt: null }),
  version: (alias) => ({ ...alias, version: 1 }),
};

const recipientFields: Lost<Recipient> = {
  verifiedAt: (recipient) => ({ ...recipient, verifiedAt: recipient.verifiedAt && recipient.createdAt }),
  active: (recipient) => ({ ...recipient, active: true }),
  defaultSince: (recipient) => ({ ...recipient, defaultSince: null }),
  verificationSentAt: (recipient) => ({ ...recipient, verificationSentAt: null }),
  verificationDelivery: (recipient) => ({ ...recipient, verificationDelivery: null }),
  createdAt: (recipient) => ({ ...recipient, createdAt: recipient.updatedAt }),
  updatedAt: (recipient) => ({ ...recipient, updatedAt: recipient.createdAt }),
  version: (recipient) => ({ ...recipient, version: 1 }),
};

const entryFields: Lost<LedgerEntry> = {
  "all but the last of chargedAt": (entry) => ({ ...entry, chargedAt: entry.chargedAt.slice(-1) }),
  "a hundredth time in chargedAt": (entry) => ({ ...entry, chargedAt: entry.chargedAt.slice(-99) }),
  suppressedAt: (entry) => ({ ...entry, suppressedAt: null }),
  "an expiresAt of null": (entry) => ({ ...entry, expiresAt: entry.expiresAt ?? 9e12 }),
};

/** What is saved if one field stays as it was. */
const keeping =
  <Item>(field: keyof Item) =>
  (after: Item, before: Item): Item => ({ ...after, [field]: before[field] });

export const brokenFields: readonly Broken[] = [
  ...Object.entries(aliasFields).map(([field, lose]) =>
    flaw(`${field} is not stored when an alias is created`, [CREATED_ALIAS], {
      "aliases.create": changingFirst(lose),
    }),
  ),
  ...(["description", "website", "active", "destinations", "updatedAt", "deletedAt", "version"] as const).map(
    (field) =>
      flaw(`${field} is not stored when an alias is saved`, [SAVED_ALIAS], {
        "aliases.save": changingSecond(keeping(field)),
      }),
  ),
  ...Object.entries(recipientFields).map(([field, lose]) =>
    flaw(`${field} is not stored when a recipient is created`, [CREATED_RECIPIENT], {
      "recipients.create": changingFirst(lose),
    }),
  ),
  ...(
    [
      "verifiedAt",
      "active",
      "defaultSince",
      "nonce",
      "verificationSentAt",
      "verificationDelivery",
      "updatedAt",
      "version",
    ] as const
  ).map((field) =>
    flaw(`${field} is not stored when a recipient is saved`, [SAVED_RECIPIENT], {
      "recipients.save": changingSecond(keeping(field)),
    }),
  ),
  flaw("why the provider did not send a verification message is not told apart", [SAVED_RECIPIENT], {
    "recipients.save": changingSecond((recipient) =>
      recipient.verificationDelivery === "message_rejected"
        ? { ...recipient, verificationDelivery: "sender_refused" }
        : recipient,
    ),
  }),
  ...Object.entries(entryFields).map(([field, lose]) =>
    flaw(`${field} is not stored with an entry of the mail ledger`, [NEW_ENTRY], {
      "mailLedger.save": changingFirst(([first, ...others]) => [lose(first), ...others.map(lose)]),
    }),
  ),
  ...(["chargedAt", "suppressedAt", "expiresAt"] as const).map((field) =>
    flaw(
      `${field} is not stored when an entry of the mail ledger is saved`,
      [SAVED_ENTRY],
      ({ mailLedger }) => ({
        "mailLedger.save": changingFirst(async ([after, ...others]) => {
          const [before = after] = (await mailLedger.find([after.key])).unwrapOr([]);
          return [keeping<LedgerEntry>(field)(after, before), ...others];
        }),
      }),
    ),
  ),
  flaw("the mail ledger lists entries without their times", [NEW_ENTRY], {
    "mailLedger.list": listing((items) => items.map((entry) => ({ ...entry, chargedAt: [] }))),
  }),
  ...(["findWithRecipients", "list"] as const).map((port) => {
    const reading = readingAliases((alias) => ({ ...alias, tallies: Tallies.none }));
    return flaw(`${port} returns an alias without its tallies`, [CREATED_ALIAS], {
      [`aliases.${port}`]: reading[`aliases.${port}`],
    });
  }),
  flaw("findByEmail returns an alias with its tallies", [CREATED_ALIAS], {
    "aliases.findByEmail": finding((alias) => ({ ...alias, tallies: Tallies.none })),
  }),
  flaw("findAll returns recipients without the times of their newest messages", [SAVED_RECIPIENT], {
    "recipients.findAll": answering((found) => found.map((each) => ({ ...each, verificationSentAt: null }))),
  }),
  miscounting(
    "a new recipient is stored with the alias count that the caller passed",
    [CREATED_RECIPIENT],
    (add) => ({ "recipients.create": before(({ id, attached }) => add([id], attached)) }),
  ),
  flaw("saving an alias overwrites its tallies", [ONLY_SETTINGS], () => {
    const tallies = new Map<string, Tallies>();
    return {
      ...readingAliases((alias) => ({ ...alias, tallies: tallies.get(keyOf(alias)) ?? alias.tallies })),
      "aliases.save": before((_from, to) => tallies.set(keyOf(to), to.tallies)),
    };
  }),
  flaw("saving a recipient overwrites the time when it was created", [ONLY_RECIPIENT_SETTINGS], () => {
    const createdAt = new Map<string, number>();
    return {
      "recipients.save": before((_from, to) => createdAt.set(keyOf(to), to.createdAt)),
      "recipients.find": finding((found) => ({
        ...found,
        createdAt: createdAt.get(keyOf(found)) ?? found.createdAt,
      })),
    };
  }),
];
