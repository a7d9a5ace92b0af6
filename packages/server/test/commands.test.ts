import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sqliteStore } from "@postern/adapter-sqlite";
import { parseAccountId, parseEmailAddress, parseRecipientId, Recipient } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { expect, onTestFinished, test } from "vitest";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Runs the program with these environment variables only. */
const run = (variables: Record<string, string>, ...args: string[]) =>
  new Promise<{ status: number; output: string; errors: string }>((resolve) => {
    const ran = execFile(process.execPath, [main, ...args], { env: variables }, (_, output, errors) =>
      resolve({ status: ran.exitCode ?? -1, output, errors }),
    );
  });

const newDirectory = async () => {
  const directory = await mkdtemp(join(tmpdir(), "commands-test-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
};

test("table create creates the table and can be repeated; table check checks it", {
  timeout: 120_000,
}, async () => {
  const dynamoDb = await startDynamoDbLocal();
  onTestFinished(dynamoDb.stop);
  const variables = {
    POSTERN_DYNAMODB_ENDPOINT: dynamoDb.endpoint,
    POSTERN_DYNAMODB_TABLE: "by-command",
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  };
  expect(await run(variables, "table", "check")).toMatchObject({
    status: 1,
    errors: "The DynamoDB table by-command: ResourceNotFoundException.\n",
  });
  for (const action of ["create", "create", "check"]) {
    expect(await run(variables, "table", action)).toEqual({
      status: 0,
      output: "",
      errors: "The table by-command is as required.\n",
    });
  }
});

test("backup copies an open store", { timeout: 60_000 }, async () => {
  const directory = await newDirectory();
  const [path, to] = [join(directory, "postern.db"), join(directory, "backup.db")];
  const account = valueOf(parseAccountId("account"));
  const identity = {
    id: valueOf(parseRecipientId("recipient")),
    account,
    email: valueOf(parseEmailAddress("me@example.org")),
    nonce: "nonce",
  };
  const recipient = Recipient.add(identity, 1);
  const store = valueOf(sqliteStore({ path, clock: Date }));
  onTestFinished(store.close);
  valueOf(await store.recipients.create(recipient));

  expect(await run({ POSTERN_SQLITE_PATH: path }, "backup", to)).toEqual({
    status: 0,
    output: "",
    errors: `Backed up ${path} to ${to}.\n`,
  });
  const copy = valueOf(sqliteStore({ path: to, clock: Date }));
  onTestFinished(copy.close);
  expect(valueOf(await copy.recipients.find(account, recipient.id))).toEqual(recipient);
  expect(await run({ POSTERN_SQLITE_PATH: path }, "backup", to)).toMatchObject({
    status: 1,
    errors: `${to} exists already.\n`,
  });
});

test("export and import move everything, and report rejected lines", { timeout: 60_000 }, async () => {
  const directory = await newDirectory();
  const [from, to, file] = ["from.db", "to.db", "records.jsonl"].map((name) => join(directory, name));
  if (from === undefined || to === undefined || file === undefined) return expect.unreachable();
  const store = valueOf(sqliteStore({ path: from, clock: Date }));
  for (const n of [1, 2, 3]) {
    const identity = {
      id: valueOf(parseRecipientId(`recipient-${n}`)),
      account: valueOf(parseAccountId(`account-${n % 2}`)),
      email: valueOf(parseEmailAddress(`mailbox-${n}@example.org`)),
      nonce: "nonce",
    };
    valueOf(await store.recipients.create(Recipient.add(identity, 1)));
  }
  valueOf(await store.aliases.retireAddress(valueOf(parseEmailAddress("erased@alias.example"))));
  store.close();

  const all = await run({ POSTERN_SQLITE_PATH: from }, "export");
  expect(all).toMatchObject({ status: 0, errors: "Records exported: 4.\n" });
  expect(all.output.split("\n")).toHaveLength(4 + 1);
  const one = await run({ POSTERN_SQLITE_PATH: from }, "export", "account-0");
  expect(one.output).toContain("mailbox-2@example.org");
  expect(one.output.split("\n")).toHaveLength(1 + 1);

  await writeFile(file, all.output);
  expect(await run({ POSTERN_SQLITE_PATH: to }, "import", file)).toEqual({
    status: 0,
    output: "",
    errors: "Records imported: 4, already stored: 0, rejected: 0.\n",
  });
  await writeFile(file, `${all.output}\n{\n${one.output.replace('"nonce":"nonce"', '"nonce":"other"')}`);
  expect(await run({ POSTERN_SQLITE_PATH: to }, "import", file)).toEqual({
    status: 1,
    output: "",
    errors:
      "line 6: is not JSON\nline 7: a different record with its id is stored\n" +
      "Records imported: 1, already stored: 3, rejected: 2.\n",
  });
  expect((await run({ POSTERN_SQLITE_PATH: to }, "export")).output).toBe(all.output);
  expect(await run({ POSTERN_SQLITE_PATH: to }, "import", join(directory, "missing"))).toMatchObject({
    status: 1,
    errors: `Cannot read ${join(directory, "missing")}.\n`,
  });
  expect(await run({ POSTERN_STORE: "memory" }, "export")).toMatchObject({
    status: 1,
    errors: "The memory store does not outlive a process: set POSTERN_STORE to sqlite or dynamodb.\n",
  });
});

test("an export of a store that does not exist fails, and creates nothing", { timeout: 60_000 }, async () => {
  const directory = await newDirectory();
  const path = join(directory, "postern.db");
  const failure = {
    status: 1,
    output: "",
    errors: `${path} is missing or empty: there is no store in it.\n`,
  };
  expect(await run({ POSTERN_SQLITE_PATH: path }, "export")).toEqual(failure);
  expect(await readdir(directory)).toEqual([]);
  await writeFile(path, "");
  expect(await run({ POSTERN_SQLITE_PATH: path }, "export", "account")).toEqual(failure);
});

test.each([
  [["backup"], "Usage: backup FILE\n"],
  [["backup", "a", "b"], "Usage: backup FILE\n"],
  [["table"], "Usage: table create|check\n"],
  [["table", "drop"], "Usage: table create|check\n"],
  [["toString"], "Unknown command toString. --help lists all commands.\n"],
  [["serve"], "Unknown command serve. --help lists all commands.\n"],
])("rejects %j with an explanation", { timeout: 60_000 }, async (args, errors) => {
  expect(await run({}, ...args)).toEqual({ status: 1, output: "", errors });
});

test("a command checks only the variables that locate the store", {
  timeout: 60_000,
}, async () => {
  const { status, errors } = await run({ POSTERN_STORE: "redis" }, "table", "check");
  expect(status).toBe(1);
  expect(errors).toContain("POSTERN_STORE must be one of: sqlite, dynamodb, memory");
  expect(errors).not.toContain("POSTERN_ISSUER");
});
