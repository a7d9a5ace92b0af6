import { memoryStore } from "@postern/adapter-memory";
import {
  type Alias,
  type AttributedMessage,
  type Contact,
  EmailAddress,
  err,
  LOG_RETENTION,
  LoggedMessage,
  NO_LIMITS,
  newContactId,
  type Postern,
  parseEmailAddress,
  postern,
  type Store,
  type Unavailable,
} from "@postern/core";
import { failureOf, type TestPorts, testBody, testMessage, testPorts, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test, vi } from "vitest";

const account = "account";
let ports: TestPorts;
let store: Store;
let service: Postern;

beforeEach(() => {
  ports = testPorts();
  store = memoryStore();
  service = postern({ store, aliasDomains: ["alias.example"], ...ports });
});

const newAlias = async (owner = account): Promise<Alias> => {
  const email = `${ports.ids.recipient()}@home.example`;
  const home = valueOf(await service.adoptRecipient({ account: owner, email }));
  return valueOf(await service.createAlias({ account: owner, recipientIds: [home.id] }));
};

/** Logs a message, and returns it as it is while its author is no contact. */
const log = async (alias: Alias, fields: Partial<LoggedMessage> = {}): Promise<AttributedMessage> => {
  const message = testMessage(alias, { at: ports.clock.now(), ...fields });
  valueOf(await store.messageLog.save(message, NO_LIMITS));
  return { ...message, contactId: null };
};

const listed = async ({ id: aliasId }: Alias, limit = 50, after: string | null = null) =>
  valueOf(await service.listMessages({ account, aliasId, limit, after }));

/** Logs `count` messages, a minute apart, and returns them, newest first. */
const logMany = async (alias: Alias, count: number): Promise<readonly AttributedMessage[]> => {
  const messages: AttributedMessage[] = [];
  for (let n = 0; n < count; n += 1) {
    messages.unshift(await log(alias));
    ports.clock.advance(60_000);
  }
  return messages;
};

describe("listMessages", () => {
  test("lists the log of an alias, newest first, in pages", async () => {
    const [alias, other] = [await newAlias(), await newAlias()];
    await log(other);
    const messages = await logMany(alias, 5);
    expect(await listed(alias)).toEqual({ items: messages, next: null });
    const first = await listed(alias, 2);
    expect(first.items).toEqual(messages.slice(0, 2));
    const second = await listed(alias, 2, first.next);
    expect(second.items).toEqual(messages.slice(2, 4));
    expect(await listed(alias, 2, second.next)).toEqual({ items: messages.slice(4), next: null });
  });

  test("lists only the messages of the last 30 days, whatever the store still has", async () => {
    const alias = await newAlias();
    const messages = await logMany(alias, 5);
    const [, , third] = messages;
    const moveTo = (time: number) => ports.clock.advance(time - ports.clock.now());
    moveTo((third?.at ?? 0) + LOG_RETENTION - 1);
    expect(await listed(alias)).toEqual({ items: messages.slice(0, 3), next: null });
    expect((await listed(alias, 2)).next).not.toBeNull();
    moveTo((third?.at ?? 0) + LOG_RETENTION);
    expect(await listed(alias)).toEqual({ items: messages.slice(0, 2), next: null });
    // A page that includes expired messages is the last one, even if the store has more.
    expect(await listed(alias, 3)).toEqual({ items: messages.slice(0, 2), next: null });
    expect(valueOf(await store.messageLog.list(alias, { limit: 3, after: null })).next).not.toBeNull();
  });

  test("shows the log of a deleted alias, and none of an erased one", async () => {
    const alias = await newAlias();
    const message = await log(alias);
    valueOf(await service.deleteAlias({ account, aliasId: alias.id }));
    expect((await listed(alias)).items).toEqual([message]);
    valueOf(await service.eraseAlias({ account, aliasId: alias.id }));
    expect(failureOf(await service.listMessages({ account, aliasId: alias.id })).code).toBe(
      "alias_not_found",
    );
  });

  test("needs an alias of the account, and a valid page", async () => {
    const { id: aliasId } = await newAlias();
    expect(failureOf(await service.listMessages({ account: "other", aliasId })).code).toBe("alias_not_found");
    for (const [wrong, path] of [
      [{ limit: 0 }, "limit"],
      [{ limit: 101 }, "limit"],
      [{ after: "yesterday" }, "after"],
    ] as const) {
      expect(failureOf(await service.listMessages({ account, aliasId, ...wrong }))).toMatchObject({
        code: "invalid_request",
        issues: [{ path: [path] }],
      });
    }
  });
});

