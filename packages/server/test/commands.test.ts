import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { sqliteStore } from "@postern/adapter-sqlite";
import { NO_LIMITS, parseAccountId, parseEmailAddress, parseRecipientId, Recipient } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { compiled, main } from "@postern/test-support/built-server";
import { newDirectory } from "@postern/test-support/new-directory";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { describe, expect, onTestFinished, test } from "vitest";
import { forgetSearchable, requestDynamoDb } from "./support/dynamodb-request.ts";
import { environment } from "./support/environment.ts";
import { run } from "./support/run-command.ts";
import { runHere } from "./support/run-here.ts";

test("table create creates the table and can be repeated; table check checks it; table migrate migrates it", async () => {
  const dynamoDb = await sharedDynamoDb();
  const variables = {
    POSTERN_DYNAMODB_ENDPOINT: dynamoDb.endpoint,
    POSTERN_DYNAMODB_TABLE: "by-command",
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  };
  expect(await runHere(variables, "table", "check")).toEqual({
    status: 1,
    output: "",
    errors: `The DynamoDB table by-command in eu-central-1 at ${dynamoDb.endpoint} does not exist: create it with \`table create\`, or correct POSTERN_DYNAMODB_TABLE or AWS_REGION.\n`,
  });
  for (const action of ["create", "create", "check"]) {
    expect(await runHere(variables, "table", action)).toEqual({
      status: 0,
      output: "",
      errors: "The table by-command is as required.\n",
    });
  }
  await forgetSearchable(dynamoDb.endpoint, "by-command");
  const NOT_MIGRATED =
    "Searches have no index in it, and scan aliases instead: run `table migrate` once all servers have this version.";
  expect(await runHere(variables, "table", "check")).toEqual({
    status: 0,
    output: "",
    errors: `The table by-command is as required.\n${NOT_MIGRATED}\n`,
  });
  await requestDynamoDb(dynamoDb.endpoint, "UpdateTimeToLive", {
    TableName: "by-command",
    TimeToLiveSpecification: { Enabled: false, AttributeName: "expires" },
  });
  expect(await runHere(variables, "table", "check")).toEqual({
    status: 1,
    output: "",
    errors: `The table by-command is not as required:\n  time-to-live attribute is none, should be expires\n${NOT_MIGRATED}\n`,
  });
  expect(await runHere(variables, "table", "migrate")).toEqual({
    status: 0,
    output: "",
    errors:
      "The table by-command is migrated. Aliases migrated now: 0, listed for their recipients: 0, made searchable: 0. Aliases that older servers erased: 0.\n",
  });
  expect((await runHere(variables, "table", "check")).errors).not.toContain(NOT_MIGRATED);
  expect(
    await runHere({ ...variables, POSTERN_DYNAMODB_TABLE: "missing" }, "table", "migrate"),
  ).toMatchObject({
    status: 1,
    errors: expect.stringContaining("does not exist: create it with `table create`"),
  });
});

test("backup copies an open store", async () => {
  const directory = newDirectory();
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

  expect(await runHere({ POSTERN_SQLITE_PATH: path }, "backup", to)).toEqual({
    status: 0,
    output: "",
    errors: `Backed up ${path} to ${to}.\n`,
  });
  const copy = valueOf(sqliteStore({ path: to, clock: Date }));
  onTestFinished(copy.close);
  expect(valueOf(await copy.recipients.find(account, recipient.id))).toEqual(recipient);
  expect(await runHere({ POSTERN_SQLITE_PATH: path }, "backup", to)).toMatchObject({
    status: 1,
    errors: `${to} already exists.\n`,
  });
});

test.each([
  [
    "dynamodb",
    "`backup` copies a SQLite store, and POSTERN_STORE is dynamodb. Use DynamoDB's point-in-time recovery (see docs/dynamodb.md), or `export`.\n",
  ],
  [
    "memory",
    "`backup` copies a SQLite store, and POSTERN_STORE is memory. The memory store does not outlive a process: there is nothing to copy.\n",
  ],
])("backup of the %s store says what to do instead", async (store, errors) => {
  const file = join(newDirectory(), "backup.db");
  expect(await runHere({ POSTERN_STORE: store }, "backup", file)).toEqual({ status: 1, output: "", errors });
});

