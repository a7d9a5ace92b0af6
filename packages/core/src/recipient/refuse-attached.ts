import { err, type Result } from "neverthrow";
import type { RecipientAttached, Unavailable } from "../errors.ts";
import type { TimeLeft } from "../operation/deadline.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { AccountId, AliasId, RecipientId } from "../values/identifiers.ts";
import type { Page, PageRequest } from "../values/page.ts";
import type { Recipient } from "./recipient.ts";

/** The aliases that a recipient is attached to, listed by the port of aliases. */
export type AttachedAliases = {
  list(
    account: AccountId,
    page: PageRequest<AliasId>,
    filter: { readonly deleted: false; readonly recipient: RecipientId },
    timeLeft?: number,
  ): PortResult<Page<{ readonly id: AliasId }, AliasId>>;
};

const MAX_ALIAS_IDS = 10;
/** A store may return short pages, and the caller should not have to wait for all of them to get an error. */
const MAX_PAGES = 10;

/** The error for a recipient that is still attached, with the ids of up to ten of its aliases. */
export const refuseAttached = async (
  aliases: AttachedAliases,
  timeLeft: TimeLeft,
  { account, id, attached }: Pick<Recipient, "account" | "id" | "attached">,
): Promise<Result<never, RecipientAttached | Unavailable>> => {
  const aliasIds: AliasId[] = [];
  let after: AliasId | null = null;
  for (let pages = 0; pages < MAX_PAGES && aliasIds.length < Math.min(attached, MAX_ALIAS_IDS); pages += 1) {
    const limit = MAX_ALIAS_IDS - aliasIds.length;
    const page = await aliases.list(account, { limit, after }, { deleted: false, recipient: id }, timeLeft());
    if (page.isErr()) return err(page.error);
    aliasIds.push(...page.value.items.map((alias) => alias.id));
    after = page.value.next;
    if (after === null) break;
  }
  return err({ code: "recipient_attached", attached, aliasIds });
};
