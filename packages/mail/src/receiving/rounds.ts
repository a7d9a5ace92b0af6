import type { Clock, Concealment, Secrets } from "@postern/core";
import { hashedId, isWithin } from "@postern/core/operations";
import type { AliasAddress } from "../copy/purpose.ts";
import { firstMessageId } from "../rewriting/concealed-ids.ts";

/**
 * How often a message that an alias has forwarded may come back to it within a day, such as from a mailing list. The id is exchanged on each
 * round, so it comes back with the id that the alias gave it on every second one: this makes ten rounds.
 */
const MAX_RETURNS = 5;

const DAY = 24 * 60 * 60_000;

/** How many messages are remembered: a few megabytes. */
const REMEMBERED = 10_000;

/** A message that has come to an alias. */
export type Round = {
  /** Whether it has come back to the alias as often as it may. */
  readonly isLoop: boolean;
  /** Notes that the alias has accepted it. */
  count(): void;
};

/**
 * How often messages have come back to an alias, by their `Message-ID`. Ends loops through servers that write each message anew, with the id
 * that it had but without the fields that show where it has been. Only known while the process runs, because a loop that goes on after a
 * restart ends as well; and only of the messages that came last, because those in a loop come again and again.
 */
export const messageRounds = ({
  clock,
  secrets,
}: {
  readonly clock: Pick<Clock, "now">;
  readonly secrets: Pick<Secrets, "hash"> & Concealment;
}) => {
  /** By hashes, which are all of the same length. The one that came last is last. */
  const returns = new Map<string, { readonly since: number; readonly count: number }>();

  const today = (key: string) => {
    const [found, now] = [returns.get(key), clock.now()];
    return found !== undefined && isWithin(found.since, DAY, now) ? found : { since: now, count: 0 };
  };

  return (messageId: string, { account, id, email }: AliasAddress): Round => {
    const first = firstMessageId(messageId, email, secrets);
    const key = hashedId(secrets.hash, `rounds:${JSON.stringify([account, id, first?.id ?? ""])}`);
    return {
      isLoop: today(key).count >= MAX_RETURNS,
      count: () => {
        if (first?.isReturned !== true) return;
        const { since, count } = today(key);
        returns.delete(key);
        returns.set(key, { since, count: count + 1 });
        const [oldest] = returns.keys();
        if (returns.size > REMEMBERED && oldest !== undefined) returns.delete(oldest);
      },
    };
  };
};
