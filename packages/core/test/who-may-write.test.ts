import { describe, expect, test } from "vitest";
import { AliasRules } from "../src/alias/rules.ts";
import { blockedFor } from "../src/senders/who-may-write.ts";
import { valueOf } from "../src/testing/value-of.ts";
import { parseEmailAddress } from "../src/values/email-address.ts";
import { parseSender } from "../src/values/sender.ts";

const address = (text: string) => valueOf(parseEmailAddress(text));
const bob = address("Bob@Sender.example");
const stranger = { blocking: "none", addedAt: null, lastSentAt: null } as const;
const addressee = { ...stranger, lastSentAt: 0 };
const addedByHand = { ...stranger, addedAt: 0 };

const withRules = (rules: Partial<AliasRules>) => ({ rules: { ...AliasRules.none, ...rules } });
const writtenTo = withRules({ acceptFrom: "written_to" });
const refused = (reason: string) => ({ blocking: "reject", reason });

describe("the rules of the alias", () => {
  test.each([
    ["everybody: anyone", withRules({}), bob, stranger, null],
    ["everybody: no author", withRules({}), null, null, null],
    ["written to: a stranger", writtenTo, bob, stranger, refused("not_written_to")],
    ["written to: not even a contact", writtenTo, bob, null, refused("not_written_to")],
    ["written to: an addressee", writtenTo, bob, addressee, null],
    ["written to: added by hand", writtenTo, bob, addedByHand, null],
    ["written to: no author", writtenTo, null, null, refused("not_written_to")],
    ["listed: nobody", withRules({ acceptFrom: "listed" }), bob, stranger, refused("not_listed")],
    ["listed: an addressee", withRules({ acceptFrom: "listed" }), bob, addressee, null],
    ["listed: no author", withRules({ acceptFrom: "listed" }), null, null, refused("not_listed")],
  ])("%s", (_, alias, author, contact, expected) => {
    expect(blockedFor(alias, author, contact, false)).toEqual(expected);
  });

  test.each([
    ["bob@sender.example", true],
    ["BOB@sender.example", true],
    ["sender.example", true],
    ["eve@sender.example", false],
    ["mail.sender.example", false],
    ["other.example", false],
  ])("listed: whether %s covers Bob", (text, covers) => {
    const senders = [valueOf(parseSender("first.example")), valueOf(parseSender(text))];
    const listed = withRules({ acceptFrom: "listed", senders });
    expect(blockedFor(listed, bob, stranger, false)).toEqual(covers ? null : refused("not_listed"));
    const ignored = withRules({ acceptFrom: "written_to", senders });
    expect(blockedFor(ignored, bob, stranger, false)).toEqual(refused("not_written_to"));
  });

  test("listed: a domain covers its subdomains", () => {
    const listed = withRules({ acceptFrom: "listed", senders: [valueOf(parseSender("sender.example"))] });
    expect(blockedFor(listed, address("bob@mail.sender.example"), null, false)).toBeNull();
    expect(blockedFor(listed, address("bob@notsender.example"), null, false)).toEqual(refused("not_listed"));
  });
});

test("what the owner decided about the contact comes before blocked senders, and these before the rules", () => {
  const discarded = { ...addressee, blocking: "discard" } as const;
  const ofContact = { blocking: "discard", reason: "contact_blocked" };
  expect(blockedFor(writtenTo, bob, discarded, true)).toEqual(ofContact);
  expect(blockedFor(withRules({}), bob, discarded, false)).toEqual(ofContact);
  expect(blockedFor(writtenTo, bob, stranger, true)).toEqual(refused("sender_blocked"));
  expect(blockedFor(withRules({}), bob, addressee, true)).toEqual(refused("sender_blocked"));
});
