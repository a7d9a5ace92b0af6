import type { AccountId, AliasId, Ineligibility, RecipientId, Store } from "@postern/core";
import type { TestPorts } from "@postern/core/testing";
import type * as fc from "fast-check";
import { expect } from "vitest";
import { ALIAS_DOMAIN, type Service } from "./service.ts";

/** What a store ought to hold, in the plainest form: two accounts and no mechanism. */
export type Model = {
  readonly accounts: readonly AccountId[];
  readonly recipients: ModelRecipient[];
  readonly aliases: ModelAlias[];
};

type ModelRecipient = {
  readonly account: AccountId;
  readonly id: RecipientId;
  readonly email: string;
  readonly token: string;
  readonly tokenExpires: number;
  verifiedAt: number | null;
  active: boolean;
};

type ModelAlias = {
  readonly account: AccountId;
  readonly id: AliasId;
  readonly email: string;
  recipients: readonly RecipientId[];
  version: number;
  updatedAt: number;
};

type Real = { readonly store: Store; readonly service: Service; readonly ports: TestPorts };

export type Command = fc.AsyncCommand<Model, Real>;

const UNKNOWN = "nobody";
const DAY = 24 * 60 * 60 * 1000;

const at = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(list.length, 1)];

const accountOf = (model: Model, n: number): AccountId => {
  const account = at(model.accounts, n);
  if (account === undefined) throw new Error("a model has accounts");
  return account;
};

/** Recipients of any account by their place in the model; a place beyond the last one is an unknown id. */
const idsAt = (model: Model, picks: readonly number[]): string[] =>
  picks.map((n) => model.recipients[n]?.id ?? UNKNOWN);

const ownRecipient = (model: Model, account: AccountId, id: string): ModelRecipient | undefined =>
  model.recipients.find((recipient) => recipient.account === account && recipient.id === id);

const ineligibility = (recipient: ModelRecipient | undefined): Ineligibility | null => {
  if (recipient === undefined) return "unknown";
  if (recipient.verifiedAt === null) return "unverified";
  return recipient.active ? null : "inactive";
};

const ineligible = (model: Model, account: AccountId, ids: readonly string[]) =>
  [...new Set(ids)]
    .map((id) => ({ id, reason: ineligibility(ownRecipient(model, account, id)) }))
    .filter(({ reason }) => reason !== null);

const holders = (model: Model, recipient: ModelRecipient): number =>
  model.aliases.filter(
    ({ account, recipients }) => account === recipient.account && recipients.includes(recipient.id),
  ).length;

/** All that the model knows is in the store, and nothing else. */
const agree = async (model: Model, { service }: Real): Promise<void> => {
  for (const account of model.accounts) {
    const aliases = (await service.listAliases({ account, limit: 100 }))._unsafeUnwrap().items;
    expect(
      aliases.map(({ id, email, destinations, version, updatedAt, tallies, deletedAt }) => ({
        id,
        email,
        destinations,
        version,
        updatedAt,
        counted: tallies.sent.count,
        deletedAt,
      })),
    ).toEqual(
      model.aliases
        .filter((alias) => alias.account === account)
        .map(({ id, email, recipients, version, updatedAt }) => ({
          id,
          email,
          destinations: recipients.map((recipientId) => ({
            recipientId,
            email: ownRecipient(model, account, recipientId)?.email,
          })),
          version,
          updatedAt,
          counted: 0,
          deletedAt: null,
        }))
        .reverse(),
    );
    const recipients = (await service.listRecipients({ account, limit: 100 }))._unsafeUnwrap().items;
    expect(
      recipients.map(({ id, email, verifiedAt, active, attached }) => ({
        id,
        email,
        verifiedAt,
        active,
        attached,
      })),
    ).toEqual(
      model.recipients
        .filter((recipient) => recipient.account === account)
        .map((recipient) => ({
          id: recipient.id,
          email: recipient.email,
          verifiedAt: recipient.verifiedAt,
          active: recipient.active,
          attached: holders(model, recipient),
        }))
        .reverse(),
    );
  }
};

/** After every command the store is compared with the model. `label` is what a failing run prints. */
const command = (label: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run: async (model, real) => {
    await run(model, real);
    await agree(model, real);
  },
  toString: () => label,
});

