import { type EmailAddress, parseEmailAddress } from "@postern/core";

/** A tag of a message, as SES's `EmailTags` and `X-SES-MESSAGE-TAGS` have it. */
export type SesTag = { readonly Name: string; readonly Value: string };

/** The tag of messages that names their envelope sender. */
export const SENDER_TAG = "postern-sender";

/** A tag can contain letters, digits, hyphens and underscores; the name and the domain of a bounce address have no underscores. */
export const senderTag = (sender: EmailAddress): SesTag => ({
  Name: SENDER_TAG,
  Value: sender.replace(/[@.]/g, "_"),
});

/** The envelope sender that the value of a tag names; null for anything that `senderTag` has not made of a bounce address. */
export const taggedSender = (value: string): EmailAddress | null =>
  parseEmailAddress(value.replace("_", "@").replaceAll("_", ".")).unwrapOr(null);
