import { memorySpool, memoryStore } from "@postern/adapter-memory";
import {
  type AliasId,
  err,
  MAIL_OUTCOMES,
  type MailOutcome,
  ok,
  parseAliasId,
  postern,
  type Unavailable,
} from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { type Copy, mailPlane, type Spool } from "@postern/mail";
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { aCopy, aMessage } from "./samples.ts";
import { fakeRelay, fakeSigner } from "./support/fake-relay.ts";
import { useForwarding } from "./support/use-forwarding.ts";
import { counted } from "./support/use-mail-plane.ts";

const DOMAIN = "alias.example";

const unavailable = () => err<never, Unavailable>({ code: "unavailable" });

/** A spool with a message to an alias that was sent to each of `count` recipients, which has already been counted. */
const withCopies = async (count: number) => {
  const ports = testPorts();
  const store = memoryStore();
  const spool = memorySpool({ limit: 1e9 });
  const service = postern({ store, aliasDomains: [DOMAIN], ...ports });
  const home = valueOf(await service.adoptRecipient({ account: "account", email: "me@home.example" }));
  const alias = valueOf(await service.createAlias({ account: "account", recipientIds: [home.id] }));
  const message = aMessage(0);
  const forward = (id = alias.id): Copy =>
    aCopy(message, {
      purpose: {
        kind: "forward",
        alias: { account: alias.account, id, email: alias.email },
        recipient: home.id,
        contacts: [],
        isAnswer: false,
        tag: null,
      },
    });
  const copies = [forward(), ...Array.from({ length: count - 1 }, () => forward())] as const;
  const gone = forward(valueOf(parseAliasId("an erased alias")));
  const body = valueOf(await spool.receive((async function* () {})()));
  valueOf(await spool.keep({ message, body, copies: [...copies, gone] }));
  const sent = { state: "sent", attempts: 1, nextAt: 0, at: 0, reason: null, outcomes: [] } as const;
  for (const { id } of [...copies, gone]) valueOf(await spool.settle(id, sent, null));

  /** The operations, with the ports of the outbox and the store replaced. */
  const plane = (
    changed: Partial<Spool> = {},
    recordOutcome: typeof store.aliases.recordOutcome = store.aliases.recordOutcome,
  ) =>
    mailPlane({
      store: { ...store, aliases: { ...store.aliases, recordOutcome } },
      spool: { ...spool, ...changed },
      signer: fakeSigner,
      relay: fakeRelay(),
      ...ports,
      aliasDomains: [DOMAIN],
      serverName: "mx.example",
      postmaster: "operator@home.example",
    });
  const tallyOf = async (outcome: MailOutcome) =>
    valueOf(await service.getAlias({ account: "account", aliasId: alias.id })).tallies[outcome];
  const countOf = async (outcome: MailOutcome) => (await tallyOf(outcome)).count;
  return { spool, store, copies, gone, plane, tallyOf, countOf, now: ports.clock.now };
};

const report = async (spool: Spool, { id }: Copy, outcome: MailOutcome) =>
  valueOf(await spool.report(id, outcome, 1, null, null));

test("outcomes are counted once for their aliases, and dropped if the alias is gone", async () => {
  const { spool, copies, gone, plane, tallyOf } = await withCopies(3);
  const { countOutcomes } = plane();
  expect(valueOf(await countOutcomes())).toBe(null);
  for (const copy of copies) await report(spool, copy, "complaint");
  await report(spool, gone, "complaint");
  for (let passes = 0; passes < 2; passes += 1) expect(valueOf(await countOutcomes())).toBe(null);
  // `lastAt` is the time of the report.
  expect(await tallyOf("complaint")).toEqual({ count: 3, lastAt: 1 });
  expect(valueOf(await spool.size()).uncounted).toBe(0);
});

