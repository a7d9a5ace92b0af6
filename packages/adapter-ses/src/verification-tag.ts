import { type Concealment, parseAccountId, parseRecipientId, type Secrets } from "@postern/core";
import type { VerificationLink } from "@postern/core/operations";
import { concealedTag, revealedTag } from "./concealed-tag.ts";
import type { SesTag } from "./sender-tag.ts";

/** The tag of verification messages that names the recipient and the link. */
export const VERIFICATION_TAG = "postern-verification";

const TAG = { name: VERIFICATION_TAG, context: "tag of a verification message" };

/**
 * The tag for the message with the link of this token. It reveals neither to anybody without the secrets, and opens nothing. Null if the
 * token was sealed with other secrets, or if the ids do not fit.
 */
export const verificationTag = (
  token: string,
  secrets: Pick<Secrets, "open"> & Pick<Concealment, "conceal">,
): SesTag | null => {
  const claims = secrets.open(token);
  return claims && concealedTag(TAG, [claims.account, claims.recipientId, claims.nonce], secrets);
};

/** The link that the value of a tag names; null for anything that `verificationTag` has not made. */
export const taggedLink = (value: string, secrets: Pick<Concealment, "reveal">): VerificationLink | null => {
  const [account, recipient, nonce] = revealedTag(value, TAG, secrets) ?? [];
  const [owner, id] = [parseAccountId(account), parseRecipientId(recipient)];
  return nonce === undefined || owner.isErr() || id.isErr()
    ? null
    : { account: owner.value, recipient: id.value, nonce };
};
