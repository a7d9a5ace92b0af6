import { crc32 } from "node:zlib";
import { memoryStore } from "@postern/adapter-memory";
import {
  type ApiKey,
  CLIENT_KINDS,
  type ClientKind,
  err,
  MAX_API_KEY_NAME_LENGTH,
  MAX_API_KEYS,
  ok,
  type Ports,
  type Postern,
  postern,
  SCOPES,
  type Store,
} from "@postern/core";
import type { CreateApiKeyCommand } from "@postern/core/operations";
import { parseApiKey } from "@postern/core/store";
import { failureOf, type TestPorts, testPorts, valueOf } from "@postern/core/testing";
import { accountId, recipientIds } from "@postern/core/testing/arbitraries";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { newApiKeySecret, parseApiKeySecret } from "../src/api-key/api-key-secret.ts";

const account = "account-1";
const other = "account-2";
const HOUR = 3_600_000;
const SECOND = 1_000;
const DAY = 24 * HOUR;
const UNKNOWN = { code: "api_key_invalid", reason: "unknown" };
const EXPIRED = { code: "api_key_invalid", reason: "expired" };
const DOWN = err({ code: "unavailable", cause: { source: "test", reason: "down" } } as const);

let store: Store;
let ports: TestPorts;
let service: Postern;

/** A service on the same store, with some of its ports for API keys replaced. */
const serviceWith = (apiKeys: Partial<Store["apiKeys"]> = {}, others: Partial<Ports> = {}): Postern =>
  postern({
    store: { ...store, apiKeys: { ...store.apiKeys, ...apiKeys } },
    aliasDomains: ["alias.example", "second.example"],
    keysUrl: "https://keys.example",
    ...ports,
    ...others,
  });

beforeEach(() => {
  store = memoryStore();
  ports = testPorts();
  service = serviceWith();
});

const command: CreateApiKeyCommand = { account, name: "Password manager", scopes: ["aliases:create"] };

const create = async (changes: Partial<CreateApiKeyCommand> = {}) =>
  valueOf(await service.createApiKey({ ...command, ...changes }));

const stored = async (owner = account) => valueOf(await service.listApiKeys({ account: owner }));

const adopt = async (email: string, owner = account) =>
  valueOf(await service.adoptRecipient({ account: owner, email })).id;

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Secrets drawn from any random numbers. */
const anySecret = fc
  .array(fc.nat(61), { minLength: 34, maxLength: 34 })
  .map((drawn) => newApiKeySecret(() => drawn.shift() ?? 0));

/** The `n`th of many different secrets. */
const secretOf = (n: number) => {
  const digits = [...String(n).padStart(34, "0")].map(Number);
  return newApiKeySecret(() => digits.shift() ?? 0);
};

