import { parseAccountId, parseAliasId, parseEmailAddress, parseRecipientId } from "@postern/core";
import { KEY_LIKE_IDS, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, check } from "../check.ts";
import { expectEqual, expectMatch, expectSameItems } from "../expect.ts";
import { runs } from "../runs.ts";
import {
  attachedCounts,
  CONFLICT,
  createAlias,
  createRecipient,
  deactivated,
  findAlias,
  findRecipient,
  newAccount,
  newAlias,
  newRecipient,
  saveAlias,
  storeAlias,
  storeRecipient,
  withRecipients,
} from "../samples.ts";
import { aliasesOf, recipientsOf, walk } from "../walk.ts";

type Pair = readonly [account: string, id: string];

/**
 * One text split at two different places, with or without dropping the separator: a store that joins account and id
 * into one key cannot tell the two pairs apart.
 */
const cutInTwo = (separator: string, letters: readonly boolean[], keep: boolean): [Pair, Pair] => {
  const text = letters.map((letter) => (letter ? "a" : separator)).join("");
  const cutAt = (place: number): Pair => [text.slice(0, place), text.slice(keep ? place : place + 1)];
  return [cutAt(1), cutAt(2)];
};

const SEPARATORS = ["#", "|", "/", ":", ".", "%", " "];

const cutPairs = fc
  .tuple(fc.constantFrom(...SEPARATORS), fc.array(fc.boolean(), { minLength: 4, maxLength: 8 }), fc.boolean())
  .map(([separator, letters, keep]) => cutInTwo(separator, letters, keep));

export const tenancyChecks: readonly Check[] = [
  check("one account cannot see another account's data", async (store) => {
    const owner = newAccount();
    const recipient = await storeRecipient(store, owner);
    const alias = await storeAlias(store, owner, [recipient]);
    const stranger = newAccount();
    const seen = valueOf(await store.aliases.findWithRecipients(stranger, alias.id, [recipient.id]));
    expectEqual(seen, { alias: null, recipients: [] });
    expectEqual(valueOf(await store.recipients.find(stranger, recipient.id)), null);
    expectEqual(valueOf(await store.recipients.findAll(stranger, [recipient.id])), []);
    expectEqual(await walk(aliasesOf(store, stranger)), []);
    expectEqual(await walk(recipientsOf(store, stranger)), []);
  }),

  check("one account cannot change another account's data", async (store) => {
    const owner = newAccount();
    const recipient = await storeRecipient(store, owner);
    const free = await storeRecipient(store, owner);
    const alias = await storeAlias(store, owner, [recipient]);
    const stranger = newAccount();
    const own = await storeRecipient(store, stranger);

    const foreign = { ...alias, account: stranger };
    expectMatch(await store.aliases.save(foreign, withRecipients(foreign, [own])), CONFLICT);
    expectMatch(await store.aliases.erase(foreign), CONFLICT);
    const foreignRecipient = { ...free, account: stranger };
    const off = deactivated(foreignRecipient);
    expectMatch(await store.recipients.save(foreignRecipient, off), CONFLICT);
    expectMatch(await store.recipients.remove(foreignRecipient), CONFLICT);

    const mixed = newAlias(stranger, [own]);
    const { destinations } = withRecipients(mixed, [own, free]);
    expectMatch(await createAlias(store, { ...mixed, destinations }), CONFLICT);
    const theirs = await storeAlias(store, stranger, [own]);
    expectMatch(await store.aliases.save(theirs, withRecipients(theirs, [free])), CONFLICT);

    expectEqual(await findAlias(store, alias), alias);
    expectEqual(await findAlias(store, theirs), theirs);
    expectEqual(await findRecipient(store, free), free);
    expectEqual(await attachedCounts(store, [recipient, free, own]), [1, 0, 1]);
  }),

  check("two accounts can use the same ids", async (store) => {
    const [one, two] = [newAccount(), newAccount()];
    const id = valueOf(parseRecipientId("same"));
    const first = await storeRecipient(store, one, { id });
    const second = await storeRecipient(store, two, { id });
    const alias = await storeAlias(store, one, [first]);
    const twin = await storeAlias(store, two, [second], { id: alias.id });
    const other = await storeRecipient(store, two);
    await saveAlias(store, twin, withRecipients(twin, [other]));
    expectEqual(await findAlias(store, alias), alias);
    expectEqual(await attachedCounts(store, [first, second, other]), [1, 0, 1]);
  }),

  check("ids that look like keys, paths, properties or code are plain ids", async (store) => {
    const stored = await Promise.all(
      KEY_LIKE_IDS.flatMap((account) =>
        KEY_LIKE_IDS.map(async (id, i) => {
          const owner = valueOf(parseAccountId(account));
          const recipient = await storeRecipient(store, owner, {
            id: valueOf(parseRecipientId(id)),
            email: valueOf(parseEmailAddress(`mailbox-${i}@recipient.example`)),
          });
          const alias = await storeAlias(store, owner, [recipient], { id: valueOf(parseAliasId(id)) });
          return { recipient: { ...recipient, attached: 1 }, alias };
        }),
      ),
    );
    for (const { recipient, alias } of stored) {
      const found = await store.aliases.findWithRecipients(alias.account, alias.id, [recipient.id]);
      expectEqual(valueOf(found), { alias, recipients: [recipient] });
    }
    for (const account of KEY_LIKE_IDS) {
      const listed = await walk(aliasesOf(store, valueOf(parseAccountId(account))));
      expectSameItems(
        listed.map(({ id }) => id),
        KEY_LIKE_IDS,
      );
    }
  }),

  check("different pairs of account and id never collide", async (store) => {
    await fc.assert(
      fc.asyncProperty(cutPairs, async ([one, other]) => {
        const prefix = newAccount();
        const recipient = ([account, id]: Pair) =>
          newRecipient(valueOf(parseAccountId(`${prefix}${account}`)), { id: valueOf(parseRecipientId(id)) });
        const [first, second] = [recipient(one), recipient(other)];
        valueOf(await createRecipient(store, first));
        expectEqual(await findRecipient(store, second), null);
        valueOf(await createRecipient(store, second));
        expectEqual(await findRecipient(store, first), first);
      }),
      {
        ...runs(100),
        examples: SEPARATORS.map((separator) => [cutInTwo(separator, [true, false, true, true], true)]),
      },
    );
  }),
];
