import {
  type CopyId,
  type Domain,
  EmailAddress,
  type Secrets,
  type SpoolId,
  type SpoolMark,
} from "@postern/core";
import { hashedTag, ID_PATTERN, MARK_PATTERN, markOfSpool, TAG_PATTERN } from "@postern/core/operations";

/*
 * The addresses that Postern makes on the alias domains. Their names are reserved (`reserved-names.ts`). Mail systems may
 * change the case of an address, so case does not matter.
 */

/** Copies that were sent before there was a proof have addresses without one. */
const BOUNCE = new RegExp(`^b-(${ID_PATTERN})(?:-(${MARK_PATTERN})(${TAG_PATTERN}))?$`, "i");

/** Proves that servers of this deployment have sent the copy from this spool. Only they can compute it, and it reveals nothing else. */
const tagOf = (hash: Secrets["hash"], copy: CopyId, spool: SpoolMark): string =>
  hashedTag(hash, `bounce address:${copy}:${spool}`);

/**
 * Where reports about a copy are sent: its envelope sender, on an alias domain. Besides the copy, it names the spool that has the copy, with
 * a proof, so that another server can accept reports for it. The name has 45 characters, which leaves room for servers that put their own
 * in front of it when they pass mail on.
 */
export const bounceAddress = (
  hash: Secrets["hash"],
  { copy, spool }: { readonly copy: CopyId; readonly spool: SpoolId },
  domain: Domain,
): EmailAddress => {
  const mark = markOfSpool(spool);
  // Safe because all of it is valid in names, and alias domains leave room for names of 64 characters.
  return `b-${copy}-${mark}${tagOf(hash, copy, mark)}@${domain}` as EmailAddress;
};

/** The copy whose reports are sent to this address, which may be forged; null if it is another kind of address. */
export const copyOfBounceAddress = (address: EmailAddress): CopyId | null =>
  // Safe because the pattern contains the pattern of ids.
  (BOUNCE.exec(EmailAddress.localPart(address))?.[1]?.toLowerCase() as CopyId | undefined) ?? null;

/** The spool of the copy whose reports are sent to this address; null if the address does not prove it. */
export const spoolOfBounceAddress = (hash: Secrets["hash"], address: EmailAddress): SpoolMark | null => {
  const [, copy, spool, tag] = BOUNCE.exec(EmailAddress.localPart(address).toLowerCase()) ?? [];
  if (copy === undefined || spool === undefined) return null;
  // Safe because the pattern contains those of ids and marks.
  return tag === tagOf(hash, copy as CopyId, spool as SpoolMark) ? (spool as SpoolMark) : null;
};
