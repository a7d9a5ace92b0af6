import { createHmac, hkdfSync } from "node:crypto";
import { MAX_TOKEN_LENGTH, type NonEmpty, parseAccountId, parseRecipientId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { accountId, recipientId } from "@postern/core/testing/arbitraries";
import { nodeSecrets } from "@postern/node";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const KEY = "k".repeat(32);
const OTHER_KEY = "o".repeat(32);
const secrets = nodeSecrets({ linkSecrets: [KEY] });

const UUID = valueOf(parseRecipientId("01890a5d-ac96-774b-bcce-b302099a8057"));
const account = (text: string) => valueOf(parseAccountId(text));

const claims = fc.record({
  account: accountId(),
  recipientId: recipientId(),
  nonce: fc.constant(null).map(() => secrets.nonce()),
  mailbox: fc.option(fc.emailAddress().map((email) => secrets.hash(email))),
  expiresAt: fc.nat({ max: 8_640_000_000_000 }),
});
const key = fc.string({ minLength: 32, maxLength: 64 });

const example = {
  account: account("a".repeat(36)),
  recipientId: UUID,
  nonce: secrets.nonce(),
  mailbox: secrets.hash("mailbox:me@home.example"),
  expiresAt: 1_764_000_000_000,
};

/** A token of version 0.1 with any payload, signed with `KEY`. */
const signed = (payload: string): string => {
  const encoded = Buffer.from(payload).toString("base64url");
  return `${encoded}.${createHmac("sha256", KEY).update(encoded).digest("base64url")}`;
};

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

describe("a token", () => {
  test("opens to the claims that were sealed", () => {
    fc.assert(
      fc.property(claims, (sealed) => {
        expect(secrets.open(secrets.seal(sealed))).toEqual(sealed);
      }),
    );
  });

  test("is URL-safe text", () => {
    fc.assert(
      fc.property(claims, (sealed) => {
        expect(secrets.seal(sealed)).toMatch(/^[A-Za-z0-9_-]+$/);
      }),
    );
  });

  test("is short enough to verify, however long the ids of account and recipient are", () => {
    for (const longest of ["漢".repeat(128), '"'.repeat(128), "🙂".repeat(64)]) {
      const sealed = {
        ...example,
        account: account(longest),
        recipientId: valueOf(parseRecipientId(longest)),
      };
      const token = secrets.seal(sealed);
      expect(token.length).toBeLessThanOrEqual(MAX_TOKEN_LENGTH);
      expect(secrets.open(token)).toEqual(sealed);
    }
  });

  test("reveals nothing about its claims without the secret, and is different each time", () => {
    const [token, again] = [secrets.seal(example), secrets.seal(example)];
    const bytes = Buffer.from(token, "base64url").toString("latin1");
    for (const claim of [example.account, example.recipientId, example.nonce, example.mailbox]) {
      expect(bytes).not.toContain(claim);
    }
    expect(again).not.toBe(token);
    expect(again).toHaveLength(token.length);
  });

  test("is rejected if any character, even the last, is replaced by another base64url character", () => {
    const token = secrets.seal(example);
    for (let at = 0; at < token.length; at += 1) {
      for (const replacement of [...BASE64URL, ".", "=", "+", "/", " "]) {
        if (replacement === token[at]) continue;
        expect(secrets.open(token.slice(0, at) + replacement + token.slice(at + 1))).toBeNull();
      }
    }
  });

  test("is rejected if any character is replaced by any other", () => {
    fc.assert(
      fc.property(claims, fc.nat(), fc.string({ unit: "binary", maxLength: 1 }), (sealed, n, replacement) => {
        const token = secrets.seal(sealed);
        const at = n % token.length;
        fc.pre(replacement !== token[at]);
        expect(secrets.open(token.slice(0, at) + replacement + token.slice(at + 1))).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });

  test("is rejected when truncated or extended", () => {
    fc.assert(
      fc.property(claims, fc.nat(), fc.string({ minLength: 1 }), (sealed, at, more) => {
        const token = secrets.seal(sealed);
        expect(secrets.open(token.slice(0, at % token.length))).toBeNull();
        expect(secrets.open(token + more)).toBeNull();
        expect(secrets.open(more + token)).toBeNull();
        expect(secrets.open(`${token}.${more}`)).toBeNull();
      }),
    );
  });

  test("is rejected when sealed with another key", () => {
    fc.assert(
      fc.property(claims, key, key, (sealed, ours, theirs) => {
        fc.pre(ours !== theirs);
        expect(
          nodeSecrets({ linkSecrets: [ours] }).open(nodeSecrets({ linkSecrets: [theirs] }).seal(sealed)),
        ).toBeNull();
      }),
    );
  });

  test("is sealed with the first key and opens with any, so that keys can be rotated", () => {
    fc.assert(
      fc.property(claims, (sealed) => {
        const rotating = nodeSecrets({ linkSecrets: [OTHER_KEY, KEY] });
        expect(rotating.open(secrets.seal(sealed))).toEqual(sealed);
        expect(rotating.open(rotating.seal(sealed))).toEqual(sealed);
        expect(nodeSecrets({ linkSecrets: [OTHER_KEY] }).open(rotating.seal(sealed))).toEqual(sealed);
        expect(secrets.open(rotating.seal(sealed))).toBeNull();
      }),
    );
  });
});

describe("a link of version 0.1, signed but not encrypted", () => {
  const { mailbox: _, ...claimed } = example;

  test("opens with every secret, without a mailbox", () => {
    expect(secrets.open(signed(JSON.stringify(claimed)))).toEqual({ ...claimed, mailbox: null });
    const rotating = nodeSecrets({ linkSecrets: [OTHER_KEY, KEY] });
    expect(rotating.open(signed(JSON.stringify(claimed)))).toEqual({ ...claimed, mailbox: null });
  });

  test("is rejected with any one character replaced by another of the encoding", () => {
    const token = signed(JSON.stringify(claimed));
    for (let at = 0; at < token.length; at += 1) {
      for (const replacement of [...BASE64URL, ".", "=", "+", "/", " "]) {
        if (replacement === token[at]) continue;
        expect(secrets.open(token.slice(0, at) + replacement + token.slice(at + 1))).toBeNull();
      }
    }
  });

  test.each([
    ["an account of 129 characters", { ...claimed, account: "a".repeat(129) }],
    ["an empty account", { ...claimed, account: "" }],
    ["a recipient id of 129 characters", { ...claimed, recipientId: "a".repeat(129) }],
    ["no recipient id", { ...claimed, recipientId: undefined }],
    ["a nonce that is a number", { ...claimed, nonce: 1 }],
    ["an expiry that is text", { ...claimed, expiresAt: "1764000000000" }],
    ["a list", [claimed]],
    ["null", null],
  ])("is rejected when its key has signed %s", (_, payload) => {
    expect(secrets.open(signed(JSON.stringify(payload)))).toBeNull();
  });

  test("is rejected when its key has signed anything but JSON", () => {
    expect(secrets.open(signed("session=1"))).toBeNull();
    expect(secrets.open(signed(""))).toBeNull();
  });

  test("is rejected with the key that encrypts links today", () => {
    const derived = Buffer.from(hkdfSync("sha256", KEY, "", "postern verification link", 32));
    const payload = Buffer.from(JSON.stringify(claimed)).toString("base64url");
    const forged = `${payload}.${createHmac("sha256", derived).update(payload).digest("base64url")}`;
    expect(secrets.open(forged)).toBeNull();
  });
});

describe("a hash", () => {
  test("is the same for the same text, in every process with the secret, and for no other text or secret", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, other) => {
        expect(secrets.hash(text)).toMatch(/^[A-Za-z0-9_-]{43}$/);
        expect(nodeSecrets({ linkSecrets: [KEY] }).hash(text)).toBe(secrets.hash(text));
        expect(nodeSecrets({ linkSecrets: [OTHER_KEY] }).hash(text)).not.toBe(secrets.hash(text));
        expect(secrets.hash(other) === secrets.hash(text)).toBe(other === text);
      }),
    );
  });

  test("survives the rotation of the link secret", () => {
    const before = secrets.hash("text");
    expect(nodeSecrets({ linkSecrets: [OTHER_KEY, KEY] }).hash("text")).toBe(before);
    expect(nodeSecrets({ linkSecrets: [OTHER_KEY], mailboxSecret: KEY }).hash("text")).toBe(before);
  });

  test("needs a secret of at least 32 bytes", () => {
    const make = () => nodeSecrets({ linkSecrets: [KEY], mailboxSecret: "too short" });
    expect(make).toThrow("The mailbox secret must be at least 32 bytes long");
    expect(make).not.toThrow("too short");
  });
});

