import {
  FAILED_BODY_RETENTION,
  type KeptBody,
  type LoggedCopy,
  type NonEmpty,
  type SpoolId,
} from "@postern/core";
import type { AliasKey, MessagePosition } from "@postern/core/store";
import type { Copy } from "../copy/copy.ts";
import { type AliasAddress, rulesOf } from "../copy/purpose.ts";
import type { Unlogged } from "../spool.ts";

/* What the log of an alias contains about a copy. Spools use this to know what is unlogged: see `Spool.unlogged`. */

/** The alias whose log the copy is in; null if it is in none. */
export const aliasOfLog = ({ purpose }: Pick<Copy, "purpose">): AliasAddress | null =>
  rulesOf(purpose).loggedFor;

/** Whether the copy is in the log of this alias. */
export const isInLogOf = (copy: Pick<Copy, "purpose">, { account, id }: AliasKey): boolean => {
  const alias = aliasOfLog(copy);
  return alias?.account === account && alias.id === id;
};

const stateOf = ({ state, since, deliveredAt, reason }: Copy): Pick<LoggedCopy, "state" | "at"> => {
  switch (state) {
    case "sent":
      if (deliveredAt !== null) return { state: "delivered", at: deliveredAt };
      return { state: reason === null ? state : "queued", at: since };
    case "failed":
      return { state: "bounced", at: since };
    case "queued":
    case "expired":
    case "dropped":
      return { state, at: since };
  }
};

/** What the log says about a copy. */
export const loggedCopy = (copy: Copy): LoggedCopy => ({
  to: copy.to,
  ...stateOf(copy),
  reason: copy.reason,
});

/** `LoggedMessage.unsubscribesFrom` of the message with these copies. */
export const unsubscribesFrom = ([{ purpose }]: NonEmpty<Pick<Copy, "purpose">>): MessagePosition | null =>
  purpose.kind === "reply" ? purpose.unsubscribesFrom : null;

/** Whether the change to a copy changes what the log has to say about it. */
export const changesLog = (before: Copy, after: Copy): boolean => {
  if (aliasOfLog(after) === null) return false;
  const [old, now] = [loggedCopy(before), loggedCopy(after)];
  return old.state !== now.state || old.at !== now.at || old.reason !== now.reason;
};

/** Whether the body is kept for a while, so that the copy can be sent again. */
export const canBeSentAgain = (copy: Copy): boolean =>
  aliasOfLog(copy) !== null && (copy.state === "failed" || copy.state === "expired");

/** When the last of these copies failed that can be sent again, in epoch milliseconds; null if there is none. */
export const failedAt = (copies: readonly Copy[]): number | null => {
  const failed = copies.filter(canBeSentAgain);
  return failed.length === 0 ? null : Math.max(...failed.map(({ since }) => since));
};

/** What the log says about the body: it is kept for 7 days after the last of these copies has failed. */
export const keptBody = (
  { copies, hasBody }: Pick<Unlogged, "copies" | "hasBody">,
  spool: SpoolId,
): KeptBody | null => {
  const at = failedAt(copies);
  return hasBody && at !== null ? { spool, until: at + FAILED_BODY_RETENTION } : null;
};
