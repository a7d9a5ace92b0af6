import { err, ok, type Result } from "neverthrow";
import type { NoDefaultRecipient, Unavailable } from "../errors.ts";
import type { TimeLeft } from "../operation/deadline.ts";
import type { AccountId, RecipientId } from "../values/identifiers.ts";
import { MAX_PAGE_SIZE, type Page } from "../values/page.ts";
import { Recipient } from "./recipient.ts";
import type { Recipients } from "./recipients.ts";

/**
 * The default recipient of the account: the one that its owner made the default one, or else the oldest. It is always verified and active.
 * Reads all recipients of the account: by default it can have 200.
 */
export const findDefaultRecipient = async (
  recipients: Pick<Recipients, "list">,
  account: AccountId,
  timeLeft: TimeLeft,
): Promise<Result<Recipient, NoDefaultRecipient | Unavailable>> => {
  let found: Recipient | null = null;
  let after: RecipientId | null = null;
  do {
    const page: Result<Page<Recipient, RecipientId>, Unavailable> = await recipients.list(
      account,
      { limit: MAX_PAGE_SIZE, after },
      timeLeft(),
    );
    if (page.isErr()) return err(page.error);
    for (const recipient of page.value.items) {
      found = found === null ? recipient : Recipient.ratherDefault(found, recipient);
    }
    after = page.value.next;
  } while (after !== null);
  return found === null || Recipient.ineligibility(found) !== null
    ? err({ code: "no_default_recipient" })
    : ok(found);
};
