import { setImmediate } from "node:timers/promises";
import {
  type Cause,
  err,
  LINK_LIFETIME,
  ok,
  parseDomain,
  postern,
  type Recipient,
  type RecipientId,
  type Unavailable,
} from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import {
  type MailPlane,
  type MailPlanePorts,
  queuedVerificationMail,
  RELAY_PAUSE,
  type Spool,
  VERIFICATION_LIFETIME,
  type VerificationWriter,
} from "@postern/mail";
import { describe, expect, test, vi } from "vitest";
import { copyOfBounceAddress } from "../src/message/bounce-address.ts";
import { ACCOUNT } from "./support/account.ts";
import { BUSY, REFUSED, UNUSABLE } from "./support/fake-relay.ts";
import { contentOf, useMailPlane } from "./support/use-mail-plane.ts";

const MINUTE = 60_000;
const ADDRESS = "ada@home.example";

const world = useMailPlane();

const unavailable = async () => err<never, Unavailable>({ code: "unavailable" });

const writer: Pick<VerificationWriter, "write"> = {
  write: ({ to, token }) => ({
    header: `From: hello@alias.example\r\nTo: ${to}\r\n`,
    body: Buffer.from(`${token}\r\n`),
  }),
};

const domain = valueOf(parseDomain("alias.example"));

const mailThrough = (changed: Partial<Spool> = {}) =>
  queuedVerificationMail({
    spool: { ...world.spool(), ...changed },
    writer,
    ...world.ports(),
    domain,
  });

const serviceWith = (verificationMail = mailThrough()) =>
  postern({ store: world.store(), aliasDomains: ["alias.example"], ...world.ports(), verificationMail });

const add = async (email = ADDRESS) =>
  valueOf(await serviceWith().addRecipient({ account: ACCOUNT, email })).recipient.id;

const recipient = async (recipientId: RecipientId): Promise<Recipient> =>
  valueOf(await serviceWith().getRecipient({ account: ACCOUNT, recipientId }));

/** The only message that waits, and the link in it. */
const inSpool = async () => {
  const [due, ...others] = valueOf(await world.spool().take(world.ports().clock.now(), 10, [])).copies;
  if (due === undefined || others.length > 0) return expect.unreachable("one message waits");
  const { id, nextAt } = due.copy;
  const again = { state: "queued", attempts: 0, nextAt, at: 1, reason: null, outcomes: [] } as const;
  valueOf(await world.spool().settle(id, again, null));
  return { copy: id, token: (await contentOf(due.body)).trim() };
};

/** Sends what is due, and records the outcomes. */
const open = (changed: Partial<MailPlanePorts> = {}) => {
  const plane = world.plane(changed);
  return async () => {
    const wasPaused = plane.forwardingPause() !== null;
    await plane.forwardCopies();
    await plane.finishForwarding();
    if (wasPaused) {
      // After the probe.
      await plane.forwardCopies();
      await plane.finishForwarding();
    }
    valueOf(await plane.countOutcomes());
  };
};

const sentTo = () => world.relay().sent.map(({ envelope: { to } }) => to);

test("a message waits in the spool, is sent as it was written, and its recipient says when", async () => {
  const added = valueOf(await serviceWith().addRecipient({ account: ACCOUNT, email: ADDRESS }));
  expect(added).toMatchObject({
    verification: "queued",
    recipient: { verificationSentAt: null, verificationDelivery: "queued" },
  });
  const { copy, token } = await inSpool();
  expect(world.ports().secrets.open(token)).toMatchObject({ recipientId: added.recipient.id });

  world.ports().clock.advance(MINUTE);
  const sentAt = world.ports().clock.now();
  await open()();
  const [sent] = world.relay().sent;
  expect(sent?.header).toMatch(/^DKIM-Signature: d=alias\.example\r\nFrom: hello@alias\.example\r\nTo: ada@/);
  expect(sent?.envelope.to).toBe(ADDRESS);
  expect(sent?.envelope.from && copyOfBounceAddress(sent.envelope.from)).toBe(copy);
  expect(await recipient(added.recipient.id)).toMatchObject({
    verificationSentAt: sentAt,
    verificationDelivery: null,
  });
  expect(valueOf(await world.spool().size())).toMatchObject({ queued: 0, uncounted: 0 });
});

