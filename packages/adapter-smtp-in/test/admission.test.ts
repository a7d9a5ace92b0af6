import { memorySpool, memoryStore } from "@postern/adapter-memory";
import { err, postern } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { type InactiveMode, mailPlane } from "@postern/mail";
import { describe, expect, test, vi } from "vitest";
import { admission, type Sender } from "../src/admission.ts";
import { type Client, enveloped, greeted, MESSAGE } from "./support/client.ts";
import { copyId, type Mx, messageId, startMx } from "./support/mx.ts";
import { NOT_FORWARDING } from "./support/not-forwarding.ts";

const account = "tenant-1";

/** With the real use cases: `shop@` accepts mail, and `off@` is switched off. 20 messages a minute, and so 2 refused recipients. */
const start = async ({ inactive }: { readonly inactive?: InactiveMode } = {}) => {
  const ports = testPorts();
  const store = memoryStore();
  const aliasDomains = ["alias.example"];
  const service = postern({ store, aliasDomains, ...ports });
  const recipient = valueOf(await service.adoptRecipient({ account, email: "ada@home.example" }));
  const create = async (name: string) =>
    valueOf(
      await service.createAlias({ account, email: `${name}@alias.example`, recipientIds: [recipient.id] }),
    ).id;
  await create("shop");
  const off = await create("off");
  valueOf(await service.updateAlias({ account, aliasId: off, active: false }));
  const spool = memorySpool({ limit: 10_000_000 });
  const plane = mailPlane({
    store,
    spool,
    ...NOT_FORWARDING,
    aliasDomains,
    serverName: "mx.alias.example",
    postmaster: "operator@home.example",
    inactive,
    ...ports,
  });
  const asked = vi.fn(plane.admitRecipient);
  const mx = await startMx({ ...plane, admitRecipient: asked }, {}, { spool, messagesPerMinute: 20 });
  return {
    mx,
    asked,
    /** How often mail to `off@` counts as blocked, and how often it does in the log, in one entry. */
    blocked: async () => {
      const { tallies } = valueOf(await service.getAlias({ account, aliasId: off }));
      const { items } = valueOf(await service.listMessages({ account, aliasId: off, limit: 100 }));
      return [tallies.blocked.count, ...items.map(({ count }) => count)];
    },
  };
};

const MAIL = "MAIL FROM:<bob@sender.example>";

/** Sends these commands again and again, over as many connections as it takes, until nothing else than 421 comes of it. */
const flood = async (mx: Mx, commands: readonly string[], from?: string): Promise<readonly string[]> => {
  const replies: string[] = [];
  let client: Client | null = null;
  for (let inVain = 0; inVain < 3; ) {
    client ??= await greeted(mx.server.port, from);
    for (const command of commands) {
      const reply: string = await client.command(command);
      replies.push(reply);
      if (!/^(?:421|closed)/.test(reply)) continue;
      inVain += 1;
      client = null;
      break;
    }
  }
  return replies;
};

test.each(["reject", "discard"] as const)(
  "mail to an alias that is switched off fills no log, however fast it comes (%s)",
  async (inactive) => {
    const { mx, asked, blocked } = await start({ inactive });
    const replies = await flood(mx, [MAIL, "RCPT TO:<off@alias.example>", "RSET"]);
    expect(replies.filter((reply) => reply.startsWith("421")).at(-1)).toBe(
      "421 4.7.0 Too much mail from your network, try again later",
    );
    expect(await blocked()).toEqual([2, 2]);
    expect(asked).toHaveBeenCalledTimes(2);
    // Nor do others together get to write more than the alias has for a minute.
    const others = Array.from({ length: 12 }, (_, n) => `127.0.1.${1 + n}`);
    await Promise.all(others.map((from) => flood(mx, [MAIL, "RCPT TO:<off+x@alias.example>", "RSET"], from)));
    expect(await blocked()).toEqual([20, 20]);
  },
);

test.each([
  "nobody@alias.example",
  "bob@elsewhere.example",
  "no-at-sign@alias..example",
  "r-x@alias.example",
])("nobody can ask for %s without end, and others are not held up", async (address) => {
  const { mx, asked } = await start();
  await flood(mx, [MAIL, `RCPT TO:<${address}>`]);
  expect(asked).toHaveBeenCalledTimes(2);
  const other = await greeted(mx.server.port, "127.0.1.1");
  await other.command(MAIL);
  expect(await other.command("RCPT TO:<shop@alias.example>")).toMatch(/^250 /);
  expect(await other.data(MESSAGE)).toMatch(/^250 /);
});

