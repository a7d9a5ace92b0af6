import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { ok } from "neverthrow";
import { afterAll, describe, expect, test, vi } from "vitest";
import { compose, type Replacements } from "../src/composition/compose.ts";
import { tokens } from "../src/composition/tokens.ts";
import { readConfiguration } from "../src/configuration/configuration.ts";
import { environment } from "./support/environment.ts";

const directory = await mkdtemp(join(tmpdir(), "compose-test-"));
const dynamoDb = await startDynamoDbLocal();
const dynamoEnvironment = {
  POSTERN_STORE: "dynamodb",
  POSTERN_DYNAMODB_ENDPOINT: dynamoDb.endpoint,
  POSTERN_DYNAMODB_TABLE: await dynamoDb.newTable(),
  AWS_REGION: "eu-central-1",
};
vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");

afterAll(async () => {
  await dynamoDb.stop();
  await rm(directory, { recursive: true });
});

const ownMail = { verificationMail: { send: async () => ok() } };

const compositions: readonly {
  name: string;
  variables: Record<string, string>;
  replacements: Replacements;
}[] = [
  { name: "memory and SMTP", variables: { POSTERN_STORE: "memory" }, replacements: {} },
  {
    name: "memory and the embedder's own mail",
    variables: { POSTERN_STORE: "memory" },
    replacements: ownMail,
  },
  {
    name: "SQLite and SMTP",
    variables: { POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: join(directory, "postern.db") },
    replacements: {},
  },
  { name: "DynamoDB and SMTP", variables: dynamoEnvironment, replacements: {} },
];

const composed = async (variables: Record<string, string> = {}, replacements: Replacements = {}) =>
  (
    await compose(readConfiguration({ ...environment, ...variables })._unsafeUnwrap(), replacements)
  )._unsafeUnwrap();

describe.each(compositions)("the composition of $name", ({ variables, replacements }) => {
  test.each(Object.entries(tokens))("has one %s", async (_, token) => {
    const container = await composed(variables, replacements);
    const resolved = container.get<unknown>(token);
    expect(resolved).toBeDefined();
    expect(container.get<unknown>(token)).toBe(resolved);
    await container.unbindAllAsync();
  });

  test("mails by what it was given", async () => {
    const container = await composed(variables, replacements);
    const given = replacements.verificationMail;
    if (given !== undefined) expect(container.get(tokens.verificationMail)).toBe(given);
    else expect(container.get(tokens.verificationMail)).toHaveProperty("close");
    await container.unbindAllAsync();
  });
});

test("SMTP connections are closed with the composition", async () => {
  const container = await composed();
  const mail = container.get(tokens.verificationMail);
  if (!("close" in mail) || typeof mail.close !== "function") expect.unreachable("not the SMTP adapter");
  const close = vi.spyOn(mail as { close(): void }, "close");
  await container.unbindAllAsync();
  expect(close).toHaveBeenCalledOnce();
});

test("the store is closed with the composition, whether or not it was asked for", async () => {
  const path = { POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: join(directory, "closed.db") };
  // The file is given free each time: it can be opened again.
  for (let times = 0; times < 3; times += 1) await (await composed(path)).unbindAllAsync();
});

test("a store that cannot be opened is said in words", async () => {
  const file = join(directory, "no-store.db");
  await writeFile(
    file,
    "nothing of ours, and longer than a header of SQLite's would have to be: ".repeat(20),
  );
  const cases = [
    [{ POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: file }, `${file} is not a Postern database`],
    [
      { ...dynamoEnvironment, POSTERN_DYNAMODB_TABLE: "missing" },
      "The DynamoDB table missing cannot be used (ResourceNotFoundException)",
    ],
  ] as const;
  for (const [variables, message] of cases) {
    const failed = await compose(readConfiguration({ ...environment, ...variables })._unsafeUnwrap());
    expect(failed._unsafeUnwrapErr()).toEqual({ code: "cannot_open_store", message });
  }
});
