import {
  Alias,
  AliasRules,
  parseSender,
  type Recipient,
  type Store,
  VERIFICATION_DELIVERIES,
} from "@postern/core";
import type { AliasFilter, AliasSettings, LedgerEntry, RecipientSettings } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { type Check, check } from "../check.ts";
import { expectEqual, isEqual } from "../expect.ts";
import {
  changed,
  changedRecipient,
  createAlias,
  createRecipient,
  findAlias,
  findRecipient,
  NOW,
  newAccount,
  newAlias,
  newEntry,
  newLedgerKey,
  newRecipient,
  saveAlias,
  saveEntry,
  saveRecipient,
  storeAlias,
  storeRecipient,
  storeRecipients,
  withRecipients,
} from "../samples.ts";
import { aliasesOf, entriesOf, recipientsOf, walk } from "../walk.ts";

/*
 * Every field is stored and read back. The samples must name every field of `Alias`, `Recipient` and `LedgerEntry`, so a
 * field added to these types does not compile here until the contract covers it.
 */

/** Throws unless every way of reading returns the alias. */
const expectAlias = async (store: Store, alias: Alias): Promise<void> => {
  const { account, id, email, active, destinations } = alias;
  const isDeleted = alias.deletedAt !== null;
  const listed = async (filter: AliasFilter) =>
    (await walk(aliasesOf(store, account, filter))).filter((each) => each.id === id);
  const [{ recipientId: recipient }] = destinations;
  expectEqual(
    {
      findWithRecipients: await findAlias(store, alias),
      findByEmail: valueOf(await store.aliases.findByEmail(email)),
      list: await listed({ deleted: isDeleted }),
      "list by active": await listed({ deleted: isDeleted, active }),
      "list by recipient": await listed({ deleted: isDeleted, recipient }),
      "list by address": await listed({ deleted: isDeleted, q: email }),
      "list of the others": await listed({ deleted: !isDeleted }),
    },
    {
      findWithRecipients: alias,
      findByEmail: Alias.state(alias),
      list: [alias],
      "list by active": [alias],
      "list by recipient": isDeleted ? [] : [alias],
      "list by address": [alias],
      "list of the others": [],
    },
  );
};

/** Throws unless every way of reading returns the recipient. */
const expectRecipient = async (store: Store, recipient: Recipient): Promise<void> => {
  const { account, id } = recipient;
  const { id: unknownAlias } = newAlias(account, [newRecipient(account)]);
  expectEqual(
    {
      find: await findRecipient(store, recipient),
      findAll: valueOf(await store.recipients.findAll(account, [id])),
      list: (await walk(recipientsOf(store, account))).filter((each) => each.id === id),
      findWithRecipients: valueOf(await store.aliases.findWithRecipients(account, unknownAlias, [id])),
    },
    {
      find: recipient,
      findAll: [recipient],
      list: [recipient],
      findWithRecipients: { alias: null, recipients: [recipient] },
    },
  );
};

/** Throws unless every way of reading returns the entry. */
const expectEntry = async (store: Store, entry: LedgerEntry): Promise<void> => {
  const { key } = entry;
  expectEqual(
    {
      find: valueOf(await store.mailLedger.find([key])),
      list: (await walk(entriesOf(store))).filter((each) => each.key === key),
    },
    { find: [entry], list: [entry] },
  );
};

/** Guards the samples: a field with the same value in both would not show whether it is stored. */
const expectEveryFieldDiffers = (one: object, other: object): void => {
  const others = new Map(Object.entries(other));
  for (const [field, value] of Object.entries(one)) {
    if (isEqual(value, others.get(field))) throw new Error(`the samples have the same ${field}`);
  }
};

const tallies = (start: number): Alias["tallies"] => ({
  sent: { count: start, lastAt: NOW + start },
  delivered: { count: start + 1, lastAt: NOW + start + 1 },
  bounced: { count: start + 2, lastAt: NOW + start + 2 },
  complaint: { count: start + 3, lastAt: NOW + start + 3 },
  replied: { count: start + 4, lastAt: NOW + start + 4 },
  blocked: { count: start + 5, lastAt: 0 },
});

