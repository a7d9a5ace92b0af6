import type { Postern, Result } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { expectEqual, expectMatch, expectOutcome } from "../../expect.ts";
import { type Command, command } from "./command.ts";
import {
  accountOf,
  aliasAddress,
  apply,
  at,
  countIn,
  createdWith,
  destinationsOf,
  eraseFrom,
  idsAt,
  isOver,
  isReached,
  type Model,
  type ModelAlias,
  type ModelRules,
  refusal,
  rememberCreation,
  UNKNOWN,
} from "./model.ts";

export const KEY_REUSED = { error: { code: "idempotency_key_reused" } };

const createLabel = (owner: number, address: number, picks: readonly number[], key: string | undefined) =>
  `create alias ${address} in account ${owner} for [${picks}]${key === undefined ? "" : `, with the key ${key}`}`;

/** Creates an alias, perhaps with an idempotency key, which may have been used before. */
export const create = (
  owner: number,
  address: number,
  picks: readonly number[],
  idempotencyKey?: string,
): Command =>
  command(createLabel(owner, address, picks, idempotencyKey), async (model, { service, ports }) => {
    const account = accountOf(model, owner);
    const email = aliasAddress(model, address);
    const recipientIds = idsAt(model, picks);
    const refused = refusal(model, account, recipientIds);
    const now = ports.clock.now();
    const asked = JSON.stringify([email, ...new Set(recipientIds)]);
    const earlier = createdWith(model, account, idempotencyKey, now);
    if (idempotencyKey !== undefined) {
      const isRepeat = await service.hasCreatedWith({ account, idempotencyKey });
      expectEqual(valueOf(isRepeat), earlier !== undefined);
    }
    const created = await service.createAlias({ account, email, recipientIds, idempotencyKey });
    if (earlier !== undefined && recipientIds.length > 0) {
      const alias = model.aliases.find((each) => each.account === account && each.id === earlier.id);
      if (earlier.asked !== asked) expectMatch(created, KEY_REUSED);
      else if (alias === undefined) expectMatch(created, { error: { code: "alias_not_found" } });
      else expectMatch(created, { value: { id: alias.id, email, version: alias.version } });
      return;
    }
    if (refused !== null) {
      expectMatch(created, refused);
      return;
    }
    expectOutcome(created, [
      [...model.aliases, ...model.erased].some((other) => other.email === email) && "address_taken",
      isReached(model.limits.aliases, countIn(account, model.aliases)) && "too_many_aliases",
    ]);
    if (created.isOk()) {
      rememberCreation(model, { account, key: idempotencyKey, asked, id: created.value.id, at: now });
      model.aliases.push({
        account,
        id: created.value.id,
        email,
        contacts: [],
        messages: [],
        events: new Map(),
        destinations: destinationsOf(model, account, recipientIds),
        description: "",
        website: "",
        active: true,
        rules: { acceptFrom: "everybody", senders: [], activeUntil: null, messagesLeft: null },
        version: 1,
        updatedAt: ports.clock.now(),
        deletedAt: null,
      });
    }
  });

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
    now: number,
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
      const now = ports.clock.now();
      const named = expectation === "any" ? target : { ...target, ...expected };
      const result = await call(service, named, model, now);
      // Ids count up across both accounts, so no id is used in both.
      if (alias?.account !== account) {
        const { code } = failureOf(result);
        if (code !== "invalid_request") expectEqual(code, "alias_not_found");
        return;
      }
      const change = outcome(model, alias, now);
      if ("error" in change) {
        expectMatch(result, change);
      } else if (expectation === "other") {
        expectMatch(result, { error: { code: "precondition_failed" } });
      } else {
        apply(alias, change, now);
        const { destinations, rules, version, updatedAt, deletedAt } = alias;
        expectMatch(result, { value: { destinations, rules, version, updatedAt, deletedAt } });
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
    (_, { deletedAt, rules }, now) => {
      if (deletedAt !== null) return DELETED;
      // No mail is sent here, so no limit on messages has been reached.
      const again = wanted.active === true && isOver({ rules }, now);
      return again ? { ...wanted, rules: { ...rules, activeUntil: null } } : wanted;
    },
  );

export const moveTo = (foreign: boolean, n: number, website: string, expectation: Expectation): Command =>
  change(
    `says that ${JSON.stringify(website)} is the website of`,
    foreign,
    n,
    expectation,
    (service, target) => service.updateAliasWebsite({ ...target, website }),
    (_, { deletedAt }) => (deletedAt !== null ? DELETED : { website }),
  );

/** Changes the rules. The alias ends after `endsAfter` milliseconds; null for never. */
export const changeRules = (
  foreign: boolean,
  n: number,
  { endsAfter, ...others }: Partial<Omit<ModelRules, "activeUntil">> & { readonly endsAfter?: number | null },
  expectation: Expectation,
): Command => {
  const wanted = (now: number): Partial<ModelRules> =>
    endsAfter === undefined
      ? others
      : { ...others, activeUntil: endsAfter === null ? null : now + endsAfter };
  return change(
    `sets the rules ${JSON.stringify({ ...others, endsAfter })} of`,
    foreign,
    n,
    expectation,
    (service, target, _, now) => service.updateAliasRules({ ...target, ...wanted(now) }),
    (_, { deletedAt, rules }, now) =>
      deletedAt === null ? { rules: { ...rules, ...wanted(now) } } : DELETED,
  );
};

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
    `restores${picks === null ? "" : ` for [${picks}]`}`,
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
