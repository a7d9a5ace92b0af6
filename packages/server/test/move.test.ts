import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "@postern/adapter-sqlite";
import { postern, throwing } from "@postern/core";
import { parseApiKey, parseWebhook } from "@postern/core/store";
import { testPorts, valueOf } from "@postern/core/testing";
import { compiled, main } from "@postern/test-support/built-server";
import { newDirectory } from "@postern/test-support/new-directory";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import { startPermissionProxy } from "./support/permission-proxy.ts";
import { run, start } from "./support/run-command.ts";
import { runHere } from "./support/run-here.ts";

const DOMAINS = { POSTERN_ALIAS_DOMAINS: "alias.example" };
const MIB = 2 ** 20;

const open = (path: string) => {
  const store = valueOf(sqliteStore({ path, clock: Date }));
  onTestFinished(store.close);
  return store;
};

const WEBHOOK = {
  id: "abcdefghijklmnopqrstuvwxyz",
  account: "account-1",
  url: "https://me.example/postern",
  events: ["alias.created"],
  secret: `whsec_${"A".repeat(43)}=`,
  off: null,
  createdAt: 1,
  updatedAt: 1,
  version: 1,
};

const API_KEY = {
  id: "abcdefghijklmnopqrstuvwxyz",
  account: "account-1",
  hash: "0123456789abcdef",
  name: "Password manager",
  scopes: ["aliases:create"],
  aliasDomain: "alias.example",
  recipientIds: null,
  expiresAt: null,
  createdAt: 1,
  lastUse: null,
};

/** A store with a recipient of account 0, two of account 1, an alias, a webhook and an API key of account 1, and a retired address. */
const newStore = async (path: string) => {
  const store = open(path);
  const service = throwing(postern({ store, aliasDomains: ["alias.example"], ...testPorts() }));
  for (const n of [1, 2, 3]) {
    const { id } = await service.adoptRecipient({
      account: `account-${n % 2}`,
      email: `mailbox-${n}@example.org`,
    });
    if (n !== 3) continue;
    const create = { account: "account-1", recipientIds: [id] };
    await service.createAlias({ ...create, email: "shop@alias.example" });
    const erased = await service.createAlias({ ...create, email: "erased@alias.example" });
    await service.eraseAlias({ account: "account-1", aliasId: erased.id });
  }
  valueOf(await store.webhooks.create(valueOf(parseWebhook(WEBHOOK))));
  valueOf(await store.apiKeys.create(valueOf(parseApiKey(API_KEY))));
  store.close();
};

/** The messages that commands print, without the log lines. */
const messages = (errors: string): string => errors.replace(/^\{.*\}\n/gm, "");

test("export and import move everything, and report rejected lines", async () => {
  const directory = newDirectory();
  const file = join(directory, "records.jsonl");
  const from = { ...DOMAINS, POSTERN_SQLITE_PATH: join(directory, "from.db") };
  const to = { ...DOMAINS, POSTERN_SQLITE_PATH: join(directory, "to.db") };
  await newStore(from.POSTERN_SQLITE_PATH);

  const all = await runHere(from, "export");
  expect(all).toMatchObject({ status: 0, errors: "Records exported: 7.\n" });
  expect(all.output.split("\n")).toHaveLength(7 + 1);
  expect(all.output).toContain(WEBHOOK.secret);
  const one = await runHere(from, "export", "account-0");
  expect(one.output).toContain("mailbox-2@example.org");
  expect(one.output.split("\n")).toHaveLength(1 + 1);

  await writeFile(file, all.output);
  const first = await run(to, "import", file);
  expect(first).toMatchObject({ status: 0, output: "" });
  expect(first.errors).toContain(`created a new, empty store at ${to.POSTERN_SQLITE_PATH}`);
  expect(messages(first.errors)).toBe("Records imported: 7, already stored: 0, rejected: 0.\n");
  await writeFile(file, `${all.output}\n{\n${one.output.replace('"active":true', '"active":false')}`);
  expect(await runHere(to, "import", file)).toEqual({
    status: 1,
    output: "",
    errors:
      "line 9: is not JSON\nline 10: a different record with its id is stored\n" +
      "Records imported: 1, already stored: 6, rejected: 2.\n",
  });
  expect((await runHere(to, "export")).output).toBe(all.output);
  expect(await runHere({ POSTERN_STORE: "memory" }, "export")).toMatchObject({
    status: 1,
    errors:
      "The memory store does not outlive a process: set POSTERN_STORE to sqlite, postgres or dynamodb.\n",
  });
});

