import { join } from "node:path";
import { sqliteSpool } from "@postern/adapter-sqlite";
import {
  newCopyId,
  newMessageId,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
} from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { Copy, type Mailing, type RelayAnswer, type Spool } from "@postern/mail";
import { newDirectory } from "@postern/test-support/new-directory";
import { expect, onTestFinished, test } from "vitest";
import { run } from "./support/run-command.ts";

const TIMEOUT_MS = 300_000;

const RECEIVED_AT = Date.UTC(2026, 0, 31);
const LATER = RECEIVED_AT + 3_600_000;

const { secrets } = testPorts();

/** Keeps a message for one alias with two recipients, whose copies are due an hour after it was received. */
const keepMessage = async (spool: Spool): Promise<Mailing> => {
  const id = newMessageId(secrets.random);
  const header = "From: Bob <bob@sender.test>\r\nSubject: private-subject\r\n";
  const body = valueOf(
    await spool.receive(
      (async function* () {
        yield Buffer.from("private-body\r\n");
      })(),
    ),
  );
  const copyFor = (name: string) =>
    Copy.create(
      {
        id: newCopyId(secrets.random),
        message: id,
        to: valueOf(parseEmailAddress(`${name}@home.test`)),
        purpose: {
          kind: "forward",
          alias: {
            account: valueOf(parseAccountId("account")),
            id: valueOf(parseAliasId("alias")),
            email: valueOf(parseEmailAddress("shop@alias.test")),
          },
          recipient: valueOf(parseRecipientId(`recipient-${name}`)),
          contacts: [],
          isAnswer: false,
          tag: null,
        },
      },
      LATER,
    );
  const mailing: Mailing = {
    message: {
      origin: "received",
      id,
      createdAt: RECEIVED_AT,
      returnPath: "bob@sender.test",
      header,
      size: header.length + 2 + body.size,
      session: { clientAddress: "192.0.2.1", clientName: "mx.sender.test", protocol: "ESMTP" },
      authentication: {
        authorDomain: "sender.test",
        spf: "pass",
        dmarc: { verdict: "none", policy: "none" },
        arc: "none",
        results: "spf=pass",
      },
    },
    body,
    copies: [copyFor("ada"), copyFor("grace")],
  };
  valueOf(await spool.keep(mailing));
  return mailing;
};

test("mail queue lists, shows, retries and drops copies alongside a server, and reveals no address and no part of a message", {
  timeout: TIMEOUT_MS,
}, async () => {
  const path = join(newDirectory(), "spool");
  const variables = { POSTERN_SPOOL_PATH: path };
  // The spool as a server has it open.
  const opened = valueOf(await sqliteSpool({ path, limit: 1_000_000 }));
  onTestFinished(opened.close);
  const { message, copies } = await keepMessage(opened);
  const [ada, grace] = [copies[0], copies[1] ?? expect.unreachable()];

  const printed: string[] = [];
  const queue = async (...args: string[]) => {
    const ran = await run(variables, "mail", "queue", ...args);
    printed.push(ran.output, ran.errors);
    return ran;
  };

  const listed = await queue("list");
  expect([listed.status, listed.errors]).toEqual([0, "Copies waiting: 2.\n"]);
  const lineOf = (id: string) =>
    `${id}\tattempts 0\tnext 2026-01-31T01:00:00.000Z\thome.test\t-\tfor account account, alias alias`;
  expect(listed.output.trim().split("\n").toSorted()).toEqual([ada.id, grace.id].map(lineOf).toSorted());

  const { output: json } = await queue("list", "--json");
  const described = (id: string, recipient: string) => ({
    copy: id,
    message: message.id,
    state: "queued",
    attempts: 0,
    nextAt: "2026-01-31T01:00:00.000Z",
    reason: null,
    to: "home.test",
    for: "forward",
    account: "account",
    alias: "alias",
    recipient,
  });
  const lines = json.trim().split("\n");
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual(
    expect.arrayContaining([described(ada.id, "recipient-ada"), described(grace.id, "recipient-grace")]),
  );

  expect(JSON.parse((await queue("show", "--json", ada.id)).output)).toEqual({
    ...described(ada.id, "recipient-ada"),
    receivedAt: "2026-01-31T00:00:00.000Z",
    bytes: message.size,
  });

  expect((await queue("show", ada.id)).output).not.toContain("reason");

  expect(valueOf(await opened.take(RECEIVED_AT, 10, [])).copies).toEqual([]);
  expect(await queue("retry", ada.id)).toMatchObject({
    status: 0,
    errors: expect.stringContaining("due now"),
  });
  expect(valueOf(await opened.find(ada.id))?.copy.nextAt).toBeGreaterThan(LATER);

  const refused: RelayAnswer = { kind: "deferred", about: "copy", code: 452, status: "4.2.2" };
  valueOf(await opened.settle(grace.id, Copy.after(grace, refused, LATER, secrets.random), null));
  expect((await queue("list")).output).toMatch(/\tattempts 1\t.*\tmailbox_full\t/);
  expect((await queue("show", grace.id)).output).toContain("\nreason: mailbox_full\n");

  expect(await queue("drop", grace.id)).toMatchObject({
    status: 0,
    errors: expect.stringMatching(/^Dropped: /),
  });
  expect(valueOf(await opened.find(grace.id))?.copy.state).toBe("dropped");
  expect(await queue("drop", grace.id)).toMatchObject({ status: 0 });
  expect((await queue("list")).errors).toBe("Copies waiting: 1.\n");

  for (let n = 0; n < 60; n += 1) await keepMessage(opened);
  expect(await queue("drop", "--account", "other")).toMatchObject({
    status: 0,
    errors: expect.stringMatching(/^Copies dropped: 0\. /),
  });
  expect(await queue("drop", "--account", "account")).toMatchObject({
    status: 0,
    errors: expect.stringMatching(/^Copies dropped: 121\. /),
  });
  expect((await queue("list")).errors).toBe("Copies waiting: 0.\n");

  for (const text of printed) expect(text).not.toMatch(/@|private-/);
});

test("mail queue says what is wrong with its arguments, or that there is no spool", {
  timeout: TIMEOUT_MS,
}, async () => {
  const path = join(newDirectory(), "spool");
  const variables = { POSTERN_SPOOL_PATH: path };
  expect(await run(variables, "mail", "queue", "list")).toMatchObject({
    status: 1,
    output: "",
    errors: expect.stringContaining("Set POSTERN_SPOOL_PATH as for the server"),
  });
  expect(await run(variables, "mail", "queue", "show", "no-copy")).toMatchObject({
    status: 1,
    errors: "COPY is not the id of a copy: `mail queue list` shows them.\n",
  });
  const opened = valueOf(await sqliteSpool({ path, limit: 1_000_000 }));
  onTestFinished(opened.close);
  expect(await run(variables, "mail", "queue", "retry", "a".repeat(26))).toMatchObject({
    status: 1,
    errors: expect.stringMatching(/^The spool knows no such copy/),
  });
  expect(await run(variables, "mail", "queue", "retry")).toMatchObject({
    status: 1,
    errors: expect.stringMatching(/^Usage: mail key/),
  });
});
