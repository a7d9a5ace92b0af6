import { memoryStore } from "@postern/adapter-memory";
import {
  type Aliases,
  type AliasId,
  type Conflict,
  err,
  LINK_LIFETIME,
  parseAliasDomains,
  postern,
  Recipient,
  type RecipientId,
  type Store,
  type Unavailable,
} from "@postern/core";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test, vi } from "vitest";

const ACCOUNT = "account-1";
const aliasDomains = ["Alias.example", "second.example"];
const unavailable = async () => err<never, Unavailable>({ code: "unavailable" });
const conflict = async () => err<never, Conflict>({ code: "conflict" });

let store: Store;
let ports: ReturnType<typeof testPorts>;

/** The operations on the store, some of whose calls can be replaced by failing ones. */
const service = ({ aliases, recipients }: Pick<Store, "aliases" | "recipients"> = store) =>
  postern({ store: { ...store, aliases, recipients }, aliasDomains, ...ports });

const failing = (aliases: Partial<Aliases>, recipients: Partial<Store["recipients"]> = {}) =>
  service({
    aliases: { ...store.aliases, ...aliases },
    recipients: { ...store.recipients, ...recipients },
  });

const lastToken = () => ports.outbox.at(-1)?.token ?? "";

const verifiedRecipient = async (email: string): Promise<RecipientId> => {
  const { recipient } = valueOf(await service().addRecipient({ account: ACCOUNT, email }));
  valueOf(await service().verifyRecipient({ token: lastToken() }));
  return recipient.id;
};

const newAlias = async (recipientIds: readonly string[]): Promise<AliasId> =>
  valueOf(
    await service().createAlias({
      account: ACCOUNT,
      email: "shop@alias.example",
      recipientIds: [...recipientIds],
    }),
  ).id;

beforeEach(() => {
  store = memoryStore();
  ports = testPorts();
});

describe("addRecipient", () => {
  test("stores the recipient and sends it a link that is valid for 24 hours", async () => {
    const added = await service().addRecipient({ account: ACCOUNT, email: "me@Example.org" });
    expect(added).toMatchObject({
      value: {
        verification: "sent",
        recipient: { account: ACCOUNT, email: "me@example.org", verifiedAt: null },
      },
    });
    expect(ports.outbox).toEqual([{ account: ACCOUNT, to: "me@example.org", token: lastToken() }]);
    const { recipient } = valueOf(added);
    expect(ports.secrets.open(lastToken())).toEqual({
      account: ACCOUNT,
      recipientId: recipient.id,
      nonce: recipient.nonce,
      mailbox: ports.secrets.hash("mailbox:me@example.org"),
      expiresAt: ports.clock.now() + 24 * 60 * 60 * 1000,
    });
    expect(valueOf(await service().listRecipients({ account: ACCOUNT })).items).toEqual([recipient]);
  });

  test("stores the recipient even if the message could not be sent, and says so", async () => {
    const mailless = postern({ store, aliasDomains, ...ports, verificationMail: { send: unavailable } });
    const added = await mailless.addRecipient({ account: ACCOUNT, email: "me@example.org" });
    expect(added).toMatchObject({ value: { verification: "not_sent" } });
    expect(valueOf(await service().listRecipients({ account: ACCOUNT })).items).toHaveLength(1);
  });

  test.each(["me@alias.example", "me@ALIAS.example", "me@second.example"])(
    "refuses %s: mail would loop",
    async (email) => {
      expect(failureOf(await service().addRecipient({ account: ACCOUNT, email }))).toEqual({
        code: "address_not_allowed",
        reason: "is_an_alias_domain",
      });
      expect(ports.outbox).toEqual([]);
      expect(valueOf(await service().listRecipients({ account: ACCOUNT })).items).toEqual([]);
    },
  );

  test("refuses an address that the account already has, and sends nothing", async () => {
    await service().addRecipient({ account: ACCOUNT, email: "me@example.org" });
    const again = await service().addRecipient({ account: ACCOUNT, email: "ME@example.org" });
    expect(failureOf(again)).toEqual({ code: "address_taken" });
    expect(ports.outbox).toHaveLength(1);
  });

  test("refuses an invalid address and an invalid account", async () => {
    expect(await service().addRecipient({ account: ACCOUNT, email: "me" })).toMatchObject({
      error: { code: "invalid_request", issues: [{ path: ["email"] }] },
    });
    expect(await service().addRecipient({ account: "", email: "me@example.org" })).toMatchObject({
      error: { code: "invalid_request", issues: [{ path: ["account"] }] },
    });
  });

  test("reports that the store is unavailable, and sends nothing", async () => {
    const { addRecipient } = failing({}, { create: unavailable });
    expect(await addRecipient({ account: ACCOUNT, email: "me@example.org" })).toMatchObject({
      error: { code: "unavailable" },
    });
    expect(ports.outbox).toEqual([]);
  });
});

