import { spawn } from "node:child_process";
import { once } from "node:events";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { dynamoStore } from "@postern/adapter-dynamodb";
import {
  Alias,
  NO_LIMITS,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseEventId,
  parseRecipientId,
  parseRecipientIds,
  Recipient,
  type Store,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { compiled, main } from "@postern/test-support/built-server";
import { newDirectory } from "@postern/test-support/new-directory";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { expect, onTestFinished, test } from "vitest";

/* The commands that read a whole table, on one as large as `POSTERN_LARGE_TABLE` says. */

/** The number of aliases, and of events. 100,000 take 45 minutes, mostly in DynamoDB Local, so nightly runs do not set it. */
const COUNT = Number(process.env["POSTERN_LARGE_TABLE"] ?? 200);
const MANY = COUNT > 1_000;
const ACCOUNTS = 4;
/** How many calls are in progress at a time for each account. */
const AT_ONCE = 24;

const now = Date.now();

const recipients = Array.from({ length: ACCOUNTS }, (_, n) =>
  Recipient.adopt(
    {
      id: valueOf(parseRecipientId(`recipient-${n}`)),
      account: valueOf(parseAccountId(`account-${n}`)),
      email: valueOf(parseEmailAddress(`recipient-${n}@mail.example`)),
      nonce: "nonce",
    },
    now,
  ),
);

const aliasOf = (recipient: Recipient, n: number): Alias => {
  const name = `${recipient.id}-${String(n).padStart(6, "0")}`;
  const identity = {
    id: valueOf(parseAliasId(name)),
    account: recipient.account,
    email: valueOf(parseEmailAddress(`${name}@alias.example`)),
    description: `shop ${n}`,
  };
  return valueOf(Alias.create(identity, valueOf(parseRecipientIds([recipient.id])), [recipient], now));
};

/** Makes each recipient's share of `COUNT` calls, several at a time. */
const forEach = async (call: (recipient: Recipient, n: number) => Promise<unknown>) => {
  const workers = recipients.flatMap((recipient) => {
    let next = 0;
    return Array.from({ length: AT_ONCE }, async () => {
      while (next < COUNT / ACCOUNTS) {
        const n = next;
        next += 1;
        await call(recipient, n);
      }
    });
  });
  await Promise.all(workers);
};

/** Creates the same number of aliases for each recipient, and ten events for every tenth alias. */
const fill = async ({ aliases, recipients: { create } }: Store) => {
  for (const recipient of recipients) valueOf(await create(recipient, NO_LIMITS));
  await forEach(async (recipient, n) => valueOf(await aliases.create(aliasOf(recipient, n), NO_LIMITS)));
  await forEach(async (recipient, n) => {
    const event = { id: valueOf(parseEventId(`event-${n}`)), outcome: "sent", at: now } as const;
    valueOf(await aliases.recordOutcome(aliasOf(recipient, n - (n % 10)), event));
  });
};

/** Runs a command whose output may be too large to fit into memory twice. */
const run = async (env: Record<string, string>, output: FileHandle | null, ...args: string[]) => {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...compiled, ...env },
    stdio: ["ignore", output?.fd ?? "ignore", "pipe"],
  });
  const [errors, [status]] = await Promise.all([
    child.stderr === null ? "" : text(child.stderr),
    once(child, "close"),
  ]);
  // Without the log lines.
  return { status, errors: errors.replace(/^\{.*\}\n/gm, "") };
};

/** The lines of an export, in an order that all stores have in common. */
const exported = async (env: Record<string, string>, path: string): Promise<readonly string[]> => {
  const output = await open(path, "w+");
  try {
    const records = COUNT + ACCOUNTS;
    expect(await run(env, output, "export")).toEqual({
      status: 0,
      errors: `Records exported: ${records}.\n`,
    });
  } finally {
    await output.close();
  }
  const written = await open(path);
  const lines: string[] = [];
  for await (const line of written.readLines()) lines.push(line);
  return lines.sort();
};

test("a table is exported, checked and migrated, however large it is, and imported elsewhere", {
  timeout: MANY ? 7_200_000 : 600_000,
}, async () => {
  const dynamoDb = await sharedDynamoDb();
  const table = await dynamoDb.newTable();
  const store = dynamoStore({
    client: dynamoDb.client(),
    table,
    clock: Date,
    onCorruptItem: ({ sk }) => expect.unreachable(`the item at ${sk} is corrupt`),
    timeoutMs: 60_000,
  });
  onTestFinished(store.close);
  await fill(store);

  const directory = newDirectory();
  const at = (name: string) => ({
    POSTERN_STORE: "dynamodb",
    POSTERN_DYNAMODB_ENDPOINT: dynamoDb.endpoint,
    POSTERN_DYNAMODB_TABLE: name,
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  });
  const archive = join(directory, "records.jsonl");
  const lines = await exported(at(table), archive);
  const counted = lines.filter((line) => line.includes('"sent":{"count":10,'));
  expect(counted).toHaveLength(COUNT / 10);

  // DynamoDB Local would take an hour to import the large one.
  const copy: Record<string, string> = MANY
    ? { POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: join(directory, "postern.db") }
    : at(await dynamoDb.newTable());
  const importing = { ...copy, POSTERN_ALIAS_DOMAINS: "alias.example" };
  expect(await run(importing, null, "import", archive)).toMatchObject({
    status: 0,
    errors: expect.stringContaining("already stored: 0, rejected: 0."),
  });
  expect(await exported(copy, join(directory, "again.jsonl"))).toEqual(lines);

  expect(await run(at(table), null, "store", "check")).toMatchObject({ status: 0 });
  expect(await run(at(table), null, "table", "migrate")).toMatchObject({
    status: 0,
    errors: expect.stringContaining("Aliases migrated now: 0"),
  });
});
