import { failureOf, valueOf } from "@postern/core/testing";
import { parseLinkSecrets } from "@postern/node";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const secret = fc.string({ minLength: 32, maxLength: 100 });
const hex = (length: { readonly minLength: number; readonly maxLength: number }) =>
  fc.string({ ...length, unit: fc.constantFrom(..."0123456789ABCDEF") });

describe("parseLinkSecrets", () => {
  test("accepts one or more secrets of at least 32 bytes, and keeps their order", () => {
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1 }), (secrets) => {
        expect(valueOf(parseLinkSecrets(secrets))).toEqual(secrets);
      }),
    );
  });

  test.each([
    ["32 ASCII characters", "a".repeat(32), true],
    ["31 ASCII characters", "a".repeat(31), false],
    ["16 characters of two bytes", "é".repeat(16), true],
    ["15 characters of two bytes", "é".repeat(15), false],
  ])("counts bytes of UTF-8: %s", (_, text, accepted) => {
    expect(parseLinkSecrets([text]).isOk()).toBe(accepted);
  });

  test("rejects a short secret anywhere in the list, says where it is and does not repeat it", () => {
    fc.assert(
      fc.property(
        fc.array(secret, { maxLength: 3 }),
        hex({ minLength: 6, maxLength: 31 }),
        fc.array(secret, { maxLength: 3 }),
        (before, short, after) => {
          const { code, message } = failureOf(parseLinkSecrets([...before, short, ...after]));
          expect(code).toBe("link_secrets_invalid");
          expect(message).toBe(`must be at least 32 bytes long (secret ${before.length + 1} is shorter)`);
          expect(message).not.toContain(short);
        },
      ),
    );
  });

  test.each([
    ["an empty list", [], "must not be empty"],
    ["a missing secret", [undefined], "must be a list of strings"],
    ["a secret that is a number", [10 ** 40], "must be a list of strings"],
    ["a bare string", "a".repeat(32), "must be a list of strings"],
    ["nothing", undefined, "must be a list of strings"],
  ])("rejects %s", (_, input, message) => {
    expect(failureOf(parseLinkSecrets(input))).toEqual({ code: "link_secrets_invalid", message });
  });
});