test("a message is tried again for an hour, at growing intervals, and then its recipient says that it expired", async () => {
  const id = await add();
  world.relay().answer = () => BUSY;
  const begin = world.ports().clock.now();
  const pass = open();
  const attempts: number[] = [];
  for (let minute = 0; minute <= 75; minute += 1) {
    const before = sentTo().length;
    await pass();
    if (sentTo().length > before) attempts.push(world.ports().clock.now() - begin);
    if (minute < 60) expect((await recipient(id)).verificationDelivery).toBe("queued");
    world.ports().clock.advance(MINUTE);
  }
  expect(attempts.length).toBeGreaterThanOrEqual(5);
  expect(attempts.at(-1)).toBe(VERIFICATION_LIFETIME);
  expect(await recipient(id)).toMatchObject({ verificationSentAt: null, verificationDelivery: "expired" });
});

test("a message that is accepted at a later attempt counts as sent", async () => {
  const id = await add();
  const pass = open();
  world.relay().answer = () => BUSY;
  await pass();
  world.relay().answer = () => ({ kind: "accepted" });
  world.ports().clock.advance(2 * MINUTE);
  await pass();
  expect(await recipient(id)).toMatchObject({
    verificationSentAt: world.ports().clock.now(),
    verificationDelivery: null,
  });
});

test("a message is refused for good by the relay, or by a report that comes later", async () => {
  world.relay().answer = () => REFUSED;
  const refused = await add();
  await open()();
  expect(await recipient(refused)).toMatchObject({
    verificationSentAt: null,
    verificationDelivery: "refused",
  });

  world.relay().answer = () => ({ kind: "accepted" });
  const bounced = await add("grace@work.example");
  await open()();
  const { verificationSentAt, verificationDelivery } = await recipient(bounced);
  expect(verificationDelivery).toBeNull();
  const [from] = world
    .relay()
    .sent.flatMap(({ envelope }) => envelope.from ?? [])
    .slice(-1);
  const copy = (from && copyOfBounceAddress(from)) ?? expect.unreachable("reports return to it");
  valueOf(await world.spool().report(copy, "delivered", 1, null, null));
  valueOf(await world.spool().report(copy, "complaint", 1, null, null));
  await open()();
  expect((await recipient(bounced)).verificationDelivery).toBeNull();
  valueOf(await world.spool().report(copy, "bounced", 1, null, null));
  await open()();
  expect(await recipient(bounced)).toMatchObject({ verificationSentAt, verificationDelivery: "refused" });
});

test("refused verification messages do not stop the mail of aliases, however many there are", async () => {
  const home = await world.recipient("me@home.example");
  await world.alias("shop@alias.example", [home]);
  world.relay().answer = ({ envelope: { to } }) => (to.startsWith("nobody") ? REFUSED : { kind: "accepted" });
  for (let n = 0; n < 20; n += 1) await add(`nobody-${n}@home.example`);
  const pass = open();
  // The messages of one account get half of the places.
  for (let calls = 0; calls < 2; calls += 1) await pass();
  expect(sentTo()).toHaveLength(20);
  valueOf(await world.plane().receiveMessage(await world.mail(["shop@alias.example"])));
  await pass();
  expect(sentTo().at(-1)).toBe("me@home.example");
});

describe("while the relay is down", () => {
  const HOUR = 60 * MINUTE;
  /** Tries again whenever the relay is due to be tried, for this long. */
  const waitFor = async (milliseconds: number, pass: () => Promise<void>) => {
    for (let waited = 0; waited < milliseconds; waited += RELAY_PAUSE) {
      await pass();
      world.ports().clock.advance(RELAY_PAUSE);
    }
  };
  const resend = async (recipientId: RecipientId) =>
    valueOf(await serviceWith().resendVerification({ account: ACCOUNT, recipientId })).verification;

  test("a message waits longer than an hour, its recipient says so, and another one can be requested", async () => {
    const id = await add();
    const { copy: first, token: firstLink } = await inSpool();
    world.relay().answer = () => UNUSABLE;
    const pass = open();
    await waitFor(2 * HOUR, pass);
    expect(await recipient(id)).toMatchObject({ verificationSentAt: null, verificationDelivery: "queued" });
    expect(valueOf(await world.spool().find(first))?.copy).toMatchObject({ state: "queued", attempts: 0 });

    expect(await resend(id)).toBe("queued");
    world.relay().answer = () => ({ kind: "accepted" });
    const before = sentTo().length;
    world.ports().clock.advance(RELAY_PAUSE);
    await pass();
    expect(sentTo().slice(before)).toEqual([ADDRESS]);
    expect(valueOf(await world.spool().find(first))?.copy.state).toBe("dropped");
    expect(await recipient(id)).toMatchObject({
      verificationSentAt: world.ports().clock.now(),
      verificationDelivery: null,
    });
    expect(failureOf(await serviceWith().verifyRecipient({ token: firstLink })).code).toBe("link_invalid");
  });

  test("a message waits until its link expires; then its recipient says so, and another one is sent", async () => {
    const id = await add();
    world.relay().answer = () => UNUSABLE;
    const pass = open();
    await waitFor(LINK_LIFETIME, pass);
    expect((await recipient(id)).verificationDelivery).toBe("queued");
    await pass();
    expect(await recipient(id)).toMatchObject({ verificationSentAt: null, verificationDelivery: "expired" });
    expect(valueOf(await world.spool().size())).toMatchObject({ queued: 0, uncounted: 0 });

    expect(await resend(id)).toBe("queued");
    expect((await recipient(id)).verificationDelivery).toBe("queued");
    const { token } = await inSpool();
    world.relay().answer = () => ({ kind: "accepted" });
    world.ports().clock.advance(RELAY_PAUSE);
    await pass();
    expect((await recipient(id)).verificationSentAt).toBe(world.ports().clock.now());
    expect(valueOf(await serviceWith().verifyRecipient({ token })).verifiedAt).not.toBe(null);
  });
});

