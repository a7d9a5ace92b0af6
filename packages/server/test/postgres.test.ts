import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";
import { type Postgres, startPostgres } from "@postern/test-support/postgres";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { block } from "../../../scripts/document-blocks.ts";
import { startPatient } from "./support/doctor.ts";
import { environment } from "./support/environment.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { startMailbox } from "./support/mailbox.ts";
import { run } from "./support/run-command.ts";
import { runHere } from "./support/run-here.ts";
import { startServerProcess } from "./support/server-process.ts";

/* The server and its commands on PostgreSQL. */

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const on = (url: string) => ({
  POSTERN_STORE: "postgres",
  POSTERN_POSTGRES_URL: url,
  POSTERN_ALIAS_DOMAINS: "alias.example.com",
});

const emptyDatabase = async (): Promise<string> => {
  const name = `empty_${Math.random().toString(36).slice(2)}`;
  await postgres.sql(`CREATE DATABASE ${name}`);
  return `postgres://postgres:private-password@127.0.0.1:${postgres.port}/${name}`;
};

const Recipient = z.object({ recipient_id: z.string(), alias_count: z.int() });
const Alias = z.object({ alias_id: z.string(), destination_emails: z.array(z.string()) });

describe("two servers on one database", () => {
  /** The servers are called in turn. */
  const start = async () => {
    const [provider, mailbox] = [await startIdentityProvider(), await startMailbox()];
    provider.release();
    onTestFinished(provider.stop);
    onTestFinished(mailbox.stop);
    const url = await emptyDatabase();
    const variables = {
      ...environment,
      ...on(url),
      POSTERN_ISSUER: provider.issuer,
      POSTERN_SMTP_URL: `${mailbox.url}?tls.rejectUnauthorized=false`,
    };
    // Both find an empty database: one creates the tables, the other waits for it.
    const servers = await Promise.all([startServerProcess(variables), startServerProcess(variables)]);
    let turn = 0;
    const next = (): string => {
      turn += 1;
      return servers[turn % servers.length]?.url ?? expect.unreachable();
    };
    const call = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(next() + path, {
        method,
        headers: { authorization: `Bearer ${provider.token}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, json: z.looseObject({}).parse(await response.json()) };
    };
    const newRecipient = async (email: string): Promise<string> => {
      const added = await call("POST", "/recipients", { recipient_email: email });
      const link = new URL(/^http:\S+$/m.exec(mailbox.messages.at(-1)?.text ?? "")?.[0] ?? "");
      const confirmed = await fetch(`${next()}${link.pathname}${link.search}&confirm=true`);
      expect(confirmed.status).toBe(200);
      return Recipient.parse(added.json).recipient_id;
    };
    return { url, servers, call, newRecipient };
  };

  test("act as one service, even for contending writers, and survive a crash of PostgreSQL", async () => {
    const { servers, call, newRecipient } = await start();
    const [first, second] = [
      await newRecipient("first@example.com"),
      await newRecipient("second@example.com"),
    ];
    const created = await call("POST", "/aliases", { recipient_ids: [first], alias_format: "words" });
    expect(created.status).toBe(201);
    const { alias_id } = Alias.parse(created.json);

    const lists = [[first], [second], [second, first]];
    /** Repeats the request if the server was too busy, as a client does. */
    const replace = async (recipient_ids: readonly string[]): Promise<number> => {
      const { status } = await call("PUT", `/aliases/${alias_id}/recipients`, { recipient_ids });
      return status === 503 ? replace(recipient_ids) : status;
    };
    const rivals = Array.from({ length: 18 }, (_, i) => replace(lists[i % lists.length] ?? []));
    for (const status of await Promise.all(rivals)) expect(status).toBe(200);
    expect(await replace([second, first])).toBe(200);
    const addresses = ["second@example.com", "first@example.com"];
    for (const _ of ["one server", "the other one"]) {
      const { destination_emails } = Alias.parse((await call("GET", `/aliases/${alias_id}`)).json);
      expect(destination_emails).toEqual(addresses);
    }

    await postgres.kill();
    for (const { url } of servers) {
      expect((await fetch(`${url}/health`)).status).toBe(503);
    }
    expect((await call("GET", `/aliases/${alias_id}`)).status).toBe(503);
    await postgres.start();
    for (const { url } of servers) {
      await expect.poll(async () => (await fetch(`${url}/health`)).status).toBe(200);
    }
    expect(Alias.parse((await call("GET", `/aliases/${alias_id}`)).json).destination_emails).toEqual(
      addresses,
    );
    const { recipients } = z
      .object({ recipients: z.array(Recipient) })
      .parse((await call("GET", "/recipients")).json);
    expect(recipients.map(({ alias_count }) => alias_count)).toEqual([1, 1]);

    const outputs = await Promise.all(servers.map((server) => server.stop()));
    for (const output of outputs) {
      expect(output).toContain('"kind":"postgres","host":"127.0.0.1"');
      expect(output).toMatch(
        /"cause":"postgres (ECONNREFUSED|ECONNRESET|57P\d\d \w+|Connection terminated unexpectedly)"/,
      );
      expect(output).not.toContain("private-password");
    }
    expect(outputs.join("")).toContain("created a new, empty store in the database");
  });
});

test("a server that may start later, once PostgreSQL or its administrator has done something, ends with status 1", async () => {
  const ends = async (url: string) => {
    const { output, errors, status } = await run({ ...environment, ...on(url) });
    expect([output, status], errors).toEqual(["", 1]);
    return errors;
  };
  const url = new URL(await emptyDatabase());
  const changed = (part: "username" | "port" | "pathname", value: string) =>
    Object.assign(new URL(url), { [part]: value }).href;
  // This PostgreSQL asks nobody for a password.
  expect(await ends(changed("username", "stranger"))).toContain("the server does not let this user in");
  expect(await ends(changed("port", "1"))).toContain("nothing listens there");
  expect(await ends(changed("pathname", "/none"))).toContain("there is no such database");
  expect((await run(on(url.href), "import", "/dev/null")).status).toBe(0);
  await postgres.sql("INSERT INTO postern_migrations (version) VALUES (1000)", [], url.href);
  expect(await ends(url.href)).toContain("run a newer Postern");
});

test("docs/postgres.md sets up a database with an owner, and a user who only reads and writes rows", async () => {
  for (const statement of block("docs/postgres.md", "Setting up").split("\n")) await postgres.sql(statement);
  const url = (user: string) => `postgres://${user}:change%20me@127.0.0.1:${postgres.port}/postern`;
  expect((await run(on(url("postern")), "import", "/dev/null")).errors).toContain("Records imported: 0");
  const grants = block("docs/postgres.md", "Permissions");
  await postgres.sql(grants, undefined, url("postern").replace("postern:change%20me", "postgres"));
  expect(await runHere(on(url("postern_server")), "account", "suspend", "account-1")).toMatchObject({
    status: 0,
  });
});

describe("commands", () => {
  test("import and export move everything, and accounts are listed and suspended", async () => {
    const directory = newDirectory();
    const file = join(directory, "records.jsonl");
    const url = await emptyDatabase();
    expect(await runHere(on(url), "export")).toMatchObject({
      status: 1,
      errors: expect.stringMatching(
        /^The PostgreSQL database empty_\w+ on 127\.0\.0\.1:\d+ has no Postern tables: there is no store in it\. Set POSTERN_POSTGRES_URL to the database of the server\.\n$/,
      ),
    });
    const recipient = (n: number) =>
      `{"postern":1,"kind":"recipient","id":"recipient-${n}","account":"account-${n}","email":"mailbox-${n}@example.org","verifiedAt":1,"active":true,"nonce":"nonce","verificationSentAt":null,"createdAt":1,"updatedAt":1,"version":1}`;
    const retired = '{"postern":1,"kind":"retired_address","email":"erased@alias.example.com"}';
    await writeFile(file, [recipient(1), recipient(2), retired].join("\n"));
    const imported = await run(on(url), "import", file);
    expect(imported.errors).toContain("created a new, empty store in the database empty_");
    expect(imported.errors).toContain("Records imported: 3, already stored: 0, rejected: 0.\n");
    const exported = await runHere(on(url), "export");
    expect(exported).toMatchObject({ status: 0, errors: "Records exported: 3.\n" });
    const again = await run(on(await emptyDatabase()), "import", file);
    expect(again.status).toBe(0);

    expect((await runHere(on(url), "account", "list")).output).toContain("account-1");
    expect(await runHere(on(url), "account", "suspend", "account-1")).toMatchObject({ status: 0 });
    expect((await runHere(on(url), "account", "show", "account-1")).output).toMatch(/suspended/i);
    expect(await runHere(on(url), "backup", join(directory, "copy"))).toMatchObject({
      status: 1,
      errors: expect.stringContaining("POSTERN_STORE is postgres. Use pg_dump"),
    });
  });

  test("store check finds differences, and store repair fixes them", async () => {
    const url = await postgres.newDatabase();
    await postgres.sql("INSERT INTO account_usage (account, aliases) VALUES ('account', 7)", [], url);
    const what =
      "usage        account account: 7 aliases, 0 recipients, 0 of them unverified; right: 0 aliases, 0 recipients, 0 of them unverified\n";
    expect(await runHere(on(url), "store", "check")).toEqual({
      status: 1,
      output: `found     ${what}`,
      errors: "Differences: 1.\n",
    });
    expect(await runHere(on(url), "store", "repair")).toEqual({
      status: 0,
      output: `repaired  ${what}`,
      errors: "Repaired: 1. Nothing is left.\n",
    });
    expect(await runHere(on(url), "store", "check")).toMatchObject({
      status: 0,
      errors: "Nothing differs.\n",
    });
  });

  test("say what is wrong with the database, without the password", async () => {
    const refused = await runHere(
      on("postgres://user:private-password@127.0.0.1:1/postern"),
      "account",
      "list",
    );
    expect(refused).toEqual({
      status: 1,
      output: "",
      errors:
        "The PostgreSQL database postern on 127.0.0.1:1 cannot be opened (ECONNREFUSED): nothing listens there.\n",
    });
    expect((await runHere({ POSTERN_STORE: "postgres" }, "account", "list")).errors).toContain(
      "POSTERN_POSTGRES_URL is required",
    );
  });
});

describe("doctor", () => {
  let patient: Awaited<ReturnType<typeof startPatient>>;
  beforeAll(async () => {
    patient = await startPatient();
  });
  afterAll(() => patient.stop());

  test("finds nothing wrong with a healthy database, except that this one does not flush", async () => {
    const url = await postgres.newDatabase();
    const { of, status } = await patient.examine(on(url));
    expect(of("store")).toMatchObject({
      // PostgreSQL does not flush in tests.
      status: "warning",
      found: expect.stringMatching(
        /^database postern_\w+ on 127\.0\.0\.1:\d+, PostgreSQL 18\.4, schema version \d+, .+ MiB; a crash of the database's machine would lose acknowledged writes \(fsync=off, full_page_writes=off\)$/,
      ),
    });
    expect(of("store-writes")).toMatchObject({ status: "ok" });
    expect(of("store-integrity")).toMatchObject({ status: "ok", found: "redundant data is consistent" });
    expect(of("disk")).toMatchObject({ status: "ok", found: "not used: POSTERN_STORE is postgres" });
    expect(status).toBe(0);
  });

  test("finds a read-only database, and redundant data that differs", async () => {
    const url = await postgres.newDatabase();
    await postgres.sql(
      "SET session_replication_role = replica; INSERT INTO account_usage (account, aliases) VALUES ('a', 7)",
      [],
      url,
    );
    const { of, status } = await patient.examine(
      on(`${url}?options=-c%20default_transaction_read_only%3Don`),
    );
    expect(of("store-writes")).toMatchObject({
      status: "wrong",
      found: expect.stringContaining("25006 read_only_sql_transaction"),
    });
    expect(of("store-integrity")).toMatchObject({
      status: "wrong",
      found: "redundant data differs (usage)",
    });
    expect(status).toBe(1);
  });

  test("finds no tables, and no server", async () => {
    const empty = await patient.examine(on(await emptyDatabase()));
    expect(empty.of("store")).toMatchObject({
      status: "warning",
      found: expect.stringContaining("has no Postern tables"),
    });
    const silent = await patient.examine(on("postgres://user:private-password@127.0.0.1:1/postern"));
    expect(silent.of("store")).toMatchObject({
      status: "wrong",
      found: expect.stringContaining("ECONNREFUSED"),
    });
    expect(silent.of("store-writes").found).toMatch(/^skipped/);
    expect(JSON.stringify([empty.findings, silent.findings])).not.toContain("private-password");
  });
});
