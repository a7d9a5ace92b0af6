import { join } from "node:path";
import { memoryStore } from "@postern/adapter-memory";
import { sqliteSpool } from "@postern/adapter-sqlite";
import { ok, postern } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { mailPlane } from "@postern/mail";
import { accept, refuse } from "@postern/test-support/fake-ses";
import { newDirectory } from "@postern/test-support/new-directory";
import { bounce, complaint, delay, delivery } from "@postern/test-support/ses-events";
import { expect, onTestFinished, test } from "vitest";
import { sesRelay } from "../src/index.ts";
import { sesOutcomes } from "../src/outcomes/index.ts";
import { credentials, startSes } from "./support/use-ses.ts";

/* Mail that is received, forwarded through SES, and reported on by it. */

const DOMAIN = "alias.example";
const AUTHENTICATION = {
  authorDomain: "sender.example",
  spf: "pass",
  dmarc: { verdict: "pass", policy: "reject" },
  arc: "none",
  results: "spf=pass smtp.mailfrom=sender.example; dmarc=pass header.from=sender.example",
} as const;

/** A server that forwards from an alias to as many recipients. */
const newServer = async (recipients: number) => {
  const ses = await startSes();
  const store = memoryStore();
  const ports = testPorts();
  const { clock } = ports;
  const spool = valueOf(await sqliteSpool({ path: join(newDirectory(), "spool"), limit: 10_000_000 }));
  onTestFinished(() => spool.close());
  const service = postern({ store, aliasDomains: [DOMAIN], ...ports });
  const account = "ada";
  const recipientIds = [];
  for (let n = 0; n < recipients; n += 1)
    recipientIds.push(valueOf(await service.adoptRecipient({ account, email: `box${n}@home.example` })).id);
  const alias = valueOf(await service.createAlias({ account, email: `shop@${DOMAIN}`, recipientIds }));
  const plane = mailPlane({
    store,
    spool,
    ...ports,
    signer: { sign: async ({ header, body }) => ok({ header, body }) },
    relay: sesRelay({ region: "eu-west-1", credentials, endpoint: ses.endpoint }),
    aliasDomains: [DOMAIN],
    serverName: "mx.alias.example",
    postmaster: "operator@home.example",
  });
  const report = sesOutcomes({ store, ...ports, aliasDomains: [DOMAIN] });
  return {
    ses,
    clock,
    receive: async () => {
      const recipient = valueOf(await plane.admitRecipient(`shop@${DOMAIN}`));
      if (recipient.kind === "report" || recipient.kind === "discard") expect.unreachable();
      const body = valueOf(
        await spool.receive(
          (async function* () {
            yield Buffer.from("Hello\r\n");
          })(),
        ),
      );
      const header = "From: Bob <bob@sender.example>\r\nSubject: Hello\r\nMessage-ID: <1@sender.example>\r\n";
      valueOf(
        await plane.receiveMessage({
          returnPath: "bob@sender.example",
          header,
          body,
          session: { clientAddress: "192.0.2.1", clientName: "mail.sender.example", protocol: "ESMTPS" },
          alignment: { spf: true, signatures: [], complete: true },
          recipients: [recipient],
          authentication: AUTHENTICATION,
        }),
      );
    },
    forward: async () => {
      valueOf(await plane.forwardCopies());
      await plane.finishForwarding();
    },
    /** Records these events, as they come from the queue. */
    report: async (...events: readonly object[]) => {
      const batch = events.map((event, n) => ({ messageId: `${n}`, body: JSON.stringify(event) }));
      const read = await report(batch);
      valueOf(await plane.recordHandedReports());
      return read.map(({ result }) => result.unwrapOr(null));
    },
    /** What the log of the alias says of the copies of the message, in any order. */
    logged: async () => {
      clock.advance(10_000);
      valueOf(await plane.logMessages());
      const [message] = valueOf(await service.listMessages({ account, aliasId: alias.id })).items;
      return message?.copies.map(({ state, reason }) => `${state} ${reason}`).toSorted();
    },
    counts: async () => {
      valueOf(await plane.countOutcomes());
      const { tallies } = valueOf(await service.getAlias({ account, aliasId: alias.id }));
      const { sent, delivered, bounced, complaint } = tallies;
      return [sent, delivered, bounced, complaint].map(({ count }) => count);
    },
  };
};

test("copies are forwarded through SES, and its events find them by their tags", async () => {
  const { ses, receive, forward, report, counts } = await newServer(3);
  await receive();
  await forward();
  expect(ses.messages.map(({ to }) => to).toSorted()).toEqual([
    ["box0@home.example"],
    ["box1@home.example"],
    ["box2@home.example"],
  ]);
  // SES replaces the message's own id.
  for (const { raw } of ses.messages) expect(raw).toMatch(/^References: .*<[^ ]+>\r$/m);
  expect(await counts()).toEqual([3, 0, 0, 0]);

  const [first, second, third] = ses.messages.map(({ raw, tags }) => ({
    // SES takes the author for the sender.
    source: /(?<=^From: ).+(?=\r$)/m.exec(raw)?.[0] ?? expect.unreachable(),
    tags: Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, [value]])),
  }));
  if (first === undefined || second === undefined || third === undefined) expect.unreachable();
  const events = [delivery(first), bounce(second, "Permanent", "NoEmail"), delivery(third), complaint(third)];
  expect(await report(...events, ...events)).toEqual(Array.from({ length: 8 }, () => "handed_over"));
  expect(await counts()).toEqual([3, 2, 1, 1]);

  const forged = { ...first.tags, "postern-sender": ["b-1-2_alias_example"] };
  expect(await report(delivery({ ...first, tags: forged }))).toEqual(["unknown_copy"]);
});

test("a delayed copy waits in the log until SES has delivered it, and is not counted", async () => {
  const { ses, receive, forward, report, logged, counts } = await newServer(2);
  await receive();
  await forward();
  expect(await logged()).toEqual(["sent null", "sent null"]);
  const [one, other] = ses.messages.map(({ tags }) => ({
    source: "postmaster@alias.example",
    tags: { "postern-sender": [tags["postern-sender"]] },
  }));
  if (one === undefined || other === undefined) expect.unreachable();
  expect(await report(delay(one, "MailboxFull"), delivery(other))).toEqual(["handed_over", "handed_over"]);
  expect(await logged()).toEqual(["delivered null", "queued mailbox_full"]);
  await report(delivery(one), delay(other));
  expect(await logged()).toEqual(["delivered null", "delivered null"]);
  expect(await counts()).toEqual([2, 2, 0, 0]);
});

test("while SES sends nothing for the account, copies wait, however long, and leave afterwards", async () => {
  const { ses, clock, receive, forward, counts } = await newServer(1);
  ses.answerWith(refuse(400, "SendingPausedException"), refuse(400, "SendingPausedException"), accept);
  await receive();
  clock.advance(30 * 24 * 60 * 60_000);
  await forward();
  expect(await counts()).toEqual([0, 0, 0, 0]);
  for (let rounds = 0; rounds < 6; rounds += 1) {
    clock.advance(60_000);
    await forward();
  }
  expect(await counts()).toEqual([1, 0, 0, 0]);
  expect(ses.messages).toHaveLength(3);
});
