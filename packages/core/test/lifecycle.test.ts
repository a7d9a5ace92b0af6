import { memoryStore } from "@postern/adapter-memory";
import { type Alias, err, ok, postern, type Recipient, type Store, type Unavailable } from "@postern/core";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test, vi } from "vitest";

const account = "account-1";
const aliasDomains = ["alias.example"];
const unavailable = async () => err<never, Unavailable>({ code: "unavailable" });

let store: Store;
let ports: ReturnType<typeof testPorts>;
let a: Recipient;
let b: Recipient;
let alias: Alias;

const service = ({ aliases, recipients }: Pick<Store, "aliases" | "recipients"> = store) =>
  postern({ store: { ...store, aliases, recipients }, aliasDomains, ...ports });

const failing = (aliases: Partial<Store["aliases"]>, recipients: Partial<Store["recipients"]> = {}) =>
  service({ aliases: { ...store.aliases, ...aliases }, recipients: { ...store.recipients, ...recipients } });

const lastToken = () => ports.outbox.at(-1)?.token ?? "";

const verifiedRecipient = async (email: string): Promise<Recipient> => {
  valueOf(await service().addRecipient({ account, email }));
  return valueOf(await service().verifyRecipient({ token: lastToken() }));
};

const newAlias = async (...recipients: readonly Recipient[]): Promise<Alias> => {
  const recipientIds = recipients.map(({ id }) => id);
  return valueOf(await service().createAlias({ account, recipientIds }));
};

const storedAlias = async () => valueOf(await service().getAlias({ account, aliasId: alias.id }));
const stored = async ({ id }: Recipient) =>
  valueOf(await service().getRecipient({ account, recipientId: id }));
const idsOf = ({ destinations }: Alias) => destinations.map(({ recipientId }) => recipientId);

beforeEach(async () => {
  store = memoryStore();
  ports = testPorts();
  a = await verifiedRecipient("a@example.org");
  b = await verifiedRecipient("b@example.org");
  alias = await newAlias(a);
  ports.clock.advance(1000);
});

describe("getAlias", () => {
  test("finds an alias of the account, deleted or not", async () => {
    expect(await storedAlias()).toEqual(alias);
    const deleted = valueOf(await service().deleteAlias({ account, aliasId: alias.id }));
    expect(await storedAlias()).toEqual(deleted);
  });

  test("fails for an unknown alias, another account's alias, and an unavailable store", async () => {
    const { id: aliasId } = alias;
    expect(failureOf(await service().getAlias({ account, aliasId: "x" })).code).toBe("alias_not_found");
    expect(failureOf(await service().getAlias({ account: "b", aliasId })).code).toBe("alias_not_found");
    expect(failureOf(await service().getAlias({ account, aliasId: "" })).code).toBe("invalid_request");
    const broken = failing({ findWithRecipients: unavailable });
    expect(failureOf(await broken.getAlias({ account, aliasId })).code).toBe("unavailable");
  });
});

describe("updateAlias", () => {
  test("changes the given settings, trimmed, and leaves the rest unchanged", async () => {
    const changed = await service().updateAlias({ account, aliasId: alias.id, description: " shop " });
    const expected = { ...alias, description: "shop", updatedAt: ports.clock.now(), version: 2 };
    expect(valueOf(changed)).toEqual(expected);
    const off = await service().updateAlias({ account, aliasId: alias.id, active: false });
    expect(valueOf(off)).toEqual({ ...expected, active: false, version: 3 });
    expect(await storedAlias()).toEqual(valueOf(off));
  });

  test("writes nothing if nothing changes", async () => {
    const save = vi.spyOn(store.aliases, "save");
    expect(valueOf(await service().updateAlias({ account, aliasId: alias.id, active: true }))).toEqual(alias);
    expect(save).not.toHaveBeenCalled();
  });

  test("refuses invalid input, a stale version and a deleted alias", async () => {
    const bad = await service().updateAlias({ account, aliasId: alias.id, description: "x".repeat(501) });
    expect(failureOf(bad)).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["description"] }],
    });
    const stale = await service().updateAlias({
      account,
      aliasId: alias.id,
      active: false,
      expectedVersions: [2],
    });
    expect(failureOf(stale).code).toBe("precondition_failed");
    await service().deleteAlias({ account, aliasId: alias.id });
    const gone = await service().updateAlias({ account, aliasId: alias.id, active: false });
    expect(failureOf(gone).code).toBe("alias_deleted");
  });
});

