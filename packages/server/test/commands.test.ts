import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sqliteStore } from "@postern/adapter-sqlite";
import { AccountId, EmailAddress, Recipient, RecipientId } from "@postern/core";
import { startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { expect, onTestFinished, test } from "vitest";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Runs the program with nothing but these variables. */
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

test("table create makes the table, once and again; check tells of it", { timeout: 120_000 }, async () => {
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
    errors: "DynamoDB: ResourceNotFoundException.\n",
  });
  for (const action of ["create", "create", "check"]) {
    expect(await run(variables, "table", action)).toEqual({
      status: 0,
      output: "",
      errors: "The table by-command is as it should be.\n",
    });
  }
});

test("backup copies the store while it is open", { timeout: 60_000 }, async () => {
  const directory = await newDirectory();
  const [path, to] = [join(directory, "postern.db"), join(directory, "backup.db")];
  const account = AccountId.parse("account");
  const identity = {
    id: RecipientId.parse("recipient"),
    account,
    email: EmailAddress.parse("me@example.org"),
    nonce: "nonce",
  };
  const recipient = Recipient.add(identity, 1);
  const store = sqliteStore({ path, clock: Date })._unsafeUnwrap();
  onTestFinished(store.close);
  (await store.recipients.create(recipient))._unsafeUnwrap();

  expect(await run({ POSTERN_SQLITE_PATH: path }, "backup", to)).toEqual({
    status: 0,
    output: "",
    errors: `${path} is backed up to ${to}.\n`,
  });
  const copy = sqliteStore({ path: to, clock: Date })._unsafeUnwrap();
  onTestFinished(copy.close);
  expect((await copy.recipients.find(account, recipient.id))._unsafeUnwrap()).toEqual(recipient);
  expect(await run({ POSTERN_SQLITE_PATH: path }, "backup", to)).toMatchObject({
    status: 1,
    errors: `${to} exists already.\n`,
  });
});

test("export and import move everything, and say what they cannot keep", { timeout: 60_000 }, async () => {
  const directory = await newDirectory();
  const [from, to, file] = ["from.db", "to.db", "records.jsonl"].map((name) => join(directory, name));
  if (from === undefined || to === undefined || file === undefined) return expect.unreachable();
  const store = sqliteStore({ path: from, clock: Date })._unsafeUnwrap();
  for (const n of [1, 2, 3]) {
    const identity = {
      id: RecipientId.parse(`recipient-${n}`),
      account: AccountId.parse(`account-${n % 2}`),
      email: EmailAddress.parse(`mailbox-${n}@example.org`),
      nonce: "nonce",
    };
    (await store.recipients.create(Recipient.add(identity, 1)))._unsafeUnwrap();
  }
  store.close();

  const all = await run({ POSTERN_SQLITE_PATH: from }, "export");
  expect(all).toMatchObject({ status: 0, errors: "3 records are written.\n" });
  expect(all.output.split("\n")).toHaveLength(3 + 1);
  const one = await run({ POSTERN_SQLITE_PATH: from }, "export", "account-0");
  expect(one.output).toContain("mailbox-2@example.org");
  expect(one.output.split("\n")).toHaveLength(1 + 1);

  await writeFile(file, all.output);
  expect(await run({ POSTERN_SQLITE_PATH: to }, "import", file)).toEqual({
    status: 0,
    output: "",
    errors: "3 records are kept, 0 were there already.\n",
  });
  await writeFile(file, `${all.output}\n{\n${one.output.replace('"nonce":"nonce"', '"nonce":"other"')}`);
  expect(await run({ POSTERN_SQLITE_PATH: to }, "import", file)).toEqual({
    status: 1,
    output: "",
    errors:
      "line 5: is not JSON\nline 6: something else of its id is in the store\n" +
      "0 records are kept, 3 were there already, 2 were refused.\n",
  });
  expect((await run({ POSTERN_SQLITE_PATH: to }, "export")).output).toBe(all.output);
  expect(await run({ POSTERN_SQLITE_PATH: to }, "import", join(directory, "missing"))).toMatchObject({
    status: 1,
    errors: `${join(directory, "missing")} cannot be read.\n`,
  });
  expect(await run({ POSTERN_STORE: "memory" }, "export")).toMatchObject({
    status: 1,
    errors: "The memory store keeps nothing: set POSTERN_STORE.\n",
  });
});

test.each([
  [["backup"], "Usage: backup FILE\n"],
  [["backup", "a", "b"], "Usage: backup FILE\n"],
  [["table"], "Usage: table create|check\n"],
  [["table", "drop"], "Usage: table create|check\n"],
  [["toString"], "There is no command toString. --help lists those there are.\n"],
  [["serve"], "There is no command serve. --help lists those there are.\n"],
])("%j is refused in words", { timeout: 60_000 }, async (args, errors) => {
  expect(await run({}, ...args)).toEqual({ status: 1, output: "", errors });
});

test("a command reads what says where the store is, and says what is wrong with it", {
  timeout: 60_000,
}, async () => {
  const { status, errors } = await run({ POSTERN_STORE: "redis" }, "table", "check");
  expect(status).toBe(1);
  expect(errors).toContain("POSTERN_STORE must be one of: sqlite, dynamodb, memory");
  expect(errors).not.toContain("POSTERN_ISSUER");
});
