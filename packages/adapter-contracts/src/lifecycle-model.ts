import type { AccountId, Alias, AliasId, Ineligibility, MailOutcome, RecipientId } from "@postern/core";
import { MAIL_OUTCOMES } from "@postern/core";
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
  /** The links mailed to it, oldest first; only the last one may work. */
  readonly links: { readonly token: string; readonly sent: number }[];
  verifiedAt: number | null;
  active: boolean;
};

type ModelAlias = {
  readonly account: AccountId;
  readonly id: AliasId;
  readonly email: string;
  readonly told: Map<string, { readonly outcome: MailOutcome; readonly at: number }>;
  destinations: readonly { readonly recipientId: RecipientId; readonly email: string }[];
  description: string;
  active: boolean;
  version: number;
  updatedAt: number;
  deletedAt: number | null;
};

type Real = { readonly service: Service; readonly ports: TestPorts };

export type Command = fc.AsyncCommand<Model, Real>;

const UNKNOWN = "nobody";
const MINUTE = 60 * 1000;
const DAY = 24 * 60 * MINUTE;

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

/** The error that these ids get, or null when mail may be forwarded to all of them. */
const refusal = (model: Model, account: AccountId, ids: readonly string[]) => {
  if (ids.length === 0) return { error: { code: "invalid_request" } };
  const recipients = [...new Set(ids)]
    .map((id) => ({ id, reason: ineligibility(ownRecipient(model, account, id)) }))
    .filter(({ reason }) => reason !== null);
  return recipients.length > 0 ? { error: { code: "recipients_ineligible", recipients } } : null;
};

const destinationsOf = (model: Model, account: AccountId, ids: readonly string[]) =>
  [...new Set(ids)].flatMap((wanted) => {
    const recipient = ownRecipient(model, account, wanted);
    return recipient === undefined ? [] : [{ recipientId: recipient.id, email: recipient.email }];
  });

const holdersOf = (model: Model, { account, id }: ModelRecipient): readonly ModelAlias[] =>
  model.aliases.filter(
    (alias) =>
      alias.account === account &&
      alias.deletedAt === null &&
      alias.destinations.some(({ recipientId }) => recipientId === id),
  );

/** The alias changes to this, unless it is like this already. */
const settle = (alias: ModelAlias, change: Partial<ModelAlias>, now: number): void => {
  const same = Object.entries(change).every(
    ([name, value]) =>
      JSON.stringify(value) === JSON.stringify(Object.entries(alias).find(([n]) => n === name)?.[1]),
  );
  if (!same) Object.assign(alias, change, { version: alias.version + 1, updatedAt: now });
};

const talliesOf = ({ told }: ModelAlias) =>
  Object.fromEntries(
    MAIL_OUTCOMES.map((outcome) => {
      const times = [...told.values()].filter((event) => event.outcome === outcome).map((event) => event.at);
      return [outcome, { count: times.length, lastAt: times.length > 0 ? Math.max(...times) : null }];
    }),
  );

/** All that the model knows is in the store, and nothing else. */
const agree = async (model: Model, { service }: Real): Promise<void> => {
  for (const account of model.accounts) {
    for (const deleted of [false, true]) {
      const { items } = (await service.listAliases({ account, limit: 100, deleted }))._unsafeUnwrap();
      const expected = model.aliases.filter(
        (alias) => alias.account === account && (alias.deletedAt !== null) === deleted,
      );
      const comparable = ({ createdAt: _, ...alias }: Alias) => alias;
      expect(items.map(comparable)).toEqual(
        expected
          .map(({ told: _, ...alias }) => alias)
          .map((alias, i) => ({
            ...alias,
            tallies: talliesOf(expected[i] ?? expect.unreachable()),
          }))
          .reverse(),
      );
    }
    const { items } = (await service.listRecipients({ account, limit: 100 }))._unsafeUnwrap();
    expect(
      items.map(({ id, email, verifiedAt, active, attached }) => ({
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
          attached: holdersOf(model, recipient).length,
        }))
        .reverse(),
    );
  }
  // Rules 2 and 3, in so many words.
  for (const { account, destinations, deletedAt } of model.aliases) {
    if (deletedAt !== null) continue;
    expect(destinations.length).toBeGreaterThan(0);
    for (const { recipientId } of destinations) {
      expect(ineligibility(ownRecipient(model, account, recipientId))).toBeNull();
    }
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
    const links = [{ token: ports.outbox.at(-1)?.token ?? "", sent: ports.clock.now() }];
    model.recipients.push({ account, id: recipient.id, email, links, verifiedAt: null, active: true });
  });

/** Opens the link mailed `age` messages ago. */
export const verify = (n: number, age: number): Command =>
  command(`open link ${age} of recipient ${n}`, async (model, { service, ports }) => {
    const recipient = at(model.recipients, n);
    const link = recipient?.links.at(-1 - age);
    const verified = await service.verifyRecipient({ token: link?.token ?? "forged" });
    const works = link !== undefined && age === 0 && ports.clock.now() < link.sent + DAY;
    if (recipient === undefined || !works) {
      expect(verified).toMatchObject({ error: { code: "link_invalid" } });
      return;
    }
    recipient.verifiedAt ??= ports.clock.now();
    expect(verified).toMatchObject({ value: { id: recipient.id, verifiedAt: recipient.verifiedAt } });
  });