describe("deleteAlias and restoreAlias", () => {
  test("detach the recipients and reattach them", async () => {
    const deleted = await service().deleteAlias({ account, aliasId: alias.id });
    expect(valueOf(deleted)).toMatchObject({ deletedAt: ports.clock.now(), version: 2 });
    expect((await stored(a)).attached).toBe(0);
    const restored = await service().restoreAlias({ account, aliasId: alias.id });
    expect(valueOf(restored)).toMatchObject({ deletedAt: null, version: 3 });
    expect(idsOf(valueOf(restored))).toEqual([a.id]);
    expect((await stored(a)).attached).toBe(1);
  });

  test("are idempotent", async () => {
    const same = await service().restoreAlias({ account, aliasId: alias.id });
    expect(valueOf(same)).toEqual(alias);
    const once = await service().deleteAlias({ account, aliasId: alias.id });
    ports.clock.advance(1);
    expect(valueOf(await service().deleteAlias({ account, aliasId: alias.id }))).toEqual(valueOf(once));
  });

  test("restore the latest recipients, whatever happens in between", async () => {
    await service().deleteAlias({ account, aliasId: alias.id });
    const find = vi.spyOn(store.aliases, "findWithRecipients").mockImplementationOnce(async (...query) => {
      const stale = await store.aliases.findWithRecipients(...query);
      valueOf(await service().restoreAlias({ account, aliasId: alias.id, recipientIds: [b.id] }));
      valueOf(await service().deleteAlias({ account, aliasId: alias.id }));
      return stale;
    });
    const restored = valueOf(await service().restoreAlias({ account, aliasId: alias.id }));
    expect(idsOf(restored)).toEqual([b.id]);
    find.mockRestore();
    expect(await storedAlias()).toEqual(restored);
  });

  test("restore decides about an alias that is not deleted as it was first read, whatever happens afterwards", async () => {
    const find = vi.spyOn(store.aliases, "findWithRecipients").mockImplementationOnce(async (...query) => {
      const live = await store.aliases.findWithRecipients(...query);
      valueOf(await service().deleteAlias({ account, aliasId: alias.id }));
      valueOf(await service().updateRecipient({ account, recipientId: a.id, active: false }));
      return live;
    });
    expect(valueOf(await service().restoreAlias({ account, aliasId: alias.id }))).toEqual(alias);
    find.mockRestore();
    expect((await storedAlias()).deletedAt).not.toBeNull();
  });

  test("restore reads the recipients of an alias only if it is deleted, and ignores them if it no longer is", async () => {
    const find = vi.spyOn(store.aliases, "findWithRecipients");
    valueOf(await service().restoreAlias({ account, aliasId: alias.id }));
    expect(find).toHaveBeenCalledOnce();
    valueOf(await service().deleteAlias({ account, aliasId: alias.id }));
    find.mockImplementationOnce(async (...query) => {
      const deleted = await store.aliases.findWithRecipients(...query);
      valueOf(await service().restoreAlias({ account, aliasId: alias.id, recipientIds: [a.id] }));
      // Like a store that reads the recipients before the alias.
      find.mockImplementationOnce(async (...other) =>
        (await store.aliases.findWithRecipients(...other)).map((found) => ({ ...found, recipients: [] })),
      );
      return deleted;
    });
    expect(valueOf(await service().restoreAlias({ account, aliasId: alias.id }))).toMatchObject({
      deletedAt: null,
      version: 3,
    });
  });

  test("can restore an alias with other recipients if its own no longer exist", async () => {
    await service().deleteAlias({ account, aliasId: alias.id });
    expect(await service().deleteRecipient({ account, recipientId: a.id })).toHaveProperty("value");
    const refused = await service().restoreAlias({ account, aliasId: alias.id });
    expect(failureOf(refused)).toEqual({
      code: "recipients_ineligible",
      recipients: [{ id: a.id, reason: "unknown" }],
    });
    const restored = await service().restoreAlias({ account, aliasId: alias.id, recipientIds: [b.id] });
    expect(idsOf(valueOf(restored))).toEqual([b.id]);
  });

  test("require one of the expected versions, if given", async () => {
    const target = { account, aliasId: alias.id, expectedVersions: [7] };
    expect(failureOf(await service().deleteAlias(target)).code).toBe("precondition_failed");
    await service().deleteAlias({ account, aliasId: alias.id });
    expect(failureOf(await service().restoreAlias(target)).code).toBe("precondition_failed");
    expect((await storedAlias()).version).toBe(2);
  });

  test("refuse invalid input, and report that the store is unavailable", async () => {
    const target = { account, aliasId: alias.id };
    expect(failureOf(await service().deleteAlias({ ...target, aliasId: "" })).code).toBe("invalid_request");
    const empty = await service().restoreAlias({ ...target, recipientIds: [] });
    expect(failureOf(empty)).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["recipientIds"] }],
    });
    expect(failureOf(await failing({ save: unavailable }).deleteAlias(target)).code).toBe("unavailable");
    const blind = failing({ findWithRecipients: unavailable });
    expect(failureOf(await blind.restoreAlias(target)).code).toBe("unavailable");
  });
});