describe("verifyRecipient", () => {
  beforeEach(async () => {
    await service().addRecipient({ account: ACCOUNT, email: "me@example.org" });
  });

  test("verifies the recipient that the link was sent to, idempotently", async () => {
    ports.clock.advance(5);
    const verifiedAt = ports.clock.now();
    const once = await service().verifyRecipient({ token: lastToken() });
    expect(once).toMatchObject({ value: { email: "me@example.org", verifiedAt, version: 3 } });
    ports.clock.advance(5);
    const save = vi.spyOn(store.recipients, "save");
    const twice = await service().verifyRecipient({ token: lastToken() });
    expect(valueOf(twice)).toEqual(valueOf(once));
    expect(save).not.toHaveBeenCalled();
  });

  test("accepts a link for exactly 24 hours", async () => {
    ports.clock.advance(LINK_LIFETIME);
    expect(await service().verifyRecipient({ token: lastToken() })).toMatchObject({
      error: { code: "link_invalid" },
    });
    ports.clock.advance(-1);
    expect(await service().verifyRecipient({ token: lastToken() })).toHaveProperty("value");
  });

  test("gives the same result for links that are forged, superseded or of an unknown recipient", async () => {
    const { account, recipientId, nonce, mailbox, expiresAt } =
      ports.secrets.open(lastToken()) ?? expect.unreachable();
    const nobody = valueOf(await service().addRecipient({ account: "other", email: "other@example.org" }));
    for (const token of [
      "forged",
      ports.secrets.seal({ account, recipientId: nobody.recipient.id, nonce, mailbox, expiresAt }),
      ports.secrets.seal({ account, recipientId, nonce: "older", mailbox, expiresAt }),
      ports.secrets.seal({ account: nobody.recipient.account, recipientId, nonce, mailbox, expiresAt }),
    ]) {
      expect(failureOf(await service().verifyRecipient({ token }))).toEqual({
        code: "link_invalid",
      });
    }
    const [mine] = valueOf(await service().listRecipients({ account })).items;
    expect(mine?.verifiedAt).toBeNull();
  });

  test.each([
    ["nothing", ""],
    ["a token of 2049 characters", "t".repeat(2049)],
  ])("refuses %s", async (_, token) => {
    const open = vi.spyOn(ports.secrets, "open");
    expect(await service().verifyRecipient({ token })).toMatchObject({ error: { code: "invalid_request" } });
    expect(open).not.toHaveBeenCalled();
  });

  test("reports that the store is unavailable", async () => {
    const token = lastToken();
    expect(await failing({}, { find: unavailable }).verifyRecipient({ token })).toMatchObject({
      error: { code: "unavailable" },
    });
    expect(await failing({}, { save: unavailable }).verifyRecipient({ token })).toMatchObject({
      error: { code: "unavailable" },
    });
  });
});

