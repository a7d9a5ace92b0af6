import {
  type AccountId,
  Alias,
  AliasRules,
  type ApiKey,
  type ApiKeyId,
  type BlockedSender,
  EmailAddress,
  err,
  ok,
  Recipient,
  type RecipientId,
  Sender,
  type Store,
  type Webhook,
  type WebhookId,
} from "@postern/core";
import { type AliasKey, attachments, frozen, pageBy, Tallies } from "@postern/core/store";
import { type AliasCollection, aliasCollection, SAME_RECIPIENTS } from "./alias-collection.ts";
import { frozenRecord, frozenRecords } from "./frozen.ts";
import { memoryApiKeys } from "./memory-api-keys.ts";
import { memoryBlockedSenders } from "./memory-blocked-senders.ts";
import { memoryContacts } from "./memory-contacts.ts";
import { memoryCreations } from "./memory-creations.ts";
import { memoryHandedReports } from "./memory-handed-reports.ts";
import { memoryMailLedger } from "./memory-mail-ledger.ts";
import { memoryMessageLog } from "./memory-message-log.ts";
import { memoryOutbox } from "./memory-outbox.ts";
import { memoryResends } from "./memory-resends.ts";
import { memorySuspensions } from "./memory-suspensions.ts";
import { memoryWebhooks } from "./memory-webhooks.ts";
import { noTimeLeft } from "./no-time-left.ts";
import { placeOf } from "./place-of.ts";
import type { Attachments } from "./recipient-index.ts";

/** One account's data, frozen, in maps of its own: nothing in it can be reached through another account. */
type Tenant = { readonly aliases: AliasCollection; readonly recipients: Map<RecipientId, Recipient> };

/** The owner of an address; `retired` when its alias was erased. */
type Owner = Pick<Alias, "account" | "id"> | "retired";

/** Whether an account has reached a limit; 0 means no limit. */
const isReached = (limit: number, count: number): boolean => limit > 0 && count >= limit;

/**
 * An empty store in memory, for tests and trials. It fulfills the whole contract: each call is atomic, so no other call
 * ever sees it half done. Nothing survives the process. The store remembers the id of every mail event, and the log of every
 * alias, for as long as it exists.
 *
 * @example
 * ```ts
 * const service = postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...testPorts() });
 * ```
 */
