import { parseContactId, parseEmailAddress } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { Copy, type Mailing, type Message } from "@postern/mail";
import { contentOf, forward, mailingOf, NOW, receive } from "@postern/test-support/spool-mail";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { forwardingProxy, reply } from "../support/forwarding-proxy.ts";
import { useSpools } from "./support/use-spools.ts";

/* Docs/decisions/0025 says what a message costs: this is where the figures are from. */

const { dynamo, newPlace, openSpool } = useSpools();

const WEEK = 7 * 24 * 60 * 60 * 1_000;

const Attribute = z.object({ S: z.string().optional(), N: z.string().optional() });
const Item = z.record(z.string(), Attribute);
const Key = z.object({ sk: z.object({ S: z.string() }) });
const Transaction = z.object({
  TransactItems: z.array(
    z.object({
      Put: z.object({ Item: Item.and(Key) }).optional(),
      Update: z.object({ Key }).optional(),
      Delete: z.object({ Key }).optional(),
    }),
  ),
});

/** By the rules of DynamoDB: names and values, in octets. */
const sizeOf = (item: z.output<typeof Item>): number =>
  Object.entries(item).reduce(
    (sum, [name, { S = "", N = "" }]) => sum + name.length + Buffer.byteLength(S) + N.length,
    0,
  );

/** Counts the write units of transactions: two for each KiB of each item. */
const startMeter = async () => {
  const sizes = new Map<string, number>();
  let units = 0;
  let others: string[] = [];
  const proxy = await forwardingProxy(
    dynamo().endpoint,
    async ({ operation, body, outgoing, forward: send }) => {
      if (operation === "TransactWriteItems") {
        for (const { Put, Update, Delete } of Transaction.parse(JSON.parse(body.toString())).TransactItems) {
          if (Put !== undefined) sizes.set(Put.Item.sk.S, sizeOf(Put.Item));
          const sk = (Put?.Item ?? Update?.Key ?? Delete?.Key)?.sk.S ?? "";
          units += 2 * Math.ceil((sizes.get(sk) ?? 1) / 1024);
        }
      } else others.push(operation);
      reply(outgoing, await send(body));
    },
  );
  onTestFinished(() => proxy.close());
  return {
    endpoint: proxy.endpoint,
    /** The write units since the last call, and the requests besides transactions. */
    read: () => {
      const since = { units, others };
      units = 0;
      others = [];
      return since;
    },
  };
};

/** As a shop sends it: half of its header is trace fields and signatures. */
const HEADER = [
  ...Array.from({ length: 40 }, (_, n) => `X-Trace-${n}: ${"t".repeat(100)}`),
  "From: A Shop <no-reply@mail.shop.example>",
  "To: shop.7f3a@alias.example",
  "Subject: Your order 123-4567890-1234567 has been sent: it arrives on Tuesday",
  "Date: Tue, 14 Nov 2023 22:13:20 +0000",
  "Message-ID: <0102018bd1f2a3b4-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0-000000@eu-west-1.amazonses.com>",
  'Content-Type: multipart/alternative; boundary="----=_Part_123456_7890123456.1700000000000"',
  `List-Unsubscribe: <https://mail.shop.example/u/${"u".repeat(120)}>, <mailto:unsubscribe@mail.shop.example>`,
  "",
].join("\r\n");

const realistic = (plain: Mailing): Mailing => {
  const [copy] = plain.copies;
  const message: Message = {
    ...plain.message,
    origin: "received",
    header: HEADER,
    returnPath: "0102018bd1f2a3b4-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0-000000@eu-west-1.amazonses.com",
    session: {
      clientAddress: "192.0.2.1",
      clientName: "a1-23.smtp-out.eu-west-1.amazonses.com",
      protocol: "ESMTPS",
    },
    authentication: {
      authorDomain: "mail.shop.example",
      spf: "pass",
      dmarc: { verdict: "pass", policy: "reject" },
      arc: "none",
      results: [
        "spf=pass smtp.mailfrom=amazonses.com",
        `dkim=pass header.d=shop.example header.s=${"s".repeat(32)}`,
        "dmarc=pass header.from=shop.example",
      ].join("; "),
    },
  };
  const contact = {
    id: valueOf(parseContactId("c".repeat(26))),
    email: valueOf(parseEmailAddress("no-reply@mail.shop.example")),
  };
  const purpose = copy.purpose.kind === "forward" ? { ...copy.purpose, contacts: [contact] } : copy.purpose;
  return { ...plain, message, copies: [{ ...copy, purpose }] };
};

test("a message to one recipient costs 26 write units until its body is forgotten, and nothing is read", async () => {
  const meter = await startMeter();
  const spool = await openSpool(await newPlace(), { client: dynamo().client(meter.endpoint) });
  const mailing = realistic(mailingOf(await receive(spool, contentOf(1, 20_000)), [forward("account")]));
  const costs: Record<string, number> = {};
  const costOf = async (step: string, work: () => Promise<unknown>) => {
    await work();
    const { units, others } = meter.read();
    expect(others).toEqual([]);
    costs[step] = units;
  };
  meter.read();
  await costOf("keep", async () => valueOf(await spool.keep(mailing)));
  const [due] = valueOf(await spool.take(NOW, 1, [])).copies;
  if (due === undefined) throw new Error("a copy that is due was not handed out");
  await costOf("settle", async () =>
    valueOf(
      await spool.settle(
        due.copy.id,
        Copy.after(due.copy, { kind: "accepted" }, NOW, () => 0),
        null,
      ),
    ),
  );
  await costOf("count", async () =>
    valueOf(await spool.counted(valueOf(await spool.uncounted(10)).map(({ event }) => event.id))),
  );
  await costOf("log", async () =>
    valueOf(
      await spool.logged(
        valueOf(await spool.unlogged(10)).map(({ alias, message: { id }, revision }) => ({
          id,
          account: alias.account,
          alias: alias.id,
          revision,
        })),
      ),
    ),
  );
  await costOf("forget the body", async () => valueOf(await spool.sweep(NOW)));
  await costOf("forget the message", async () => valueOf(await spool.sweep(NOW + 6 * WEEK)));
  expect(costs).toEqual({
    keep: 8,
    settle: 4,
    count: 4,
    log: 4,
    "forget the body": 6,
    "forget the message": 8,
  });
});
