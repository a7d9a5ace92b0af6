import {
  contactAddress,
  contactOfReverseAddress,
  EmailAddress,
  isReverseAddress,
  MAX_ADDRESS_LENGTH,
  newContactId,
  newCopyId,
  newMessageId,
  newSpoolId,
  parseAliasDomains,
  parseContactId,
  parseCopyId,
  parseDomain,
  parseEmailAddress,
  parseMessageId,
  parseSpoolId,
  reservedNames,
  reverseAddress,
} from "@postern/core";
import { hashed } from "@postern/core/operations";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bounceAddress, copyOfBounceAddress, spoolOfBounceAddress } from "../src/message/bounce-address.ts";
import { loopMark } from "../src/message/loops.ts";
import { messageReference } from "../src/message/message-reference.ts";
import {
  referenceOfUnsubscribeAddress,
  spoolOfUnsubscribeAddress,
  unsubscribeAddress,
} from "../src/message/unsubscription.ts";
import { ALIAS, address } from "./support/mail.ts";

const { random, hash } = testPorts().secrets;
const domain = valueOf(parseDomain("alias.example"));
const id = fc.stringMatching(/^[a-z2-7]{26}$/);

describe("ids", () => {
  test("are 26 characters of a-z2-7, each drawn", () => {
    for (const [make, parse] of [
      [newMessageId, parseMessageId],
      [newCopyId, parseCopyId],
    ] as const) {
      expect(make(() => 0)).toBe("a".repeat(26));
      expect(make((below) => below - 1)).toBe("7".repeat(26));
      let draws = 0;
      const made = make((below) => {
        expect(below).toBe(32);
        draws += 1;
        return draws % 32;
      });
      expect(made).toBe("bcdefghijklmnopqrstuvwxyz2");
      expect(parse(made)).toEqual(expect.objectContaining({ value: made }));
    }
  });

  test.each([
    "",
    "a".repeat(25),
    "a".repeat(27),
    `${"a".repeat(25)}1`,
    "A".repeat(26),
    `${"a".repeat(26)}\n`,
    7,
    null,
  ])("%j is not an id", (text) => {
    expect(failureOf(parseMessageId(text)).code).toBe("invalid_request");
    expect(failureOf(parseCopyId(text)).code).toBe("invalid_request");
  });

  test("from hashes use the whole alphabet evenly, and are as long as requested", () => {
    const base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const key = base64url as ReturnType<typeof hash>;
    const counts = new Map<string, number>();
    for (const character of hashed(() => key, "text", "0123456789abcdef", 64)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect([...counts.values()]).toEqual(Array(16).fill(4));
    // If the hash is short, several are used, and they differ.
    const parts: string[] = [];
    const long = hashed(
      (text) => {
        parts.push(text);
        return hash(text);
      },
      "text",
      "ab",
      40,
    );
    expect(long).toMatch(/^[ab]{40}$/);
    expect(parts).toEqual(["0:text", "1:text", "2:text"]);
  });
});

describe("bounce addresses", () => {
  test("identify the copy, prove where it was sent from, regardless of case, and are reserved", async () => {
    await fc.assert(
      fc.property(id, id, (text, spoolText) => {
        const copy = valueOf(parseCopyId(text));
        const spool = valueOf(parseSpoolId(spoolText));
        const bounce = bounceAddress(hash, { copy, spool }, domain);
        expect(valueOf(parseEmailAddress(bounce))).toBe(bounce);
        expect(EmailAddress.localPart(bounce)).toHaveLength(45);
        for (const each of [bounce, address(bounce.toUpperCase())]) {
          expect(copyOfBounceAddress(each)).toBe(copy);
          expect(spoolOfBounceAddress(hash, each)).toBe(spool.slice(0, 8));
        }
        const before = address(`b-${text}@alias.example`);
        expect([copyOfBounceAddress(before), spoolOfBounceAddress(hash, before)]).toEqual([copy, null]);
        for (const each of [bounce, before]) {
          expect(isReverseAddress(each)).toBe(false);
          expect(reservedNames([])(each)).toBe(true);
          expect(reservedNames([])(address(each.replace("@", "+tag@").toUpperCase()))).toBe(true);
        }
      }),
    );
  });

  test("prove nothing once anything in them is changed", async () => {
    const characters = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz234567");
    await fc.assert(
      fc.property(id, id, fc.nat(41), characters, (text, spoolText, place, character) => {
        const made = { copy: valueOf(parseCopyId(text)), spool: valueOf(parseSpoolId(spoolText)) };
        const bounce = bounceAddress(hash, made, domain);
        // Of the copy, the mark and the tag.
        const at = "b-".length + place + (place < 26 ? 0 : "-".length);
        const changed = bounce.slice(0, at) + character + bounce.slice(at + 1);
        expect(spoolOfBounceAddress(hash, address(changed)) === null).toBe(changed !== bounce);
        expect(spoolOfBounceAddress((key) => hash(`another ${key}`), bounce)).toBeNull();
      }),
    );
  });

  test.each([
    "b-",
    `b-${"a".repeat(25)}`,
    `b-${"a".repeat(27)}`,
    `b-${"a".repeat(25)}1`,
    `xb-${"a".repeat(26)}`,
    `b-${"a".repeat(26)}-`,
    `b-${"a".repeat(26)}-${"a".repeat(15)}`,
    `b-${"a".repeat(26)}-${"a".repeat(17)}`,
  ])("%s is neither a bounce address nor reserved", (name) => {
    const other = address(`${name}@alias.example`);
    expect(copyOfBounceAddress(other)).toBeNull();
    expect(reservedNames([])(other)).toBe(false);
  });

  test("are valid on the longest domain that aliases can have", () => {
    const longest = `${"a".repeat(61)}.${"b".repeat(61)}.${"c".repeat(61)}.dev`;
    const [domain] = valueOf(parseAliasDomains([longest]));
    expect(domain).toHaveLength(MAX_ADDRESS_LENGTH - 64 - "@".length);
    const bounce = bounceAddress(hash, { copy: newCopyId(random), spool: newSpoolId(random) }, domain);
    expect(valueOf(parseEmailAddress(bounce))).toBe(bounce);
  });
});

describe("addresses that stand for lists", () => {
  test("contain the reference of a message, regardless of case, are of no other kind, and are reserved", async () => {
    await fc.assert(
      fc.property(id, id, fc.emailAddress().map(parseEmailAddress), (text, spoolText, alias) => {
        const message = valueOf(parseMessageId(text));
        const reference = messageReference(hash, message, alias.unwrapOr(ALIAS.email));
        const spool = valueOf(parseSpoolId(spoolText));
        const made = unsubscribeAddress(reference, spool, domain);
        expect(valueOf(parseEmailAddress(made))).toBe(made);
        expect(EmailAddress.localPart(made)).toHaveLength(64);
        const before = address(`u-${reference}@alias.example`);
        expect(spoolOfUnsubscribeAddress(before)).toBeNull();
        for (const each of [made, address(made.toUpperCase()), before]) {
          if (each !== before) expect(spoolOfUnsubscribeAddress(each)).toBe(spool.slice(0, 8));
          expect(referenceOfUnsubscribeAddress(each)).toBe(reference);
          expect([isReverseAddress(each), copyOfBounceAddress(each)]).toEqual([false, null]);
          expect(reservedNames([])(each)).toBe(true);
        }
        expect(reservedNames([])(address(before.replace("@", "+tag@")))).toBe(true);
      }),
    );
  });

  test.each([
    "u-",
    `u-${"a".repeat(26)}`,
    `u-${"a".repeat(26)}-${"a".repeat(25)}`,
    `xu-${"a".repeat(26)}-${"a".repeat(26)}`,
    `u-${"a".repeat(26)}-${"a".repeat(26)}-${"a".repeat(7)}`,
  ])("%s is not among them, and not reserved", (name) => {
    const other = address(`${name}@alias.example`);
    expect(referenceOfUnsubscribeAddress(other)).toBeNull();
    expect(reservedNames([])(other)).toBe(false);
  });
});

describe("reverse addresses", () => {
  test("are the same for the same alias and sender, and different for others", async () => {
    const sender = fc.oneof(fc.emailAddress(), fc.string());
    await fc.assert(
      fc.property(sender, sender, fc.emailAddress(), (one, other, alias) => {
        const of = (sender: string, email = ALIAS.email) => reverseAddress(hash, email, sender);
        expect(of(one)).toBe(of(one.toUpperCase().toLowerCase()));
        expect(of(one) === of(other)).toBe(one.toLowerCase() === other.toLowerCase());
        expect(valueOf(parseEmailAddress(of(one)))).toBe(of(one));
        expect(of(one)).toMatch(/^r-[a-z2-7]{26}@alias\.example$/);
        const otherAlias = parseEmailAddress(alias);
        if (otherAlias.isOk()) {
          expect(EmailAddress.localPart(of(one, otherAlias.value))).not.toBe(EmailAddress.localPart(of(one)));
          expect(EmailAddress.domain(of(one, otherAlias.value))).toBe(EmailAddress.domain(otherAlias.value));
        }
        expect(isReverseAddress(of(one))).toBe(true);
        expect(isReverseAddress(address(of(one).toUpperCase()))).toBe(true);
        const id = newContactId(hash, ALIAS.email, one);
        expect(contactOfReverseAddress(address(of(one).toUpperCase()))).toBe(id);
        expect(contactAddress(id, EmailAddress.domain(ALIAS.email))).toBe(of(one));
        expect(valueOf(parseContactId(id))).toBe(id);
        expect(copyOfBounceAddress(of(one))).toBeNull();
        expect(reservedNames([])(of(one))).toBe(true);
      }),
    );
  });

  test("do not depend on the case of the alias", () => {
    const shouted = address("SHOP@alias.example");
    expect(reverseAddress(hash, shouted, "bob@sender.example")).toBe(
      reverseAddress(hash, ALIAS.email, "bob@sender.example"),
    );
  });

  test("differ from the loop mark of the deployment, which is 16 hexadecimal digits", () => {
    expect(loopMark(hash)).toMatch(/^[0-9a-f]{16}$/);
    expect(loopMark(hash)).toBe(loopMark(testPorts().secrets.hash));
    expect(reverseAddress(hash, ALIAS.email, "bob@sender.example")).not.toContain(loopMark(hash));
  });
});