describe("a secret", () => {
  test("is pk_, 34 letters and digits, and the CRC-32 of these in base 62", async () => {
    await fc.assert(
      fc.property(anySecret, (secret): void => {
        const [, drawn = "", checksum = ""] = /^pk_([0-9A-Za-z]{34})([0-9A-Za-z]{6})$/.exec(secret) ?? [];
        const value = [...checksum].reduce((sum, digit) => sum * 62 + ALPHABET.indexOf(digit), 0);
        expect(value).toBe(crc32(drawn));
        expect(parseApiKeySecret(secret)).toBe(secret);
      }),
    );
  });

  test("has every letter and digit", () => {
    const drawn = new Set(
      ALPHABET.split("").flatMap((_, n) =>
        newApiKeySecret(() => n)
          .slice(3, 37)
          .split(""),
      ),
    );
    expect([...drawn].sort().join("")).toBe(ALPHABET);
    const bounds = new Set<number>();
    newApiKeySecret((below) => {
      bounds.add(below);
      return 0;
    });
    expect([...bounds]).toEqual([62]);
  });

  test("is refused without asking the store if any one character is another one, is missing or is added", async () => {
    const findByHash = vi.fn(store.apiKeys.findByHash);
    const watched = serviceWith({ findByHash });
    await fc.assert(
      fc.asyncProperty(
        anySecret,
        fc.nat(42),
        fc.oneof(fc.constantFrom(...ALPHABET), fc.string({ minLength: 1, maxLength: 1 })),
        async (secret, at, character) => {
          fc.pre(secret[at] !== character);
          const [before, after] = [secret.slice(0, at), secret.slice(at + 1)];
          for (const wrong of [
            before + character + after,
            before + after,
            before + character + secret.slice(at),
          ]) {
            const failed = await watched.authenticateApiKey({ secret: wrong, client: "program" });
            expect(failureOf(failed)).toEqual(UNKNOWN);
          }
        },
      ),
      { numRuns: 300 },
    );
    expect(findByHash).not.toHaveBeenCalled();
  });

  test("is refused without asking the store if it is any other text", async () => {
    const findByHash = vi.fn(store.apiKeys.findByHash);
    const watched = serviceWith({ findByHash });
    const secret = secretOf(7);
    const wrong = [
      ...["", "pk_", ` ${secret}`, `${secret}\n`, `Bearer ${secret}`, secret.replace("pk_", "PK_")],
      ...[secret.slice(3), secret + secret, secret.toUpperCase(), `${secret}${"0".repeat(1_000_000)}`],
    ];
    const refuse = async (text: string): Promise<void> => {
      const failed = await watched.authenticateApiKey({ secret: text, client: "program" });
      expect(failureOf(failed)).toEqual(UNKNOWN);
    };
    for (const text of wrong) await refuse(text);
    await fc.assert(fc.asyncProperty(fc.string(), refuse));
    expect(findByHash).not.toHaveBeenCalled();
  });
});

