import {
  type AccountId,
  type Alias,
  type AliasId,
  type Ineligibility,
  MAIL_OUTCOMES,
  type MailOutcome,
  type Postern,
  type RecipientId,
  type Result,
} from "@postern/core";
import { failureOf, type TestPorts, valueOf } from "@postern/core/testing";
import type * as fc from "fast-check";
import { expectEqual, expectMatch } from "../expect.ts";
import { walk } from "../walk.ts";

/** The expected content of a store, as plain data of two accounts. */
export type Model = {
  readonly accounts: readonly AccountId[];
  readonly recipients: ModelRecipient[];
  readonly aliases: ModelAlias[];
  /** Only their addresses remain, and stay taken. */
  readonly erased: Pick<ModelAlias, "account" | "id" | "email">[];
};

type ModelRecipient = {
  readonly account: AccountId;
  readonly id: RecipientId;
  readonly email: string;
  /** The links mailed to it, oldest first. Only the newest one may work. */
  readonly links: { readonly token: string; readonly sentAt: number }[];
  verifiedAt: number | null;
  active: boolean;
};

type ModelAlias = {
  readonly account: AccountId;
  readonly id: AliasId;
  readonly email: string;
  readonly events: Map<string, { readonly outcome: MailOutcome; readonly at: number }>;
  destinations: readonly { readonly recipientId: RecipientId; readonly email: string }[];
  description: string;
  active: boolean;
  version: number;
  updatedAt: number;
  deletedAt: number | null;
};

type Real = { readonly service: Postern; readonly ports: TestPorts };

export type Command = fc.AsyncCommand<Model, Real>;

export const ALIAS_DOMAIN = "alias.example";

const UNKNOWN = "unknown";
const MINUTE = 60 * 1000;
const DAY = 24 * 60 * MINUTE;

const at = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(list.length, 1)];

const accountOf = (model: Model, n: number): AccountId => {
  const account = at(model.accounts, n);
  if (account === undefined) throw new Error("the model has no accounts");
  return account;
};

/** The ids of recipients, of any account, by their index in the model; an index past the end is an unknown id. */
const idsAt = (model: Model, picks: readonly number[]): string[] =>
  picks.map((n) => model.recipients[n]?.id ?? UNKNOWN);

/** Each run has its own addresses. Address 3 is a subaddress of address 0. */
const aliasAddress = (model: Model, n: number): string =>
  `${model.accounts[0]}-${n === 3 ? "0+news" : n}@${ALIAS_DOMAIN}`;

const ownRecipient = (model: Model, account: AccountId, id: string): ModelRecipient | undefined =>
  model.recipients.find((recipient) => recipient.account === account && recipient.id === id);

const ineligibility = (recipient: ModelRecipient | undefined): Ineligibility | null => {
  if (recipient === undefined) return "unknown";
  if (recipient.verifiedAt === null) return "unverified";
  return recipient.active ? null : "inactive";
};

/** The failure for these ids, or null if all of them can be attached. */
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

/** The live aliases that the recipient is attached to, newest first. */
const aliasesWith = (model: Model, { account, id }: ModelRecipient): readonly ModelAlias[] =>
  model.aliases
    .filter(
      (alias) =>
        alias.account === account &&
        alias.deletedAt === null &&
        alias.destinations.some(({ recipientId }) => recipientId === id),
    )
    .reverse();

/** Applies the change, and increments the version if anything is different. */
const apply = (alias: ModelAlias, change: Partial<ModelAlias>, now: number): void => {
  const before = new Map<string, unknown>(Object.entries(alias));
  const same = Object.entries(change).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(before.get(name)),
  );
  if (!same) Object.assign(alias, change, { version: alias.version + 1, updatedAt: now });
};

const eraseFrom = (model: Model, alias: ModelAlias): void => {
  model.aliases.splice(model.aliases.indexOf(alias), 1);
  const { account, id, email } = alias;
  model.erased.push({ account, id, email });
};

const talliesOf = ({ events }: ModelAlias) =>
  Object.fromEntries(
    MAIL_OUTCOMES.map((outcome) => {
      const times = [...events.values()].filter((event) => event.outcome === outcome).map(({ at }) => at);
      return [outcome, { count: times.length, lastAt: times.length > 0 ? Math.max(...times) : null }];
    }),
  );