test("one pass takes a bounded number of outcomes, the oldest first", async () => {
  const { spool, store, copies, plane, now } = await withCopies(120);
  for (const copy of copies) await report(spool, copy, "delivered");
  const recorded: string[] = [];
  const { countOutcomes } = plane({}, async (alias, event) => {
    recorded.push(event.id);
    return store.aliases.recordOutcome(alias, event);
  });
  expect(valueOf(await countOutcomes())).toBe(now());
  expect(recorded).toHaveLength(100);
  expect(valueOf(await countOutcomes())).toBe(null);
  expect(recorded).toEqual(copies.map(({ id }) => `${id}:delivered`));
});

test("the pass ends at the first outcome that cannot be counted, and outcomes that were counted are not told again", async () => {
  const { spool, store, copies, plane, countOf } = await withCopies(3);
  for (const copy of copies) await report(spool, copy, "delivered");
  let calls = 0;
  const { countOutcomes } = plane({}, async (...args) => {
    calls += 1;
    return calls === 2 ? unavailable() : store.aliases.recordOutcome(...args);
  });
  valueOf(await countOutcomes());
  expect([calls, valueOf(await spool.size()).uncounted, await countOf("delivered")]).toEqual([2, 2, 1]);
  valueOf(await countOutcomes());
  expect(await countOf("delivered")).toBe(3);
});

test("each pass takes as many more as the last one could not count, up to 1,000 in all", async () => {
  const { spool, store, copies, plane } = await withCopies(1);
  await report(spool, copies[0], "delivered");
  const [outcome = expect.unreachable()] = valueOf(await spool.uncounted(1));
  const limits: number[] = [];
  const uncounted: Spool["uncounted"] = async (limit) => {
    limits.push(limit);
    return ok(Array.from({ length: limit }, () => outcome));
  };
  let [fails, calls] = [true, 0];
  const { countOutcomes } = plane({ uncounted }, async (...args) => {
    calls += 1;
    return fails ? unavailable() : store.aliases.recordOutcome(...args);
  });
  for (let passes = 0; passes < 12; passes += 1) expect(await countOutcomes()).toEqual(unavailable());
  expect(limits).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000, 1_000, 1_000]);
  // One call in each pass.
  expect(calls).toBe(12);
  fails = false;
  for (let passes = 0; passes < 2; passes += 1) valueOf(await countOutcomes());
  expect(limits.slice(-2)).toEqual([1_000, 100]);
});

test.each(["uncounted", "counted"] as const)(
  "if %s is unavailable, so is the pass, and nothing is lost",
  async (port) => {
    const { spool, copies, plane, countOf } = await withCopies(2);
    for (const copy of copies) await report(spool, copy, "delivered");
    expect(await plane({ [port]: async () => unavailable() }).countOutcomes()).toEqual(unavailable());
    expect(
      await plane({ counted: async () => unavailable() }, async () => unavailable()).countOutcomes(),
    ).toEqual(unavailable());
    expect(valueOf(await spool.size()).uncounted).toBe(2);
    valueOf(await plane().countOutcomes());
    expect(await countOf("delivered")).toBe(2);
  },
);

test("however passes interleave and fail, each outcome is counted exactly once in the end", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.tuple(fc.nat(3), fc.constantFrom(...MAIL_OUTCOMES)), { minLength: 1, maxLength: 12 }),
      fc.infiniteStream(fc.constantFrom("before", "after", "not", "not")),
      async (s, reports, failures) => {
        const { spool, store, copies, plane, countOf } = await withCopies(4);
        /** Fails before the call, after it, or not. */
        const failing =
          <Args extends readonly unknown[], T>(port: (...args: Args) => Promise<T>) =>
          async (...args: Args) => {
            const failure = failures.next().value;
            if (failure === "before") return unavailable();
            const result = await port(...args);
            return failure === "after" ? unavailable() : result;
          };
        const { countOutcomes } = plane(
          {
            uncounted: s.scheduleFunction(failing(spool.uncounted)),
            counted: s.scheduleFunction(failing(spool.counted)),
          },
          s.scheduleFunction(failing(store.aliases.recordOutcome)),
        );
        const known = new Map<string, MailOutcome>();
        const reporting = async () => {
          for (const [n, outcome] of reports) {
            const copy = copies[n] ?? copies[0];
            await s.schedule(report(spool, copy, outcome));
            known.set(`${copy.id}:${outcome}`, outcome);
          }
        };
        await s.waitFor(Promise.all([reporting(), countOutcomes(), countOutcomes(), countOutcomes()]));
        valueOf(await plane().countOutcomes());
        for (const outcome of MAIL_OUTCOMES) {
          expect(await countOf(outcome)).toBe([...known.values()].filter((each) => each === outcome).length);
        }
        expect(valueOf(await spool.size()).uncounted).toBe(0);
      },
    ),
    { numRuns: 60 },
  );
});

