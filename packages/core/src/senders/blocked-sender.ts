import type { Result } from "neverthrow";
import * as z from "zod";
import type { Secrets } from "../ports/secrets.ts";
import { blockedSenderId, hashedId } from "../values/base32-ids.ts";
import { type AccountId, accountId, type BlockedSenderId } from "../values/identifiers.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { Sender, sender } from "../values/sender.ts";
import { timestamp } from "../values/stored.ts";

/** A sender whose mail none of the account's aliases accepts. Never changes. */
export type BlockedSender = {
  /** Made when the sender is blocked; unique within the account. */
  readonly id: BlockedSenderId;
  readonly account: AccountId;
  /** Unique within the account (`Sender.key`). */
  readonly sender: Sender;
  /** When it was blocked, in epoch milliseconds. */
  readonly createdAt: number;
};

export const BlockedSender = {
  /**
   * A newly blocked sender. Its id is a keyed hash: always the same for the same account and sender, and it reveals neither. Another key
   * gives another id, so a blocked sender keeps the id that it was stored with.
   */
  create: (hash: Secrets["hash"], account: AccountId, sender: Sender, now: number): BlockedSender => ({
    // Safe because blocked senders have ids of this form. No sender contains a colon.
    id: hashedId(hash, `blocked sender:${Sender.key(sender)}:${account}`) as BlockedSenderId,
    account,
    sender,
    createdAt: now,
  }),
};

const storedBlockedSender = z.object({
  id: blockedSenderId,
  account: accountId,
  sender,
  createdAt: timestamp,
});

/**
 * Parses a blocked sender that was stored or exported as plain data with the fields of `BlockedSender`. Unknown fields are dropped;
 * a missing one is an issue.
 */
export const parseBlockedSender = (input: unknown): Result<BlockedSender, InvalidRequest> =>
  parse(storedBlockedSender, input);