describe("messages", () => {
  test("of a network are limited, whether they are sent or not, until a minute has passed", async () => {
    const { mx, asked } = await start();
    const replies = await flood(mx, [MAIL, "RCPT TO:<shop@alias.example>", "RSET"]);
    expect(replies.filter((reply) => reply.startsWith("250")).length).toBe(3 * 20);
    expect(asked).toHaveBeenCalledTimes(20);
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, "now").mockImplementation(() => now() + 60_000);
    try {
      expect(await (await greeted(mx.server.port)).command(MAIL)).toMatch(/^250 /);
    } finally {
      later.mockRestore();
    }
  });

  test("to a mailbox are limited, from however many networks, and those to others are not", async () => {
    const { mx, asked } = await start();
    const replies: string[] = [];
    const clients = await Promise.all(
      ["127.0.1.1", "127.0.1.2"].map((from) => greeted(mx.server.port, from)),
    );
    for (let n = 0; n < 24; n += 1) {
      const client = clients[n % 2] ?? expect.unreachable();
      await client.command(MAIL);
      // In one message, it counts once.
      for (const to of ["Shop+a", "SHOP+b"]) {
        replies.push(await client.command(`RCPT TO:<${to}@alias.example>`));
      }
      expect(await client.command("RCPT TO:<postmaster>")).toMatch(n < 20 ? /^250 / : /^450 /);
      if (n < 20) expect(await client.data(MESSAGE)).toMatch(/^250 /);
      else await client.command("RSET");
    }
    expect(replies.filter((reply) => reply.startsWith("250"))).toHaveLength(40);
    expect(replies.slice(40)).toEqual(
      Array(8).fill("450 4.7.0 Too much mail for this mailbox, try again later"),
    );
    expect(asked).toHaveBeenCalledTimes(60);
    await clients[0]?.command(MAIL);
    expect(await clients[0]?.command("RCPT TO:<abuse@alias.example>")).toMatch(/^250 /);
  });

  test("that never come use up no mailbox", async () => {
    const { mx } = await start();
    const networks = Array.from({ length: 4 }, (_, n) => `127.0.1.${1 + n}`);
    await Promise.all(
      networks.map((from) => flood(mx, [MAIL, "RCPT TO:<shop@alias.example>", "RSET"], from)),
    );
    await Promise.all(
      Array.from({ length: 25 }, async (_, n) => {
        const gone = await enveloped(mx.server.port, "shop@alias.example", `127.0.2.${1 + n}`);
        gone.socket.destroy();
      }),
    );
    const client = await greeted(mx.server.port);
    await client.command(MAIL);
    await expect.poll(() => client.command("RCPT TO:<shop@alias.example>")).toMatch(/^250 /);
  });
});

test("commands are limited too", async () => {
  const mx = await startMx({}, {}, { messagesPerMinute: 1 });
  const replies = await flood(mx, ["NOOP"]);
  // The EHLO before them counts as well.
  expect(replies.filter((reply) => reply.startsWith("250"))).toHaveLength(99);
});

test("a relay on this machine can always report what became of mail, but send no other mail", async () => {
  const mx = await startMx({}, {}, { messagesPerMinute: 20 });
  await flood(mx, [MAIL, "RSET"]);
  for (const to of ["shop@alias.example", "postmaster"]) {
    await flood(mx, ["MAIL FROM:<>", `RCPT TO:<${to}>`, "RSET"]);
  }
  expect(mx.asked).toHaveLength(2 * 3);
  await flood(mx, ["MAIL FROM:<>", "RCPT TO:<unknown@alias.example>", "RSET"]);
  expect(mx.asked).toHaveLength(2 * 3 + 2);
  const relay = await greeted(mx.server.port);
  for (let n = 0; n < 30; n += 1) {
    expect(await relay.command("MAIL FROM:<>")).toMatch(/^250 /);
    const id = n % 2 === 0 ? copyId : "c".repeat(26);
    expect(await relay.command(`RCPT TO:<b-${id}@alias.example>`)).toMatch(/^250 /);
    expect(await relay.data(MESSAGE)).toMatch(/^250 /);
  }
  expect(mx.reports).toHaveLength(30);
});

test("a report about nothing that was sent counts as refused, wherever it comes from", async () => {
  const { mx, asked } = await start();
  const replies = await flood(mx, ["MAIL FROM:<>", `RCPT TO:<b-${copyId}@alias.example>`, "RSET"]);
  expect(replies.filter((reply) => reply.startsWith("550"))).toHaveLength(2);
  // Each further one costs a connection.
  expect(asked).toHaveBeenCalledTimes(2 + 3);
});

test("what could not be decided does not count", async () => {
  const mx = await startMx(
    { admitRecipient: async () => err({ code: "unavailable" }) },
    {},
    { messagesPerMinute: 20 },
  );
  const client = await greeted(mx.server.port);
  await client.command(MAIL);
  for (let n = 0; n < 30; n += 1) {
    expect(await client.command("RCPT TO:<shop@alias.example>")).toMatch(/^451 /);
  }
});

test("reports from elsewhere count like any mail", async () => {
  const admitRecipient = vi.fn(async () => err({ code: "recipient_not_found" as const }));
  const beginTransaction = () => ({ id: messageId, startedAt: 0 });
  const { begin, admit } = admission({
    plane: { beginTransaction, admitRecipient },
    messagesPerMinute: 20,
    recipients: 100,
    refusedRecipients: 10,
  });
  const sender: Sender = {
    network: "192.0.2.1",
    isLocal: false,
    refused: 0,
    transaction: undefined,
    recipients: [],
    mailboxes: new Map(),
    isCounted: false,
  };
  for (let n = 0; n < 20; n += 1) expect(begin(sender, "", false)).toBeNull();
  expect(begin(sender, "", false)).toEqual({ code: "network_over_limit" });
  const codes = [];
  for (let n = 0; n < 3; n += 1) codes.push((await admit(sender, `b-${copyId}@alias.example`))?.code);
  expect(codes).toEqual(["recipient_not_found", "recipient_not_found", "network_over_limit"]);
  expect(admitRecipient).toHaveBeenCalledTimes(2);
});
