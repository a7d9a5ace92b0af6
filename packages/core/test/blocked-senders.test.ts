import { memoryStore } from "@postern/adapter-memory";
import {
  BlockedSender,
  err,
  type Postern,
  parseAccountId,
  parseBlockedSenderId,
  parseSender,
  postern,
  type Store,
} from "@postern/core";
import { parseBlockedSender } from "@postern/core/store";
import { failureOf, type TestPorts, testPorts, valueOf } from "@postern/core/testing";
import { accountId, emailAddress } from "@postern/core/testing/arbitraries";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";

const account = "account";
let ports: TestPorts;
let store: Store;
let service: Postern;

const serviceOn = (on: Store, limits = {}): Postern =>
  postern({ store: on, aliasDomains: ["alias.example"], limits, ...ports });

beforeEach(() => {
  ports = testPorts();
  store = memoryStore();
  service = serviceOn(store);
});

const block = async (sender: string, owner = account) =>
  valueOf(await service.blockSender({ account: owner, sender }));

const listed = async (owner = account) => valueOf(await service.listBlockedSenders({ account: owner })).items;

describe("blockSender", () => {
  test("blocks a domain or an address, each once", async () => {
    const domain = await block("Spam.EXAMPLE");
    expect(domain).toEqual({
      id: expect.stringMatching(/^[a-z2-7]{26}$/),
      account,
      sender: "spam.example",
      createdAt: ports.clock.now(),
    });
    ports.clock.advance(1);
    const address = await block("Bob@spam.example");
    expect(address).toMatchObject({ sender: "Bob@spam.example", createdAt: ports.clock.now() });
    ports.clock.advance(1);
    expect(await block("spam.example")).toEqual(domain);
    expect(await block("BOB@spam.example")).toEqual(address);
    expect(new Set(await listed())).toEqual(new Set([domain, address]));
  });

  test("returns a sender that is already blocked, even if another key made its id", async () => {
    const blocked = await block("spam.example");
    const { secrets } = ports;
    ports = { ...ports, secrets: { ...secrets, hash: (text) => secrets.hash(`other key ${text}`) } };
    service = serviceOn(store);
    expect(await block("spam.example")).toEqual(blocked);
    expect((await block("spam.example", "other")).id).not.toBe(blocked.id);
  });

  test.each(["spam", "", "a@b@c.example", `${"x.".repeat(11)}example`])("refuses %j", async (sender) => {
    expect(failureOf(await service.blockSender({ account, sender }))).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["sender"] }],
    });
    expect(await listed()).toEqual([]);
  });

  test("fails once the account has blocked as many senders as it may, but not for one already blocked", async () => {
    service = serviceOn(store, { blockedSenders: 2 });
    const [one] = [await block("one.example"), await block("two.example")];
    const three = await service.blockSender({ account, sender: "three.example" });
    expect(failureOf(three)).toEqual({ code: "too_many_blocked_senders", limit: 2 });
    expect(await block("ONE.example")).toEqual(one);
    await block("three.example", "other");
    valueOf(await service.unblockSender({ account, blockedSenderId: one.id }));
    await block("three.example");
  });

  test("is unavailable, with a cause, if another sender has the id", async () => {
    const conflict = async () => err({ code: "conflict" } as const);
    const failing = serviceOn({ ...store, blockedSenders: { ...store.blockedSenders, block: conflict } });
    expect(failureOf(await failing.blockSender({ account, sender: "spam.example" }))).toEqual({
      code: "unavailable",
      cause: { source: "postern", reason: "another blocked sender has the id" },
    });
  });
});

describe("unblockSender", () => {
  test("removes only a sender that the account itself blocked, and can be repeated", async () => {
    const [one, other] = [await block("one.example"), await block("two.example")];
    const theirs = await block("one.example", "other");
    for (const blockedSenderId of [one.id, one.id, theirs.id, "a".repeat(26)]) {
      valueOf(await service.unblockSender({ account, blockedSenderId }));
    }
    expect(await listed()).toEqual([other]);
    expect(await listed("other")).toEqual([theirs]);
  });

  test("refuses an invalid id", async () => {
    expect(
      failureOf(await service.unblockSender({ account, blockedSenderId: "spam.example" })),
    ).toMatchObject({ code: "invalid_request", issues: [{ path: ["blockedSenderId"] }] });
  });
});

describe("listBlockedSenders", () => {
  test("returns pages, of 50 by default", async () => {
    for (let n = 0; n < 60; n += 1) await block(`sender-${n}.example`);
    const first = valueOf(await service.listBlockedSenders({ account }));
    expect(first.items).toHaveLength(50);
    const rest = valueOf(await service.listBlockedSenders({ account, after: first.next, limit: 100 }));
    expect(rest).toMatchObject({ next: null });
    const senders = [...first.items, ...rest.items].map(({ sender }) => sender);
    expect(new Set(senders).size).toBe(60);
  });

  test.each([
    ["limit", { limit: 101 }],
    ["after", { after: "x" }],
    ["account", { account: "" }],
  ])("refuses a bad %s", async (path, bad) => {
    expect(failureOf(await service.listBlockedSenders({ account, ...bad }))).toMatchObject({
      code: "invalid_request",
      issues: [{ path: [path] }],
    });
  });
});

test("the id of a blocked sender depends on exactly the account and the sender, regardless of case", () => {
  const anySender = fc.oneof(
    emailAddress(),
    emailAddress().map((email) => email.replace(/^.*@/, "")),
  );
  fc.assert(
    fc.property(accountId(), accountId(), anySender, anySender, (one, other, first, second) => {
      const idOf = (owner: typeof one, text: string) =>
        BlockedSender.create(ports.secrets.hash, owner, valueOf(parseSender(text)), 1).id;
      expect(valueOf(parseBlockedSenderId(idOf(one, first)))).toBe(idOf(one, first));
      expect(idOf(one, first.toUpperCase())).toBe(idOf(one, first));
      expect(idOf(one, first) === idOf(other, first)).toBe(one === other);
      expect(idOf(one, first) === idOf(one, second)).toBe(first.toLowerCase() === second.toLowerCase());
    }),
  );
});

test("a stored blocked sender is parsed as it was written, and needs all of its fields", () => {
  const owner = valueOf(parseAccountId(account));
  const blocked = BlockedSender.create(ports.secrets.hash, owner, valueOf(parseSender("spam.example")), 7);
  expect(valueOf(parseBlockedSender({ ...blocked, more: 1 }))).toEqual(blocked);
  for (const field of Object.keys(blocked)) {
    const { [field]: _, ...rest }: Record<string, unknown> = { ...blocked };
    expect(failureOf(parseBlockedSender(rest)).issues).toMatchObject([{ path: [field] }]);
  }
});
