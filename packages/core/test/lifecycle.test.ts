import { memoryStore } from "@postern/adapter-memory";
import {
  type Alias,
  AliasDomains,
  addRecipient,
  createAlias,
  deleteAlias,
  deleteRecipient,
  getAlias,
  getRecipient,
  type Recipient,
  reassignRecipient,
  recordMailOutcome,
  resendVerification,
  restoreAlias,
  type Store,
  type Unavailable,
  updateAlias,
  updateRecipient,
  verifyRecipient,
} from "@postern/core";
import { testPorts } from "@postern/core/testing";
import { err, ok } from "neverthrow";
import { beforeEach, describe, expect, test, vi } from "vitest";

const account = "account-1";
const aliasDomains = AliasDomains.parse(["alias.example"]);
const unavailable = async () => err<never, Unavailable>({ code: "unavailable" });

let store: Store;
let ports: ReturnType<typeof testPorts>;
let a: Recipient;
let b: Recipient;
let alias: Alias;

const service = ({ aliases, recipients }: Pick<Store, "aliases" | "recipients"> = store) => {
  const all = { aliases, recipients, aliasDomains, ...ports };
  return {
    addRecipient: addRecipient(all),
    createAlias: createAlias(all),
    deleteAlias: deleteAlias(all),
    deleteRecipient: deleteRecipient(all),
    getAlias: getAlias(all),
    getRecipient: getRecipient(all),
    reassignRecipient: reassignRecipient(all),
    recordMailOutcome: recordMailOutcome(all),
    resendVerification: resendVerification(all),
    restoreAlias: restoreAlias(all),
    updateAlias: updateAlias(all),
    updateRecipient: updateRecipient(all),
    verifyRecipient: verifyRecipient(all),
  };
};

const failing = (aliases: Partial<Store["aliases"]>, recipients: Partial<Store["recipients"]> = {}) =>
  service({ aliases: { ...store.aliases, ...aliases }, recipients: { ...store.recipients, ...recipients } });

const lastToken = () => ports.outbox.at(-1)?.token ?? "";

const verifiedRecipient = async (email: string): Promise<Recipient> => {
  (await service().addRecipient({ account, email }))._unsafeUnwrap();
  return (await service().verifyRecipient({ token: lastToken() }))._unsafeUnwrap();
};

const newAlias = async (...recipients: readonly Recipient[]): Promise<Alias> => {
  const recipientIds = recipients.map(({ id }) => id);
  return (await service().createAlias({ account, recipientIds }))._unsafeUnwrap();
};

const storedAlias = async () => (await service().getAlias({ account, aliasId: alias.id }))._unsafeUnwrap();
const stored = async ({ id }: Recipient) =>
  (await service().getRecipient({ account, recipientId: id }))._unsafeUnwrap();
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
    const deleted = (await service().deleteAlias({ account, aliasId: alias.id }))._unsafeUnwrap();
    expect(await storedAlias()).toEqual(deleted);
  });

  test("finds nothing unknown, of another account, or unavailable", async () => {
    const { id: aliasId } = alias;
    expect((await service().getAlias({ account, aliasId: "x" }))._unsafeUnwrapErr().code).toBe(
      "alias_not_found",
    );
    expect((await service().getAlias({ account: "b", aliasId }))._unsafeUnwrapErr().code).toBe(
      "alias_not_found",
    );
    expect((await service().getAlias({ account, aliasId: "" }))._unsafeUnwrapErr().code).toBe(
      "invalid_request",
    );
    const broken = failing({ findWithRecipients: unavailable });
    expect((await broken.getAlias({ account, aliasId }))._unsafeUnwrapErr().code).toBe("unavailable");
  });
});

