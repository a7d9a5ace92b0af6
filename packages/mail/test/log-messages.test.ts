import {
  err,
  FAILED_BODY_RETENTION,
  ok,
  parseAccountId,
  parseAliasId,
  type RecipientId,
  type Unavailable,
} from "@postern/core";
import type { MessageLog } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import type { ArrivedMail, MailPlanePorts, Spool } from "@postern/mail";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { ACCOUNT, unavailable } from "./support/account.ts";
import { ACCEPTED, BUSY, REFUSED, UNUSABLE } from "./support/fake-relay.ts";
import { HEADER } from "./support/mail.ts";
import { OPERATOR, useMailPlane } from "./support/use-mail-plane.ts";

const world = useMailPlane();
const SHOP = "shop@alias.example";
const [ME, YOU] = ["me@home.example", "you@home.example"];
const SECOND = 1_000;
const UNAVAILABLE = err<never, Unavailable>({ code: "unavailable" });

let me: RecipientId;
let you: RecipientId;
beforeEach(async () => {
  me = await world.recipient(ME);
  you = await world.recipient(YOU);
});

/** An alias with two recipients. */
const shop = (email = SHOP) => world.alias(email, [me, you]);

const logOf = async (aliasId: string) =>
  valueOf(await world.service().listMessages({ account: ACCOUNT, aliasId })).items;

const now = () => world.ports().clock.now();

const log = async (plane = world.plane()) => valueOf(await plane.logMessages());

/** Receives a message and tries its copies once. */
const send = async (to: readonly string[] = [SHOP], changed: Partial<ArrivedMail> = {}) => {
  const id = await world.received(await world.mail(to, changed));
  await world.forward(world.plane());
  return id;
};

/** The mail plane, with another way of saving messages. */
const saving = (save: MessageLog["save"], settings: Partial<MailPlanePorts> = {}) =>
  world.plane({
    ...settings,
    store: { ...world.store(), messageLog: { ...world.store().messageLog, save } },
  });

describe("a message that was received", () => {
  test("is logged with its author, and the outcome of each copy", async () => {
    const aliasId = await shop();
    world.relay().answer = ({ envelope }) => (envelope.to === ME ? ACCEPTED : REFUSED);
    const mail = await world.mail([SHOP]);
    const id = await world.received(mail);
    const receivedAt = now();
    expect(await log()).toBe(receivedAt + 2 * SECOND);
    expect(await logOf(aliasId)).toEqual([]);
    world.ports().clock.advance(SECOND);
    await world.forward(world.plane());
    expect(await log()).toBeNull();
    const [bob] = valueOf(await world.service().listContacts({ account: ACCOUNT, aliasId })).items;
    expect(await logOf(aliasId)).toEqual([
      {
        id,
        account: ACCOUNT,
        alias: aliasId,
        at: receivedAt,
        direction: "received",
        contact: "bob@sender.example",
        contactId: bob?.id,
        size: HEADER.length + "\r\nHello\r\n".length,
        subject: null,
        blocked: null,
        unsubscribesFrom: null,
        copies: [
          { to: ME, state: "sent", at: now(), reason: null },
          { to: YOU, state: "bounced", at: now(), reason: "mailbox_unknown" },
        ],
        keptBody: { spool: world.spool().id, until: now() + FAILED_BODY_RETENTION },
        count: 1,
        revision: 3,
      },
    ]);
    expect(valueOf(await world.spool().size()).unlogged).toBe(0);
    expect(await log()).toBeNull();
  });

  test("is logged for each of its aliases, with the copies for that one, and not for the operator", async () => {
    const ids = [await shop(), await shop("other@alias.example")];
    const message = await send([SHOP, "other@alias.example", "postmaster"]);
    await log();
    for (const aliasId of ids) {
      const [logged, ...others] = await logOf(aliasId);
      expect(others).toEqual([]);
      expect(logged).toMatchObject({ id: message, alias: aliasId });
      expect(logged?.copies.map(({ to }) => to)).toEqual([ME, YOU]);
    }
    await send(["postmaster"]);
    expect(world.relay().sent.at(-1)?.envelope.to).toBe(OPERATOR);
    expect(valueOf(await world.spool().size()).unlogged).toBe(0);
  });

  test.each([
    ["its author", "From: Eve <eve@other.example>\r\n", "eve@other.example"],
    ["an address that Postern made", `From: <r-${"a".repeat(26)}@alias.example>\r\n`, null],
    ["no valid address", "From: a..b@sender.example\r\n", null],
  ])("can be from %s", async (_, header, contact) => {
    const aliasId = await shop();
    await send([SHOP], { header });
    await log();
    expect((await logOf(aliasId))[0]?.contact).toBe(contact);
  });

  test("has a subject only if subjects are logged", async () => {
    const aliasId = await shop();
    await send();
    await log();
    await send([SHOP], { header: HEADER.replace("Hello", "=?utf-8?Q?H=C3=A9llo?=\r\n there") });
    await log(world.plane({ subjects: true }));
    await send([SHOP], { header: "From: bob@sender.example\r\n" });
    await log(world.plane({ subjects: true }));
    expect((await logOf(aliasId)).map(({ subject }) => subject).toSorted()).toEqual([
      "Héllo there",
      null,
      null,
    ]);
  });

  test("has a subject of at most 200 characters, none of them split", async () => {
    const aliasId = await shop();
    const subject = `${"x".repeat(199)}🙂🙂`;
    const header = HEADER.replace("Hello", Buffer.from(subject, "utf8").toString("latin1"));
    await send([SHOP], { header });
    await log(world.plane({ subjects: true }));
    expect((await logOf(aliasId))[0]?.subject).toBe("x".repeat(199));
  });

  test("keeps what was logged about it after its body was forgotten", async () => {
    const aliasId = await shop();
    const plane = world.plane({ subjects: true });
    await send();
    await log(plane);
    const [before] = await logOf(aliasId);
    expect(before).toMatchObject({ subject: "Hello", contact: "bob@sender.example" });
    valueOf(await world.spool().sweep(now()));
    const [copy] = valueOf(await world.spool().findAll(before?.id ?? expect.unreachable()));
    valueOf(await world.spool().report(copy?.id ?? expect.unreachable(), "delivered", now() + 5, null, null));
    await log(plane);
    const [first, second] = before?.copies ?? [];
    expect(await logOf(aliasId)).toEqual([
      { ...before, revision: 4, copies: [{ ...first, state: "delivered", at: now() + 5 }, second] },
    ]);
  });
});

