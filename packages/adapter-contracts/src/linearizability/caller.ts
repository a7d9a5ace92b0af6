import {
  type AccountId,
  type Alias,
  type AliasId,
  type Clock,
  type Conflict,
  type DomainError,
  type EmailAddress,
  NO_LIMITS,
  parseAliasId,
  parseDomain,
  parseEmailAddress,
  parseEventId,
  type Recipient,
  type Result,
  type Store,
} from "@postern/core";
import {
  createAlias,
  deleteAlias,
  deleteRecipient,
  eraseAlias,
  getAlias,
  getRecipient,
  reassignRecipient,
  replaceRecipients,
  restoreAlias,
  updateAlias,
  updateRecipient,
} from "@postern/core/operations";
import type { AliasReference } from "@postern/core/store";
import { testPorts, valueOf } from "@postern/core/testing";
import type { AliasState, Operation } from "./model.ts";
import type { Outcome } from "./parts.ts";

const DOMAIN = "alias.example";

/** Long enough for a busy machine: after its deadline, it is unknown what a call did. */
const TIMEOUT_MS = 20_000;

const leftBy = ({
  version,
  destinations,
  active,
  deletedAt,
}: Omit<Alias, "tallies">): Omit<AliasState, "count"> => ({
  version,
  list: destinations.map(({ recipientId }) => recipientId),
  active,
  deleted: deletedAt !== null,
});

const seen = (alias: Alias): AliasState => ({ ...leftBy(alias), count: alias.tallies.sent.count });

const recipientOf = ({ active, attached }: Recipient): Outcome => ({ active, attached });

const failureOf = (error: DomainError | Conflict): Outcome | null => {
  switch (error.code) {
    case "unavailable":
      return null;
    case "recipients_ineligible":
      return { ineligible: error.recipients };
    case "alias_not_found":
    case "alias_deleted":
    case "address_taken":
    case "precondition_failed":
    case "recipient_attached":
    case "recipient_not_found":
      return error.code;
    default:
      throw new Error(`no call here may return ${error.code}`);
  }
};

let events = 0;

/** Never the same event twice; some are older than the previous one. */
const nextEvent = () => {
  events += 1;
  const id = valueOf(parseEventId(`event-${events}`));
  return { id, outcome: "sent", at: 1_000_000 + events - 2 * (events % 3) } as const;
};

/** Knows the ids and addresses of the aliases of an account by their names, which are also the ids of those that exist initially. */
export type Names = {
  readonly account: AccountId;
  readonly addressOf: (name: string) => EmailAddress;
  readonly idOf: (name: string) => AliasId;
  readonly nameOf: (id: AliasId) => string;
  /** A new id for an alias with this name. */
  readonly newId: (name: string) => AliasId;
};

export const namesIn = (account: AccountId): Names => {
  const created = new Map<AliasId, string>();
  return {
    account,
    addressOf: (name) => valueOf(parseEmailAddress(`${name}-${account}@${DOMAIN}`)),
    idOf: (name) => valueOf(parseAliasId(name)),
    nameOf: (id) => created.get(id) ?? id,
    newId: (name) => {
      const id = valueOf(parseAliasId(`${name}-${created.size + 1}`));
      created.set(id, name);
      return id;
    },
  };
};

/** Makes the model's calls through the core's use cases. Returns null if the outcome of a call is unknown. */
export const caller = (store: Store, clock: Clock, names: Names) => {
  const { aliases } = store;
  const { account, addressOf, idOf, nameOf } = names;
  const ports = { ...store, clock, timeoutMs: TIMEOUT_MS };
  const [read, replace, update] = [getAlias(ports), replaceRecipients(ports), updateAlias(ports)];
  const [remove, restore, erase] = [deleteAlias(ports), restoreAlias(ports), eraseAlias(ports)];
  const [look, switchRecipient, removeRecipient, reassign] = [
    getRecipient(ports),
    updateRecipient(ports),
    deleteRecipient(ports),
    reassignRecipient(ports),
  ];
  const { secrets } = testPorts();
  const create = (name: string) =>
    createAlias({
      ...ports,
      ids: { alias: () => names.newId(name) },
      secrets,
      aliasDomains: [valueOf(parseDomain(DOMAIN))],
      limits: NO_LIMITS,
    });

  const report = async (alias: AliasReference): Promise<Outcome | null> =>
    (await aliases.recordOutcome(alias, nextEvent())).match((outcome) => {
      if (outcome !== "recorded") throw new Error(`a new event was ${outcome}`);
      return outcome;
    }, failureOf);

  return async (call: Operation): Promise<Outcome | null> => {
    const target = (name: string, ifMatch: number | null) => ({
      account,
      aliasId: idOf(name),
      ...(ifMatch === null ? {} : { expectedVersions: [ifMatch] }),
    });
    const changed = (result: Result<Alias, DomainError>): Outcome | null =>
      result.match<Outcome | null, Outcome | null>(leftBy, failureOf);
    switch (call.call) {
      case "read":
        return (await read({ account, aliasId: idOf(call.alias) })).match<Outcome | null, Outcome | null>(
          seen,
          failureOf,
        );
      case "resolve":
        return (await aliases.findByEmail(addressOf(call.alias))).match(
          (alias) => (alias === null ? "alias_not_found" : leftBy(alias)),
          failureOf,
        );
      case "report":
        return report({ account, id: idOf(call.alias) });
      case "report by address":
        return report({ email: addressOf(call.alias) });
      case "erase":
        return (await erase({ account, aliasId: idOf(call.alias) })).match(
          (): Outcome => "erased",
          failureOf,
        );
      case "create":
        return changed(
          await create(call.alias)({ account, email: addressOf(call.alias), recipientIds: call.list }),
        );
      case "replace":
        return changed(await replace({ ...target(call.alias, call.ifMatch), recipientIds: call.list }));
      case "switch":
        return changed(await update({ ...target(call.alias, call.ifMatch), active: call.active }));
      case "delete":
        return changed(await remove(target(call.alias, call.ifMatch)));
      case "restore":
        return changed(
          await restore({ ...target(call.alias, call.ifMatch), recipientIds: call.list ?? undefined }),
        );
      case "reassign":
        return (await reassign({ account, recipientId: call.recipient, to: call.to })).match(
          ({ reassigned, remaining, next }): Outcome => ({
            reassigned: reassigned.map(nameOf),
            remaining,
            complete: next === null,
          }),
          failureOf,
        );
      case "look":
        return (await look({ account, recipientId: call.recipient })).match(recipientOf, failureOf);
      case "activate":
      case "deactivate": {
        const active = call.call === "activate";
        return (await switchRecipient({ account, recipientId: call.recipient, active })).match(
          recipientOf,
          failureOf,
        );
      }
      case "remove":
        return (await removeRecipient({ account, recipientId: call.recipient })).match(
          (): Outcome => "removed",
          failureOf,
        );
    }
  };
};