// `script` of util-linux gives a program a terminal.
test.skipIf(process.platform !== "linux" || !existsSync("/usr/bin/script"))(
  "on a terminal, an export shows how many records there are",
  async () => {
    const directory = newDirectory();
    const path = join(directory, "postern.db");
    await newStore(path);
    const shown = (...args: string[]) => {
      const command = [process.execPath, main, "export", ...args].join(" ");
      const script = ["-q", "-e", "-c", `${command} > ${join(directory, "records.jsonl")}`, "/dev/null"];
      return execFileSync("/usr/bin/script", script, {
        env: { ...compiled, PATH: process.env["PATH"], POSTERN_SQLITE_PATH: path },
        encoding: "utf8",
      });
    };
    expect(shown()).toBe("\r7 records of 7\r\nRecords exported: 7.\r\n");
    expect(shown("account-0")).toBe("\r1 records\r\nRecords exported: 1.\r\n");
  },
);

test("importing a file that cannot be read creates no store, and exporting an unknown account is an error", async () => {
  const directory = newDirectory();
  const path = join(directory, "postern.db");
  const variables = { ...DOMAINS, POSTERN_SQLITE_PATH: path };
  for (const [file, code] of [
    [join(directory, "missing"), "ENOENT"],
    [directory, "EISDIR"],
  ] as const) {
    expect(await runHere(variables, "import", file)).toEqual({
      status: 1,
      output: "",
      errors: `Cannot read ${file} (${code}): nothing was imported.\n`,
    });
  }
  expect(existsSync(path)).toBe(false);
  await newStore(path);
  expect(await runHere(variables, "export", "nobody")).toEqual({
    status: 1,
    output: "",
    errors: "Nothing is stored for this account: check its id.\n",
  });
});

test("an empty import is an error, unless it is expected to be empty", async () => {
  const directory = newDirectory();
  const file = join(directory, "empty.jsonl");
  await writeFile(file, "");
  const variables = { ...DOMAINS, POSTERN_SQLITE_PATH: join(directory, "postern.db") };
  const imported = "Records imported: 0, already stored: 0, rejected: 0.\n";
  const prepared = await run(variables, "import", "/dev/null");
  expect([prepared.status, messages(prepared.errors)]).toEqual([0, imported]);
  const empty = {
    status: 1,
    output: "",
    errors: `The input is empty: the export may have failed. ${imported}`,
  };
  expect(await runHere(variables, "import", file)).toEqual(empty);
  const piped = start(variables, "import");
  piped.child.stdin?.end();
  expect(await piped.ended).toEqual(empty);
});