test("a reply is logged as sent, with the contacts it went to", async () => {
  const aliasId = await world.alias(SHOP, [me]);
  const { reverseAddress } = valueOf(
    await world.service().createContact({ account: ACCOUNT, aliasId, email: "bob@sender.example" }),
  );
  const header = `From: ${ME}\r\nTo: ${reverseAddress}\r\nSubject: Hello\r\n`;
  const id = await send([reverseAddress], { header, returnPath: ME });
  await log(world.plane({ subjects: true }));
  const [logged, ...others] = await logOf(aliasId);
  expect(others).toEqual([]);
  expect(logged).toMatchObject({ id, direction: "sent", contact: null, subject: "Hello", blocked: null });
  expect(logged?.copies).toEqual([{ to: "bob@sender.example", state: "sent", at: now(), reason: null }]);
});

describe("a message that waits", () => {
  test.each([
    ["was not tried for two seconds", null, null],
    ["was deferred", BUSY, "mailbox_full"],
    ["cannot be sent because of the relay", UNUSABLE, "relay_unavailable"],
  ])("is logged as queued if it %s", async (_, answer, reason) => {
    const aliasId = await world.alias(SHOP, [me]);
    const receivedAt = now();
    await world.received(await world.mail([SHOP]));
    if (answer !== null) {
      world.relay().answer = () => answer;
      await world.forward(world.plane());
    }
    if (answer === UNUSABLE) expect(await log()).toBe(receivedAt + 2 * SECOND);
    if (answer !== BUSY) world.ports().clock.advance(2 * SECOND);
    expect(await log()).toBeNull();
    const queued = { to: ME, state: "queued", at: receivedAt, reason };
    expect((await logOf(aliasId))[0]).toMatchObject({ at: receivedAt, copies: [queued] });

    world.relay().answer = () => ACCEPTED;
    world.ports().clock.advance(600 * SECOND);
    await world.forward(world.plane());
    await log();
    const sent = { to: ME, state: "sent", at: now(), reason: null };
    expect(await logOf(aliasId)).toMatchObject([{ at: receivedAt, copies: [sent] }]);
  });

  test("does not wait until a clock that was set back has caught up", async () => {
    const aliasId = await shop();
    await world.received(await world.mail([SHOP]));
    world.ports().clock.advance(-3_600 * SECOND);
    expect(await log()).toBeNull();
    expect(await logOf(aliasId)).toHaveLength(1);
  });

  test("is waited for even if another one arrives later, or one of its copies has been tried", async () => {
    await shop();
    const firstAt = now();
    world.relay().answer = ({ envelope }) => (envelope.to === ME ? BUSY : UNUSABLE);
    await world.received(await world.mail([SHOP]));
    await world.forward(world.plane());
    world.ports().clock.advance(SECOND);
    await world.received(await world.mail([SHOP]));
    expect(await log()).toBe(firstAt + 2 * SECOND);
  });

  test("delays no other message", async () => {
    const aliasId = await shop();
    const tried = await send();
    const waiting = await world.received(await world.mail([SHOP]));
    expect(await log()).toBe(now() + 2 * SECOND);
    expect((await logOf(aliasId)).map(({ id }) => id)).toEqual([tried]);
    world.ports().clock.advance(2 * SECOND);
    expect(await log()).toBeNull();
    expect((await logOf(aliasId)).map(({ id }) => id).toSorted()).toEqual([tried, waiting].toSorted());
  });
});

