import {
  type AccountId,
  type Alias,
  AliasFilter,
  type AliasId,
  attachments,
  compareIds,
  EmailAddress,
  type Page,
  type PageRequest,
  Recipient,
  type RecipientId,
  type Store,
  Tallies,
} from "@postern/core";
import { err, ok } from "neverthrow";

/** One account's own. Nothing in it can be reached under another account's key. */
type Tenant = { readonly aliases: Map<AliasId, Alias>; readonly recipients: Map<RecipientId, Recipient> };

/** What the map holds is the store's alone: values are copied on their way in and out. */
const copy = <T>(value: T): T => structuredClone(value);

const page = <T extends { readonly id: Id }, Id extends string>(
  all: Iterable<T>,
  { limit, after }: PageRequest<Id>,
): Page<T, Id> => {
  const rest = [...all]
    .filter(({ id }) => after === null || compareIds(id, after) < 0)
    .sort((a, b) => compareIds(b.id, a.id));
  const items = rest.slice(0, limit);
  return { items: copy(items), next: rest.length > limit ? (items.at(-1)?.id ?? null) : null };
};

/**
 * A store in memory, empty at first. It holds the whole contract: each call happens at once, so that no
 * other call ever sees half of it. Nothing survives the process, and every mail event's identity is remembered for as
 * long as it runs: for tests and trials.
 */
export const memoryStore = (): Store => {
  const tenants = new Map<AccountId, Tenant>();
  const addresses = new Map<string, Pick<Alias, "account" | "id">>();
  const events = new Set<string>();

  /** The tenant as it is now; an account that has nothing has no place in memory either. */
  const tenant = (account: AccountId): Tenant =>
    tenants.get(account) ?? { aliases: new Map(), recipients: new Map() };

  const pick = (account: AccountId, ids: readonly RecipientId[]): readonly Recipient[] =>
    [...new Set(ids)]
      .map((id) => tenant(account).recipients.get(id))
      .filter((recipient) => recipient !== undefined)
      .map(copy);

  /** Attaches and detaches what the change from `before` to `after` asks for; false, and nothing done, where rule 3 forbids it. */
  const attach = (before: Alias | null, after: Alias): boolean => {
    const { recipients } = tenant(after.account);
    const { attached, detached } = attachments(before, after);
    const gained = attached.map((id) => recipients.get(id));
    if (gained.some((recipient) => recipient === undefined || Recipient.ineligibility(recipient) !== null)) {
      return false;
    }
    const count = (id: RecipientId, by: 1 | -1) => {
      const recipient = recipients.get(id);
      if (recipient !== undefined) recipients.set(id, { ...recipient, attached: recipient.attached + by });
    };
    for (const id of attached) count(id, 1);
    for (const id of detached) count(id, -1);
    return true;
  };

  return {
    aliases: {
      findWithRecipients: async (account, id, ids) =>
        ok({ alias: copy(tenant(account).aliases.get(id) ?? null), recipients: pick(account, ids) }),

      list: async (account, request, filter) => {
        const all = [...tenant(account).aliases.values()];
        return ok(
          page(
            all.filter((alias) => AliasFilter.matches(alias, filter)),
            request,
          ),
        );
      },

      create: async (alias) => {
        const { aliases } = tenant(alias.account);
        const address = EmailAddress.key(alias.email);
        if (aliases.has(alias.id)) return err({ code: "conflict" });
        if (addresses.has(address)) return err({ code: "address_taken" });
        if (!attach(null, alias)) return err({ code: "conflict" });
        addresses.set(address, { account: alias.account, id: alias.id });
        aliases.set(alias.id, copy(alias));
        return ok();
      },

      save: async (before, after) => {
        const { aliases } = tenant(before.account);
        const stored = aliases.get(before.id);
        if (stored?.version !== before.version) return err({ code: "conflict" });
        if (!attach(stored, after)) return err({ code: "conflict" });
        aliases.set(before.id, { ...copy(after), tallies: stored.tallies });
        return ok();
      },

      recordOutcome: async (reference, event) => {
        const place = "email" in reference ? addresses.get(EmailAddress.key(reference.email)) : reference;
        const aliases = place && tenant(place.account).aliases;
        const alias = place && aliases?.get(place.id);
        if (alias === undefined) return err({ code: "alias_not_found" });
        const told = JSON.stringify([alias.account, alias.id, event.id]);
        if (events.has(told)) return ok("repeated");
        events.add(told);
        aliases?.set(alias.id, { ...alias, tallies: Tallies.add(alias.tallies, event.outcome, event.at) });
        return ok("recorded");
      },
    },

    recipients: {
      find: async (account, id) => ok(copy(tenant(account).recipients.get(id) ?? null)),

      findAll: async (account, ids) => ok(pick(account, ids)),

      list: async (account, request) => ok(page(tenant(account).recipients.values(), request)),

      create: async (recipient) => {
        const own = tenant(recipient.account);
        const address = EmailAddress.key(recipient.email);
        if (own.recipients.has(recipient.id)) return err({ code: "conflict" });
        for (const { email } of own.recipients.values()) {
          if (EmailAddress.key(email) === address) return err({ code: "address_taken" });
        }
        own.recipients.set(recipient.id, copy(recipient));
        tenants.set(recipient.account, own);
        return ok();
      },

      save: async (before, after) => {
        const { recipients } = tenant(before.account);
        const stored = recipients.get(before.id);
        if (stored?.version !== before.version) return err({ code: "conflict" });
        if (stored.attached > 0 && Recipient.ineligibility(after) !== null) return err({ code: "conflict" });
        recipients.set(before.id, { ...copy(after), attached: stored.attached });
        return ok();
      },

      remove: async ({ account, id, version }) => {
        const { recipients } = tenant(account);
        const stored = recipients.get(id);
        if (stored?.version !== version || stored.attached > 0) return err({ code: "conflict" });
        recipients.delete(id);
        return ok();
      },
    },

    accounts: async (request) => {
      const all = [...tenants.keys()].map((id) => ({ id }));
      const { items, next } = page(all, request);
      return ok({ items: items.map(({ id }) => id), next });
    },

    ping: async () => ok(),
  };
};
