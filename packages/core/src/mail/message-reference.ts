import type { Secrets } from "../ports.ts";
import { EmailAddress } from "../values/email-address.ts";
import { hashedId, ID_PATTERN } from "./mail-ids.ts";
import type { MessageId } from "./message.ts";

/**
 * Names a message as one address of ours forwarded it: the message's id and a keyed hash of both. Only recipients of what
 * this address forwarded see it. The sender knows the id, but not the hash; recipients of other aliases see another hash.
 */
export const messageReference = (
  hash: Secrets["hash"],
  message: MessageId,
  /** The alias, or the operator's address on an alias domain. */
  address: EmailAddress,
): string => `${message}-${hashedId(hash, `message reference:${message}:${EmailAddress.key(address)}`)}`;

const REFERENCE = new RegExp(`^(${ID_PATTERN})-${ID_PATTERN}$`);

/** The message that a text in the form of a reference names; null if it has another form. It may be forged. */
export const messageOfReference = (text: string): MessageId | null =>
  // Safe because the pattern contains that of ids.
  (REFERENCE.exec(text)?.[1] as MessageId | undefined) ?? null;