test("the outcome in a report is logged, with its reason", async () => {
  const aliasId = await shop();
  const message = await send();
  const [one, other] = valueOf(await world.spool().findAll(message));
  const report = (...lines: string[]) => ({
    returnPath: "",
    header: "",
    parts: [{ type: "message/delivery-status", content: lines.map((line) => `${line}\r\n`).join("") }],
  });
  const plane = world.plane();
  world.ports().clock.advance(60 * SECOND);
  valueOf(await plane.recordReport(report("Action: delivered", "Status: 2.0.0"))(one?.id ?? null));
  valueOf(await plane.recordReport(report("Action: failed", "Status: 5.2.2"))(other?.id ?? null));
  await log();
  expect((await logOf(aliasId))[0]?.copies).toEqual([
    { to: ME, state: "delivered", at: now(), reason: null },
    { to: YOU, state: "bounced", at: now(), reason: "mailbox_full" },
  ]);
});

describe("a pass", () => {
  /** Messages that were sent, the oldest first. */
  const sendMany = async (count: number) => {
    const aliasId = await shop();
    for (let n = 0; n < count; n += 1) await world.received(await world.mail([SHOP]));
    await world.forward(world.plane());
    return aliasId;
  };

  test("logs up to 100 messages, and says whether there may be more", async () => {
    await sendMany(120);
    expect(await log()).toBe(now());
    expect(valueOf(await world.spool().size()).unlogged).toBe(20);
    expect(await log()).toBeNull();
    expect(valueOf(await world.spool().size()).unlogged).toBe(0);
  });

  test.each([
    { tried: 70, waiting: 40, wait: 0 },
    { tried: 40, waiting: 70, wait: 2 * SECOND },
    { tried: 0, waiting: 110, wait: 2 * SECOND },
  ])(
    "says when to come back if $waiting messages wait for their first attempts, and $tried do not",
    async ({ tried, waiting, wait }) => {
      await sendMany(tried);
      for (let n = 0; n < waiting; n += 1) await world.received(await world.mail([SHOP]));
      expect(await log()).toBe(now() + wait);
      expect(valueOf(await world.spool().size()).unlogged).toBe(waiting);
      world.ports().clock.advance(2 * SECOND);
      while ((await log()) !== null);
      expect(valueOf(await world.spool().size()).unlogged).toBe(0);
    },
  );

  test("saves at most ten messages at the same time", async () => {
    await sendMany(25);
    let [underWay, most] = [0, 0];
    const { save } = world.store().messageLog;
    const plane = saving(async (message, limits, timeLeft) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      expect(timeLeft).toBe(2_000);
      return save(message, limits, timeLeft);
    });
    expect(await log(plane)).toBeNull();
    expect(most).toBe(10);
  });

  test("ends when messages cannot be saved; messages that were saved are not saved again", async () => {
    const aliasId = await sendMany(25);
    const { save } = world.store().messageLog;
    const saved: string[] = [];
    const plane = saving(async (message, limits, timeLeft) => {
      saved.push(message.id);
      return saved.length === 13 ? unavailable() : save(message, limits, timeLeft);
    });
    expect(await log(plane)).toBe(now());
    expect(saved).toHaveLength(20);
    expect(valueOf(await world.spool().size()).unlogged).toBe(6);
    expect(await log()).toBeNull();
    expect(await logOf(aliasId)).toHaveLength(25);
  });

  test.each(["unlogged", "logged"] as const)(
    "is unavailable if `%s` is, and nothing is lost",
    async (port) => {
      const aliasId = await sendMany(2);
      const plane = world.withSpool({ [port]: unavailable });
      expect(await plane.logMessages()).toEqual(UNAVAILABLE);
      expect(await log()).toBeNull();
      expect(await logOf(aliasId)).toHaveLength(2);
    },
  );

  test("is done with messages of aliases that were erased", async () => {
    const aliasId = await shop();
    await send();
    valueOf(await world.service().deleteAlias({ account: ACCOUNT, aliasId }));
    valueOf(await world.service().eraseAlias({ account: ACCOUNT, aliasId }));
    expect(await log()).toBeNull();
    expect(valueOf(await world.spool().size()).unlogged).toBe(0);
    const alias = { account: valueOf(parseAccountId(ACCOUNT)), id: valueOf(parseAliasId(aliasId)) };
    expect(valueOf(await world.store().messageLog.list(alias, { limit: 10, after: null })).items).toEqual([]);
  });
});