describe("output that cannot be written", () => {
  const incomplete = (reason: string) =>
    `Standard output cannot be written (${reason}): what was written is incomplete.\n`;
  /** Runs the program in a shell, followed by `to`: a redirection or a pipe, which can use "$@". */
  const piped = async (variables: Record<string, string>, to: string, ...args: string[]) => {
    const [program = "", ...rest] = [
      "bash",
      "--norc",
      "-c",
      `set -o pipefail; "$@" ${to}`,
      "bash",
      process.execPath,
      main,
    ];
    const child = spawn(program, [...rest, ...args], {
      env: { ...compiled, ...variables, PATH: process.env["PATH"] },
    });
    const [errors, [status]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    return { errors, status };
  };
  /** A store with this many recipients. An export of 2,000 is larger than what fits into a pipe. */
  const newStore = async (recipients: number) => {
    const path = join(newDirectory(), "postern.db");
    const store = valueOf(sqliteStore({ path, clock: Date }));
    const account = valueOf(parseAccountId("account"));
    for (let n = 0; n < recipients; n += 1) {
      const id = valueOf(parseRecipientId(`recipient-${n}`));
      const email = valueOf(parseEmailAddress(`me-${n}@example.org`));
      valueOf(await store.recipients.create(Recipient.add({ id, account, email, nonce: "n" }, 1), NO_LIMITS));
    }
    store.close();
    return { POSTERN_SQLITE_PATH: path };
  };

  test.each([1, 2_000])("to a full disk: export of %d records", async (records) => {
    const store = await newStore(records);
    expect(await piped(store, "> /dev/full", "export")).toEqual({ status: 1, errors: incomplete("ENOSPC") });
  });

  test("to a closed pipe: export", async () => {
    const store = await newStore(2_000);
    expect(await piped(store, "| head -n 1 > /dev/null", "export")).toEqual({
      status: 1,
      errors: incomplete("EPIPE"),
    });
  });

  test.each(["--help", "--version"])("to a full disk: %s", async (option) => {
    expect(await piped({}, "> /dev/full", option)).toEqual({ status: 1, errors: incomplete("ENOSPC") });
  });
});

describe("a DynamoDB that cannot be used is reported, with what to do about it", () => {
  const aws = {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret-access-key",
  };
  const dead = { ...aws, POSTERN_STORE: "dynamodb", POSTERN_DYNAMODB_ENDPOINT: "http://127.0.0.1:1" };
  const isDead =
    "DynamoDB at http://127.0.0.1:1 does not respond (ECONNREFUSED): check POSTERN_DYNAMODB_ENDPOINT, and that it runs.\n";

  test.each([[[]], [["table", "check"]], [["table", "create"]], [["export"]]])(
    "nothing at the endpoint: %j",
    async (args) => {
      expect(await runHere({ ...environment, ...dead }, ...args)).toEqual({
        status: 1,
        output: "",
        errors: isDead,
      });
    },
  );

  test.each([
    [{ AWS_REGION: "" }, "No AWS region is configured: set AWS_REGION to the region of the table.\n"],
    [
      { AWS_ACCESS_KEY_ID: "" },
      "No AWS credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine a role.\n",
    ],
  ])("%j", async (missing, errors) => {
    // Otherwise the SDK asks for the machine's role at an address that does not exist here.
    const alone = { AWS_EC2_METADATA_DISABLED: "true", HOME: newDirectory() };
    for (const args of [[], ["table", "check"]]) {
      expect(await runHere({ ...environment, ...dead, ...alone, ...missing }, ...args)).toEqual({
        status: 1,
        output: "",
        errors,
      });
    }
  });

  test("no such table, and a table with other keys", async () => {
    const dynamoDb = await sharedDynamoDb();
    await requestDynamoDb(dynamoDb.endpoint, "CreateTable", {
      TableName: "other-keys",
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "N" }],
      BillingMode: "PAY_PER_REQUEST",
    });
    const start = (table: string) =>
      run({
        ...environment,
        ...dead,
        POSTERN_DYNAMODB_ENDPOINT: dynamoDb.endpoint,
        POSTERN_DYNAMODB_TABLE: table,
        AWS_ACCESS_KEY_ID: "local",
        AWS_SECRET_ACCESS_KEY: "local",
      });
    expect(await start("missing")).toEqual({
      status: 1,
      output: "",
      errors: `The DynamoDB table missing in eu-central-1 at ${dynamoDb.endpoint} does not exist: create it with \`table create\`, or correct POSTERN_DYNAMODB_TABLE or AWS_REGION.\n`,
    });
    expect(await start("other-keys")).toEqual({
      status: 1,
      output: "",
      errors: `The DynamoDB table other-keys in eu-central-1 at ${dynamoDb.endpoint} has different keys from those that Postern needs (ValidationException): \`table check\` lists the differences.\n`,
    });
  });
});

