import { err, type Result } from "neverthrow";
import type { RecipientAttached, Unavailable } from "../../errors.ts";
import type { Aliases } from "../../ports.ts";
import type { Recipient } from "../../recipient/recipient.ts";
import type { AliasId } from "../../values/identifiers.ts";

const MOST_NAMED = 10;
/** A store may answer with short pages; a caller that waits for an error is not to wait for a walk through them all. */
const MOST_PAGES = 10;

/** The refusal that an attached recipient gets, naming up to ten of the aliases that hold it. */
export const refuseAttached = async (
  aliases: Pick<Aliases, "list">,
  { account, id, attached }: Pick<Recipient, "account" | "id" | "attached">,
): Promise<Result<never, RecipientAttached | Unavailable>> => {
  const first: AliasId[] = [];
  let after: AliasId | null = null;
  for (let pages = 0; pages < MOST_PAGES && first.length < Math.min(attached, MOST_NAMED); pages += 1) {
    const limit = MOST_NAMED - first.length;
    const page = await aliases.list(account, { limit, after }, { deleted: false, recipient: id });
    if (page.isErr()) return err(page.error);
    first.push(...page.value.items.map((alias) => alias.id));
    after = page.value.next;
    if (after === null) break;
  }
  return err({ code: "recipient_attached", aliases: attached, first });
};