describe("if messages of some accounts cannot be saved", () => {
  /** An account whose alias has been sent this many messages. */
  const accountWithMessages = async (account: string, count: number) => {
    const email = `${account}@alias.example`;
    await world.alias(email, [await world.recipient(`${account}@home.example`, account)], account);
    for (let n = 0; n < count; n += 1) await world.received(await world.mail([email]));
    await world.forward(world.plane());
  };

  /** The mail plane, with saving that fails for these accounts, and the accounts that it was called for. */
  const damaged = (accounts: readonly string[], spool = world.spool()) => {
    const calls: string[] = [];
    const { save } = world.store().messageLog;
    const plane = saving(
      async (message, limits, timeLeft) => {
        calls.push(message.account);
        return accounts.includes(message.account) ? unavailable() : save(message, limits, timeLeft);
      },
      { spool },
    );
    return { plane, calls };
  };

  const unlogged = async () => valueOf(await world.spool().size()).unlogged;

  test("the messages of others still are, however many come first", async () => {
    await accountWithMessages("damaged", 12);
    await accountWithMessages("other", 1);
    const { plane } = damaged(["damaged"]);
    expect(await log(plane)).toBe(now());
    expect(await unlogged()).toBe(12);
    expect(await plane.logMessages()).toEqual(UNAVAILABLE);
    expect(await log()).toBeNull();
    expect(await unlogged()).toBe(0);
  });

  test("each of these accounts gets one call, if there are many accounts", async () => {
    const accounts = Array.from({ length: 25 }, (_, n) => `account-${n}`);
    for (const account of accounts) await accountWithMessages(account, 3);
    const failing = accounts.slice(2, 11);
    const { plane, calls } = damaged(failing);
    expect(await log(plane)).toBe(now());
    expect(calls.filter((account) => failing.includes(account)).toSorted()).toEqual(failing.toSorted());
    expect(await unlogged()).toBe(27);
  });

  test("the messages of others still are, even if the failing ones fill a whole pass", async () => {
    await accountWithMessages("damaged", 100);
    await accountWithMessages("other", 5);
    const { plane } = damaged(["damaged"]);
    expect(await plane.logMessages()).toEqual(UNAVAILABLE);
    expect(await log(plane)).toBe(now());
    expect(await unlogged()).toBe(100);
    expect(await log()).toBe(now());
    expect(await log()).toBeNull();
    expect(await unlogged()).toBe(0);
  });

  test("each pass takes as many more as the last one could not log, up to 300 in all", async () => {
    await accountWithMessages("damaged", 1);
    const [message = expect.unreachable()] = valueOf(await world.spool().unlogged(1));
    const limits: number[] = [];
    const spool: Spool = {
      ...world.spool(),
      unlogged: async (limit) => {
        limits.push(limit);
        return ok(Array.from({ length: limit }, () => message));
      },
    };
    const { messageLog } = world.store();
    let fails = true;
    const save: MessageLog["save"] = async (...args) => (fails ? unavailable() : messageLog.save(...args));
    const plane = saving(save, { spool });
    for (let passes = 0; passes < 4; passes += 1) expect(await plane.logMessages()).toEqual(UNAVAILABLE);
    expect(limits).toEqual([100, 200, 300, 300]);
    fails = false;
    for (let passes = 0; passes < 2; passes += 1) expect(await log(plane)).toBe(now());
    expect(limits.slice(4)).toEqual([300, 100]);
  });

  test("they are tried last in the next pass, so ten of them do not end it before others are tried", async () => {
    const failing = Array.from({ length: 22 }, (_, n) => `damaged-${n}`);
    for (const account of failing) await accountWithMessages(account, 1);
    await accountWithMessages("other", 1);
    const { plane } = damaged(failing);
    // Ten fail in each of the first two passes.
    for (let passes = 0; passes < 2; passes += 1) expect(await plane.logMessages()).toEqual(UNAVAILABLE);
    expect(await log(plane)).toBe(now());
    expect(await unlogged()).toBe(22);
    // Once they can be saved, they are treated like others.
    const { plane: mended, calls } = damaged([]);
    expect(valueOf(await mended.logMessages())).toBeNull();
    expect(calls).toHaveLength(22);
  });

  test("the pass ends if ten that were tried together all fail", async () => {
    const accounts = Array.from({ length: 25 }, (_, n) => `account-${n}`);
    for (const account of accounts) await accountWithMessages(account, 1);
    const limits: number[] = [];
    const unlogged: Spool["unlogged"] = (limit) => {
      limits.push(limit);
      return world.spool().unlogged(limit);
    };
    const { plane, calls } = damaged(accounts, { ...world.spool(), unlogged });
    for (let passes = 0; passes < 2; passes += 1) expect(await plane.logMessages()).toEqual(UNAVAILABLE);
    expect(calls).toHaveLength(20);
    expect(new Set(calls)).toHaveProperty("size", 20);
    expect(limits).toEqual([100, 125]);
  });
});