describe("updateAlias", () => {
  test("changes what is given, trimmed, and keeps the rest", async () => {
    const changed = await service().updateAlias({ account, aliasId: alias.id, description: " shop " });
    const expected = { ...alias, description: "shop", updatedAt: ports.clock.now(), version: 2 };
    expect(changed._unsafeUnwrap()).toEqual(expected);
    const off = await service().updateAlias({ account, aliasId: alias.id, active: false });
    expect(off._unsafeUnwrap()).toEqual({ ...expected, active: false, version: 3 });
    expect(await storedAlias()).toEqual(off._unsafeUnwrap());
  });

  test("writes nothing where nothing changes", async () => {
    const save = vi.spyOn(store.aliases, "save");
    expect(
      (await service().updateAlias({ account, aliasId: alias.id, active: true }))._unsafeUnwrap(),
    ).toEqual(alias);
    expect(save).not.toHaveBeenCalled();
  });

  test("refuses what is wrong, and for a deleted alias", async () => {
    const bad = await service().updateAlias({ account, aliasId: alias.id, description: "x".repeat(501) });
    expect(bad._unsafeUnwrapErr()).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["description"] }],
    });
    const stale = await service().updateAlias({
      account,
      aliasId: alias.id,
      active: false,
      expectedVersions: [2],
    });
    expect(stale._unsafeUnwrapErr().code).toBe("precondition_failed");
    await service().deleteAlias({ account, aliasId: alias.id });
    const gone = await service().updateAlias({ account, aliasId: alias.id, active: false });
    expect(gone._unsafeUnwrapErr().code).toBe("alias_deleted");
  });
});

describe("deleteAlias and restoreAlias", () => {
  test("let the recipients go and take them again", async () => {
    const deleted = await service().deleteAlias({ account, aliasId: alias.id });
    expect(deleted._unsafeUnwrap()).toMatchObject({ deletedAt: ports.clock.now(), version: 2 });
    expect((await stored(a)).attached).toBe(0);
    const restored = await service().restoreAlias({ account, aliasId: alias.id });
    expect(restored._unsafeUnwrap()).toMatchObject({ deletedAt: null, version: 3 });
    expect(idsOf(restored._unsafeUnwrap())).toEqual([a.id]);
    expect((await stored(a)).attached).toBe(1);
  });

  test("deleting again, and restoring what is not deleted, change nothing", async () => {
    const same = await service().restoreAlias({ account, aliasId: alias.id });
    expect(same._unsafeUnwrap()).toEqual(alias);
    const once = await service().deleteAlias({ account, aliasId: alias.id });
    ports.clock.advance(1);
    expect((await service().deleteAlias({ account, aliasId: alias.id }))._unsafeUnwrap()).toEqual(
      once._unsafeUnwrap(),
    );
  });

  test("an alias whose recipient has gone is restored to others", async () => {
    await service().deleteAlias({ account, aliasId: alias.id });
    expect(await service().deleteRecipient({ account, recipientId: a.id })).toHaveProperty("value");
    const refused = await service().restoreAlias({ account, aliasId: alias.id });
    expect(refused._unsafeUnwrapErr()).toEqual({
      code: "recipients_ineligible",
      recipients: [{ id: a.id, reason: "unknown" }],
    });
    const restored = await service().restoreAlias({ account, aliasId: alias.id, recipientIds: [b.id] });
    expect(idsOf(restored._unsafeUnwrap())).toEqual([b.id]);
  });

  test("go ahead only at a version the caller named", async () => {
    const target = { account, aliasId: alias.id, expectedVersions: [7] };
    expect((await service().deleteAlias(target))._unsafeUnwrapErr().code).toBe("precondition_failed");
    await service().deleteAlias({ account, aliasId: alias.id });
    expect((await service().restoreAlias(target))._unsafeUnwrapErr().code).toBe("precondition_failed");
    expect((await storedAlias()).version).toBe(2);
  });

  test("refuse bad input, and say when the store does not answer", async () => {
    const target = { account, aliasId: alias.id };
    expect((await service().deleteAlias({ ...target, aliasId: "" }))._unsafeUnwrapErr().code).toBe(
      "invalid_request",
    );
    const empty = await service().restoreAlias({ ...target, recipientIds: [] });
    expect(empty._unsafeUnwrapErr()).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["recipientIds"] }],
    });
    expect((await failing({ save: unavailable }).deleteAlias(target))._unsafeUnwrapErr().code).toBe(
      "unavailable",
    );
    const blind = failing({}, { findAll: unavailable });
    expect((await blind.restoreAlias(target))._unsafeUnwrapErr().code).toBe("unavailable");
  });
});

