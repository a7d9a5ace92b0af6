import { failureOf, valueOf } from "@postern/core/testing";
import { describe, expect, test, vi } from "vitest";
import { ACCOUNT, unavailable } from "./support/account.ts";
import { ALIAS, FROM_ME, headerOf, useConversation } from "./support/use-conversation.ts";
import { counted } from "./support/use-mail-plane.ts";

const { world, home, aliasId, send, reverseOfBob, contacts } = useConversation();

describe("a contact that is blocked", () => {
  const block = async (blocking: "reject" | "discard") => {
    const contact = (await contacts()).find(({ email }) => email === "bob@sender.example");
    const target = {
      account: ACCOUNT,
      aliasId: aliasId(),
      contactId: contact?.id ?? expect.fail("no contact"),
    };
    valueOf(await world.service().updateContact({ ...target, blocking }));
  };
  const fromBob = async (to: readonly string[]) =>
    world
      .plane()
      .receiveMessage(
        await world.mail(to, { header: headerOf({ From: "Bob <BOB@sender.example>", To: ALIAS }) }),
      );

  test.each([
    ["reject", { code: "sender_blocked" }],
    ["discard", null],
  ] as const)("(%s) reaches nobody, and counts", async (blocking, expected) => {
    await reverseOfBob();
    await block(blocking);
    const result = await fromBob([ALIAS]);
    expect(result.isOk() ? result.value : result.error).toEqual(expected);
    expect(await world.queued()).toEqual([]);
    valueOf(await world.plane().countOutcomes());
    expect(counted(await world.tallies(aliasId()))).toEqual({ sent: 1, blocked: 1 });
  });

  test("at one alias reaches another one", async () => {
    const other = await world.alias("other@alias.example", [await world.recipient("you@home.example")]);
    await reverseOfBob();
    await block("reject");
    valueOf(await fromBob([ALIAS, "other@alias.example"]));
    expect((await world.queued()).map(({ copy }) => copy.to)).toEqual(["you@home.example"]);
    expect(counted(await world.tallies(aliasId()))).toMatchObject({ blocked: 1 });
    expect(counted(await world.tallies(other))).toEqual({});
  });

  test("can still be written to", async () => {
    const to = await reverseOfBob();
    await block("reject");
    const sent = await send([to], { ...FROM_ME, To: to }, { returnPath: "me@home.example" });
    expect(sent.map(({ envelope }) => envelope.to)).toEqual(["bob@sender.example"]);
  });
});

describe("a sender that the account has blocked", () => {
  const block = async (sender: string, account = ACCOUNT) =>
    valueOf(await world.service().blockSender({ account, sender }));
  const fromBob = async (to: readonly string[], plane = world.plane()) => {
    const header = headerOf({ From: "Bob <Bob@mail.sender.example>", To: to.join(", ") });
    return plane.receiveMessage(await world.mail(to, { header }));
  };
  const forwarded = async () => (await world.queued()).map(({ copy }) => copy.to);

  test.each(["bob@mail.sender.example", "mail.sender.example", "sender.example"])(
    "(%s) reaches none of the account's aliases, and counts, until it is unblocked",
    async (sender) => {
      const other = await world.alias("other@alias.example", [home()]);
      const { id: blockedSenderId } = await block(sender);
      expect(failureOf(await fromBob([ALIAS, "other@alias.example"]))).toEqual({ code: "sender_blocked" });
      expect(await forwarded()).toEqual([]);
      for (const id of [aliasId(), other]) {
        expect(counted(await world.tallies(id))).toEqual({ blocked: 1 });
      }
      valueOf(await world.service().unblockSender({ account: ACCOUNT, blockedSenderId }));
      valueOf(await fromBob([ALIAS]));
      expect(await forwarded()).toEqual(["me@home.example"]);
      expect(counted(await world.tallies(aliasId()))).toEqual({ blocked: 1 });
    },
  );

  test.each(["eve@mail.sender.example", "other.mail.sender.example", "ender.example"])(
    "(%s) does not stop anybody else",
    async (sender) => {
      await block(sender);
      valueOf(await fromBob([ALIAS]));
      expect(await forwarded()).toEqual(["me@home.example"]);
    },
  );

  test("reaches the aliases of other accounts", async () => {
    const you = await world.recipient("you@home.example", "account-2");
    await world.alias("other@alias.example", [you], "account-2");
    await block("sender.example");
    valueOf(await fromBob([ALIAS, "other@alias.example"]));
    expect(await forwarded()).toEqual(["you@home.example"]);
    expect(counted(await world.tallies(aliasId()))).toEqual({ blocked: 1 });
  });

  test("is matched against the author of a message, not against others that it names", async () => {
    await block("named.example");
    const header = headerOf({ From: "bob@sender.example", To: ALIAS, Cc: "eve@named.example" });
    valueOf(await world.plane().receiveMessage(await world.mail([ALIAS], { header })));
    expect(await forwarded()).toEqual(["me@home.example"]);
  });

  test("is not told so if it is also a contact whose mail is discarded", async () => {
    valueOf(await fromBob([ALIAS]));
    const [contact] = await contacts();
    const contactId = contact?.id ?? expect.fail("no contact");
    valueOf(
      await world
        .service()
        .updateContact({ account: ACCOUNT, aliasId: aliasId(), contactId, blocking: "discard" }),
    );
    await block("sender.example");
    expect(valueOf(await fromBob([ALIAS]))).toBeNull();
    expect(counted(await world.tallies(aliasId()))).toEqual({ blocked: 1 });
  });

  test("can still be written to", async () => {
    const to = await reverseOfBob();
    await block("sender.example");
    const sent = await send([to], { ...FROM_ME, To: to }, { returnPath: "me@home.example" });
    expect(sent.map(({ envelope }) => envelope.to)).toEqual(["bob@sender.example"]);
  });

  test("is looked up once, with the contacts, and by its domain if the address is not valid", async () => {
    const store = world.store();
    const meet = vi.fn(store.contacts.meet);
    const plane = world.plane({ store: { ...store, contacts: { ...store.contacts, meet } }, timeoutMs: 700 });
    const asked = () => meet.mock.calls.map(([, { author }, , timeLeft]) => [author, timeLeft]);
    valueOf(await fromBob([ALIAS], plane));
    expect(asked()).toEqual([["Bob@mail.sender.example", 700]]);
    // The first address is not valid, and Postern makes the second one, so nobody can have either.
    for (const author of ["a..b@mail.sender.example", `r-${"a".repeat(26)}@alias.example`]) {
      const header = headerOf({ From: author, To: `${ALIAS}, eve@other.example` });
      valueOf(await plane.receiveMessage(await world.mail([ALIAS], { header })));
    }
    expect(asked().slice(1)).toEqual([
      ["mail.sender.example", 700],
      ["alias.example", 700],
    ]);
  });

  test("may be anybody if the store does not respond, so the client has to try again", async () => {
    const plane = world.withContacts({ meet: unavailable });
    expect(failureOf(await fromBob([ALIAS], plane))).toEqual({ code: "unavailable" });
    expect(await forwarded()).toEqual([]);
    expect(counted(await world.tallies(aliasId()))).toEqual({});
  });
});
