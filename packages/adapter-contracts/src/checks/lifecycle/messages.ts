import type { AccountId } from "@postern/core";
import type { Real } from "./command.ts";
import { countIn, isReached, type Model, type ModelRecipient } from "./model.ts";

const MINUTE = 60 * 1000;
const DAY = 24 * 60 * MINUTE;

const mailboxOf = (email: string): string => email.replace(/\+.*@/, "@");

/** Why the account may not send a verification message to the address; null if it may. */
export const messageRefusal = (
  { messages, suppressed, limits }: Model,
  { account, email }: { readonly account: AccountId; readonly email: string },
  now: number,
): "mailbox_suppressed" | "rate_limited" | null => {
  const mailbox = mailboxOf(email);
  if (suppressed.has(mailbox)) return "mailbox_suppressed";
  const since = (time: number) => messages.filter(({ sentAt }) => sentAt > time);
  const toMailbox = (period: number) => since(now - period).filter((each) => each.mailbox === mailbox).length;
  const isLimited =
    toMailbox(MINUTE) >= 1 ||
    toMailbox(DAY) >= 5 ||
    toMailbox(30 * DAY) >= 20 ||
    isReached(limits.verificationMessages, countIn(account, since(now - DAY)));
  return isLimited ? "rate_limited" : null;
};

/** Records that the recipient was sent the newest message. */
export const recordMessage = (
  model: Model,
  recipient: ModelRecipient,
  { clock, outbox }: Real["ports"],
): void => {
  const { account, email } = recipient;
  const token = outbox.at(-1)?.token ?? "";
  const message = { account, mailbox: mailboxOf(email), token, sentAt: clock.now() };
  model.messages.push(message);
  recipient.messages.push(message);
};