describe("createAlias", () => {
  test("creates an alias on any of the alias domains", async () => {
    const recipient = await verifiedRecipient("me@example.org");
    for (const email of ["shop@alias.example", "letters@second.example"]) {
      const created = await service().createAlias({
        account: ACCOUNT,
        email,
        description: " a shop ",
        recipientIds: [recipient],
      });
      expect(created).toMatchObject({
        value: { account: ACCOUNT, email, description: "a shop", active: true },
      });
    }
    const { items } = valueOf(await service().listAliases({ account: ACCOUNT }));
    expect(items.map(({ email }) => email)).toEqual(["letters@second.example", "shop@alias.example"]);
  });

  test("has an empty description by default", async () => {
    const recipientIds = [await verifiedRecipient("me@example.org")];
    const created = await service().createAlias({
      account: ACCOUNT,
      email: "shop@alias.example",
      recipientIds,
    });
    expect(created).toMatchObject({ value: { description: "" } });
  });

  test.each(["shop@example.org", "shop@sub.alias.example", "shop@alias.example.org"])(
    "refuses %s: no alias domain",
    async (email) => {
      const recipientIds = [await verifiedRecipient("me@example.org")];
      const created = await service().createAlias({ account: ACCOUNT, email, recipientIds });
      expect(failureOf(created)).toEqual({
        code: "address_not_allowed",
        reason: "not_an_alias_domain",
      });
    },
  );

  test("refuses an address that is taken, and ineligible recipients", async () => {
    const recipientIds = [await verifiedRecipient("me@example.org")];
    await newAlias(recipientIds);
    const taken = await service().createAlias({
      account: ACCOUNT,
      email: "Shop@alias.example",
      recipientIds,
    });
    expect(failureOf(taken)).toEqual({ code: "address_taken" });
    const email = "other@alias.example";
    const unknown = await service().createAlias({ account: ACCOUNT, email, recipientIds: ["nobody"] });
    expect(failureOf(unknown)).toEqual({
      code: "recipients_ineligible",
      recipients: [{ id: "nobody", reason: "unknown" }],
    });
  });

  test.each([
    ["recipientIds", { recipientIds: [] }],
    ["email", { email: "shop" }],
    ["account", { account: "" }],
    ["description", { description: "a\u0007" }],
    ["description", { description: "x".repeat(501) }],
    ["description", { description: "\ud83d" }],
    ["description", { description: "\uFDFA".repeat(28) }],
  ])("refuses a bad %s", async (path, bad) => {
    const recipientIds = [await verifiedRecipient("me@example.org")];
    const create = vi.spyOn(store.aliases, "create");
    const command = { account: ACCOUNT, email: "shop@alias.example", recipientIds, ...bad };
    expect(await service().createAlias(command)).toMatchObject({
      error: { code: "invalid_request", issues: [{ path: [path] }] },
    });
    expect(create).not.toHaveBeenCalled();
  });

  test.each([
    [{}, /^[a-z][a-z2-9]{9}@alias\.example$/],
    [{ domain: "Second.example" }, /^[a-z][a-z2-9]{9}@second\.example$/],
    [{ format: "random" as const }, /^[a-z][a-z2-9]{9}@alias\.example$/],
    [{ format: "words" as const }, /^[a-z]+(-[a-z]+){3}@alias\.example$/],
    [{ format: "uuid" as const, domain: "second.example" }, /^[0-9a-f-]{36}@second\.example$/],
  ])("generates an address for %j", async (wanted, form) => {
    const recipientIds = [await verifiedRecipient("me@example.org")];
    const created = await service().createAlias({ account: ACCOUNT, recipientIds, ...wanted });
    expect(valueOf(created).email).toMatch(form);
  });

  test("generates another address if the first one is taken", async () => {
    const recipientIds = [await verifiedRecipient("me@example.org")];
    const draws = [...Array.from({ length: 20 }, () => 0), ...Array.from({ length: 10 }, () => 1)];
    const secrets = { ...ports.secrets, random: () => draws.shift() ?? 2 };
    const create = postern({ store, aliasDomains, ...ports, secrets }).createAlias;
    const first = valueOf(await create({ account: ACCOUNT, recipientIds }));
    draws.unshift(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    const second = valueOf(await create({ account: ACCOUNT, recipientIds }));
    expect(second.email).not.toBe(first.email);
  });

  test("gives up if every generated address is taken", async () => {
    const recipientIds = [await verifiedRecipient("me@example.org")];
    const secrets = { ...ports.secrets, random: () => 0 };
    const create = postern({ store, aliasDomains, ...ports, secrets }).createAlias;
    expect(await create({ account: ACCOUNT, recipientIds })).toHaveProperty("value");
    expect(failureOf(await create({ account: ACCOUNT, recipientIds }))).toEqual({
      code: "unavailable",
      cause: { source: "postern", reason: "a conflict in each of 8 attempts" },
    });
  });

  test.each([
    [
      "a domain that is not the service's",
      { domain: "example.org" },
      { code: "address_not_allowed", reason: "not_an_alias_domain" },
    ],
    [
      "both an address and a format",
      { email: "shop@alias.example", format: "words" as const },
      { code: "invalid_request" },
    ],
    [
      "both an address and a domain",
      { email: "shop@alias.example", domain: "alias.example" },
      { code: "invalid_request" },
    ],
  ])("refuses %s", async (_, wanted, error) => {
    const recipientIds = [await verifiedRecipient("me@example.org")];
    const created = await service().createAlias({ account: ACCOUNT, recipientIds, ...wanted });
    expect(failureOf(created)).toMatchObject(error);
  });

  test("decides again if a recipient is deactivated just before the write", async () => {
    const id = await verifiedRecipient("me@example.org");
    const { createAlias } = failing({
      create: async (alias, limits) => {
        const [recipient] = valueOf(await store.recipients.findAll(alias.account, [id]));
        if (recipient?.active) {
          const off = valueOf(Recipient.deactivate(recipient, ports.clock.now()));
          valueOf(await store.recipients.save(recipient, off));
        }
        return store.aliases.create(alias, limits);
      },
    });
    const created = await createAlias({ account: ACCOUNT, email: "shop@alias.example", recipientIds: [id] });
    expect(failureOf(created)).toEqual({
      code: "recipients_ineligible",
      recipients: [{ id, reason: "inactive" }],
    });
  });

  test("reports that the store is unavailable", async () => {
    const command = {
      account: ACCOUNT,
      email: "shop@alias.example",
      recipientIds: [await verifiedRecipient("me@example.org")],
    };
    for (const broken of [failing({ create: unavailable }), failing({}, { findAll: unavailable })]) {
      expect(failureOf(await broken.createAlias(command))).toEqual({ code: "unavailable" });
    }
  });
});

describe("replaceRecipients", () => {
  let a: RecipientId;
  let b: RecipientId;
  let aliasId: AliasId;

  beforeEach(async () => {
    a = await verifiedRecipient("a@example.org");
    b = await verifiedRecipient("b@example.org");
    aliasId = await newAlias([a]);
    ports.clock.advance(1000);
  });

  const stored = async () => valueOf(await service().listAliases({ account: ACCOUNT })).items[0];

  test("replaces the list exactly, in order, and returns the alias as stored", async () => {
    const replaced = await service().replaceRecipients({
      account: ACCOUNT,
      aliasId,
      recipientIds: [b, a, b],
    });
    expect(replaced).toMatchObject({
      value: {
        destinations: [
          { recipientId: b, email: "b@example.org" },
          { recipientId: a, email: "a@example.org" },
        ],
        version: 2,
        updatedAt: ports.clock.now(),
      },
    });
    expect(await stored()).toEqual(valueOf(replaced));
  });

  test("writes nothing if the list is already in place", async () => {
    const save = vi.spyOn(store.aliases, "save");
    const before = await stored();
    const replaced = await service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds: [a] });
    expect(valueOf(replaced)).toEqual(before);
    expect(save).not.toHaveBeenCalled();
  });

  test("calls the store twice in all: one read, one write", async () => {
    const find = vi.spyOn(store.aliases, "findWithRecipients");
    const save = vi.spyOn(store.aliases, "save");
    await service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds: [b] });
    expect([find.mock.calls.length, save.mock.calls.length]).toEqual([1, 1]);
  });

  test("succeeds only at one of the expected versions", async () => {
    const replace = (recipientIds: string[], expectedVersions: number[]) =>
      service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds, expectedVersions });
    for (const [ids, versions] of [
      [[b], [2]],
      [[b], []],
      [[a], [2]],
    ] as const) {
      expect(failureOf(await replace([...ids], [...versions]))).toEqual({
        code: "precondition_failed",
      });
    }
    expect((await stored())?.version).toBe(1);
    expect(await replace([b], [7, 1])).toMatchObject({ value: { version: 2 } });
  });

  test("a version that a concurrent save has replaced fails the precondition", async () => {
    const { replaceRecipients } = failing({
      save: async (before, after) => {
        await service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds: [a, b] });
        return store.aliases.save(before, after);
      },
    });
    const replaced = await replaceRecipients({
      account: ACCOUNT,
      aliasId,
      recipientIds: [b],
      expectedVersions: [1],
    });
    expect(failureOf(replaced)).toEqual({ code: "precondition_failed" });
  });

  test.each([
    ["an empty list", { recipientIds: [] }, "recipientIds"],
    ["41 ids", { recipientIds: Array.from({ length: 41 }, (_, i) => `r${i}`) }, "recipientIds"],
    ["an empty alias id", { aliasId: "" }, "aliasId"],
    ["an empty account", { account: "" }, "account"],
    ["a version of no alias", { expectedVersions: [0] }, "expectedVersions"],
    ["half a version", { expectedVersions: [1.5] }, "expectedVersions"],
  ])("refuses %s without asking the store", async (_, bad, where) => {
    const find = vi.spyOn(store.aliases, "findWithRecipients");
    const command = { account: ACCOUNT, aliasId, recipientIds: [b], ...bad };
    const refused = await service().replaceRecipients(command);
    expect(refused).toMatchObject({ error: { code: "invalid_request" } });
    const error = failureOf(refused);
    expect(error.code === "invalid_request" && error.issues[0]?.path[0]).toBe(where);
    expect(find).not.toHaveBeenCalled();
  });

  test("returns the same failure for another account's alias and an unknown one", async () => {
    const command = { aliasId, recipientIds: [a] };
    const foreign = await service().replaceRecipients({ account: "other", ...command });
    const unknown = await service().replaceRecipients({ account: ACCOUNT, ...command, aliasId: "nothing" });
    expect(failureOf(foreign)).toEqual({ code: "alias_not_found" });
    expect(failureOf(unknown)).toEqual({ code: "alias_not_found" });
  });

  test("refuses for a deleted alias", async () => {
    const alias = await stored();
    if (alias === undefined) return expect.unreachable();
    await store.aliases.save(alias, { ...alias, deletedAt: 1, version: 2 });
    const replaced = await service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds: [b] });
    expect(failureOf(replaced)).toEqual({ code: "alias_deleted" });
  });

  test("names all ineligible recipients at once, with their reasons", async () => {
    const foreign = valueOf(await service().addRecipient({ account: "other", email: "f@example.org" }));
    const fresh = valueOf(await service().addRecipient({ account: ACCOUNT, email: "u@example.org" }));
    const [recipient] = valueOf(
      await store.recipients.findAll(foreign.recipient.account, [foreign.recipient.id]),
    );
    expect(recipient).toBeDefined();
    const listed = valueOf(await service().listRecipients({ account: ACCOUNT })).items;
    const spare = listed.find(({ id }) => id === b) ?? expect.unreachable();
    await store.recipients.save(spare, valueOf(Recipient.deactivate(spare, ports.clock.now())));
    const before = await stored();
    const recipientIds = [a, "nobody", fresh.recipient.id, foreign.recipient.id, b, "nobody"];
    const replaced = await service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds });
    expect(failureOf(replaced)).toEqual({
      code: "recipients_ineligible",
      recipients: [
        { id: "nobody", reason: "unknown" },
        { id: fresh.recipient.id, reason: "unverified" },
        { id: foreign.recipient.id, reason: "unknown" },
        { id: b, reason: "inactive" },
      ],
    });
    expect(await stored()).toEqual(before);
  });

  test("makes 8 attempts at a contended alias, with a pause before each retry, then gives up", async () => {
    const save = vi.fn(conflict);
    const find = vi.spyOn(store.aliases, "findWithRecipients");
    const pause = vi.spyOn(ports.clock, "pause");
    const replaced = await failing({ save }).replaceRecipients({
      account: ACCOUNT,
      aliasId,
      recipientIds: [b],
    });
    expect(failureOf(replaced)).toEqual({
      code: "unavailable",
      cause: { source: "postern", reason: "a conflict in each of 8 attempts" },
    });
    expect(save).toHaveBeenCalledTimes(8);
    expect(find).toHaveBeenCalledTimes(8);
    expect(pause.mock.calls).toEqual([[2], [3], [4], [5], [6], [7], [8]]);
  });

  test("succeeds once the competing writers are done", async () => {
    const save = vi.fn(store.aliases.save).mockImplementationOnce(conflict).mockImplementationOnce(conflict);
    const replaced = await failing({ save }).replaceRecipients({
      account: ACCOUNT,
      aliasId,
      recipientIds: [b],
    });
    expect(replaced).toMatchObject({ value: { version: 2 } });
    expect(save).toHaveBeenCalledTimes(3);
  });

  test("reports that the store is unavailable, without retrying", async () => {
    const save = vi.fn(unavailable);
    const command = { account: ACCOUNT, aliasId, recipientIds: [b] };
    expect(failureOf(await failing({ save }).replaceRecipients(command))).toEqual({
      code: "unavailable",
    });
    expect(save).toHaveBeenCalledOnce();
    const blind = failing({ findWithRecipients: unavailable });
    expect(failureOf(await blind.replaceRecipients(command))).toEqual({ code: "unavailable" });
  });
});