test("an import refuses records that the domain would refuse, says why, and needs a flag for reserved names", async () => {
  const directory = newDirectory();
  const file = join(directory, "records.jsonl");
  const from = { POSTERN_SQLITE_PATH: join(directory, "from.db") };
  const to = { ...DOMAINS, POSTERN_SQLITE_PATH: join(directory, "to.db") };
  await newStore(from.POSTERN_SQLITE_PATH);
  const lines = (await runHere(from, "export")).output.trim().split("\n");
  const alias = lines.find((line) => line.includes("shop@")) ?? expect.unreachable("there is no alias");
  const webhook = lines.find((line) => line.includes("whsec_")) ?? expect.unreachable("there is no webhook");
  const apiKey = lines.find((line) => line.includes("api_key")) ?? expect.unreachable("there is no API key");
  const archive = [
    ...lines.filter((line) => line.includes('"kind":"recipient"')),
    alias.replace("mailbox-3@example.org", "stranger@example.net"),
    alias.replace("shop@alias.example", "shop@elsewhere.example"),
    alias.replace("shop@alias.example", "postmaster@alias.example"),
    alias.replace('"version":1', '"version":9007199254740991'),
    '{"postern":1,"kind":"retired_address","email":"x@alias.example","\\u001b]0;pwned\\u0007\\u202e":1}',
    `{"postern":1,"kind":"retired_address","email":"x@alias.example","${"long".repeat(1000)}":1}`,
    ...["b", "c", "d", "e", "f", "g"].map((id) => webhook.replace(WEBHOOK.id, id.repeat(26))),
    webhook.replace("https:", "http:"),
    ...[..."bcdefghijklmnopqrstuv"].map((id) =>
      apiKey.replace(API_KEY.id, id.repeat(26)).replace(API_KEY.hash, id.repeat(16)),
    ),
    apiKey.replace("account-1", "account-2").replace(API_KEY.hash, "b".repeat(16)),
    apiKey.replace('"alias.example"', '"elsewhere.example"'),
  ];
  await writeFile(file, archive.join("\n"));
  const imported = await run(to, "import", file);
  expect(imported.status).toBe(1);
  expect(messages(imported.errors).split("\n")).toEqual([
    "line 4: its destinations are not the addresses of its recipients, or one is listed twice",
    "line 5: its domain is not one of POSTERN_ALIAS_DOMAINS",
    "line 6: its address has a reserved name; --allow-reserved stores it anyway",
    "line 7: version must be at most 2147483647",
    "line 8: \\u{1b}]0;pwned\\u{7}\\u{202e} is not a known field",
    `line 9: ${"long".repeat(50)}…`,
    "line 15: its account already has 5 webhooks",
    "line 16: url must begin with https://",
    "line 37: its account already has 20 API keys",
    "line 38: another API key has its hash",
    "line 39: its domain is not one of POSTERN_ALIAS_DOMAINS",
    "Records imported: 28, already stored: 0, rejected: 11.",
    "",
  ]);
  expect(messages((await runHere(to, "import", "--allow-reserved", file)).errors)).toContain(
    "Records imported: 1, already stored: 28, rejected: 10.",
  );
});

test("an import refuses a line of 600 MiB without reading it into memory, and reads the next one", async () => {
  const directory = newDirectory();
  const file = join(directory, "records.jsonl");
  const variables = { ...DOMAINS, POSTERN_SQLITE_PATH: join(directory, "postern.db") };
  await writeFile(file, "");
  // A sparse file, which takes no space on the disk. Longer than any string in Node can be.
  await truncate(file, 600 * MIB);
  await appendFile(file, '\n{"postern":1,"kind":"retired_address","email":"x@alias.example"}\n');
  const { child, ended } = start(variables, "import", file);
  const peaks: number[] = [];
  const watch = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
    const [, kib] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
    if (kib !== undefined) peaks.push(Number(kib) / 1024);
  }, 20);
  const { status, errors } = await ended;
  clearInterval(watch);
  expect(status).toBe(1);
  expect(messages(errors)).toBe(
    "line 1: is longer than 1 MiB\nRecords imported: 1, already stored: 0, rejected: 1.\n",
  );
  // The program itself takes about 150 MiB.
  if (process.platform === "linux") expect(Math.max(...peaks)).toBeGreaterThan(0);
  expect(Math.max(0, ...peaks)).toBeLessThan(400);
});

test("a store that responds is not reported as unresponsive", async () => {
  const directory = newDirectory();
  const file = join(directory, "records.jsonl");
  const path = join(directory, "postern.db");
  const variables = { ...DOMAINS, POSTERN_SQLITE_PATH: path };
  await newStore(path);
  await writeFile(file, '{"postern":1,"kind":"retired_address","email":"x@alias.example"}\n');
  const tool = new DatabaseSync(path);
  onTestFinished(() => tool[Symbol.dispose]());
  tool.exec("CREATE TRIGGER full BEFORE INSERT ON retired_addresses BEGIN SELECT RAISE(ABORT, 'full'); END");
  expect(await runHere(variables, "import", file)).toEqual({
    status: 1,
    output: "",
    errors:
      "line 1: the store responds, but failed to store it (sqlite SQLITE_CONSTRAINT_TRIGGER)\n" +
      "Records imported: 0, already stored: 0, rejected: 1.\n",
  });
  tool.exec("UPDATE recipients SET nonce = 'x', verification_sent_at = -1 WHERE account = 'account-1'");
  expect(await runHere(variables, "export")).toMatchObject({
    status: 1,
    errors:
      "The export is incomplete: the store responds, but a record could not be read " +
      "(sqlite a row of recipients does not parse). Records exported: 1.\n",
  });
});