test("however passes interleave with other events, and fail, in the end the log says what the spool knows", async () => {
  const answers = fc.constantFrom(ACCEPTED, REFUSED, BUSY, UNUSABLE);
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(answers, { minLength: 1, maxLength: 6 }),
      fc.infiniteStream(answers),
      fc.infiniteStream(fc.constantFrom("before", "after", "not", "not")),
      async (s, messages, answers, failures) => {
        const email = `${world.ports().ids.alias()}@alias.example`;
        const aliasId = await shop(email);
        /** Fails before the call, after it, or not. */
        const failing =
          <Args extends readonly unknown[], T>(port: (...args: Args) => Promise<T>) =>
          async (...args: Args) => {
            const failure = failures.next().value;
            if (failure === "before") return unavailable();
            const result = await port(...args);
            return failure === "after" ? unavailable() : result;
          };
        const { unlogged, logged } = world.spool();
        const { messageLog } = world.store();
        const plane = world.plane({
          spool: {
            ...world.spool(),
            unlogged: s.scheduleFunction(failing(unlogged)),
            logged: s.scheduleFunction(failing(logged)),
          },
          store: {
            ...world.store(),
            messageLog: { ...messageLog, save: s.scheduleFunction(failing(messageLog.save)) },
          },
        });
        const sending = async () => {
          for (const answer of messages) {
            world.relay().answer = () => answers.next().value ?? answer;
            await s.schedule(world.mail([email]).then(world.received));
            await s.schedule(world.forward(world.plane()));
            world.ports().clock.advance(400 * SECOND);
          }
        };
        const logging = async () => {
          for (let n = 0; n < 3; n += 1) await plane.logMessages();
        };
        await s.waitFor(Promise.all([sending(), logging(), logging()]));
        world.ports().clock.advance(2 * SECOND);
        expect(await log()).toBeNull();
        const found = await logOf(aliasId);
        expect(found).toHaveLength(messages.length);
        expect(valueOf(await world.spool().size()).unlogged).toBe(0);
        for (const { id, copies } of found) {
          const states = { sent: "sent", failed: "bounced", queued: "queued" };
          const kept = valueOf(await world.spool().findAll(id));
          expect(copies).toEqual(
            kept.map(({ to, state, since, reason }) => ({
              to,
              state: Reflect.get(states, state),
              at: since,
              reason,
            })),
          );
        }
      },
    ),
    { numRuns: 60 },
  );
});
