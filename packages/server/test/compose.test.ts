import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { memoryStore } from "@postern/adapter-memory";
import { ok } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { newDirectory } from "@postern/test-support/new-directory";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { compose, type Replacements } from "../src/serve/composition/compose.ts";
import { configurationWith } from "./support/configuration.ts";
import { startMailbox } from "./support/mailbox.ts";

const directory = newDirectory();
const dynamoDb = await sharedDynamoDb();
const dynamoEnvironment = {
  POSTERN_STORE: "dynamodb",
  POSTERN_DYNAMODB_ENDPOINT: dynamoDb.endpoint,
  POSTERN_DYNAMODB_TABLE: await dynamoDb.newTable(),
  AWS_REGION: "eu-central-1",
};

beforeEach(() => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
});

const customMail = { verificationMail: { send: async () => ok() } };

const compositions: readonly {
  name: string;
  variables: Record<string, string>;
  replacements: Replacements;
}[] = [
  { name: "memory and SMTP", variables: { POSTERN_STORE: "memory" }, replacements: {} },
  { name: "memory and custom mail", variables: { POSTERN_STORE: "memory" }, replacements: customMail },
  { name: "a custom store and SMTP", variables: {}, replacements: { store: memoryStore() } },
  {
    name: "SQLite and SMTP",
    variables: { POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: join(directory, "postern.db") },
    replacements: {},
  },
  {
    name: "memory and SES",
    variables: { POSTERN_STORE: "memory", POSTERN_SMTP_URL: "ses://eu-central-1" },
    replacements: {},
  },
  { name: "DynamoDB and SMTP", variables: dynamoEnvironment, replacements: {} },
];

const composed = async (variables: Record<string, string> = {}, replacements: Replacements = {}) =>
  valueOf(await compose(configurationWith(variables), replacements));

describe.each(compositions)("the composition of $name", ({ variables, replacements }) => {
  test("creates each part once", async () => {
    const composition = await composed(variables, replacements);
    for (const part of [
      "logger",
      "metrics",
      "store",
      "storeLocation",
      "webhookSending",
      "postern",
    ] as const) {
      expect(composition[part]).toBeDefined();
      expect(composition[part]).toBe(composition[part]);
    }
    const api = composition.createApi();
    await api.ready();
    await api.close();
    await composition.close();
  });
});

test("sends verification mail through the replacement", async () => {
  const send = vi.fn(async () => ok());
  const composition = await composed({ POSTERN_STORE: "memory" }, { verificationMail: { send } });
  valueOf(await composition.postern.addRecipient({ account: "a", email: "me@home.example" }));
  expect(send).toHaveBeenCalledOnce();
  await composition.close();
});

test("closes SMTP connections with the composition", async () => {
  const mailbox = await startMailbox();
  onTestFinished(() => mailbox.stop());
  const url = `${mailbox.url}?tls.rejectUnauthorized=false`;
  const composition = await composed({ POSTERN_STORE: "memory", POSTERN_SMTP_URL: url });
  const { postern } = composition;
  valueOf(await postern.addRecipient({ account: "a", email: "me@home.example" }));
  expect(mailbox.messages).toHaveLength(1);
  await composition.close();
  await postern.addRecipient({ account: "a", email: "me@work.example" });
  expect(mailbox.messages).toHaveLength(1);
});

test("closes the store with the composition, even if it was never used", async () => {
  const path = { POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: join(directory, "closed.db") };
  // The file can be opened again only if it was closed.
  for (let times = 0; times < 3; times += 1) await (await composed(path)).close();
});

test("does not open the configured store if there is a replacement, and never closes the replacement", async () => {
  const path = join(directory, "unused.db");
  const store = { ...memoryStore(), close: vi.fn() };
  const composition = await composed({ POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: path }, { store });
  valueOf(await composition.postern.ping());
  await composition.close();
  expect(existsSync(path)).toBe(false);
  expect(store.close).not.toHaveBeenCalled();
});

test("reports a store that cannot be opened", async () => {
  const file = join(directory, "no-store.db");
  await writeFile(file, "This is not a SQLite file, but longer than the header of one. ".repeat(20));
  const cases = [
    [
      // Whoever reads the message does not know where the program was started.
      { POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: relative(process.cwd(), file) },
      `${file} is not a Postern database. Set POSTERN_SQLITE_PATH to the file of the server`,
    ],
    [
      { ...dynamoEnvironment, POSTERN_DYNAMODB_TABLE: "missing" },
      `The DynamoDB table missing in eu-central-1 at ${dynamoEnvironment.POSTERN_DYNAMODB_ENDPOINT} does not exist: create it with \`table create\`, or correct POSTERN_DYNAMODB_TABLE or AWS_REGION`,
    ],
  ] as const;
  for (const [variables, message] of cases) {
    const failed = await compose(configurationWith(variables));
    expect(failureOf(failed)).toEqual({ code: "cannot_open_store", message });
  }
});

test("reserves the sender's name, and the names that the operator adds", async () => {
  const store = memoryStore();
  const composition = await composed(
    { POSTERN_MAIL_FROM: "our-post@alias.example.com", POSTERN_RESERVED_NAMES: "billing" },
    { store, ...customMail },
  );
  const service = composition.postern;
  const home = valueOf(await service.adoptRecipient({ account: "a", email: "me@home.example" }));
  const recipientIds = [home.id];
  for (const name of ["our-post", "Our.Post", "billing", "postmaster"]) {
    const created = await service.createAlias({
      account: "a",
      email: `${name}@alias.example.com`,
      recipientIds,
    });
    expect(failureOf(created)).toEqual({ code: "address_not_allowed", reason: "reserved" });
  }
  const other = await service.createAlias({ account: "a", email: "shop@alias.example.com", recipientIds });
  expect(other.isOk()).toBe(true);
  await composition.close();
});