describe("a message is no longer sent", () => {
  test("once its link has expired: its recipient says so", async () => {
    const id = await add();
    world.relay().answer = () => UNUSABLE;
    const pass = open();
    await pass();
    world.ports().clock.advance(LINK_LIFETIME - 1);
    await pass();
    expect((await recipient(id)).verificationDelivery).toBe("queued");
    world.ports().clock.advance(MINUTE);
    await pass();
    expect(sentTo()).toHaveLength(1);
    expect((await recipient(id)).verificationDelivery).toBe("expired");
    expect(valueOf(await world.spool().size())).toMatchObject({ queued: 0, uncounted: 0 });
  });

  const reasons: Record<string, (id: RecipientId) => Promise<unknown>> = {
    "once a newer link has replaced it": async (recipientId) => {
      world.ports().clock.advance(MINUTE);
      return serviceWith().resendVerification({ account: ACCOUNT, recipientId });
    },
    "once a newer link was sent at once": async (recipientId) => {
      world.ports().clock.advance(MINUTE);
      const sentNow = await postern({
        store: world.store(),
        aliasDomains: ["alias.example"],
        ...world.ports(),
      }).resendVerification({ account: ACCOUNT, recipientId });
      expect(valueOf(sentNow).recipient).toMatchObject({
        verificationSentAt: world.ports().clock.now(),
        verificationDelivery: null,
      });
    },
    "once the recipient is verified": async () =>
      serviceWith().verifyRecipient({ token: (await inSpool()).token }),
    "once the recipient is removed": (recipientId) =>
      serviceWith().deleteRecipient({ account: ACCOUNT, recipientId }),
    "once the owner of the mailbox wants no more of them": async () =>
      serviceWith().suppressMailbox({ token: (await inSpool()).token }),
  };
  test.each(Object.keys(reasons))("%s", async (reason) => {
    const id = await add();
    const { copy: first } = await inSpool();
    await reasons[reason]?.(id);
    await open()();
    const newer = reason.includes("replaced") ? [ADDRESS] : [];
    expect(sentTo()).toEqual(newer);
    expect(valueOf(await world.spool().find(first))?.copy.state).toBe("dropped");
    expect(valueOf(await world.spool().size())).toMatchObject({ queued: 0, uncounted: 0 });
  });
});

describe("a message of a suspended account", () => {
  const suspended = async () => {
    const id = await add();
    valueOf(await serviceWith().suspendAccount({ account: ACCOUNT }));
    await open()();
    return id;
  };

  test("waits until the account is no longer suspended", async () => {
    const id = await suspended();
    expect(sentTo()).toEqual([]);
    valueOf(await serviceWith().resumeAccount({ account: ACCOUNT }));
    world.ports().clock.advance(RELAY_PAUSE);
    await open()();
    expect(sentTo()).toEqual([ADDRESS]);
    expect((await recipient(id)).verificationDelivery).toBe(null);
  });

  test("is given up after an hour: its recipient says so", async () => {
    const id = await suspended();
    world.ports().clock.advance(VERIFICATION_LIFETIME);
    await open()();
    expect(valueOf(await world.spool().size())).toMatchObject({ queued: 0, uncounted: 0 });
    valueOf(await serviceWith().resumeAccount({ account: ACCOUNT }));
    expect((await recipient(id)).verificationDelivery).toBe("expired");
    expect(sentTo()).toEqual([]);
  });
});

