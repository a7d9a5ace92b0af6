import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { type AccountId, err, ok, type Result, type Unavailable } from "@postern/core";
import type { Difference, FindDifferences } from "@postern/core/store";
import * as z from "zod";
import { type Database, readOne } from "../database.ts";
import { StoredItem } from "../item.ts";
import { deadline, readUntilDeadline } from "../send-until-deadline.ts";
import { Key, KeyRange, Partition } from "../table.ts";
import { doubtsAbout } from "./compare.ts";
import { wrongCounts } from "./counts.ts";
import { doubtsAboutDestinations } from "./destinations.ts";
import { IN_ACCOUNT, type Kind } from "./kinds.ts";
import { pagesOf, readAll } from "./pages.ts";
import { ask, type Question, TIMEOUT_MS } from "./question.ts";

type Differences = AsyncGenerator<Result<Difference, Unavailable>>;

type Checked = {
  readonly database: Database;
  readonly isCompared: (kind: Kind) => boolean;
  readonly now: () => number;
};

async function* answers(database: Database, questions: readonly Question[]): Differences {
  for (const question of questions) {
    const answer = await ask(database, question);
    if (answer.isErr()) return yield err(answer.error);
    if (answer.value !== null) yield ok(answer.value);
  }
}

/** What differs between these items and others. */
async function* differencesIn({ database, isCompared }: Checked, items: readonly StoredItem[]): Differences {
  const doubts = await doubtsAbout(database, items, isCompared);
  if (doubts.isErr()) return yield err(doubts.error);
  for (const difference of doubts.value.unreadable) yield ok(difference);
  yield* answers(database, doubts.value.questions);
}

/** What differs in the partition of one account, and between it and the addresses of its aliases. */
async function* differencesOfAccount(checked: Checked, account: AccountId): Differences {
  const { database, isCompared, now } = checked;
  for (const { range } of IN_ACCOUNT) {
    for await (const page of pagesOf(database, range(account))) {
      if (page.isErr()) return yield err(page.error);
      yield* differencesIn(checked, page.value);
      if (range !== KeyRange.aliases) continue;
      const destinations = await doubtsAboutDestinations(database, page.value, now);
      if (destinations.isErr()) return yield err(destinations.error);
      yield* answers(database, destinations.value);
    }
  }
  const wrong = await wrongCounts(database, account, isCompared("attachment"));
  if (wrong.isErr()) return yield err(wrong.error);
  for (const difference of wrong.value) yield ok(difference);
}

const ScanOutput = z.object({ Items: z.array(StoredItem), LastEvaluatedKey: StoredItem.optional() });

const MAX_EXAMINED = 1_000;

/** The attributes of the items that are not in the partition of an account, and the keys of all others. */
const ATTRIBUTES = ["pk", "sk", "schema", "account", "id", "retired", "email", "alias"];

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

/** The indexes of aliases are complete only once a table of an older version has been migrated. */
const INDEXES: readonly Kind[] = ["attachment", "search", "tallies"];

/**
 * Scans the table. Compares each account when its partition is reached, and what is in partitions of its own, such as addresses, as it is
 * found. Items read one by one only raise doubts: everything that is reported was read as of one moment.
 */
export const findDifferences = (database: Database, now: () => number): FindDifferences => {
  async function* differences(onAccount: () => void): Differences {
    const migrated = await readOne(database, Key.searchable, deadline(TIMEOUT_MS));
    if (migrated.isErr()) return yield err(migrated.error);
    const isCompared = (kind: Kind) => migrated.value !== undefined || !INDEXES.includes(kind);
    const checked = { database, isCompared, now };
    let [start, done]: [Key | undefined, AccountId | null] = [undefined, null];
    do {
      const page = await scan(database, start);
      if (page.isErr()) return yield err(page.error);
      const items: StoredItem[] = [];
      for (const item of page.value.Items) {
        const kind = Partition.kind(item);
        const account = Partition.account(item).unwrapOr(null);
        if (kind !== "account" || account === null) {
          if (kind !== "other") items.push(item);
        } else if (account !== done) {
          // A scan returns the items of a partition consecutively.
          done = account;
          yield* differencesOfAccount(checked, account);
          onAccount();
        }
      }
      const turns = items.filter((item) => Partition.kind(item) === "turns");
      const whole = await readAll(database, turns);
      if (whole.isErr()) return yield err(whole.error);
      yield* differencesIn(
        checked,
        items.flatMap((item) => (turns.includes(item) ? (whole.value(item) ?? []) : item)),
      );
      const last: Key | undefined = page.value.LastEvaluatedKey;
      // Skips the rest of a partition whose account has been compared.
      const end: Key | null = done === null ? null : Partition.end(done);
      start = last !== undefined && end?.pk === last.pk ? end : last;
    } while (start !== undefined);
  }
  return async function* (onAccount) {
    for await (const difference of differences(onAccount)) {
      yield difference;
      if (difference.isErr()) return;
    }
  };
};
