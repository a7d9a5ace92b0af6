import { err, ok, parseAccountId, type Result, type Unavailable } from "@postern/core";
import { Difference, type Place } from "@postern/core/store";
import { retiredAddressItem } from "../address-item.ts";
import { TALLIES_APART } from "../alias-item.ts";
import { type Database, putNew, type Write } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { Key, Partition, TALLY_ITEMS } from "../table.ts";
import { type Implied, type Kind, type Reading, read } from "./kinds.ts";
import { readAll } from "./pages.ts";
import { type Found, foundAt, type Question } from "./question.ts";

/*
 * Each item says what items it implies, and each implied item which one it follows from. What is implied and missing is put; what follows
 * from nothing is deleted.
 */

const isRight = (found: StoredItem | undefined, { item }: Implied): boolean =>
  found !== undefined && Object.entries(item).every(([name, value]) => found[name] === value);

const impliedAt = (reading: Reading | null, key: Key): Implied | null =>
  reading?.implies.find(({ item }) => Key.same(item, key)) ?? null;

/** Whether the item that follows from `source` has a right to exist. One that does not parse could imply anything. */
const belongs = (source: StoredItem | undefined, item: Key, kind: Kind): boolean => {
  if (source === undefined) return false;
  if (kind === "contacts" || kind === "logged_messages") return true;
  const reading = read(source);
  return reading === null || impliedAt(reading, item) !== null;
};

/** A condition that holds as long as the item is as it was read; if it has a version, as long as that is. */
const asRead = (item: StoredItem) => {
  const compared = Object.entries(item).filter(([name, value]) =>
    "version" in item ? name === "version" : ["string", "number", "boolean"].includes(typeof value),
  );
  return {
    ConditionExpression: compared.map((_, n) => `#a${n} = :v${n}`).join(" AND "),
    ExpressionAttributeNames: Object.fromEntries(compared.map(([name], n) => [`#a${n}`, name])),
    ExpressionAttributeValues: Object.fromEntries(compared.map(([, value], n) => [`:v${n}`, value])),
  };
};

const isAbsent = (TableName: string, key: Key): Write => ({
  ConditionCheck: { TableName, Key: Key.of(key), ConditionExpression: "attribute_not_exists(pk)" },
});

/** The source, from which all writes of the transaction follow, must be as it was read. */
const sourceAsRead = (TableName: string, key: Key, item: StoredItem | undefined, renewed: boolean): Write => {
  if (item === undefined) return isAbsent(TableName, key);
  const { ExpressionAttributeValues: values, ...condition } = asRead(item);
  const of = { TableName, Key: Key.of(key), ...condition };
  return renewed
    ? {
        Update: {
          ...of,
          UpdateExpression: "ADD version :one",
          ExpressionAttributeValues: { ...values, ":one": 1 },
        },
      }
    : { ConditionCheck: { ...of, ExpressionAttributeValues: values } };
};

/** Lets the alias say that it has tally items. */
const declareTallies = (TableName: string, alias: StoredItem): Write => {
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values, ...condition } = asRead(alias);
  return {
    Update: {
      TableName,
      Key: Key.of(alias),
      UpdateExpression: "SET #apart = :items",
      ...condition,
      ExpressionAttributeNames: { ...names, "#apart": TALLIES_APART },
      ExpressionAttributeValues: { ...values, ":items": TALLY_ITEMS },
    },
  };
};

/** Removes an item with what it implies. An address is retired: nobody else may get what may be the address of an erased alias. */
const remove = (TableName: string, item: StoredItem, { follows, implies }: Reading): readonly Write[] =>
  follows?.kind === "address"
    ? [{ Put: { TableName, Item: retiredAddressItem(item), ...asRead(item) } }]
    : [
        { Delete: { TableName, Key: Key.of(item), ...asRead(item) } },
        ...implies.map((implied) => ({ Delete: { TableName, Key: Key.of(implied.item) } })),
      ];