/** Two aliases that differ in every field, so that no default value fits both. */
const twoAliases = async (store: Store): Promise<readonly [Required<Alias>, Required<Alias>]> => {
  const [account, other] = [newAccount(), newAccount()];
  const one = newAlias(account, await storeRecipients(store, account, 3));
  const two = newAlias(other, await storeRecipients(store, other, 2));
  return [
    {
      id: one.id,
      account,
      email: one.email,
      description: "",
      website: "",
      active: true,
      rules: AliasRules.none,
      destinations: one.destinations,
      tallies: tallies(1),
      createdAt: NOW + 1,
      updatedAt: NOW + 2,
      deletedAt: null,
      version: 1,
    },
    {
      id: two.id,
      account: other,
      email: two.email,
      description: "Shop — news & 🙂",
      website: "shop.example",
      active: false,
      rules: {
        acceptFrom: "listed",
        senders: ["Friend@Sender.example", "shop.example"].map((text) => valueOf(parseSender(text))),
        activeUntil: NOW + 14,
        messagesLeft: 0,
      },
      destinations: two.destinations,
      tallies: tallies(11),
      createdAt: NOW + 11,
      updatedAt: NOW + 12,
      deletedAt: NOW + 13,
      version: 7,
    },
  ];
};

/** Likewise. A store counts `attached` itself and ignores the value passed. */
const twoRecipients = (): readonly [Required<Recipient>, Required<Recipient>] => {
  const [account, other] = [newAccount(), newAccount()];
  const [one, two] = [newRecipient(account), newRecipient(other)];
  return [
    {
      id: one.id,
      account,
      email: one.email,
      verifiedAt: null,
      active: true,
      defaultSince: null,
      attached: 3,
      nonce: one.nonce,
      verificationSentAt: null,
      verificationDelivery: "refused",
      createdAt: NOW + 1,
      updatedAt: NOW + 2,
      version: 1,
    },
    {
      id: two.id,
      account: other,
      email: two.email,
      verifiedAt: NOW + 13,
      active: false,
      defaultSince: NOW + 15,
      attached: 4,
      nonce: two.nonce,
      verificationSentAt: NOW + 14,
      verificationDelivery: null,
      createdAt: NOW + 11,
      updatedAt: NOW + 12,
      version: 7,
    },
  ];
};

/**
 * Two entries of the mail ledger that differ in every field. The longer one has as many times as the default limits allow.
 */
const twoEntries = (): readonly [Required<LedgerEntry>, Required<LedgerEntry>] => {
  const { key, chargedAt, expiresAt } = newEntry();
  return [
    { key, chargedAt, suppressedAt: null, expiresAt, version: 1 },
    {
      key: newLedgerKey(),
      chargedAt: Array.from({ length: 100 }, (_, i) => NOW + i * i),
      suppressedAt: NOW + 13,
      expiresAt: null,
      version: 1,
    },
  ];
};

/** A different value for each setting that a save writes. */
type Changes<Settings> = { readonly [Name in keyof Settings]-?: Required<Pick<Settings, Name>> };

const aliasChanges = (alias: Alias, others: readonly Recipient[]): Changes<AliasSettings> => ({
  description: { description: "changed: é 🙂" },
  website: { website: "changed.example" },
  active: { active: !alias.active },
  rules: {
    rules: { acceptFrom: "written_to", senders: [], activeUntil: null, messagesLeft: 1_000_000 },
  },
  destinations: { destinations: withRecipients(alias, others).destinations },
  updatedAt: { updatedAt: alias.updatedAt + 7 },
  deletedAt: { deletedAt: NOW + 9 },
  version: { version: alias.version + 1 },
});

const recipientChanges = (recipient: Recipient): Changes<RecipientSettings> => ({
  verifiedAt: { verifiedAt: NOW + 7 },
  active: { active: !recipient.active },
  defaultSince: { defaultSince: NOW + 8 },
  nonce: { nonce: "changed" },
  verificationSentAt: { verificationSentAt: NOW + 9 },
  verificationDelivery: { verificationDelivery: "queued" },
  updatedAt: { updatedAt: recipient.updatedAt + 7 },
  version: { version: recipient.version + 1 },
});