/** Throws unless the store holds exactly what the model says. */
const expectAgreement = async (model: Model, { service }: Real): Promise<void> => {
  for (const account of model.accounts) {
    for (const deleted of [false, true]) {
      const listed = await walk((page) => service.listAliases({ account, deleted, ...page }));
      const expected = model.aliases.filter(
        (alias) => alias.account === account && (alias.deletedAt !== null) === deleted,
      );
      expectEqual(
        listed.map(({ createdAt: _, ...alias }: Alias) => alias),
        expected
          .map(({ events, ...alias }) => ({ ...alias, tallies: talliesOf({ events, ...alias }) }))
          .reverse(),
      );
    }
    const listed = await walk((page) => service.listRecipients({ account, ...page }));
    expectEqual(
      listed.map(({ id, email, verifiedAt, active, attached }) => ({
        id,
        email,
        verifiedAt,
        active,
        attached,
      })),
      model.recipients
        .filter((recipient) => recipient.account === account)
        .map((recipient) => ({
          id: recipient.id,
          email: recipient.email,
          verifiedAt: recipient.verifiedAt,
          active: recipient.active,
          attached: aliasesWith(model, recipient).length,
        }))
        .reverse(),
    );
  }
  // Rules 2 and 3, spelled out.
  for (const { account, destinations, deletedAt } of model.aliases) {
    if (deletedAt !== null) continue;
    if (destinations.length === 0) throw new Error("a live alias has no recipient");
    for (const { recipientId } of destinations) {
      expectEqual(ineligibility(ownRecipient(model, account, recipientId)), null);
    }
  }
};

/** Compares store and model after the command. `label` is what a failing run prints. */
const command = (label: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run: async (model, real) => {
    await run(model, real);
    await expectAgreement(model, real);
  },
  toString: () => label,
});

/** Adds a recipient that is not yet verified, or adopts one that is already verified. */
export const add = (owner: number, mailbox: number, adopted: boolean): Command =>
  command(
    `${adopted ? "adopt" : "add"} recipient ${mailbox} in account ${owner}`,
    async (model, { service, ports }) => {
      const account = accountOf(model, owner);
      const email = `mailbox-${mailbox}@example.org`;
      const added = adopted
        ? await service.adoptRecipient({ account, email })
        : (await service.addRecipient({ account, email })).map(({ recipient, verification }) => {
            expectEqual(verification, "sent");
            return recipient;
          });
      if (model.recipients.some((other) => other.account === account && other.email === email)) {
        expectMatch(added, { error: { code: "address_taken" } });
        return;
      }
      const now = ports.clock.now();
      model.recipients.push({
        account,
        id: valueOf(added).id,
        email,
        links: adopted ? [] : [{ token: ports.outbox.at(-1)?.token ?? "", sentAt: now }],
        verifiedAt: adopted ? now : null,
        active: true,
      });
    },
  );

/** Opens the link in the message before the last `age` messages; 0 is the newest. */
export const verify = (n: number, age: number): Command =>
  command(`open link ${age} of recipient ${n}`, async (model, { service, ports }) => {
    const recipient = at(model.recipients, n);
    const link = recipient?.links.at(-1 - age);
    const verified = await service.verifyRecipient({ token: link?.token ?? "forged" });
    const works = link !== undefined && age === 0 && ports.clock.now() < link.sentAt + DAY;
    if (recipient === undefined || !works) {
      expectMatch(verified, { error: { code: "link_invalid" } });
      return;
    }
    recipient.verifiedAt ??= ports.clock.now();
    expectMatch(verified, { value: { id: recipient.id, verifiedAt: recipient.verifiedAt } });
  });

export const resend = (n: number): Command =>
  command(`send recipient ${n} a new link`, async (model, { service, ports }) => {
    const recipient = at(model.recipients, n);
    if (recipient === undefined) return;
    const { account, id: recipientId } = recipient;
    const resent = await service.resendVerification({ account, recipientId });
    const now = ports.clock.now();
    const today = recipient.links.filter(({ sentAt }) => sentAt > now - DAY);
    if (recipient.verifiedAt !== null) {
      expectMatch(resent, { value: { verification: "not_needed" } });
    } else if (today.length >= 5 || today.some(({ sentAt }) => sentAt > now - MINUTE)) {
      expectMatch(resent, { error: { code: "rate_limited" } });
    } else {
      expectMatch(resent, { value: { verification: "sent" } });
      recipient.links.push({ token: ports.outbox.at(-1)?.token ?? "", sentAt: now });
    }
  });

/** Whether the recipient is detached. If not, the call must have been refused with the ids of its aliases. */
const mayLeave = (model: Model, recipient: ModelRecipient, result: unknown): boolean => {
  const aliases = aliasesWith(model, recipient);
  if (aliases.length === 0) return true;
  const aliasIds = aliases.map(({ id }) => id).slice(0, 10);
  expectMatch(result, { error: { code: "recipient_attached", attached: aliases.length, aliasIds } });
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
    expectMatch(updated, { value: { active } });
  });

