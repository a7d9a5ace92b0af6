import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { type AccountId, err, ok, type Result, type Unavailable } from "@postern/core";
import type { Difference, FindDifferences } from "@postern/core/store";
import * as z from "zod";
import { parseAddressItem } from "../address-item.ts";
import { parseAliasItem } from "../alias-item.ts";
import { type Database, readOne } from "../database.ts";
import { StoredItem } from "../item.ts";
import { parseRetiredItem } from "../retired-addresses.ts";
import { deadline, readUntilDeadline } from "../send-until-deadline.ts";
import { Key, Partition } from "../table.ts";
import { differencesOfAccount } from "./account.ts";
import { aliasOfAddress } from "./alias-address.ts";
import { leadDoubts } from "./contacts.ts";
import { unreadableAnnouncements, unreadableTurns } from "./outbox.ts";
import { readAll } from "./pages.ts";
import { ask, parsedOrNull, type Question, TIMEOUT_MS } from "./question.ts";
import { addressOfRetired, listingOfRetired } from "./retired.ts";
import { unreadable } from "./unreadable.ts";

const ScanOutput = z.object({ Items: z.array(StoredItem), LastEvaluatedKey: StoredItem.optional() });

const MAX_EXAMINED = 1_000;

/** The attributes of address items, retired addresses and the ids of contacts, and the keys of all other items. */
const ATTRIBUTES = ["pk", "sk", "schema", "account", "id", "retired", "unlisted", "email", "alias"];

const scan = ({ documents, table }: Database, start: Key | undefined) => {
  const command = new ScanCommand({
    TableName: table,
    ProjectionExpression: ATTRIBUTES.map((_, n) => `#${n}`).join(", "),
    ExpressionAttributeNames: Object.fromEntries(ATTRIBUTES.map((name, n) => [`#${n}`, name])),
    ExclusiveStartKey: start && { pk: start.pk, sk: start.sk },
    Limit: MAX_EXAMINED,
    ConsistentRead: true,
  });
  return readUntilDeadline(deadline(TIMEOUT_MS), async (options) =>
    ScanOutput.parse(await documents.send(command, options)),
  );
};

/** Doubts about these address items. */
const addressDoubts = async (
  database: Database,
  items: readonly StoredItem[],
): Promise<Result<readonly (Question | Difference)[], Unavailable>> => {
  const { table } = database;
  // For a retired address, its entry in the list; for any other, the alias.
  const others = await readAll(
    database,
    items.map((item) => {
      const place = parsedOrNull(parseAddressItem, item);
      return place === null ? Key.retiredOfAddress(item) : Key.alias(place.account, place.id);
    }),
  );
  if (others.isErr()) return err(others.error);
  const doubts: (Question | Difference)[] = [];
  for (const [n, item] of items.entries()) {
    const [place, other] = [parseAddressItem(item), others.value[n]];
    if (place.isErr()) doubts.push(unreadable(null, item));
    else if (place.value !== null) {
      const alias = parsedOrNull(parseAliasItem, other)?.alias;
      if (alias === undefined || !Key.same(Key.address(alias.email), item))
        doubts.push(aliasOfAddress(table, Key.of(item), place.value));
    } else if (other === undefined && item["unlisted"] !== true)
      doubts.push(listingOfRetired(table, Key.of(item)));
  }
  return ok(doubts);
};

/** Doubts about these entries of the list of retired addresses. */
const retiredDoubts = async (
  database: Database,
  items: readonly StoredItem[],
): Promise<Result<readonly (Question | Difference)[], Unavailable>> => {
  const addresses = await readAll(database, items.map(Key.addressOfRetired));
  return addresses.map((found) =>
    items.flatMap((item, n): (Question | Difference)[] => {
      if (parseRetiredItem(item).isErr()) return [unreadable(null, item)];
      const address = found[n];
      return address?.["retired"] === true ? [] : [addressOfRetired(database.table, Key.of(item), address)];
    }),
  );
};

/**
 * Scans the table. Compares each account when its partition is reached, and the addresses, which have partitions of their
 * own, as they are found. Items read one by one only raise doubts: everything that is reported was read as of one moment.
 */
export const findDifferences = (database: Database, now: () => number): FindDifferences =>
  async function* (onAccount) {
    const searchable = await readOne(database, Key.searchable, deadline(TIMEOUT_MS));
    if (searchable.isErr()) return yield err(searchable.error);
    const isSearchable = searchable.value !== undefined;
    let [start, done]: [Key | undefined, AccountId | null] = [undefined, null];
    do {
      const page = await scan(database, start);
      if (page.isErr()) return yield err(page.error);
      const items = page.value.Items;
      const of = (kind: ReturnType<typeof Partition.kind>) =>
        items.filter((item) => Partition.kind(item) === kind);
      for (const key of of("account")) {
        const account = Partition.account(key);
        if (account.isErr()) {
          yield ok(unreadable(null, key));
          continue;
        }
        // A scan returns the items of a partition consecutively.
        if (account.value === done) continue;
        done = account.value;
        for await (const difference of differencesOfAccount(database, account.value, isSearchable, now)) {
          yield difference;
          if (difference.isErr()) return;
        }
        onAccount();
      }
      for (const doubts of [
        await addressDoubts(database, of("address")),
        await retiredDoubts(database, of("retired")),
        await leadDoubts(database, of("contact")),
        ok(unreadableAnnouncements(of("announcements"))),
        await unreadableTurns(database, of("turns")),
      ]) {
        if (doubts.isErr()) return yield err(doubts.error);
        for (const doubt of doubts.value) {
          const answer = "keys" in doubt ? await ask(database, doubt) : ok(doubt);
          if (answer.isErr()) return yield err(answer.error);
          if (answer.value !== null) yield ok(answer.value);
        }
      }
      const last: Key | undefined = page.value.LastEvaluatedKey;
      // Skips the rest of a partition whose account has been compared.
      const end: Key | null = done === null ? null : Partition.end(done);
      start = last !== undefined && end?.pk === last.pk ? end : last;
    } while (start !== undefined);
  };