describe("getRecipient", () => {
  test("finds recipients of the account, but not those of other accounts", async () => {
    expect(await stored(b)).toEqual(b);
    const codeOf = async (query: { account: string; recipientId: string }, from = service()) =>
      failureOf(await from.getRecipient(query)).code;
    expect(await codeOf({ account, recipientId: "x" })).toBe("recipient_not_found");
    expect(await codeOf({ account: "b", recipientId: b.id })).toBe("recipient_not_found");
    expect(await codeOf({ account, recipientId: "" })).toBe("invalid_request");
    expect(await codeOf({ account, recipientId: b.id }, failing({}, { find: unavailable }))).toBe(
      "unavailable",
    );
  });
});

describe("updateRecipient", () => {
  const update = (recipient: Recipient, active?: boolean, from = service()) =>
    from.updateRecipient({ account, recipientId: recipient.id, ...(active === undefined ? {} : { active }) });

  test("deactivates and activates a recipient that is not attached", async () => {
    const off = valueOf(await update(b, false));
    expect(off).toEqual({ ...b, active: false, updatedAt: ports.clock.now(), version: 4 });
    expect(valueOf(await update(b, true))).toMatchObject({ active: true, version: 5 });
    expect(await stored(b)).toMatchObject({ active: true, version: 5 });
  });

  test("writes nothing if nothing is requested or nothing changes", async () => {
    const save = vi.spyOn(store.recipients, "save");
    expect(valueOf(await update(b))).toEqual(b);
    expect(valueOf(await update(b, true))).toEqual(b);
    expect(save).not.toHaveBeenCalled();
  });

  test("refuses while the recipient is attached, and names ten of its aliases, newest first", async () => {
    const attachedAliases = [alias];
    for (let i = 0; i < 11; i += 1) attachedAliases.unshift(await newAlias(a));
    expect(failureOf(await update(a, false))).toEqual({
      code: "recipient_attached",
      attached: 12,
      aliasIds: attachedAliases.slice(0, 10).map(({ id }) => id),
    });
    expect((await stored(a)).active).toBe(true);
  });

  test("names them even if the store returns short pages, and stops after 10 pages", async () => {
    const second = await newAlias(a);
    const short = vi.fn<Store["aliases"]["list"]>(async (owner, { after }, filter) =>
      store.aliases.list(owner, { limit: 1, after }, filter),
    );
    const refused = await update(a, false, failing({ list: short }));
    expect(failureOf(refused)).toMatchObject({ attached: 2, aliasIds: [second.id, alias.id] });
    expect(short).toHaveBeenCalledTimes(2);

    const empty = vi.fn<Store["aliases"]["list"]>(async () => ok({ items: [], next: alias.id }));
    const gaveUp = await update(a, false, failing({ list: empty }));
    expect(failureOf(gaveUp)).toMatchObject({ attached: 2, aliasIds: [] });
    expect(empty).toHaveBeenCalledTimes(10);
  });

  test("reports an unknown recipient, and that the store is unavailable", async () => {
    expect(
      failureOf(await service().updateRecipient({ account, recipientId: "x", active: false })).code,
    ).toBe("recipient_not_found");
    expect(failureOf(await service().updateRecipient({ account, recipientId: "", active: false })).code).toBe(
      "invalid_request",
    );
    expect(failureOf(await update(a, false, failing({ list: unavailable }))).code).toBe("unavailable");
    expect(failureOf(await update(b, false, failing({}, { find: unavailable }))).code).toBe("unavailable");
  });
});

