import { memoryStore } from "@postern/adapter-memory";
import { type AccountLimits, DEFAULT_LIMITS, NO_LIMITS, parseAccountLimits, postern } from "@postern/core";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";

const account = "alice";

const open = (limits?: Partial<AccountLimits>) => {
  const ports = testPorts();
  const service = postern({ store: memoryStore(), aliasDomains: ["alias.example"], limits, ...ports });
  const adopt = async (name: string) => service.adoptRecipient({ account, email: `${name}@home.example` });
  const add = async (name: string) => service.addRecipient({ account, email: `${name}@home.example` });
  const verify = async () => service.verifyRecipient({ token: ports.outbox.at(-1)?.token ?? "" });
  return { ports, service, adopt, add, verify };
};

test("by default an account may have 10,000 aliases and 200 recipients, 20 of them unverified", () => {
  expect(valueOf(parseAccountLimits({}))).toEqual(DEFAULT_LIMITS);
  expect(DEFAULT_LIMITS).toEqual({
    aliases: 10_000,
    recipients: 200,
    unverifiedRecipients: 20,
    contacts: 10_000,
    blockedSenders: 1_000,
    loggedMessagesOfAlias: 10_000,
    loggedMessages: 100_000,
    verificationMessages: 100,
  });
  expect(valueOf(parseAccountLimits(NO_LIMITS))).toEqual(NO_LIMITS);
});

test.each([
  { aliases: -1 },
  { recipients: 1.5 },
  { unverifiedRecipients: Infinity },
  { verificationMessages: 1001 },
  { alias: 1 },
])("postern throws for the limits %j, and names them", (limits) => {
  expect(parseAccountLimits(limits).isErr()).toBe(true);
  expect(() => open(limits as Partial<AccountLimits>)).toThrow(/^limits/);
});

describe("an account at its limit", () => {
  test("of aliases cannot create one after deleting one, but can after erasing one", async () => {
    const { service, adopt } = open({ aliases: 2 });
    const recipientIds = [valueOf(await adopt("me")).id];
    const create = () => service.createAlias({ account, recipientIds });
    const { id: aliasId } = valueOf(await create());
    valueOf(await create());
    expect(failureOf(await create())).toEqual({ code: "too_many_aliases", limit: 2 });
    valueOf(await service.deleteAlias({ account, aliasId }));
    expect(failureOf(await create())).toEqual({ code: "too_many_aliases", limit: 2 });
    valueOf(await service.eraseAlias({ account, aliasId }));
    expect((await create()).isOk()).toBe(true);
  });

  test("of recipients can neither add nor adopt another until one is removed", async () => {
    const { service, ports, adopt, add } = open({ recipients: 2 });
    const { id: recipientId } = valueOf(await adopt("one"));
    valueOf(await add("two"));
    for (const more of [adopt, add]) {
      expect(failureOf(await more("three"))).toEqual({ code: "too_many_recipients", limit: 2 });
    }
    valueOf(await service.deleteRecipient({ account, recipientId }));
    expect((await add("three")).isOk()).toBe(true);
    expect(ports.outbox.map(({ to }) => to)).toEqual(["two@home.example", "three@home.example"]);
  });

  test("of unverified recipients can add another once one is verified; adopted ones do not count", async () => {
    const { add, adopt, verify } = open({ unverifiedRecipients: 1 });
    valueOf(await add("one"));
    expect(failureOf(await add("two"))).toEqual({ code: "too_many_unverified_recipients", limit: 1 });
    valueOf(await adopt("three"));
    valueOf(await verify());
    expect((await add("two")).isOk()).toBe(true);
  });
});

test("a limit of 0 means no limit", async () => {
  const { service, adopt, add } = open(NO_LIMITS);
  const recipientIds = [valueOf(await adopt("me")).id];
  for (let n = 0; n < 30; n += 1) {
    valueOf(await add(`unverified-${n}`));
    valueOf(await service.createAlias({ account, recipientIds }));
  }
});