describe("getMessage", () => {
  test("returns the latest revision of a message", async () => {
    const alias = await newAlias();
    const message = await log(alias, { copies: [] });
    const target = { account, aliasId: alias.id, position: LoggedMessage.position(message) };
    expect(valueOf(await service.getMessage(target))).toEqual(message);
    const later = await log(alias, { copies: [], at: message.at, revision: 2, size: 7 });
    expect(valueOf(await service.getMessage(target))).toEqual(later);
  });

  test("finds no message of another alias or account, and none after 30 days", async () => {
    const [alias, other] = [await newAlias(), await newAlias()];
    const message = await log(alias);
    const position = LoggedMessage.position(message);
    const find = (target: { readonly account: string; readonly aliasId: string }) =>
      service.getMessage({ ...target, position });
    expect(failureOf(await find({ account, aliasId: other.id })).code).toBe("message_not_found");
    expect(failureOf(await find({ account: "other", aliasId: alias.id })).code).toBe("alias_not_found");
    ports.clock.advance(LOG_RETENTION - 1);
    expect(valueOf(await find({ account, aliasId: alias.id }))).toEqual(message);
    ports.clock.advance(1);
    expect(failureOf(await find({ account, aliasId: alias.id })).code).toBe("message_not_found");
  });

  test("needs a position", async () => {
    const { id: aliasId } = await newAlias();
    expect(failureOf(await service.getMessage({ account, aliasId, position: "m".repeat(26) }))).toMatchObject(
      { code: "invalid_request", issues: [{ path: ["position"] }] },
    );
  });
});

describe("the contact that a message is from", () => {
  const bob = valueOf(parseEmailAddress("Bob@sender.example"));
  const eve = valueOf(parseEmailAddress("eve@sender.example"));

  /** Records that mail has arrived from the address; the alias has room for `contacts`. */
  const meet = async (alias: Alias, email = bob, contacts = 0): Promise<Contact> => {
    const id = newContactId(ports.secrets.hash, alias.email, email);
    const at = ports.clock.now();
    const met = await store.contacts.record(alias, [{ id, email, kind: "received", at }], { contacts });
    return valueOf(met)[0] ?? expect.unreachable("there is no room");
  };

  const idsOf = async (alias: Alias) => (await listed(alias)).items.map(({ contactId }) => contactId);

  test("is found by its address when the message is read, whatever became of it since", async () => {
    const [alias, other] = [await newAlias(), await newAlias()];
    await meet(other);
    const message = await log(alias, { contact: EmailAddress.key(bob), keptBody: testBody(Infinity) });
    const target = { account, aliasId: alias.id, position: LoggedMessage.position(message) };
    const shown = async () => [
      ...(await listed(alias)).items,
      valueOf(await service.getMessage(target)),
      valueOf(await service.resendMessage(target)),
    ];
    expect(await shown()).toEqual([message, message, message]);
    const { id: contactId } = await meet(alias, bob, 1);
    const attributed = { ...message, contactId };
    expect(await shown()).toEqual([attributed, attributed, attributed]);
    valueOf(await service.updateContact({ account, aliasId: alias.id, contactId, blocking: "reject" }));
    expect(await shown()).toEqual([attributed, attributed, attributed]);
    valueOf(await service.updateContact({ account, aliasId: alias.id, contactId, blocking: "none" }));
    await meet(alias, eve, 1);
    expect(await shown()).toEqual([message, message, message]);
  });

  test("is found for a whole page in one call of the store; for messages from nobody, without any", async () => {
    const findByEmails = vi.fn(store.contacts.findByEmails);
    const contacts = { ...store.contacts, findByEmails };
    service = postern({ store: { ...store, contacts }, aliasDomains: ["alias.example"], ...ports });
    const alias = await newAlias();
    for (const direction of ["received", "sent"] as const) {
      ports.clock.advance(1);
      await log(alias, { direction, contact: null });
    }
    expect(await idsOf(alias)).toEqual([null, null]);
    expect(findByEmails).not.toHaveBeenCalled();
    const [first, second] = [await meet(alias), await meet(alias, eve)];
    const stranger = valueOf(parseEmailAddress("stranger@sender.example"));
    for (const contact of [bob, eve, EmailAddress.key(bob), stranger, bob]) {
      ports.clock.advance(1);
      await log(alias, { contact });
    }
    expect(await idsOf(alias)).toEqual([first.id, null, first.id, second.id, first.id, null, null]);
    expect(findByEmails.mock.calls.map(([, emails]) => emails.toSorted())).toEqual([
      ["bob@sender.example", "eve@sender.example", "stranger@sender.example"],
    ]);
  });

  test("is not known without contacts in the store", async () => {
    const alias = await newAlias();
    await meet(alias);
    const message = await log(alias);
    const { contacts: _, ...rest } = store;
    const without = postern({ store: rest, aliasDomains: ["alias.example"], ...ports });
    expect(valueOf(await without.listMessages({ account, aliasId: alias.id })).items).toEqual([message]);
  });

  test("leaves nothing requested if it cannot be found", async () => {
    const { id: aliasId } = await newAlias();
    const alias = valueOf(await service.getAlias({ account, aliasId }));
    const keptBody = testBody(ports.clock.now() + 1);
    const position = LoggedMessage.position(await log(alias, { keptBody }));
    const findByEmails = async () => err<never, Unavailable>({ code: "unavailable" });
    const contacts = { ...store.contacts, findByEmails };
    service = postern({ store: { ...store, contacts }, aliasDomains: ["alias.example"], ...ports });
    const resent = await service.resendMessage({ account, aliasId, position });
    expect(failureOf(resent).code).toBe("unavailable");
    expect(valueOf(await store.resends.list(keptBody.spool, 10))).toEqual([]);
  });
});