export const resend = (n: number): Command =>
  command(`send recipient ${n} a new link`, async (model, { service, ports }) => {
    const recipient = at(model.recipients, n);
    if (recipient === undefined) return;
    const { account, id: recipientId } = recipient;
    const resent = await service.resendVerification({ account, recipientId });
    const now = ports.clock.now();
    const today = recipient.links.filter(({ sent }) => sent > now - DAY);
    if (recipient.verifiedAt !== null) {
      expect(resent).toMatchObject({ value: { verification: "not_needed" } });
    } else if (today.length >= 5 || today.some(({ sent }) => sent > now - MINUTE)) {
      expect(resent).toMatchObject({ error: { code: "rate_limited" } });
    } else {
      expect(resent).toMatchObject({ value: { verification: "sent" } });
      recipient.links.push({ token: ports.outbox.at(-1)?.token ?? "", sent: now });
    }
  });

/** Refused where aliases hold the recipient, naming them; true where it may go ahead. */
const mayLeave = (model: Model, recipient: ModelRecipient, result: unknown): boolean => {
  const holders = holdersOf(model, recipient);
  if (holders.length === 0) return true;
  const first = holders
    .map(({ id }) => id)
    .reverse()
    .slice(0, 10);
  expect(result).toMatchObject({ error: { code: "recipient_attached", aliases: holders.length, first } });
  return false;
};

export const setActive = (n: number, active: boolean): Command =>
  command(`${active ? "activate" : "deactivate"} recipient ${n}`, async (model, { service }) => {
    const recipient = at(model.recipients, n);
    if (recipient === undefined) return;
    const { account, id: recipientId } = recipient;
    const updated = await service.updateRecipient({ account, recipientId, active });
    if (!active && recipient.active && !mayLeave(model, recipient, updated)) return;
    recipient.active = active;
    expect(updated).toMatchObject({ value: { active } });
  });

export const forget = (n: number): Command =>
  command(`delete recipient ${n}`, async (model, { service }) => {
    const recipient = at(model.recipients, n);
    if (recipient === undefined) return;
    const { account, id: recipientId } = recipient;
    const deleted = await service.deleteRecipient({ account, recipientId });
    if (!mayLeave(model, recipient, deleted)) return;
    expect(deleted.isOk()).toBe(true);
    model.recipients.splice(model.recipients.indexOf(recipient), 1);
  });

export const reassign = (n: number, target: number): Command =>
  command(`reassign recipient ${n} to ${target}`, async (model, { service, ports }) => {
    const recipient = at(model.recipients, n);
    if (recipient === undefined) return;
    const { account, id: recipientId } = recipient;
    const [to = UNKNOWN] = idsAt(model, [target]);
    const result = await service.reassignRecipient({ account, recipientId, to });
    const refused =
      to === recipientId ? { error: { code: "invalid_request" } } : refusal(model, account, [to]);
    if (refused !== null) {
      expect(result).toMatchObject(refused);
      return;
    }
    const holders = holdersOf(model, recipient);
    for (const alias of holders) {
      const ids = alias.destinations.map((destination) => destination.recipientId);
      const left = ids.some((id) => id === to)
        ? ids.filter((id) => id !== recipientId)
        : ids.map((id) => (id === recipientId ? to : id));
      settle(alias, { destinations: destinationsOf(model, account, left) }, ports.clock.now());
    }
    const reassigned = holders.map(({ id }) => id).reverse();
    expect(result).toMatchObject({ value: { reassigned, remaining: 0, next: null } });
  });

export const create = (owner: number, address: number, picks: readonly number[]): Command =>
  command(`create alias ${address} of account ${owner} for [${picks}]`, async (model, { service, ports }) => {
    const account = accountOf(model, owner);
    const email = `${model.accounts[0]}-${address}@${ALIAS_DOMAIN}`;
    const recipientIds = idsAt(model, picks);
    const created = await service.createAlias({ account, email, recipientIds });
    const refused = refusal(model, account, recipientIds);
    if (refused !== null) {
      expect(created).toMatchObject(refused);
    } else if (model.aliases.some((other) => other.email === email)) {
      expect(created).toMatchObject({ error: { code: "address_taken" } });
    } else {
      const { id } = created._unsafeUnwrap();
      model.aliases.push({
        account,
        id,
        email,
        told: new Map(),
        destinations: destinationsOf(model, account, recipientIds),
        description: "",
        active: true,
        version: 1,
        updatedAt: ports.clock.now(),
        deletedAt: null,
      });
    }
  });

/** Which versions the caller names: none, the one it is, or one that it was or will be. */
export type Expectation = "any" | "current" | "other";

/**
 * An alias is changed, by its owner or by a stranger. `outcome` tells what the call's own rules make of it: a refusal, or the
 * change that comes of it.
 */
