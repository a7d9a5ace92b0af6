import {
  type MessageId,
  parseAccountId,
  parseAliasId,
  parseCopyId,
  parseEmailAddress,
  parseMessageId,
  parseRecipientId,
} from "@postern/core";
import { KEY_LIKE_IDS, valueOf } from "@postern/core/testing";
import type { Copy, CopyPurpose } from "@postern/mail";
import { expectEqual } from "../expect.ts";
import { type List, walk } from "../walk.ts";
import { type SpoolWorld, spoolCheck } from "./spool-check.ts";
import {
  ACCEPTED,
  account,
  DEFERRED,
  forward,
  isSame,
  keepMailing,
  NOTICE,
  NOW,
  newMailing,
  octets,
  POSTMASTER,
  REFUSED,
  readBody,
  receive,
  reply,
  settlement,
} from "./spool-samples.ts";

const UNKNOWN = valueOf(parseCopyId("a".repeat(26)));

const idsOf = (taken: readonly { readonly copy: Copy }[]): string[] => taken.map(({ copy }) => copy.id);

const accountsOf = (taken: readonly { readonly copy: Copy }[]): string[] =>
  taken.map(({ copy: { purpose } }) => (purpose.kind === "forward" ? purpose.alias.account : ""));

const take = async ({ spool }: SpoolWorld, now: number, limit: number) =>
  valueOf(await spool.take(now, limit, [])).copies;

const list =
  ({ spool }: SpoolWorld): List<Copy, Copy["id"]> =>
  (page) =>
    spool.list(page);

