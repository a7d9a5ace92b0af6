import { type FailureReason, failureReason } from "@postern/core";
import { statusInWords } from "../copy/status-in-words.ts";

/* What a report says about one recipient (RFC 3464, section 2.3). */

/** The first word of a value, in lower case: `failed` for `Failed (permanently)`. */
export const firstWord = (value: string): string => value.toLowerCase().replace(/[^a-z0-9.-].*/s, "");

/** By decreasing weight: a report about several mailboxes to which one copy was passed on counts as the worst of its results. */
export const ACTIONS = ["failed", "delivered", "relayed", "expanded", "delayed"] as const;
export type Action = (typeof ACTIONS)[number];

/** What some servers write instead of the actions of RFC 3464, section 2.3.3: SendGrid gives up on `expired` mail. */
const OTHER_ACTIONS: ReadonlyMap<string, Action> = new Map([
  ["expired", "failed"],
  ["failure", "failed"],
  ["bounced", "failed"],
  ["rejected", "failed"],
  ["undeliverable", "failed"],
  ["deferred", "delayed"],
]);

/** What the value of an `Action` field means; null if that is not known. */
export const namedAction = (action: string): Action | null => {
  const word = firstWord(action);
  return ACTIONS.find((known) => known === word) ?? OTHER_ACTIONS.get(word) ?? null;
};

/** The reply of the server that refused the message, if the report repeats it: `smtp; 550 5.1.1 ...`. */
const REPLY = /^smtp[\t-\r ]*;[\t-\r ]*(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3})(?![^\t-\r ]))?/i;
/** Statuses that say only that it failed. */
const ANY_FAILURE = /^(?:[45]\.0\.0)?$/;

/** Why it failed, by the values of `Status` and `Diagnostic-Code`, each empty if there is none. */
export const statedReason = (status: string, diagnostic: string): FailureReason => {
  const word = firstWord(status);
  const [, code, replied] = REPLY.exec(diagnostic) ?? [];
  return failureReason(
    code === undefined ? null : Number(code),
    statusInWords(ANY_FAILURE.test(word) ? (replied ?? null) : word, diagnostic),
  );
};
