import { runsWhole } from "@postern/test-support/runs-whole";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { passwordProof, publicKey, sharedSecret, srpTimestamp } from "../src/srp.ts";
import { oracle, timestampNow } from "./support/oracle.ts";

/* Against AWS's own client. */

const CASES = runsWhole(import.meta.url) ? 1_000 : 100;

const { N } = oracle("pool", 2n);

const hexadecimal = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: fc.constantFrom(..."0123456789abcdefABCDEF"), minLength: 1, maxLength }),
    // Short ones, those that begin with zeros or a set bit, and an odd number of digits.
    fc.constantFrom("1", "7f", "80", "0", "00", "000", "0a1", "00ff", "8".repeat(32), `00${"9".repeat(30)}`),
  );

const B = fc.oneof(
  hexadecimal(768),
  // Near N, beyond it, and multiples.
  fc
    .tuple(fc.bigInt({ min: 0n, max: 3n }), fc.bigInt({ min: 0n, max: 3n }))
    .map(([times, more]) => (N * times + more).toString(16)),
);

const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc.string({ unit: "binary" }),
  fc.constantFrom(" spaces ", "\t", "ada@example.com", "Zoë", "日本語", "🐙", "a:b", "\u0000"),
);

test("the public key and the proof are those of AWS's library, which also refuses the same numbers", {
  timeout: 300_000 + CASES * 5_000,
}, async () => {
  const arbitrary = {
    a: fc.oneof(
      { weight: 9, arbitrary: fc.bigInt({ min: 1n, max: 2n ** 256n }) },
      fc.bigInt({ min: 1n, max: 2n ** 1024n }),
    ),
    pool: fc.stringMatching(/^[0-9A-Za-z]{1,20}$/),
    SALT: hexadecimal(64),
    SRP_B: B,
    SECRET_BLOCK: fc.uint8Array({ maxLength: 1_200 }).map((bytes) => Buffer.from(bytes).toString("base64")),
    USER_ID_FOR_SRP: text,
    password: text,
    timestamp: fc.nat({ max: 4e9 }).map((seconds) => srpTimestamp(seconds * 1_000)),
  };
  let refusals = 0;
  await fc.assert(
    fc.asyncProperty(fc.record(arbitrary), async ({ a, pool, password, timestamp, ...question }) => {
      const theirs = oracle(pool, a);
      expect(publicKey(a).toString(16)).toBe(theirs.A());
      const proof = passwordProof(a, pool, question, password, timestamp);
      if (BigInt(`0x${question.SRP_B}`) % N === 0n) {
        refusals += 1;
        expect(() => theirs.proof(question, password, timestamp)).toThrow("B cannot be zero");
        await expect(proof).rejects.toEqual({ type: "refused", code: "untrusted", reason: "SRP_B" });
      } else {
        expect(await proof).toBe(theirs.proof(question, password, timestamp));
      }
    }),
    // The library takes half a second for each.
    { numRuns: CASES, endOnFailure: true },
  );
  expect(refusals).toBeGreaterThan(0);
});

test("a server cannot choose the secret: B that is a multiple of N and u = 0 are refused", () => {
  const refusal = { type: "refused", code: "untrusted", reason: "SRP_B" };
  const thrownBy = (B: bigint, u: bigint): unknown => {
    try {
      return sharedSecret(3n, B, 5n, u, 7n);
    } catch (thrown) {
      return thrown;
    }
  };
  for (const B of [0n, N, 2n * N]) expect(thrownBy(B, 11n)).toEqual(refusal);
  expect(thrownBy(13n, 0n)).toEqual(refusal);
  expect(thrownBy(13n, 11n)).toEqual(expect.any(BigInt));
});

test("times are written as by AWS's library, with one digit for the first days of a month", () => {
  vi.useFakeTimers();
  try {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("1980-01-01"), max: new Date("2099-12-31"), noInvalidDate: true }),
        (at) => {
          vi.setSystemTime(at);
          expect(srpTimestamp(at.getTime())).toBe(timestampNow());
        },
      ),
    );
  } finally {
    vi.useRealTimers();
  }
  expect(srpTimestamp(Date.UTC(2026, 10, 5, 1, 2, 3))).toBe("Thu Nov 5 01:02:03 UTC 2026");
});