test("a command explains a misspelled variable", async () => {
  const { status, output, errors } = await runHere({ POSTERN_SQLITE_PAHT: "a.db" }, "export");
  expect([status, output]).toEqual([78, ""]);
  expect(errors).toContain("POSTERN_SQLITE_PAHT is not a variable; did you mean POSTERN_SQLITE_PATH?\n");
});

test("an export of a store that does not exist fails, and creates nothing", async () => {
  const directory = newDirectory();
  const path = join(directory, "postern.db");
  const failure = {
    status: 1,
    output: "",
    errors: `${path} is missing or empty: there is no store in it. Set POSTERN_SQLITE_PATH to the file of the server.\n`,
  };
  expect(await runHere({ POSTERN_SQLITE_PATH: path }, "export")).toEqual(failure);
  expect(await readdir(directory)).toEqual([]);
  await writeFile(path, "");
  expect(await runHere({ POSTERN_SQLITE_PATH: path }, "export", "account")).toEqual(failure);
});

const TABLE_USAGE = `Usage: table create
       table check
       table migrate
`;

test.each([
  [["backup"], "Usage: backup FILE\n"],
  [["backup", "a", "b"], "Usage: backup FILE\n"],
  [["import", "a", "b"], "Usage: import [--allow-reserved] [FILE]\n"],
  [["import"], "Set POSTERN_ALIAS_DOMAINS as for the server.\n"],
  [["table"], TABLE_USAGE],
  [["table", "migrate", "now"], TABLE_USAGE],
  [["table", "drop"], TABLE_USAGE],
  [["toString"], "Unknown command toString. --help lists all commands.\n"],
  [["serve"], "Unknown command serve. --help lists all commands.\n"],
])("rejects %j with an explanation", async (args, errors) => {
  expect(await runHere({}, ...args)).toEqual({ status: 1, output: "", errors });
});

test.each([
  [
    ["export", "--allow-reserved"],
    "Unknown option '--allow-reserved'. Usage: export [ACCOUNT]. Put -- before an argument that begins with -.\n",
  ],
  [["--allow-reserved"], "Unknown option '--allow-reserved'. --help lists all commands.\n"],
  [
    ["import", "--allow-everything"],
    "Unknown option '--allow-everything'. Usage: import [--allow-reserved] [FILE]. Put -- before an argument that begins with -.\n",
  ],
  [
    ["table", "create", "--json"],
    "Unknown option '--json'. Usage: table create, or table check, or table migrate. Put -- before an argument that begins with -.\n",
  ],
  [
    ["import", "--allow-reserved=yes"],
    "Option '--allow-reserved' does not take an argument. Usage: import [--allow-reserved] [FILE]. Put -- before an argument that begins with -.\n",
  ],
])("rejects a flag that does not belong to the command: %j", async (args, errors) => {
  const variables = { POSTERN_ALIAS_DOMAINS: "alias.example" };
  expect(await runHere(variables, ...args)).toEqual({ status: 1, output: "", errors });
});

test("a command checks only the variables that locate the store", async () => {
  const { status, errors } = await runHere({ POSTERN_STORE: "redis" }, "table", "check");
  expect(status).toBe(78);
  expect(errors).toContain("POSTERN_STORE must be one of: sqlite, postgres, dynamodb, memory");
  expect(errors).not.toContain("POSTERN_ISSUER");
});
