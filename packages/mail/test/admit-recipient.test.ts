import { Alias, EmailAddress, err, NO_LIMITS, newCopyId, newSpoolId, parseRecipientIds } from "@postern/core";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { bounceAddress } from "../src/message/bounce-address.ts";
import { ACCOUNT, unavailable } from "./support/account.ts";
import { ALIAS, address } from "./support/mail.ts";
import { counted, useMailPlane } from "./support/use-mail-plane.ts";

const world = useMailPlane();
const admit = (text: string) => world.plane().admitRecipient(text);

const shop = async () => {
  const home = await world.recipient("me@home.example");
  return { home, id: await world.alias("shop@alias.example", [home]) };
};

/** An alias from before its name was reserved. */
const reservedAlias = async (email: string) => {
  const home = await world.recipient("me@home.example");
  const found = valueOf(await world.store().recipients.findAll(ALIAS.account, [home]));
  const alias = valueOf(
    Alias.create(
      { id: world.ports().ids.alias(), account: ALIAS.account, email: address(email), description: "" },
      valueOf(parseRecipientIds([home])),
      found,
      0,
    ),
  );
  valueOf(await world.store().aliases.create(alias, NO_LIMITS));
  return { kind: "alias", alias: { account: alias.account, id: alias.id, email: alias.email }, tag: null };
};

const DOMAIN = EmailAddress.domain(address("a@alias.example"));
const { random, hash } = testPorts().secrets;
const COPY = newCopyId(random);
/** As copies were sent from before there was a proof, and with a proof that is forged. */
const BOUNCE = `b-${COPY}@alias.example`;
const FORGED = bounceAddress(() => hash("another key"), { copy: COPY, spool: newSpoolId(random) }, DOMAIN);
const REVERSE = `r-${"a".repeat(26)}@alias.example`;

