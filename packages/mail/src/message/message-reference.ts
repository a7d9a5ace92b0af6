import { EmailAddress, type MessageId, type Secrets } from "@postern/core";
import { hashedId, ID_PATTERN } from "@postern/core/operations";

/**
 * Identifies a message as forwarded by one address of ours: the message's id, and a keyed hash of that id and the
 * address. Only recipients of mail that this address forwarded see it. The sender knows the id but not the hash;
 * recipients of other aliases see another hash.
 */
export const messageReference = (
  hash: Secrets["hash"],
  message: MessageId,
  /** The alias, or the operator's address on an alias domain. */
  address: EmailAddress,
): string => `${message}-${hashedId(hash, `message reference:${message}:${EmailAddress.key(address)}`)}`;

const REFERENCE = new RegExp(`^(${ID_PATTERN})-${ID_PATTERN}$`);

/** The message that text in the form of a reference names; null if the text has another form. The reference may be forged. */
export const messageOfReference = (text: string): MessageId | null =>
  // Safe because the pattern contains the pattern of ids.
  (REFERENCE.exec(text)?.[1] as MessageId | undefined) ?? null;