export const memoryStore = (): Store => {
  const tenants = new Map<AccountId, Tenant>();
  const blockedSenders = new Map<AccountId, Map<string, BlockedSender>>();
  const webhooks = new Map<AccountId, Map<WebhookId, Webhook>>();
  const apiKeys = new Map<AccountId, Map<ApiKeyId, ApiKey>>();
  const suspendedSince = new Map<AccountId, number>();
  const addresses = new Map<EmailAddress, Owner>();
  /** The ids of the events counted for each alias. */
  const events = new Map<string, Set<string>>();

  /** The account's data; an account without data takes no memory. */
  const tenant = (account: AccountId): Tenant =>
    tenants.get(account) ?? { aliases: aliasCollection(), recipients: new Map() };

  const pick = (account: AccountId, ids: readonly RecipientId[]): readonly Recipient[] => {
    const { recipients } = tenant(account);
    const picked: Recipient[] = [];
    for (const id of new Set(ids)) {
      const recipient = recipients.get(id);
      if (recipient !== undefined) picked.push(recipient);
    }
    return picked;
  };

  /** Attaches and detaches recipients. Returns false and changes nothing if one cannot be attached (rule 3). */
  const attach = (account: AccountId, { attached, detached }: Attachments): boolean => {
    const { recipients } = tenant(account);
    for (const id of attached) {
      const recipient = recipients.get(id);
      if (recipient === undefined || Recipient.ineligibility(recipient) !== null) return false;
    }
    const count = (id: RecipientId, by: 1 | -1) => {
      const recipient = recipients.get(id);
      if (recipient !== undefined)
        recipients.set(id, Object.freeze({ ...recipient, attached: recipient.attached + by }));
    };
    for (const id of attached) count(id, 1);
    for (const id of detached) count(id, -1);
    return true;
  };

  /** The alias with this address. */
  const atAddress = (email: EmailAddress): Alias | undefined => {
    const owner = addresses.get(EmailAddress.key(email));
    return owner === undefined || owner === "retired"
      ? undefined
      : tenant(owner.account).aliases.get(owner.id);
  };

  const findAlias = ({ account, id }: AliasKey): Alias | undefined => tenant(account).aliases.get(id);
  const hasAlias = (alias: AliasKey): boolean => findAlias(alias) !== undefined;
  const { contacts, forget: forgetContacts } = memoryContacts(findAlias, (account, author) =>
    Sender.keysOf(author).some((key) => blockedSenders.get(account)?.has(key)),
  );
  const { messageLog, forget: forgetMessages } = memoryMessageLog(hasAlias);
  const { resends, forget: forgetResends } = memoryResends(hasAlias);

  const { creations, isRepeated, add: addCreation } = memoryCreations();

  const forgetIfEmpty = (account: AccountId): void => {
    const { aliases, recipients } = tenant(account);
    if (aliases.size === 0 && recipients.size === 0) tenants.delete(account);
  };

  return {
    aliases: {
      findWithRecipients: async (account, id, ids, timeLeft) =>
        noTimeLeft(timeLeft) ??
        ok({ alias: tenant(account).aliases.get(id) ?? null, recipients: pick(account, ids) }),

      findByEmail: async (email, timeLeft) => {
        const late = noTimeLeft(timeLeft);
        if (late !== null) return late;
        const alias = atAddress(email);
        return ok(alias === undefined ? null : Alias.state(alias));
      },

      list: async (account, page, filter, timeLeft) => {
        const late = noTimeLeft(timeLeft);
        if (late !== null) return late;
        return ok(tenant(account).aliases.list(page, filter));
      },

      create: async (alias, limits, creation, timeLeft) => {
        const late = noTimeLeft(timeLeft);
        if (late !== null) return late;
        if (isRepeated(creation)) return err({ code: "already_created" });
        const own = tenant(alias.account);
        const address = EmailAddress.key(alias.email);
        if (own.aliases.get(alias.id) !== undefined) return err({ code: "conflict" });
        if (addresses.has(address)) return err({ code: "address_taken" });
        if (isReached(limits.aliases, own.aliases.size)) {
          return err({ code: "too_many_aliases", limit: limits.aliases });
        }
        const attached = attachments(null, alias);
        if (!attach(alias.account, attached)) return err({ code: "conflict" });
        addresses.set(address, { account: alias.account, id: alias.id });
        const destinations = frozenRecords(alias.destinations);
        // Frozen already, and shared: a copy for each alias would take a sixth of its memory.
        const tallies = alias.tallies === Tallies.none ? alias.tallies : frozen(alias.tallies);
        const rules = alias.rules === AliasRules.none ? alias.rules : frozen(alias.rules);
        own.aliases.put(Object.freeze({ ...alias, destinations, tallies, rules }), attached);
        tenants.set(alias.account, own);
        addCreation(creation);
        return ok();
      },

      save: async (before, after, timeLeft) => {
        const late = noTimeLeft(timeLeft);
        if (late !== null) return late;
        const { aliases } = tenant(before.account);
        const stored = aliases.get(before.id);
        if (stored?.version !== before.version) return err({ code: "conflict" });
        const changed = attachments(stored, after);
        if (!attach(before.account, changed)) return err({ code: "conflict" });
        const { id, account, email, createdAt, tallies } = stored;
        const destinations = frozenRecords(after.destinations);
        const rules = after.rules === stored.rules ? stored.rules : frozen(after.rules);
        aliases.put(
          Object.freeze({ ...after, destinations, rules, id, account, email, createdAt, tallies }),
          changed,
        );
        return ok();
      },

      recordOutcome: async (reference, event, timeLeft) => {
        const late = noTimeLeft(timeLeft);
        if (late !== null) return late;
        const alias =
          "email" in reference
            ? atAddress(reference.email)
            : tenant(reference.account).aliases.get(reference.id);
        if (alias === undefined) return err({ code: "alias_not_found" });
        const counted = events.get(placeOf(alias)) ?? new Set();
        if (counted.has(event.id)) return ok("duplicate");
        events.set(placeOf(alias), counted.add(event.id));
        const tallies = frozen(Tallies.add(alias.tallies, event.outcome, event.at));
        tenant(alias.account).aliases.put(Object.freeze({ ...alias, tallies }), SAME_RECIPIENTS);
        return ok("recorded");
      },

      erase: async ({ account, id, version }, timeLeft) => {
        const late = noTimeLeft(timeLeft);
        if (late !== null) return late;
        const { aliases } = tenant(account);
        const stored = aliases.get(id);
        if (stored?.version !== version) return err({ code: "conflict" });
        attach(account, { attached: [], detached: Alias.attachedRecipients(stored) });
        aliases.delete(id);
        events.delete(placeOf(stored));
        forgetContacts(stored);
        forgetMessages(stored);
        forgetResends(stored);
        addresses.set(EmailAddress.key(stored.email), "retired");
        forgetIfEmpty(account);
        return ok();
      },

      retireAddress: async (email) => {
        if (atAddress(email) !== undefined) return err({ code: "address_taken" });
        addresses.set(EmailAddress.key(email), "retired");
        return ok();
      },

      isRetired: async (email, timeLeft) =>
        noTimeLeft(timeLeft) ?? ok(addresses.get(EmailAddress.key(email)) === "retired"),

      listRetiredAddresses: async (request) => {
        const retired = [...addresses].flatMap(([key, owner]) => (owner === "retired" ? [key] : []));
        return ok(pageBy(retired, (address) => address, request));
      },
    },

    recipients: {
      find: async (account, id, timeLeft) =>
        noTimeLeft(timeLeft) ?? ok(tenant(account).recipients.get(id) ?? null),

      findAll: async (account, ids, timeLeft) => noTimeLeft(timeLeft) ?? ok(pick(account, ids)),

      list: async (account, request, timeLeft) =>
        noTimeLeft(timeLeft) ?? ok(pageBy(tenant(account).recipients.values(), ({ id }) => id, request)),

      create: async (recipient, limits, timeLeft) => {
        const late = noTimeLeft(timeLeft);
        if (late !== null) return late;
        const own = tenant(recipient.account);
        const address = EmailAddress.key(recipient.email);
        if (own.recipients.has(recipient.id)) return err({ code: "conflict" });
        for (const { email } of own.recipients.values()) {
          if (EmailAddress.key(email) === address) return err({ code: "address_taken" });
        }
        const { recipients, unverifiedRecipients } = limits;
        if (isReached(recipients, own.recipients.size)) {
          return err({ code: "too_many_recipients", limit: recipients });
        }
        const unverified = [...own.recipients.values()].filter(({ verifiedAt }) => verifiedAt === null);
        if (recipient.verifiedAt === null && isReached(unverifiedRecipients, unverified.length)) {
          return err({ code: "too_many_unverified_recipients", limit: unverifiedRecipients });
        }
        own.recipients.set(recipient.id, frozenRecord({ ...recipient, attached: 0 }));
        tenants.set(recipient.account, own);
        return ok();
      },

      save: async (before, after, timeLeft) => {
        const late = noTimeLeft(timeLeft);
        if (late !== null) return late;
        const { recipients } = tenant(before.account);
        const stored = recipients.get(before.id);
        if (stored?.version !== before.version) return err({ code: "conflict" });
        if (stored.attached > 0 && Recipient.ineligibility(after) !== null) return err({ code: "conflict" });
        const { id, account, email, createdAt, attached } = stored;
        recipients.set(id, frozenRecord({ ...after, id, account, email, createdAt, attached }));
        return ok();
      },

      remove: async ({ account, id, version }, timeLeft) => {
        const late = noTimeLeft(timeLeft);
        if (late !== null) return late;
        const { recipients } = tenant(account);
        const stored = recipients.get(id);
        if (stored?.version !== version || stored.attached > 0) return err({ code: "conflict" });
        recipients.delete(id);
        forgetIfEmpty(account);
        return ok();
      },
    },

    contacts,

    blockedSenders: memoryBlockedSenders(blockedSenders),

    messageLog,

    resends,

    handedReports: memoryHandedReports(),

    webhooks: memoryWebhooks(webhooks, { isRepeated, add: addCreation }),

    creations,

    outbox: memoryOutbox(),

    apiKeys: memoryApiKeys(apiKeys),

    mailLedger: memoryMailLedger(),

    suspensions: memorySuspensions(suspendedSince),

    accounts: async (request) => {
      const accounts = new Set([
        ...tenants.keys(),
        ...blockedSenders.keys(),
        ...webhooks.keys(),
        ...apiKeys.keys(),
        ...suspendedSince.keys(),
      ]);
      return ok(pageBy(accounts, (account) => account, request));
    },

    ping: async () => ok(),
  };
};
