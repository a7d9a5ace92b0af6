import { memoryStore } from "@postern/adapter-memory";
import {
  type AccountLimits,
  err,
  ok,
  postern,
  Recipient,
  type Store,
  type VerificationMail,
} from "@postern/core";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const MAILBOX = "stranger@home.example";

const open = ({
  limits,
  store = memoryStore(),
  send,
}: {
  limits?: Partial<AccountLimits>;
  store?: Store;
  send?: VerificationMail["send"];
} = {}) => {
  const ports = testPorts();
  const service = postern({
    store,
    aliasDomains: ["alias.example"],
    limits,
    ...ports,
    ...(send && { verificationMail: { send } }),
  });
  const add = (account: string, email = MAILBOX) => service.addRecipient({ account, email });
  const remove = async (account: string, recipientId: string) =>
    valueOf(await service.deleteRecipient({ account, recipientId }));
  const all = async (account: string) => valueOf(await service.listRecipients({ account })).items;
  return { ports, store, service, add, remove, all };
};

describe("messages to one mailbox", () => {
  test("deleting a recipient and adding it again does not reset the limits", async () => {
    const { ports, add, remove, all } = open();
    const { recipient } = valueOf(await add("mallory"));
    await remove("mallory", recipient.id);
    ports.clock.advance(1000);
    expect(failureOf(await add("mallory"))).toEqual({ code: "rate_limited", retryAfter: MINUTE - 1000 });
    expect(await all("mallory")).toEqual([]);
    ports.clock.advance(MINUTE - 1000);
    expect((await add("mallory")).isOk()).toBe(true);
    expect(ports.outbox).toHaveLength(2);
  });

  test.each([
    ["another account", "mallory-2", MAILBOX],
    ["a subaddress", "mallory", "stranger+1@home.example"],
    ["a subaddress of a subaddress", "mallory-2", "stranger+1+2@home.example"],
    ["different capitals", "mallory-2", "Stranger@HOME.example"],
  ])("%s shares the limit", async (_, account, email) => {
    const { add, all } = open();
    valueOf(await add("mallory"));
    const before = await all(account);
    expect(failureOf(await add(account, email))).toMatchObject({ code: "rate_limited" });
    expect(await all(account)).toEqual(before);
  });

  test("subaddresses of a name that would not be valid without them share the limit", async () => {
    const { add } = open();
    valueOf(await add("mallory", "stranger.+1@home.example"));
    const second = await add("mallory", "stranger.+2@home.example");
    expect(failureOf(second)).toMatchObject({ code: "rate_limited" });
  });

  test("telephone numbers are not subaddresses: each has its own limit", async () => {
    const { add } = open();
    for (const email of ["+15550001@sms.example", "+15550002@sms.example"])
      expect((await add("alice", email)).isOk()).toBe(true);
  });

  test("an address that the account already has is reported as taken, even beyond the limit", async () => {
    const { add } = open();
    valueOf(await add("alice"));
    expect(failureOf(await add("alice"))).toEqual({ code: "address_taken" });
  });

  test("whatever accounts do, at most 1 message a minute, 5 in 24 hours and 20 in 30 days are sent", async () => {
    const step = fc.record({
      account: fc.constantFrom("a", "b", "c"),
      email: fc.constantFrom(MAILBOX, "stranger+x@home.example"),
      act: fc.constantFrom("add", "remove", "resend"),
      wait: fc.oneof(fc.nat(2 * MINUTE), fc.nat(2 * DAY)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { ports, service, add, remove, all } = open();
        const sent: number[] = [];
        for (const { account, email, act, wait } of steps) {
          const before = ports.outbox.length;
          const [first] = await all(account);
          if (act === "add") await add(account, email);
          else if (first && act === "remove") await remove(account, first.id);
          else if (first) await service.resendVerification({ account, recipientId: first.id });
          if (ports.outbox.length > before) sent.push(ports.clock.now());
          ports.clock.advance(wait);
        }
        for (const at of sent) {
          const within = (period: number) => sent.filter((time) => time > at - period && time <= at).length;
          expect([within(MINUTE), within(DAY) <= 5, within(30 * DAY) <= 20]).toEqual([1, true, true]);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("if many accounts send at once, exactly one message is sent", async () => {
    const { ports, add } = open();
    const added = await Promise.all(Array.from({ length: 30 }, (_, i) => add(`account-${i}`)));
    expect(added.filter((result) => result.isOk())).toHaveLength(1);
    expect(ports.outbox).toHaveLength(1);
  });
});

describe("messages of one account", () => {
  test("messages are limited per day, whatever mailboxes they go to", async () => {
    const { ports, add } = open({ limits: { verificationMessages: 3 } });
    for (const n of [1, 2, 3]) valueOf(await add("alice", `${n}@home.example`));
    expect(failureOf(await add("alice", "4@home.example"))).toEqual({
      code: "rate_limited",
      retryAfter: DAY,
    });
    expect((await add("bob", "4@home.example")).isOk()).toBe(true);
    ports.clock.advance(DAY);
    expect((await add("alice", "5@home.example")).isOk()).toBe(true);
  });

  test("a limit of 0 means no limit, except that of each mailbox", async () => {
    const { add } = open({ limits: { verificationMessages: 0, recipients: 0, unverifiedRecipients: 0 } });
    const added = await Promise.all(Array.from({ length: 250 }, (_, n) => add("alice", `${n}@home.example`)));
    expect(added.every((result) => result.isOk())).toBe(true);
    expect(failureOf(await add("bob", "1@home.example"))).toEqual({
      code: "rate_limited",
      retryAfter: MINUTE,
    });
  });
});

describe("a message", () => {
  type Outcome = Awaited<ReturnType<VerificationMail["send"]>>;
  /** Returns `outcomes` one after the other, then succeeds. */
  const sending = (...outcomes: readonly Outcome[]) => {
    const rest = [...outcomes];
    return async (): Promise<Outcome> => rest.shift() ?? ok();
  };
  const notSent = err({ code: "not_sent" } as const);
  const unavailable = err({ code: "unavailable" } as const);

  test("that was handed over is recorded with its recipient", async () => {
    const { ports, add, all } = open();
    const { recipient, verification } = valueOf(await add("alice"));
    expect([verification, recipient.verificationSentAt]).toEqual(["sent", ports.clock.now()]);
    expect(await all("alice")).toEqual([recipient]);
  });

  test("that was certainly not sent is refunded, and its recipient says that none was sent", async () => {
    const { add, all, service } = open({
      limits: { verificationMessages: 1 },
      send: sending(notSent, notSent),
    });
    const { recipient, verification } = valueOf(await add("alice"));
    expect([verification, recipient.verificationSentAt]).toEqual(["not_sent", null]);
    expect(await all("alice")).toEqual([recipient]);
    const resend = () => service.resendVerification({ account: "alice", recipientId: recipient.id });
    expect(valueOf(await resend())).toMatchObject({ verification: "not_sent" });
    expect(valueOf(await resend())).toMatchObject({ verification: "sent" });
    expect(failureOf(await resend())).toMatchObject({ code: "rate_limited" });
  });

  test.each([
    ["unavailable", unavailable],
    ["refused for now", err({ code: "mail_refused", permanent: false } as const)],
    ["refused for good", err({ code: "mail_refused", permanent: true } as const)],
  ])("that is %s stays charged", async (_, failure) => {
    const { add, service } = open({ send: sending(failure) });
    const { recipient, verification } = valueOf(await add("alice"));
    expect([verification, recipient.verificationSentAt]).toEqual(["not_sent", null]);
    const resent = await service.resendVerification({ account: "alice", recipientId: recipient.id });
    expect(failureOf(resent)).toEqual({ code: "rate_limited", retryAfter: MINUTE });
  });

  test("that was refused for good is recorded with its recipient, until another one is sent", async () => {
    const refusedForNow = err({ code: "mail_refused", permanent: false } as const);
    const refusedForGood = err({ code: "mail_refused", permanent: true } as const);
    const { ports, add, all, service } = open({ send: sending(refusedForNow, refusedForGood) });
    const { recipient } = valueOf(await add("alice"));
    expect(recipient.verificationDelivery).toBeNull();
    const resend = async () => {
      ports.clock.advance(MINUTE);
      return valueOf(await service.resendVerification({ account: "alice", recipientId: recipient.id }));
    };
    const refused = await resend();
    expect(refused).toMatchObject({
      verification: "not_sent",
      recipient: { verificationDelivery: "refused" },
    });
    expect(await all("alice")).toEqual([refused.recipient]);
    expect(await resend()).toMatchObject({ verification: "sent", recipient: { verificationDelivery: null } });
  });

  test.each(["sending_paused", "sender_refused", "message_rejected"] as const)(
    "that the provider did not send (%s) is recorded as such, until another one is sent",
    async (refusal) => {
      for (const failure of [
        err({ code: "not_sent", refusal } as const),
        err({ code: "mail_refused", permanent: false, refusal } as const),
      ]) {
        const { ports, add, all, service } = open({ send: sending(failure, failure, unavailable) });
        const { recipient, verification } = valueOf(await add("alice"));
        expect([verification, recipient.verificationDelivery]).toEqual(["not_sent", refusal]);
        expect(await all("alice")).toEqual([recipient]);
        const resend = async () => {
          ports.clock.advance(MINUTE);
          const resent = await service.resendVerification({ account: "alice", recipientId: recipient.id });
          return valueOf(resent).recipient.verificationDelivery;
        };
        expect([await resend(), await resend(), await resend()]).toEqual([refusal, null, null]);
      }
    },
  );

  test("a recipient that could not be stored is sent no message, and none is charged", async () => {
    const store = memoryStore();
    let refused = false;
    const create: Store["recipients"]["create"] = async (...args) => {
      if (refused) return store.recipients.create(...args);
      refused = true;
      return unavailable;
    };
    const { ports, add } = open({ store: { ...store, recipients: { ...store.recipients, create } } });
    expect(failureOf(await add("alice"))).toEqual({ code: "unavailable" });
    expect(ports.outbox).toEqual([]);
    expect((await add("alice")).isOk()).toBe(true);
  });

  test("to a recipient that is verified or removed at the last moment is neither sent nor charged", async () => {
    for (const lose of ["verify", "remove"] as const) {
      const store = memoryStore();
      const { ports, add, service } = open({
        store: {
          ...store,
          recipients: {
            ...store.recipients,
            find: async (account, id) => {
              const found = await store.recipients.find(account, id);
              const recipient = valueOf(found);
              if (recipient?.verificationSentAt === ports.clock.now() - MINUTE) {
                if (lose === "remove") valueOf(await store.recipients.remove(recipient));
                else
                  valueOf(
                    await store.recipients.save(recipient, Recipient.verify(recipient, ports.clock.now())),
                  );
              }
              return found;
            },
          },
        },
      });
      const { recipient } = valueOf(await add("alice"));
      ports.clock.advance(MINUTE);
      const resent = await service.resendVerification({ account: "alice", recipientId: recipient.id });
      if (lose === "remove") expect(failureOf(resent)).toEqual({ code: "recipient_not_found" });
      else expect(valueOf(resent)).toMatchObject({ verification: "not_needed" });
      expect(ports.outbox).toHaveLength(1);
      expect((await add("bob")).isOk()).toBe(true);
    }
  });

  test("that is refused is reported as refused only if nothing remains stored", async () => {
    const store = memoryStore();
    const remove = async () => unavailable;
    const { ports, add, all } = open({ store: { ...store, recipients: { ...store.recipients, remove } } });
    valueOf(await add("mallory"));
    expect(failureOf(await add("alice"))).toEqual({ code: "unavailable" });
    expect(await all("alice")).toMatchObject([{ email: MAILBOX, verificationSentAt: null }]);
    expect(ports.outbox).toHaveLength(1);
  });

  test("is not sent while the ledger is unavailable, and nothing is stored", async () => {
    const store = memoryStore();
    const find = async () => unavailable;
    const { ports, add, all } = open({ store: { ...store, mailLedger: { ...store.mailLedger, find } } });
    expect(failureOf(await add("alice"))).toEqual({ code: "unavailable" });
    expect([ports.outbox, await all("alice")]).toEqual([[], []]);
  });
});

describe("suppressMailbox", () => {
  const token = (ports: { readonly outbox: readonly { readonly token: string }[] }) =>
    ports.outbox.at(-1)?.token ?? "";

  test("stops verification messages to the mailbox for good, whichever account requests them", async () => {
    const { ports, add, remove, all, service } = open();
    const { recipient } = valueOf(await add("mallory"));
    await remove("mallory", recipient.id);
    ports.clock.advance(3 * DAY);
    for (const _ of [1, 2]) valueOf(await service.suppressMailbox({ token: token(ports) }));
    ports.clock.advance(1000 * DAY);
    for (const account of ["mallory", "bob"]) {
      expect(failureOf(await add(account, "Stranger+x@home.example"))).toEqual({
        code: "mailbox_suppressed",
      });
      expect(await all(account)).toEqual([]);
    }
    expect(ports.outbox).toHaveLength(1);
    expect((await add("bob", "friend@home.example")).isOk()).toBe(true);
  });

  test("does not change recipients: an unverified one can still be verified, but is sent nothing more", async () => {
    const { ports, add, service } = open();
    const { recipient } = valueOf(await add("alice"));
    valueOf(await service.suppressMailbox({ token: token(ports) }));
    ports.clock.advance(MINUTE);
    const resent = await service.resendVerification({ account: "alice", recipientId: recipient.id });
    expect(failureOf(resent)).toEqual({ code: "mailbox_suppressed" });
    expect(valueOf(await service.verifyRecipient({ token: token(ports) })).verifiedAt).toBe(
      ports.clock.now(),
    );
  });

  test("accepts links from before there was a ledger, while their recipient exists", async () => {
    const { ports, add, remove, service } = open();
    const { recipient } = valueOf(await add("alice"));
    const { account, id: recipientId, nonce } = recipient;
    const old = ports.secrets.seal({ account, recipientId, nonce, mailbox: null, expiresAt: 0 });
    valueOf(await service.suppressMailbox({ token: old }));
    expect(failureOf(await add("bob"))).toEqual({ code: "mailbox_suppressed" });
    await remove("alice", recipient.id);
    expect(failureOf(await service.suppressMailbox({ token: old }))).toEqual({ code: "link_invalid" });
  });

  test("rejects links that this service did not send, and reports an unavailable store", async () => {
    const { service } = open();
    expect(failureOf(await service.suppressMailbox({ token: "forged" }))).toEqual({ code: "link_invalid" });
    expect(failureOf(await service.suppressMailbox({ token: "" })).code).toBe("invalid_request");
    const store = memoryStore();
    const unavailable = async () => err({ code: "unavailable" } as const);
    const down = open({
      store: {
        ...store,
        recipients: { ...store.recipients, find: unavailable },
        mailLedger: { ...store.mailLedger, save: unavailable },
      },
    });
    for (const mailbox of [null, down.ports.secrets.hash("mailbox")]) {
      const claims = { account: "a", recipientId: "r", nonce: "n", mailbox, expiresAt: 0 };
      const sealed = down.ports.secrets.seal(claims as Parameters<typeof down.ports.secrets.seal>[0]);
      expect(failureOf(await down.service.suppressMailbox({ token: sealed }))).toEqual({
        code: "unavailable",
      });
    }
  });
});
