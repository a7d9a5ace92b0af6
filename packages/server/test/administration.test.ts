import { spawn } from "node:child_process";
import { once } from "node:events";
import { open as openFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "@postern/adapter-sqlite";
import { parseAccountId, postern } from "@postern/core";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import { compiled, main } from "@postern/test-support/built-server";
import { newDirectory } from "@postern/test-support/new-directory";
import { describe, expect, test } from "vitest";
import { sharedStores, startAdministered } from "./support/administered.ts";
import { runHere } from "./support/run-here.ts";

const ACCOUNT = "the-account";
const OTHER = "other-account";

const done = (errors: string | RegExp, output: string | RegExp = "") => ({
  status: 0,
  output: typeof output === "string" ? output : expect.stringMatching(output),
  errors: typeof errors === "string" ? errors : expect.stringMatching(errors),
});
const refused = (errors: string) => ({ status: 1, output: "", errors });

describe.each(Object.entries(sharedStores))("on a running server with %s", (_, open) => {
  test("an account is suspended, resumed and erased", async () => {
    const administered = await startAdministered(await open());
    const { call, command, addRecipient, addAlias, addApiKey } = administered;
    const { newestLink, confirm, resolve, tenSecondsLater } = administered;
    const { recipient_id } = await addRecipient(ACCOUNT, "me@example.org");
    expect(await confirm(newestLink(), "confirm")).toBe(200);
    await addRecipient(ACCOUNT, "new@example.org");
    const alias = await addAlias(ACCOUNT, [recipient_id]);
    const gone = await addAlias(ACCOUNT, [recipient_id]);
    expect((await call(ACCOUNT, "DELETE", `/aliases/${gone.alias_id}`)).status).toBe(200);
    const blocked = await call(ACCOUNT, "POST", "/blocked-senders", { sender: "spam.example" });
    expect(blocked.status).toBe(200);
    const webhook = { url: "https://me.example/postern", events: ["message.failed"] };
    expect((await call(ACCOUNT, "POST", "/webhooks", webhook)).status).toBe(201);
    await addApiKey(ACCOUNT);
    await addRecipient(OTHER, "they@example.org");
    const status = async (account: string) => (await call(account, "GET", "/aliases")).status;

    const listed = await command("account", "list");
    expect(listed).toEqual(
      done("Accounts listed: 2.\n", /^(the-account|other-account)\n(?!\1)(the-account|other-account)\n$/),
    );
    expect(await command("account", "show", ACCOUNT)).toEqual(
      done(
        "This is the current state.\n",
        "account: the-account\nsuspended: no\naliases: 1 active, 0 inactive, 1 deleted\nrecipients: 1 active, 0 inactive, 1 unverified\nblocked senders: 1\nwebhooks: 1\nAPI keys: 1\n",
      ),
    );
    expect(await command("alias", "owner", alias.alias_email.replace("@", "+tag@").toUpperCase())).toEqual(
      done(
        "An alias has this address without its tag.\n",
        `account: the-account\nalias: ${alias.alias_id}\nstate: active\n`,
      ),
    );
    expect(await command("alias", "owner", gone.alias_email)).toMatchObject({
      output: expect.stringContaining("\nstate: deleted\n"),
    });

    expect(await command("account", "suspend", ACCOUNT)).toEqual(
      done(
        "Suspended: the account can do nothing, and its aliases accept no mail. Servers that are running notice within 10 seconds.\n",
      ),
    );
    tenSecondsLater();
    await expect.poll(() => status(ACCOUNT)).toBe(403);
    expect(
      await call(ACCOUNT, "PUT", `/aliases/${alias.alias_id}/recipients`, { recipient_ids: [recipient_id] }),
    ).toMatchObject({
      status: 403,
      body: { code: "account_suspended", detail: expect.stringContaining("Ask the operator") },
    });
    expect(await status(OTHER)).toBe(200);
    expect(failureOf(await resolve(alias.alias_email))).toEqual({
      code: "account_suspended",
      account: ACCOUNT,
      aliasId: alias.alias_id,
    });
    const { output } = await command("account", "list", "--json");
    const suspendedAt = expect.toSatisfy((time: number) => Math.abs(Date.now() - time) < 120_000);
    expect(
      output
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(
      expect.arrayContaining([
        { account: ACCOUNT, suspendedAt },
        { account: OTHER, suspendedAt: null },
      ]),
    );
    expect(await command("alias", "owner", alias.alias_email)).toMatchObject({
      output: expect.stringContaining("\nstate: active, account suspended\n"),
    });
    expect((await command("account", "show", "--json", ACCOUNT)).output).toBe(
      `${JSON.stringify({
        account: ACCOUNT,
        suspendedAt: JSON.parse(output.split("\n").find((line) => line.includes(ACCOUNT)) ?? "").suspendedAt,
        aliases: { active: 1, inactive: 0, deleted: 1 },
        recipients: { active: 1, inactive: 0, unverified: 1 },
        blockedSenders: 1,
        webhooks: 1,
        apiKeys: 1,
      })}\n`,
    );
    expect(await command("account", "suspend", ACCOUNT)).toEqual(
      done(/^The account has been suspended since 2\d{3}-.*Z\.\n$/),
    );

    expect(await command("account", "resume", ACCOUNT)).toMatchObject(
      done(/^Resumed: the account is as it was/),
    );
    expect(await command("account", "resume", ACCOUNT)).toEqual(done("The account is not suspended.\n"));
    tenSecondsLater();
    await expect.poll(() => status(ACCOUNT)).toBe(200);
    expect(valueOf(await resolve(alias.alias_email)).alias.id).toBe(alias.alias_id);

    expect(await command("account", "erase", ACCOUNT)).toEqual(
      refused("Nothing was erased: this cannot be undone, so confirm it with --yes.\n"),
    );
    await command("account", "suspend", ACCOUNT);
    expect(await command("account", "erase", "--yes", ACCOUNT)).toEqual(
      done(
        /^Aliases erased: 2, recipients: 2, blocked senders: 1, webhooks: 1, API keys: 1\. What remains: the addresses of its aliases/,
      ),
    );
    expect(await command("account", "show", ACCOUNT)).toEqual(
      refused("Nothing is stored for this account: check its id.\n"),
    );
    expect(await command("account", "erase", "--yes", ACCOUNT)).toEqual(
      done(
        /^Warning: the account is not suspended.*\nAliases erased: 0, recipients: 0, blocked senders: 0, webhooks: 0, API keys: 0\. Nothing was stored for this account: .*check its id\.\n$/,
      ),
    );
    expect((await command("account", "list")).output).toBe("other-account\n");
    expect(await command("alias", "owner", alias.alias_email)).toEqual(
      refused(
        "The alias with this address was erased: the address stays taken, and its owner is no longer stored.\n",
      ),
    );
    expect(await command("alias", "owner", "nobody@alias.example.com")).toEqual(
      refused("No alias has this address.\n"),
    );
    expect(await command("account", "erase", "--yes", OTHER)).toMatchObject(
      done(
        /^Warning: the account is not suspended.*\nAliases erased: 0, recipients: 1, blocked senders: 0, webhooks: 0, API keys: 0\. What remains/,
      ),
    );
  });

  test("verification links are sent again, within the limits", async () => {
    const { command, addUnsent, newestLink, confirm, mailbox, variables } = await startAdministered(
      await open(),
    );
    const resend = (id: string) => command("recipient", "resend", ACCOUNT, id);
    const [first, second] = [
      await addUnsent(ACCOUNT, "me@example.org"),
      await addUnsent(ACCOUNT, "you@example.org"),
    ];
    for (const [id, sent] of [first, second].map((each, i) => [each, i + 1] as const)) {
      expect(await resend(id)).toEqual(
        done(
          "Sent a new verification link, at once and through POSTERN_SMTP_URL. Earlier links to this recipient no longer work, and a message with one that is still in a server's queue is not sent.\n",
        ),
      );
      expect(mailbox.messages).toHaveLength(sent);
    }
    const limited = refused(
      "Nothing was sent: too many messages were sent to this mailbox or for this account. Try again in a minute.\n",
    );
    expect(await resend(second)).toEqual(limited);
    expect(await confirm(newestLink(), "suppress")).toBe(200);
    expect(await resend(second)).toMatchObject({
      errors: expect.stringMatching(/^Nothing was sent: the owner of this mailbox has asked never/),
    });
    expect(await command("mailbox", "release", "YOU+x@example.org")).toEqual(
      done("Released: verification messages can be sent to this mailbox again.\n"),
    );
    expect(await command("mailbox", "release", "you@example.org")).toMatchObject({
      status: 1,
      errors: expect.stringMatching(/^This mailbox is not suppressed\./),
    });
    expect(await resend(second)).toEqual(limited);

    await command("account", "suspend", ACCOUNT);
    expect(await resend(second)).toEqual(
      refused("Nothing was sent: the account is suspended. Run `account resume` first.\n"),
    );
    await command("account", "resume", ACCOUNT);
    expect(await confirm(newestLink(), "confirm")).toBe(200);
    expect(await resend(second)).toEqual(done("The recipient is verified already: nothing was sent.\n"));
    expect(await resend("unknown")).toEqual(
      refused("The account has no recipient with this id: nothing was sent.\n"),
    );
    expect(mailbox.messages.map(({ from }) => from?.name)).toEqual(["Posthorn", "Posthorn"]);

    const third = await addUnsent(ACCOUNT, "they@example.org");
    expect(
      await runHere(
        { ...variables, POSTERN_SMTP_URL: "smtp://127.0.0.1:1" },
        "recipient",
        "resend",
        ACCOUNT,
        third,
      ),
    ).toEqual(
      refused(
        "The message was not sent (smtp connect: ECONNREFUSED), and earlier links to this recipient no longer work: check POSTERN_SMTP_URL and the mail server, and try again.\n",
      ),
    );
    const { POSTERN_SMTP_URL: _, POSTERN_LINK_SECRET: __, ...others } = variables;
    expect(await runHere(others, "recipient", "resend", ACCOUNT, third)).toEqual(
      refused(
        "Set these variables as for the server: POSTERN_LINK_SECRET is required, or POSTERN_LINK_SECRET_FILE; POSTERN_SMTP_URL is required, or POSTERN_SMTP_URL_FILE.\n",
      ),
    );
    expect(await runHere(others, "mailbox", "release", "me@example.org")).toEqual(
      refused(
        "Set these variables as for the server: POSTERN_LINK_SECRET is required, or POSTERN_LINK_SECRET_FILE.\n",
      ),
    );
  });
});

/** A store with one account, and the variables that locate it. */
const stored = async (account: string) => {
  const path = join(newDirectory(), "postern.db");
  const store = valueOf(sqliteStore({ path, clock: Date }));
  valueOf(await store.suspensions.suspend(valueOf(parseAccountId(account)), 0));
  store.close();
  return { POSTERN_SQLITE_PATH: path };
};

test("characters that a terminal would act on are escaped, and JSON has the account unchanged", async () => {
  const account = "a\u202eb\u200d";
  const active = "c\u202e";
  const variables = await stored(account);
  const store = valueOf(sqliteStore({ path: variables.POSTERN_SQLITE_PATH, clock: Date }));
  const service = postern({ store, aliasDomains: ["alias.test"], ...testPorts() });
  valueOf(await service.adoptRecipient({ account: active, email: "me@home.test" }));
  store.close();
  expect((await runHere(variables, "account", "list")).output).toBe(
    "a\\u{202e}b\\u{200d}\tsuspended since 1970-01-01T00:00:00.000Z\nc\\u{202e}\n",
  );
  expect((await runHere(variables, "account", "list", "--json")).output).toBe(
    `{"account":${JSON.stringify(account)},"suspendedAt":0}\n{"account":${JSON.stringify(active)},"suspendedAt":null}\n`,
  );
  expect((await runHere(variables, "account", "show", account)).output).toMatch(/^account: a\\u\{202e\}b/);
});

/** Overwrites the table's first page. */
const damage = async (path: string, table: string) => {
  using db = new DatabaseSync(path);
  const root = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table)?.["rootpage"];
  await using file = await openFile(path, "r+");
  await file.write(Buffer.alloc(4096, 0xff), 0, 4096, (Number(root) - 1) * 4096);
};

test("a command says why the store failed", async () => {
  const variables = await stored(ACCOUNT);
  await damage(variables.POSTERN_SQLITE_PATH, "suspensions");
  const cause = "The store failed (sqlite SQLITE_CORRUPT)";
  expect(await runHere(variables, "account", "list")).toMatchObject({
    status: 1,
    errors: `${cause}: the list is incomplete. Accounts listed: 0.\n`,
  });
  for (const args of [
    ["account", "suspend", ACCOUNT],
    ["account", "erase", "--yes", ACCOUNT],
  ]) {
    const { status, errors } = await runHere(variables, ...args);
    expect(status).toBe(1);
    expect(errors).toContain(`${cause}: `);
  }
});

/**
 * Runs a command on a terminal (provided by the `script` command), and types the text when prompted. Returns what the
 * terminal shows.
 */
const onTerminal = async (variables: Record<string, string>, command: string, typed: string) => {
  const child = spawn(
    "script",
    ["--quiet", "--return", "--command", `${process.execPath} ${main} ${command}`, "/dev/null"],
    { env: { PATH: process.env["PATH"], ...compiled, ...variables } },
  );
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const asked = shown.includes("to go on: ");
    shown += text;
    if (!asked && shown.includes("to go on: ")) child.stdin.write(typed);
  });
  await once(child, "close");
  return shown;
};