test("an import that is killed can be repeated: nothing that it stored is half done", async () => {
  const directory = newDirectory();
  const file = join(directory, "records.jsonl");
  const from = { ...DOMAINS, POSTERN_SQLITE_PATH: join(directory, "from.db") };
  const to = { ...DOMAINS, POSTERN_SQLITE_PATH: join(directory, "to.db") };
  await newStore(from.POSTERN_SQLITE_PATH);
  const lines = (await runHere(from, "export")).output.trim().split("\n");
  const recipient = lines.find((line) => line.includes("mailbox-3@")) ?? expect.unreachable("there is none");
  const alias = lines.find((line) => line.includes("shop@")) ?? expect.unreachable("there is no alias");
  const { id } = JSON.parse(alias);
  const aliases = Array.from({ length: 1_199 }, (_, n) =>
    alias.replace(id, `${id}-${n}`).replace("shop@", `shop-${n}@`),
  );
  const archive = [recipient, ...aliases].map((line) => `${line}\n`);

  const { child, ended } = start(to, "import");
  let errors = "";
  child.stderr?.on("data", (text) => {
    errors += text;
  });
  // The line that is rejected is the last one of the second batch of 500; the third one never becomes full.
  child.stdin?.write([...archive.slice(0, 999), "{\n", ...archive.slice(999)].join(""));
  await expect.poll(() => errors).toContain("line 1000: is not JSON");
  child.kill("SIGKILL");
  await ended;

  await writeFile(file, archive.join(""));
  expect(await runHere(to, "import", file)).toEqual({
    status: 0,
    output: "",
    errors: "Records imported: 201, already stored: 999, rejected: 0.\n",
  });
  const stored = (await runHere(to, "export")).output;
  expect(stored.trim().split("\n").toSorted()).toEqual(archive.map((line) => line.trim()).toSorted());
});

/** A signal makes the process wait for DynamoDB for 3 seconds instead of 30. */
const IMPATIENT = `--import=data:text/javascript,${encodeURIComponent(`
  const { timeout } = AbortSignal;
  process.once("SIGUSR2", () => {
    AbortSignal.timeout = (milliseconds) => timeout.call(AbortSignal, milliseconds / 10);
    console.log("impatient");
  });`)}`;

test("an import stops at the first record that a store does not respond to", async () => {
  const dynamoDb = await sharedDynamoDb();
  const { endpoint, stop } = await startPermissionProxy(dynamoDb.endpoint);
  onTestFinished(stop);
  const variables = {
    ...DOMAINS,
    POSTERN_STORE: "dynamodb",
    POSTERN_DYNAMODB_ENDPOINT: endpoint,
    POSTERN_DYNAMODB_TABLE: await dynamoDb.newTable(),
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  };
  const { child, ended } = start({ ...variables, NODE_OPTIONS: IMPATIENT }, "import");
  const line = (name: string) => `{"postern":1,"kind":"retired_address","email":"${name}@alias.example"}\n`;
  let [output, errors] = ["", ""];
  child.stdout?.on("data", (text) => {
    output += text;
  });
  child.stderr?.on("data", (text) => {
    errors += text;
  });
  child.stdin?.write(`${line("a")}{\n`);
  await expect.poll(() => errors).toContain("line 2: is not JSON");
  await stop();
  child.kill("SIGUSR2");
  await expect.poll(() => output).toBe("impatient\n");
  child.stdin?.end(line("b") + line("c"));
  const { status } = await ended;
  expect(status).toBe(1);
  expect(errors).toMatch(
    /^line 2: is not JSON\nThe store did not respond at line 3 \(dynamodb (ECONNREFUSED|ECONNRESET) until the deadline\): import again\. Records imported: 1, already stored: 0, rejected: 1\.\n$/,
  );
});
