import { err, parseAliasId, type Recipient, type Unavailable } from "@postern/core";
import {
  endAlias,
  messageCount,
  recordVerification,
  type VerificationLink,
  type VerificationOutcome,
} from "@postern/core/operations";
import { valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { ACCOUNT, unavailable, useService } from "./support/use-service.ts";

/* What the mail plane does to aliases and recipients. */

const { service, store, ports, verifiedRecipient, newAlias } = useService();

const unreported: Unavailable[] = [];
const count = () =>
  messageCount({
    aliases: store().aliases,
    clock: ports().clock,
    onUnreported: (failure) => unreported.push(failure),
  });

/** An alias with these rules. */
const aliasWith = async (rules: { readonly messagesLeft?: number; readonly activeUntil?: number }) => {
  const aliasId = await newAlias([await verifiedRecipient("me@home.example")]);
  return valueOf(await service().updateAliasRules({ account: ACCOUNT, aliasId, ...rules }));
};
const stored = async (aliasId: string) => valueOf(await service().getAlias({ account: ACCOUNT, aliasId }));

describe("counting a message for aliases that accept a limited number", () => {
  test("the last one switches the alias off, and then it accepts none", async () => {
    const alias = await aliasWith({ messagesLeft: 2 });
    const { take } = count();
    expect(valueOf(await take([alias]))).toMatchObject([{ active: true, rules: { messagesLeft: 1 } }]);
    expect(valueOf(await take([alias]))).toMatchObject([{ active: false, rules: { messagesLeft: 0 } }]);
    expect(await take([alias])).toEqual(err({ code: "not_accepting" }));
  });

  test("counts for all aliases or for none", async () => {
    const alias = await aliasWith({ messagesLeft: 1 });
    const gone = { account: alias.account, id: valueOf(parseAliasId("gone")) };
    expect(await count().take([alias, gone])).toEqual(err({ code: "alias_not_found" }));
    expect(await stored(alias.id)).toMatchObject({ active: true, rules: { messagesLeft: 1 } });
  });

  test("a message that could not be stored does not count; if the store fails, it does, and that is reported", async () => {
    const alias = await aliasWith({ messagesLeft: 1 });
    valueOf(await count().take([alias]));
    const { findWithRecipients } = store().aliases;
    Object.assign(store().aliases, { findWithRecipients: unavailable });
    await count().giveBack([alias]);
    expect(unreported.splice(0)).toEqual([{ code: "unavailable" }]);
    Object.assign(store().aliases, { findWithRecipients });
    await count().giveBack([alias]);
    expect(unreported).toEqual([]);
    expect(await stored(alias.id)).toMatchObject({ active: true, rules: { messagesLeft: 1 } });
  });
});

describe("an alias whose time is over", () => {
  const end = (alias: Parameters<ReturnType<typeof endAlias>>[0]) =>
    endAlias({ aliases: store().aliases, clock: ports().clock })(alias);

  test("is switched off by one call, however many try", async () => {
    const alias = await aliasWith({ activeUntil: ports().clock.now() + 1_000 });
    expect(valueOf(await end(alias))).toBeNull();
    ports().clock.advance(1_000);
    const ended = await Promise.all([end(alias), end(alias), end(alias)]);
    expect(ended.map(valueOf).filter((each) => each !== null)).toMatchObject([
      { id: alias.id, active: false },
    ]);
    expect(await stored(alias.id)).toMatchObject({ active: false });
  });

  test("is left alone if it is gone, or the store fails", async () => {
    const alias = await aliasWith({ activeUntil: ports().clock.now() + 1_000 });
    valueOf(await service().eraseAlias({ account: ACCOUNT, aliasId: alias.id }));
    expect(valueOf(await end(alias))).toBeNull();
    Object.assign(store().aliases, { findWithRecipients: unavailable });
    expect(await end(alias)).toEqual(err({ code: "unavailable" }));
  });
});

describe("what became of a verification message", () => {
  const record = (link: VerificationLink, outcome: VerificationOutcome) =>
    recordVerification({ recipients: store().recipients, clock: ports().clock })(link, outcome);
  const added = async (): Promise<Recipient> =>
    valueOf(await service().addRecipient({ account: ACCOUNT, email: "me@home.example" })).recipient;
  const now = async ({ account, id }: Recipient) => valueOf(await store().recipients.find(account, id));

  test.each([
    [
      { kind: "sent", at: 7 },
      { verificationSentAt: 7, verificationDelivery: null },
    ],
    // It is known to have been sent.
    [{ kind: "delivered", at: 7 }, { verificationSentAt: 1_700_000_000_000 }],
    [{ kind: "refused" }, { verificationDelivery: "refused" }],
    [{ kind: "expired" }, { verificationDelivery: "expired" }],
  ] as const)("%j is recorded", async (outcome, expected) => {
    const recipient = await added();
    const { account, id, nonce } = recipient;
    valueOf(await record({ account, recipient: id, nonce }, outcome));
    expect(await now(recipient)).toMatchObject(expected);
  });

  test("changes nothing if the recipient has been sent a newer link, or is gone", async () => {
    const recipient = await added();
    const { account, id, nonce } = recipient;
    valueOf(await record({ account, recipient: id, nonce: `not ${nonce}` }, { kind: "refused" }));
    expect(await now(recipient)).toEqual(recipient);
    valueOf(await service().deleteRecipient({ account, recipientId: id }));
    valueOf(await record({ account, recipient: id, nonce }, { kind: "refused" }));
    expect(await now(recipient)).toBeNull();
  });

  test("fails if the store does", async () => {
    const { account, id, nonce } = await added();
    Object.assign(store().recipients, { find: unavailable });
    expect(await record({ account, recipient: id, nonce }, { kind: "refused" })).toEqual(
      err({ code: "unavailable" }),
    );
  });
});
