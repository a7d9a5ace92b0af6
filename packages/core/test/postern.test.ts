import { memoryStore } from "@postern/adapter-memory";
import { ok, PosternError, postern, type Store, throwing } from "@postern/core";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";

const account = "account-1";
const aliasDomains = ["alias.example"];
const open = () => {
  const ports = testPorts();
  return { ports, service: postern({ store: memoryStore(), aliasDomains, ...ports }) };
};

describe("postern", () => {
  test.each([
    [[], "aliasDomains must name at least one domain"],
    [["alias.example", "localhost"], "aliasDomains.1 must be a domain name such as example.com"],
  ])("refuses the alias domains %j", (names, message) => {
    expect(() => postern({ store: memoryStore(), ...testPorts(), aliasDomains: names })).toThrow(
      new TypeError(message),
    );
  });

  test.each([
    [undefined, "postern needs the ports store, aliasDomains, verificationMail, secrets, clock, ids"],
    [
      { ...testPorts(), store: memoryStore(), aliasDomains, clock: undefined },
      "postern needs the ports clock",
    ],
    [
      { ...testPorts(), store: null, aliasDomains, verificationMail: {} },
      "postern needs the ports store, verificationMail.send",
    ],
    [
      { ...testPorts(), store: {}, aliasDomains },
      "postern needs the ports store.aliases, store.recipients, store.mailLedger, store.creations, store.ping",
    ],
    [
      { ...testPorts(), store: { ...memoryStore(), outbox: undefined }, aliasDomains },
      "postern needs the ports store.outbox",
    ],
    [
      { ...testPorts(), store: memoryStore, aliasDomains },
      "postern needs a store, not a function that opens one: call it",
    ],
    [
      { ...testPorts(), store: Promise.resolve(ok(memoryStore())), aliasDomains },
      "postern needs a store, not a promise of one: await it",
    ],
    [
      { ...testPorts(), store: ok(memoryStore()), aliasDomains },
      "postern needs a store, not a Result: check isErr() and pass its value",
    ],
  ])("says what an untyped caller has forgotten", (ports, message) => {
    // @ts-expect-error: a caller without types can do this
    expect(() => postern(ports)).toThrow(new TypeError(message));
  });

  test("accepts a store that inherits its ports, such as an instance of a class", async () => {
    const store: Store = Object.create(memoryStore());
    const service = postern({ ...testPorts(), store, aliasDomains });
    expect((await service.ping()).isOk()).toBe(true);
  });

  test("accepts alias domains in any case", async () => {
    const service = postern({ store: memoryStore(), ...testPorts(), aliasDomains: ["Alias.EXAMPLE"] });
    const home = valueOf(await service.adoptRecipient({ account, email: "me@home.example" }));
    const created = await service.createAlias({ account, recipientIds: [home.id] });
    expect(valueOf(created).email).toMatch(/@alias\.example$/);
  });

  test("pings the store", async () => {
    expect((await open().service.ping()).isOk()).toBe(true);
  });

  test("parsing and running separately gives the same result as a call", async () => {
    const { service } = open();
    const { parse, run } = service.adoptRecipient;
    expect(failureOf(parse({ account: "", email: 7 }))).toEqual({
      code: "invalid_request",
      issues: [
        { path: ["account"], reason: "must not be empty" },
        { path: ["email"], reason: "must be a string" },
      ],
    });
    expect(failureOf(parse(undefined)).issues).toEqual([{ path: [], reason: "is required" }]);
    const parsed = valueOf(parse({ account, email: "Me@HOME.example" }));
    expect(valueOf(await run(parsed))).toMatchObject({ account, email: "Me@home.example" });
    expect(failureOf(await service.adoptRecipient({ account, email: "me@home.example" }))).toEqual({
      code: "address_taken",
    });
  });

  test("reports every retry to onRetry", async () => {
    const ports = testPorts();
    const store = memoryStore();
    let retries = 0;
    let conflicts = 3;
    const rivalled: typeof store.recipients.save = async (before, after) => {
      conflicts -= 1;
      // A concurrent save wins.
      if (conflicts >= 0) await store.recipients.save(before, { ...before, version: before.version + 1 });
      return store.recipients.save(before, after);
    };
    const service = postern({
      store: { ...store, recipients: { ...store.recipients, save: rivalled } },
      aliasDomains,
      ...ports,
      onRetry: () => {
        retries += 1;
      },
    });
    const { id } = valueOf(await service.adoptRecipient({ account, email: "me@home.example" }));
    await service.updateRecipient({ account, recipientId: id, active: false });
    expect(retries).toBe(3);
  });
});

describe("throwing", () => {
  test("resolves to the value itself", async () => {
    const service = throwing(open().service);
    const home = await service.adoptRecipient({ account, email: "me@home.example" });
    const alias = await service.createAlias({ account, recipientIds: [home.id] });
    expect(alias.destinations).toEqual([{ recipientId: home.id, email: "me@home.example" }]);
    expect(await service.ping()).toBeUndefined();
  });

  test("rejects with the failure and its code", async () => {
    const service = throwing(open().service);
    const thrown = await service.getAlias({ account, aliasId: "a" }).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(PosternError);
    expect(thrown).toMatchObject({
      name: "PosternError",
      message: "alias_not_found",
      code: "alias_not_found",
      failure: { code: "alias_not_found" },
    });
  });

  test("puts the recipients and aliases that are in the way into its message, but no address", async () => {
    const { ports, service: results } = open();
    const service = throwing(results);
    const home = await service.adoptRecipient({ account, email: "me@home.example" });
    const { recipient: work } = await service.addRecipient({ account, email: "me@work.example" });
    const alias = await service.createAlias({ account, recipientIds: [home.id] });
    const target = { account, aliasId: alias.id };
    await expect(
      service.replaceRecipients({ ...target, recipientIds: [work.id, "other"] }),
    ).rejects.toMatchObject({ message: `recipients_ineligible: ${work.id} is unverified, other is unknown` });
    await expect(service.deleteRecipient({ account, recipientId: home.id })).rejects.toMatchObject({
      message: `recipient_attached: ${alias.id}`,
    });
    await expect(service.addRecipient({ account, email: "me@alias.example" })).rejects.toMatchObject({
      message: "address_not_allowed: is_an_alias_domain",
    });
    await service.updateAlias({ ...target, active: false });
    await expect(service.resolveAlias({ address: alias.email })).rejects.toMatchObject({
      message: `alias_inactive: ${alias.id}`,
    });
    await service.suspendAccount({ account });
    ports.clock.advance(60_000);
    await expect(service.resolveAlias({ address: alias.email })).rejects.toMatchObject({
      message: `account_suspended: ${alias.id}`,
    });
    await expect(service.getAlias(target)).rejects.toMatchObject({ message: "account_suspended" });
  });

  test("explains in its message what is wrong with the input, without repeating it", async () => {
    const service = throwing(open().service);
    await expect(service.addRecipient({ account: "", email: "sekret" })).rejects.toThrow(
      /^account must not be empty; email must be an email address such as name@example\.com$/,
    );
  });

  test("has every operation", () => {
    const { service } = open();
    expect(Object.keys(throwing(service))).toEqual(Object.keys(service));
  });
});