describe("getRecipient", () => {
  test("finds a recipient of the account and no other one", async () => {
    expect(await stored(b)).toEqual(b);
    const codeOf = async (query: { account: string; recipientId: string }, from = service()) =>
      (await from.getRecipient(query))._unsafeUnwrapErr().code;
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

  test("deactivates and activates a recipient that nobody holds", async () => {
    const off = (await update(b, false))._unsafeUnwrap();
    expect(off).toEqual({ ...b, active: false, updatedAt: ports.clock.now(), version: 3 });
    expect((await update(b, true))._unsafeUnwrap()).toMatchObject({ active: true, version: 4 });
    expect(await stored(b)).toMatchObject({ active: true, version: 4 });
  });

  test("writes nothing where nothing is asked or changed", async () => {
    const save = vi.spyOn(store.recipients, "save");
    expect((await update(b))._unsafeUnwrap()).toEqual(b);
    expect((await update(b, true))._unsafeUnwrap()).toEqual(b);
    expect(save).not.toHaveBeenCalled();
  });

  test("refuses while aliases hold the recipient, and names ten of them, newest first", async () => {
    const held = [alias];
    for (let i = 0; i < 11; i += 1) held.unshift(await newAlias(a));
    expect((await update(a, false))._unsafeUnwrapErr()).toEqual({
      code: "recipient_attached",
      aliases: 12,
      first: held.slice(0, 10).map(({ id }) => id),
    });
    expect((await stored(a)).active).toBe(true);
  });

  test("names them though the store's pages are short, and does not look for ever", async () => {
    const second = await newAlias(a);
    const short = vi.fn<Store["aliases"]["list"]>(async (owner, { after }, filter) =>
      store.aliases.list(owner, { limit: 1, after }, filter),
    );
    const refused = await update(a, false, failing({ list: short }));
    expect(refused._unsafeUnwrapErr()).toMatchObject({ aliases: 2, first: [second.id, alias.id] });
    expect(short).toHaveBeenCalledTimes(2);

    const empty = vi.fn<Store["aliases"]["list"]>(async () => ok({ items: [], next: alias.id }));
    const gaveUp = await update(a, false, failing({ list: empty }));
    expect(gaveUp._unsafeUnwrapErr()).toMatchObject({ aliases: 2, first: [] });
    expect(empty).toHaveBeenCalledTimes(10);
  });

  test("says when there is nobody, and when the store does not answer", async () => {
    expect(
      (await service().updateRecipient({ account, recipientId: "x", active: false }))._unsafeUnwrapErr().code,
    ).toBe("recipient_not_found");
    expect(
      (await service().updateRecipient({ account, recipientId: "", active: false }))._unsafeUnwrapErr().code,
    ).toBe("invalid_request");
    expect((await update(a, false, failing({ list: unavailable })))._unsafeUnwrapErr().code).toBe(
      "unavailable",
    );
    expect((await update(b, false, failing({}, { find: unavailable })))._unsafeUnwrapErr().code).toBe(
      "unavailable",
    );
  });
});

describe("deleteRecipient", () => {
  const remove = (recipientId: string, from = service()) => from.deleteRecipient({ account, recipientId });

  test("forgets a recipient that nobody holds", async () => {
    expect((await remove(b.id))._unsafeUnwrap()).toBeUndefined();
    expect((await remove(b.id))._unsafeUnwrapErr()).toEqual({ code: "recipient_not_found" });
    expect(await verifiedRecipient("b@example.org")).toMatchObject({ email: "b@example.org" });
  });

  test("refuses while an alias holds it", async () => {
    expect((await remove(a.id))._unsafeUnwrapErr()).toEqual({
      code: "recipient_attached",
      aliases: 1,
      first: [alias.id],
    });
    expect(await stored(a)).toMatchObject({ attached: 1 });
  });

  test("refuses when an alias took it at the last moment", async () => {
    const racing = failing(
      {},
      {
        remove: async (recipient) => {
          await newAlias(b);
          return store.recipients.remove(recipient);
        },
      },
    );
    expect((await remove(b.id, racing))._unsafeUnwrapErr()).toMatchObject({
      code: "recipient_attached",
      aliases: 1,
    });
  });

  test("refuses bad input, and says when the store does not answer", async () => {
    expect((await remove(""))._unsafeUnwrapErr().code).toBe("invalid_request");
    expect((await remove(b.id, failing({}, { find: unavailable })))._unsafeUnwrapErr().code).toBe(
      "unavailable",
    );
  });
});

describe("resendVerification", () => {
  const resend = (recipientId: string, from = service()) => from.resendVerification({ account, recipientId });
  let fresh: Recipient;

  beforeEach(async () => {
    fresh = (await service().addRecipient({ account, email: "c@example.org" }))._unsafeUnwrap().recipient;
    ports.clock.advance(60_000);
  });

  test("sends a new link, which works for 24 hours from now, and ends the old one", async () => {
    const old = lastToken();
    const resent = (await resend(fresh.id))._unsafeUnwrap();
    expect(resent).toMatchObject({
      verification: "sent",
      recipient: { id: fresh.id, verifiedAt: null, version: 2 },
    });
    expect(ports.outbox.at(-1)?.to).toBe("c@example.org");
    expect(ports.secrets.open(lastToken())?.expiresAt).toBe(ports.clock.now() + 24 * 60 * 60 * 1000);
    expect((await service().verifyRecipient({ token: old }))._unsafeUnwrapErr().code).toBe("link_invalid");
    expect(await service().verifyRecipient({ token: lastToken() })).toHaveProperty("value");
  });

  test("sends nothing to a recipient that is verified", async () => {
    const before = ports.outbox.length;
    expect((await resend(a.id))._unsafeUnwrap()).toEqual({
      recipient: await stored(a),
      verification: "not_needed",
    });
    expect(ports.outbox).toHaveLength(before);
  });

  test("sends nothing within a minute, and says how long to wait", async () => {
    await resend(fresh.id);
    const before = ports.outbox.length;
    ports.clock.advance(20_000);
    expect((await resend(fresh.id))._unsafeUnwrapErr()).toEqual({ code: "rate_limited", retryAfter: 40_000 });
    expect(ports.outbox).toHaveLength(before);
  });

  test("says when the message could not be sent, and when the store does not answer", async () => {
    const unsent = resendVerification({ ...store, ...ports, verificationMail: { send: unavailable } });
    expect(await unsent({ account, recipientId: fresh.id })).toMatchObject({
      value: { verification: "not_sent" },
    });
    const broken = failing({}, { save: unavailable });
    ports.clock.advance(60_000);
    expect((await resend(fresh.id, broken))._unsafeUnwrapErr().code).toBe("unavailable");
    expect((await resend("x"))._unsafeUnwrapErr().code).toBe("recipient_not_found");
    expect((await resend(""))._unsafeUnwrapErr().code).toBe("invalid_request");
  });
});

describe("reassignRecipient", () => {
  const reassign = (
    more: { to?: string; after?: string | null; recipientId?: string } = {},
    from = service(),
  ) => from.reassignRecipient({ account, recipientId: a.id, to: b.id, ...more });

  test("moves every alias, keeps order, and takes out a recipient whose successor is there already", async () => {
    const c = await verifiedRecipient("c@example.org");
    const both = await newAlias(c, a, b);
    const middle = await newAlias(b, a, c);
    const between = await newAlias(c, a);
    const without = await newAlias(c);
    expect((await reassign())._unsafeUnwrap()).toEqual({
      reassigned: [between.id, middle.id, both.id, alias.id],
      remaining: 0,
      next: null,
    });
    const listOf = async ({ id }: Alias) =>
      idsOf((await service().getAlias({ account, aliasId: id }))._unsafeUnwrap());
    expect(await Promise.all([alias, both, middle, between, without].map(listOf))).toEqual([
      [b.id],
      [c.id, b.id],
      [b.id, c.id],
      [c.id, b.id],
      [c.id],
    ]);
    expect((await service().deleteRecipient({ account, recipientId: a.id })).isOk()).toBe(true);
  });

  test("takes 25 aliases a call and goes on where it stopped", async () => {
    for (let i = 0; i < 30; i += 1) await newAlias(a);
    const first = (await reassign())._unsafeUnwrap();
    expect(first).toMatchObject({ remaining: 6 });
    expect(first.reassigned).toHaveLength(25);
    const second = (await reassign({ after: first.next }))._unsafeUnwrap();
    expect(second).toMatchObject({ remaining: 0, next: null });
    expect(second.reassigned).toHaveLength(6);
    expect((await reassign())._unsafeUnwrap()).toEqual({ reassigned: [], remaining: 0, next: null });
  });

  test("tells what it has done when it must stop midway, and goes on from there", async () => {
    const others = [await newAlias(a), await newAlias(a)];
    const save = vi
      .fn(store.aliases.save)
      .mockImplementationOnce(store.aliases.save)
      .mockImplementationOnce(unavailable);
    const stopped = (await reassign({}, failing({ save })))._unsafeUnwrap();
    expect(stopped).toEqual({ reassigned: [others[1]?.id], remaining: 2, next: others[1]?.id });
    expect(save).toHaveBeenCalledTimes(2);
    const rest = (await reassign({ after: stopped.next }))._unsafeUnwrap();
    expect(rest).toEqual({ reassigned: [others[0]?.id, alias.id], remaining: 0, next: null });
  });

  test("passes over an alias that went away meanwhile", async () => {
    const other = await newAlias(a);
    const list: Store["aliases"]["list"] = async (...args) => {
      const page = await store.aliases.list(...args);
      await service().deleteAlias({ account, aliasId: other.id });
      return page;
    };
    const deleted = (await reassign({}, failing({ list })))._unsafeUnwrap();
    expect(deleted).toMatchObject({ remaining: 0, next: null });
    expect(deleted.reassigned).toContain(alias.id);

    const gone = failing({
      findWithRecipients: async (owner, id, ids) =>
        (await store.aliases.findWithRecipients(owner, id, ids)).map((found) => ({ ...found, alias: null })),
    });
    await newAlias(a);
    expect((await reassign({}, gone))._unsafeUnwrap()).toEqual({ reassigned: [], remaining: 1, next: null });
  });

  test("is refused where it cannot be meant", async () => {
    expect((await reassign({ to: a.id }))._unsafeUnwrapErr()).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["to"], reason: "must be another recipient" }],
    });
    expect((await reassign({ to: "x" }))._unsafeUnwrapErr()).toEqual({
      code: "recipients_ineligible",
      recipients: [{ id: "x", reason: "unknown" }],
    });
    expect((await reassign({ recipientId: "x" }))._unsafeUnwrapErr()).toEqual({
      code: "recipient_not_found",
    });
    expect(idsOf(await storedAlias())).toEqual([a.id]);
  });

  test.each([
    ["findAll", () => failing({}, { findAll: unavailable })],
    ["list", () => failing({ list: unavailable })],
    ["save", () => failing({ save: unavailable })],
    ["find", () => failing({}, { find: unavailable })],
  ])("says when the store does not answer to %s", async (_, broken) => {
    expect((await reassign({}, broken()))._unsafeUnwrapErr()).toEqual({ code: "unavailable" });
  });
});

describe("recordMailOutcome", () => {
  const told = (more: object = {}) =>
    service().recordMailOutcome({
      alias: { account, id: alias.id },
      eventId: "event-1",
      outcome: "bounced",
      at: 5,
      ...more,
    });

  test("counts an event once, by id or by address, and touches nothing else", async () => {
    expect((await told())._unsafeUnwrap()).toBe("recorded");
    expect((await told({ alias: { email: alias.email.toUpperCase() } }))._unsafeUnwrap()).toBe("repeated");
    expect((await told({ eventId: "event-2", at: 3 }))._unsafeUnwrap()).toBe("recorded");
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
    expect((await told(bad))._unsafeUnwrapErr().code).toBe("invalid_request");
    expect(await storedAlias()).toEqual(alias);
  });

  test("says when there is no such alias", async () => {
    expect((await told({ alias: { email: "nobody@alias.example" } }))._unsafeUnwrapErr().code).toBe(
      "alias_not_found",
    );
  });
});
