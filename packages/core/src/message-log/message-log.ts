import type { AliasKey } from "../alias/aliases.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { Page, PageRequest } from "../values/page.ts";
import type { LogLimits } from "./log-limits.ts";
import type { LoggedMessage } from "./logged-message.ts";
import type { MessagePosition } from "./message-position.ts";

/**
 * What happened to the messages of each alias. A deleted alias keeps its log; an erased one has none. Messages more than 30 days old
 * (`LoggedMessage.isOver`) may be missing.
 */
export type MessageLog = {
  /**
   * Stores the message, unless the same or a later revision of it is already stored, so it does not matter how often, in what order or by
   * how many processes it is saved. `LoggedMessage.position` identifies the message. If there is no such alias, the message cannot be
   * found; but if an alias with the same id is created later, the message can be in its log.
   *
   * An alias keeps its newest `limits.loggedMessagesOfAlias` messages, and an account its newest `limits.loggedMessages`; 0 means no limit.
   * A message that is too old for that is not found, whichever revision of it is saved. Up to limits of 1,024, this holds after each call
   * that no other is concurrent with; beyond, a store may count for a sample of the messages only (`LogLimits.isDue`), and then keeps more,
   * by a thousandth of the greater limit on average, or loses as many too many. One call deletes a bounded number, so after a limit was
   * lowered, it takes several. Messages saved without any limit may not count.
   */
  save(message: LoggedMessage, limits: LogLimits, timeLeft?: number): PortResult<void>;

  /** Sees every write that completed before the call. */
  find(alias: AliasKey, position: MessagePosition, timeLeft?: number): PortResult<LoggedMessage | null>;

  /** In descending order of `LoggedMessage.position`: newest first. Every page but the last is full. */
  list(
    alias: AliasKey,
    page: PageRequest<MessagePosition>,
    timeLeft?: number,
  ): PortResult<Page<LoggedMessage, MessagePosition>>;
};