describe("createApiKey", () => {
  test("creates a key with a secret of its own, of which only a hash is stored", async () => {
    const one = await create();
    const two = await create();
    expect(one.apiKey).toEqual({
      id: expect.stringMatching(/^[a-z2-7]{26}$/),
      account,
      hash: ports.secrets.hash(`api key:${one.secret}`),
      name: "Password manager",
      scopes: ["aliases:create"],
      aliasDomain: null,
      recipientIds: null,
      expiresAt: null,
      createdAt: ports.clock.now(),
      lastUse: null,
    });
    expect(one.secret).toMatch(/^pk_[0-9A-Za-z]{40}$/);
    expect(
      new Set([one.secret, two.secret, one.apiKey.id, two.apiKey.id, one.apiKey.hash, two.apiKey.hash]).size,
    ).toBe(6);
    expect(await stored()).toContainEqual(one.apiKey);
    expect(JSON.stringify(await stored())).not.toContain(one.secret.slice(3));
    for (const { apiKey, secret } of [one, two]) {
      expect(valueOf(await service.authenticateApiKey({ secret, client: "program" }))).toEqual(apiKey);
    }
  });

  test("keeps what is asked for: the name trimmed, scopes and recipients once, the domain in its stored form", async () => {
    const [home, work] = [await adopt("home@example.org"), await adopt("work@example.org")];
    const expiresAt = ports.clock.now() + 1;
    const { apiKey } = await create({
      name: `\u00a0${"🙂".repeat(MAX_API_KEY_NAME_LENGTH / 2)} `,
      scopes: [...SCOPES.toReversed(), ...SCOPES],
      aliasDomain: "Second.EXAMPLE",
      recipientIds: [work, home, work],
      expiresAt,
    });
    expect(apiKey).toMatchObject({
      name: "🙂".repeat(50),
      scopes: SCOPES,
      aliasDomain: "second.example",
      recipientIds: [work, home],
      expiresAt,
    });
    expect(await stored()).toEqual([apiKey]);
  });

  test.each<[string, object, readonly (readonly [path: string, reason: string])[]]>([
    ["no name", { name: " \n" }, [["name", "must not be empty"]]],
    ["a long name", { name: "x".repeat(101) }, [["name", "must be at most 100 characters"]]],
    ["a control character", { name: "a\u0007b" }, [["name", "must be text without control characters"]]],
    ["half a character", { name: "\ud83d" }, [["name", "must be text without control characters"]]],
    ["no scope", { scopes: [] }, [["scopes", "must name at least one scope"]]],
    [
      "an unknown scope",
      { scopes: ["aliases:read", "aliases:delete"] },
      [["scopes.1", `must be one of: ${SCOPES.join(", ")}`]],
    ],
    ["too many scopes", { scopes: Array(11).fill(SCOPES[0]) }, [["scopes", "must have at most 10 items"]]],
    [
      "no domain name",
      { aliasDomain: "alias" },
      [["aliasDomain", "must be a domain name such as example.com"]],
    ],
    [
      "no recipients",
      { recipientIds: [] },
      [["recipientIds", "must list at least 1 recipient: mail must have somewhere to go"]],
    ],
    [
      "too many recipients",
      { recipientIds: Array.from({ length: 41 }, (_, n) => `r-${n}`) },
      [["recipientIds", "must list at most 40 recipients"]],
    ],
    ["an expiry that has come", { expiresAt: 1_700_000_000_000 }, [["expiresAt", "must be in the future"]]],
    [
      "an expiry after the year 9999",
      { expiresAt: 253_402_300_800_000 },
      [["expiresAt", "must be in milliseconds since 1970, and before the year 10000"]],
    ],
    ["half a millisecond", { expiresAt: 1_800_000_000_000.5 }, [["expiresAt", "must be a whole number"]]],
    [
      "everything wrong",
      { name: "", scopes: [] },
      [
        ["name", "must not be empty"],
        ["scopes", "must name at least one scope"],
      ],
    ],
  ])("refuses %s, and stores nothing", async (_, changes, issues) => {
    const refused = await service.createApiKey({ ...command, ...changes });
    expect(failureOf(refused)).toEqual({
      code: "invalid_request",
      issues: issues.map(([path, reason]) => ({ path: path.split("."), reason })),
    });
    expect(await stored()).toEqual([]);
  });

  test("refuses a domain that is not an alias domain, and recipients that cannot be attached", async () => {
    const home = await adopt("home@example.org");
    const off = await adopt("off@example.org");
    valueOf(await service.updateRecipient({ account, recipientId: off, active: false }));
    const theirs = await adopt("theirs@example.org", other);
    const { recipient } = valueOf(await service.addRecipient({ account, email: "new@example.org" }));
    const elsewhere = await service.createApiKey({ ...command, aliasDomain: "elsewhere.example" });
    expect(failureOf(elsewhere)).toEqual({ code: "address_not_allowed", reason: "not_an_alias_domain" });
    const ids = [home, off, theirs, recipient.id, "unknown"];
    const ineligible = await service.createApiKey({ ...command, recipientIds: ids });
    expect(failureOf(ineligible)).toEqual({
      code: "recipients_ineligible",
      recipients: [
        { id: off, reason: "inactive" },
        { id: theirs, reason: "unknown" },
        { id: recipient.id, reason: "unverified" },
        { id: "unknown", reason: "unknown" },
      ],
    });
    expect(await stored()).toEqual([]);
  });

  test("creates as many keys as an account can have, expired ones included", async () => {
    for (let n = 0; n < MAX_API_KEYS; n += 1) await create({ expiresAt: ports.clock.now() + 1 });
    ports.clock.advance(DAY);
    const TOO_MANY = { code: "too_many_api_keys", limit: 20 };
    expect(failureOf(await service.createApiKey(command))).toEqual(TOO_MANY);
    await create({ account: other });
    const [first] = await stored();
    valueOf(await service.deleteApiKey({ account, apiKeyId: first?.id ?? "" }));
    await create();
    expect(failureOf(await service.createApiKey(command))).toEqual(TOO_MANY);
    expect(await stored()).toHaveLength(20);
  });

  test("is refused where no keys are accepted", async () => {
    const off = serviceWith({}, { keysUrl: undefined });
    expect(failureOf(await off.createApiKey(command))).toEqual({ code: "api_keys_disabled" });
    expect(failureOf(await off.createApiKey({ ...command, name: "" })).code).toBe("invalid_request");
    expect(await stored()).toEqual([]);
  });

  test("is unavailable if the id or the hash is in use", async () => {
    const failing = serviceWith({ create: async () => err({ code: "conflict" }) });
    expect(failureOf(await failing.createApiKey(command))).toEqual({
      code: "unavailable",
      cause: { source: "postern", reason: "another API key has the id or the secret" },
    });
  });
});