/** The first write of each item: a transaction cannot have two. */
const firstOfEach = (writes: readonly Write[]): readonly Write[] => {
  const taken = new Set<string>();
  return writes.filter(({ Put, Update, Delete, ConditionCheck }) => {
    const { pk, sk } = Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key ?? {};
    const key = JSON.stringify([pk, sk]);
    return !taken.has(key) && taken.add(key);
  });
};

/** What is wrong with one item. */
type Verdict = {
  readonly is: "missing" | "wrong" | "surplus" | "taken";
  readonly writes: readonly Write[];
  /** Where it is, unless it is where the source is. */
  readonly place?: Place;
  /** What has taken the place of what is implied. */
  readonly other?: Place;
};

type Judged = { readonly table: string; readonly kind: Kind; readonly source: Key; readonly found: Found };

/** The source that the item at the key follows from, if that is another one. */
const rivalAt = (found: Found, source: Key, key: Key): Key | null => {
  const item = found(key);
  const rival = item === undefined ? null : (read(item)?.follows?.source ?? null);
  return rival === null || Key.same(rival, source) ? null : rival;
};

/** What is wrong with an item that the source, which is there as `own`, implies. */
const judgeImplied = (
  implied: Implied,
  own: StoredItem,
  { table, source, found }: Judged,
): Verdict | null => {
  const [key, item] = [Key.of(implied.item), found(implied.item)];
  const excluded =
    implied.excludes === undefined ? [] : [{ Delete: { TableName: table, Key: implied.excludes } }];
  if (item === undefined) return { is: "missing", writes: [putNew(table, implied.item), ...excluded] };
  if (isRight(item, implied) || read(item) === null) return null;
  if (Key.same(key, source)) return { is: "wrong", writes: [declareTallies(table, own)] };
  const put = { Put: { TableName: table, Item: implied.item, ...asRead(item) } };
  const rivalKey = rivalAt(found, source, key);
  if (rivalKey === null) return { is: "wrong", writes: [put, ...excluded] };
  const rival = found(rivalKey);
  if (rival === undefined) return { is: "wrong", writes: [put, ...excluded, isAbsent(table, rivalKey)] };
  const reading = read(rival);
  if (reading === null) return null;
  // What a source implies never changes, except for the words of a search: no condition is needed.
  if (impliedAt(reading, key) === null) return { is: "wrong", writes: [put, ...excluded] };
  if (implied.yields === undefined) return { is: "taken", writes: [], other: reading.place };
  const remains = sourceAsRead(table, rivalKey, rival, false);
  return {
    is: "surplus",
    writes: [{ Delete: { TableName: table, Key: source, ...asRead(own) } }, remains],
    place: reading.place,
  };
};

/** What is wrong with an item that the source does not imply. */
const judgeOther = (key: Key, { table, kind, source, found }: Judged): Verdict | null => {
  const item = found(key);
  const reading = item === undefined ? null : read(item);
  if (item === undefined || reading === null || reading.follows === null) return null;
  if (!Key.same(reading.follows.source, source) || belongs(found(source), item, kind)) return null;
  return { is: "surplus", writes: remove(table, item, reading), place: reading.place };
};

const undecided = (kind: Kind): kind is "address" | "recipient-address" | "contact" | "api-key" =>
  ["address", "recipient-address", "contact", "api-key"].includes(kind);