describe("admitRecipient", () => {
  test("admits mail to an alias, however its address is written", async () => {
    const { id } = await shop();
    const alias = { account: ACCOUNT, id, email: "shop@alias.example" };
    for (const [text, tag] of [
      ["shop@alias.example", null],
      ["SHOP@ALIAS.EXAMPLE", null],
      ["shop+News+x@alias.example", "News+x"],
    ] as const) {
      expect(valueOf(await admit(text))).toEqual({ kind: "alias", alias, tag });
    }
    expect(counted(await world.tallies(id))).toEqual({});
  });

  test("unknown, deleted and erased aliases look the same, and count nothing", async () => {
    const { id } = await shop();
    const unknown = await admit("nobody@alias.example");
    expect(failureOf(unknown)).toEqual({ code: "recipient_not_found" });
    await world.service().deleteAlias({ account: ACCOUNT, aliasId: id });
    expect(await admit("shop@alias.example")).toEqual(unknown);
    expect(counted(await world.tallies(id))).toEqual({});
    await world.service().eraseAlias({ account: ACCOUNT, aliasId: id });
    expect(await admit("shop@alias.example")).toEqual(unknown);
  });

  describe.each([
    [
      "switched off",
      (aliasId: string) => world.service().updateAlias({ account: ACCOUNT, aliasId, active: false }),
    ],
    ["of a suspended account", () => world.service().suspendAccount({ account: ACCOUNT })],
  ])("an alias that is %s", (_, stop) => {
    test("is refused, and each message counts", async () => {
      const { id } = await shop();
      await stop(id);
      for (const text of ["shop@alias.example", "Shop+x@alias.example"]) {
        expect(failureOf(await admit(text))).toEqual({ code: "recipient_inactive" });
      }
      await world.service().resumeAccount({ account: ACCOUNT });
      expect(counted(await world.tallies(id))).toEqual({ blocked: 2 });
    });

    test("silently discards mail if configured to, and counts it too", async () => {
      const { id } = await shop();
      await stop(id);
      const plane = world.plane({ inactive: "discard" });
      expect(valueOf(await plane.admitRecipient("shop@alias.example"))).toEqual({
        kind: "discard",
      });
      await world.service().resumeAccount({ account: ACCOUNT });
      expect(counted(await world.tallies(id))).toEqual({ blocked: 1 });
    });

    test.each(["reject", "discard"] as const)(
      "is unavailable if the message cannot be counted, even with %s",
      async (inactive) => {
        const { id } = await shop();
        await stop(id);
        const plane = world.withAliases({ recordOutcome: unavailable }, { inactive });
        expect(failureOf(await plane.admitRecipient("shop@alias.example"))).toEqual({ code: "unavailable" });
      },
    );

    test("is refused if it is erased before the message is counted", async () => {
      const { id } = await shop();
      await stop(id);
      const plane = world.withAliases({
        recordOutcome: async () => err({ code: "alias_not_found" } as const),
      });
      expect(failureOf(await plane.admitRecipient("shop@alias.example"))).toEqual({
        code: "recipient_inactive",
      });
    });
  });

  test.each([
    ["another domain", "shop@other.example", "not_an_alias_domain"],
    ["a subdomain", "shop@sub.alias.example", "not_an_alias_domain"],
    ["no domain", "shop", "not_an_alias_domain"],
    ["nothing", "", "not_an_alias_domain"],
    ["an invalid address elsewhere", "a b@other.example", "not_an_alias_domain"],
    ["an invalid address here", "a b@Alias.example", "recipient_not_found"],
    ["the operator elsewhere", "postmaster@other.example", "not_an_alias_domain"],
  ])("refuses %s", async (_, text, code) => {
    expect(failureOf(await admit(text))).toEqual({ code });
  });

  test.each([
    ["postmaster", "postmaster@alias.example"],
    ["PostMaster", "postmaster@alias.example"],
    ["Postmaster@Second.example", "Postmaster@second.example"],
    ["abuse@alias.example", "abuse@alias.example"],
    ["abuse+report@alias.example", "abuse+report@alias.example"],
  ])("%s is for the operator", async (text, email) => {
    expect(valueOf(await admit(text))).toEqual({ kind: "postmaster", address: email });
  });

  test("the sender of the verification messages takes reports", async () => {
    expect(valueOf(await admit("Hello@alias.example"))).toEqual({
      kind: "report",
      copy: null,
      elsewhere: null,
      address: "Hello@alias.example",
    });
    const plane = world.plane({ verificationSender: undefined });
    expect(failureOf(await plane.admitRecipient("hello@alias.example"))).toEqual({
      code: "recipient_not_found",
    });
  });

  test("reports about a copy are admitted while it is remembered, regardless of case", async () => {
    await shop();
    const spool = world.spool().id;
    const forgotten = bounceAddress(hash, { copy: COPY, spool }, DOMAIN);
    expect(failureOf(await admit(forgotten))).toEqual({ code: "recipient_not_found" });
    valueOf(await world.plane().receiveMessage(await world.mail(["shop@alias.example"])));
    for (const { copy } of await world.queued()) {
      const text = bounceAddress(
        hash,
        { copy: copy.id, spool },
        EmailAddress.domain(address("a@second.example")),
      );
      for (const each of [text, text.toUpperCase(), `b-${copy.id}@alias.example`]) {
        const to = { copy: copy.id, elsewhere: null, address: address(each) };
        expect(valueOf(await admit(each))).toEqual({ kind: "report", ...to });
      }
    }
  });

  test("reports about a copy of another server are admitted if the address proves that there is one", async () => {
    const other = { copy: COPY, spool: newSpoolId(random) };
    const proven = bounceAddress(hash, other, DOMAIN);
    const elsewhere = other.spool.slice(0, 8);
    for (const text of [proven, proven.toUpperCase()]) {
      const to = { copy: COPY, elsewhere, address: address(text) };
      expect(valueOf(await admit(text))).toEqual({ kind: "report", ...to });
    }
    for (const forged of [BOUNCE, FORGED, proven.replace(COPY, newCopyId(random))]) {
      expect(failureOf(await admit(forged))).toEqual({ code: "recipient_not_found" });
    }
  });

  test("a reverse address that stands for no contact is not found", async () => {
    expect(failureOf(await admit(REVERSE))).toEqual({ code: "recipient_not_found" });
  });

  test.each([BOUNCE, FORGED, REVERSE])(
    "an alias from before %s was reserved gets its mail",
    async (email) => {
      const admitted = await reservedAlias(email);
      expect(valueOf(await admit(email))).toEqual(admitted);
    },
  );

  test("is unavailable if the store or the spool is", async () => {
    await shop();
    const store = world.withAliases({ findByEmail: unavailable });
    expect(failureOf(await store.admitRecipient("shop@alias.example"))).toEqual({ code: "unavailable" });
    const spool = world.withSpool({ find: unavailable });
    expect(failureOf(await spool.admitRecipient(BOUNCE))).toEqual({ code: "unavailable" });
    expect((await spool.admitRecipient("shop@alias.example")).isOk()).toBe(true);
  });
});