export const removeRecipient = (n: number): Command =>
  command(`delete recipient ${n}`, async (model, { service }) => {
    const recipient = at(model.recipients, n);
    if (recipient === undefined) return;
    const { account, id: recipientId } = recipient;
    const removed = await service.deleteRecipient({ account, recipientId });
    if (!mayLeave(model, recipient, removed)) return;
    valueOf(removed);
    model.recipients.splice(model.recipients.indexOf(recipient), 1);
  });

export const reassign = (n: number, target: number): Command =>
  command(`reassign recipient ${n} to ${target}`, async (model, { service, ports }) => {
    const recipient = at(model.recipients, n);
    if (recipient === undefined) return;
    const { account, id: recipientId } = recipient;
    const [to = UNKNOWN] = idsAt(model, [target]);
    const call = (after: string | null) => service.reassignRecipient({ account, recipientId, to, after });
    const refused =
      to === recipientId ? { error: { code: "invalid_request" } } : refusal(model, account, [to]);
    if (refused !== null) {
      expectMatch(await call(null), refused);
      return;
    }
    const aliases = aliasesWith(model, recipient);
    // Pages can be short, so one call may not reach every alias.
    const reassigned = await walk(async ({ after }) =>
      (await call(after)).map(({ reassigned: items, next }) => ({ items, next })),
    );
    expectEqual(
      reassigned,
      aliases.map(({ id }) => id),
    );
    for (const alias of aliases) {
      const ids: readonly string[] = alias.destinations.map((destination) => destination.recipientId);
      const after = ids.includes(to)
        ? ids.filter((id) => id !== recipientId)
        : ids.map((id) => (id === recipientId ? to : id));
      apply(alias, { destinations: destinationsOf(model, account, after) }, ports.clock.now());
    }
  });

export const create = (owner: number, address: number, picks: readonly number[]): Command =>
  command(
    `create alias ${address} in account ${owner} with recipients [${picks}]`,
    async (model, { service, ports }) => {
      const account = accountOf(model, owner);
      const email = aliasAddress(model, address);
      const recipientIds = idsAt(model, picks);
      const created = await service.createAlias({ account, email, recipientIds });
      const refused = refusal(model, account, recipientIds);
      if (refused !== null) {
        expectMatch(created, refused);
      } else if ([...model.aliases, ...model.erased].some((other) => other.email === email)) {
        expectMatch(created, { error: { code: "address_taken" } });
      } else {
        model.aliases.push({
          account,
          id: valueOf(created).id,
          email,
          events: new Map(),
          destinations: destinationsOf(model, account, recipientIds),
          description: "",
          active: true,
          version: 1,
          updatedAt: ports.clock.now(),
          deletedAt: null,
        });
      }
    },
  );

/** Which version the caller expects: any, the stored one, or the one after it. */
export type Expectation = "any" | "current" | "other";

/**
 * Changes an alias, as its owner or from another account. `outcome` is what the rules of the call itself require: a
 * failure, or the change to the alias.
 */
