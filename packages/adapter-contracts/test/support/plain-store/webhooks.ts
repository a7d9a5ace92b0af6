import { type AccountId, err, MAX_WEBHOOKS, ok, type Webhook } from "@postern/core";
import type { Webhooks } from "@postern/core/store";
import type { PlainCreations } from "./creations.ts";
import type { Write } from "./facts.ts";

/** How a store treats webhooks. Whatever is not overridden is correct. */
export type WebhookRules = {
  readonly limit: number;
  /** Whether a webhook with this stored version, if there is one, is saved from this version. */
  readonly isCurrent: (stored: number | undefined, version: number) => boolean;
  /** What is stored after a save. */
  readonly saved: (stored: Webhook, after: Webhook) => Webhook;
  /** What is stored for a webhook, and returned when it is read. */
  readonly copyOf: (webhook: Webhook) => Webhook;
  /** Whether an account that had webhooks is listed by `accounts` with this many left. */
  readonly isListed: (left: number) => boolean;
};

/** The rules of a store that is correct. */
export const RIGHT: WebhookRules = {
  limit: MAX_WEBHOOKS,
  isCurrent: (stored, version) => stored === version,
  saved: ({ id, account, secret, createdAt }, after) => ({ ...after, id, account, secret, createdAt }),
  copyOf: (webhook) => structuredClone(webhook),
  isListed: (left) => left > 0,
};

export const plainWebhooks = (
  write: Write,
  creations: PlainCreations,
  flaw: Partial<WebhookRules> = {},
): { readonly ports: Webhooks; owners(): readonly AccountId[] } => {
  const { limit, isCurrent, saved, copyOf, isListed } = { ...RIGHT, ...flaw };
  const all = new Map<AccountId, readonly Webhook[]>();
  const webhooksOf = (account: AccountId): readonly Webhook[] => all.get(account) ?? [];
  const othersOf = (account: AccountId, id: string) => webhooksOf(account).filter((each) => each.id !== id);

  return {
    owners: () => [...all].flatMap(([account, { length }]) => (isListed(length) ? [account] : [])),
    ports: {
      create: (webhook, creation) =>
        write((fact) => {
          const { account, id } = webhook;
          const idTaken = fact("id in webhooks.create", () =>
            webhooksOf(account).some((each) => each.id === id),
          );
          const count = fact("count in webhooks.create", () => webhooksOf(account).length);
          const others = fact("others in webhooks.create", () => webhooksOf(account));
          const isRepeated = fact("creation in webhooks.create", () => creations.isRepeated(creation));
          return () => {
            if (isRepeated()) return err({ code: "already_created" });
            creations.add(creation, false);
            if (idTaken()) return err({ code: "conflict" });
            if (count() >= limit) return err({ code: "too_many_webhooks", limit: MAX_WEBHOOKS });
            all.set(account, [...others(), copyOf(webhook)]);
            creations.add(creation, true);
            return ok();
          };
        }),

      list: async (account) => ok(webhooksOf(account).map(copyOf)),

      save: (before, after) =>
        write((fact) => {
          const { account, id } = before;
          const find = () => webhooksOf(account).find((each) => each.id === id);
          const version = fact("version in webhooks.save", () => find()?.version);
          const others = fact("others in webhooks.save", () => othersOf(account, id));
          return () => {
            if (!isCurrent(version(), before.version)) return err({ code: "conflict" });
            all.set(account, [...others(), copyOf(saved(find() ?? before, after))]);
            return ok();
          };
        }),

      remove: (account, id) =>
        write((fact) => {
          const others = fact("others in webhooks.remove", () => othersOf(account, id));
          return () => {
            all.set(account, others());
            return ok();
          };
        }),
    },
  };
};