test("a message waits while the store cannot say whether it is still wanted", async () => {
  await add();
  const { recipients, mailLedger, suspensions } = world.store();
  for (const store of [
    { ...world.store(), suspensions: { ...suspensions, find: unavailable } },
    { ...world.store(), recipients: { ...recipients, find: unavailable } },
    { ...world.store(), mailLedger: { ...mailLedger, find: unavailable } },
  ]) {
    await open({ store })();
    expect(sentTo()).toEqual([]);
    expect(valueOf(await world.spool().size())).toMatchObject({ queued: 1, uncounted: 0 });
    // Other parts of the store respond, so not before a minute has passed.
    world.ports().clock.advance(MINUTE - 1);
    await open()();
    expect(sentTo()).toEqual([]);
    world.ports().clock.advance(1);
  }
  await open()();
  expect(sentTo()).toEqual([ADDRESS]);
});

describe("while the store does not respond", () => {
  /** The store, silent until the deadline of each call. Concurrent calls end at the same time. */
  const silentStore = () => {
    const { recipients, ...store } = world.store();
    let calls = 0;
    let silentUntil = 0;
    const find: typeof recipients.find = async (_account, _id, timeLeft = 60_000) => {
      calls += 1;
      const { clock } = world.ports();
      silentUntil = Math.max(silentUntil, clock.now() + timeLeft);
      await setImmediate();
      clock.advance(silentUntil - clock.now());
      return unavailable();
    };
    return { store: { ...store, recipients: { ...recipients, find } }, calls: () => calls };
  };
  /** Adds a verification message for each of this many accounts. */
  const addMany = async (count: number) => {
    for (let n = 0; n < count; n += 1) {
      valueOf(await serviceWith().addRecipient({ account: `other-${n}`, email: `new-${n}@home.example` }));
    }
  };

  test("other mail is sent within two seconds, however many messages wait, and the store is soon left alone for a minute", async () => {
    const home = await world.recipient("me@home.example");
    await world.alias("shop@alias.example", [home]);
    await addMany(120);
    const { store, calls } = silentStore();
    const forwardAll = async (plane: MailPlane) => {
      for (let next: number | null = 0; next !== null && next <= world.ports().clock.now(); ) {
        next = valueOf(await plane.forwardCopies());
        await plane.finishForwarding();
      }
    };
    const plane = world.plane({ store });
    for (let minute = 0; minute < 3; minute += 1) {
      const begun = world.ports().clock.now();
      const before = sentTo().length;
      for (let n = 0; n < 5; n += 1) {
        valueOf(await world.plane().receiveMessage(await world.mail(["shop@alias.example"])));
      }
      await forwardAll(plane);
      expect(sentTo().slice(before)).toEqual(Array.from({ length: 5 }, () => "me@home.example"));
      expect(world.ports().clock.now() - begun).toBeLessThanOrEqual(2_000);
      expect(calls()).toBeLessThanOrEqual(10 * (minute + 1));
      world.ports().clock.advance(MINUTE);
    }
    expect(valueOf(await world.spool().size()).queued).toBe(120);

    world.ports().clock.advance(MINUTE);
    await world.forward(world.plane());
    expect(sentTo()).toHaveLength(135);
  });

  test("a clock that is set back does not make other messages wait until it has caught up", async () => {
    await addMany(20);
    const { store } = silentStore();
    let isSilent = true;
    const find: typeof store.recipients.find = (...input) =>
      isSilent ? store.recipients.find(...input) : world.store().recipients.find(...input);
    const plane = world.plane({ store: { ...store, recipients: { ...store.recipients, find } } });
    await world.forward(plane);
    isSilent = false;
    world.ports().clock.advance(-60 * MINUTE);
    const added = await add();
    await world.forward(plane);
    expect(await recipient(added)).toMatchObject({ verificationDelivery: "queued" });
    expect(sentTo()).toEqual([ADDRESS]);
  });
});

test("a recipient that cannot be read holds up no message to others", async () => {
  const damaged = await add("damaged@home.example");
  for (let n = 0; n < 15; n += 1) await add(`new-${n}@home.example`);
  const { recipients, ...store } = world.store();
  const find: typeof recipients.find = (account, id, timeLeft) =>
    id === damaged ? unavailable() : recipients.find(account, id, timeLeft);
  await world.forward(world.plane({ store: { ...store, recipients: { ...recipients, find } } }));
  expect(sentTo()).toHaveLength(15);
  expect(valueOf(await world.spool().size()).queued).toBe(1);
});