describe("if outcomes of some aliases cannot be counted", () => {
  const { world, messageTo, receive, forwardAll, tallies } = useForwarding();

  /** The operations, unable to count the outcomes of these aliases. */
  const withDamaged = (...damaged: readonly AliasId[]) => {
    const { recordOutcome } = world.store().aliases;
    return world.withAliases({
      recordOutcome: async (place, ...event) =>
        "id" in place && damaged.includes(place.id) ? unavailable() : recordOutcome(place, ...event),
    });
  };

  /** An alias with this many outcomes that have yet to be counted. */
  const aliasWithOutcomes = async (count: number, name: string) => {
    const id = await messageTo([name.replace("alias", "home")], name);
    for (let n = 1; n < count; n += 1) await receive(name);
    await forwardAll();
    return id;
  };

  test("the outcomes of all others still are", async () => {
    const names = Array.from({ length: 25 }, (_, n) => `shop-${n}@alias.example`);
    const ids = [];
    for (const name of names) ids.push(await messageTo([name.replace("alias", "home")], name));
    await forwardAll();
    const plane = withDamaged(ids[0] ?? expect.unreachable());
    expect(valueOf(await plane.countOutcomes())).toBe(world.ports().clock.now());
    expect(valueOf(await world.spool().size()).uncounted).toBe(1);
    expect(await plane.countOutcomes()).toEqual(unavailable());
    for (const id of ids) expect(await tallies(id)).toEqual({ sent: 1 });
  });

  test("the outcomes of others still are, even if the failing ones fill a whole pass", async () => {
    const damaged = await aliasWithOutcomes(100, "damaged@alias.example");
    const others = await aliasWithOutcomes(5, "others@alias.example");
    const plane = withDamaged(damaged);
    expect(await plane.countOutcomes()).toEqual(unavailable());
    valueOf(await plane.countOutcomes());
    expect(counted(await world.tallies(others))).toEqual({ sent: 5 });
    expect(valueOf(await world.spool().size()).uncounted).toBe(100);
    expect(await tallies(damaged)).toEqual({ sent: 100 });
  });

  test("they are tried last in the next pass, so ten of them do not end it before others are tried", async () => {
    const damaged: AliasId[] = [];
    for (let n = 0; n < 22; n += 1) damaged.push(await aliasWithOutcomes(1, `damaged-${n}@alias.example`));
    const other = await aliasWithOutcomes(1, "other@alias.example");
    const plane = withDamaged(...damaged);
    // Ten fail in each of the first two passes.
    for (let passes = 0; passes < 2; passes += 1) expect(await plane.countOutcomes()).toEqual(unavailable());
    valueOf(await plane.countOutcomes());
    expect(counted(await world.tallies(other))).toEqual({ sent: 1 });
    expect(valueOf(await world.spool().size()).uncounted).toBe(22);
  });

  test("the pass ends if all that were tried have failed", async () => {
    for (let n = 0; n < 25; n += 1) await messageTo([`${n}@home.example`], `shop-${n}@alias.example`);
    await forwardAll();
    const recordOutcome = vi.fn(async () => unavailable());
    expect(await world.withAliases({ recordOutcome }).countOutcomes()).toEqual(unavailable());
    expect(recordOutcome).toHaveBeenCalledTimes(10);
  });
});