const entryChanges = (entry: LedgerEntry): Changes<Omit<LedgerEntry, "key">> => ({
  chargedAt: { chargedAt: [...entry.chargedAt, NOW + 9] },
  suppressedAt: { suppressedAt: NOW + 9 },
  expiresAt: { expiresAt: null },
  version: { version: entry.version + 1 },
});

/** Each change on its own, then all of them together; `original` is restored after each. */
const steps = <T extends object>(original: T, changes: object): readonly T[] => {
  const each: readonly object[] = Object.values(changes);
  for (const change of each) {
    if (isEqual({ ...original, ...change }, original))
      throw new Error(`no change: ${JSON.stringify(change)}`);
  }
  const all: object = Object.assign({}, ...each);
  return [...each, all].flatMap((change) => [{ ...original, ...change }, original]);
};

export const fieldChecks: readonly Check[] = [
  check("every field of a created alias is read back", async (store) => {
    const aliases = await twoAliases(store);
    expectEveryFieldDiffers(...aliases);
    for (const alias of aliases) {
      valueOf(await createAlias(store, alias));
      await expectAlias(store, alias);
    }
  }),

  check("every field of a created recipient is read back, attached to no alias", async (store) => {
    const recipients = twoRecipients();
    expectEveryFieldDiffers(...recipients);
    for (const recipient of recipients) {
      valueOf(await createRecipient(store, recipient));
      await expectRecipient(store, { ...recipient, attached: 0 });
    }
  }),

  check("every setting of an alias is saved, alone and together with the others", async (store) => {
    const account = newAccount();
    const recipients = await storeRecipients(store, account, 2);
    const others = await storeRecipients(store, account, 2);
    const alias = await storeAlias(store, account, recipients);
    let stored = alias;
    for (const step of steps(alias, aliasChanges(alias, others))) {
      stored = await saveAlias(store, stored, { ...step, version: stored.version + 1 });
      await expectAlias(store, stored);
    }
  }),

  check("every setting of a recipient is saved, alone and together with the others", async (store) => {
    const recipient = await storeRecipient(store, newAccount(), { verifiedAt: null });
    let stored = recipient;
    const deliveries = VERIFICATION_DELIVERIES.map((verificationDelivery) => ({
      ...recipient,
      verificationDelivery,
    }));
    for (const step of [...steps(recipient, recipientChanges(recipient)), ...deliveries]) {
      stored = await saveRecipient(store, stored, { ...step, version: stored.version + 1 });
      await expectRecipient(store, stored);
    }
  }),

  check("every field of a new entry of the mail ledger is read back", async (store) => {
    const [one, two] = twoEntries();
    const { version: _, ...others } = one; // always 1
    expectEveryFieldDiffers(others, two);
    for (const entry of [one, two]) {
      await saveEntry(store, entry);
      await expectEntry(store, entry);
    }
  }),

  check(
    "every field of an entry of the mail ledger is saved, alone and together with the others",
    async (store) => {
      const entry = await saveEntry(store, newEntry());
      let stored = entry;
      for (const step of steps(entry, entryChanges(entry))) {
        stored = await saveEntry(store, { ...step, version: stored.version + 1 });
        await expectEntry(store, stored);
      }
    },
  ),

  check("saving an alias writes neither its tallies nor the fields that never change", async (store) => {
    const account = newAccount();
    const alias = await storeAlias(store, account, [await storeRecipient(store, account)]);
    const after = changed(alias, { description: "after" });
    const { email } = newAlias(account, [newRecipient(account)]);
    await saveAlias(store, alias, { ...after, email, createdAt: NOW + 99, tallies: tallies(1) });
    await expectAlias(store, after);
    expectEqual(valueOf(await store.aliases.findByEmail(email)), null);
  }),

  check(
    "saving a recipient writes neither its alias count nor the fields that never change",
    async (store) => {
      const account = newAccount();
      const recipient = await storeRecipient(store, account);
      const after = changedRecipient(recipient, { nonce: "after" });
      const { email } = newRecipient(account);
      await saveRecipient(store, recipient, { ...after, email, createdAt: NOW + 99, attached: 3 });
      await expectRecipient(store, after);
      await storeRecipient(store, account, { email });
    },
  ),
];
