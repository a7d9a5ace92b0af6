import { memoryStore } from "@postern/adapter-memory";
import {
  type Alias,
  LOG_RETENTION,
  LoggedMessage,
  NO_LIMITS,
  type Postern,
  postern,
  type Store,
} from "@postern/core";
import { failureOf, type TestPorts, testBody, testMessage, testPorts, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test } from "vitest";

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

const log = async (alias: Alias, fields: Partial<LoggedMessage> = {}): Promise<LoggedMessage> => {
  const message = testMessage(alias, { at: ports.clock.now(), ...fields });
  valueOf(await store.messageLog.save(message, NO_LIMITS));
  return message;
};

const listed = async ({ id: aliasId }: Alias, limit = 50, after: string | null = null) =>
  valueOf(await service.listMessages({ account, aliasId, limit, after }));

/** Logs `count` messages, a minute apart, and returns them, newest first. */
const logMany = async (alias: Alias, count: number): Promise<readonly LoggedMessage[]> => {
  const messages: LoggedMessage[] = [];
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
    const later = await log(alias, { ...message, revision: 2, size: 7 });
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