describe("deleteRecipient", () => {
  const remove = (recipientId: string, from = service()) => from.deleteRecipient({ account, recipientId });

  test("removes a recipient that is not attached", async () => {
    expect(valueOf(await remove(b.id))).toBeUndefined();
    expect(failureOf(await remove(b.id))).toEqual({ code: "recipient_not_found" });
    ports.clock.advance(60_000);
    expect(await verifiedRecipient("b@example.org")).toMatchObject({ email: "b@example.org" });
  });

  test("refuses while the recipient is attached", async () => {
    expect(failureOf(await remove(a.id))).toEqual({
      code: "recipient_attached",
      attached: 1,
      aliasIds: [alias.id],
    });
    expect(await stored(a)).toMatchObject({ attached: 1 });
  });

  test("refuses if the recipient is attached just before its removal", async () => {
    const racing = failing(
      {},
      {
        remove: async (recipient) => {
          await newAlias(b);
          return store.recipients.remove(recipient);
        },
      },
    );
    expect(failureOf(await remove(b.id, racing))).toMatchObject({
      code: "recipient_attached",
      attached: 1,
    });
  });

  test("refuses invalid input, and reports that the store is unavailable", async () => {
    expect(failureOf(await remove("")).code).toBe("invalid_request");
    expect(failureOf(await remove(b.id, failing({}, { find: unavailable }))).code).toBe("unavailable");
  });
});

describe("resendVerification", () => {
  const resend = (recipientId: string, from = service()) => from.resendVerification({ account, recipientId });
  let fresh: Recipient;

  beforeEach(async () => {
    fresh = valueOf(await service().addRecipient({ account, email: "c@example.org" })).recipient;
    ports.clock.advance(60_000);
  });

  test("sends a new link that is valid for 24 hours, and invalidates the old one", async () => {
    const old = lastToken();
    const resent = valueOf(await resend(fresh.id));
    expect(resent).toMatchObject({
      verification: "sent",
      recipient: { id: fresh.id, verifiedAt: null, version: 4 },
    });
    expect(ports.outbox.at(-1)?.to).toBe("c@example.org");
    expect(ports.secrets.open(lastToken())?.expiresAt).toBe(ports.clock.now() + 24 * 60 * 60 * 1000);
    expect(failureOf(await service().verifyRecipient({ token: old })).code).toBe("link_invalid");
    expect(await service().verifyRecipient({ token: lastToken() })).toHaveProperty("value");
  });

  test("sends nothing to a verified recipient", async () => {
    const before = ports.outbox.length;
    expect(valueOf(await resend(a.id))).toEqual({
      recipient: await stored(a),
      verification: "not_needed",
    });
    expect(ports.outbox).toHaveLength(before);
  });

  test("sends nothing within a minute of the last message, and says how long to wait", async () => {
    await resend(fresh.id);
    const before = ports.outbox.length;
    ports.clock.advance(20_000);
    expect(failureOf(await resend(fresh.id))).toEqual({ code: "rate_limited", retryAfter: 40_000 });
    expect(ports.outbox).toHaveLength(before);
  });

  test("reports that the message could not be sent, and that the store is unavailable", async () => {
    const mailless = postern({ store, aliasDomains, ...ports, verificationMail: { send: unavailable } });
    expect(await resend(fresh.id, mailless)).toMatchObject({
      value: { verification: "not_sent" },
    });
    const broken = failing({}, { save: unavailable });
    ports.clock.advance(60_000);
    expect(failureOf(await resend(fresh.id, broken)).code).toBe("unavailable");
    expect(failureOf(await resend("x")).code).toBe("recipient_not_found");
    expect(failureOf(await resend("")).code).toBe("invalid_request");
  });
});

