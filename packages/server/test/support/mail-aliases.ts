import { type LoggedMessage, postern, type Store } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { expect } from "vitest";

/** Aliases, and the mailboxes that each forwards to. */
export type Aliases = Readonly<Record<string, readonly string[]>>;

const ACCOUNT = "account";

const serviceOn = (store: Store, domain: string) =>
  postern({ store, aliasDomains: [domain], ...testPorts() });

/** Adds aliases on this domain to a store. */
export const addAliases = async (store: Store, domain: string, aliases: Aliases): Promise<void> => {
  const service = serviceOn(store, domain);
  const ids = new Map<string, string>();
  for (const email of new Set(Object.values(aliases).flat())) {
    ids.set(email, valueOf(await service.adoptRecipient({ account: ACCOUNT, email })).id);
  }
  for (const [email, mailboxes] of Object.entries(aliases)) {
    const recipientIds = mailboxes.map((mailbox) => ids.get(mailbox) ?? expect.unreachable());
    valueOf(await service.createAlias({ account: ACCOUNT, email, recipientIds }));
  }
};

const aliasIdOf = async (store: Store, email: string) => {
  const service = serviceOn(store, email.slice(email.indexOf("@") + 1));
  const { items } = valueOf(await service.listAliases({ account: ACCOUNT, limit: 100 }));
  const aliasId = items.find((alias) => alias.email === email)?.id ?? expect.unreachable();
  return { service, aliasId };
};

/** Switches an alias off. */
export const switchOff = async (store: Store, email: string): Promise<void> => {
  const { service, aliasId } = await aliasIdOf(store, email);
  valueOf(await service.updateAlias({ account: ACCOUNT, aliasId, active: false }));
};

/** Lets an alias end, at a time that has passed. */
export const end = async (store: Store, email: string): Promise<void> => {
  const { service, aliasId } = await aliasIdOf(store, email);
  // In the future of this service, whose clock stands still.
  const activeUntil = testPorts().clock.now() + 1;
  valueOf(await service.updateAliasRules({ account: ACCOUNT, aliasId, activeUntil }));
};

export type Counts = Readonly<
  Record<"sent" | "delivered" | "bounced" | "complaint" | "replied" | "blocked", number>
>;

export const NOTHING: Counts = { sent: 0, delivered: 0, bounced: 0, complaint: 0, replied: 0, blocked: 0 };

/** What has been counted for an alias so far. */
export const countsOf = async (store: Store, email: string): Promise<Counts> => {
  const { service, aliasId } = await aliasIdOf(store, email);
  const { sent, delivered, bounced, complaint, replied, blocked } = valueOf(
    await service.getAlias({ account: ACCOUNT, aliasId }),
  ).tallies;
  return {
    sent: sent.count,
    delivered: delivered.count,
    bounced: bounced.count,
    complaint: complaint.count,
    replied: replied.count,
    blocked: blocked.count,
  };
};

/** What is logged for an alias, newest first. */
export const logOf = async (store: Store, email: string): Promise<readonly LoggedMessage[]> => {
  const { service, aliasId } = await aliasIdOf(store, email);
  return valueOf(await service.listMessages({ account: ACCOUNT, aliasId, limit: 100 })).items;
};
