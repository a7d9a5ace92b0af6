import type { Concealment } from "@postern/core";
import { concealedTag, revealedTag } from "../concealed-tag.ts";
import type { SesTag } from "../sender-tag.ts";

/** The tag of messages that names the alias that their outcomes count for. */
export const ALIAS_TAG = "postern-alias";

const TAG = { name: ALIAS_TAG, context: "tag of a message" };

/**
 * The tag for a message that your own program forwards for this alias through SES: what SES reports about it is then counted for the alias
 * (`recordMailOutcome`). It conceals the account and the id, and nobody without the secrets can make one, so it counts for no other alias.
 * Recipients do not see it. Null if the ids do not fit into a tag: those of 60 characters each do.
 *
 * @example
 * ```ts
 * const tag = aliasTag({ account: alias.account, id: alias.id }, secrets);
 * await ses.send(new SendEmailCommand({ ...message, ...(tag && { EmailTags: [tag] }) }));
 * ```
 */
export const aliasTag = (
  { account, id }: { readonly account: string; readonly id: string },
  secrets: Pick<Concealment, "conceal">,
): SesTag | null => concealedTag(TAG, [account, id], secrets);

/** The alias that the value of a tag names; null for anything that `aliasTag` has not made. */
export const taggedAlias = (
  value: string,
  secrets: Pick<Concealment, "reveal">,
): { readonly account: string; readonly id: string } | null => {
  const [account, id] = revealedTag(value, TAG, secrets) ?? [];
  return account === undefined || id === undefined ? null : { account, id };
};