test("a message is wanted even if nothing is known about its mailbox", async () => {
  await add();
  const mailLedger = { ...world.store().mailLedger, find: async () => ok([]) };
  await open({ store: { ...world.store(), mailLedger } })();
  expect(sentTo()).toEqual([ADDRESS]);
});

test("a message is stored as it was written, with its size", async () => {
  await add();
  const { copy } = await inSpool();
  const found = valueOf(await world.spool().find(copy));
  const [due] = await world.queued();
  const header = `From: hello@alias.example\r\nTo: ${ADDRESS}\r\n`;
  expect(found?.message).toMatchObject({ origin: "own", header });
  expect(found?.message.size).toBe(header.length + 2 + (due?.body.size ?? 0));
});

test("that a message is no longer wanted is stored later if it could not be stored at once", async () => {
  const id = await add();
  valueOf(await serviceWith().deleteRecipient({ account: ACCOUNT, recipientId: id }));
  let fails = true;
  const { settle } = world.spool();
  const settling = vi.fn<Spool["settle"]>((...args) => (fails ? unavailable() : settle(...args)));
  const plane = world.withSpool({ settle: settling });
  await plane.forwardCopies();
  expect(valueOf(await world.spool().size()).queued).toBe(1);
  fails = false;
  for (let calls = 0; calls < 2; calls += 1) await plane.forwardCopies();
  expect(settling).toHaveBeenCalledTimes(2);
  expect(valueOf(await world.spool().size()).queued).toBe(0);
  expect(sentTo()).toEqual([]);
});

test("a spool that fails leaves the copies in it", async () => {
  await add();
  const plane = world.withSpool({ take: unavailable });
  expect(failureOf(await plane.forwardCopies())).toEqual({ code: "unavailable" });
  await open()();
  expect(sentTo()).toEqual([ADDRESS]);
});

test("an outcome is told again until the recipient can be saved, and dropped if the recipient is gone", async () => {
  const id = await add();
  const plane = world.plane({
    store: { ...world.store(), recipients: { ...world.store().recipients, save: unavailable } },
  });
  await plane.forwardCopies();
  await plane.finishForwarding();
  expect(failureOf(await plane.countOutcomes())).toMatchObject({ code: "unavailable" });
  valueOf(await serviceWith().deleteRecipient({ account: ACCOUNT, recipientId: id }));
  expect(valueOf(await world.spool().size()).uncounted).toBe(1);
  expect(valueOf(await world.plane().countOutcomes())).toBe(null);
  expect(valueOf(await world.spool().size()).uncounted).toBe(0);
});

describe("a message that is not stored", () => {
  const full = async () => err({ code: "spool_full" } as const);
  test.each<[string, Partial<Spool>, string]>([
    ["because its body has no space", { receive: full }, "not_sent"],
    ["because its body cannot be received", { receive: unavailable }, "not_sent"],
    ["because the spool is full", { keep: full }, "not_sent"],
    ["as far as is known", { keep: unavailable }, "unavailable"],
  ])("%s", async (_, changed, code) => {
    const mail = mailThrough(changed);
    const added = valueOf(await serviceWith(mail).addRecipient({ account: ACCOUNT, email: ADDRESS }));
    expect(added).toMatchObject({ verification: "not_sent", recipient: { verificationDelivery: null } });
    expect(valueOf(await world.spool().size())).toMatchObject({ queued: 0, bytes: 0 });
    const again = await serviceWith().resendVerification({
      account: ACCOUNT,
      recipientId: added.recipient.id,
    });
    expect(again.isOk()).toBe(code === "not_sent");
  });

  test.each<[string, Spool["receive"], Cause | undefined]>([
    ["has no space", full, { source: "mail", reason: "the spool has no space for a verification message" }],
    [
      "does not work",
      async () => err({ code: "unavailable", cause: { source: "disk", reason: "EIO" } }),
      { source: "disk", reason: "EIO" },
    ],
  ])("says why, if the spool %s", async (_, receive, cause) => {
    const { account, email: to } = await recipient(await add());
    const { token } = await inSpool();
    expect(failureOf(await mailThrough({ receive }).send({ account, to, token }))).toEqual({
      code: "not_sent",
      cause,
    });
  });

  test("because its link is not ours", async () => {
    const { account, email: to } = await recipient(await add());
    const sent = await mailThrough().send({ account, to, token: "forged" });
    expect(failureOf(sent)).toMatchObject({ code: "not_sent" });
  });
});
