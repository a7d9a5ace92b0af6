import {
  type AccountId,
  Alias,
  type BlockedSender,
  type Domain,
  EmailAddress,
  err,
  ok,
  Recipient,
  type RecipientId,
  Sender,
  type Store,
} from "@postern/core";
import {
  AliasFilter,
  type AliasKey,
  attachments,
  type LedgerEntry,
  type LedgerKey,
  Tallies,
} from "@postern/core/store";
import { inTime } from "../intercepted.ts";
import { keyOf, pageOfAll } from "../stored.ts";
import { type ApiKeyRules, plainApiKeys } from "./api-keys.ts";
import { type ContactRules, plainContacts } from "./contacts.ts";
import { type CreationRules, plainCreations } from "./creations.ts";
import { type Pace, writing } from "./facts.ts";
import { type HandedReportRules, plainHandedReports } from "./handed-reports.ts";
import { type LogRules, plainLog, plainResends, type ResendRules } from "./message-log.ts";
import { type OutboxRules, plainOutbox } from "./outbox.ts";
import { plainWebhooks, type WebhookRules } from "./webhooks.ts";

/** How a store differs from a correct one: the rules that it has instead, and the fact that it reads too early. */
export type Flaws = {
  readonly contacts?: Partial<ContactRules> | undefined;
  readonly messageLog?: Partial<LogRules> | undefined;
  readonly resends?: Partial<ResendRules> | undefined;
  readonly handedReports?: Partial<HandedReportRules> | undefined;
  readonly webhooks?: Partial<WebhookRules> | undefined;
  readonly apiKeys?: Partial<ApiKeyRules> | undefined;
  readonly creations?: Partial<CreationRules> | undefined;
  readonly outbox?: Partial<OutboxRules> | undefined;
  readonly early?: string;
  readonly pace?: Pace | undefined;
};

const isReached = (limit: number, count: number): boolean => limit > 0 && count >= limit;

/**
 * A store that keeps everything in plain lists. Each write reads the facts it depends on and writes in one step, except that it reads the
 * fact `early` beforehand, like a SELECT before the transaction. Without `flaws` it is correct.
 */