describe("listApiKeys", () => {
  test("returns the keys of the account, newest first, and those of one moment by their ids", async () => {
    const all: ApiKey[] = [];
    for (const apart of [0, 0, 1, 1]) {
      ports.clock.advance(apart);
      all.push((await create()).apiKey);
    }
    const theirs = await create({ account: other });
    const sorted = all.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
    expect(await stored()).toEqual(sorted);
    expect(await stored(other)).toEqual([theirs.apiKey]);
  });
});

describe("deleteApiKey", () => {
  test("removes one key of the account, however often it is called", async () => {
    const [removed, kept, theirs] = [await create(), await create(), await create({ account: other })];
    for (let times = 0; times < 2; times += 1) {
      valueOf(await service.deleteApiKey({ account, apiKeyId: removed.apiKey.id }));
      valueOf(await service.deleteApiKey({ account, apiKeyId: theirs.apiKey.id }));
      expect(await stored()).toEqual([kept.apiKey]);
    }
    expect(await stored(other)).toEqual([theirs.apiKey]);
  });
});

describe("authenticateApiKey", () => {
  const authenticate = (secret: string, by: Postern = service, client: ClientKind = "program") =>
    by.authenticateApiKey({ secret, client });

  test("returns the key with the secret, whoever has it, and none for another secret", async () => {
    const [mine, theirs] = [await create(), await create({ account: other })];
    expect(valueOf(await authenticate(mine.secret))).toEqual(mine.apiKey);
    expect(valueOf(await authenticate(theirs.secret))).toEqual(theirs.apiKey);
    expect(failureOf(await authenticate(secretOf(1)))).toEqual(UNKNOWN);
    // @ts-expect-error: an unknown kind of program
    const wrong = await service.authenticateApiKey({ secret: mine.secret, client: "robot" });
    expect(failureOf(wrong).code).toBe("invalid_request");
  });

  test("refuses a key from the millisecond on at which it expires, and does not record that", async () => {
    const { secret } = await create({ expiresAt: ports.clock.now() + HOUR });
    ports.clock.advance(HOUR - 1);
    valueOf(await authenticate(secret));
    const [before] = await stored();
    ports.clock.advance(1);
    for (let times = 0; times < 2; times += 1) {
      expect(failureOf(await authenticate(secret))).toEqual(EXPIRED);
      ports.clock.advance(HOUR);
    }
    expect(await stored()).toEqual([before]);
  });

  test("is possible for a suspended account, whose operations then fail", async () => {
    const { apiKey, secret } = await create();
    valueOf(await service.suspendAccount({ account }));
    expect(valueOf(await authenticate(secret))).toEqual(apiKey);
    for (const refused of [
      await service.createApiKey(command),
      await service.listApiKeys({ account }),
      await service.deleteApiKey({ account, apiKeyId: apiKey.id }),
      await service.createAlias({ account, recipientIds: ["r"] }),
      await service.listAliases({ account }),
      await service.listRecipients({ account }),
      await service.listMessages({ account, aliasId: "a" }),
      await service.getService({ account }),
    ]) {
      expect(refused).toMatchObject({ error: { code: "account_suspended" } });
    }
    valueOf(await service.resumeAccount({ account }));
    expect(await stored()).toMatchObject([{ id: apiKey.id, lastUse: { by: "program" } }]);
  });

  test("records the hour and the kind of the last program, once an hour for each key, however many use it at once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            advance: fc.oneof(fc.nat(HOUR), fc.constantFrom(0, 1, 9_999, 10_000, HOUR, DAY)),
            key: fc.nat(1),
            clients: fc.array(fc.constantFrom(...CLIENT_KINDS), { minLength: 1, maxLength: 4 }),
            server: fc.nat(1),
          }),
          { maxLength: 20 },
        ),
        async (steps) => {
          store = memoryStore();
          ports = testPorts();
          service = serviceWith();
          const keys = [await create(), await create({ account: other })];
          const recordUse = vi.fn(store.apiKeys.recordUse);
          const servers = [serviceWith({ recordUse }), serviceWith()];
          const last = new Map<string, ApiKey["lastUse"]>();
          for (const { advance, key, clients, server } of steps) {
            ports.clock.advance(advance);
            const { apiKey, secret } = keys[key] ?? (await create());
            const used = await Promise.all(
              clients.map((client) => authenticate(secret, servers[server], client)),
            );
            for (const result of used)
              expect(valueOf(result)).toMatchObject({ id: apiKey.id, hash: apiKey.hash });
            const at = ports.clock.now() - (ports.clock.now() % HOUR);
            // The first use in an hour is the one that is recorded.
            if (last.get(apiKey.id)?.at !== at) last.set(apiKey.id, { at, by: clients[0] ?? "program" });
            const found = [...(await stored()), ...(await stored(other))].find(({ id }) => id === apiKey.id);
            expect(found?.lastUse).toEqual(last.get(apiKey.id));
          }
          const hours = recordUse.mock.calls.map(([{ id }, { at }]) => `${id} ${at}`);
          expect(new Set(hours).size).toBe(hours.length);
        },
      ),
      { numRuns: 50 },
    );
  });

  test("is as good if the use cannot be recorded, which is reported, and tried again after 10 seconds", async () => {
    const { secret, apiKey } = await create();
    const findByHash = vi.fn(store.apiKeys.findByHash);
    const recordUse = vi.fn(store.apiKeys.recordUse).mockImplementation(async () => DOWN);
    const reported: unknown[] = [];
    const failing = serviceWith(
      { findByHash, recordUse },
      { onUnreported: (failure) => reported.push(failure) },
    );
    for (let times = 0; times < 3; times += 1)
      expect(valueOf(await authenticate(secret, failing))).toEqual(apiKey);
    ports.clock.advance(10 * SECOND - 1);
    valueOf(await authenticate(secret, failing));
    expect(recordUse).toHaveBeenCalledTimes(1);
    expect(findByHash).toHaveBeenCalledTimes(1);
    ports.clock.advance(1);
    for (let times = 0; times < 3; times += 1) valueOf(await authenticate(secret, failing));
    expect(recordUse).toHaveBeenCalledTimes(2);
    expect(reported).toEqual([DOWN.error, DOWN.error]);
    // Nobody has to listen.
    const silent = serviceWith({ recordUse: async () => DOWN });
    expect(valueOf(await authenticate(secret, silent))).toEqual(apiKey);
    recordUse.mockImplementation(store.apiKeys.recordUse);
    ports.clock.advance(10 * SECOND);
    valueOf(await authenticate(secret, failing));
    expect(await stored()).toMatchObject([{ lastUse: { by: "program" } }]);
  });

  test("does not wait for another call that records the use of the key", async () => {
    const { secret } = await create();
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const recordUse = vi.fn<Store["apiKeys"]["recordUse"]>(async () => {
      begun.resolve();
      await end.promise;
      return ok();
    });
    const slow = serviceWith({ recordUse });
    const first = authenticate(secret, slow);
    await begun.promise;
    for (let times = 0; times < 3; times += 1) valueOf(await authenticate(secret, slow));
    expect(recordUse).toHaveBeenCalledOnce();
    end.resolve();
    valueOf(await first);
  });

  test("asks the store once in 10 seconds, whether or not there is a key", async () => {
    const { secret } = await create();
    const findByHash = vi.fn(store.apiKeys.findByHash);
    const watched = serviceWith({ findByHash });
    const use = async () => {
      for (let times = 0; times < 3; times += 1) {
        valueOf(await authenticate(secret, watched));
        expect(failureOf(await authenticate(secretOf(1), watched))).toEqual(UNKNOWN);
      }
    };
    await use();
    ports.clock.advance(10 * SECOND - 1);
    await use();
    expect(findByHash).toHaveBeenCalledTimes(2);
    ports.clock.advance(1);
    await use();
    expect(findByHash).toHaveBeenCalledTimes(4);
  });

  test("refuses a revoked key on every server within 10 seconds", async () => {
    const { apiKey, secret } = await create();
    const elsewhere = serviceWith();
    valueOf(await authenticate(secret, elsewhere));
    valueOf(await service.deleteApiKey({ account, apiKeyId: apiKey.id }));
    expect(failureOf(await authenticate(secret))).toEqual(UNKNOWN);
    ports.clock.advance(10 * SECOND - 1);
    expect((await authenticate(secret, elsewhere)).isOk()).toBe(true);
    ports.clock.advance(1);
    expect(failureOf(await authenticate(secret, elsewhere))).toEqual(UNKNOWN);
    expect(await stored()).toEqual([]);
  });

  test("passes on the failure of the store, and does not cache it", async () => {
    const { apiKey, secret } = await create();
    const findByHash = vi.fn(store.apiKeys.findByHash).mockImplementationOnce(async () => DOWN);
    const unreliable = serviceWith({ findByHash });
    expect(failureOf(await authenticate(secret, unreliable))).toEqual(DOWN.error);
    expect(valueOf(await authenticate(secret, unreliable))).toEqual(apiKey);
  });

  test("caches 10,000 answers, and forgets the oldest first, however many secrets are tried", async () => {
    const { apiKey } = await create();
    // As if all secrets were those of keys, so that their uses are recorded, too.
    const findByHash = vi.fn<Store["apiKeys"]["findByHash"]>(async (hash) => ok({ ...apiKey, hash }));
    const recordUse = vi.fn<Store["apiKeys"]["recordUse"]>(async () => ok());
    const busy = serviceWith({ findByHash, recordUse });
    const use = async (first: number, last: number) => {
      for (let n = first; n <= last; n += 1) valueOf(await authenticate(secretOf(n), busy));
    };
    await use(1, 10_000);
    await use(1, 10_000);
    expect([findByHash.mock.calls.length, recordUse.mock.calls.length]).toEqual([10_000, 10_000]);
    await use(10_001, 10_001);
    await use(2, 10_001);
    expect([findByHash.mock.calls.length, recordUse.mock.calls.length]).toEqual([10_001, 10_001]);
    await use(1, 1);
    expect([findByHash.mock.calls.length, recordUse.mock.calls.length]).toEqual([10_002, 10_002]);
  });
});

