import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sqliteStore } from "@postern/adapter-sqlite";
import { NO_LIMITS, parseAccountId, parseEmailAddress, parseRecipientId, Recipient } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { expect, onTestFinished, test } from "vitest";
import { newDirectory, run } from "./support/run-command.ts";

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
  valueOf(await store.recipients.create(recipient, NO_LIMITS));

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
  [["import", "a", "b"], "Usage: import [--allow-reserved] [FILE]\n"],
  [["import"], "Set POSTERN_ALIAS_DOMAINS as for the server.\n"],
  [["table"], "Usage: table create|check\n"],
  [["table", "drop"], "Usage: table create|check\n"],
  [["toString"], "Unknown command toString. --help lists all commands.\n"],
  [["serve"], "Unknown command serve. --help lists all commands.\n"],
])("rejects %j with an explanation", { timeout: 60_000 }, async (args, errors) => {
  expect(await run({}, ...args)).toEqual({ status: 1, output: "", errors });
});

test.each([["export", "--allow-reserved"], ["--allow-reserved"], ["import", "--allow-everything"]])(
  "rejects a flag that is not the command's: %s %s",
  { timeout: 60_000 },
  async (...args) => {
    const { status, errors } = await run({ POSTERN_ALIAS_DOMAINS: "alias.example" }, ...args);
    expect(status).toBe(1);
    expect(errors).toMatch(/^Unknown option '--allow-/);
  },
);

test("a command checks only the variables that locate the store", {
  timeout: 60_000,
}, async () => {
  const { status, errors } = await run({ POSTERN_STORE: "redis" }, "table", "check");
  expect(status).toBe(1);
  expect(errors).toContain("POSTERN_STORE must be one of: sqlite, dynamodb, memory");
  expect(errors).not.toContain("POSTERN_ISSUER");
});