describe("reassignRecipient", () => {
  const reassign = (
    more: { to?: string; after?: string | null; recipientId?: string } = {},
    from = service(),
  ) => from.reassignRecipient({ account, recipientId: a.id, to: b.id, ...more });

  test("changes every alias, keeps its order, and only detaches the recipient if the other is already attached", async () => {
    const c = await verifiedRecipient("c@example.org");
    const both = await newAlias(c, a, b);
    const middle = await newAlias(b, a, c);
    const between = await newAlias(c, a);
    const without = await newAlias(c);
    expect(valueOf(await reassign())).toEqual({
      reassigned: [between.id, middle.id, both.id, alias.id],
      remaining: 0,
      next: null,
    });
    const listOf = async ({ id }: Alias) =>
      idsOf(valueOf(await service().getAlias({ account, aliasId: id })));
    expect(await Promise.all([alias, both, middle, between, without].map(listOf))).toEqual([
      [b.id],
      [c.id, b.id],
      [b.id, c.id],
      [c.id, b.id],
      [c.id],
    ]);
    expect((await service().deleteRecipient({ account, recipientId: a.id })).isOk()).toBe(true);
  });

  test("changes 25 aliases per call and continues where it stopped", async () => {
    for (let i = 0; i < 30; i += 1) await newAlias(a);
    const first = valueOf(await reassign());
    expect(first).toMatchObject({ remaining: 6 });
    expect(first.reassigned).toHaveLength(25);
    const second = valueOf(await reassign({ after: first.next }));
    expect(second).toMatchObject({ remaining: 0, next: null });
    expect(second.reassigned).toHaveLength(6);
    expect(valueOf(await reassign())).toEqual({ reassigned: [], remaining: 0, next: null });
  });

  test("returns what it has done if it fails midway, and continues from there", async () => {
    const others = [await newAlias(a), await newAlias(a)];
    const save = vi
      .fn(store.aliases.save)
      .mockImplementationOnce(store.aliases.save)
      .mockImplementationOnce(unavailable);
    const stopped = valueOf(await reassign({}, failing({ save })));
    expect(stopped).toEqual({ reassigned: [others[1]?.id], remaining: 2, next: others[1]?.id });
    expect(save).toHaveBeenCalledTimes(2);
    const rest = valueOf(await reassign({ after: stopped.next }));
    expect(rest).toEqual({ reassigned: [others[0]?.id, alias.id], remaining: 0, next: null });
  });

  test("skips, and does not claim to have changed, an alias that was deleted in the meantime", async () => {
    const other = await newAlias(a);
    const list: Store["aliases"]["list"] = async (...args) => {
      const page = await store.aliases.list(...args);
      await service().deleteAlias({ account, aliasId: other.id });
      return page;
    };
    const deleted = valueOf(await reassign({}, failing({ list })));
    expect(deleted).toEqual({ reassigned: [alias.id], remaining: 0, next: null });

    const gone = failing({
      findWithRecipients: async (owner, id, ids) =>
        (await store.aliases.findWithRecipients(owner, id, ids)).map((found) => ({ ...found, alias: null })),
    });
    await newAlias(a);
    expect(valueOf(await reassign({}, gone))).toEqual({ reassigned: [], remaining: 1, next: null });
  });

  test("refuses invalid input", async () => {
    expect(failureOf(await reassign({ to: a.id }))).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["to"], reason: "must be another recipient" }],
    });
    expect(failureOf(await reassign({ to: "x" }))).toEqual({
      code: "recipients_ineligible",
      recipients: [{ id: "x", reason: "unknown" }],
    });
    expect(failureOf(await reassign({ recipientId: "x" }))).toEqual({
      code: "recipient_not_found",
    });
    expect(idsOf(await storedAlias())).toEqual([a.id]);
  });

  test.each([
    ["findAll", () => failing({}, { findAll: unavailable })],
    ["list", () => failing({ list: unavailable })],
    ["save", () => failing({ save: unavailable })],
    ["find", () => failing({}, { find: unavailable })],
  ])("reports that the store is unavailable for %s", async (_, broken) => {
    expect(failureOf(await reassign({}, broken()))).toEqual({ code: "unavailable" });
  });
});

describe("recordMailOutcome", () => {
  const record = (more: object = {}) =>
    service().recordMailOutcome({
      alias: { account, id: alias.id },
      eventId: "event-1",
      outcome: "bounced",
      at: 5,
      ...more,
    });

  test("counts an event once, by id or by address, and changes nothing else", async () => {
    expect(valueOf(await record())).toBe("recorded");
    expect(valueOf(await record({ alias: { email: alias.email.toUpperCase() } }))).toBe("duplicate");
    expect(valueOf(await record({ eventId: "event-2", at: 3 }))).toBe("recorded");
    expect(await storedAlias()).toEqual({
      ...alias,
      tallies: { ...alias.tallies, bounced: { count: 2, lastAt: 5 } },
    });
  });

  test.each([
    ["an alias of no form", { alias: {} }],
    ["an unknown outcome", { outcome: "lost" }],
    ["a time before 1970", { at: -1 }],
    ["half a millisecond", { at: 0.5 }],
    ["no identity", { eventId: "" }],
  ])("refuses %s", async (_, bad) => {
    expect(failureOf(await record(bad)).code).toBe("invalid_request");
    expect(await storedAlias()).toEqual(alias);
  });

  test("reports an unknown alias", async () => {
    expect(failureOf(await record({ alias: { email: "nobody@alias.example" } })).code).toBe(
      "alias_not_found",
    );
  });
});
