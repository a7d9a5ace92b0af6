/** Why a message could not be delivered, in as much detail as its owner can use. Never a server's own words, which can repeat addresses. */
export type FailureReason = (typeof FAILURE_REASONS)[number];
export const FAILURE_REASONS = [
  "mailbox_unknown",
  "mailbox_full",
  "mailbox_disabled",
  "message_too_large",
  /** As spam, or because of other rules of the server. */
  "refused_by_policy",
  /** The other server does not respond, or is not accepting mail at the moment. */
  "unreachable",
  /** Our own outgoing server is down, or refuses us or the alias domain: the copy has not been tried. */
  "relay_unavailable",
  "other",
] as const;

/** Enhanced status codes (RFC 3463 and its registry) that say more than their subject does. */
const BY_STATUS: ReadonlyMap<string, FailureReason> = new Map([
  // The domain name cannot be looked up at the moment.
  ["4.1.2", "unreachable"],
  // These are about the sender.
  ["5.1.7", "refused_by_policy"],
  ["5.1.8", "refused_by_policy"],
  ["5.1.9", "refused_by_policy"],
  ["4.1.7", "refused_by_policy"],
  ["4.1.8", "refused_by_policy"],
  ["4.1.9", "refused_by_policy"],
  ["4.2.1", "mailbox_disabled"],
  ["5.2.1", "mailbox_disabled"],
  ["4.2.2", "mailbox_full"],
  ["5.2.2", "mailbox_full"],
  ["4.2.3", "message_too_large"],
  ["5.2.3", "message_too_large"],
  ["4.3.2", "unreachable"],
  ["5.3.2", "unreachable"],
  ["4.3.4", "message_too_large"],
  ["5.3.4", "message_too_large"],
]);

/** By the second number of the status: address, mailbox, system, network, protocol, content, policy. */
const BY_SUBJECT: ReadonlyMap<string, FailureReason> = new Map([
  ["1", "mailbox_unknown"],
  ["4", "unreachable"],
  ["7", "refused_by_policy"],
]);

/** Reply codes without a status. 550 and 554 are used for everything, 552 for full mailboxes and for large messages. */
const BY_CODE: ReadonlyMap<number, FailureReason> = new Map([
  [421, "unreachable"],
  [551, "mailbox_unknown"],
  [553, "mailbox_unknown"],
  [556, "mailbox_unknown"],
]);

/**
 * What a mail server's reply or a delivery report says: `code` is the reply code, and `status` the enhanced status code (RFC 3463), such as
 * `5.1.1`, which takes precedence; null if there was none.
 */
export const failureReason = (code: number | null, status: string | null): FailureReason => {
  const [, subject = ""] = status?.split(".") ?? [];
  return BY_STATUS.get(status ?? "") ?? BY_SUBJECT.get(subject) ?? BY_CODE.get(code ?? 0) ?? "other";
};