test("on a terminal, erasing asks for the account", async () => {
  const variables = await stored(ACCOUNT);
  for (const typed of ["yes\r", "\u0004"]) {
    const shown = await onTerminal(variables, `account erase ${ACCOUNT}`, typed);
    expect(shown).toContain(`This erases everything that ${ACCOUNT} has, and cannot be undone.`);
    expect(shown).toContain("Nothing was erased: that is not the account id.");
  }
  expect((await runHere(variables, "account", "list")).output).toContain(ACCOUNT);
  expect(await onTerminal(variables, `account erase ${ACCOUNT}`, `${ACCOUNT}\r`)).toContain("What remains");
  expect((await runHere(variables, "account", "list")).output).toBe("");
});

const ACCOUNT_USAGE = /^Usage: account list \[--json\]\n( {7}account [^\n]+\n){4}$/;
const ALIAS_USAGE =
  /^Usage: alias create \[--json\] ACCOUNT ADDRESS RECIPIENT\.\.\.\n( {7}alias [^\n]+\n){5}$/;
const RECIPIENT_USAGE = /^Usage: recipient adopt \[--json\] ACCOUNT ADDRESS\n( {7}recipient [^\n]+\n){2}$/;

test.each([
  [["account"], ACCOUNT_USAGE],
  [["account", "drop", "a"], ACCOUNT_USAGE],
  [["account", "list", "a"], ACCOUNT_USAGE],
  [["account", "suspend"], ACCOUNT_USAGE],
  [["account", "suspend", "--yes", "a"], ACCOUNT_USAGE],
  [["account", "erase", "a", "b"], ACCOUNT_USAGE],
  [
    ["account", "show", "a\u0007"],
    /^ACCOUNT is not an account id: it must be text without control characters\.\n$/,
  ],
  [
    ["account", "resume", "x".repeat(129)],
    /^ACCOUNT is not an account id: it must be at most 128 characters\.\n$/,
  ],
  [["alias", "owner"], ALIAS_USAGE],
  [["alias", "create", "a", "shop@alias.test"], ALIAS_USAGE],
  [["alias", "to", "a", "b"], ALIAS_USAGE],
  [["alias", "owner", "shop"], /^ADDRESS is not an email address such as name@example\.com\.\n$/],
  [["recipient", "resend", "a"], RECIPIENT_USAGE],
  [["recipient", "adopt", "a"], RECIPIENT_USAGE],
  [["mailbox", "release"], /^Usage: mailbox release ADDRESS\n$/],
  [
    ["account", "list"],
    /^\/nowhere\/postern\.db is missing or empty: there is no store in it\. Set POSTERN_SQLITE_PATH to the file of the server\.\n$/,
  ],
])("%j is refused with an explanation, and nothing else", async (args, explanation) => {
  const { status, output, errors } = await runHere({ POSTERN_SQLITE_PATH: "/nowhere/postern.db" }, ...args);
  expect({ status, output }).toEqual({ status: 1, output: "" });
  expect(errors).toMatch(explanation);
});

