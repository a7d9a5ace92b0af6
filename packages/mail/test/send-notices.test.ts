import { err, newCopyId, newMessageId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { COPY_LIFETIME, Copy, RELAY_PAUSE } from "@postern/mail";
import { describe, expect, test, vi } from "vitest";
import { ACCOUNT } from "./support/account.ts";
import { ACCEPTED, BUSY, fakeSigner, REFUSED } from "./support/fake-relay.ts";
import { address } from "./support/mail.ts";
import { MINUTE, useForwarding } from "./support/use-forwarding.ts";

const { world, use, messageTo, forwardAll, tallies, recipientsOfAttempts } = useForwarding();

describe("notices to senders of messages that failed", () => {
  test("tells the sender, with the null return path, once all recipients of the alias have failed", async () => {
    const alias = await messageTo(["a@home.example", "b@home.example"]);
    world.relay().answer = ({ envelope }) => (envelope.to === "a@home.example" ? REFUSED : BUSY);
    await forwardAll();
    expect(await tallies(alias)).toEqual({ bounced: 1 });
    world.relay().answer = ({ envelope }) => (envelope.from === null ? ACCEPTED : REFUSED);
    world.ports().clock.advance(2 * MINUTE);
    const sign = vi.fn(fakeSigner.sign);
    use(world.plane({ signer: { sign } }));
    await forwardAll();
    expect(await tallies(alias)).toEqual({ bounced: 2 });
    await forwardAll();
    // The notice was not received, so there is nothing for an ARC set.
    expect(sign.mock.lastCall?.[0].authentication).toBe(null);
    const notice = world.relay().sent.at(-1);
    expect(notice?.envelope).toEqual({ from: null, to: "bob@sender.example" });
    expect(notice?.header).toMatch(/^DKIM-Signature: d=alias.example\r\nFrom: /);
    expect(await forwardAll()).toEqual({ copies: 0, nextAt: null });
  });

  test("tells the sender even if the last copy was only put off for five days", async () => {
    const alias = await messageTo(["a@home.example"]);
    world.relay().answer = ({ envelope }) => (envelope.from === null ? ACCEPTED : BUSY);
    world.ports().clock.advance(COPY_LIFETIME);
    expect(await forwardAll()).toEqual({ copies: 2, nextAt: null });
    expect(recipientsOfAttempts()).toEqual(["a@home.example", "bob@sender.example"]);
    expect(await tallies(alias)).toEqual({ bounced: 1 });
  });

  test("a notice that cannot be delivered causes no other notice", async () => {
    await messageTo(["a@home.example"]);
    world.relay().answer = () => REFUSED;
    await forwardAll();
    await forwardAll();
    expect(recipientsOfAttempts()).toEqual(["a@home.example", "bob@sender.example"]);
    expect(await forwardAll()).toEqual({ copies: 0, nextAt: null });
  });

  test("a notice without a valid author is put off, not sent unsigned", async () => {
    const { random } = world.ports().secrets;
    const [message, now] = [newMessageId(random), world.ports().clock.now()];
    const identity = { id: newCopyId(random), message, to: address("bob@sender.example") };
    valueOf(
      await world.spool().keep({
        message: { origin: "own", id: message, createdAt: now, header: "", size: 9 },
        body: await world.body(),
        copies: [Copy.create({ ...identity, purpose: { kind: "notice", alias: null } }, now)],
      }),
    );
    expect((await forwardAll()).nextAt).toBeGreaterThan(now);
    expect(world.relay().sent).toEqual([]);
  });
});

/* Otherwise nothing would ever leave a spool that is full of such mail. */
describe("a full spool", () => {
  const full = async () => err({ code: "spool_full" } as const);

  test.each([
    [
      "is refused",
      async () => {
        world.relay().answer = ({ envelope }) => (envelope.from === null ? BUSY : REFUSED);
      },
      ["bob@sender.example"],
    ],
    ["waits for too long", async () => world.ports().clock.advance(COPY_LIFETIME), ["bob@sender.example"]],
    [
      "is for an alias that is gone",
      async (aliasId: string) =>
        void valueOf(await world.service().deleteAlias({ account: ACCOUNT, aliasId })),
      [],
    ],
  ] as const)("gets rid of mail that %s, and sends the notices due", async (_, happens, notices) => {
    const alias = await messageTo(["a@home.example"]);
    world.relay().answer = () => BUSY;
    use(world.withSpool({ receive: full, keep: full }));
    await forwardAll();
    await happens(alias);
    world.ports().clock.advance(2 * MINUTE);
    await forwardAll();
    const queued = await world.queued();
    expect(queued.map(({ copy }) => copy.to)).toEqual(notices);
    expect(queued.map(({ copy }) => copy.purpose.kind)).toEqual(notices.map(() => "notice"));
  });
});

describe("a disk that has no room for a notice", () => {
  const withoutRoom = () => {
    const { settle } = world.spool();
    return world.withSpool({
      settle: async (id, settlement, notice) =>
        notice === null ? settle(id, settlement, null) : err({ code: "spool_full" }),
    });
  };

  test.each([
    ["was refused", async () => {}],
    [
      "is for an alias that is gone",
      async (aliasId: string) =>
        void valueOf(await world.service().deleteAlias({ account: ACCOUNT, aliasId })),
    ],
  ] as const)("holds up nothing but mail that %s, until there is room", async (_, happens) => {
    const alias = await messageTo(["a@home.example"]);
    world.relay().answer = () => BUSY;
    await forwardAll();
    await happens(alias);
    world.relay().answer = ({ envelope }) => (envelope.to === "a@home.example" ? REFUSED : ACCEPTED);
    await messageTo(["b@home.example"], "other@alias.example");
    use(withoutRoom());
    world.ports().clock.advance(2 * MINUTE);
    await forwardAll();
    expect(recipientsOfAttempts()).toContain("b@home.example");
    expect((await world.queued()).map(({ copy }) => copy.to)).toEqual(["a@home.example"]);
    expect(await tallies(alias)).toEqual({});
    use(world.plane());
    world.ports().clock.advance(RELAY_PAUSE);
    await forwardAll();
    expect(await world.queued()).toEqual([]);
  });
});
