import { nodeSecrets } from "@postern/node";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const SECRET = "s".repeat(32);
const secrets = nodeSecrets({ linkSecrets: ["l".repeat(32)], mailboxSecret: SECRET });
const text = fc.string({ unit: "binary" }).map((each) => each.toWellFormed());

describe("a concealed text", () => {
  test("is revealed in its own context only", () => {
    fc.assert(
      fc.property(text, text, text, (text, context, other) => {
        const concealed = secrets.conceal(text, context);
        expect(secrets.reveal(concealed, context)).toBe(text);
        expect(secrets.reveal(concealed, other)).toBe(other === context ? text : null);
      }),
    );
  });

  test("is always the same, URL-safe, and at most 22 characters and a third longer than the text", () => {
    fc.assert(
      fc.property(text, text, (text, context) => {
        const concealed = secrets.conceal(text, context);
        expect(secrets.conceal(text, context)).toBe(concealed);
        expect(concealed).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(concealed.length).toBeLessThanOrEqual(22 + Math.ceil((Buffer.byteLength(text) * 4) / 3));
      }),
    );
  });

  test("has nothing in common with the same text concealed in another context, or with a text that begins the same way", () => {
    fc.assert(
      fc.property(text, text, fc.string({ minLength: 1 }), (text, context, more) => {
        const beginning = (concealed: string) => concealed.slice(0, 20);
        const concealed = secrets.conceal(text, context);
        expect(beginning(secrets.conceal(text, context + more))).not.toBe(beginning(concealed));
        expect(beginning(secrets.conceal(text + more, context))).not.toBe(beginning(concealed));
        // The boundary between context and text counts.
        expect(secrets.conceal(more + text, context)).not.toBe(secrets.conceal(text, context + more));
      }),
    );
  });

  test("is not revealed if any part of it is changed", () => {
    const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (const text of ["", "a", "ab", "1@sender.example"]) {
      const concealed = secrets.conceal(text, "context");
      for (let at = 0; at < concealed.length; at += 1) {
        for (const other of ALPHABET) {
          const changed = concealed.slice(0, at) + other + concealed.slice(at + 1);
          expect(secrets.reveal(changed, "context")).toBe(other === concealed[at] ? text : null);
        }
      }
      for (const changed of [`${concealed}A`, `${concealed}=`, concealed.slice(0, -1), `${concealed} `]) {
        expect(secrets.reveal(changed, "context")).toBeNull();
      }
    }
  });

  test("is not revealed with another secret, but still is after the link secrets have changed", () => {
    const concealed = secrets.conceal("text", "context");
    const changed = nodeSecrets({ linkSecrets: ["n".repeat(32)], mailboxSecret: SECRET });
    expect(changed.reveal(concealed, "context")).toBe("text");
    const other = nodeSecrets({ linkSecrets: ["l".repeat(32)], mailboxSecret: "o".repeat(32) });
    expect(other.reveal(concealed, "context")).toBeNull();
  });

  test.each(["", "x", "A".repeat(21), "A".repeat(22), "not base64url!"])(
    "%j reveals nothing",
    (concealed) => {
      expect(secrets.reveal(concealed, "context")).toBeNull();
    },
  );
});