export const add = (owner: number, mailbox: number): Command =>
  command(`add recipient ${mailbox} to account ${owner}`, async (model, { service, ports }) => {
    const account = accountOf(model, owner);
    const email = `mailbox-${mailbox}@example.org`;
    const added = await service.addRecipient({ account, email });
    if (model.recipients.some((other) => other.account === account && other.email === email)) {
      expect(added).toMatchObject({ error: { code: "address_taken" } });
      return;
    }
    const { recipient, verification } = added._unsafeUnwrap();
    expect(verification).toBe("sent");
    const token = ports.outbox.at(-1)?.token ?? "";
    const { id, email: kept } = recipient;
    model.recipients.push({
      account,
      id,
      email: kept,
      token,
      tokenExpires: ports.clock.now() + DAY,
      verifiedAt: null,
      active: true,
    });
  });

export const verify = (n: number): Command =>
  command(`open the link of recipient ${n}`, async (model, { service, ports }) => {
    const recipient = at(model.recipients, n);
    const verified = await service.verifyRecipient({ token: recipient?.token ?? "forged" });
    if (recipient === undefined || ports.clock.now() >= recipient.tokenExpires) {
      expect(verified).toMatchObject({ error: { code: "link_invalid" } });
      return;
    }
    recipient.verifiedAt ??= ports.clock.now();
    expect(verified).toMatchObject({ value: { id: recipient.id, verifiedAt: recipient.verifiedAt } });
  });

export const setActive = (n: number, active: boolean): Command =>
  command(`${active ? "activate" : "deactivate"} recipient ${n}`, async (model, { service }) => {
    const recipient = at(model.recipients, n);
    if (recipient === undefined) return;
    await service.setActive(recipient, active);
    if (active || holders(model, recipient) === 0) recipient.active = active;
  });

export const create = (owner: number, address: number, picks: readonly number[]): Command =>
  command(`create alias ${address} of account ${owner} for [${picks}]`, async (model, { service, ports }) => {
    const account = accountOf(model, owner);
    const email = `${model.accounts[0]}-${address}@${ALIAS_DOMAIN}`;
    const recipientIds = idsAt(model, picks);
    const created = await service.createAlias({ account, email, recipientIds });
    const refused = ineligible(model, account, recipientIds);
    if (recipientIds.length === 0) {
      expect(created).toMatchObject({ error: { code: "invalid_request" } });
    } else if (refused.length > 0) {
      expect(created).toMatchObject({ error: { code: "recipients_ineligible", recipients: refused } });
    } else if (model.aliases.some((other) => other.email === email)) {
      expect(created).toMatchObject({ error: { code: "address_taken" } });
    } else {
      const { id, destinations } = created._unsafeUnwrap();
      const recipients = destinations.map(({ recipientId }) => recipientId);
      expect(recipients).toEqual([...new Set(recipientIds)]);
      model.aliases.push({ account, id, email, recipients, version: 1, updatedAt: ports.clock.now() });
    }
  });

/** Which versions the caller names: none, the one it is, or one that it was or will be. */
export type Expectation = "any" | "current" | "other";

export const replace = (
  owner: number,
  n: number,
  picks: readonly number[],
  expectation: Expectation,
): Command =>
  command(
    `account ${owner} replaces the recipients of alias ${n} by [${picks}], at version: ${expectation}`,
    async (model, { service, ports }) => {
      const account = accountOf(model, owner);
      const alias = at(model.aliases, n);
      const recipientIds = idsAt(model, picks);
      const version = alias?.version ?? 1;
      const replaced = await service.replaceRecipients({
        account,
        aliasId: alias?.id ?? UNKNOWN,
        recipientIds,
        ...(expectation === "any"
          ? {}
          : { expectedVersions: [expectation === "current" ? version : version + 1] }),
      });
      const refused = ineligible(model, account, recipientIds);
      if (recipientIds.length === 0) {
        expect(replaced).toMatchObject({ error: { code: "invalid_request" } });
      } else if (alias?.account !== account) {
        // Ids count up over both accounts, so another account's alias id is never one's own.
        expect(replaced).toMatchObject({ error: { code: "alias_not_found" } });
      } else if (refused.length > 0) {
        expect(replaced).toMatchObject({ error: { code: "recipients_ineligible", recipients: refused } });
      } else if (expectation === "other") {
        expect(replaced).toMatchObject({ error: { code: "precondition_failed" } });
      } else {
        const { destinations, ...rest } = replaced._unsafeUnwrap();
        const recipients = destinations.map(({ recipientId }) => recipientId);
        expect(recipients).toEqual([...new Set(recipientIds)]);
        if (recipients.join() !== alias.recipients.join()) {
          Object.assign(alias, { recipients, version: alias.version + 1, updatedAt: ports.clock.now() });
        }
        expect(rest).toMatchObject({ version: alias.version, updatedAt: alias.updatedAt });
      }
    },
  );

export const wait = (milliseconds: number): Command =>
  command(`wait ${milliseconds} ms`, async (_, { ports }) => ports.clock.advance(milliseconds));
