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

const FOR_LATER = ["unavailable", "account_full", "spool_full", "author_not_checked"] as const;

/** A refusal that says nothing against the message or its recipient, so that this server may accept it later. */
export type ForLater<Refusal> = Extract<Refusal, { readonly code: (typeof FOR_LATER)[number] }>;

export const isForLater = <Refusal extends { readonly code: string }>(
  refusal: Refusal,
): refusal is ForLater<Refusal> => FOR_LATER.some((code) => code === refusal.code);
