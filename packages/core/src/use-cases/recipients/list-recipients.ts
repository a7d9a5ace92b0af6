import { err, type Result } from "neverthrow";
import { z } from "zod";

import type { InvalidRequest, Unavailable } from "../../errors.ts";
import type { Page, Recipients } from "../../ports.ts";
import type { Recipient } from "../../recipient/recipient.ts";
import { AccountId, RecipientId } from "../../values/identifiers.ts";
import { PageLimit } from "../../values/page.ts";
import { parse } from "../shared/parse.ts";

const Query = z.object({ account: AccountId, limit: PageLimit, after: RecipientId.nullable().default(null) });
export type ListRecipientsQuery = z.input<typeof Query>;

/** A page of the account's recipients, newest first. */
export const listRecipients =
  ({ recipients }: { recipients: Pick<Recipients, "list"> }) =>
  async (
    input: ListRecipientsQuery,
  ): Promise<Result<Page<Recipient, RecipientId>, InvalidRequest | Unavailable>> => {
    const query = parse(Query, input);
    if (query.isErr()) return err(query.error);
    const { account, ...page } = query.value;
    return recipients.list(account, page);
  };
