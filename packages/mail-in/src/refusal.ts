import type { Unavailable } from "@postern/core";
import type {
  MessageRefusal,
  NotAReport,
  RecipientRefusal,
  ReplyRefusal,
  SenderBlocked,
  SpoolFull,
} from "@postern/mail";

/** Why a message, or one of its recipients, is refused, whichever way it arrives. */
export type ArrivalRefusal =
  | RecipientRefusal
  | NotAReport
  | MessageRefusal
  | ReplyRefusal
  | SenderBlocked
  | SpoolFull
  | Unavailable
  | { readonly code: "message_too_large" };

const FOR_LATER: ReadonlySet<string> = new Set<ArrivalRefusal["code"]>([
  "unavailable",
  "account_full",
  "spool_full",
  "author_not_checked",
]);

/** Whether nothing is wrong with the message or its recipient, so that this server may accept it later. */
export const isForLater = ({ code }: { readonly code: string }): boolean => FOR_LATER.has(code);