const change = (
  label: string,
  foreign: boolean,
  n: number,
  expectation: Expectation,
  call: (
    service: Postern,
    target: { account: string; aliasId: string; expectedVersions?: number[] },
    model: Model,
  ) => Promise<Result<unknown, { readonly code: string }>>,
  outcome: (model: Model, alias: ModelAlias, now: number) => { readonly error: object } | Partial<ModelAlias>,
  candidates: (model: Model) => readonly ModelAlias[] = ({ aliases }) => aliases,
): Command =>
  command(
    `${foreign ? "a stranger" : "its owner"} ${label} alias ${n}, expecting version: ${expectation}`,
    async (model, { service, ports }) => {
      const alias = at(candidates(model), n);
      const account =
        model.accounts.find((each) => (each === alias?.account) !== foreign) ?? accountOf(model, 0);
      const version = alias?.version ?? 1;
      const target = { account, aliasId: alias?.id ?? UNKNOWN };
      const expected = { expectedVersions: [expectation === "current" ? version : version + 1] };
      const result = await call(service, expectation === "any" ? target : { ...target, ...expected }, model);
      // Ids count up across both accounts, so no id is used in both.
      if (alias?.account !== account) {
        const { code } = failureOf(result);
        if (code !== "invalid_request") expectEqual(code, "alias_not_found");
        return;
      }
      const change = outcome(model, alias, ports.clock.now());
      if ("error" in change) {
        expectMatch(result, change);
      } else if (expectation === "other") {
        expectMatch(result, { error: { code: "precondition_failed" } });
      } else {
        apply(alias, change, ports.clock.now());
        const { destinations, version, updatedAt, deletedAt } = alias;
        expectMatch(result, { value: { destinations, version, updatedAt, deletedAt } });
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
    `replaces with [${picks}] the recipients of`,
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
    `sets ${JSON.stringify(wanted)} on`,
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

/** Restores a deleted alias, if there is one, with the recipients `picks`; null means those it had. */
export const restore = (
  foreign: boolean,
  n: number,
  picks: readonly number[] | null,
  expectation: Expectation,
): Command =>
  change(
    `restores${picks === null ? "" : ` with recipients [${picks}]`}`,
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
    ({ aliases }) => {
      const deleted = aliases.filter(({ deletedAt }) => deletedAt !== null);
      return deleted.length > 0 ? deleted : aliases;
    },
  );

export const erase = (foreign: boolean, n: number): Command =>
  command(`${foreign ? "a stranger" : "its owner"} erases alias ${n}`, async (model, { service }) => {
    const alias = at([...model.aliases, ...model.erased], n);
    const account =
      model.accounts.find((each) => (each === alias?.account) !== foreign) ?? accountOf(model, 0);
    const result = await service.eraseAlias({ account, aliasId: alias?.id ?? UNKNOWN });
    const stored = model.aliases.find((each) => each.account === account && each.id === alias?.id);
    if (stored === undefined) {
      expectMatch(result, { error: { code: "alias_not_found" } });
      return;
    }
    valueOf(result);
    eraseFrom(model, stored);
  });

const MAX_ERASURES = 100;

export const eraseAccount = (owner: number): Command =>
  command(`erase account ${owner}`, async (model, { service }) => {
    const account = accountOf(model, owner);
    const aliases = model.aliases.filter((alias) => alias.account === account);
    const recipients = model.recipients.filter((recipient) => recipient.account === account);
    const total = { aliases: 0, recipients: 0, done: false };
    for (let calls = 0; !total.done && calls < MAX_ERASURES; calls += 1) {
      const erased = valueOf(await service.eraseAccount({ account }));
      total.aliases += erased.aliases;
      total.recipients += erased.recipients;
      total.done = erased.done;
    }
    expectEqual(total, { aliases: aliases.length, recipients: recipients.length, done: true });
    for (const alias of aliases) eraseFrom(model, alias);
    for (const recipient of recipients) model.recipients.splice(model.recipients.indexOf(recipient), 1);
  });

/** Resolves an address, which the core tries without its tag if there is no exact match. */
export const resolve = (n: number, tag: string | null, upperCase: boolean): Command =>
  command(`resolve address ${n} with tag ${tag}`, async (model, { service }) => {
    const email = aliasAddress(model, n);
    const tagged = tag === null ? email : email.replace("@", `+${tag}@`);
    const resolved = await service.resolveAlias({ address: upperCase ? tagged.toUpperCase() : tagged });
    const exact = model.aliases.find((alias) => alias.email === tagged);
    const base = tagged.replace(/\+.*@/, "@");
    const alias = exact ?? model.aliases.find((each) => each.email === base);
    const expectedTag = exact === undefined ? tagged.slice(base.indexOf("@") + 1, tagged.indexOf("@")) : null;
    if (alias === undefined) {
      expectMatch(resolved, { error: { code: "alias_not_found" } });
    } else if (alias.deletedAt !== null) {
      expectMatch(resolved, DELETED);
    } else if (!alias.active) {
      expectMatch(resolved, {
        error: { code: "alias_inactive", account: alias.account, aliasId: alias.id },
      });
    } else {
      const { id, destinations, version } = alias;
      const found = valueOf(resolved);
      expectMatch(found.alias, { id, destinations, version, tallies: talliesOf(alias) });
      expectEqual(found.tag?.toLowerCase() ?? null, expectedTag);
    }
  });

/** Reports an event. Only its first report counts, even if later ones differ. */
export const report = (
  n: number,
  event: number,
  outcome: MailOutcome,
  ago: number,
  byAddress: boolean,
): Command =>
  command(
    `report event ${event} of alias ${n}: ${outcome}, ${ago} ms ago`,
    async (model, { service, ports }) => {
      const target = at([...model.aliases, ...model.erased], n);
      const eventId = `event-${event}`;
      const reported = { outcome, at: ports.clock.now() - ago };
      const { account, id, email } = target ?? {
        account: accountOf(model, n),
        id: UNKNOWN,
        email: aliasAddress(model, n),
      };
      const reference = byAddress ? { email: email.toUpperCase() } : { account, id };
      const recorded = await service.recordMailOutcome({ alias: reference, eventId, ...reported });
      const alias = model.aliases.find((each) => each === target);
      if (alias === undefined) {
        expectMatch(recorded, { error: { code: "alias_not_found" } });
        return;
      }
      expectMatch(recorded, { value: alias.events.has(eventId) ? "duplicate" : "recorded" });
      if (!alias.events.has(eventId)) alias.events.set(eventId, reported);
    },
  );

export const wait = (milliseconds: number): Command =>
  command(`wait ${milliseconds} ms`, async (_, { ports }) => ports.clock.advance(milliseconds));
