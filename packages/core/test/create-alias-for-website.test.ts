import { memoryStore } from "@postern/adapter-memory";
import { type Alias, type Postern, postern, type Recipient, type Store } from "@postern/core";
import { failureOf, type TestPorts, testPorts, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";

const account = "account-1";
const MINUTE = 60_000;

let store: Store;
let ports: TestPorts;
let service: Postern;

const serviceOn = (on: Store): Postern =>
  postern({ ...ports, store: on, aliasDomains: ["alias.example", "second.example"] });

beforeEach(() => {
  store = memoryStore();
  ports = testPorts();
  service = serviceOn(store);
});

const adopt = async (email: string): Promise<Recipient> =>
  valueOf(await service.adoptRecipient({ account, email }));

type Request = Partial<Parameters<Postern["createAliasForWebsite"]>[0]>;

const create = (request: Request = {}, on = service) =>
  on.createAliasForWebsite({ account, program: "manager", website: "shop.example", note: "", ...request });

const aliases = async (): Promise<readonly Alias[]> => valueOf(await service.listAliases({ account })).items;

describe("an alias for a website", () => {
  test("has a generated address, the host, the note and the default recipient", async () => {
    const home = await adopt("home@example.org");
    const made = valueOf(
      await create({ website: "https://Shop.example/cart", note: " Generated\n", domain: "second.example" }),
    );
    expect(made).toMatchObject({
      website: "shop.example",
      description: "Generated",
      destinations: [{ recipientId: home.id }],
      active: true,
    });
    expect(made.email).toMatch(/^[a-z0-9]{10}@second\.example$/);
    expect(valueOf(await create({ format: "words", note: "words" })).email).toMatch(
      /^[a-z-]+@alias\.example$/,
    );
    const chosen = valueOf(await create({ email: "shop@second.example" }));
    expect(chosen).toMatchObject({ email: "shop@second.example", website: "shop.example" });
    expect(await create({ email: "shop@second.example" })).toEqual({ value: chosen });
    expect(await create({ email: "shop@second.example", note: "other" })).toEqual({
      error: { code: "address_taken" },
    });
    expect(await aliases()).toHaveLength(3);
  });

  test("has those of the given recipients that are verified and active, in that order", async () => {
    const [home, work, old] = [
      await adopt("home@a.example"),
      await adopt("work@a.example"),
      await adopt("old@a.example"),
    ];
    const { recipient: fresh } = valueOf(await service.addRecipient({ account, email: "new@a.example" }));
    valueOf(await service.updateRecipient({ account, recipientId: old.id, active: false }));
    const made = valueOf(await create({ recipientIds: [old.id, work.id, fresh.id, home.id, "unknown"] }));
    expect(made.destinations.map(({ recipientId }) => recipientId)).toEqual([work.id, home.id]);
    expect(failureOf(await create({ note: "2", recipientIds: [old.id, fresh.id] }))).toEqual({
      code: "recipients_ineligible",
      recipients: [
        { id: old.id, reason: "inactive" },
        { id: fresh.id, reason: "unverified" },
      ],
    });
  });

  test("is refused on another domain, and without a recipient that it could have", async () => {
    expect(await create()).toEqual({ error: { code: "no_default_recipient" } });
    await service.addRecipient({ account, email: "new@a.example" });
    expect(await create()).toEqual({ error: { code: "no_default_recipient" } });
    await adopt("home@a.example");
    expect(await create({ domain: "other.example" })).toEqual({
      error: { code: "address_not_allowed", reason: "not_an_alias_domain" },
    });
    expect(await aliases()).toEqual([]);
  });
});

describe("the default recipient", () => {
  const chosen = async () => {
    ports.clock.advance(MINUTE);
    return valueOf(await create()).destinations[0].email;
  };
  const makeDefault = (recipientId: string, isDefault = true) =>
    service.updateRecipient({ account, recipientId, isDefault });

  test("is the one that was made it last, and else the oldest, as long as mail can go there", async () => {
    // More than one page of them.
    const all: Recipient[] = [];
    for (let n = 0; n < 101; n += 1) all.push(await adopt(`r${n}@a.example`));
    const [first, second, third] = all;
    if (first === undefined || second === undefined || third === undefined) throw new Error("there are many");
    expect(await chosen()).toBe("r0@a.example");
    valueOf(await makeDefault(third.id));
    expect(await chosen()).toBe("r2@a.example");
    ports.clock.advance(1);
    valueOf(await makeDefault(second.id));
    expect(await chosen()).toBe("r1@a.example");
    valueOf(await makeDefault(second.id, false));
    expect(await chosen()).toBe("r2@a.example");
    valueOf(await service.reassignRecipient({ account, recipientId: third.id, to: first.id }));
    valueOf(await service.updateRecipient({ account, recipientId: third.id, active: false }));
    expect(await chosen()).toBe("r0@a.example");
  });

  test("is not written if it is not to be it, and is not", async () => {
    const home = await adopt("home@a.example");
    const save = vi.spyOn(store.recipients, "save");
    expect(await makeDefault(home.id, false)).toEqual({ value: home });
    expect(save).not.toHaveBeenCalled();
  });

  test("can be made and deactivated at once, or neither", async () => {
    const home = await adopt("home@a.example");
    const both = { account, recipientId: home.id, isDefault: true, active: false };
    expect(valueOf(await service.updateRecipient(both))).toMatchObject({
      active: false,
      defaultSince: ports.clock.now(),
    });
  });
});

describe("a repeated request", () => {
  beforeEach(async () => {
    await adopt("home@example.org");
  });

  test.each<Request>([
    {},
    { website: "https://shop.example:8443/" },
    { note: " " },
    { format: "random", domain: undefined },
  ])("with %o within a minute gets the alias of the first one, as it is now", async (request) => {
    const first = valueOf(await create());
    ports.clock.advance(MINUTE - 1);
    const changed = valueOf(await service.updateAlias({ account, aliasId: first.id, active: false }));
    expect(await create(request)).toEqual({ value: changed });
    expect(await aliases()).toEqual([changed]);
  });

  test.each<Request>([
    { program: "other" },
    { website: "other.example" },
    { note: "other" },
    { format: "uuid" },
    { domain: "second.example" },
    { email: "shop@alias.example" },
  ])("is none with %o instead", async (request) => {
    const first = valueOf(await create());
    expect(valueOf(await create(request)).id).not.toBe(first.id);
    expect(await create()).toEqual({ value: first });
  });

  test("is none after a minute", async () => {
    const first = valueOf(await create());
    ports.clock.advance(MINUTE);
    const second = valueOf(await create());
    expect(second.id).not.toBe(first.id);
    expect(await create()).toEqual({ value: second });
  });

  test.each(["deleteAlias", "eraseAlias"] as const)("is none after %s", async (remove) => {
    const first = valueOf(await create());
    expect((await service[remove]({ account, aliasId: first.id })).isOk()).toBe(true);
    const again = valueOf(await create());
    expect(again).toMatchObject({ deletedAt: null });
    expect(again.id).not.toBe(first.id);
  });

  test("gets it even if the default recipient is another one by now, or gone", async () => {
    const first = valueOf(await create());
    const work = await adopt("work@example.org");
    valueOf(await service.updateRecipient({ account, recipientId: work.id, isDefault: true }));
    expect(await create()).toEqual({ value: first });
    for (const { id } of valueOf(await service.listRecipients({ account })).items) {
      await service.reassignRecipient({ account, recipientId: id, to: work.id });
    }
    expect(valueOf(await create()).id).toBe(first.id);
  });

  test("at the same time on another server gets it too, in whatever order they reach the store", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        store = memoryStore();
        service = serviceOn(store);
        await adopt("home@example.org");
        const slow = (on: Store): Store => ({
          ...on,
          aliases: {
            ...on.aliases,
            create: scheduler.scheduleFunction(on.aliases.create),
            findWithRecipients: scheduler.scheduleFunction(on.aliases.findWithRecipients),
          },
          creations: { ...on.creations, find: scheduler.scheduleFunction(on.creations.find) },
          recipients: { ...on.recipients, list: scheduler.scheduleFunction(on.recipients.list) },
        });
        const servers = [serviceOn(slow(store)), serviceOn(slow(store)), serviceOn(slow(store))];
        const made = Promise.all(servers.map((server) => create({}, server)));
        await scheduler.waitFor(made);
        const ids = (await made).map((each) => valueOf(each).id);
        expect(new Set(ids).size).toBe(1);
        expect(await aliases()).toHaveLength(1);
      }),
      { numRuns: 50 },
    );
  });
});