const change = (
  label: string,
  foreign: boolean,
  n: number,
  expectation: Expectation,
  call: (
    service: Service,
    target: { account: string; aliasId: string; expectedVersions?: number[] },
    model: Model,
  ) => Promise<unknown>,
  outcome: (model: Model, alias: ModelAlias, now: number) => { readonly error: object } | Partial<ModelAlias>,
): Command =>
  command(
    `${foreign ? "a stranger" : "its owner"} ${label} alias ${n}, at version: ${expectation}`,
    async (model, { service, ports }) => {
      const alias = at(model.aliases, n);
      const account =
        model.accounts.find((each) => (each === alias?.account) !== foreign) ?? accountOf(model, 0);
      const version = alias?.version ?? 1;
      const target = { account, aliasId: alias?.id ?? UNKNOWN };
      const named = { expectedVersions: [expectation === "current" ? version : version + 1] };
      const result = await call(service, expectation === "any" ? target : { ...target, ...named }, model);
      // Ids count up over both accounts, so another account's alias id is never one's own.
      if (alias?.account !== account) {
        expect(result).toMatchObject({
          error: { code: expect.stringMatching(/alias_not_found|invalid_request/) },
        });
        return;
      }
      const expected = outcome(model, alias, ports.clock.now());
      if ("error" in expected) {
        expect(result).toMatchObject(expected);
      } else if (expectation === "other") {
        expect(result).toMatchObject({ error: { code: "precondition_failed" } });
      } else {
        settle(alias, expected, ports.clock.now());
        const { destinations, version, updatedAt, deletedAt } = alias;
        expect(result).toMatchObject({ value: { destinations, version, updatedAt, deletedAt } });
      }
    },
  );

const DELETED = { error: { code: "alias_deleted" } };

export const replace = (
  foreign: boolean,
  n: number,
  picks: readonly number[],
  expectation: Expectation,
): Command =>
  change(
    `replaces by [${picks}] the recipients of`,
    foreign,
    n,
    expectation,
    (service, target, model) => service.replaceRecipients({ ...target, recipientIds: idsAt(model, picks) }),
    (model, { account, deletedAt }) => {
      const ids = idsAt(model, picks);
      if (deletedAt !== null && ids.length > 0) return DELETED;
      return refusal(model, account, ids) ?? { destinations: destinationsOf(model, account, ids) };
    },
  );

export const update = (
  foreign: boolean,
  n: number,
  wanted: { readonly description?: string; readonly active?: boolean },
  expectation: Expectation,
): Command =>
  change(
    `changes to ${JSON.stringify(wanted)}`,
    foreign,
    n,
    expectation,
    (service, target) => service.updateAlias({ ...target, ...wanted }),
    (_, { deletedAt }) => (deletedAt === null ? wanted : DELETED),
  );

export const remove = (foreign: boolean, n: number, expectation: Expectation): Command =>
  change(
    "deletes",
    foreign,
    n,
    expectation,
    (service, target) => service.deleteAlias(target),
    (_, { deletedAt }, now) => ({ deletedAt: deletedAt ?? now }),
  );

/** To the recipients it had when `picks` is null. */
export const restore = (
  foreign: boolean,
  n: number,
  picks: readonly number[] | null,
  expectation: Expectation,
): Command =>
  change(
    `restores ${picks === null ? "" : `for [${picks}] `}`,
    foreign,
    n,
    expectation,
    (service, target, model) =>
      service.restoreAlias(picks === null ? target : { ...target, recipientIds: idsAt(model, picks) }),
    (model, { account, destinations }) => {
      const ids = picks === null ? destinations.map(({ recipientId }) => recipientId) : idsAt(model, picks);
      const restored = { destinations: destinationsOf(model, account, ids), deletedAt: null };
      return refusal(model, account, ids) ?? restored;
    },
  );

/** Tells of event `event`; whatever it is told as, an event is what it was the first time. */
export const tell = (
  n: number,
  event: number,
  outcome: MailOutcome,
  ago: number,
  byAddress: boolean,
): Command =>
  command(
    `tell alias ${n} of event ${event}: ${outcome}, ${ago} ms ago`,
    async (model, { service, ports }) => {
      const alias = at(model.aliases, n);
      const eventId = `event-${event}`;
      const told = { outcome, at: ports.clock.now() - ago };
      if (alias === undefined) {
        const unknown = { account: accountOf(model, n), id: UNKNOWN };
        const recorded = await service.recordMailOutcome({ alias: unknown, eventId, ...told });
        expect(recorded).toMatchObject({ error: { code: "alias_not_found" } });
        return;
      }
      const { account, id, email } = alias;
      const reference = byAddress ? { email: email.toUpperCase() } : { account, id };
      const recorded = await service.recordMailOutcome({ alias: reference, eventId, ...told });
      expect(recorded).toMatchObject({ value: alias.told.has(eventId) ? "repeated" : "recorded" });
      if (!alias.told.has(eventId)) alias.told.set(eventId, told);
    },
  );

export const wait = (milliseconds: number): Command =>
  command(`wait ${milliseconds} ms`, async (_, { ports }) => ports.clock.advance(milliseconds));