export const copyChecks = [
  spoolCheck("every field of a message and of its copies is read back", async (world) => {
    const { spool } = world;
    const purposes = KEY_LIKE_IDS.map(
      (id): CopyPurpose => ({
        kind: "forward",
        alias: {
          account: valueOf(parseAccountId(id)),
          id: valueOf(parseAliasId(id)),
          email: valueOf(parseEmailAddress("Shop+x@alias.example")),
        },
        recipient: valueOf(parseRecipientId(id)),
        contacts: [],
        isAnswer: false,
        tag: null,
      }),
    );
    const { copies, body, message } = newMailing(await receive(spool), [
      ...([NOTICE, POSTMASTER, reply(account(0)), forward(account(0))] as const),
      ...purposes,
    ]);
    const header = `Subject: ${String.fromCharCode(...Array.from({ length: 255 }, (_, n) => n + 1))}\r\n`;
    const full = {
      ...message,
      header,
      returnPath: "a..b@Sender.example",
      session: { clientAddress: "2001:db8::1", clientName: "[x] é", protocol: "SMTP" },
      authentication: {
        authorDomain: null,
        spf: "temperror",
        dmarc: { verdict: "permerror", policy: "reject" },
        arc: "fail",
        results: 'spf=temperror reason="ü"',
      },
    } as const;
    valueOf(await spool.keep({ message: full, body, copies }));
    const own = {
      origin: "own",
      id: newMailing(body, [NOTICE]).message.id,
      createdAt: 0,
      header: "",
      size: 2,
    } as const;
    const second = newMailing(await receive(spool), [NOTICE]);
    const [copy] = second.copies;
    valueOf(await spool.keep({ ...second, message: own, copies: [{ ...copy, message: own.id, nextAt: 0 }] }));
    const third = newMailing(await receive(spool), [NOTICE]);
    const [last] = third.copies;
    const withoutSession = { ...full, id: third.message.id, session: null };
    valueOf(await spool.keep({ ...third, message: withoutSession }));
    for (const each of copies) expectEqual(valueOf(await spool.find(each.id)), { copy: each, message: full });
    expectEqual(valueOf(await spool.find(copy.id))?.message, own);
    expectEqual(valueOf(await spool.find(last.id))?.message, withoutSession);
    const taken = await take(world, NOW, 1_000);
    expectEqual(idsOf(taken).sort(), [...copies.map(({ id }) => id), copy.id, last.id].sort());
    for (const due of taken)
      expectEqual(valueOf(await spool.find(due.copy.id)), { copy: due.copy, message: due.message });
    expectEqual(valueOf(await spool.find(UNKNOWN)), null);
  }),

  spoolCheck("the copies of a message are found, and no others", async (world) => {
    const { spool } = world;
    const kept = await Promise.all([
      keepMailing(spool, [POSTMASTER]),
      keepMailing(spool, [forward(account(0)), forward(account(1)), POSTMASTER]),
    ]);
    const find = async (message: MessageId) =>
      [...valueOf(await spool.findAll(message))].sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const { message, copies } of kept) {
      expectEqual(
        await find(message.id),
        [...copies].sort((a, b) => (a.id < b.id ? -1 : 1)),
      );
    }
    const [due] = await take(world, NOW, 1);
    if (due === undefined) throw new Error("a copy that is due was not handed out");
    valueOf(await spool.settle(due.copy.id, settlement(due, ACCEPTED), null));
    const found = await find(due.message.id);
    expectEqual(found.find(({ id }) => id === due.copy.id)?.state, "sent");
    expectEqual(await find(valueOf(parseMessageId("a".repeat(26)))), []);
  }),

  spoolCheck("keeping a message again changes nothing, and its second body is discarded", async (world) => {
    const { spool } = world;
    const mailing = await keepMailing(spool, [forward(account(0))]);
    const [due] = await take(world, NOW, 1);
    if (due === undefined) throw new Error("a copy that is due was not handed out");
    valueOf(await spool.keep(mailing));
    expectEqual(await take(world, NOW, 1), []);
    valueOf(await spool.settle(due.copy.id, settlement(due, ACCEPTED), null));
    const before = valueOf(await spool.size());
    const body = await receive(spool, octets(300_000));
    valueOf(await spool.keep({ ...mailing, body }));
    expectEqual(valueOf(await spool.size()), before);
    expectEqual(valueOf(await spool.find(due.copy.id))?.copy.state, "sent");
  }),

  spoolCheck(
    "many messages that are kept at the same time are all kept, with their own bodies",
    async (world) => {
      const contents = Array.from({ length: 40 }, (_, n) => octets(n % 10 === 0 ? 300_000 : n, n + 1));
      const kept = await Promise.all(
        contents.map((content) => keepMailing(world.spool, [forward(account(0))], { content })),
      );
      const taken = new Map((await take(world, NOW, 100)).map((due) => [due.copy.id, due]));
      expectEqual(taken.size, kept.length);
      for (const [n, { copies }] of kept.entries()) {
        const due = taken.get(copies[0].id);
        const content = contents[n] ?? octets(0);
        if (due === undefined || !isSame(await readBody(due.body), content)) {
          throw new Error("a message has another body");
        }
      }
    },
  ),

  spoolCheck(
    "copies are handed out once until they are settled, even to concurrent callers",
    async (world) => {
      const { spool } = world;
      await Promise.all(
        Array.from({ length: 30 }, () => keepMailing(spool, [forward(account(0)), POSTMASTER])),
      );
      const taken = (await Promise.all(Array.from({ length: 8 }, () => take(world, NOW, 10)))).flat();
      expectEqual([taken.length, new Set(idsOf(taken)).size], [60, 60]);
      expectEqual(await take(world, NOW, 10), []);
      expectEqual(valueOf(await spool.nextDue(0)), null);
      const [one, other] = taken;
      if (one === undefined || other === undefined) throw new Error("60 copies were handed out");
      const later = settlement(one, DEFERRED);
      valueOf(await spool.settle(one.copy.id, later, null));
      expectEqual(valueOf(await spool.nextDue(0)), later.nextAt);
      expectEqual(valueOf(await spool.nextDue(later.nextAt)), null);
      expectEqual(await take(world, later.nextAt - 1, 10), []);
      expectEqual(idsOf(await take(world, later.nextAt, 10)), [one.copy.id]);
    },
  ),

  spoolCheck("accounts take turns within a call and from call to call", async (world) => {
    const { spool } = world;
    for (let n = 0; n < 6; n += 1)
      await keepMailing(spool, [forward(account(0))], { createdAt: NOW - 100 + n });
    for (const n of [1, 2]) {
      for (let i = 0; i < 2; i += 1) await keepMailing(spool, [forward(account(n))]);
    }
    expectEqual(accountsOf(await take(world, NOW, 3)).sort(), [account(0), account(1), account(2)]);
    const singly: string[] = [];
    for (let n = 0; n < 3; n += 1) singly.push(...accountsOf(await take(world, NOW, 1)));
    expectEqual(singly.sort(), [account(0), account(1), account(2)]);
    expectEqual(accountsOf(await take(world, NOW, 10)), Array(4).fill(account(0)));
  }),

  spoolCheck("taking copies reports whether more are due than were handed out", async (world) => {
    const { spool } = world;
    const isMore = async (now: number, limit: number) => valueOf(await spool.take(now, limit, [])).more;
    for (const n of [0, 1]) await keepMailing(spool, [forward(account(n)), forward(account(n), "a", 1)]);
    await keepMailing(spool, [forward(account(1))], { createdAt: NOW + 1 });
    // In the middle of a group, at the end of one, and at the end of all that are due.
    expectEqual([await isMore(NOW, 1), await isMore(NOW, 1), await isMore(NOW, 2)], [true, true, false]);
    expectEqual(
      [await isMore(NOW, 1), await isMore(NOW + 1, 1), await isMore(NOW + 1, 1)],
      [false, false, false],
    );
  }),

  spoolCheck("excepted accounts get nothing, delay nobody, and get their copies later", async (world) => {
    const { spool } = world;
    for (const n of [0, 0, 1, 2, 0]) await keepMailing(spool, [forward(account(n))]);
    await keepMailing(spool, [NOTICE]);
    const takeExcept = async (limit: number, ...except: string[]) => {
      const { copies, more } = valueOf(await spool.take(NOW, limit, except));
      return [accountsOf(copies).sort(), more];
    };
    expectEqual(await takeExcept(1, account(0), account(1), ""), [[account(2)], false]);
    expectEqual(await takeExcept(1, account(0), account(1)), [[""], false]);
    expectEqual(await takeExcept(10, account(0), account(1)), [[], false]);
    expectEqual(await takeExcept(2, account(1)), [[account(0), account(0)], true]);
    expectEqual(await takeExcept(10), [[account(0), account(1)], false]);
  }),

  spoolCheck(
    "within an account, the copies that have been due longest come first, with the rest of their group",
    async (world) => {
      const { spool } = world;
      const owner = account(0);
      const alias = (id: string, n: number) => forward(owner, id, n);
      const late = await keepMailing(spool, [alias("a", 0)], { createdAt: NOW });
      const mixed = await keepMailing(spool, [alias("a", 0), alias("bb", 0), alias("a", 1)], {
        createdAt: NOW - 10,
      });
      const early = await keepMailing(spool, [alias("a", 0), alias("a", 1)], { createdAt: NOW - 20 });
      // One of its copies is only due again now, but still comes with the other one.
      const [first] = await take(world, NOW - 20, 1);
      if (first === undefined) throw new Error("a copy that is due was not handed out");
      valueOf(await spool.settle(first.copy.id, { ...settlement(first, DEFERRED), nextAt: NOW }, null));
      const taken = await take(world, NOW, 10);
      const groups = taken.map(({ copy }) =>
        [early, mixed, late].findIndex(({ copies }) => copies.some(({ id }) => id === copy.id)),
      );
      expectEqual(groups, [0, 0, 1, 1, 1, 2]);
      const aliases = taken
        .slice(2, 5)
        .map(({ copy: { purpose } }) => (purpose.kind === "forward" ? purpose.alias.id : ""));
      if (aliases[0] !== aliases[1] && aliases[1] !== aliases[2]) throw new Error("a group was divided");
    },
  ),

  spoolCheck("the operator's list has every queued copy once, in pages of any size", async (world) => {
    const { spool } = world;
    const kept = [
      await keepMailing(spool, [forward(account(0)), forward(account(1)), NOTICE]),
      await keepMailing(spool, [POSTMASTER, forward(account(0))]),
    ].flatMap(({ copies }) => copies);
    const [due] = await take(world, NOW, 1);
    expectEqual(
      idsOf((await walk(list(world), 2)).map((copy) => ({ copy }))).sort(),
      kept.map(({ id }) => id).sort(),
    );
    if (due === undefined) throw new Error("a copy that is due was not handed out");
    valueOf(await spool.settle(due.copy.id, settlement(due, REFUSED), null));
    expectEqual((await walk(list(world), 1)).length, 4);
  }),

  spoolCheck(
    "an operator can retry what was not sent, as long as its body is there, and drop what is queued",
    async (world) => {
      const { spool } = world;
      const [sent, failed, queued, dropped] = [
        await keepMailing(spool),
        await keepMailing(spool),
        await keepMailing(spool),
        await keepMailing(spool),
      ].map(({ copies }) => copies[0].id);
      if (sent === undefined || failed === undefined || queued === undefined || dropped === undefined) return;
      for (const due of await take(world, NOW, 10)) {
        const answer = due.copy.id === sent ? ACCEPTED : due.copy.id === failed ? REFUSED : DEFERRED;
        valueOf(await spool.settle(due.copy.id, settlement(due, answer), null));
      }
      expectEqual(valueOf(await spool.drop(dropped, NOW)), "dropped");
      expectEqual(await take(world, NOW, 10), []);
      expectEqual(valueOf(await spool.retry(sent, NOW)), "sent");
      expectEqual(valueOf(await spool.drop(sent, NOW)), "sent");
      expectEqual(valueOf(await spool.retry(queued, NOW)), "queued");
      expectEqual(valueOf(await spool.retry(failed, NOW)), "queued");
      expectEqual(valueOf(await spool.retry(dropped, NOW)), "queued");
      expectEqual(valueOf(await spool.retry(UNKNOWN, NOW)), null);
      expectEqual(valueOf(await spool.drop(UNKNOWN, NOW)), null);
      expectEqual(idsOf(await take(world, NOW, 10)).sort(), [failed, queued, dropped].sort());
      // Dropped while it is being sent: the outcome of that attempt no longer changes anything.
      expectEqual(valueOf(await spool.drop(queued, NOW)), "dropped");
      const found = valueOf(await spool.find(queued));
      if (found === null) throw new Error("a dropped copy is not remembered");
      const { uncounted } = valueOf(await spool.size());
      valueOf(await spool.settle(queued, settlement(found, ACCEPTED), null));
      expectEqual(valueOf(await spool.find(queued))?.copy.state, "dropped");
      expectEqual(valueOf(await spool.size()).uncounted, uncounted);
      await valueOf(await spool.sweep(NOW));
      expectEqual(valueOf(await spool.retry(queued, NOW)), "dropped");
    },
  ),
];