describe.each(["listAliases", "listRecipients"] as const)("%s", (list) => {
  test.each([
    ["limit", { limit: 0 }],
    ["limit", { limit: 101 }],
    ["limit", { limit: 1.5 }],
    ["after", { after: "" }],
    ["account", { account: "" }],
  ])("refuses a bad %s", async (path, bad) => {
    expect(await service()[list]({ account: ACCOUNT, ...bad })).toMatchObject({
      error: { code: "invalid_request", issues: [{ path: [path] }] },
    });
  });

  test("requests the first 50 items by default", async () => {
    const [aliases, recipients] = [vi.spyOn(store.aliases, "list"), vi.spyOn(store.recipients, "list")];
    const spy = list === "listAliases" ? aliases : recipients;
    await service()[list]({ account: ACCOUNT });
    await service()[list]({ account: ACCOUNT, limit: 100, after: "x" });
    expect(spy.mock.calls.map(([account, page]) => [account, page])).toEqual([
      [ACCOUNT, { limit: 50, after: null }],
      [ACCOUNT, { limit: 100, after: "x" }],
    ]);
  });

  test("reports that the store is unavailable", async () => {
    const broken = failing({ list: unavailable }, { list: unavailable });
    expect(failureOf(await broken[list]({ account: ACCOUNT }))).toEqual({ code: "unavailable" });
  });
});

describe("AliasDomains", () => {
  test("are at least one valid domain name", () => {
    const tooLong = `${"a.".repeat(92)}example`;
    expect(parseAliasDomains([tooLong.slice(2), "b.example"]).isOk()).toBe(true);
    for (const bad of [[], ["localhost"], ["a@b.example"], [tooLong], "alias.example"]) {
      expect(parseAliasDomains(bad).isErr()).toBe(true);
    }
  });
});
