import { AccountId, RecipientId } from "@postern/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hmacSecrets } from "../src/system/secrets.ts";

const KEY = "k".repeat(32);
const OTHER_KEY = "o".repeat(32);
const secrets = hmacSecrets([KEY]);

const id = fc.string({ minLength: 1, maxLength: 128, unit: fc.constantFrom(..."abcXYZ019_:|.@-") });
const claims = fc.record({
  account: id.map((text) => AccountId.parse(text)),
  recipientId: id.map((text) => RecipientId.parse(text)),
  nonce: fc.constant(null).map(() => secrets.nonce()),
  expiresAt: fc.nat({ max: 8_640_000_000_000 }),
});
const key = fc.string({ minLength: 32, maxLength: 64 });

describe("hmacSecrets", () => {
  test("opens what it sealed", () => {
    fc.assert(
      fc.property(claims, (sealed) => {
        expect(secrets.open(secrets.seal(sealed))).toEqual(sealed);
      }),
    );
  });

  test("keeps ids of any text as they are", () => {
    const sealed = {
      account: AccountId.parse("ü#/🦊"),
      recipientId: RecipientId.parse("__proto__"),
      nonce: "n",
      expiresAt: 1,
    };
    expect(secrets.open(secrets.seal(sealed))).toEqual(sealed);
  });

  test("seals into URL-safe text of at most 512 characters, for the longest account and a UUID", () => {
    const token = secrets.seal({
      account: AccountId.parse("a".repeat(128)),
      recipientId: RecipientId.parse("01890a5d-ac96-774b-bcce-b302099a8057"),
      nonce: secrets.nonce(),
      expiresAt: Number.MAX_SAFE_INTEGER,
    });
    expect(token).toMatch(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$/);
    expect(token.length).toBeLessThanOrEqual(512);
  });

  test("does not open a token with any one bit of it flipped", () => {
    fc.assert(
      fc.property(claims, fc.nat(), fc.integer({ min: 0, max: 15 }), (sealed, at, bit) => {
        const token = secrets.seal(sealed);
        const index = at % token.length;
        const flipped = String.fromCharCode(token.charCodeAt(index) ^ (1 << bit));
        expect(secrets.open(token.slice(0, index) + flipped + token.slice(index + 1))).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });

  test("does not open a token whose last character decodes to the same bytes", () => {
    const token = secrets.seal(fc.sample(claims, { numRuns: 1, seed: 1 })[0] ?? expect.unreachable());
    const seal = token.slice(token.indexOf(".") + 1);
    const twins = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"]
      .map((last) => seal.slice(0, -1) + last)
      .filter(
        (twin) => twin !== seal && Buffer.from(twin, "base64url").equals(Buffer.from(seal, "base64url")),
      );
    expect(twins).toHaveLength(3);
    for (const twin of twins) expect(secrets.open(token.replace(seal, twin))).toBeNull();
  });

  test("does not open a token cut short or made longer", () => {
    fc.assert(
      fc.property(claims, fc.nat(), fc.string({ minLength: 1 }), (sealed, at, more) => {
        const token = secrets.seal(sealed);
        expect(secrets.open(token.slice(0, at % token.length))).toBeNull();
        expect(secrets.open(token + more)).toBeNull();
        expect(secrets.open(more + token)).toBeNull();
      }),
    );
  });

  test("opens no other text, and throws at none", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(secrets.open(text)).toBeNull();
      }),
    );
    for (const text of ["", ".", "..", "a.b.c", "\ud800.\ud800"]) expect(secrets.open(text)).toBeNull();
  });

  test("does not open what a foreign key sealed", () => {
    fc.assert(
      fc.property(claims, key, key, (sealed, ours, theirs) => {
        fc.pre(ours !== theirs);
        expect(hmacSecrets([ours]).open(hmacSecrets([theirs]).seal(sealed))).toBeNull();
      }),
    );
  });

  test("seals with the first key and opens with either, so that a key can be changed", () => {
    fc.assert(
      fc.property(claims, (sealed) => {
        const changing = hmacSecrets([OTHER_KEY, KEY]);
        expect(changing.open(secrets.seal(sealed))).toEqual(sealed);
        expect(hmacSecrets([OTHER_KEY]).open(changing.seal(sealed))).toEqual(sealed);
        expect(secrets.open(changing.seal(sealed))).toBeNull();
      }),
    );
  });

  test("draws every number below the one asked for, each as often as the others", () => {
    const drawn = new Map<number, number>();
    for (let i = 0; i < 30_000; i += 1) {
      const number = secrets.random(30);
      drawn.set(number, (drawn.get(number) ?? 0) + 1);
    }
    expect([...drawn.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i));
    // 1000 of each are expected; the standard deviation is 31.
    for (const times of drawn.values()) expect(Math.abs(times - 1000)).toBeLessThan(250);
    expect(secrets.random(1)).toBe(0);
    expect(secrets.random(2 ** 32)).toBeLessThan(2 ** 32);
  });

  test("gives nonces of 128 bits that differ", () => {
    const nonces = Array.from({ length: 1000 }, () => secrets.nonce());
    expect(new Set(nonces).size).toBe(1000);
    for (const nonce of nonces) expect(Buffer.from(nonce, "base64url")).toHaveLength(16);
  });
});