export const plainStore = ({ early, pace, ...rules }: Flaws = {}): Store => {
  const aliases = new Map<string, Alias>();
  const recipients = new Map<string, Recipient>();
  const retired = new Set<EmailAddress>();
  const events = new Set<string>();
  const blockedSenders = new Map<string, BlockedSender>();
  const entries = new Map<LedgerKey, LedgerEntry>();
  const suspended = new Map<AccountId, number>();

  const write = writing(early, pace);
  const exists = (alias: AliasKey): boolean => aliases.has(keyOf(alias));
  const messageLog = plainLog(write, exists, rules.messageLog);
  const creations = plainCreations(write, rules.creations);
  const apiKeys = plainApiKeys(write, rules.apiKeys);
  const webhooks = plainWebhooks(write, creations, rules.webhooks);

  const atAddress = (email: EmailAddress): Alias | null =>
    [...aliases.values()].find((alias) => EmailAddress.key(alias.email) === EmailAddress.key(email)) ?? null;

  const recipientsIn = (account: string): readonly Recipient[] =>
    [...recipients.values()].filter((recipient) => recipient.account === account);

  const eligible = (account: string, ids: readonly RecipientId[]): boolean =>
    ids.every((id) => {
      const recipient = recipients.get(keyOf({ account, id }));
      return recipient !== undefined && Recipient.ineligibility(recipient) === null;
    });

  const pick = (account: string, ids: readonly RecipientId[]): readonly Recipient[] =>
    [...new Set(ids)].flatMap((id) => structuredClone(recipients.get(keyOf({ account, id })) ?? []));

  const blockedIn = (account: string): readonly BlockedSender[] =>
    [...blockedSenders.values()].filter((blocked) => blocked.account === account);

  const isBlocked = (account: string, author: EmailAddress | Domain): boolean => {
    const keys = Sender.keysOf(author);
    return blockedIn(account).some(({ sender }) => keys.includes(Sender.key(sender)));
  };

  const contacts = plainContacts(write, (alias) => aliases.get(keyOf(alias)), isBlocked, rules.contacts);

  const countsOf = (account: string, ids: readonly RecipientId[]): ReadonlyMap<string, number> =>
    new Map(ids.map((id) => [id, recipients.get(keyOf({ account, id }))?.attached ?? 0]));

  /** Sets new counts, based on the counts that were read. */
  const count = (
    account: string,
    counts: ReadonlyMap<string, number>,
    { attached, detached }: ReturnType<typeof attachments>,
  ): void => {
    const set = (id: RecipientId, by: 1 | -1) => {
      const recipient = recipients.get(keyOf({ account, id }));
      if (recipient === undefined) return;
      recipients.set(keyOf(recipient), { ...recipient, attached: (counts.get(id) ?? 0) + by });
    };
    for (const id of attached) set(id, 1);
    for (const id of detached) set(id, -1);
  };

  return inTime({
    aliases: {
      findWithRecipients: async (account, id, ids) =>
        ok({
          alias: structuredClone(aliases.get(keyOf({ account, id })) ?? null),
          recipients: pick(account, ids),
        }),

      findByEmail: async (email) => {
        const alias = atAddress(email);
        return ok(structuredClone(alias && Alias.state(alias)));
      },

      list: async (account, page, filter) => {
        const own = [...aliases.values()].filter((alias) => alias.account === account);
        const matching = own.filter((alias) => AliasFilter.matches(alias, filter));
        return ok(structuredClone(pageOfAll(matching, ({ id }) => id, page)));
      },

      create: (alias, limits, creation) =>
        write((fact) => {
          const { account, email } = alias;
          const change = attachments(null, alias);
          const changed = [...change.attached, ...change.detached];
          const idTaken = fact("id in aliases.create", () => aliases.has(keyOf(alias)));
          const addressTaken = fact(
            "address in aliases.create",
            () => atAddress(email) !== null || retired.has(EmailAddress.key(email)),
          );
          const existing = fact(
            "count in aliases.create",
            () => [...aliases.values()].filter((other) => other.account === account).length,
          );
          const areEligible = fact("eligibility in aliases.create", () => eligible(account, change.attached));
          const counts = fact("counts in aliases.create", () => countsOf(account, changed));
          const isRepeated = fact("creation in aliases.create", () => creations.isRepeated(creation));
          return () => {
            if (isRepeated()) return err({ code: "already_created" });
            creations.add(creation, false);
            if (idTaken()) return err({ code: "conflict" });
            if (addressTaken()) return err({ code: "address_taken" });
            if (isReached(limits.aliases, existing())) {
              return err({ code: "too_many_aliases", limit: limits.aliases });
            }
            if (!areEligible()) return err({ code: "conflict" });
            count(account, counts(), change);
            aliases.set(keyOf(alias), structuredClone(alias));
            creations.add(creation, true);
            return ok();
          };
        }),

      save: (before, after) =>
        write((fact) => {
          const { account } = before;
          const key = keyOf(before);
          const change = attachments(before, after);
          const changed = [...change.attached, ...change.detached];
          const restoring = before.deletedAt !== null && after.deletedAt === null;
          const version = fact("version in aliases.save", () => aliases.get(key)?.version);
          const areEligible = fact(
            restoring ? "eligibility in a restoring aliases.save" : "eligibility in aliases.save",
            () => eligible(account, change.attached),
          );
          const counts = fact("counts in aliases.save", () => countsOf(account, changed));
          const tallies = fact("tallies in aliases.save", () => aliases.get(key)?.tallies ?? Tallies.none);
          return () => {
            const stored = aliases.get(key);
            if (stored === undefined || version() !== before.version || !areEligible()) {
              return err({ code: "conflict" });
            }
            count(account, counts(), change);
            const { id, email, createdAt } = stored;
            const settings = structuredClone(after);
            aliases.set(key, { ...settings, id, account, email, createdAt, tallies: tallies() });
            return ok();
          };
        }),

      recordOutcome: (reference, event) =>
        write((fact) => {
          const find = () =>
            "email" in reference ? atAddress(reference.email) : aliases.get(keyOf(reference));
          const alias = fact("alias in aliases.recordOutcome", () => find() ?? null);
          const eventKey = () => JSON.stringify([alias()?.account, alias()?.id, event.id]);
          const known = fact("event in aliases.recordOutcome", () => events.has(eventKey()));
          const tallies = fact("tallies in aliases.recordOutcome", () => find()?.tallies ?? Tallies.none);
          const settings = fact("settings in aliases.recordOutcome", () => find() ?? null);
          return () => {
            const counted = alias();
            if (counted === null) return err({ code: "alias_not_found" });
            if (known()) return ok("duplicate");
            events.add(eventKey());
            const added = Tallies.add(tallies(), event.outcome, event.at);
            aliases.set(keyOf(counted), { ...(settings() ?? counted), tallies: added });
            return ok("recorded");
          };
        }),

      erase: (alias) =>
        write((fact) => {
          const key = keyOf(alias);
          const version = fact("version in aliases.erase", () => aliases.get(key)?.version);
          return () => {
            const stored = aliases.get(key);
            if (version() !== alias.version) return err({ code: "conflict" });
            const detached = stored === undefined ? [] : Alias.attachedRecipients(stored);
            count(alias.account, countsOf(alias.account, detached), { attached: [], detached });
            aliases.delete(key);
            retired.add(EmailAddress.key(alias.email));
            contacts.forget(alias);
            messageLog.forget(alias);
            for (const each of events) if (each.startsWith(key.slice(0, -1))) events.delete(each);
            return ok();
          };
        }),

      retireAddress: (email) =>
        write((fact) => {
          const alias = fact("alias in aliases.retireAddress", () => atAddress(email));
          return () => {
            if (alias() !== null) return err({ code: "address_taken" });
            retired.add(EmailAddress.key(email));
            return ok();
          };
        }),

      isRetired: async (email) => ok(retired.has(EmailAddress.key(email))),

      listRetiredAddresses: async (page) => ok(pageOfAll([...retired], (email) => email, page)),
    },

    recipients: {
      find: async (account, id) => ok(pick(account, [id])[0] ?? null),

      findAll: async (account, ids) => ok(pick(account, ids)),

      list: async (account, page) =>
        ok(structuredClone(pageOfAll(recipientsIn(account), ({ id }) => id, page))),

      create: (recipient, limits) =>
        write((fact) => {
          const { account } = recipient;
          const email = EmailAddress.key(recipient.email);
          const idTaken = fact("id in recipients.create", () => recipients.has(keyOf(recipient)));
          const addressTaken = fact("address in recipients.create", () =>
            recipientsIn(account).some((other) => EmailAddress.key(other.email) === email),
          );
          const existing = fact("count in recipients.create", () => recipientsIn(account).length);
          const unverified = fact(
            "unverified ones in recipients.create",
            () => recipientsIn(account).filter(({ verifiedAt }) => verifiedAt === null).length,
          );
          return () => {
            if (idTaken()) return err({ code: "conflict" });
            if (addressTaken()) return err({ code: "address_taken" });
            if (isReached(limits.recipients, existing())) {
              return err({ code: "too_many_recipients", limit: limits.recipients });
            }
            if (recipient.verifiedAt === null && isReached(limits.unverifiedRecipients, unverified())) {
              return err({ code: "too_many_unverified_recipients", limit: limits.unverifiedRecipients });
            }
            recipients.set(keyOf(recipient), { ...structuredClone(recipient), attached: 0 });
            return ok();
          };
        }),

      save: (before, after) =>
        write((fact) => {
          const key = keyOf(before);
          const version = fact("version in recipients.save", () => recipients.get(key)?.version);
          const attached = fact("attachment in recipients.save", () => recipients.get(key)?.attached ?? 0);
          const count = fact("count in recipients.save", () => recipients.get(key)?.attached ?? 0);
          return () => {
            if (version() !== before.version) return err({ code: "conflict" });
            if (attached() > 0 && Recipient.ineligibility(after) !== null) return err({ code: "conflict" });
            const { id, account, email, createdAt } = recipients.get(key) ?? before;
            const settings = structuredClone(after);
            recipients.set(key, { ...settings, id, account, email, createdAt, attached: count() });
            return ok();
          };
        }),

      remove: (recipient) =>
        write((fact) => {
          const key = keyOf(recipient);
          const version = fact("version in recipients.remove", () => recipients.get(key)?.version);
          const attached = fact("attachment in recipients.remove", () => recipients.get(key)?.attached ?? 0);
          return () => {
            if (version() !== recipient.version || attached() > 0) return err({ code: "conflict" });
            recipients.delete(key);
            return ok();
          };
        }),
    },

    contacts: contacts.ports,
    messageLog: messageLog.ports,
    resends: plainResends(write, rules.resends),
    handedReports: plainHandedReports(write, rules.handedReports),
    webhooks: webhooks.ports,
    apiKeys: apiKeys.ports,
    creations: creations.ports,
    outbox: plainOutbox(write, rules.outbox),

    blockedSenders: {
      block: (blocked, { blockedSenders: limit }) =>
        write((fact) => {
          const own = () => blockedIn(blocked.account);
          const stored = fact("sender in blockedSenders.block", () =>
            own().find(({ sender }) => Sender.key(sender) === Sender.key(blocked.sender)),
          );
          return () => {
            const same = stored();
            if (same !== undefined) return ok({ blocked: structuredClone(same), isNew: false });
            if (blockedSenders.has(keyOf(blocked))) return err({ code: "conflict" });
            if (isReached(limit, own().length)) return err({ code: "too_many_blocked_senders", limit });
            blockedSenders.set(keyOf(blocked), structuredClone(blocked));
            return ok({ blocked: structuredClone(blocked), isNew: true });
          };
        }),

      unblock: (account, id) =>
        write(() => () => {
          blockedSenders.delete(keyOf({ account, id }));
          return ok();
        }),

      list: async (account, page) => ok(structuredClone(pageOfAll(blockedIn(account), ({ id }) => id, page))),
    },

    mailLedger: {
      find: async (keys) => ok(structuredClone([...new Set(keys)].flatMap((key) => entries.get(key) ?? []))),

      save: (changed) =>
        write((fact) => {
          const agree = fact("version in mailLedger.save", () =>
            changed.every(({ key, version }) => (entries.get(key)?.version ?? 0) === version - 1),
          );
          return () => {
            if (!agree()) return err({ code: "conflict" });
            for (const entry of structuredClone(changed)) entries.set(entry.key, entry);
            return ok();
          };
        }),

      list: async (page) => ok(structuredClone(pageOfAll([...entries.values()], ({ key }) => key, page))),
    },

    suspensions: {
      find: async (account) => ok(suspended.get(account) ?? null),

      suspend: (account, at) =>
        write((fact) => {
          const since = fact("time in suspensions.suspend", () => suspended.get(account) ?? at);
          return () => {
            suspended.set(account, Math.min(at, since()));
            return ok();
          };
        }),

      resume: (account) =>
        write(() => () => {
          suspended.delete(account);
          return ok();
        }),
    },

    accounts: async (page) => {
      const stored = [...aliases.values(), ...recipients.values(), ...blockedSenders.values()];
      const owners = stored.map(({ account }) => account);
      const all = new Set([...owners, ...webhooks.owners(), ...apiKeys.owners(), ...suspended.keys()]);
      return ok(pageOfAll([...all], (account): string => account, page));
    },

    ping: async () => ok(),
  });
};