describe("resendMessage", () => {
  const DAY = 24 * 60 * 60_000;

  /** A message that can be sent again for a day. */
  const newFailed = async () => {
    const alias = await newAlias();
    const keptBody = testBody(ports.clock.now() + DAY);
    const message = await log(alias, { keptBody });
    const target = { account, aliasId: alias.id, position: LoggedMessage.position(message) };
    return { alias, message, target, spool: keptBody.spool };
  };
  const requested = async (spool: Parameters<Store["resends"]["list"]>[0]) =>
    valueOf(await store.resends.list(spool, 10));

  test("requests the message from the server that has its body, and returns it", async () => {
    const { alias, message, target, spool } = await newFailed();
    ports.clock.advance(DAY - 2);
    expect(valueOf(await service.resendMessage(target))).toEqual(message);
    const resend = { spool, account: alias.account, alias: alias.id, message: message.id };
    expect(await requested(spool)).toEqual([{ ...resend, at: ports.clock.now() }]);
    ports.clock.advance(1);
    valueOf(await service.resendMessage(target));
    expect(await requested(spool)).toEqual([{ ...resend, at: ports.clock.now() }]);
    ports.clock.advance(1);
    expect(failureOf(await service.resendMessage(target)).code).toBe("message_not_kept");
  });

  test("is refused for a message that did not fail, or does not exist", async () => {
    const { alias, target, spool } = await newFailed();
    const sent = await log(alias, { at: ports.clock.now() + 1 });
    const position = LoggedMessage.position(sent);
    for (const [wrong, code] of [
      [{ ...target, position }, "message_not_kept"],
      [{ ...target, position: `${"0".repeat(16)}${"m".repeat(26)}` }, "message_not_found"],
      [{ ...target, position: "m" }, "invalid_request"],
      [{ ...target, aliasId: "unknown" }, "alias_not_found"],
      [{ ...target, account: "other" }, "alias_not_found"],
    ] as const) {
      expect(failureOf(await service.resendMessage(wrong)).code).toBe(code);
    }
    expect(await requested(spool)).toEqual([]);
  });

  test("is refused while the alias accepts no mail", async () => {
    const { target, spool } = await newFailed();
    valueOf(await service.updateAlias({ ...target, active: false }));
    expect(failureOf(await service.resendMessage(target))).toMatchObject({
      code: "alias_inactive",
      isOver: false,
    });
    valueOf(await service.updateAlias({ ...target, active: true }));
    valueOf(await service.updateAliasRules({ ...target, activeUntil: ports.clock.now() + 5 }));
    ports.clock.advance(5);
    expect(failureOf(await service.resendMessage(target))).toMatchObject({
      code: "alias_inactive",
      isOver: true,
    });
    valueOf(await service.deleteAlias(target));
    expect(failureOf(await service.resendMessage(target)).code).toBe("alias_deleted");
    expect(await requested(spool)).toEqual([]);
  });
});