test.each([
  [["account", "list"], "the list is incomplete. Accounts listed: 0"],
  [["account", "show", "a"], "try again"],
  [["account", "suspend", "a"], "run the command again"],
  [["account", "resume", "a"], "run the command again"],
  [["account", "erase", "--yes", "a"], "nothing was erased. Run the command again"],
  [["alias", "owner", "shop@alias.test"], "try again"],
  [["alias", "list", "a"], "the list is incomplete. Aliases listed: 0"],
  [["recipient", "list", "a"], "the list is incomplete. Recipients listed: 0"],
  [["recipient", "adopt", "a", "me@home.test"], "nothing was changed. Try again"],
  [["recipient", "resend", "a", "b"], "try again"],
  [["mailbox", "release", "me@home.test"], "run the command again"],
  [["store", "check"], "not everything was checked. Run the command again"],
  [["store", "repair"], "not everything was checked. Run the command again"],
])("%j says why the store failed", async (args, action) => {
  const variables = await stored(ACCOUNT);
  using db = new DatabaseSync(variables.POSTERN_SQLITE_PATH, { enableForeignKeyConstraints: false });
  for (const table of ["suspensions", "aliases", "recipients", "mail_ledger"]) db.exec(`DROP TABLE ${table}`);
  const settings = {
    POSTERN_LINK_SECRET: "0123456789abcdef0123456789abcdef",
    POSTERN_SMTP_URL: "smtp://127.0.0.1:1",
    POSTERN_MAIL_FROM: "postern@home.test",
    POSTERN_PUBLIC_URL: "https://postern.test",
    POSTERN_ALIAS_DOMAINS: "alias.test",
  };
  expect(await runHere({ ...variables, ...settings }, ...args)).toEqual(
    refused(`The store failed (sqlite SQLITE_ERROR): ${action}.\n`),
  );
});

test("the memory store cannot be administered", async () => {
  const { status, errors } = await runHere({ POSTERN_STORE: "memory" }, "account", "list");
  expect(status).toBe(1);
  expect(errors).toMatch(/^The memory store does not outlive a process/);
});