/** Whether the items at `keys` are what the source implies. */
const question = (table: string, source: Key, kind: Kind, keys: readonly Key[]): Question => ({
  keys: (found) => [source, ...keys, ...keys.flatMap((key) => rivalAt(found, source, key) ?? [])],
  answer: (found) => {
    const own = found(source);
    const reading = own === undefined ? null : read(own);
    if (own !== undefined && reading === null) return null;
    const judged = { table, kind, source, found };
    const verdicts = keys.flatMap((key) => {
      const implied = impliedAt(reading, key);
      const verdict =
        own === undefined || implied === null ? judgeOther(key, judged) : judgeImplied(implied, own, judged);
      return verdict ?? [];
    });
    const [first] = verdicts;
    if (first === undefined) return null;
    const count = (is: Verdict["is"]) => verdicts.filter((verdict) => verdict.is === is).length;
    const wrong = { missing: count("missing"), wrong: count("wrong"), surplus: count("surplus") };
    // A save that is in progress may have put an attachment for its own use: a new version makes DynamoDB refuse that save.
    const remains = sourceAsRead(table, source, own, kind === "attachment" && wrong.surplus > 0);
    const place = { account: null, alias: null, recipient: null, ...reading?.place, ...first.place };
    const other = verdicts.find(({ is }) => is === "taken")?.other ?? place;
    return {
      writes: firstOfEach([...verdicts.flatMap(({ writes }) => writes), remains]),
      difference: (correct) => {
        if (undecided(kind) && verdicts.every(({ is }) => is === "taken"))
          return Difference.taken(kind, place, other);
        const isLeftover = own === undefined && Partition.alias(source) !== null && kind !== "address";
        return isLeftover || kind === "contacts" || kind === "logged_messages"
          ? Difference.leftover(place, wrong.surplus, kind, correct)
          : Difference.derived(kind, place, wrong, correct);
      },
    };
  },
});

/** A transaction has room for this many items, with what each implies. */
const MAX_ITEMS = 30;

/** The item does not parse: it is damaged, or of a newer version. */
const unreadable = (item: StoredItem): Difference => {
  const ofTurns = Partition.kind(item) === "turns" ? parseAccountId(item["account"]).unwrapOr(null) : null;
  const account = Partition.account(item).unwrapOr(ofTurns);
  return Difference.undecided(
    "unreadable",
    { account, alias: null, recipient: null },
    {
      // The partition key contains the account.
      stored: `the item ${account === null ? item.pk : item.sk} does not parse`,
      right: "a valid one",
      action: "restore it from a backup, or use the newer version that wrote it",
    },
  );
};

/** What may differ between a source and the items of a kind. */
type Doubt = { readonly source: Key; readonly kind: Kind; readonly keys: Key[] };

/** What may be wrong with these items, or with what they imply, as far as it is of one of these kinds. */
export const doubtsAbout = async (
  database: Database,
  items: readonly StoredItem[],
  isCompared: (kind: Kind) => boolean,
): Promise<
  Result<{ readonly unreadable: readonly Difference[]; readonly questions: readonly Question[] }, Unavailable>
> => {
  const readings = items.map((item) => ({ item, reading: read(item) }));
  const others = readings.flatMap(({ reading }) => [
    ...(reading?.follows && isCompared(reading.follows.kind) ? [reading.follows.source] : []),
    ...(reading?.implies ?? []).filter(({ kind }) => isCompared(kind)).map(({ item }) => Key.of(item)),
  ]);
  const own = foundAt(items, items);
  const rest = await readAll(
    database,
    others.filter((key) => own(key) === undefined),
  );
  if (rest.isErr()) return err(rest.error);
  const found = (key: Key) => own(key) ?? rest.value(key);
  const doubts = new Map<string, Doubt>();
  const doubt = (source: Key, kind: Kind, key: Key) => {
    const name = JSON.stringify([source.pk, source.sk, kind]);
    const before = doubts.get(name) ?? { source: Key.of(source), kind, keys: [] };
    doubts.set(name, { ...before, keys: [...before.keys, Key.of(key)] });
  };
  for (const { item, reading } of readings) {
    for (const implied of reading?.implies ?? [])
      if (isCompared(implied.kind) && !isRight(found(implied.item), implied))
        doubt(item, implied.kind, implied.item);
    const { kind, source } = reading?.follows ?? {};
    if (kind !== undefined && source !== undefined && isCompared(kind) && !belongs(found(source), item, kind))
      doubt(source, kind, item);
  }
  return ok({
    unreadable: readings.flatMap(({ item, reading }) => (reading === null ? [unreadable(item)] : [])),
    questions: [...doubts.values()].flatMap(({ source, kind, keys }) =>
      Array.from({ length: Math.ceil(keys.length / MAX_ITEMS) }, (_, n) =>
        question(database.table, source, kind, keys.slice(n * MAX_ITEMS, (n + 1) * MAX_ITEMS)),
      ),
    ),
  });
};
