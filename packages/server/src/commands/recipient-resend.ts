import {
  type AccountId,
  err,
  type MailRefused,
  NO_LIMITS,
  type NotSent,
  ok,
  parseAccountId,
  type Result,
  type Store,
  type Unavailable,
  type VerificationMail,
} from "@postern/core";
import { type ResendVerificationError, resendVerification } from "@postern/core/operations";
import { nodePorts } from "@postern/node";
import type { MailConfiguration } from "../configuration/configuration.ts";
import { ENV } from "../configuration/names.ts";
import { openVerificationMail } from "../sending/open-verification-mail.ts";
import type { Command } from "./command.ts";
import { explainCause, storeFailed } from "./explain-cause.ts";
import { missingVariables } from "./missing-variables.ts";
import { timing } from "./timing.ts";
import { withStore } from "./with-store.ts";

type Target = { readonly account: AccountId; readonly recipientId: string };

export const recipientResend: Command["run"] = async (configuration, [account, recipientId = ""]) => {
  const { mail } = configuration;
  if (mail.isErr()) return err(missingVariables(mail.error));
  const owner = parseAccountId(account);
  if (owner.isErr()) return err("ACCOUNT is not an account id.");
  const target = { account: owner.value, recipientId };
  return withStore(configuration, "alongside", (store) => sendAgain(store, mail.value, target));
};

/** Sends a new verification link, at once, and says what happened. */
const sendAgain = async (
  store: Store,
  configuration: MailConfiguration,
  target: Target,
): Promise<Result<string, string>> => {
  const { maxVerificationMessages: verificationMessages, linkSecrets, mailboxSecret } = configuration;
  const { recipients, mailLedger, suspensions } = store;
  const since = await suspensions.find(target.account);
  if (since.isErr()) return err(storeFailed(since.error, "try again"));
  if (since.value !== null)
    return err("Nothing was sent: the account is suspended. Run `account resume` first.");
  const mail = await openVerificationMail(configuration);
  let failure: Failure = null;
  const verificationMail: VerificationMail = {
    send: async (message) => {
      const sent = await mail.send(message);
      failure = sent.isErr() ? sent.error : null;
      return sent;
    },
  };
  const limits = { ...NO_LIMITS, verificationMessages };
  const ports = {
    recipients,
    mailLedger,
    verificationMail,
    limits,
    ...nodePorts({ linkSecrets, mailboxSecret }),
    ...timing,
  };
  try {
    const resent = await resendVerification(ports)(target);
    if (resent.isErr()) return err(explain(resent.error));
    switch (resent.value.verification) {
      case "sent":
        return ok(
          `Sent a new verification link, at once and through ${ENV.smtpUrl}. Earlier links to this recipient no longer work, and a message with one that is still in a server's queue is not sent.`,
        );
      // The message is sent from here, and never queued: decision 13.
      case "queued":
      case "not_sent":
        return err(explainNotSent(failure));
      case "not_needed":
        return ok("The recipient is verified already: nothing was sent.");
    }
  } finally {
    mail.close();
  }
};

/** Why the message was not sent, or may not have been; null if it was. */
type Failure = MailRefused | NotSent | Unavailable | null;

const explainNotSent = (failure: Failure): string => {
  const what =
    failure?.code === "unavailable"
      ? "It is unknown whether the message was sent"
      : "The message was not sent";
  const why = failure === null ? "" : ` (${explainCause(failure)})`;
  return `${what}${why}, and earlier links to this recipient no longer work: check ${ENV.smtpUrl} and the mail server, and try again.`;
};

const explain = (error: ResendVerificationError): string => {
  switch (error.code) {
    case "invalid_request":
      return "RECIPIENT is not the id of a recipient.";
    case "recipient_not_found":
      return "The account has no recipient with this id: nothing was sent.";
    case "rate_limited":
      return `Nothing was sent: too many messages were sent to this mailbox or for this account. Try again in ${waitOf(error.retryAfter)}.`;
    case "mailbox_suppressed":
      return "Nothing was sent: the owner of this mailbox has asked never to be sent a verification message again. Only if they have changed their mind, run `mailbox release`.";
    case "unavailable":
      return storeFailed(error, "try again");
  }
};

const MINUTE = 60_000;

const waitOf = (milliseconds: number): string => {
  const minutes = Math.ceil(milliseconds / MINUTE);
  if (minutes < 120) return minutes === 1 ? "a minute" : `${minutes} minutes`;
  const hours = Math.ceil(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.ceil(hours / 24)} days`;
};
