import type { Turn } from "./outbox.ts";
import { MAX_WEBHOOKS, type WebhookKey } from "./webhook.ts";

/** How many webhooks have turns at the same time on one server. Most of them wait for a response, which takes little but a connection. */
export const MAX_TURNS = 500;

/** The last free places are for accounts that have none, and for webhooks that are not known to be slow. */
const KEPT = MAX_TURNS / MAX_WEBHOOKS;

/** Of how many slow webhooks a server knows that they are slow: those that were slow last. */
const MAX_SLOW = 10_000;

const keyOf = ({ account, id }: WebhookKey): string => `${id} ${account}`;

/**
 * The places for turns on one server. Accounts that let requests hang cannot take the places of the others: with plenty of places, an
 * account has as many as it can have webhooks; the fewer are free, the fewer it gets. So more than 200 accounts would have to do so at once,
 * with webhooks that have not been slow before.
 */
export const turnPlaces = () => {
  const taken = new Map<Turn, Promise<void>>();
  const slow = new Set<string>();
  const free = () => MAX_TURNS - taken.size;

  return {
    free,

    mayTake: (turn: Turn): boolean => {
      const held = [...taken.keys()].filter(({ account }) => account === turn.account).length;
      return held < Math.ceil(free() / KEPT) && (free() > KEPT || !slow.has(keyOf(turn)));
    },

    /** Takes a place until `ended` resolves. */
    take: (turn: Turn, ended: Promise<void>): void => {
      taken.set(
        turn,
        ended.then(() => void taken.delete(turn)),
      );
    },

    /** Notes whether the last request to the webhook was slow. */
    note: (webhook: WebhookKey, wasSlow: boolean): void => {
      slow.delete(keyOf(webhook));
      if (!wasSlow) return;
      const [oldest] = slow;
      if (slow.size === MAX_SLOW && oldest !== undefined) slow.delete(oldest);
      slow.add(keyOf(webhook));
    },

    /** Resolves when all turns that have places now have ended. */
    ended: async (): Promise<void> => {
      await Promise.all(taken.values());
    },
  };
};