describe("parseApiKey", () => {
  const time = fc.nat();
  const anyApiKey = fc.record<Record<keyof ApiKey, unknown>>({
    id: fc.stringMatching(/^[a-z2-7]{26}$/),
    account: accountId(),
    hash: fc.stringMatching(/^[\w-]{16,128}$/),
    name: fc.string(),
    scopes: fc.subarray([...SCOPES], { minLength: 1 }),
    aliasDomain: fc.option(fc.constantFrom("alias.example", "xn--bcher-kva.example")),
    recipientIds: fc.option(recipientIds(40)),
    expiresAt: fc.option(time),
    createdAt: time,
    lastUse: fc.option(fc.record({ at: time, by: fc.constantFrom(...CLIENT_KINDS) })),
  });

  test("reads what a store has written, and drops what it does not know", async () => {
    await fc.assert(
      fc.property(anyApiKey, (fields) => {
        expect(valueOf(parseApiKey({ ...fields, more: 1 }))).toEqual(fields);
      }),
    );
  });

  test("names the field that is missing, or that is not what was stored", async () => {
    const wrong = fc.constantFrom<readonly [keyof ApiKey, unknown]>(
      ["id", "A".repeat(26)],
      ["account", ""],
      ["hash", "short"],
      ["name", 7],
      ["scopes", ["aliases:sell"]],
      ["aliasDomain", "alias"],
      ["recipientIds", []],
      ["expiresAt", 253_402_300_800_000],
      ["createdAt", -1],
      ["lastUse", { at: 1 }],
    );
    await fc.assert(
      fc.property(anyApiKey, wrong, fc.boolean(), (fields, [field, value], isMissing) => {
        const { issues } = failureOf(parseApiKey({ ...fields, [field]: isMissing ? undefined : value }));
        expect(issues.map(({ path }) => path[0])).toEqual([field]);
      }),
    );
  });
});