test("open rejects any other text and never throws on it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(secrets.open(text)).toBeNull();
    }),
    { examples: ["", ".", "..", "a.b.c", "\ud800.\ud800"].map((text) => [text]) },
  );
});

describe("random", () => {
  const bound = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 2 ** 32 }));

  test("returns an integer from 0 up to, but not including, the bound", () => {
    fc.assert(
      fc.property(bound, (below) => {
        for (let draws = 0; draws < 20; draws += 1) {
          const number = secrets.random(below);
          expect(Number.isInteger(number)).toBe(true);
          expect(number).toBeGreaterThanOrEqual(0);
          expect(number).toBeLessThan(below);
        }
      }),
      { examples: [[1], [2 ** 32]] },
    );
  });

  test("returns every number equally often", () => {
    const drawn = new Map<number, number>();
    for (let i = 0; i < 30_000; i += 1) {
      const number = secrets.random(30);
      drawn.set(number, (drawn.get(number) ?? 0) + 1);
    }
    expect([...drawn.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i));
    // 1000 of each are expected; the standard deviation is 31.
    for (const times of drawn.values()) expect(Math.abs(times - 1000)).toBeLessThan(250);
  });
});

test("nonces have 128 bits, all of them random", () => {
  const nonces = Array.from({ length: 1000 }, () => Buffer.from(secrets.nonce(), "base64url"));
  const ones = Array.from({ length: 128 }, () => 0);
  for (const nonce of nonces) {
    expect(nonce).toHaveLength(16);
    for (let bit = 0; bit < 128; bit += 1) {
      ones[bit] = (ones[bit] ?? 0) + (((nonce[bit >> 3] ?? 0) >> (bit & 7)) & 1);
    }
  }
  // Half of 1000 are expected for each bit; the standard deviation is 16.
  for (const count of ones) expect(Math.abs(count - 500)).toBeLessThan(125);
});

describe("the keys", () => {
  const SHORT = "0123456789abcdef0123456789abcde";

  test.each<[string, NonEmpty<string>]>([
    ["the only one", [SHORT]],
    ["the second", [KEY, SHORT]],
  ])("are rejected with a TypeError that contains none of them when %s is too short", (_, keys) => {
    const make = () => nodeSecrets({ linkSecrets: keys });
    expect(make).toThrow(TypeError);
    expect(make).toThrow("must be at least 32 bytes long");
    for (const key of keys) {
      expect(make).not.toThrow(key);
    }
  });

  test("stay the same when the caller changes its list", () => {
    const list: [string, ...string[]] = [KEY];
    const sealing = nodeSecrets({ linkSecrets: list });
    list[0] = "weak";
    expect(secrets.open(sealing.seal(example))).toEqual(example);
  });
});
